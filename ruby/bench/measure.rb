# frozen_string_literal: true

require_relative "stats"

module Bench
  # Measured holds the results of some operations on one data set: the seconds of each round and the
  # serialized size, for each worker that supports them.
  class Measured
    attr_reader :set, :sizes

    def initialize(set)
      @set = set
      @seconds = {}
      @sizes = {}
    end

    # take measures the operations and returns self. In each round, every worker gets one slot per
    # operation. The order starts with a different slot in each round and is reversed in every other
    # round, so that no slot always follows the same one.
    def take(workers, operations, rounds:, slot:)
      prepare(workers, operations)
      lanes = operations.flat_map { |operation| workers.able(operation).select { |worker| @sizes.key?(worker.name) }.map { |worker| [worker, operation] } }
      rounds.times do |round|
        order = lanes.rotate(round)
        order.reverse! if round.odd?
        order.each { |worker, operation| add(worker.name, operation, worker.ask(:time, operation, slot)) }
      end
      self
    end

    def add(name, operation, seconds) = (@seconds[[name, operation]] ||= []) << seconds
    def names = @seconds.keys.map(&:first).uniq
    def known?(name, operation) = @seconds.key?([name, operation])
    def median(name, operation) = Stats.median(@seconds.fetch([name, operation]))

    # ratio returns the time of an operation divided by the time of the operation to. It is the
    # median of the ratios of all rounds, so that a temporary slowdown of the machine does not
    # affect it.
    def ratio(name, operation, to:)
      Stats.median(@seconds.fetch([name, operation]).zip(@seconds.fetch(to)).map { |one, other| one / other })
    end

    private

    def prepare(workers, operations)
      digests = {}
      workers.each do |worker|
        able = operations & worker.operations
        next if able.empty?

        made = worker.ask(:prepare, @set, able) or next
        @sizes[worker.name] = made[:size]
        digests[worker.name] = made[:digest]
      end
      return if digests.values_at("ours", "msgpack").compact.uniq.size < 2

      raise Failed, "ours and msgpack do not make the same bytes of #{@set}"
    end
  end
end
