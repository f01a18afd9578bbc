# frozen_string_literal: true

require_relative "data"
require_relative "stats"

module Bench
  # A Bar is a promise: its subject, its limit, the factor found, and whether the limit is a
  # maximum.
  Bar = Struct.new(:subject, :limit, :found, :at_most) do
    def kept? = at_most ? found <= limit : found >= limit

    def to_s
      "#{kept? ? 'OK    ' : 'MISSED'}  #{subject}: #{Stats.times(found)}, promised #{at_most ? '≤' : '≥'} #{Stats.times(limit)}"
    end
  end

  # Bars computes the promises of the gem for the rows that were measured:
  #
  #   against msgpack   serialize ≥ 1.2×, deserialize ≥ 1.8×; ≥ 3× with tiny and integers
  #                     never slower with sets of one kind of value, a reused packer, a reused
  #                     unpacker, or Symbol keys
  #   against json, oj  never slower
  #   skip              ≥ 5× as fast as read, except for values of one byte
  #   feed              time per chunk ≤ 1.5× with 4× as many chunks: linear, plus noise
  module Bars
    LITTLE = %w[tiny integers].freeze
    LEAST = { pack: 1.2, unpack: 1.8 }.freeze
    LEAST_OF_LITTLE = 3.0
    NEVER_SLOWER = %w[json oj].freeze
    SKIP = 5.0
    ONE_BYTE = %w[nil true false].freeze # read and skip do the same work for these values
    FEED = 1.5

    module_function

    def of(results)
      one_shot(results, :pack, "serialize") + one_shot(results, :unpack, "deserialize") +
        one_shot(results, :symbolize, "deserialize with Symbols") + reused(results.reused) + skip(results.skip) + feed(results.feed)
    end

    def one_shot(results, operation, verb)
      results[operation].values.select { |m| m.known?("ours", operation) }.flat_map do |m|
        limits = { "msgpack" => least(operation, m.set) }
        NEVER_SLOWER.each { |name| limits[name] = 1.0 }
        limits.select { |name, _| m.known?(name, operation) }.map do |name, limit|
          Bar.new("#{verb} #{m.set} against #{name}", limit, m.ratio(name, operation, to: ["ours", operation]))
        end
      end
    end

    def least(operation, set)
      return 1.0 if operation == :symbolize || Data::KINDS.include?(set)

      LITTLE.include?(set) ? LEAST_OF_LITTLE : LEAST[operation]
    end

    REUSED = { repack: "a kept packer", reread: "a kept unpacker" }.freeze

    def reused(measured)
      measured.values.product(REUSED.to_a).filter_map do |m, (operation, name)|
        next unless m.known?("ours", operation) && m.known?("msgpack", operation)

        Bar.new("#{name}, #{m.set}, against msgpack", 1.0, m.ratio("msgpack", operation, to: ["ours", operation]))
      end
    end

    def skip(measured)
      measured.values.select { |m| m.known?("ours", :skip) && !ONE_BYTE.include?(m.set) }.map do |m|
        Bar.new("skip #{m.set} against read", SKIP, m.ratio("ours", :read, to: ["ours", :skip]))
      end
    end

    def feed(measured)
      known = measured.select { |_, m| m.known?("ours", :feed) }
      return [] if known.size < 2

      few, many = known.keys.minmax.map { |chunks| known[chunks].median("ours", :feed) / chunks }
      [Bar.new("feed, a chunk of #{known.keys.max} against one of #{known.keys.min}", FEED, many / few, true)]
    end
  end
end
