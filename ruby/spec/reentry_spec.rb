# frozen_string_literal: true

# Callbacks run user code inside the library: methods, procs and ios. They may do anything to the
# packer, unpacker or buffer that calls them.
RSpec.describe "Re-entrant calls and resource limits" do
  describe "bytes that end anywhere" do
    floats = MessagePack.pack(Array.new(20) { |i| i * 1.1 })
    mixed = MessagePack.pack([Array.new(9) { |i| i * 1.1 }, "text", { "k" => [1.5, 2.5, 3.5, 4.5] }, nil, -1, 70_000])

    [floats, mixed].each_with_index do |bytes, i|
      it "are counted only if they are complete, wherever document #{i} is cut", :ours do
        found = (0...bytes.bytesize).map { |n| MessagePack.count(bytes.byteslice(0, n)) }
        expect(found).to all(eq(0))
        expect(MessagePack.count(bytes)).to eq(1)
      end

      it "may be read in two pieces, wherever document #{i} is cut" do
        document = MessagePack.unpack(bytes)
        (1...bytes.bytesize).each do |n|
          pieces = [bytes.byteslice(0, n) + "", bytes.byteslice(n..) + ""]
          reading = MessagePack::Unpacker.new
          expect(pieces.flat_map { |piece| reading.feed_each(piece).to_a }).to eq([document])
        end
      end

      it "may be skipped in two pieces, wherever document #{i} is cut", :ours do
        (1...bytes.bytesize).each do |n|
          skipping = MessagePack::Unpacker.new(transactional: true).feed(bytes.byteslice(0, n) + "")
          expect { skipping.skip }.to raise_error(EOFError)
          expect(skipping.feed(bytes.byteslice(n..) + "").skip).to be_nil
          expect(skipping.buffer).to be_empty
        end
      end
    end
  end

  describe "an unpacker of an ext type" do
    it "raises RuntimeError if it reads from the unpacker that calls it", :ours do
      unpacker = MessagePack::Unpacker.new
      unpacker.register_type(1) do |_|
        unpacker.reset
        unpacker.feed("\xA5a".b)
        begin
          unpacker.read
        rescue EOFError
          "x"
        end
      end
      unpacker.feed("\x93\xD4\x01a\x02\x03".b + ("\x01".b * 50))
      expect { unpacker.read }.to raise_error(RuntimeError)
      expect(unpacker.buffer.size).to be < 10
    end

    it "cannot bypass the nesting limit with other options", :ours do
      factory = MessagePack::Factory.new
      proc = lambda do |unpacker|
        unpacker.send(:initialize, max_depth: 1)
        unpacker.skip
      end
      factory.register_type(1, Class.new, packer: ->(_, _) {}, unpacker: proc, recursive: true)
      payload = ("\x91".b * 20_000) + "\x01".b
      bytes = "\x91\x91\xC9".b + [payload.size].pack("N") + "\x01".b + payload
      expect { factory.load(bytes) }.to raise_error(MessagePack::StackError)
    end
  end

  it "the hash method of a key may change the source", :ours do
    document = [{ [1] => 1 }, *(["abcdefgh" * 40] * 500)]
    source = MessagePack.pack(document)
    changes = TracePoint.new(:c_call) { |point| source.replace("y" * 10) if point.method_id == :hash }
    expect(changes.enable { MessagePack.unpack(source) }).to eq(document)
  end

  it "the initialize method of ExtensionValue may change the source", :ours do
    value = MessagePack::ExtensionValue.new(1, "abc".b)
    document = [value, *(["abcdefgh" * 40] * 500)]
    source = MessagePack.pack(document)
    changes = TracePoint.new(:c_call) do |point|
      source.replace("y" * 10) if point.method_id == :initialize
    end
    read = changes.enable { MessagePack.unpack(source, allow_unknown_ext: true) }
    expect(source).to eq("y" * 10)
    expect(read).to eq(document)
  end

  it "the write method of an io may reset the packer whose payload it receives", :ours do
    child = nil
    io = Object.new
    io.define_singleton_method(:write) do |string|
      child&.reset
      string.size
    end
    factory = MessagePack::Factory.new
    klass = Class.new
    pieces = lambda do |_, packer|
      child = packer
      3.times { packer.write_bin("q" * 3000) }
      packer.write_bin("w" * 600_000)
    end
    factory.register_type(1, klass, packer: pieces, recursive: true)
    packer = factory.packer(io, io_buffer_size: 1024)
    packer.write("a" * 2000)
    expect(packer.write(klass.new).flush).to be(packer)
  end

  it "a recursive packer may write another object to the packer that calls it", :ours do
    outer = nil
    factory = MessagePack::Factory.new
    pack_inner = lambda do |box, packer|
      packer.write(box.inner)
      outer.write(Objects::Box.new(8)) if box.inner == 7
      packer.write(nil)
    end
    factory.register_type(1, Objects::Box, packer: pack_inner, recursive: true)
    outer = factory.packer
    outer.write(Objects::Box.new(1)).write(Objects::Box.new(7))
    expect(outer.to_s).to eq(hex("d5 01 01 c0 d5 01 08 c0 d5 01 07 c0"))
  end

  it "a String that grows while an Array with it is packed is packed with its new bytes" do
    string = +"a"
    growing = Class.new do
      define_method(:to_msgpack) do |packer|
        string << "b" * 1000
        packer.write(1)
      end
    end
    expect(MessagePack.unpack([growing.new, string, growing.new, string].to_msgpack)).to eq([1, "a" + "b" * 1000, 1, "a" + "b" * 2000])
  end

  it "a Hash that loses an entry while it is packed raises RuntimeError", :ours do
    hash = {}
    shrinking = Class.new do
      define_method(:to_msgpack) do |packer|
        hash.delete(:last)
        packer.write(1)
      end
    end
    hash.update(first: shrinking.new, last: 2)
    [-> { MessagePack.pack(hash) }, -> { MessagePack::Packer.new.write(hash) }].each do |packs|
      hash[:last] = 2
      expect(&packs).to raise_error(RuntimeError, "hash modified while it was packed")
    end
  end

  it "the hash method of a class may freeze the factory", :ours do
    factory = MessagePack::Factory.new
    base = Class.new
    factory.register_type(1, base, packer: ->(_) { "x" })
    derived = Class.new(base)
    derived.define_singleton_method(:hash) do
      factory.freeze
      super()
    end
    expect(factory.dump(derived.new)).to eq(hex("d4 01 78"))
  end

  it "a frozen factory rejects initialize_copy", :ours do
    expect { MessagePack::Factory.new.freeze.send(:initialize_copy, MessagePack::Factory.new) }.to raise_error(FrozenError)
  end

  it "bytes are read intact after a rejected byte is cleared from the buffer", :ours do
    unpacker = MessagePack::Unpacker.new.feed("\xC1".b)
    expect { unpacker.read }.to raise_error(MessagePack::MalformedFormatError)
    unpacker.buffer.clear
    expect(unpacker.feed("\x01\x02").read).to eq(1)
  end

  it "an io may prepend bytes to the buffer while a header is read", :ours do
    unpacker = nil
    io = Object.new
    io.define_singleton_method(:readpartial) do |*|
      unpacker.buffer.prepend("\xdd".b)
      "\x00\x00\x00\x02".b
    end
    unpacker = MessagePack::Unpacker.new(io)
    unpacker.buffer.prepend("\xdc".b)
    expect(unpacker.read_array_header).to eq(0xdc000000)
    expect(unpacker.buffer.to_s).to eq("\x02".b)
  end

  it "a key of a String subclass is not frozen", :ours do
    klass = Class.new(String)
    given = klass.new("key")
    factory = MessagePack::Factory.new
    factory.register_type(1, klass, packer: ->(s) { s.to_s }, unpacker: ->(_) { given })
    expect(factory.load(hex("81 d4 01 78 01"))).to eq("key" => 1)
    expect(given).not_to be_frozen
  end

  it "an io that changes its argument and raises does not change the buffer" do
    io = Object.new
    io.define_singleton_method(:write) do |string|
      string.replace("ZZ")
      raise IOError
    end
    packer = MessagePack::Packer.new(io).write("hello")
    expect { packer.flush }.to raise_error(IOError)
    expect(packer.to_s).to eq("\xa5hello".b)
  end

  [300, 3000].each do |size|
    it "an io may change a String of #{size} bytes that a buffer appends", :ours do
      text = +("t" * size)
      written = +""
      io = Object.new
      io.define_singleton_method(:write) do |string|
        written << string
        text.replace("c" * size)
      end
      threshold = size == 300 ? 256 : 4000
      options = { io_buffer_size: 1024, write_reference_threshold: threshold }
      buffer = MessagePack::Buffer.new(io, options)
      buffer << "a" * 255 until buffer.size >= 1024
      (buffer << "b" * 255) until buffer.size > 2500
      before = buffer.to_s
      buffer << text
      buffer.flush
      expect(written).to eq(before + "t" * size)
    end
  end

  it "an io may append to the buffer that is written to it", :ours do
    buffer = MessagePack::Buffer.new << "a" << "b" * 600_000 << "c"
    before = buffer.to_s
    written = +""
    io = Object.new
    io.define_singleton_method(:write) do |string|
      written << string
      buffer << "x" if written.size < 700_000
    end
    expect(buffer.write_to(io)).to eq(600_002)
    expect([written == before, buffer.to_s]).to eq([true, "xxx"])
  end

  it "an io may clear the buffer that is written to it", :ours do
    buffer = MessagePack::Buffer.new << "a" << "b" * 600_000 << "c"
    written = []
    io = Object.new
    io.define_singleton_method(:write) do |string|
      raise "called too often" if written.size > 5

      written << string
      buffer.clear
    end
    buffer.write_to(io)
    expect(written).to eq(["a"])
    expect(buffer).to be_empty
  end

  it "repeated attempts to skip an incomplete object do not start over", :ours do
    work = lambda do |n|
      unpacker = MessagePack::Unpacker.new(transactional: true).feed("\xdd".b + [n + 1].pack("N"))
      start = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      n.times do
        unpacker.feed("\x01")
        begin
          unpacker.skip
        rescue EOFError
          nil
        end
      end
      Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - start
    end
    work.call(1000)
    # Quadratic work would take ten times as long. The minimum of interleaved rounds excludes most
    # of the influence of other processes.
    rounds = Array.new(5) { [work.call(40_000), Array.new(10) { work.call(4000) }.sum] }
    at_once, in_turns = rounds.transpose.map(&:min)
    expect(at_once).to be < [in_turns, 0.005].max * 4
  end

  describe "a continuation" do
    # Runs the script, which stores a continuation in $here, and resumes the continuation twice
    # after the call that captured it has returned.
    def thrice(script)
      child(<<~RUBY)
        Warning[:deprecated] = false
        require "continuation"
        $here = nil
        times = 0
        #{script}
        fill = Array.new(50) { "x" * 50_000 } # reuses freed memory
        times += 1
        raise unless check.call(result)
        $here.call if times < 3
        print times
      RUBY
    end

    { "pack" => "MessagePack.pack(document)", "a packer" => "MessagePack::Packer.new.write(document).to_s" }.each do |name, call|
      it "that returns into #{name} again finds its memory intact", :ours do
        expect(thrice(<<~RUBY)).to eq("3")
          klass = Class.new do
            def to_msgpack(packer)
              callcc { |k| $here ||= k }
              packer.write("back")
            end
          end
          document = ["a" * 2_000_000, klass.new, "b" * 400_000] # so large that free returns the memory to the system
          check = ->(bytes) { bytes.end_with?(MessagePack.pack("b" * 400_000)) && bytes.include?("back") }
          result = #{call}
        RUBY
      end
    end

    registered = <<~'RUBY'
      factory = MessagePack::Factory.new
      factory.register_type(1, Symbol, packer: ->(s) { s.name }, unpacker: ->(s) { callcc { |k| $here ||= k }; s.to_sym })
      document = nil
      check = ->(read) { read == document }
    RUBY

    it "that returns into unpack again finds its values intact", :ours do
      expect(thrice(<<~RUBY)).to eq("3")
        #{registered}
        document = [["text"] * 20, [:back], [1.5] * 20]
        result = factory.load(factory.dump(document))
      RUBY
    end

    it "that returns into unpack of many values again raises RuntimeError", :ours do
      expect { thrice(<<~RUBY) }.to raise_error(/a continuation came back into an unpacker that had returned \(RuntimeError\)/)
        #{registered}
        document = [*["text"] * 300, [["text"] * 400, [:back], [1.5] * 400]]
        result = factory.load(factory.dump(document))
      RUBY
    end
  end

  it "maps are unpacked in time proportional to the number of entries", :ours do
    # Both documents have the same number of entries: one has maps of 1000 entries, the other has
    # one map. The keys are Integers, because the unpacker looks up each String key among all keys.
    bytes = [Array.new(320) { (0...1000).to_h { |i| [i, i] } }, (0...320_000).to_h { |i| [i, i] }].map { |value| MessagePack.pack(value) }
    time = lambda do |document|
      start = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      MessagePack.unpack(document)
      Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - start
    end
    # With quadratic work, the single map would take more than 100 times as long.
    small, large = Array.new(5) { bytes.map(&time) }.transpose.map(&:min)
    expect(large).to be < small * 10
  end

  it "nested arrays with large lengths use memory in proportion to the available bytes" do
    script = <<~RUBY
      bytes = (("\\xdd".b + [500_000].pack("N")) * 120) + ("\\x01".b * 600_000)
      before = File.read("/proc/self/status")[/VmPeak:\\s+(\\d+)/, 1].to_i
      begin
        MessagePack.unpack(bytes)
      rescue EOFError
        nil
      end
      print File.read("/proc/self/status")[/VmPeak:\\s+(\\d+)/, 1].to_i - before
    RUBY
    expect(measured(script).to_i).to be < 150_000
  end
