# frozen_string_literal: true

RSpec.describe MessagePack::Factory::Pool do
  let(:factory) { MessagePack::Factory.new.tap { |f| f.register_type(5, Objects::Point) } }
  let(:pool) { factory.pool }
  let(:point) { Objects::Point.new(1, 2) }

  it("is returned by Factory#pool") { expect(pool).to be_a(described_class) }
  it("accepts a size") { expect(factory.pool(3).load(factory.pool(3).dump([1]))).to eq([1]) }
  it("dumps and loads") { expect(pool.load(pool.dump([point, "a", 1]))).to eq([point, "a", 1]) }
  it("dumps the same bytes as the factory") { expect(pool.dump([point, "a"])).to eq(factory.dump([point, "a"])) }
  it("dumps a binary String") { expect(pool.dump("é").encoding).to eq(Encoding::BINARY) }
  it("accepts options for its packers") { expect(factory.pool(1, compatibility_mode: true).dump("\xff".b)).to eq(hex("a1 ff")) }
  it "accepts options for its unpackers" do
    expect(factory.pool(1, symbolize_keys: true, freeze: true).load(hex("81 a1 61 01"))).to eq({ a: 1 }).and be_frozen
  end
  it "does not freeze the factory" do
    expect { pool && factory.register_type(6, Range, packer: ->(_) { "" }) }.not_to raise_error
  end

  it "ignores types that the factory registers later" do
    pool
    factory.register_type(6, Range, packer: ->(_) { "" })
    expect { pool.dump(1..2) }.to raise_error(NoMethodError)
  end

  it "returns results that belong to the caller" do
    results = Array.new(100) { |i| pool.dump(["x" * i * 100]) }
    results.first << "more"
    expect(results.drop(1)).to eq(Array.new(100) { |i| pack(["x" * i * 100]) }.drop(1))
  end

  describe "#packer" do
    it("yields a frozen Packer") { expect(pool.packer { |packer| [packer.class, packer.frozen?] }).to eq([MessagePack::Packer, true]) }
    it("returns the result of the block") { expect(pool.packer { |packer| packer.write(point).to_s }).to eq(factory.dump(point)) }
    it("yields the same Packer again") { expect(pool.packer { |packer| packer }).to equal(pool.packer { |packer| packer }) }
    it("yields another Packer to a nested block") { expect(pool.packer { |first| pool.packer { |second| first.equal?(second) } }).to be(false) }
    it("yields an empty Packer each time") { expect(pool.packer { |packer| packer.write(1) } && pool.packer(&:to_s)).to eq("") }
    it("yields a Packer that rejects new types") { expect { pool.packer { |packer| packer.register_type(1, Range) { "" } } }.to raise_error(FrozenError) }
    it("requires a block") { expect { pool.packer }.to raise_error(LocalJumpError) }

    it "yields an empty Packer after an error" do
      expect { pool.packer { |packer| packer.write(1) && raise(IndexError, "mine") } }.to raise_error(IndexError, "mine")
      expect(pool.packer(&:to_s)).to eq("")
    end

    it "packs again after an object that cannot be packed" do
      expect { pool.dump([1, Object.new]) }.to raise_error(NoMethodError)
      expect(pool.dump([1])).to eq(hex("91 01"))
    end

    { [] => 1, [1] => 1, [2] => 2, [5] => 3 }.each do |size, kept|
      it "retains #{kept} of three packers with pool(#{size.join})" do
        pool = factory.pool(*size)
        lent = -> { pool.packer { |a| pool.packer { |b| pool.packer { |c| [a, b, c] } } } }
        expect((lent.call & lent.call).size).to eq(kept)
      end
    end
  end

  describe "#unpacker" do
    it "yields a frozen Unpacker" do
      expect(pool.unpacker { |unpacker| [unpacker.class, unpacker.frozen?] }).to eq([MessagePack::Unpacker, true])
    end
    it("returns the result of the block") { expect(pool.unpacker { |unpacker| unpacker.feed(factory.dump(point)).read }).to eq(point) }
    it("yields the same Unpacker again") { expect(pool.unpacker { |unpacker| unpacker }).to equal(pool.unpacker { |unpacker| unpacker }) }
    it("yields an Unpacker that rejects new types") { expect { pool.unpacker { |unpacker| unpacker.register_type(1) { nil } } }.to raise_error(FrozenError) }

    it "yields an empty Unpacker each time" do
      pool.unpacker { |unpacker| unpacker.feed(hex("01 02")) }
      expect(pool.load("\x05")).to eq(5)
    end

    it "yields an empty Unpacker after an incomplete object" do
      expect { pool.load(hex("93 01")) }.to raise_error(EOFError, "end of buffer reached")
      expect(pool.load("\x05")).to eq(5)
    end

    it "yields an empty Unpacker after too many bytes" do
      expect { pool.load(hex("01 02 03")) }.to raise_error(MessagePack::MalformedFormatError, "2 extra bytes after the deserialized object")
      expect(pool.load("\x05")).to eq(5)
    end

    it "yields an empty Unpacker after nesting that is too deep" do
      expect { pool.load("\x91" * 200) }.to raise_error(MessagePack::StackError)
      expect(pool.load("\x91\x05")).to eq([5])
    end

    it "loads from an io" do
      expect(pool.load(factory.dump([point]))).to eq([point])
    end
  end

  it "supports many threads" do
    pool = factory.pool(2)
    threads = Array.new(8) { |i| Thread.new { Array.new(300) { |j| pool.load(pool.dump([i, j, point, "t" * j])) == [i, j, point, "t" * j] }.all? } }
    expect(threads.map(&:value)).to all(be(true))
  end

  it "supports an ext type that packs with the same pool" do
    pool = nil
    factory = MessagePack::Factory.new
    factory.register_type(1, Objects::Box, packer: ->(box) { pool.dump(box.inner) }, unpacker: ->(bytes) { Objects::Box.new(pool.load(bytes)) })
    pool = factory.pool
    boxes = Objects::Box.new([Objects::Box.new([1, Objects::Box.new("deep")])])
    expect(pool.load(pool.dump(boxes))).to eq(boxes)
  end

  it "supports recursive types" do
    pool = box_factory.pool
    expect(pool.load(pool.dump([Objects::Box.new(Objects::Box.new(1))]))).to eq([Objects::Box.new(Objects::Box.new(1))])
  end

  it "accepts the options that only this gem has", :ours do
    pool = factory.pool(1, float32: true, max_array_len: 2)
    expect(pool.dump([1.5])).to eq(hex("91 ca 3f c0 00 00"))
    expect(pool.load(hex("92 01 02"))).to eq([1, 2])
    expect { pool.load(hex("93 01 02 03")) }.to raise_error(MessagePack::LimitError)
  end
end
