# frozen_string_literal: true

# The collector may run, and move objects, at every allocation. Each script runs in a child process
# with a small heap. With the collector in each mode, the script must print the same results as
# without it.
RSpec.describe "The collector" do
  prelude = <<~'RUBY'
    require "msgpack/bigint"
    require "stringio"
    Box = Struct.new(:inner)
    FACTORY = MessagePack::Factory.new
    FACTORY.register_type(1, Range, packer: ->(r) { "#{r.begin} #{r.end}" }, unpacker: ->(s) { s.split.map(&:to_i).then { |a, b| a..b } })
    FACTORY.register_type(2, Box, recursive: true, packer: ->(b, pk) { pk.write(b.inner) }, unpacker: ->(u) { Box.new(u.read) })
    FACTORY.register_type(3, Symbol)
    FACTORY.register_type(4, Integer, packer: MessagePack::Bigint.method(:to_msgpack_ext), unpacker: MessagePack::Bigint.method(:from_msgpack_ext), oversized_integer_extension: true)
    FACTORY.register_type(-1, Time, packer: MessagePack::Time::Packer, unpacker: MessagePack::Time::Unpacker)
    DOCUMENT = [1, -5, 2**63, 1.1, nil, true, "short", "é" * 30, "long" * 200, "b".b * 5000, { "key" => { "nested" => [[1], { 2 => "x" }] }, "other" => [] }, [9] * 20]
    BYTES = MessagePack.pack(DOCUMENT)
    def pieces(bytes, size) = (0...bytes.bytesize).step(size).map { |at| bytes.byteslice(at, size) }
  RUBY

  # The keys name the operations. The values are scripts, whose results are printed and must not
  # contain false.
  scripts = {
    "pack" => "MessagePack.pack(DOCUMENT) == BYTES",
    "unpack" => "MessagePack.unpack(BYTES) == DOCUMENT",
    "unpack with symbols" => 'MessagePack.unpack(MessagePack.pack([{ "a" => { "b" => 1 } }] * 5), symbolize_keys: true) == [{ a: { b: 1 } }] * 5',
    "unpack with freeze" => "MessagePack.unpack(BYTES, freeze: true) == DOCUMENT",
    "unpack twice with one unpacker" => "u = MessagePack::Unpacker.new; 2.times.map { u.feed(BYTES).read == DOCUMENT }",
    "unpack from pieces" => "found = []; u = MessagePack::Unpacker.new; pieces(BYTES, 300).each { |piece| u.feed_each(piece) { |x| found << x } }; found == [DOCUMENT]",
    "unpack from an io" => "MessagePack::Unpacker.new(StringIO.new(BYTES * 2), io_buffer_size: 1024).each.to_a == [DOCUMENT] * 2",
    "pack to an io" => "io = StringIO.new(String.new); MessagePack::Packer.new(io, io_buffer_size: 1024).write(DOCUMENT).flush; io.string == BYTES",
    "ext" => "x = [1..2, { 3..4 => [5..6] }]; FACTORY.load(FACTORY.dump(x)) == x",
    "recursive ext" => "x = [Box.new([Box.new({ 1 => Box.new('deep' * 50) })]), 2]; FACTORY.load(FACTORY.dump(x)) == x",
    "symbols, big integers and times" => "x = [:a, { b: 2**100 }, -2**70, Time.at(1, 500, :nsec)]; FACTORY.load(FACTORY.dump(x)) == x",
    "unknown ext" => 'MessagePack.unpack(MessagePack.pack([MessagePack::ExtensionValue.new(5, "abc")]), allow_unknown_ext: true).map(&:payload) == ["abc"]',
    "a pool" => "pool = FACTORY.pool; x = [1..2, :a]; pool.load(pool.dump(x)) == x",
    "factories made and copied" => <<~'RUBY',
      f = MessagePack::Factory.new
      f.register_type(9, Range, packer: ->(r) { r.to_s }, unpacker: ->(s) { s })
      f.dup.freeze.load(f.dup.dump([1..2])) == ["1..2"]
    RUBY
    "headers and skip" => "u = MessagePack::Unpacker.new.feed(BYTES); n = u.read_array_header; n.times { u.skip }; [n, u.buffer.size]",
    "a buffer" => <<~'RUBY',
      b = MessagePack::Buffer.new
      b << "a" * 3000 << "b" * 600_000 << "c"
      [b.read(2999), b.to_a.join.size, b.skip(600_000), b.read] == ["a" * 2999, 600_002, 600_000, "bc"]
    RUBY
    "errors" => '[("\x91" * 50 + "\xc1").b, "\x92\x01".b, "\x91" * 200, "\xd4\x01a".b].map { |bytes| MessagePack.unpack(bytes) rescue $!.class }',
    "large binaries" => 'x = ["m".b * 6000, 1, "t".b * 6000]; r = MessagePack.unpack(MessagePack.pack(x)); r[0] << "more"; r[1..] == x[1..]'
  }
  ours = {
    "read_raw, count and peek_type" => "u = MessagePack::Unpacker.new.feed(BYTES * 3); [u.peek_type, u.read_raw == BYTES, u.count, MessagePack.count(BYTES * 2)]",
    "prepend" => 'b = MessagePack::Buffer.new; b << "c" * 3000; b.prepend("b" * 600_000).prepend("a"); b.read == "a#{"b" * 600_000}#{"c" * 3000}"',
    "transactional reads" => <<~'RUBY'
      u = MessagePack::Unpacker.new(transactional: true)
      r = pieces(BYTES, 1500).map { |piece| u.feed(piece).read rescue nil }
      r.last == DOCUMENT
    RUBY
  }

  # For each mode: the code before the calls under test, the code after them, and the GC method that
  # the mode requires, or nil.
  modes = {
    "runs at every allocation" => ["GC.stress = true", "GC.stress = false", nil],
    "moves objects at every allocation" => ["GC.auto_compact = true; GC.stress = true", "GC.stress = GC.auto_compact = false", :auto_compact=],
    "moves all objects between the calls" => ["", "GC.verify_compaction_references(toward: :empty, double_heap: true)", :verify_compaction_references]
  }

  # A Ruby that cannot move objects does not define these methods, or its methods raise
  # NotImplementedError.
  able = lambda do |name|
    name.nil? || GC.respond_to?(name) && [true, false].include?(GC.auto_compact)
  rescue NotImplementedError
    false
  end

  modes.each do |mode, (zeal, calm, name)|
    describe mode do
      [[scripts, {}], [ours, { ours: true }]].each do |group, tags|
        group.each do |title, text|
          it title, **tags do
            skip "this Ruby cannot move objects" unless able[name]
            results = child(prelude + <<~RUBY).lines
              work = -> { #{text} }
              results = [work.call]
              #{zeal}
              results << work.call << work.call
              #{calm}
              results << work.call << work.call
              results.each { |result| p result }
            RUBY
            expect(results.first).not_to include("false")
            expect(results).to eq([results.first] * 5)
          end
        end
      end
    end
  end

  # While all objects move, the script retains long-lived ones: registries, caches, buffers, and an
  # unpacker within an object.
  it "moves live objects of every kind" do
    skip "this Ruby cannot move objects" unless able[:verify_compaction_references]
    expect(child(prelude + <<~'RUBY')).to eq("true\n" * 9)
      packer = FACTORY.packer.tap { |pk| pk.write([1..2, :a]) }
      unpacker = FACTORY.unpacker.feed(FACTORY.dump([[1..2, { "key" => :b }], 3..4]))
      n = unpacker.read_array_header
      half = MessagePack::Unpacker.new
      half.feed_each(BYTES[0, BYTES.size - 3]) { raise }
      blob = "held".b * 5000
      buffer = MessagePack::Buffer.new << blob << "more"
      io = StringIO.new(BYTES)
      from_io = MessagePack::Unpacker.new(io)
      to_io = MessagePack::Packer.new(out = StringIO.new(String.new))
      to_io.write("x" * 100)
      shared = MessagePack.unpack(MessagePack.pack(["m".b * 6000, 1, "t".b * 6000]))
      pool = FACTORY.pool(2)
      pool.dump([1..2])
      3.times do
        GC.verify_compaction_references(toward: :empty, double_heap: true)
        Array.new(20_000) { "garbage" + rand.to_s }
        GC.start
      end
      p FACTORY.load(packer.to_s) == [1..2, :a]
      p [unpacker.read, unpacker.read] == [[1..2, { "key" => :b }], 3..4]
      found = nil
      half.feed_each(BYTES[-3, 3]) { |x| found = x }
      p found == DOCUMENT
      p buffer.read == blob + "more"
      p from_io.read == DOCUMENT
      p to_io.flush && out.string == MessagePack.pack("x" * 100)
      p shared == ["m" * 6000, 1, "t" * 6000]
      p pool.load(pool.dump([1..2, :a])) == [1..2, :a]
      p MessagePack.unpack(BYTES) == DOCUMENT
    RUBY
  end

  it "runs concurrently in another thread" do
    expect(child(prelude + <<~'RUBY')).to eq("[true]\n")
      stop = false
      collector = Thread.new { GC.start until stop }
      back = ->(x) { FACTORY.load(FACTORY.dump(x)) == x }
      results = Array.new(4) { |i| Thread.new { (0...150).all? { |j| back[[i..j, "t" * j, { "k#{j}" => Box.new(:s) }]] } } }.map(&:value)
      stop = true
      collector.join
      p results.uniq
    RUBY
  end
end
