# frozen_string_literal: true

require "msgpack/bigint"

# MessagePack::Bigint, and its registration for Integers that exceed 64 bits.
RSpec.describe MessagePack::Bigint do
  def registered(id = 0x01, **options)
    MessagePack::Factory.new.tap do |factory|
      procs = { packer: described_class.method(:to_msgpack_ext), unpacker: described_class.method(:from_msgpack_ext) }
      factory.register_type(id, Integer, procs.merge(oversized_integer_extension: true, **options))
    end
  end

  # The payload is a sign byte and 32-bit digits. The least significant digit is first, and each
  # digit is big-endian.
  {
    0 => "00", 1 => "00 00 00 00 01", -1 => "01 00 00 00 01", 2**32 - 1 => "00 ff*4", 2**32 => "00 00 00 00 00 00 00 00 01",
    2**64 => "00 00*8 00 00 00 01", -2**64 => "01 00*8 00 00 00 01",
    2**65 + 5 => "00 00 00 00 05 00*4 00 00 00 02", -2**63 - 1 => "01 00 00 00 01 80 00 00 00", 2**64 - 1 => "00 ff*8"
  }.each do |integer, bytes|
    it("writes #{integer} as #{bytes}") { expect(described_class.to_msgpack_ext(integer)).to eq(hex(bytes)) }
    it("reads #{bytes} as #{integer}") { expect(described_class.from_msgpack_ext(hex(bytes))).to eql(integer) }
  end

  it("has the constants CHUNK_BITLENGTH and FORMAT") { expect([described_class::CHUNK_BITLENGTH, described_class::FORMAT]).to eq([32, "CL>*"]) }
  it("returns a binary String") { expect(described_class.to_msgpack_ext(2**70).encoding).to eq(Encoding::BINARY) }

  it "round-trips integers of any size" do
    integers = (1..40).flat_map { |n| [rand(2**(n * 13)), -rand(2**(n * 13)), 2**(n * 32), 2**(n * 32) - 1, -2**(n * 32) - 1] } + [2**5000 + 1]
    expect(integers.map { |n| described_class.from_msgpack_ext(described_class.to_msgpack_ext(n)) }).to eq(integers)
  end

  describe "registered for Integer" do
    let(:factory) { registered }

    [2**64, 2**64 + 1, 2**100, 2**1000, -2**63 - 1, -2**64, -2**1000].each do |integer|
      it "packs #{integer.negative? ? "a negative" : "a positive"} integer of #{integer.bit_length} bits as ext" do
        expect(factory.dump(integer)).to eq(MessagePack::ExtensionValue.new(1, described_class.to_msgpack_ext(integer)).to_msgpack)
      end
      it "round-trips #{integer.negative? ? "a negative" : "a positive"} integer of #{integer.bit_length} bits" do
        expect(factory.load(factory.dump([integer, { integer => 1 }]))).to eq([integer, { integer => 1 }])
      end
    end

    [0, 1, -1, 2**62, 2**63, 2**64 - 1, -2**62 - 1, -2**63 + 1].each do |integer|
      it("packs #{integer} as a plain integer") { expect(factory.dump(integer)).to eq(pack(integer)) }
    end

    it("packs -2**63 as a plain integer, since it fits in 64 bits [fixed]", :ours) { expect(factory.dump(-2**63)).to eq(hex("d3 80 00*7")) }

    it("applies to write_int") { expect(factory.packer.write_int(2**64).to_s).to eq(factory.dump(2**64)) }
    it("works in a dup of the factory [1.8.3 lost it]") { expect(factory.dup.load(factory.dup.dump(2**100))).to eq(2**100) }
    it("works in a dup of a dup") { expect(factory.dup.dup.load(factory.dup.dup.dump(-2**100))).to eq(-2**100) }
    it("works in a pool [1.8.3 lost it]") { expect(factory.pool.load(factory.pool.dump([2**100]))).to eq([2**100]) }
    it("works in a frozen factory") { expect(factory.freeze.load(factory.dump(2**100))).to eq(2**100) }
    it("accepts any type number") { expect(registered(-100).dump(2**64)).to eq(hex("c7 0d 9c 00 00*8 00 00 00 01")) }
    it("appears in registered_types") { expect(factory.registered_types.map { |type| [type[:type], type[:class]] }).to eq([[1, Integer]]) }
    it("accepts a custom packer") { expect(registered(1, packer: :to_s).dump(2**64)).to eq(hex("c7 14 01") + "18446744073709551616") }
  end

  it "raises RangeError without oversized_integer_extension" do
    expect { registered(1, oversized_integer_extension: false).dump(2**64) }.to raise_error(RangeError)
  end
  it("raises RangeError without a registration") { expect { pack(2**64) }.to raise_error(RangeError) }

  it "rejects oversized_integer_extension for classes other than Integer" do
    expect { MessagePack::Factory.new.register_type(1, String, packer: :to_s, unpacker: :new, oversized_integer_extension: true) }.to raise_error(ArgumentError)
  end
end
