# frozen_string_literal: true

# MessagePack::Timestamp and MessagePack::Time.
RSpec.describe MessagePack::Timestamp do
  let(:factory) do
    MessagePack::Factory.new.tap { |f| f.register_type(-1, described_class) }
  end

  it("has type -1") { expect(described_class::TYPE).to eq(-1) }
  it("has the maximum of the 32-bit form") { expect(described_class::TIMESTAMP32_MAX_SEC).to eq(2**32 - 1) }
  it("has the maximum of the 64-bit form") { expect(described_class::TIMESTAMP64_MAX_SEC).to eq(2**34 - 1) }
  it("has the attributes sec and nsec") { expect([described_class.new(1, 2).sec, described_class.new(1, 2).nsec]).to eq([1, 2]) }
  it("requires sec and nsec") { expect { described_class.new(1) }.to raise_error(ArgumentError) }

  it "is equal if sec and nsec are equal" do
    stamp = described_class.new(1, 2)
    expect([stamp == described_class.new(1, 2), stamp == described_class.new(2, 2), stamp == described_class.new(1, 3), stamp == 1, stamp.nil?]).to eq([true, false, false, false, false])
  end

  {
    [0, 0] => "00*4", [1, 0] => "00 00 00 01", [2**31, 0] => "80 00 00 00", [2**32 - 1, 0] => "ff*4",
    [2**32, 0] => "00 00 00 01 00*4", [0, 1] => "00 00 00 04 00*4", [0, 999_999_999] => "ee 6b 27 fc 00*4",
    [2**34 - 1, 999_999_999] => "ee 6b 27 ff ff*4",
    [1, 500] => "00 00 07 d0 00 00 00 01",
    [2**34, 0] => "00*4 00 00 00 04 00*4", [-1, 0] => "00*4 ff*8", [-1, 999_999_999] => "3b 9a c9 ff ff*8", [2**63 - 1, 1] => "00 00 00 01 7f ff*7", [-2**63, 0] => "00*4 80 00*7"
  }.each do |(sec, nsec), bytes|
    it ".to_msgpack_ext writes #{sec}, #{nsec} in #{Bytes.parse(bytes).bytesize} bytes, #{bytes}" do
      expect(described_class.to_msgpack_ext(sec, nsec)).to eq(hex(bytes))
    end
    it("#to_msgpack_ext writes #{sec}, #{nsec} as #{bytes}") { expect(described_class.new(sec, nsec).to_msgpack_ext).to eq(hex(bytes)) }
    it("reads #{bytes} as #{sec}, #{nsec}") { expect(described_class.from_msgpack_ext(hex(bytes))).to eq(described_class.new(sec, nsec)) }
    it "round-trips #{sec}, #{nsec} in a document" do
      expect(factory.load(factory.dump([described_class.new(sec, nsec)]))).to eq([described_class.new(sec, nsec)])
    end
  end

  it("returns a binary String") { expect(described_class.new(1, 0).to_msgpack_ext.encoding).to eq(Encoding::BINARY) }
  it("reads a frozen String") { expect(described_class.from_msgpack_ext(hex("00 00 00 01").freeze).sec).to eq(1) }

  [0, 1, 3, 5, 7, 9, 11, 13, 16].each do |size|
    it "rejects #{size} bytes" do
      expect { described_class.from_msgpack_ext("x" * size) }.to raise_error(MessagePack::MalformedFormatError)
    end
    it "rejects #{size} bytes in a document" do
      expect { factory.load([0xc7, size, -1].pack("CCc") + "x" * size) }.to raise_error(MessagePack::MalformedFormatError)
    end
  end

  [10**9, 2**30, 2**40, -1, -2**31].each do |nsec|
    it "#to_msgpack_ext rejects #{nsec} nanoseconds [fixed]", :ours do
      expect { described_class.new(1, nsec).to_msgpack_ext }.to raise_error(ArgumentError)
    end
    it ".to_msgpack_ext rejects #{nsec} nanoseconds [fixed]", :ours do
      expect { described_class.to_msgpack_ext(1, nsec) }.to raise_error(ArgumentError)
    end
  end

  it("is not registered by default") { expect { pack(described_class.new(1, 0)) }.to raise_error(NoMethodError) }

  describe "Time" do
    let(:factory) do
      MessagePack::Factory.new.tap { |f| f.register_type(-1, ::Time, packer: MessagePack::Time::Packer, unpacker: MessagePack::Time::Unpacker) }
    end

    { Time.at(0) => "d6 ff 00*4", Time.at(2**32 - 1) => "d6 ff ff*4", Time.at(1, 1, :nsec) => "d7 ff 00 00 00 04 00 00 00 01", Time.at(2**34) => "c7 0c ff 00*4 00 00 00 04 00*4",
      Time.at(-1) => "c7 0c ff 00*4 ff*8", Time.at(-1, 5, :nsec) => "c7 0c ff 00 00 00 05 ff*8" }.each do |time, bytes|
      it("packs #{time.to_r} as #{bytes}") { expect(factory.dump(time)).to eq(hex(bytes)) }
      it("round-trips #{time.to_r}") { expect(factory.load(factory.dump([time]))).to eq([time]) }
    end

    it("preserves nanoseconds") { expect(factory.load(factory.dump(Time.at(5, 123_456_789, :nsec))).nsec).to eq(123_456_789) }
    it("truncates to nanoseconds") { expect(factory.load(factory.dump(Time.at(1r / 3)))).to eq(Time.at(0, 333_333_333, :nsec)) }
    it("is read in the local time zone") { expect(factory.load(factory.dump(Time.at(0).utc))).not_to be_utc }
    it("is read as ::Time") { expect(factory.load(hex("d6 ff 00*4"))).to be_an_instance_of(::Time) }
    it("carries nanoseconds of a second or more into the seconds") { expect(factory.load(hex("c7 0c ff 3b 9a ca 00 00*8"))).to eq(Time.at(1)) }

    it "can be written for Time and read as Timestamp" do
      factory.register_type(-1, described_class, packer: :to_msgpack_ext, unpacker: :from_msgpack_ext)
      expect(factory.load(factory.dump(Time.at(1, 2, :nsec)))).to eq(described_class.new(1, 2))
    end
  end
end
