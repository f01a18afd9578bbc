# frozen_string_literal: true

# Symbols as ext: with to_msgpack_ext and from_msgpack_ext, and with optimized_symbols_parsing,
# which avoids the calls.
RSpec.describe Symbol do
  describe "#to_msgpack_ext" do
    { a: "61", "": "", "é": "c3 a9" }.each { |symbol, bytes| it("returns the name of #{symbol.inspect}") { expect(symbol.to_msgpack_ext.b).to eq(hex(bytes)) } }
    it("returns the name of a binary Symbol") { expect("\xff".b.to_sym.to_msgpack_ext).to eq("\xff".b) }
  end

  describe ".from_msgpack_ext" do
    it("returns the Symbol with these bytes as its name") { expect(described_class.from_msgpack_ext("abc".b)).to be(:abc) }
    it("returns a UTF-8 Symbol for valid UTF-8") { expect(described_class.from_msgpack_ext(hex("c3 a9"))).to be(:"é") }
    it("returns a binary Symbol for invalid UTF-8") { expect(described_class.from_msgpack_ext(hex("ff"))).to be("\xff".b.to_sym) }
    it("returns the empty Symbol") { expect(described_class.from_msgpack_ext("".b)).to be(:"") }
  end

  plain = {}
  optimized = { packer: :to_msgpack_ext, unpacker: :from_msgpack_ext, optimized_symbols_parsing: true }

  { "registered" => plain, "registered with optimized_symbols_parsing" => optimized }.each do |name, options|
    describe name do
      define_method(:registered) do |id = 2|
        MessagePack::Factory.new.tap { |f| options.empty? ? f.register_type(id, Symbol) : f.register_type(id, Symbol, options) }
      end

      let(:factory) { registered }

      [:a, :"", :"é", :"with space", ("long" * 100).to_sym, ("longer" * 20_000).to_sym].each do |symbol|
        it "round-trips #{symbol.inspect[0, 20]}" do
          expect(factory.load(factory.dump([symbol, { symbol => symbol }]))).to eq([symbol, { symbol => symbol }])
        end
      end

      it("packs a Symbol as ext") { expect(factory.dump(:abc)).to eq(hex("c7 03 02 61 62 63")) }
      it("packs keys as ext") { expect(factory.dump({ a: 1 })).to eq(hex("81 d4 02 61 01")) }
      it("does not affect Strings") { expect(factory.load(factory.dump(["a", { "a" => :a }]))).to eq(["a", { "a" => :a }]) }
      it("works with any type") { expect(registered(-128).load(registered(-128).dump([:a]))).to eq([:a]) }
      it("works with type 0") { expect(registered(0).load(registered(0).dump([:a]))).to eq([:a]) }
      it("works in a dup of the factory") { expect(factory.dup.load(factory.dup.dump([:a, :b]))).to eq(%i[a b]) }
      it("works in a pool") { expect(factory.pool.load(factory.pool.dump([:a, :b]))).to eq(%i[a b]) }
      it("works in a frozen factory") { expect(factory.freeze.load(factory.dump(:a))).to eq(:a) }
      it("appears in registered_types") { expect(factory.registered_types.map { |type| [type[:type], type[:class]] }).to eq([[2, Symbol]]) }

      [0, 1, 3, -1, 127].each do |other|
        it("does not handle ext of the registered type #{other} [1.8.3 took type 0]") do
          factory.register_type(other, Range, packer: ->(_) { "r" }, unpacker: ->(payload) { [:range, payload] })
          expect(factory.load(factory.dump([1..2, :a]))).to eq([[:range, "r"], :a])
          expect(factory.dup.load(factory.dump([1..2, :a]))).to eq([[:range, "r"], :a])
        end

        it("does not handle ext of the unknown type #{other} [1.8.3 took type 0]") do
          expect { factory.load([0xd4, other, 0x61].pack("Ccc")) }.to raise_error(MessagePack::UnknownExtTypeError)
        end
      end
    end
  end

  it "rejects invalid UTF-8 with the EncodingError of Ruby if optimized_symbols_parsing is set" do
    factory = MessagePack::Factory.new
    factory.register_type(2, Symbol, optimized)
    expect { factory.load(hex("d4 02 ff")) }.to raise_error(EncodingError)
  end

  it "round-trips binary Symbols without optimized_symbols_parsing" do
    factory = MessagePack::Factory.new
    factory.register_type(2, Symbol)
    expect(factory.load(factory.dump("\xff".b.to_sym))).to be("\xff".b.to_sym)
  end

  describe "optimized_symbols_parsing with custom methods" do
    def registered(**options)
      MessagePack::Factory.new.tap { |f| f.register_type(2, Symbol, optimized_symbols_parsing: true, **options) }
    end

    it("packs with a method name") { expect(registered(packer: :name).dump(:abc)).to eq(hex("c7 03 02 61 62 63")) }
    it "packs with a custom proc" do
      expect(registered(packer: ->(symbol) { symbol.name.upcase }).dump(:abc)).to eq(hex("c7 03 02 41 42 43"))
    end
    it("packs as str if there is no packer [1.4.2 crashes]", :ours) { expect(registered.dump(:abc)).to eq(hex("a3 61 62 63")) }
    it("reads names if there is no unpacker [1.4.2 crashes]", :ours) { expect(registered.load(hex("c7 03 02 61 62 63"))).to be(:abc) }

    it "packs with a redefined Symbol#to_msgpack_ext" do
      expect(child(<<~RUBY)).to eq("d5024261")
        class Symbol
          def to_msgpack_ext = name.swapcase.reverse
        end
        factory = MessagePack::Factory.new
        factory.register_type(2, Symbol, packer: :to_msgpack_ext, unpacker: :from_msgpack_ext, optimized_symbols_parsing: true)
        print factory.dump(:Ab).unpack1("H*")
      RUBY
    end
  end
end
