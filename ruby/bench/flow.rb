# frozen_string_literal: true

module Bench
  # Flow measures a MessagePack library with data that arrives in pieces, and with data that is
  # larger than memory should have to be.
  module Flow
    CHUNK = 300 # bytes
    SAMPLES = 20

    WrongCount = Class.new(StandardError)

    module_function

    # feed feeds an unpacker the given number of chunks, with one value each, and then reads all
    # values. It returns the seconds that both steps take.
    def feed(chunks)
      chunk = MessagePack.pack("x" * (CHUNK - 3))
      unpacker = MessagePack::Unpacker.new
      GC.start
      from = now
      chunks.times { unpacker.feed(chunk) }
      read = 0
      unpacker.each { read += 1 }
      took = now - from
      raise WrongCount, "#{chunks} chunks were fed, #{read} read" unless read == chunks

      took
    end

    # write streams an array of the given number of integers to a file. It writes the header first,
    # so that no Array is in memory.
    def write(path, elements)
      File.open(path, "wb") do |file|
        packer = MessagePack::Packer.new(file)
        watch(elements) do |sample|
          packer.write_array_header(elements)
          elements.times do |i|
            packer.write(i)
            sample.call(i)
          end
          packer.flush
        end
      end
    end

    # read reads the array from the file element by element.
    def read(path, elements)
      File.open(path, "rb") do |file|
        unpacker = MessagePack::Unpacker.new(file)
        watch(elements) do |sample|
          found = unpacker.read_array_header
          sum = 0
          found.times do |i|
            sum += unpacker.read
            sample.call(i)
          end
          raise WrongCount, "the elements read differ from the elements written" unless found == elements && sum == elements * (elements - 1) / 2
        end
      end
    end

    # watch yields a lambda that the block calls with each index. It returns the seconds that the
    # block takes, the resident memory before the block, and the peak resident memory during the
    # block, in bytes.
    def watch(elements)
      GC.start
      before = most = resident
      every = [elements / SAMPLES, 1].max
      from = now
      yield ->(i) { most = [most, resident].max if (i % every).zero? }
      [now - from, before, [most, resident].max]
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def resident = File.read("/proc/self/statm").split[1].to_i * 4096
  end
end
