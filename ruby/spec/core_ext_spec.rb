# frozen_string_literal: true

# The method to_msgpack of Ruby's core classes.
RSpec.describe "to_msgpack" do
  objects = [nil, true, false, 1, 2**63, -5, 1.5, "str", "bin".b, [1, [2]], { "a" => 1 }, :symbol, MessagePack::ExtensionValue.new(1, "a")]

  objects.each do |object|
    it("returns the packed bytes of #{object.inspect}") { expect(object.to_msgpack).to eq(pack(object)) }
    it("accepts nil for #{object.inspect}") { expect(object.to_msgpack(nil)).to eq(pack(object)) }

    it "writes #{object.inspect} to a packer and returns the packer" do
      packer = MessagePack::Packer.new
      expect(object.to_msgpack(packer)).to equal(packer)
      expect(packer.to_s).to eq(pack(object))
    end

    it "writes #{object.inspect} to an io" do
      io = binary_io
      expect(object.to_msgpack(io)).to be_nil
      expect(io.string).to eq(pack(object))
    end

    it("is defined in CoreExt for #{object.inspect}") { expect(object.class.include?(MessagePack::CoreExt)).to be(true) }
    it("has a private to_msgpack_with_packer for #{object.inspect}") { expect(object.respond_to?(:to_msgpack_with_packer)).to be(false) }
  end

  { "a Time" => Time.at(0), "a Set" => Set[1], "a Struct" => Struct.new(:a).new(1), "an Object" => Object.new, "a Range" => 1..2 }.each do |name, object|
    it("is not defined for #{name}") { expect(object.respond_to?(:to_msgpack)).to be(false) }
  end

  it("accepts options in place of an io") { expect("\xff".b.to_msgpack(compatibility_mode: true)).to eq(hex("a1 ff")) }
  it("accepts at most one argument") { expect { 1.to_msgpack(nil, nil) }.to raise_error(ArgumentError) }
  it("rejects an argument without a write method") { expect { 1.to_msgpack(Object.new) }.to raise_error(NoMethodError) }

  it "uses the packer's ext type for Symbol" do
    packer = MessagePack::Packer.new
    packer.register_type(1, Symbol, :name)
    expect(:a.to_msgpack(packer).to_s).to eq(hex("d4 01 61"))
  end

  it "can be called from a custom to_msgpack" do
    klass = Class.new { define_method(:to_msgpack) { |packer = nil| { "x" => 1 }.to_msgpack(packer) } }
    expect(pack([klass.new])).to eq(hex("91 81 a1 78 01"))
    expect(klass.new.to_msgpack).to eq(hex("81 a1 78 01"))
  end
end
