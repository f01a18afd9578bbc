# frozen_string_literal: true

require_relative "stats"

module Bench
  # Measured is some operations upon one data set by all workers that know them: the seconds of each round, and the size of the bytes.
  class Measured
    attr_reader :set, :sizes

    def initialize(set)
      @set = set
      @seconds = {}
      @sizes = {}
    end

    # take measures. The workers' slots go round in turn; the first of a round is another one each time, and every other round goes
    # backwards, so that none always follows the same.
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

    # ratio is how many times the one takes the other's time: the median of the rounds' ratios, which a machine that is slow for a while
    # does not change.
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
