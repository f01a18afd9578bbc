# frozen_string_literal: true

# What objects say they take, and what the process takes in the long run.
RSpec.describe "Memory" do
  def memsize(object)
    ObjectSpace.memsize_of(object)
  end

  it "that a Factory tells grows with its types" do
    factory = MessagePack::Factory.new
    empty = memsize(factory)
    factory.register_type(1, Class.new, packer: ->(_) { "" }, unpacker: ->(_) {})
    expect(memsize(factory)).to be > empty
  end

  describe "that a Buffer tells" do
    let(:buffer) { MessagePack::Buffer.new }
    let!(:empty) { memsize(buffer) }

    it("is little when it is empty") { expect(empty).to be < 400 }

    it "grows with what is written" do
      10.times { buffer << "x" * 500 }
      expect(memsize(buffer)).to be > empty
    end

    it "is all that is written", :ours do
      10.times { buffer << "x" * 500 }
      expect(memsize(buffer)).to be >= 5000
    end

    it "is the same when a little is read" do
      10.times { buffer << "x" * 500 }
      full = memsize(buffer)
      buffer.read(10)
      expect(memsize(buffer)).to eq(full)
    end

    it "is as at first when all is read" do
      10.times { buffer << "x" * 500 }
      buffer.read_all
      expect(memsize(buffer)).to eq(empty)
    end

    it "is as at first when all is skipped" do
      10.times { buffer << "x" * 500 }
      buffer.skip(5000)
      expect(memsize(buffer)).to eq(empty)
    end

    it "is as at first after clear" do
      buffer << "x" * 100_000 << "y" * 1_000_000
      buffer.clear
      expect(memsize(buffer)).to eq(empty)
    end

    it "grows with every chunk" do
      sizes = Array.new(20) { (buffer << "x" * 600_000) && memsize(buffer) }
      expect(sizes).to eq(sizes.sort.uniq)
    end

    it "is in bounds for a String that it merely refers to" do
      string = "x".b * 1_000_000
      buffer << string
      expect(memsize(buffer)).to be < 1_100_000
    end
  end

  describe "that a Packer and an Unpacker tell" do
    it "grows with what is packed", :ours do
      packer = MessagePack::Packer.new
      empty = memsize(packer) + memsize(packer.buffer)
      packer.write("x" * 100_000)
      expect(memsize(packer) + memsize(packer.buffer)).to be >= empty + 100_000
      packer.reset
      expect(memsize(packer) + memsize(packer.buffer)).to be <= empty + 8192
    end

    it "is little beyond the Strings that are held", :ours do
      strings = Array.new(20) { "x" * 600_000 }
      packer = MessagePack::Packer.new.write(strings)
      expect(packer.buffer.to_a.map(&:bytesize).select { |n| n == 600_000 }.size).to eq(20)
      expect(memsize(packer) + memsize(packer.buffer)).to be < 20 * (600_000 + 5000) + 20_000
    end

    it "is little beyond what is fed, in pieces that are held and copied by turns", :ours do
      unpacker = MessagePack::Unpacker.new
      500.times { unpacker.feed("\xda\x01\x88#{'x' * 300}").feed("y" * 92) }
      expect(memsize(unpacker) + memsize(unpacker.buffer)).to be < 500 * 5000 * 2
    end

    it "does not grow with what is read" do
      unpacker = MessagePack::Unpacker.new
      bytes = pack(Array.new(100) { |i| { "k#{i}" => [i] } })
      sizes = Array.new(20) { unpacker.feed(bytes).read && memsize(unpacker) }
      expect(sizes.last).to eq(sizes.first)
    end

    it "does not grow with errors" do
      unpacker = MessagePack::Unpacker.new
      sizes = Array.new(50) do
        expect { unpacker.feed(hex("91*100 c1")).read }.to raise_error(MessagePack::MalformedFormatError)
        unpacker.reset
        memsize(unpacker)
      end
      expect(sizes.last).to eq(sizes.first)
    end

    it "is finite while nothing is held" do
      expect([MessagePack::Packer.new, MessagePack::Unpacker.new, MessagePack::Factory.new].map { |object| memsize(object) }).to all(be < 50_000)
    end
  end

  # Each script does its work a few times, and then many times: the process must not grow by that.
  {
    "packing small documents" => 'MessagePack.pack({ "id" => 1, "name" => "n" * 20 })',
    "packing documents of mixed sizes" => 'MessagePack.pack(["x" * rand(5000), [1] * rand(1000), "b".b * rand(20_000)])',
    "unpacking" => "MessagePack.unpack(BYTES)",
    "unpacking with keys that are ever new" => 'MessagePack.unpack(MessagePack.pack({ "key #{rand(2**60)}" => 1 }))',
    "unpacking by one unpacker, with keys that are ever new" => 'UNPACKER.feed(MessagePack.pack({ "key #{rand(2**60)}" => 1 })).read',
    "unpacking what is cut" => "begin; MessagePack.unpack(BYTES[0, rand(BYTES.size)]); rescue EOFError; nil; end",
    "unpacking what is wrong" => 'begin; MessagePack.unpack(("\x91" * 50 + "\xc1").b); rescue MessagePack::MalformedFormatError; nil; end',
    "unpacking what nests too deep" => 'begin; MessagePack.unpack(("\x91" * 500).b); rescue MessagePack::StackError; nil; end',
    "packing what cannot be packed" => "begin; MessagePack.pack([1] * 3000 + [Object.new]); rescue NoMethodError; nil; end",
    "packers that are dropped full" => 'MessagePack::Packer.new.write("x" * 20_000).write([1] * 5000)',
    "unpackers that are dropped half way" => "MessagePack::Unpacker.new.feed(BYTES[0, BYTES.size / 2]).each { nil }",
    "buffers" => 'b = MessagePack::Buffer.new; b << "x" * rand(10_000) << "y" * rand(1_000_000); b.read(rand(10_000)); b.skip(100)',
    "one packer, again and again" => 'PACKER.write(["x" * rand(10_000), [1] * rand(3000)]); PACKER.full_pack',
    "ext types" => "FACTORY.load(FACTORY.dump([1..2, [3..4]]))",
    "ext types that fail" => "begin; FACTORY.load(FACTORY.dump([1..-1])); rescue ArgumentError; nil; end",
    "factories" => "f = MessagePack::Factory.new; f.register_type(1, Range, packer: ->(r) { r.to_s }, unpacker: ->(s) { s }); f.load(f.dump(1..2)); f.dup.freeze.packer",
    "a pool" => "POOL.load(POOL.dump([1, BYTES]))"
  }.each do |name, work|
    it "stays as it is with #{name}" do
      # A page of 4 KB that is lost each time would be 80 MB.
      expect(measured(<<~RUBY).to_i).to be < 60_000
        BYTES = MessagePack.pack(Array.new(50) { |i| { "k\#{i}" => ["v" * i, i] } })
        PACKER = MessagePack::Packer.new
        UNPACKER = MessagePack::Unpacker.new
        FACTORY = MessagePack::Factory.new
        FACTORY.register_type(1, Range, recursive: true, packer: ->(r, pk) { pk.write([r.begin, r.end]) },
                                                         unpacker: ->(u) { u.read.then { |a, b| b.negative? ? raise(ArgumentError) : a..b } })
        POOL = FACTORY.pool(2)
        work = -> { #{work} }
        3000.times { work.call }
        GC.start
        print growth("VmRSS") { 20_000.times { work.call } && GC.start }
      RUBY
    end
  end

  # What is copied twice is in other memory first, which is an object for the collector.
  it "of Strings of any length is copied once, when they are packed", :ours do
    made = [300, 6000, 20_000, 1_000_000].flat_map do |n|
      [["x" * n], ["x".b * n] * 5].map do |value|
        Array.new(3) { objects_made { MessagePack.pack(value) } }.min # the first calls of anything make more
      end
    end
    expect(made).to eq([1] * 8)
  end

  it "of keys is kept for those of small maps, not for those of a map of more than 1024 entries", :ours do
    expect(measured(<<~RUBY)).to eq("[true, true]")
      few, many = [50, 2000].map { |n| MessagePack.pack((0...n).to_h { |i| ["\#{n}, number \#{i}", i] }) }
      kept = [few, many].map do |bytes|
        ObjectSpace::WeakMap.new.tap { |there| Thread.new { MessagePack.unpack(bytes).each_key { |key| there[key] = true } && nil }.join }
      end
      3.times { GC.start }
      print [kept.first.size > 40, kept.last.size < 10]
    RUBY
  end

  # Pages that one packer gave back are used by the next, whatever was between.
  it "of pages is used again" do
    expect(measured(<<~RUBY).to_i).to be < 20_000
      waves = -> { Array.new(2000) { |i| MessagePack::Packer.new.write("x" * (i % 5000)) }.each(&:reset) }
      2.times { waves.call }
      GC.start
      print growth("VmRSS") { 10.times { waves.call } && GC.start }
    RUBY
  end
end
