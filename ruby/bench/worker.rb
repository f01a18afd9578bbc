# frozen_string_literal: true

# A worker is a process that loads one library. The runner starts it with the name of the library,
# sends requests to its standard input, and reads the answers from its standard output. Both are in
# Ruby's Marshal format: a request is [name, arguments…], an answer is [:done, result] or [:failed,
# message].

require "digest"
require_relative "data"
require_relative "library"
require_relative "job"
require_relative "flow"
require_relative "memory"

module Bench
  # Worker has one method for each request.
  class Worker
    SETTLED = 31_000_000

    def initialize(name)
      @library = Libraries::ALL.fetch(name).call
      settle
      @jobs = {}
    end

    def hello
      { version: @library.version, own_version: (@library.own_version if @library.respond_to?(:own_version)),
        operations: @library.operations.keys, ruby: RUBY_DESCRIPTION }
    end

    # settle allocates and frees a block of 31 MB. Until glibc has freed a block of that size, it
    # maps and unmaps each block of 128 KB or more. Page faults, and with them the results of a
    # library, would then depend on whether the library ever freed a block of some size. 32 MB is
    # the largest block that raises the threshold of glibc.
    def settle
      ("\0" * SETTLED).clear
      GC.start
    end

    # prepare makes the jobs of a data set ready. It drops the jobs of the previous set, so that the
    # collector only marks the set that is timed. It returns nil if the library cannot represent the
    # set.
    def prepare(set, operations)
      @jobs = {}
      return unless @library.holds?(set)

      value = Data.build(set)
      operations.each { |name| @jobs[name] = Job.new(@library, name, value) }
      bytes = @jobs.values.first.bytes
      { size: bytes.bytesize, digest: Digest::SHA256.hexdigest(bytes) }
    end

    def time(operation, seconds) = @jobs.fetch(operation).time(seconds)
    def memory(operation) = Memory.count { @jobs.fetch(operation).repeat }
    def feed(chunks) = Flow.feed(chunks)
    def write(path, elements) = Flow.write(path, elements)
    def read(path, elements) = Flow.read(path, elements)
  end

  # answer answers requests in sequence until the runner closes the connection.
  def self.answer(name, from, to)
    worker = nil
    while (request = Marshal.load(from))
      reply =
        begin
          worker ||= Worker.new(name)
          [:done, worker.public_send(*request)]
        rescue LoadError, StandardError => e
          [:failed, "#{e.message} (#{e.class})"]
        end
      to.write(Marshal.dump(reply))
      to.flush
    end
  rescue EOFError, Interrupt
    nil
  end
end

answers = $stdout.dup.binmode
$stdout.reopen($stderr) # keeps the output of a library out of the answers
Bench.answer(ARGV.fetch(0), $stdin.binmode, answers)
