# frozen_string_literal: true

# The vectors of bytes and values that the Go codec is tested with too.
RSpec.describe "vectors/msgpack.txt" do
  # Returns whether two values are equal and of the same kinds: 1 is not 1.0, 0.0 is not -0.0, and a
  # str is not a bin. For keys, it does not compare str and bin, because a note does not contain the
  # difference.
  def same?(read, wanted)
    case wanted
    when Float then read.is_a?(Float) && (wanted.nan? ? read.nan? : [read].pack("G") == [wanted].pack("G"))
    when String then read.is_a?(String) && read == wanted && read.encoding == wanted.encoding
    when Array then read.is_a?(Array) && read.size == wanted.size && read.zip(wanted).all? { |a, b| same?(a, b) }
    when Hash then read.is_a?(Hash) && read.size == wanted.size && wanted.all? { |key, value| read.key?(key) && same?(read[key], value) }
    else read.eql?(wanted)
    end
  end

  factory = MessagePack::Factory.new
  factory.register_type(-1, Time, packer: MessagePack::Time::Packer, unpacker: MessagePack::Time::Unpacker)

  errors = {
    /\Aunknown code/ => MessagePack::MalformedFormatError, /EOF\z/ => EOFError, /\Aunknown ext id/ => MessagePack::UnknownExtTypeError,
    /\Ainvalid ext len/ => MessagePack::MalformedFormatError
  }

  # The ways to provide the bytes to an unpacker.
  sources = {
    "whole" => ->(bytes) { factory.unpacker.feed(bytes) },
    "fed byte by byte" => ->(bytes) { bytes.each_char.with_object(factory.unpacker) { |byte, unpacker| unpacker.feed(byte) } },
    "from an io" => ->(bytes) { factory.unpacker(StringIO.new(bytes)) },
    "from an io byte by byte" => ->(bytes) { factory.unpacker(Ios::Drip.new(bytes, 1)) }
  }

  vectors = Vectors.read("msgpack.txt")

  it "has more than 300 vectors, with all three marks" do
    expect([vectors.size > 300, vectors.map(&:mark).uniq.sort]).to eq([true, %w[! < =]])
  end

  vectors.each do |vector|
    if vector.mark == "!"
      error = errors.find { |text, _| vector.note.match?(text) }.last

      it "#{vector}: is rejected with #{error}" do
        expect { factory.load(vector.bytes) }.to raise_error(error)
        sources.each { |name, source| expect { source[vector.bytes].read }.to raise_error(error), name }
      end
      next
    end

    it "#{vector}: is read" do
      wanted = Vectors.value(vector.note)
      expect(same?(factory.load(vector.bytes), wanted)).to be(true)
      sources.each do |name, source|
        next if name != "whole" && vector.bytes.bytesize > 1000

        unpacker = source[vector.bytes + "\x05"]
        expect(same?(unpacker.read, wanted)).to be(true), name
        expect(unpacker.read).to eq(5), name
      end
    end

    it "#{vector}: is read by feed_each" do
      found = []
      unpacker = factory.unpacker
      (vector.bytes * 2).scan(/.{1,#{vector.bytes.bytesize > 1000 ? 997 : 1}}/mn) { |piece| unpacker.feed_each(piece) { |object| found << object } }
      wanted = Vectors.value(vector.note)
      expect(found.map { |object| same?(object, wanted) }).to eq([true, true])
    end

    # write_float32 writes 32-bit floats; pack writes each Float in 64 bits.
    if vector.mark == "=" && vector.bytes.getbyte(0) == 0xca
      it "#{vector}: is written by write_float32" do
        expect(factory.packer.write_float32(Vectors.value(vector.note)).to_s).to eq(vector.bytes)
      end
      it("#{vector}: is written with float32", :ours) { expect(factory.dump(Vectors.value(vector.note), float32: true)).to eq(vector.bytes) }
    elsif vector.mark == "="
      # A note contains neither the bits of a NaN nor the order of a map with keys that are not
      # strings.
      it "#{vector}: is written" do
        expect(factory.dump(factory.load(vector.bytes))).to eq(vector.bytes)
        expect(factory.dump(Vectors.value(vector.note))).to eq(vector.bytes) unless vector.note.match?(/nan|\$map/)
      end
    end

    it "#{vector}: is skipped" do
      known_to_all = vector.bytes.each_byte.none? { |byte| (0xc7..0xc9).cover?(byte) || (0xd4..0xd8).cover?(byte) }
      unpacker = known_to_all ? MessagePack::Unpacker.new : factory.unpacker
      unpacker.feed(vector.bytes + "\x05").skip
      expect(unpacker.read).to eq(5)
    end

    it("#{vector}: is returned by read_raw", :ours) { expect(MessagePack::Unpacker.new.feed(vector.bytes + "\x05").read_raw).to eq(vector.bytes) }
    it("#{vector}: is counted", :ours) { expect(MessagePack.count(vector.bytes * 3)).to eq(3) }
  end
end
