# frozen_string_literal: true

# A worker is a process with one library in it. The runner starts it with the library's name, asks over its standard input, and reads
# the answers from its standard output: both in Ruby's Marshal, a request [name, arguments…], an answer [:done, result] or
# [:failed, message].

require "digest"
require_relative "data"
require_relative "library"
require_relative "job"
require_relative "flow"
require_relative "memory"

module Bench
  # Worker has a method for each request.
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

    # settle allocates 31 MB and drops them. Until it has seen a block that large, glibc maps blocks from 128 KB on, and unmaps
    # them, each time: whether a library ever freed a block of some size would decide about page faults, and those about its rows.
    # 32 MB is the most that glibc learns from.
    def settle
      ("\0" * SETTLED).clear
      GC.start
    end

    # prepare makes the jobs of a data set ready, and drops those of the last one, so that the collector has no more to mark than the
    # set that is timed. It is nil if the library cannot hold the set.
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

  # answer does one request after the other until the runner goes away.
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
$stdout.reopen($stderr) # what a library prints is no answer
Bench.answer(ARGV.fetch(0), $stdin.binmode, answers)
