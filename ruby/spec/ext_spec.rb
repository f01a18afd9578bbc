# frozen_string_literal: true

# ExtensionValue, and recursive ext types, whose payload contains objects.
RSpec.describe "Ext" do
  describe MessagePack::ExtensionValue do
    let(:value) { described_class.new(5, "abc") }

    it "is a Struct with the members type and payload" do
      expect([described_class.superclass, described_class.members]).to eq([Struct, %i[type payload]])
    end
    it "is equal if type and payload are equal" do
      expect([value == described_class.new(5, "abc"), value == described_class.new(6, "abc"), value == described_class.new(5, "abd")]).to eq([true, false, false])
    end
    it("is packed as ext") { expect(pack([value])).to eq(hex("91 c7 03 05 61 62 63")) }
    it("is packed as ext by its to_msgpack") { expect(value.to_msgpack).to eq(hex("c7 03 05 61 62 63")) }
    it("round-trips with allow_unknown_ext") { expect(unpack(value.to_msgpack, allow_unknown_ext: true)).to eq(value) }

    { 1 => "d4", 2 => "d5", 4 => "d6", 8 => "d7", 16 => "d8", 0 => "c7 00", 3 => "c7 03", 255 => "c7 ff", 256 => "c8 01 00", 65_536 => "c9 00 01 00 00" }.each do |size, head|
      it "is packed with the header #{head} for #{size} bytes" do
        expect(pack(described_class.new(-5, "x" * size))).to eq(hex("#{head} fb 78*#{size}"))
      end
      it "round-trips #{size} bytes" do
        expect(unpack(pack(described_class.new(-5, "x" * size)), allow_unknown_ext: true)).to eq(described_class.new(-5, "x" * size))
      end
    end

    [128, -129].each { |type| it("rejects type #{type}") { expect { pack(described_class.new(type, "a")) }.to raise_error(RangeError) } }
    it("rejects a nil payload") { expect { pack(described_class.new(1, nil)) }.to raise_error(::TypeError) }
  end

  describe "recursive types" do
    let(:factory) { box_factory }

    def box(object, depth = 1)
      depth.times { object = Objects::Box.new(object) }
      object
    end

    def depth(box)
      levels = 0
      levels += 1 while box.is_a?(Objects::Box) && (box = box.inner)
      levels
    end

    it("are packed as ext with the packer's output as the payload") { expect(factory.dump(box([1, "a"]))).to eq(hex("d6 01 92 01 a1 61")) }
    it("can be nested") { expect(factory.dump(box(box(1)))).to eq(hex("c7 03 01 d4 01 01")) }

    [1, "text", [1, [2]], { "k" => "v" }, "x" * 300, "x" * 70_000, "b".b * 1_000_000, Array.new(1000) { |i| i }].each do |inner|
      it("round-trip with #{inner.inspect[0, 20]}") { expect(factory.load(factory.dump([box(inner), 5]))).to eq([box(inner), 5]) }
    end

    it "round-trip nested and side by side" do
      document = [box([box(1), { "k" => box([box("deep")]) }]), 2, box(nil), { box(1) => box(2) }]
      expect(factory.load(factory.dump(document))).to eq(document)
    end

    { 0 => "c7 00", 1 => "d4", 2 => "d5", 3 => "c7 03", 4 => "d6", 8 => "d7", 16 => "d8", 17 => "c7 11", 255 => "c7 ff", 256 => "c8 01 00", 65_535 => "c8 ff ff",
      65_536 => "c9 00 01 00 00" }.each do |size, head|
      it "have the header #{head} for #{size} bytes" do
        factory = MessagePack::Factory.new
        factory.register_type(1, Objects::Box, packer: ->(_, packer) { size.times { packer.write_nil } }, unpacker: ->(_) { nil }, recursive: true)
        expect(factory.dump(box(1))).to eq(hex("#{head} 01 c0*#{size}"))
      end
    end

    it "are packed with the option compatibility_mode of the packer" do
      expect(factory.dump(box("\xff".b), compatibility_mode: true)).to eq(hex("d5 01 a1 ff"))
      packer = factory.packer(compatibility_mode: true)
      expect(packer.write(box("\xff".b)).to_s).to eq(hex("d5 01 a1 ff"))
    end

    it "are packed with the options float32 and strict of the packer", :ours do
      bytes = factory.dump(box(0.5), float32: true)
      expect(bytes).to eq(hex("c7 05 01 ca 3f 00 00 00"))
      expect { factory.dump(box(Class.new(Hash).new), strict: true) }.to raise_error(::TypeError)
    end

    it "do not contain bytes that are written to their packer after the call", :ours do
      kept = nil
      factory = MessagePack::Factory.new
      pack_inner = ->(box, packer) { (kept = packer).write(box.inner) }
      factory.register_type(1, Objects::Box, packer: pack_inner, recursive: true)
      packer = factory.packer.write(box(1))
      kept.write("stray")
      expect(packer.write(box(2)).to_s).to eq(hex("d4 01 01 d4 01 02"))
    end

    it "may write and read nothing" do
      factory = MessagePack::Factory.new
      factory.register_type(1, Objects::Box, packer: ->(_, _) {}, unpacker: ->(_) { :nothing }, recursive: true)
      expect(factory.load(factory.dump([box(1), 2]))).to eq([:nothing, 2])
    end

    it "may write several objects" do
      factory = MessagePack::Factory.new
      factory.register_type(1, Objects::Point, recursive: true, packer: ->(point, packer) { packer.write(point.x).write(point.y) },
                                               unpacker: ->(unpacker) { Objects::Point.new(unpacker.read, unpacker.read) })
      document = [Objects::Point.new(1, [2, 3]), Objects::Point.new(Objects::Point.new(4, 5), nil)]
      expect(factory.load(factory.dump(document))).to eq(document)
    end

    it "may read headers" do
      factory = MessagePack::Factory.new
      factory.register_type(1, Set, recursive: true, packer: ->(set, packer) { set.each_with_object(packer.write_array_header(set.size)) { |x, pk| pk.write(x) } },
                                    unpacker: ->(unpacker) { Set.new(Array.new(unpacker.read_array_header) { unpacker.read }) })
      document = [Set[1, "a", Set[2]], Set[], 3]
      expect(factory.load(factory.dump(document))).to eq(document)
    end

    it "may skip their content [fixed]", :ours do
      factory = MessagePack::Factory.new
      factory.register_type(1, Objects::Box, packer: ->(b, packer) { packer.write(b.inner) }, unpacker: ->(unpacker) { unpacker.skip && nil || :skipped }, recursive: true)
      expect(factory.load(factory.dump([box([1, { "a" => 2 }]), 3]))).to eq([:skipped, 3])
    end

    it "get a packer and an unpacker for their payload only [fixed]", :ours do
      seen = []
      factory = MessagePack::Factory.new
      reads = ->(unpacker) { [unpacker.read, (unpacker.read rescue $!.class)] }
      factory.register_type(1, Objects::Box, packer: ->(_, packer) { seen << packer && packer.write(1) }, unpacker: reads, recursive: true)
      packer = factory.packer
      expect(factory.unpacker.feed(packer.write([box(1), 2]).to_s).read).to eq([[1, EOFError], 2])
      expect(seen.first).to be_a(MessagePack::Packer)
      expect(seen.first).not_to equal(packer)
    end

    it "can be packed to an io" do
      sink = Ios::Sink.new
      packer = factory.packer(sink)
      packer.write([box("x" * 1_000_000), box([1] * 50_000)]).flush
      expect(factory.load(sink.bytes)).to eq([box("x" * 1_000_000), box([1] * 50_000)])
    end

    it "can be read from an io" do
      document = [box("x" * 100_000), box(box([1] * 5000))]
      expect(factory.unpacker(Ios::Drip.new(factory.dump(document), 1000)).read).to eq(document)
    end

    it "are read by feed_each one byte at a time, although the proc restarts [fixed]", :ours do
      found = []
      unpacker = factory.unpacker
      factory.dump([box(["abc", box(1)]), 2]).each_char { |byte| unpacker.feed_each(byte) { |object| found << object } }
      expect(found).to eq([[box(["abc", box(1)]), 2]])
    end

    it "raise EOFError for every prefix" do
      bytes = factory.dump([box(["abc", box({ 1 => 2 })]), 2])
      (0...bytes.bytesize).each { |size| expect { factory.load(bytes.byteslice(0, size)) }.to raise_error(EOFError) }
    end

    describe "with a failing packer" do
      it "restore the packer to its state before the ext" do
        factory = MessagePack::Factory.new
        factory.register_type(1, Objects::Box, recursive: true, packer: ->(_, pk) { pk.write("lost") && raise(IndexError, "mine") }, unpacker: nil)
        packer = factory.packer
        packer.write(7)
        expect { packer.write(box(1)) }.to raise_error(IndexError, "mine")
        expect(packer.write(8).to_s).to eq(hex("07 08"))
      end

      it "restore the outer packer when nested in another ext" do
        factory = MessagePack::Factory.new
        inner = ->(b, pk) { b.inner.is_a?(Objects::Box) ? pk.write("kept").write(b.inner) : raise(IndexError, "mine") }
        factory.register_type(1, Objects::Box, recursive: true, packer: inner, unpacker: nil)
        packer = factory.packer
        packer.write(7)
        expect { packer.write(box(1, 3)) }.to raise_error(IndexError, "mine")
        expect(packer.write(8).to_s).to eq(hex("07 08"))
      end
    end

    describe "with a failing unpacker" do
      it "propagate the error, and the unpacker reads again after reset" do
        failing = true
        factory = MessagePack::Factory.new
        factory.register_type(1, Objects::Box, packer: ->(b, pk) { pk.write(b.inner) }, unpacker: ->(u) { failing ? raise(IndexError, "mine") : Objects::Box.new(u.read) }, recursive: true)
        unpacker = factory.unpacker
        expect { unpacker.feed(factory.dump([1, box(2)])).read }.to raise_error(IndexError, "mine")
        unpacker.reset
        failing = false
        expect(unpacker.feed(factory.dump([1, box(2)])).read).to eq([1, box(2)])
      end

      ["d4 01 78", "93 01 d4 01 78 d4 01 79", "91 81 01 91 d4 01 78"].each do |object|
        it "propagate the error, and the next read skips the object #{object}", :ours do
          factory = MessagePack::Factory.new
          factory.register_type(1, Objects::Box, unpacker: ->(_) { raise(IndexError, "mine") })
          unpacker = factory.unpacker.feed(hex("#{object} 04 05"))
          expect { unpacker.read }.to raise_error(IndexError, "mine")
          expect([unpacker.read, unpacker.read]).to eq([4, 5])
        end
      end

      it "do not leak memory" do
        factory = MessagePack::Factory.new
        factory.register_type(1, Objects::Box, packer: ->(b, pk) { pk.write(b.inner) }, unpacker: ->(u) { u.read.is_a?(Objects::Box) || raise(IndexError, "mine") }, recursive: true)
        bytes = factory.dump(box(1, 50))
        unpacker = factory.unpacker
        sizes = Array.new(50) do
          expect { unpacker.feed(bytes).read }.to raise_error(IndexError)
          unpacker.reset
          ObjectSpace.memsize_of(unpacker)
        end
        expect(sizes.last).to eq(sizes.first)
      end
    end

    # Each ext level counts as one of the 128 levels, like an array or a map. 1.8.3 did not count
    # ext levels, and crashed.
    describe "depth" do
      it("reads 128 levels") { expect(depth(factory.load(factory.dump(box(1, 128))))).to eq(128) }

      [129, 130, 200, 1000, 3000].each do |levels|
        it "rejects #{levels} levels" do
          expect(child(<<~RUBY)).to eq("MessagePack::StackError stack level too deep, then [1]")
            Box = Struct.new(:inner)
            factory = MessagePack::Factory.new
            factory.register_type(1, Box, packer: ->(b, pk) { pk.write(b.inner) }, unpacker: ->(u) { Box.new(u.read) }, recursive: true)
            box = #{levels}.times.inject(1) { |inner, _| Box.new(inner) }
            unpacker = factory.unpacker.feed(factory.dump(box))
            begin
              unpacker.read
            rescue MessagePack::StackError => e
              unpacker.reset
              print e.class, " ", e.message, ", then ", unpacker.feed(factory.dump([1])).read
            end
          RUBY
        end
      end

      it "counts ext and arrays together: reads 64 of each" do
        expect(factory.load(factory.dump(64.times.inject(1) { |x, _| [box(x)] }))).to be_a(Array)
      end

      it "counts ext and arrays together: rejects 65 of each" do
        bytes = factory.dump(65.times.inject(1) { |x, _| [box(x)] })
        expect { factory.load(bytes) }.to raise_error(MessagePack::StackError)
      end

      it "counts ext and maps together" do
        bytes = factory.dump(65.times.inject(1) { |x, _| { 1 => box(x) } })
        expect { factory.load(bytes) }.to raise_error(MessagePack::StackError)
      end

      it "counts sibling levels only once" do
        document = Array.new(500) { box([box(1)]) }
        expect(factory.load(factory.dump(document))).to eq(document)
      end

      it "is unlimited for the packer" do
        expect(factory.dump(box(1, 500)).bytesize).to be > 1000
      end
    end
  end
end
