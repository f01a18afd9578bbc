# frozen_string_literal: true

# The memory that objects report, and the memory of the process over many operations.
RSpec.describe "Memory" do
  def memsize(object)
    ObjectSpace.memsize_of(object)
  end

  it "as reported for a Factory grows with its types" do
    factory = MessagePack::Factory.new
    empty = memsize(factory)
    factory.register_type(1, Class.new, packer: ->(_) { "" }, unpacker: ->(_) {})
    expect(memsize(factory)).to be > empty
  end

  { packer: ->(_) { "" }, unpacker: ->(_) {} }.each do |name, method|
    it "as reported for a Factory grows with types that have only #{name}s" do
      factory = MessagePack::Factory.new
      empty = memsize(factory)
      factory.register_type(1, Class.new, packer: nil, unpacker: nil, name => method)
      expect(memsize(factory)).to be > empty
    end
  end

  describe "as reported for a Buffer" do
    let(:buffer) { MessagePack::Buffer.new }
    let!(:empty) { memsize(buffer) }

    it("is small for an empty buffer") { expect(empty).to be < 400 }

    it "grows with the written bytes" do
      10.times { buffer << "x" * 500 }
      expect(memsize(buffer)).to be > empty
    end

    it "includes all written bytes", :ours do
      10.times { buffer << "x" * 500 }
      expect(memsize(buffer)).to be >= 5000
    end

    it "includes all bytes of many short Strings", :ours do
      2000.times { buffer << "x" * 100 }
      expect(memsize(buffer)).to be >= 200_000
    end

    it "does not change when a few bytes are read" do
      10.times { buffer << "x" * 500 }
      full = memsize(buffer)
      buffer.read(10)
      expect(memsize(buffer)).to eq(full)
    end

    it "returns to the initial size when all bytes are read" do
      10.times { buffer << "x" * 500 }
      buffer.read_all
      expect(memsize(buffer)).to eq(empty)
    end

    it "returns to the initial size when all bytes are skipped" do
      10.times { buffer << "x" * 500 }
      buffer.skip(5000)
      expect(memsize(buffer)).to eq(empty)
    end

    it "returns to the initial size after clear" do
      buffer << "x" * 100_000 << "y" * 1_000_000
      buffer.clear
      expect(memsize(buffer)).to eq(empty)
    end

    it "grows with each chunk" do
      sizes = Array.new(20) { (buffer << "x" * 600_000) && memsize(buffer) }
      expect(sizes).to eq(sizes.sort.uniq)
    end

    it "is bounded for a String that the buffer only references" do
      string = "x".b * 1_000_000
      buffer << string
      expect(memsize(buffer)).to be < 1_100_000
    end
  end

  describe "as reported for a Packer and an Unpacker" do
    it "grows with the packed bytes", :ours do
      packer = MessagePack::Packer.new
      empty = memsize(packer) + memsize(packer.buffer)
      packer.write("x" * 100_000)
      expect(memsize(packer) + memsize(packer.buffer)).to be >= empty + 100_000
      packer.reset
      expect(memsize(packer) + memsize(packer.buffer)).to be <= empty + 8192
    end

    it "has little overhead over the referenced Strings", :ours do
      strings = Array.new(20) { "x" * 600_000 }
      packer = MessagePack::Packer.new.write(strings)
      expect(packer.buffer.to_a.map(&:bytesize).select { |n| n == 600_000 }.size).to eq(20)
      expect(memsize(packer) + memsize(packer.buffer)).to be < 20 * (600_000 + 5000) + 20_000
    end

    it "has little overhead over fed bytes, when pieces are alternately referenced and copied", :ours do
      unpacker = MessagePack::Unpacker.new
      500.times { unpacker.feed("\xda\x01\x88#{'x' * 300}").feed("y" * 92) }
      expect(memsize(unpacker) + memsize(unpacker.buffer)).to be < 500 * 5000 * 2
    end

    it "does not grow with the number of objects read" do
      unpacker = MessagePack::Unpacker.new
      bytes = pack(Array.new(100) { |i| { "k#{i}" => [i] } })
      sizes = Array.new(20) { unpacker.feed(bytes).read && memsize(unpacker) }
      expect(sizes.last).to eq(sizes.first)
    end

    it "returns to the initial size when the last object is read" do
      unpacker = MessagePack::Unpacker.new
      empty = memsize(unpacker)
      [pack("x" * 40), pack("x" * 40_000), "\x01" * 3, "\x01" * 3000].each do |bytes|
        unpacker.feed(bytes)
        unpacker.read until unpacker.buffer.empty?
        expect(memsize(unpacker)).to eq(empty)
      end
    end

    it "does not grow with the number of errors" do
      unpacker = MessagePack::Unpacker.new
      sizes = Array.new(50) do
        expect { unpacker.feed(hex("91*100 c1")).read }.to raise_error(MessagePack::MalformedFormatError)
        unpacker.reset
        memsize(unpacker)
      end
      expect(sizes.last).to eq(sizes.first)
    end

    it "is small without content" do
      expect([MessagePack::Packer.new, MessagePack::Unpacker.new, MessagePack::Factory.new].map { |object| memsize(object) }).to all(be < 50_000)
    end
  end

  # Each script first does its work a few times, and then many times. The memory of the process must
  # not grow during the second phase.
  {
    "packing small documents" => 'MessagePack.pack({ "id" => 1, "name" => "n" * 20 })',
    "packing documents of mixed sizes" => 'MessagePack.pack(["x" * rand(5000), [1] * rand(1000), "b".b * rand(20_000)])',
    "unpacking" => "MessagePack.unpack(BYTES)",
    "unpacking new keys in each document" => 'MessagePack.unpack(MessagePack.pack({ "key #{rand(2**60)}" => 1 }))',
    "unpacking new keys in each document with one unpacker" => 'UNPACKER.feed(MessagePack.pack({ "key #{rand(2**60)}" => 1 })).read',
    "unpacking truncated bytes" => "begin; MessagePack.unpack(BYTES[0, rand(BYTES.size)]); rescue EOFError; nil; end",
    "unpacking invalid bytes" => 'begin; MessagePack.unpack(("\x91" * 50 + "\xc1").b); rescue MessagePack::MalformedFormatError; nil; end',
    "unpacking nesting that is too deep" => 'begin; MessagePack.unpack(("\x91" * 500).b); rescue MessagePack::StackError; nil; end',
    "packing objects that cannot be packed" => "begin; MessagePack.pack([1] * 3000 + [Object.new]); rescue NoMethodError; nil; end",
    "packers that are discarded with content" => 'MessagePack::Packer.new.write("x" * 20_000).write([1] * 5000)',
    "unpackers that are discarded within an object" => "MessagePack::Unpacker.new.feed(BYTES[0, BYTES.size / 2]).each { nil }",
    "buffers" => 'b = MessagePack::Buffer.new; b << "x" * rand(10_000) << "y" * rand(1_000_000); b.read(rand(10_000)); b.skip(100)',
    "one reused packer" => 'PACKER.write(["x" * rand(10_000), [1] * rand(3000)]); PACKER.full_pack',
    "ext types" => "FACTORY.load(FACTORY.dump([1..2, [3..4]]))",
    "ext types that fail" => "begin; FACTORY.load(FACTORY.dump([1..-1])); rescue ArgumentError; nil; end",
    "factories" => "f = MessagePack::Factory.new; f.register_type(1, Range, packer: ->(r) { r.to_s }, unpacker: ->(s) { s }); f.load(f.dump(1..2)); f.dup.freeze.packer",
    "a pool" => "POOL.load(POOL.dump([1, BYTES]))"
  }.each do |name, work|
    it "does not leak with #{name}" do
      # A leak of one 4 KB page per call would add up to 80 MB.
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

  # A second copy would need intermediate memory, which is one more object for the collector.
  it "of a String of any length is copied only once by pack", :ours do
    made = [300, 6000, 20_000, 1_000_000].flat_map do |n|
      [["x" * n], ["x".b * n] * 5].map do |value|
        Array.new(3) { objects_made { MessagePack.pack(value) } }.min # the first calls allocate more
      end
    end
    expect(made).to eq([1] * 8)
  end

  it "of keys is retained for keys of small maps, not of a map with more than 1024 entries", :ours do
    expect(measured(<<~RUBY)).to eq("[true, true]")
      few, many = [50, 2000].map { |n| MessagePack.pack((0...n).to_h { |i| ["\#{n}, number \#{i}", i] }) }
      kept = [few, many].map do |bytes|
        ObjectSpace::WeakMap.new.tap { |there| Thread.new { MessagePack.unpack(bytes).each_key { |key| there[key] = true } && nil }.join }
      end
      3.times { GC.start }
      print [kept.first.size > 40, kept.last.size < 10]
    RUBY
  end

  # A packer reuses the pages that another packer freed, whatever happens in between.
  it "of pages is reused" do
    expect(measured(<<~RUBY).to_i).to be < 20_000
      waves = -> { Array.new(2000) { |i| MessagePack::Packer.new.write("x" * (i % 5000)) }.each(&:reset) }
      2.times { waves.call }
      GC.start
      print growth("VmRSS") { 10.times { waves.call } && GC.start }
    RUBY
  end
end
