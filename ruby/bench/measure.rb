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
    def take(crew, operations, rounds:, slot:)
      prepare(crew, operations)
      lanes = operations.flat_map { |operation| crew.able(operation).select { |hand| @sizes.key?(hand.name) }.map { |hand| [hand, operation] } }
      rounds.times do |round|
        order = lanes.rotate(round)
        order.reverse! if round.odd?
        order.each { |hand, operation| add(hand.name, operation, hand.ask(:time, operation, slot)) }
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

    def prepare(crew, operations)
      digests = {}
      crew.each do |hand|
        able = operations & hand.operations
        next if able.empty?

        made = hand.ask(:prepare, @set, able) or next
        @sizes[hand.name] = made[:size]
        digests[hand.name] = made[:digest]
      end
      return if digests.values_at("ours", "msgpack").compact.uniq.size < 2

      raise Failed, "ours and msgpack do not make the same bytes of #{@set}"
    end
  end
end
