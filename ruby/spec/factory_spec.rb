# frozen_string_literal: true

RSpec.describe MessagePack::Factory do
  let(:factory) { described_class.new }
  let(:point) { Objects::Point.new(1, 2) }

  def registered(id = 5, **options)
    factory.tap { |f| options.empty? ? f.register_type(id, Objects::Point) : f.register_type(id, Objects::Point, options) }
  end

  def digits(point)
    "#{point.x}#{point.y}"
  end

  def there_and_back(factory, object = point)
    factory.load(factory.dump(object))
  end

  it("takes no argument") { expect { described_class.new(1) }.to raise_error(ArgumentError) }

  describe "#register_type" do
    it("returns nil") { expect(factory.register_type(5, Objects::Point)).to be_nil }
    it("falls back to to_msgpack_ext and from_msgpack_ext") { expect(there_and_back(registered)).to eq(point) }
    it("takes names") { expect(there_and_back(registered(packer: :to_msgpack_ext, unpacker: :from_msgpack_ext))).to eq(point) }
    it "takes names that are Strings" do
      expect(there_and_back(registered(packer: "to_msgpack_ext", unpacker: "from_msgpack_ext"))).to eq(point)
    end
    it("takes procs") { expect(there_and_back(registered(packer: proc { |p| "#{p.x}" }, unpacker: proc { |s| s.to_i }))).to eq(1) }
    it("takes lambdas") { expect(there_and_back(registered(packer: ->(p) { "#{p.x}" }, unpacker: ->(s) { s.to_i }))).to eq(1) }
    it("takes Methods") { expect(there_and_back(registered(packer: method(:digits), unpacker: method(:Integer)))).to eq(12) }

    it "takes anything that can be called" do
      packer = Objects::Callable.new { |p| p.to_msgpack_ext.reverse }
      unpacker = Objects::Callable.new { |payload| Objects::Point.from_msgpack_ext(payload.reverse) }
      expect(there_and_back(registered(packer: packer, unpacker: unpacker))).to eq(point)
    end

    it("refuses what cannot be called") { expect { registered(packer: 1, unpacker: 2) }.to raise_error(::TypeError) }

    it "packs only, without an unpacker" do
      registered(packer: :to_msgpack_ext)
      expect { there_and_back(factory) }.to raise_error(MessagePack::UnknownExtTypeError)
    end

    it "unpacks only, without a packer" do
      registered(unpacker: :from_msgpack_ext)
      expect { factory.dump(point) }.to raise_error(NoMethodError)
      expect(factory.load(hex("d7 05 00 00 00 01 00 00 00 02"))).to eq(point)
    end

    [-128, -1, 0, 127].each { |id| it("takes the type #{id}") { expect(there_and_back(registered(id))).to eq(point) } }
    [128, -129, 2**40].each { |id| it("refuses the type #{id}") { expect { registered(id) }.to raise_error(RangeError) } }
    ["a", nil, 1.5].each { |id| it("refuses the type #{id.inspect}") { expect { registered(id) }.to raise_error(::TypeError) } }

    ["Point", Object.new, 1].each do |klass|
      it "refuses #{klass.class} for a class" do
        expect { factory.register_type(1, klass, packer: proc {}, unpacker: proc {}) }.to raise_error(ArgumentError)
      end
    end

    [[300, Objects::Point], [1, "no class"], [1, Objects::Point, { packer: 5 }], [1, Symbol]].each do |arguments|
      it "tells that the factory is frozen before all else: #{arguments}" do
        expect { factory.freeze.register_type(*arguments) }.to raise_error(FrozenError, "can't modify frozen MessagePack::Factory")
      end
    end
    it("refuses a frozen factory") { expect { factory.freeze.register_type(1, Objects::Point) }.to raise_error(FrozenError) }

    it "takes a module" do
      mixin = Module.new
      factory.register_type(1, mixin, packer: ->(_) { "m" }, unpacker: ->(_) { :m })
      expect(there_and_back(factory, [Object.new.extend(mixin)])).to eq([:m])
    end

    it "lets the later packer of a class win" do
      registered(5, packer: ->(_) { "5" }, unpacker: ->(_) { 5 })
      registered(6, packer: ->(_) { "6" }, unpacker: ->(_) { 6 })
      expect(factory.dump(point)).to eq(hex("d4 06 36"))
    end

    it "keeps the unpackers of both types of a class" do
      registered(5, packer: ->(_) { "5" }, unpacker: ->(_) { 5 })
      registered(6, packer: ->(_) { "6" }, unpacker: ->(_) { 6 })
      expect([factory.load(hex("d4 05 61")), factory.load(hex("d4 06 61"))]).to eq([5, 6])
    end

    it "lets the later unpacker of a type win, and keeps both packers" do
      factory.register_type(5, Objects::Point, packer: ->(_) { "p" }, unpacker: ->(_) { :point })
      factory.register_type(5, Range, packer: ->(_) { "r" }, unpacker: ->(_) { :range })
      expect([factory.dump(point), factory.dump(1..2), factory.load(hex("d4 05 61"))]).to eq([hex("d4 05 70"), hex("d4 05 72"), :range])
    end

    it "changes no packer and no unpacker that is there already" do
      packer = factory.packer
      unpacker = factory.unpacker
      registered
      expect([packer.type_registered?(5), unpacker.type_registered?(5)]).to eq([false, false])
      expect { packer.write(point) }.to raise_error(NoMethodError)
    end

    it "is not touched by what a packer of it registers" do
      factory.packer.register_type(5, Objects::Point, :to_msgpack_ext)
      factory.unpacker.register_type(5, Objects::Point, :from_msgpack_ext)
      expect([factory.type_registered?(5), factory.packer.type_registered?(5), factory.unpacker.type_registered?(5)]).to eq([false, false, false])
    end

    it "packs a subclass as the class" do
      expect(registered.dump(Objects::Point3.new(1, 2))).to eq(factory.dump(point))
    end
  end

  describe "#packer" do
    it("makes a Packer") { expect(factory.packer).to be_an_instance_of(MessagePack::Packer) }
    it("makes a new one each time") { expect(factory.packer).not_to equal(factory.packer) }
    it("passes options") { expect(factory.packer(compatibility_mode: true).compatibility_mode?).to be(true) }
    it("passes types") { expect(registered.packer.write(point).to_s).to eq(hex("d7 05 00 00 00 01 00 00 00 02")) }

    it "passes an io" do
      io = binary_io
      factory.packer(io).write([1]).flush
      expect(io.string).to eq(hex("91 01"))
    end

    it "passes an io and options" do
      io = binary_io
      factory.packer(io, compatibility_mode: true).write("\xff".b).flush
      expect(io.string).to eq(hex("a1 ff"))
    end
  end

  describe "#unpacker" do
    it("makes an Unpacker") { expect(factory.unpacker).to be_an_instance_of(MessagePack::Unpacker) }
    it("passes options") { expect(factory.unpacker(symbolize_keys: true).symbolize_keys?).to be(true) }
    it("passes an io") { expect(factory.unpacker(binary_io("\x05")).read).to eq(5) }
    it("passes an io and options") { expect(factory.unpacker(binary_io("\x81\xa1a\x01"), symbolize_keys: true).read).to eq({ a: 1 }) }
    it("passes types") { expect(registered.unpacker.feed(hex("d7 05 00 00 00 01 00 00 00 02")).read).to eq(point) }
  end

  describe "#dump and #load" do
    it("have the names pack and unpack too") { expect(registered.unpack(factory.pack([point]))).to eq([point]) }
    it("dump gives binary") { expect(factory.dump("é").encoding).to eq(Encoding::BINARY) }
    it("dump takes options") { expect(factory.dump("\xff".b, compatibility_mode: true)).to eq(hex("a1 ff")) }
    it("load takes options") { expect(factory.load(hex("81 a1 61 01"), symbolize_keys: true)).to eq({ a: 1 }) }
    it("load takes an io") { expect(factory.load(binary_io("\x91\x01"))).to eq([1]) }
    it("load takes an io and options") { expect(factory.load(binary_io("\x81\xa1a\x01"), symbolize_keys: true)).to eq({ a: 1 }) }
    it "load refuses more than one object" do
      expect { factory.load("\x01\x02") }.to raise_error(MessagePack::MalformedFormatError, "1 extra bytes after the deserialized object")
    end
    it("load refuses a part") { expect { factory.load("\x92\x01") }.to raise_error(EOFError, "end of buffer reached") }

    it "dump writes to an io, and returns nil" do
      io = binary_io
      expect(registered.dump(point, io)).to be_nil
      expect(io.string).to eq(hex("d7 05 00 00 00 01 00 00 00 02"))
    end
  end

  describe "#registered_types" do
    before do
      registered(5)
      factory.register_type(-3, Set, packer: :to_a, unpacker: nil)
      factory.register_type(1, Range, packer: nil, unpacker: ->(_) {})
    end

    it "lists all in order" do
      expect(factory.registered_types.map { |type| [type[:type], type[:class]] }).to eq([[-3, Set], [1, Range], [5, Objects::Point]])
    end
    it("lists all by :both") { expect(factory.registered_types(:both)).to eq(factory.registered_types) }
    it("tells type, class, packer and unpacker") { expect(factory.registered_types.map(&:keys)).to all(eq(%i[type class packer unpacker])) }
    it("tells what can be called") { expect(factory.registered_types.last.values_at(:packer, :unpacker)).to all(respond_to(:call)) }
    it "tells nil for what is missing" do
      expect(factory.registered_types.first(2).map { |type| [type[:packer].nil?, type[:unpacker].nil?] }).to eq([[false, true], [true, false]])
    end
    it "lists packers" do
      expect(factory.registered_types(:packer).map { |type| [type[:type], type.keys] }).to eq([[-3, %i[type class packer]], [5, %i[type class packer]]])
    end
    it "lists unpackers" do
      expect(factory.registered_types(:unpacker).map { |type| [type[:type], type.keys] }).to eq([[1, %i[type class unpacker]], [5, %i[type class unpacker]]])
    end
    it("lists the classes of unpackers") { expect(factory.registered_types(:unpacker).map { |type| type[:class] }).to eq([Range, Objects::Point]) }
    it("refuses another selector") { expect { factory.registered_types(:other) }.to raise_error(ArgumentError) }
    it("is empty at first") { expect(described_class.new.registered_types).to eq([]) }
  end

  describe "#type_registered?" do
    before do
      registered(5)
      factory.register_type(1, Range, packer: ->(_) { "" }, unpacker: nil)
    end

    { [5] => true, [6] => false, [Objects::Point] => true, [Set] => false, [5, :packer] => true, [5, :unpacker] => true, [Objects::Point, :both] => true, [1] => true,
      [1, :packer] => true, [1, :unpacker] => false, [Range, :unpacker] => false, [Range, :packer] => true, [1000] => false }.each do |arguments, answer|
      it("is #{answer} for #{arguments.inspect}") { expect(factory.type_registered?(*arguments)).to be(answer) }
    end

    ["Point", :Point, nil].each { |other| it("refuses #{other.inspect}") { expect { factory.type_registered?(other) }.to raise_error(ArgumentError) } }
    it("refuses another selector") { expect { factory.type_registered?(5, :other) }.to raise_error(ArgumentError) }
  end

  describe "#dup" do
    it("packs and unpacks alike") { expect(there_and_back(registered.dup)).to eq(point) }

    it "goes its own way" do
      copy = factory.dup
      copy.register_type(5, Objects::Point)
      expect([factory.type_registered?(5), copy.type_registered?(5)]).to eq([false, true])
      registered(6)
      expect(copy.type_registered?(6)).to be(false)
    end

    it "of a frozen one can be changed" do
      registered.freeze
      copy = factory.dup
      copy.register_type(6, Range, packer: ->(_) { "r" }, unpacker: nil)
      expect([copy.frozen?, copy.dump(1..2), there_and_back(copy), factory.type_registered?(6)]).to eq([false, hex("d4 06 72"), point, false])
    end

    it "keeps recursive types" do
      expect(there_and_back(box_factory.dup, [Objects::Box.new([1])])).to eq([Objects::Box.new([1])])
    end
  end

  describe "#freeze" do
    it("returns the factory, frozen") { expect(factory.freeze).to equal(factory).and be_frozen }
    it("keeps packing and unpacking") { expect(there_and_back(registered.freeze)).to eq(point) }
    it("can be done twice") { expect(there_and_back(registered.freeze.freeze)).to eq(point) }

    it "lets unpackers of it register, for themselves" do
      unpacker = registered.freeze.unpacker
      unpacker.register_type(6) { :six }
      expect(unpacker.feed(hex("d4 06 61")).read).to eq(:six)
      expect { factory.load(hex("d4 06 61")) }.to raise_error(MessagePack::UnknownExtTypeError)
      expect(unpacker.feed(hex("d7 05 00 00 00 01 00 00 00 02")).read).to eq(point)
    end

    it "lets many packers of it work side by side" do
      registered.freeze
      packers = Array.new(50) { factory.packer }
      packers.each_with_index { |packer, i| packer.write([Objects::Point.new(i, i)] * i) }
      expect(packers.each_with_index.map { |packer, i| factory.load(packer.to_s) == [Objects::Point.new(i, i)] * i }).to all(be(true))
    end
  end

  describe "#register_time" do
    it "reads and writes Time as timestamp", :ours do
      factory.register_time
      time = Time.at(1_700_000_000, 123_456_789, :nsec)
      expect(factory.dump(time)).to eq([0xd7, -1, (123_456_789 << 34) | 1_700_000_000].pack("CcQ>"))
      expect(there_and_back(factory, [time])).to eq([time])
      expect(there_and_back(factory, time).nsec).to eq(123_456_789)
    end

    it "registers type -1 for Time", :ours do
      factory.register_time
      expect(factory.registered_types.map { |type| [type[:type], type[:class]] }).to eq([[-1, ::Time]])
    end

    it("refuses a frozen factory", :ours) { expect { factory.freeze.register_time }.to raise_error(FrozenError) }
    it("is not called for") { expect { factory.dump(Time.at(0)) }.to raise_error(NoMethodError) }
  end

  it "keeps procs alive" do
    factories = Array.new(20) { |i| described_class.new.tap { |f| f.register_type(1, Objects::Point, packer: ->(_) { i.to_s }, unpacker: ->(s) { [i, s] }) } }
    GC.start
    expect(factories.map { |f| there_and_back(f) }).to eq(Array.new(20) { |i| [i, i.to_s] })
  end

  it "keeps types for packers that outlive it" do
    packers = Array.new(20) { |i| described_class.new.tap { |f| f.register_type(i, Objects::Point) }.packer }
    GC.start
    expect(packers.map { |packer| packer.write(point).to_s.getbyte(1) }).to eq([*0...20])
  end
end