end

RSpec.describe "Strings that are slices of a message" do
  long = "l" * 3000

  it "are packed as they are before a callback changes them" do
    text = +("t" * 3000)
    klass = Class.new do
      define_method(:to_msgpack) do |packer|
        text.replace("changed" * 1000)
        packer.write(1)
      end
    end
    expect(MessagePack.unpack(MessagePack.pack([text, klass.new, text]))).to eq(["t" * 3000, 1, "changed" * 1000])
  end

  it "are packed as they are before a second callback changes them" do
    calls = 0
    text = +("t" * 3000)
    klass = Class.new do
      define_method(:to_msgpack) do |packer|
        text.replace((calls += 1).to_s * 3000)
        packer.write(nil)
      end
    end
    read = MessagePack.unpack(MessagePack.pack([text, klass.new, text, klass.new, text]))
    expect(read).to eq(["t" * 3000, nil, "1" * 3000, nil, "2" * 3000])
  end

  it "are packed as they are before a packer of an ext type changes them" do
    text = +("t" * 3000)
    factory = MessagePack::Factory.new
    changes = ->(_) { text.replace("changed" * 1000) && "x" }
    factory.register_type(1, Objects::Point, packer: changes)
    bytes = factory.dump([text, Objects::Point.new(1, 2), text])
    expected = hex("93") + pack("t" * 3000) + hex("d4 01 78") + pack("changed" * 1000)
    expect(bytes).to eq(expected)
  end

  it "may be numerous" do
    [1, 15, 16, 17, 64, 65, 1000].each do |n|
      document = Array.new(n) { |i| ["#{i}#{long}", i, "short", { long => [i.to_s * 300] }] }
      expect(MessagePack.unpack(MessagePack.pack(document))).to eq(document)
    end
  end

  it "may have any length and encoding" do
    [254, 255, 256, 257, 8191, 8192, 16_383, 16_384, 16_385].each do |n|
      [("a" * n), ("\xff".b * n), ("é" * (n / 2))].each do |string|
        expect(MessagePack.unpack(MessagePack.pack(["x", string, string, 1]))).to eq(["x", string, string, 1])
      end
      utf16 = ("ö" * n).encode(Encoding::UTF_16LE)
      expect(MessagePack.unpack(MessagePack.pack([utf16]))).to eq(["ö" * n])
    end
  end

  it "are not read beyond their end if a hash method of a class shortens them", :ours do
    text = +("t" * 3000)
    factory = MessagePack::Factory.new
    base = Class.new
    factory.register_type(1, base, packer: ->(_) { "x" })
    derived = Class.new(base)
    derived.define_singleton_method(:hash) do
      text.replace("short")
      super()
    end
    bytes = begin
      factory.dump([text, derived.new])
    rescue RuntimeError => e
      e.message
    end
    expect(bytes).to eq("string modified while it was packed").or eq(MessagePack.pack(["short"]).sub("\x91".b, "\x92".b) + hex("d4 01 78")).or eq(MessagePack.pack(["t" * 3000]).sub("\x91".b, "\x92".b) + hex("d4 01 78"))
  end
end
