# frozen_string_literal: true

require_relative "flow"
require_relative "job"
require_relative "stats"
require_relative "table"

module Bench
  # Results holds all measurements. pack, unpack, symbolize, skip and reused map each data set to a
  # Measured. memory holds the counts of each operation, data set and worker. feed maps each number
  # of chunks to a Measured. stream holds the result of Flow.watch for each worker and direction.
  Results = Struct.new(:pack, :unpack, :symbolize, :skip, :reused, :memory, :feed, :stream) do
    def initialize = super({}, {}, {}, {}, {}, {}, {}, {})
  end

  # Tables builds the tables of the results.
  class Tables
    def initialize(results, workers)
      @results = results
      @titles = workers.to_h { |worker| [worker.name, worker.title] }
    end

    # all returns a table for each kind of measurement that has results.
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
      base = @titles[names.first]
      note = "Times are in µs per operation. The factor after × is the library's time divided by #{base}'s time; " \
             "above 1, #{base} is faster. #{remarks(names, measured.keys)}".strip
      Table.new(title, note: note, head: ["set", *@titles.values_at(*names)], rows: rows)
    end

    def timed(measured, name, operation, base)
      time = Stats.microseconds(measured.median(name, operation))
      [name, operation] == base ? time : "#{time} #{Stats.times(measured.ratio(name, operation, to: base))}"
    end

    def remarks(names, sets)
      list = []
      list << "In the image sets, JSON libraries get the binary as base64 text; the times do not include base64 coding." if sets.any?(/image/)
      list << "bson gets an array inside a hash, and a binary as a BSON::Binary." if names.include?("bson")
      list << "† All threads share one parser; the section \"Bars\" has no line for it." if names.any?(/†/)
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
      note = "Times are in µs per value. The factor after × is the time of Unpacker#read divided by the time of Unpacker#skip. " \
             "The unpacker is fed at least #{Stats.grouped(Job::RUN)} bytes at once: copies of the value, or one larger value."
      Table.new("Skip", note: note, head: ["set", *columns.flat_map { |name| ["#{@titles[name]} read", "skip", "read ÷ skip"] }], rows: rows)
    end

    REUSED = { repack: "write, full_pack", reread: "feed, read", reskip: "feed, skip" }.freeze

    def reused
      return if @results.reused.empty?

      columns = REUSED.keys.product(columns_of(@results.reused))
      rows = @results.reused.map do |set, m|
        [set, *columns.map { |operation, name| timed(m, name, operation, [columns.first.last, operation]) }]
      end
      base = @titles[columns.first.last]
      note = "The packer or the unpacker is reused. Times are in µs per operation. " \
             "The factor after × is the library's time divided by #{base}'s time."
      head = ["set", *columns.map { |operation, name| "#{@titles[name]}: #{REUSED[operation]}" }]
      Table.new("One packer, one unpacker", note: note, head: head, rows: rows)
    end

    def memory(operation, title)
      counts = @results.memory[operation] or return
      names = @titles.keys & counts.values.flat_map(&:keys)
      rows = counts.map { |set, of| [set, *names.map { |name| of.key?(name) ? counted(of[name]) : "" }] }
      note = "A cell contains two numbers per operation: the created objects, and the calls of malloc."
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
          "#{Stats.duration(seconds)}, #{Stats.duration(seconds / chunks)} per chunk"
        end]
      end
      note = "The unpacker is fed the given number of chunks, one by one, and then reads all values. " \
             "Each chunk is one value of #{Flow::CHUNK} bytes."
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
      note = "An array of integers is written to a file with write_array_header and write, " \
             "and read back with read_array_header and read. Memory is the resident memory of the process."
      Table.new("Streams", note: note, head: ["", "elements", "time per element", "memory before", "peak memory", "growth"], rows: rows)
    end

    def columns_of(measured) = @titles.keys & measured.values.flat_map(&:names)
  end
end
