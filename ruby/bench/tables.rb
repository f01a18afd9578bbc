# frozen_string_literal: true

require_relative "flow"
require_relative "job"
require_relative "stats"
require_relative "table"

module Bench
  # Results is all that was measured: pack, unpack, symbolize, skip and reused hold a Measured for each data set, memory the counts of each
  # operation, set and worker, feed a Measured for each number of chunks, and stream what Flow.watch gave for each worker and direction.
  Results = Struct.new(:pack, :unpack, :symbolize, :skip, :reused, :memory, :feed, :stream) do
    def initialize = super({}, {}, {}, {}, {}, {}, {}, {})
  end

  # Tables lays results out.
  class Tables
    def initialize(results, crew)
      @results = results
      @titles = crew.to_h { |hand| [hand.name, hand.title] }
    end

    # all are the tables of what was measured.
    def all
      [one_shot(:pack, "Serialize"), one_shot(:unpack, "Deserialize"), one_shot(:symbolize, "Deserialize, keys as Symbols"), skip, reused,
       memory(:pack, "serializing"), memory(:unpack, "deserializing"), feed, stream].compact
    end

    private

    def one_shot(operation, title)
      measured = @results[operation]
      return if measured.empty?

      names = @titles.keys.select { |name| measured.values.any? { |m| m.known?(name, operation) } }
      rows = measured.map do |set, m|
        [set, *names.map { |name| m.known?(name, operation) ? timed(m, name, operation, [names.first, operation]) : "" }]
      end
      note = "µs an operation, × the time of #{@titles[names.first]}; above 1 that is faster. #{remarks(names, measured.keys)}".strip
      Table.new(title, note: note, head: ["set", *@titles.values_at(*names)], rows: rows)
    end

    def timed(measured, name, operation, base)
      time = Stats.microseconds(measured.median(name, operation))
      [name, operation] == base ? time : "#{time} #{Stats.times(measured.ratio(name, operation, to: base))}"
    end

    def remarks(names, sets)
      list = []
      list << "Libraries of JSON have the binary of the image sets as base64 text, coded outside of the time." if sets.any?(/image/)
      list << "bson has arrays inside a hash, and binaries as BSON::Binary." if names.include?("bson")
      list << "† One parser for all threads: shown, and no bar." if names.any?(/†/)
      list.join(" ")
    end

    def skip
      return if @results.skip.empty?

      columns = columns_of(@results.skip)
      rows = @results.skip.map do |set, m|
        [set, *columns.flat_map do |name|
          ratio = m.ratio(name, :read, to: [name, :skip])
          [Stats.microseconds(m.median(name, :read)), Stats.microseconds(m.median(name, :skip)), Stats.times(ratio)]
        end]
      end
      note = "µs a value of Unpacker#read and Unpacker#skip, and × how much faster skip is; the unpacker was fed " \
             "#{Stats.grouped(Job::RUN)} bytes of values at once, or one value that is longer."
      Table.new("Skip", note: note, head: ["set", *columns.flat_map { |name| ["#{@titles[name]} read", "skip", "read ÷ skip"] }], rows: rows)
    end

    REUSED = { repack: "write, full_pack", reread: "feed, read", reskip: "feed, skip" }.freeze

    def reused
      return if @results.reused.empty?

      columns = REUSED.keys.product(columns_of(@results.reused))
      rows = @results.reused.map do |set, m|
        [set, *columns.map { |operation, name| timed(m, name, operation, [columns.first.last, operation]) }]
      end
      note = "µs an operation of a packer or an unpacker that is kept, × the time of #{@titles[columns.first.last]}."
      head = ["set", *columns.map { |operation, name| "#{@titles[name]}: #{REUSED[operation]}" }]
      Table.new("One packer, one unpacker", note: note, head: head, rows: rows)
    end

    def memory(operation, title)
      counts = @results.memory[operation] or return
      names = @titles.keys & counts.values.flat_map(&:keys)
      rows = counts.map { |set, of| [set, *names.map { |name| of.key?(name) ? counted(of[name]) : "" }] }
      note = "Objects, and calls of malloc, an operation."
      Table.new("Memory of #{title}", note: note, head: ["set", *@titles.values_at(*names)], rows: rows)
    end

    def counted(count)
      "#{Stats.count(count[:objects])} / #{count[:mallocs] ? Stats.count(count[:mallocs]) : '?'}"
    end

    def feed
      return if @results.feed.empty?

      names = columns_of(@results.feed)
      rows = @results.feed.map do |chunks, m|
        [Stats.grouped(chunks), *names.map do |name|
          seconds = m.median(name, :feed)
          "#{Stats.duration(seconds)}, #{Stats.duration(seconds / chunks)} a chunk"
        end]
      end
      note = "So many chunks of #{Flow::CHUNK} bytes, a value each, are fed one by one, then all are read."
      Table.new("Feed", note: note, head: ["chunks", *@titles.values_at(*names)], rows: rows)
    end

    def stream
      return if @results.stream.empty?

      rows = @results.stream.flat_map do |name, directions|
        directions.map do |direction, (elements, seconds, before, most)|
          ["#{@titles[name]}: #{direction}", Stats.grouped(elements), Stats.duration(seconds / elements),
           Stats.megabytes(before), Stats.megabytes(most), Stats.megabytes(most - before)]
        end
      end
      note = "An array of integers, to a file by write_array_header and write, and back by read_array_header and read. " \
             "Memory is what is resident."
      Table.new("Streams", note: note, head: ["", "elements", "an element", "memory before", "at most", "growth"], rows: rows)
    end

    def columns_of(measured) = @titles.keys & measured.values.flat_map(&:names)
  end
end
