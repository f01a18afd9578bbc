# frozen_string_literal: true

# Packer#register_type, the search for the ext type of an object, and the option strict.
RSpec.describe MessagePack::Packer do
  let(:packer) { described_class.new }
  let(:point) { Objects::Point.new(1, 2) }
  let(:point_bytes) { hex("d7 05 00 00 00 01 00 00 00 02") }

  # Returns the ext type of the packed object if the given classes have the types 1, 2, and so on.
  def type_of(object, *classes)
    classes.each.with_index(1) { |klass, type| packer.register_type(type, klass) { "" } }
    packer.write(object).full_pack.unpack("C*").last
  end

  describe "#register_type" do
    it("returns nil") { expect(packer.register_type(5, Objects::Point, &:to_msgpack_ext)).to be_nil }

    it "packs with a block" do
      packer.register_type(5, Objects::Point) { |p| [p.x, p.y].pack("l>l>") }
      expect(packer.write(point).to_s).to eq(point_bytes)
    end

    it "packs with a method name" do
      packer.register_type(5, Objects::Point, :to_msgpack_ext)
      expect(packer.write(point).to_s).to eq(point_bytes)
    end

    it "packs with to_msgpack_ext by default [fixed]", :ours do
      packer.register_type(5, Objects::Point)
      expect(packer.write(point).to_s).to eq(point_bytes)
    end

    it "passes only the object" do
      seen = nil
      packer.register_type(5, Objects::Point) { |*arguments| (seen = arguments) && "" }
      packer.write(point)
      expect(seen).to eq([point])
    end

    [-128, -1, 0, 127].each do |type|
      it "accepts the type #{type}" do
        packer.register_type(type, Objects::Point) { "x" }
        expect(packer.write(point).to_s).to eq([0xd4, type, "x".ord].pack("Ccc"))
      end
    end

    [128, -129, 2**40].each do |type|
      it("rejects the type #{type}") { expect { packer.register_type(type, Objects::Point) { "" } }.to raise_error(RangeError) }
    end

    it("rejects a class argument that is not a class") { expect { packer.register_type(1, "Point", :to_s) }.to raise_error(ArgumentError) }
    it("rejects a frozen packer") { expect { packer.freeze.register_type(1, Objects::Point, :to_s) }.to raise_error(FrozenError) }

    it "replaces the type of a class" do
      packer.register_type(1, Objects::Point) { "a" }
      packer.register_type(2, Objects::Point) { "b" }
      expect(packer.write(point).to_s).to eq(hex("d4 02 62"))
      expect(packer.registered_types.map { |type| type[:type] }).to eq([2])
    end

    it "assigns one type to two classes" do
      packer.register_type(1, Objects::Point) { "a" }
      packer.register_type(1, Range) { "b" }
      expect(packer.write(point).write(1..2).to_s).to eq(hex("d4 01 61 d4 01 62"))
    end

    it "applies to objects that were rejected before" do
      expect { packer.write(point) }.to raise_error(NoMethodError)
      packer.reset
      packer.register_type(5, Objects::Point, :to_msgpack_ext)
      expect(packer.write(point).to_s).to eq(point_bytes)
    end

    it "does not affect other packers" do
      packer.register_type(5, Objects::Point, :to_msgpack_ext)
      expect { described_class.new.write(point) }.to raise_error(NoMethodError)
    end
  end

  describe "#register_type_internal [quirk: it is public]" do
    it "rejects a frozen packer" do
      expect { packer.freeze.register_type_internal(5, Objects::Point, :to_s.to_proc) }
        .to raise_error(FrozenError)
    end

    it "accepts a proc" do
      packer.register_type_internal(5, Objects::Point, ->(p) { p.to_msgpack_ext })
      expect(packer.write(point).to_s).to eq(point_bytes)
    end
  end

  describe "the payload" do
    def payload(bytes)
      packer.register_type(5, Objects::Point) { bytes }
      packer.write(point)
    end

    { 0 => "c7 00 05", 1 => "d4 05", 2 => "d5 05", 3 => "c7 03 05", 4 => "d6 05", 8 => "d7 05", 16 => "d8 05", 17 => "c7 11 05", 255 => "c7 ff 05",
      256 => "c8 01 00 05", 65_535 => "c8 ff ff 05", 65_536 => "c9 00 01 00 00 05", 1_000_000 => "c9 00 0f 42 40 05" }.each do |size, head|
      it("of #{size} bytes gets the header #{head}") { expect(payload("x" * size).to_s).to eq(hex("#{head} 78*#{size}")) }
    end

    it("is written unchanged in any encoding") { expect(payload("é".encode("UTF-16LE")).to_s).to eq(hex("d5 05 e9 00")) }
    it("may be frozen") { expect(payload("a".freeze).to_s).to eq(hex("d4 05 61")) }
    it("is rejected if it is not a String") { expect { payload(1) }.to raise_error(::TypeError) }
    it("is rejected if it is nil") { expect { payload(nil) }.to raise_error(::TypeError) }

    it "is copied" do
      bytes = +"abc"
      payload(bytes)
      bytes << "more"
      expect(packer.to_s).to eq(hex("c7 03 05 61 62 63"))
    end

    it "is copied even if it is long" do
      bytes = "x" * 1_000_000
      payload(bytes)
      bytes[0] = "y"
      expect(packer.to_s).to eq(hex("c9 00 0f 42 40 05 78*1000000"))
    end

    it "may come from another call of pack" do
      packer.register_type(5, Objects::Point) { |p| MessagePack.pack([p.x, p.y]) }
      expect(packer.write([point]).to_s).to eq(hex("91 c7 03 05 92 01 02"))
    end

    it "may come from the same factory, for an object of the same class" do
      factory = MessagePack::Factory.new
      factory.register_type(5, Objects::Box, packer: ->(box) { box.inner ? factory.dump(box.inner) : "" })
      expect(factory.dump(Objects::Box.new(Objects::Box.new(Objects::Box.new)))).to eq(hex("c7 06 05 c7 03 05 c7 00 05"))
    end
  end

  describe "errors of the block" do
    it "are propagated" do
      packer.register_type(5, Objects::Point) { raise IndexError, "mine" }
      expect { packer.write([1, point]) }.to raise_error(IndexError, "mine")
    end

    it "leave a packer that works after reset" do
      packer.register_type(5, Objects::Point) { raise IndexError, "mine" }
      expect { packer.write([1, { point => point }]) }.to raise_error(IndexError)
      packer.reset
      expect(packer.write([1]).to_s).to eq(hex("91 01"))
    end

    it "may be a throw" do
      expect(child(<<~RUBY)).to eq("thrown [1]")
        packer = MessagePack::Packer.new
        packer.register_type(1, Range) { throw :out, "thrown" }
        print catch(:out) { packer.write([1, { 2 => 3..4 }]) }, " "
        packer.reset
        print MessagePack.unpack(packer.write([1]).to_s)
      RUBY
    end
  end

  it "flushes to its io automatically, after ext of either kind" do
    sink = Ios::Sink.new
    packer = box_factory.packer(sink)
    packer.register_type(2, Range, :to_s)
    packer.write([Objects::Box.new(1), 1..2])
    20_000.times { |i| packer.write(i) }
    expect(sink.pieces).not_to be_empty
    packer.flush
    expect(sink.bytes).to eq(hex("92 d4 01 01 d6 02") + "1..2" + (0...20_000).map { |i| pack(i) }.join)
  end

  describe "the search for a type" do
    it "prefers the class to its ancestors" do
      expect(type_of(Objects::Point3.new(1, 2), Objects::Point, Objects::Point3)).to eq(2)
    end

    it "finds a superclass" do
      expect(type_of(Objects::Point3.new(1, 2), Objects::Point)).to eq(1)
    end

    it "finds an included module" do
      mixin = Module.new
      expect(type_of(Class.new { include mixin }.new, mixin)).to eq(1)
    end

    it "finds a prepended module" do
      mixin = Module.new
      expect(type_of(Class.new { prepend mixin }.new, mixin)).to eq(1)
    end

    it "finds a module that a superclass includes" do
      mixin = Module.new
      expect(type_of(Class.new(Class.new { include mixin }).new, mixin)).to eq(1)
    end

    it "finds a module that extends one object" do
      mixin = Module.new
      expect(type_of(Object.new.extend(mixin), mixin)).to eq(1)
    end

    it "prefers a singleton class to the class" do
      object = Objects::Point.new(1, 2)
      expect(type_of(object, Objects::Point, object.singleton_class)).to eq(2)
    end

    it "finds the class of an object that has a singleton class" do
      object = Objects::Point.new(1, 2)
      def object.more = 1
      expect(type_of(object, Objects::Point)).to eq(1)
    end

    it "prefers the class to its ancestors for an object that has a singleton class" do
      object = Objects::Point3.new(1, 2)
      def object.more = 1
      expect(type_of(object, Objects::Point, Objects::Point3)).to eq(2)
    end

    it "selects the ancestor that was registered first" do
      expect(type_of(Objects::Box.new(1), Object, Struct)).to eq(1)
    end

    it "selects the ancestor that was registered first, even if it is farther away" do
      expect(type_of(Objects::Box.new(1), Struct, Object)).to eq(1)
    end

    it "selects the ancestor that was registered first, even if it was registered again" do
      packer.register_type(1, Object) { "" }
      packer.register_type(2, Struct) { "" }
      packer.register_type(3, Object) { "" }
      expect(packer.write(Objects::Box.new(1)).to_s).to eq(hex("c7 00 03"))
    end

    it "caches the result, and searches again after register_type" do
      packer.register_type(1, Object) { "" }
      packer.write(point).write(point)
      packer.register_type(2, Objects::Point) { "" }
      expect(packer.write(point).to_s).to eq(hex("c7 00 01 c7 00 01 c7 00 02"))
    end

    it "finds a module that a class includes later" do
      mixin = Module.new
      klass = Class.new
      packer.register_type(1, mixin) { "" }
      expect { packer.write(klass.new) }.to raise_error(NoMethodError)
      packer.reset
      klass.include(mixin)
      expect(packer.write(klass.new).to_s).to eq(hex("c7 00 01"))
    end

    it "finds classes that inherit from BasicObject" do
      klass = Class.new(BasicObject)
      packer.register_type(1, klass) { "b" }
      expect(packer.write(klass.new).to_s).to eq(hex("d4 01 62"))
    end

    it "takes precedence over to_msgpack" do
      klass = Class.new { def to_msgpack(packer) = packer.write("to_msgpack") }
      expect(type_of(klass.new, klass)).to eq(1)
    end

    it "applies to keys, values and elements" do
      packer.register_type(1, Objects::Point) { "" }
      expect(packer.write([{ point => point }]).to_s).to eq(hex("91 81 c7 00 01 c7 00 01"))
    end

    it "applies to ExtensionValue" do
      expect(type_of(MessagePack::ExtensionValue.new(9, "a"), MessagePack::ExtensionValue)).to eq(1)
    end
  end

  describe "classes with a format of their own" do
    { String => "a", Array => [], Hash => {}, Float => 1.5, NilClass => nil, TrueClass => true, FalseClass => false, Integer => 1 }.each do |klass, object|
      it "an exact #{klass} is never written as ext" do
        packer.register_type(1, klass) { "x" }
        expect(packer.write([object]).to_s).to eq(pack([object]))
      end
    end

    it("Integers beyond 64 bits are not written as ext if Object is registered") { expect { type_of(2**64, Object) }.to raise_error(RangeError) }

    { String => "str", Array => [1], Hash => { 1 => 2 } }.each do |klass, value|
      it "a subclass of #{klass} is written as ext if it is registered" do
        sub = Class.new(klass)
        packer.register_type(1, sub) { "x" }
        expect(packer.write([sub.new.replace(value), value]).to_s).to eq(hex("92 d4 01 78") + pack(value))
      end

      it "a subclass of #{klass} is written as ext if #{klass} is registered" do
        packer.register_type(1, klass) { "x" }
        expect(packer.write(Class.new(klass).new.replace(value)).to_s).to eq(hex("d4 01 78"))
      end

      it "a #{klass} with a registered module in its singleton class is written as ext" do
        mixin = Module.new
        packer.register_type(1, mixin) { "x" }
        expect(packer.write(value.dup.extend(mixin)).to_s).to eq(hex("d4 01 78"))
        expect(packer.tap(&:reset).write(value).to_s).to eq(pack(value))
      end

      it "a subclass of #{klass} is written as #{klass} if nothing is registered" do
        packer.register_type(1, Objects::Point) { "x" }
        expect(packer.write(Class.new(klass).new.replace(value)).to_s).to eq(pack(value))
      end

      it "to_msgpack of a subclass of #{klass} is not called" do
        sub = Class.new(klass) { def to_msgpack(packer) = packer.write(:no) }
        expect(packer.write(sub.new.replace(value)).to_s).to eq(pack(value))
      end
    end

    it "a subclass of String is written as ext as a key and as a value" do
      sub = Class.new(String)
      packer.register_type(1, sub) { "x" }
      expect(packer.write({ sub.new("k") => sub.new("v") }).to_s).to eq(hex("81 d4 01 78 d4 01 78"))
    end

    it "the typed writers never write ext" do
      packer.register_type(1, String) { "x" }
      expect(packer.write_string(Class.new(String).new("a")).to_s).to eq(hex("a1 61"))
    end

    it("a Symbol is written as ext if Symbol is registered") { expect(type_of(:a, Symbol)).to eq(1) }
    it "a Symbol is not written as ext if Object is registered" do
      expect(packer.tap { |pk| pk.register_type(1, Object) { "" } }.write(:a).to_s).to eq(hex("a1 61"))
    end

    it "a Symbol is written as ext in every position" do
      packer.register_type(1, Symbol, :name)
      expect(packer.write({ a: [:b] }).write_symbol(:c).to_s).to eq(hex("81 d4 01 61 91 d4 01 62 d4 01 63"))
    end

    it "other classes of numbers are written as ext if they are registered" do
      packer.register_type(1, Numeric, :to_s)
      expect(packer.write([1, 1.0, 1r, 2i]).to_s).to eq(hex("94 01 cb 3f f0 00*6") + hex("c7 03 01") + "1/1" + hex("d6 01") + "0+2i")
    end
  end

  describe "#registered_types" do
    it("is empty for a new packer") { expect(packer.registered_types).to eq([]) }

    it "returns type, class and packer, sorted by type" do
      packer.register_type(5, Range) { "" }
      packer.register_type(-3, Objects::Point, :to_msgpack_ext)
      packer.register_type(1, Set) { "" }
      expect(packer.registered_types.map { |type| type.slice(:type, :class) })
        .to eq([{ type: -3, class: Objects::Point }, { type: 1, class: Set }, { type: 5, class: Range }])
      expect(packer.registered_types.map(&:keys)).to all(eq(%i[type class packer]))
      expect(packer.registered_types.map { |type| type[:packer] }).to all(respond_to(:call))
    end
  end

  describe "#type_registered?" do
    before { packer.register_type(5, Objects::Point) { "" } }

    it("returns whether a type is registered") { expect([packer.type_registered?(5), packer.type_registered?(6)]).to eq([true, false]) }
    it("returns whether a class is registered") { expect([packer.type_registered?(Objects::Point), packer.type_registered?(Range)]).to eq([true, false]) }
    it("returns true for a subclass") { expect(packer.type_registered?(Objects::Point3)).to be(true) }
    it("returns false for a superclass") { expect(packer.type_registered?(Object)).to be(false) }
    it("returns false for an invalid type") { expect(packer.type_registered?(1000)).to be(false) }

    ["Point", :Point, nil, 1.5].each do |other|
      it("rejects #{other.inspect}") { expect { packer.type_registered?(other) }.to raise_error(ArgumentError, "class or type id") }
    end
  end

  describe "strict: true" do
    let(:packer) { described_class.new(strict: true) }

    def saying(string)
      Class.new { define_method(:to_msgpack) { |_packer = nil| string } }.new
    end

    it("is disabled by false") { expect(described_class.new(strict: false).write(saying("\xc3".b)).to_s).to eq("") }

    it "writes plain objects as usual" do
      document = [nil, true, 1, 1.5, "a", "b".b, :c, { "d" => [2**64 - 1] }, MessagePack::ExtensionValue.new(1, "e")]
      expect(packer.write(document).to_s).to eq(pack(document))
    end

    it "writes the String that to_msgpack returns", :ours do
      expect(packer.write([1, saying("\xc3".b), 2]).to_s).to eq(hex("93 01 c3 02"))
    end

    it "uses the bytes that to_msgpack writes, whatever it returns" do
      object = Class.new { def to_msgpack(packer) = packer.write("hi") && nil }.new
      expect(packer.write([object]).to_s).to eq(hex("91 a2 68 69"))
    end

    it "uses the bytes that to_msgpack writes, not the String that it returns" do
      object = Class.new { def to_msgpack(packer) = packer.write(1) && "\xc3" }.new
      expect(packer.write([object]).to_s).to eq(hex("91 01"))
    end

    it "uses the bytes that to_msgpack writes and flushes, not the String that it returns" do
      io = Ios::Sink.new
      object = Class.new { def to_msgpack(packer) = packer.write(1).flush && "\xc3" }.new
      described_class.new(io, strict: true).write(object).flush
      expect(io.bytes).to eq("\x01")
    end

    it "applies to objects that pack packs", :ours do
      expect(pack([1, saying("\xc3".b), 2], strict: true)).to eq(hex("93 01 c3 02"))
      expect { pack([saying(nil)], strict: true) }.to raise_error(::TypeError)
    end

    [nil, 1, :a, true].each do |value|
      it "rejects a to_msgpack that writes nothing and returns #{value.inspect}", :ours do
        expect { packer.write([saying(value)]) }.to raise_error(::TypeError)
      end
    end

    it "rejects a to_msgpack that writes nothing and returns the packer", :ours do
      object = Class.new { def to_msgpack(packer) = packer }.new
      expect { packer.write(object) }.to raise_error(::TypeError)
    end

    it "rejects an object without to_msgpack as usual" do
      expect { packer.write(Object.new) }.to raise_error(NoMethodError, /to_msgpack/)
    end

    { Array => [1], Hash => { 1 => 2 }, String => "a" }.each do |klass, value|
      it "rejects a subclass of #{klass} without an ext type, and names it", :ours do
        stub_const("Special", Class.new(klass))
        expect { packer.write([Special.new.replace(value)]) }.to raise_error(::TypeError, "no ext type is registered for Special")
      end

      it "writes a subclass of #{klass} with an ext type" do
        sub = Class.new(klass)
        packer.register_type(1, sub) { "x" }
        expect(packer.write([sub.new.replace(value)]).to_s).to eq(hex("91 d4 01 78"))
      end

      it "writes a #{klass} with a singleton class" do
        object = value.dup
        def object.more = 1
        expect(packer.write(object).to_s).to eq(pack(value))
      end
    end

    it "is an option of pack and of Factory", :ours do
      sub = Class.new(Hash)
      factory = MessagePack::Factory.new
      { pack: -> { pack(sub.new, strict: true) }, packer: -> { factory.packer(strict: true).write(sub.new) },
        dump: -> { factory.dump(sub.new, strict: true) }, pool: -> { factory.pool(1, strict: true).dump(sub.new) } }
        .each_value { |way| expect(&way).to raise_error(::TypeError, /no ext type is registered for/) }
    end
  end
end
