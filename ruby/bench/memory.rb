# frozen_string_literal: true

require "fiddle"
require "fileutils"
require "rbconfig"

module Bench
  # Memory counts created objects and calls of malloc. A shim that is loaded before the C library
  # counts the calls. The counting workers are separate processes, which are not timed.
  module Memory
    SHIM = <<~C
      #include <stddef.h>
      extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
      long mallocs;
      void *malloc(size_t size) { mallocs++; return __libc_malloc(size); }
      void *calloc(size_t count, size_t size) { mallocs++; return __libc_calloc(count, size); }
      void *realloc(void *old, size_t size) { mallocs++; return __libc_realloc(old, size); }
    C

    module_function

    # shim builds the shim in directory and returns its path. It returns nil if the build fails, for
    # example without a C compiler or with a different C library.
    def shim(directory)
      path = File.join(directory, "mallocs.so")
      FileUtils.mkdir_p(directory)
      command = [RbConfig::CONFIG["CC"].split.first, "-O2", "-shared", "-fPIC", "-xc", "-", "-o", path]
      IO.popen(command, "w", err: File::NULL) { |compiler| compiler.write(SHIM) }
      path if $?.success?
    rescue SystemCallError
      nil
    end

    # count calls the block twice and measures the second call. The block returns the number of
    # operations that it ran. count returns the created objects and the calls of malloc, per
    # operation. The calls of malloc are nil if the shim is not loaded.
    def count
      yield # creates objects that are created only once
      calls = counter
      objects, before = GC.stat(:total_allocated_objects), calls&.call
      done = yield
      after = calls&.call
      { objects: (GC.stat(:total_allocated_objects) - objects).fdiv(done), mallocs: after && (after - before).fdiv(done) }
    end

    def counter
      address = Fiddle::Pointer.new(Fiddle::Handle::DEFAULT["mallocs"])
      -> { address[0, Fiddle::SIZEOF_LONG].unpack1("l!") }
    rescue Fiddle::DLError
      nil
    end
  end
end
