# frozen_string_literal: true

require "open3"
require "rbconfig"

# Runs Ruby source text in a child process. Examples need it for code that may crash, for settings
# that apply when the gem is loaded, and for memory measurements without interference.
module Child
  PRELUDE = <<~RUBY
    # encoding: UTF-8
    Warning[:experimental] = false
    #{PEER ? 'gem "msgpack"' : "$LOAD_PATH.unshift(#{LIB.inspect})"}
    require "msgpack"

    # Returns a memory size of this process in KiB, as reported by the kernel. VmRSS is the resident
    # memory, VmPeak the largest virtual memory so far.
    def memory(name)
      File.read("/proc/self/status")[/^\#{name}:\\s+(\\d+) kB/, 1].to_i
    end

    # Returns the growth of the memory size during the block, in KiB.
    def growth(name)
      before = memory(name)
      yield
      memory(name) - before
    end
  RUBY

  # Returns the output of the script. Raises an error if the script fails.
  def child(script, env: {})
    out, err, status = Open3.capture3(env, RbConfig.ruby, "-", stdin_data: PRELUDE + script)
    raise "the child ended with #{status}:\n#{err[0, 4000]}" unless status.success?

    out
  end

  # Does the same as child, but skips the example if /proc is missing, or if AddressSanitizer delays
  # the release of memory.
  def measured(script, **options)
    skip "there is no /proc here" unless File.exist?("/proc/self/status")
    skip "checked memory is not given back at once" if ENV.key?("ASAN_OPTIONS")
    child(script, **options)
  end
end
