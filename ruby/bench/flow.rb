# frozen_string_literal: true

module Bench
  # What a MessagePack library does with data that comes in pieces, or that is larger than memory should have to be.
  module Flow
    CHUNK = 300 # bytes
    SAMPLES = 20

    WrongCount = Class.new(StandardError)

    module_function

    # feed gives an unpacker so many chunks of one value each, then reads them. It returns the seconds that both take.
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

    # write streams an array of so many integers into a file that has a header and no array before it.
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

    # read streams them back.
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
          raise WrongCount, "what was streamed is not what was read" unless found == elements && sum == elements * (elements - 1) / 2
        end
      end
    end

    # watch gives the block something to call with each index, and returns the seconds that the block took, the memory before it and
    # the most that was seen meanwhile, in bytes.
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
