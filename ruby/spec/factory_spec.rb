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
    it("accepts Symbols as method names") { expect(there_and_back(registered(packer: :to_msgpack_ext, unpacker: :from_msgpack_ext))).to eq(point) }
    it "accepts Strings as method names" do
      expect(there_and_back(registered(packer: "to_msgpack_ext", unpacker: "from_msgpack_ext"))).to eq(point)
    end
    it("accepts procs") { expect(there_and_back(registered(packer: proc { |p| "#{p.x}" }, unpacker: proc { |s| s.to_i }))).to eq(1) }
    it("accepts lambdas") { expect(there_and_back(registered(packer: ->(p) { "#{p.x}" }, unpacker: ->(s) { s.to_i }))).to eq(1) }
    it("accepts Methods") { expect(there_and_back(registered(packer: method(:digits), unpacker: method(:Integer)))).to eq(12) }

    it "accepts any object that responds to call" do
      packer = Objects::Callable.new { |p| p.to_msgpack_ext.reverse }
      unpacker = Objects::Callable.new { |payload| Objects::Point.from_msgpack_ext(payload.reverse) }
      expect(there_and_back(registered(packer: packer, unpacker: unpacker))).to eq(point)
    end

    it("rejects objects that do not respond to call") { expect { registered(packer: 1, unpacker: 2) }.to raise_error(::TypeError) }

    it "only packs if there is no unpacker" do
      registered(packer: :to_msgpack_ext)
      expect { there_and_back(factory) }.to raise_error(MessagePack::UnknownExtTypeError)
    end

    it "only unpacks if there is no packer" do
      registered(unpacker: :from_msgpack_ext)
      expect { factory.dump(point) }.to raise_error(NoMethodError)
      expect(factory.load(hex("d7 05 00 00 00 01 00 00 00 02"))).to eq(point)
    end

    [-128, -1, 0, 127].each { |id| it("accepts the type #{id}") { expect(there_and_back(registered(id))).to eq(point) } }
    [128, -129, 2**40].each { |id| it("rejects the type #{id}") { expect { registered(id) }.to raise_error(RangeError) } }
    ["a", nil, 1.5].each { |id| it("rejects the type #{id.inspect}") { expect { registered(id) }.to raise_error(::TypeError) } }

    ["Point", Object.new, 1].each do |klass|
      it "rejects an instance of #{klass.class} as the class" do
        expect { factory.register_type(1, klass, packer: proc {}, unpacker: proc {}) }.to raise_error(ArgumentError)
      end
    end

    [[300, Objects::Point], [1, "no class"], [1, Objects::Point, { packer: 5 }], [1, Symbol]].each do |arguments|
      it "raises FrozenError before it checks the arguments #{arguments}" do
        expect { factory.freeze.register_type(*arguments) }.to raise_error(FrozenError, "can't modify frozen MessagePack::Factory")
      end
    end
    it("rejects a frozen factory") { expect { factory.freeze.register_type(1, Objects::Point) }.to raise_error(FrozenError) }

    it "accepts a module" do
      mixin = Module.new
      factory.register_type(1, mixin, packer: ->(_) { "m" }, unpacker: ->(_) { :m })
      expect(there_and_back(factory, [Object.new.extend(mixin)])).to eq([:m])
    end

    it "uses the last registered packer of a class" do
      registered(5, packer: ->(_) { "5" }, unpacker: ->(_) { 5 })
      registered(6, packer: ->(_) { "6" }, unpacker: ->(_) { 6 })
      expect(factory.dump(point)).to eq(hex("d4 06 36"))
    end

    it "preserves the unpackers of both types of a class" do
      registered(5, packer: ->(_) { "5" }, unpacker: ->(_) { 5 })
      registered(6, packer: ->(_) { "6" }, unpacker: ->(_) { 6 })
      expect([factory.load(hex("d4 05 61")), factory.load(hex("d4 06 61"))]).to eq([5, 6])
    end

    it "uses the last registered unpacker of a type, and preserves both packers" do
      factory.register_type(5, Objects::Point, packer: ->(_) { "p" }, unpacker: ->(_) { :point })
      factory.register_type(5, Range, packer: ->(_) { "r" }, unpacker: ->(_) { :range })
      expect([factory.dump(point), factory.dump(1..2), factory.load(hex("d4 05 61"))]).to eq([hex("d4 05 70"), hex("d4 05 72"), :range])
    end

    it "removes the packer of a class that is registered without one" do
      registered(packer: ->(_) { "a" }, unpacker: ->(_) { :first })
      registered(unpacker: ->(_) { :second })
      expect { factory.dump(point) }.to raise_error(NoMethodError)
      expect(factory.load(hex("d4 05 61"))).to eq(:second)
    end

    it "removes the unpacker of a type that is registered without one" do
      registered(packer: ->(_) { "a" }, unpacker: ->(_) { :first })
      factory.register_type(5, Range, packer: ->(_) { "b" })
      expect([factory.dump(point), factory.dump(1..2)]).to eq([hex("d4 05 61"), hex("d4 05 62")])
      expect { factory.load(hex("d4 05 61")) }.to raise_error(MessagePack::UnknownExtTypeError)
      expect(factory.registered_types(:unpacker)).to eq([])
    end

    it "packs Symbols as Strings again after a registration without a packer" do
      factory.register_type(1, Symbol, packer: ->(_) { "s" }, unpacker: :to_sym.to_proc)
      factory.register_type(1, Symbol, packer: nil)
      expect(factory.dump(:a)).to eq(hex("a1 61"))
      factory.register_type(2, Symbol)
      expect(factory.dump(:a)).to eq(hex("d4 02 61"))
    end

    it "rejects large Integers again after a registration for other Integers" do
      factory.register_type(1, Integer, packer: ->(_) { "b" }, oversized_integer_extension: true)
      expect(factory.dump(2**70)).to eq(hex("d4 01 62"))
      factory.register_type(1, Integer, packer: ->(_) { "c" })
      expect { factory.dump(2**70) }.to raise_error(RangeError)
    end

    it "removes nothing if a class without a type is registered without a packer" do
      registered(packer: ->(_) { "a" })
      factory.register_type(6, Range, packer: nil)
      expect(factory.dump(point)).to eq(hex("d4 05 61"))
    end

    it "does not change existing packers and unpackers" do
      packer = factory.packer
      unpacker = factory.unpacker
      registered
      expect([packer.type_registered?(5), unpacker.type_registered?(5)]).to eq([false, false])
      expect { packer.write(point) }.to raise_error(NoMethodError)
    end

    it "is not affected by types that its packers and unpackers register" do
      factory.packer.register_type(5, Objects::Point, :to_msgpack_ext)
      factory.unpacker.register_type(5, Objects::Point, :from_msgpack_ext)
      expect([factory.type_registered?(5), factory.packer.type_registered?(5), factory.unpacker.type_registered?(5)]).to eq([false, false, false])
    end

    it "packs an instance of a subclass as an instance of the class" do
      expect(registered.dump(Objects::Point3.new(1, 2))).to eq(factory.dump(point))
    end
  end

  describe "#packer" do
    it("returns a Packer") { expect(factory.packer).to be_an_instance_of(MessagePack::Packer) }
    it("returns a new Packer each time") { expect(factory.packer).not_to equal(factory.packer) }
    it("passes the options on") { expect(factory.packer(compatibility_mode: true).compatibility_mode?).to be(true) }
    it("passes the registered types on") { expect(registered.packer.write(point).to_s).to eq(hex("d7 05 00 00 00 01 00 00 00 02")) }

    it "passes an io on" do
      io = binary_io
      factory.packer(io).write([1]).flush
      expect(io.string).to eq(hex("91 01"))
    end

    it "passes an io and options on" do
      io = binary_io
      factory.packer(io, compatibility_mode: true).write("\xff".b).flush
      expect(io.string).to eq(hex("a1 ff"))
    end
  end

  describe "#unpacker" do
    it("returns an Unpacker") { expect(factory.unpacker).to be_an_instance_of(MessagePack::Unpacker) }
    it("passes the options on") { expect(factory.unpacker(symbolize_keys: true).symbolize_keys?).to be(true) }
    it("passes an io on") { expect(factory.unpacker(binary_io("\x05")).read).to eq(5) }
    it("passes an io and options on") { expect(factory.unpacker(binary_io("\x81\xa1a\x01"), symbolize_keys: true).read).to eq({ a: 1 }) }
    it("passes the registered types on") { expect(registered.unpacker.feed(hex("d7 05 00 00 00 01 00 00 00 02")).read).to eq(point) }
  end

  describe "#dump and #load" do
    it("have the aliases pack and unpack") { expect(registered.unpack(factory.pack([point]))).to eq([point]) }
    it("dump returns a binary String") { expect(factory.dump("é").encoding).to eq(Encoding::BINARY) }
    it("dump accepts options") { expect(factory.dump("\xff".b, compatibility_mode: true)).to eq(hex("a1 ff")) }
    it("load accepts options") { expect(factory.load(hex("81 a1 61 01"), symbolize_keys: true)).to eq({ a: 1 }) }
    it("load accepts an io") { expect(factory.load(binary_io("\x91\x01"))).to eq([1]) }
    it("load accepts an io and options") { expect(factory.load(binary_io("\x81\xa1a\x01"), symbolize_keys: true)).to eq({ a: 1 }) }
    it "load rejects more than one object" do
      expect { factory.load("\x01\x02") }.to raise_error(MessagePack::MalformedFormatError, "1 extra bytes after the deserialized object")
    end
    it "load rejects a third argument" do
      expect { factory.load("\x01", {}, 1) }.to raise_error(ArgumentError)
    end

    it("load raises EOFError for an incomplete object") { expect { factory.load("\x92\x01") }.to raise_error(EOFError, "end of buffer reached") }

    it "dump writes to an io and returns nil" do
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

    it "lists all types in ascending order" do
      expect(factory.registered_types.map { |type| [type[:type], type[:class]] }).to eq([[-3, Set], [1, Range], [5, Objects::Point]])
    end
    it("lists all types for :both") { expect(factory.registered_types(:both)).to eq(factory.registered_types) }
    it("returns type, class, packer and unpacker") { expect(factory.registered_types.map(&:keys)).to all(eq(%i[type class packer unpacker])) }
    it("returns packers and unpackers that respond to call") { expect(factory.registered_types.last.values_at(:packer, :unpacker)).to all(respond_to(:call)) }
    it "returns nil for a missing packer or unpacker" do
      expect(factory.registered_types.first(2).map { |type| [type[:packer].nil?, type[:unpacker].nil?] }).to eq([[false, true], [true, false]])
    end
    it "lists packers" do
      expect(factory.registered_types(:packer).map { |type| [type[:type], type.keys] }).to eq([[-3, %i[type class packer]], [5, %i[type class packer]]])
    end
    it "lists unpackers" do
      expect(factory.registered_types(:unpacker).map { |type| [type[:type], type.keys] }).to eq([[1, %i[type class unpacker]], [5, %i[type class unpacker]]])
    end
    it("lists the classes of the unpackers") { expect(factory.registered_types(:unpacker).map { |type| type[:class] }).to eq([Range, Objects::Point]) }
    it("rejects any other selector") { expect { factory.registered_types(:other) }.to raise_error(ArgumentError) }
    it("is empty for a new factory") { expect(described_class.new.registered_types).to eq([]) }
  end

  describe "#type_registered?" do
    before do
      registered(5)
      factory.register_type(1, Range, packer: ->(_) { "" }, unpacker: nil)
    end

    { [5] => true, [6] => false, [Objects::Point] => true, [Set] => false, [5, :packer] => true, [5, :unpacker] => true, [Objects::Point, :both] => true, [1] => true,
      [1, :packer] => true, [1, :unpacker] => false, [Range, :unpacker] => false, [Range, :packer] => true, [1000] => false }.each do |arguments, answer|
      it("returns #{answer} for #{arguments.inspect}") { expect(factory.type_registered?(*arguments)).to be(answer) }
    end

    it "accepts a module" do
      factory.register_type(2, Comparable, packer: ->(_) { "" }, unpacker: nil)
      expect([factory.type_registered?(Comparable), factory.type_registered?(Kernel), factory.packer.type_registered?(Comparable)]).to eq([true, false, true])
    end

    it "also counts a type that has neither a packer nor an unpacker" do
      factory.register_type(2, Set, packer: nil, unpacker: nil)
      expect([factory.type_registered?(2), factory.type_registered?(2, :packer), factory.type_registered?(Set, :unpacker)]).to eq([true, false, false])
    end

    ["Point", :Point, nil].each { |other| it("rejects #{other.inspect}") { expect { factory.type_registered?(other) }.to raise_error(ArgumentError) } }
    it("rejects any other selector") { expect { factory.type_registered?(5, :other) }.to raise_error(ArgumentError) }
  end

  describe "#dup" do
    it("returns a factory that packs and unpacks in the same way") { expect(there_and_back(registered.dup)).to eq(point) }

    it "returns an independent factory" do
      copy = factory.dup
      copy.register_type(5, Objects::Point)
      expect([factory.type_registered?(5), copy.type_registered?(5)]).to eq([false, true])
      registered(6)
      expect(copy.type_registered?(6)).to be(false)
    end

    it "returns a modifiable factory if the original is frozen" do
      registered.freeze
      copy = factory.dup
      copy.register_type(6, Range, packer: ->(_) { "r" }, unpacker: nil)
      expect([copy.frozen?, copy.dump(1..2), there_and_back(copy), factory.type_registered?(6)]).to eq([false, hex("d4 06 72"), point, false])
    end

    it "replaces the types in initialize_copy, even after objects were packed", :ours do
      registered(5, packer: ->(_) { "a" }).dump(point)
      other = described_class.new
      other.register_type(6, Objects::Point, packer: ->(_) { "b" })
      factory.send(:initialize_copy, other)
      expect(factory.dump(point)).to eq(hex("d4 06 62"))
    end

    it "rejects other objects in initialize_copy" do
      [MessagePack::Packer.new, Object.new, 1].each do |other|
        expect { factory.send(:initialize_copy, other) }.to raise_error(::TypeError)
      end
    end

    it "preserves recursive types" do
      expect(there_and_back(box_factory.dup, [Objects::Box.new([1])])).to eq([Objects::Box.new([1])])
    end
  end

  describe "#freeze" do
    it("returns the frozen factory") { expect(factory.freeze).to equal(factory).and be_frozen }
    it("does not prevent packing and unpacking") { expect(there_and_back(registered.freeze)).to eq(point) }
    it("can be called twice") { expect(there_and_back(registered.freeze.freeze)).to eq(point) }

    it "does not prevent unpackers from registering types of their own" do
      unpacker = registered.freeze.unpacker
      unpacker.register_type(6) { :six }
      expect(unpacker.feed(hex("d4 06 61")).read).to eq(:six)
      expect { factory.load(hex("d4 06 61")) }.to raise_error(MessagePack::UnknownExtTypeError)
      expect(unpacker.feed(hex("d7 05 00 00 00 01 00 00 00 02")).read).to eq(point)
    end

    it "supports many packers side by side" do
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

    [0, 1, 2**31, 2**32 - 1, 2**32, 2**34 - 1, 2**34, -1, -2**31, -2**40].each do |seconds|
      [0, 1, 999_999_999].each do |nanoseconds|
        it "round-trips #{seconds} s and #{nanoseconds} ns in the form of Timestamp", :ours do
          factory.register_time
          time = Time.at(seconds, nanoseconds, :nsec)
          payload = MessagePack::Timestamp.to_msgpack_ext(seconds, nanoseconds)
          expect(factory.dump(time)).to end_with(payload)
          expect(factory.dump(time).bytesize).to be <= payload.bytesize + 3
          expect(there_and_back(factory, [time])).to eq([time])
        end
      end
    end

    it "carries nanoseconds of a second or more into the seconds", :ours do
      factory.register_time
      expect(factory.load(hex("c7 0c ff 40 00 00 00 00*8"))).to eq(Time.at(0, 2**30, :nsec))
      expect(factory.load(hex("d7 ff ff ff ff fc 00*4"))).to eq(Time.at(0, 2**30 - 1, :nsec))
    end

    it "registers type -1 for Time", :ours do
      factory.register_time
      expect(factory.registered_types.map { |type| [type[:type], type[:class]] }).to eq([[-1, ::Time]])
    end

    it("rejects a frozen factory", :ours) { expect { factory.freeze.register_time }.to raise_error(FrozenError) }
    it("is not called by default") { expect { factory.dump(Time.at(0)) }.to raise_error(NoMethodError) }
  end

  it "keeps procs alive during garbage collection" do
    factories = Array.new(20) { |i| described_class.new.tap { |f| f.register_type(1, Objects::Point, packer: ->(_) { i.to_s }, unpacker: ->(s) { [i, s] }) } }
    GC.start
    expect(factories.map { |f| there_and_back(f) }).to eq(Array.new(20) { |i| [i, i.to_s] })
  end

  it "keeps types alive for packers that outlive the factory" do
    packers = Array.new(20) { |i| described_class.new.tap { |f| f.register_type(i, Objects::Point) }.packer }
    GC.start
    expect(packers.map { |packer| packer.write(point).to_s.getbyte(1) }).to eq([*0...20])
  end
end
