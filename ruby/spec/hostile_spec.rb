# frozen_string_literal: true

# Hostile bytes: truncated, changed or random documents, and lengths without content.
RSpec.describe "Hostile bytes" do
  refused = [EOFError, MessagePack::UnpackError, EncodingError]

  # Returns :ok and the result of the block, or the class of its error.
  define_method(:outcome) do |&reading|
    [:ok, reading.call]
  rescue *refused => e
    [e.class]
  end

  vectors = Vectors.read("msgpack.txt")

  describe "every vector, truncated" do
    vectors.reject { |vector| vector.mark == "!" }.each do |vector|
      # Cuts long vectors only near their beginning and their end.
      cuts = [*0...vector.bytes.bytesize]
      cuts = cuts.first(300) + cuts.last(50) if cuts.size > 400

      it "#{vector}: raises EOFError for every prefix" do
        cuts.each do |cut|
          part = vector.bytes.byteslice(0, cut)
          expect { unpack(part, allow_unknown_ext: true) }.to raise_error(EOFError, "end of buffer reached")
          expect { unpack(binary_io(part), allow_unknown_ext: true) }.to raise_error(EOFError)
          expect { MessagePack::Unpacker.new(allow_unknown_ext: true).feed(part).skip }.to raise_error(EOFError)
          expect(rest(MessagePack::Unpacker.new(allow_unknown_ext: true).feed(part))).to eq([])
        end
      end

      it "#{vector}: is read after every prefix when the rest arrives" do
        cuts.each do |cut|
          found = []
          unpacker = MessagePack::Unpacker.new(allow_unknown_ext: true)
          unpacker.feed_each(vector.bytes.byteslice(0, cut)) { |object| found << object }
          unpacker.feed_each(vector.bytes.byteslice(cut..)) { |object| found << object }
          expect(found.map { |object| MessagePack.pack(object) }).to eq([MessagePack.pack(unpack(vector.bytes, allow_unknown_ext: true))])
        end
      end
    end
  end

  describe "every vector, with one byte changed" do
    # read and skip must agree on the end of an object, and on whether the object is valid.
    it "has the same outcome for read and skip" do
      vectors.each do |vector|
        [vector.bytes.bytesize, 12].min.times do |at|
          [0x00, 0x7f, 0x80, 0x91, 0xc1, 0xc4, 0xc7, 0xd9, 0xdd, 0xdf, 0xff].each do |byte|
            changed = vector.bytes.dup.tap { |bytes| bytes.setbyte(at, byte) }
            reading = MessagePack::Unpacker.new(allow_unknown_ext: true).feed(changed)
            skipping = MessagePack::Unpacker.new(allow_unknown_ext: true).feed(changed)
            read = outcome { reading.read && nil }
            skipped = outcome { skipping.skip }
            expect([changed.unpack1("H*"), skipped, skipping.buffer.size]).to eq([changed.unpack1("H*"), read, reading.buffer.size]) unless read == [EOFError]
            expect(skipped).to eq(read)
          end
        end
      end
    end
  end

  describe "the byte c1" do
    it "is rejected in the position of a value" do
      ["%s", "91 %s", "92 01 %s", "81 %s 01", "81 01 %s", "dc 00 01 %s", "dd 00 00 00 01 %s", "de 00 01 01 %s", "df 00 00 00 01 01 %s", "91*127 %s"].each do |form|
        bytes = hex(format(form, "c1"))
        fed = -> { MessagePack::Unpacker.new.feed(bytes) }
        [-> { unpack(bytes) }, -> { unpack(binary_io(bytes)) }, -> { fed.call.skip }, -> { rest(fed.call) }].each do |way|
          expect(&way).to raise_error(MessagePack::MalformedFormatError, "invalid byte")
        end
      end
    end

    it "is accepted inside data" do
      expect(unpack(hex("94 a1 c1 c4 01 c1 cc c1 cd c1 c1"))).to eq(["\xc1", "\xc1".b, 0xc1, 0xc1c1])
    end
  end

  describe "lengths without content" do
    heads = {
      "an array" => "dd ff ff ff ff", "a map" => "df ff ff ff ff", "a str" => "db ff ff ff ff", "a bin" => "c6 ff ff ff ff",
      "an ext" => "c9 ff ff ff ff 01",
      "an array of 2**31" => "dd 80 00 00 00 01", "a map of 2**31" => "df 80 00 00 00 01 02", "a str of 2 GiB" => "db 7f ff ff ff 61",
      "100 nested arrays" => "dd ff ff ff ff " * 100,
      "100 nested maps" => "df ff ff ff ff 01 " * 100, "an array of 65535 arrays of 65535" => "dc ff ff " * 100, "100 maps nested as keys" => "df ff ff ff ff " * 100
    }

    heads.each do |name, head|
      it "raise EOFError for #{name} and allocate little memory" do
        growth = measured(<<~RUBY)
          bytes = ["#{Bytes.parse(head).unpack1("H*")}"].pack("H*")
          require "stringio"
          options = { allow_unknown_ext: true }
          ways = [
            -> { MessagePack.unpack(bytes, options) },
            -> { MessagePack.unpack(StringIO.new(bytes), options) },
            -> { MessagePack::Unpacker.new(options).feed(bytes).skip },
            -> { MessagePack::Unpacker.new(options.merge(freeze: true, symbolize_keys: true)).feed(bytes).read }
          ]
          ways.each do |way|
            grown = growth("VmPeak") do
              way.call
            rescue EOFError
              nil
            end
            print grown, " "
          end
        RUBY
        # Each of the 100 collections may reserve memory for at most 32,767 entries.
        expect(growth.split.map(&:to_i)).to all(be < 150_000)
      end
    end

    it "raise EOFError inside the payload of a recursive ext type" do
      expect { box_factory.load(hex("c9 ff ff ff ff 01 dd ff ff ff ff 01")) }.to raise_error(EOFError)
    end

    it "are returned by read_array_header, and the next read raises EOFError" do
      unpacker = fed("dd ff ff ff ff")
      expect(unpacker.read_array_header).to eq(2**32 - 1)
      expect { unpacker.read }.to raise_error(EOFError)
    end
  end

  describe "random bytes" do
    let(:rng) { Random.new(RSpec.configuration.seed) }

    # The seed of the run reproduces the bytes, and a failure message contains them.
    it "are read, or rejected with a documented error" do
      5000.times do
        bytes = rng.bytes(rng.rand(1..60))
        result = outcome { unpack(bytes, allow_unknown_ext: true) }
        expect(result).to match([:ok, anything]).or(match([be_a(Class)])), bytes.unpack1("H*")
      end
    end

    it "are read in the same way as a whole and in pieces" do
      2000.times do
        bytes = rng.bytes(rng.rand(1..60))
        whole = []
        parts = []
        one = outcome { MessagePack::Unpacker.new(allow_unknown_ext: true).feed_each(bytes) { |object| whole << object } }
        unpacker = MessagePack::Unpacker.new(allow_unknown_ext: true)
        two = outcome { bytes.each_char { |byte| unpacker.feed_each(byte) { |object| parts << object } } && nil }
        expect([parts.inspect, two]).to eq([whole.inspect, one]), bytes.unpack1("H*")
      end
    end

    it "are skipped as far as they are read" do
      3000.times do
        bytes = rng.bytes(rng.rand(1..60))
        reading = MessagePack::Unpacker.new(allow_unknown_ext: true).feed(bytes)
        skipping = MessagePack::Unpacker.new(allow_unknown_ext: true).feed(bytes)
        next unless outcome { reading.read }.first == :ok

        skipping.skip
        expect(skipping.buffer.size).to eq(reading.buffer.size), bytes.unpack1("H*")
      end
    end

    it "from documents round-trip" do
      values = Values.new(rng)
      300.times do
        object = values.any
        bytes = pack(object)
        expect(unpack(bytes, allow_unknown_ext: true)).to eq(object), bytes.unpack1("H*")
        expect(pack(unpack(bytes, allow_unknown_ext: true))).to eq(bytes)
      end
    end

    it "from documents with a few bytes changed are read, or rejected with a documented error" do
      values = Values.new(rng)
      300.times do
        bytes = pack(values.any(3))
        rng.rand(1..4).times { bytes.setbyte(rng.rand(bytes.bytesize), rng.rand(256)) }
        result = outcome { unpack(bytes, allow_unknown_ext: true, symbolize_keys: rng.rand(2).zero?, freeze: rng.rand(2).zero?) }
        expect(result).to match([:ok, anything]).or(match([be_a(Class)])), bytes.unpack1("H*")
      end
    end

    it "from documents are read in random pieces, fed or from an io" do
      values = Values.new(rng)
      100.times do
        objects = Array.new(3) { values.any(3) }
        bytes = objects.map { |object| pack(object) }.join
        left = bytes.dup
        found = []
        unpacker = MessagePack::Unpacker.new(allow_unknown_ext: true)
        unpacker.feed_each(left.slice!(0, rng.rand(1..[left.bytesize, 3000].min))) { |object| found << object } until left.empty?
        expect(found).to eq(objects)
        expect(rest(MessagePack::Unpacker.new(Ios::Drip.new(bytes, rng.rand(3..5000)), allow_unknown_ext: true))).to eq(objects)
      end
    end
  end
end
