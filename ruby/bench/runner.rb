# frozen_string_literal: true

require "tmpdir"
require_relative "workers"
require_relative "data"
require_relative "job"
require_relative "measure"
require_relative "memory"
require_relative "tables"

module Bench
  # Runner makes the workers measure what the options request, and collects the results. It reports
  # the progress on the standard error output if that is a terminal.
  class Runner
    # GROUPS are the operations that are measured together, by the name of the --op flag.
    GROUPS = { pack: %i[pack], unpack: %i[unpack], symbolize: %i[symbolize], skip: %i[read skip], reused: %i[repack reread reskip] }.freeze
    WHOLE = %i[memory feed stream].freeze
    CHUNKS = [10_000, 20_000, 40_000].freeze
    FEED_ROUNDS = 5 # maximum: a quadratic feed takes seconds

    attr_reader :results

    def initialize(workers, options)
      @workers = workers
      @options = options
      @results = Results.new
    end

    def run
      GROUPS.each { |group, operations| sets(group, operations) if wanted?(group) }
      WHOLE.each { |group| send(group) if wanted?(group) }
      results
    ensure
      say("")
    end

    private

    def wanted?(group) = @options[:groups].include?(group)

    def sets(group, operations)
      @options[:sets].each do |set|
        say("#{group} #{set}")
        measured = Measured.new(set).take(@workers, operations, rounds: @options[:rounds], slot: @options[:slot])
        results[group][set] = measured if measured.names.any?
      end
    end

    # memory counts in separate workers, because the counting shim would slow down the timed
    # workers.
    def memory
      shim = Memory.shim(@options[:scratch])
      counters = @options[:start].call(shim ? { "LD_PRELOAD" => shim } : {})
      %i[pack unpack].product(@options[:sets]) do |operation, set|
        say("memory #{operation} #{set}")
        able = counters.able(operation).select { |worker| worker.ask(:prepare, set, [operation]) }
        counts = able.to_h { |worker| [worker.name, worker.ask(:memory, operation)] }
        (results.memory[operation] ||= {})[set] = counts
      end
    ensure
      counters&.close
    end

    def feed
      CHUNKS.each do |chunks|
        measured = results.feed[chunks] = Measured.new("feed")
        workers = @workers.able(:read)
        [FEED_ROUNDS, @options[:rounds]].min.times do |round|
          say("feed #{chunks}")
          workers.rotate(round).each { |worker| measured.add(worker.name, :feed, worker.ask(:feed, chunks)) }
        end
      end
    end

    def stream
      elements = @options[:elements]
      Dir.mktmpdir do |directory|
        path = File.join(directory, "stream")
        @workers.able(:read).each do |worker|
          results.stream[worker.name] = %i[write read].to_h do |direction|
            say("stream #{worker.name} #{direction}")
            [direction, [elements, *worker.ask(direction, path, elements)]]
          end
        end
      end
    end

    def say(what)
      $stderr.print("\r\e[K#{what}") if $stderr.tty?
    end
  end
end
