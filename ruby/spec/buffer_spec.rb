# frozen_string_literal: true

RSpec.describe MessagePack::Buffer do
  let(:buffer) { described_class.new }

  def holding(*strings)
    strings.each_with_object(described_class.new) { |string, buffer| buffer << string }
  end

  describe ".new" do
    it("works without arguments") { expect(described_class.new).to be_empty }
    it("accepts an io") { expect(described_class.new(binary_io("ab")).read).to eq("ab") }
    it("accepts options") { expect(described_class.new(io_buffer_size: 2048)).to be_empty }
    it("accepts an io and options") { expect(described_class.new(binary_io("ab"), io_buffer_size: 2048).read).to eq("ab") }
    it "raises sizes below the minimum to the minimum" do
      expect(described_class.new(io_buffer_size: 1, read_reference_threshold: 0, write_reference_threshold: 0).write("a" * 2000)).to eq(2000)
    end
    it("rejects a size that is not a number") { expect { described_class.new(io_buffer_size: "a") }.to raise_error(::TypeError) }
    it("rejects options that are not a Hash") { expect { described_class.new(binary_io, 1) }.to raise_error(ArgumentError) }
    it "regards the first of two arguments as the io, even if it is a Hash" do
      expect(described_class.new({}, io_buffer_size: 2048).io).to eq({})
    end

    it("rejects a third argument") { expect { described_class.new(nil, {}, 1) }.to raise_error(ArgumentError) }

    it "makes an unpacker read at least 1024 bytes from an io per call" do
      lengths = []
      io = Object.new
      io.define_singleton_method(:read) { |length, _out = nil| (lengths << length) && nil }
      expect { MessagePack::Unpacker.new(io, io_buffer_size: 1).read }.to raise_error(EOFError)
      expect(lengths.first).to be >= 1024
    end
  end

  it("does not support dup") { expect { buffer.dup }.to raise_error(NoMethodError) }
  it("does not support clone") { expect { buffer.clone }.to raise_error(NoMethodError) }

  describe "#write and #<<" do
    it("write returns the number of bytes") { expect(buffer.write("é")).to eq(2) }
    it("write returns 0 for an empty String") { expect(buffer.write("")).to eq(0) }
    it("<< returns the buffer") { expect(buffer << "a").to equal(buffer) }
    it("appends") { expect((buffer << "a" << "b").tap { |b| b.write("c") }.to_s).to eq("abc") }
    it("appends the bytes of a String in any encoding") { expect(holding("é".encode("UTF-16LE"), "é").read).to eq(hex("e9 00 c3 a9")) }

    [1, nil, :a, []].each do |object|
      it("write rejects #{object.inspect}") { expect { buffer.write(object) }.to raise_error(::TypeError) }
      it("<< rejects #{object.inspect}") { expect { buffer << object }.to raise_error(::TypeError) }
    end

    [0, 1, 255, 256, 4095, 4096, 4097, 32_768, 524_287, 524_288, 524_289, 3_000_000].each do |size|
      it("stores #{size} bytes intact") { expect(holding("a", "x" * size, "b").read).to eq("a#{"x" * size}b") }
    end

    it "stores many Strings intact" do
      1.upto(500) { |i| buffer << "#{i}," * i }
      expect(buffer.size).to eq((1..500).sum { |i| (i.to_s.size + 1) * i })
      expect(buffer.read).to eq((1..500).map { |i| "#{i}," * i }.join)
    end
  end

  describe "#size, #empty?, #clear" do
    it "counts bytes" do
      expect([holding("é", "a" * 1_000_000).size, holding("a").empty?, buffer.size, buffer.empty?]).to eq([1_000_002, false, 0, true])
    end
    it("clear returns nil") { expect(holding("a").clear).to be_nil }

    it "clear removes all bytes" do
      full = holding("a", "b" * 1_000_000)
      full.clear
      expect([full.size, full.empty?, full.read, full.to_s]).to eq([0, true, "", ""])
    end

    it "accepts new bytes after clear" do
      full = holding("a" * 100_000).tap(&:clear)
      expect((full << "b").read).to eq("b")
    end
  end

  describe "#read" do
    it("returns all bytes") { expect(holding("ab", "cd").read).to eq("abcd") }
    it("returns a binary String") { expect(holding("é").read.encoding).to eq(Encoding::BINARY) }
    it "consumes the bytes that it returns" do
      expect(holding("abc").then { |b| [b.read(2), b.size, b.read(2), b.read(2)] }).to eq(["ab", 1, "c", nil])
    end
    it("returns the available bytes if there are fewer than requested") { expect(holding("abc").read(10)).to eq("abc") }
    it("returns an empty String for an empty buffer") { expect(buffer.read).to eq("") }
    it("returns nil for an empty buffer and a positive length") { expect(buffer.read(1)).to be_nil }
    it("returns an empty String for length 0") { expect([buffer.read(0), holding("a").read(0)]).to eq(["", ""]) }
    it("returns a binary String for length 0") { expect(holding("a").read(0).encoding).to eq(Encoding::BINARY) }
    it("consumes nothing for length 0") { expect(holding("a").tap { |b| b.read(0) }.size).to eq(1) }
    it "returns all bytes for nil as the length", :ours do
      out = +"other"
      expect([holding("abc").read(nil), holding("abc").read(nil, out), out]).to eq(["abc"] * 3)
    end

    it "rejects a third argument" do
      expect { holding("abc").read(1, +"", 1) }.to raise_error(ArgumentError)
    end

    it "reads across chunks" do
      expect(holding("a" * 600_000, "b" * 600_000, "c").tap { |b| b.read(599_999) }.read(600_002)).to eq("a#{"b" * 600_000}c")
    end
    it("rejects -1 [quirk, fixed: it read all]", :ours) { expect { holding("abc").read(-1) }.to raise_error(ArgumentError) }
    it("rejects a length that is not a number", :ours) { expect { holding("abc").read("1") }.to raise_error(::TypeError) }

    it "reads in pieces that differ from the written pieces" do
      text = Array.new(3000) { |i| i.to_s }.join
      pieces(text, 77).each { |piece| buffer << piece }
      read = +""
      read << buffer.read(101) until buffer.empty?
      expect(read).to eq(text)
    end

    describe "with an output String" do
      let(:out) { +"other" }

      it("returns the output String") { expect(holding("abc").read(2, out)).to equal(out) }
      it("replaces the content of the String") { expect(holding("abc").tap { |b| b.read(2, out) } && out).to eq("ab") }
      it("replaces the content with the available bytes if there are fewer than requested") { expect(holding("abc").tap { |b| b.read(10, out) } && out).to eq("abc") }
      it("preserves the encoding of the String") { expect(holding("abc").tap { |b| b.read(2, out) } && out.encoding).to eq(Encoding::UTF_8) }
      it("empties the String for length 0") { expect(holding("abc").tap { |b| b.read(0, out) } && out).to eq("") }
      it("empties the String and returns nil at the end") { expect([buffer.read(2, out), out]).to eq([nil, ""]) }
      it("replaces the content with a large number of bytes") { expect(holding("x" * 1_000_000).tap { |b| b.read(900_000, out) } && out).to eq("x" * 900_000) }
      it("rejects a frozen String") { expect { holding("abc").read(1, "f".freeze) }.to raise_error(FrozenError) }
      it "consumes nothing if the String is frozen" do
        full = holding("abc")
        expect { full.read(1, "f".freeze) }.to raise_error(FrozenError)
        expect { full.read_all(1, "f".freeze) }.to raise_error(FrozenError)
        expect(full.size).to eq(3)
      end

      it("rejects an object that is not a String") { expect { holding("abc").read(1, 1) }.to raise_error(::TypeError) }
    end
  end

  describe "#read_all" do
    it("returns all bytes") { expect(holding("ab", "cd").read_all).to eq("abcd") }
    it("returns n bytes") { expect(holding("abc").then { |b| [b.read_all(2), b.size] }).to eq(["ab", 1]) }
    it("returns an empty String for an empty buffer") { expect([buffer.read_all, buffer.read_all(0)]).to eq(["", ""]) }
    it("returns a binary String") { expect(holding("é").read_all(2).encoding).to eq(Encoding::BINARY) }
    it("raises EOFError if the buffer has fewer bytes") { expect { holding("abc").read_all(4) }.to raise_error(EOFError, "end of buffer reached") }

    it "consumes nothing if the buffer has fewer bytes" do
      short = holding("abc", "d" * 600_000)
      expect { short.read_all(600_004) }.to raise_error(EOFError)
      expect(short.size).to eq(600_003)
    end

    it "replaces the content of an output String" do
      out = +"other"
      expect(holding("abc").read_all(2, out)).to equal(out)
      expect(out).to eq("ab")
    end
  end

  describe "#skip and #skip_all" do
    it("skip returns the number of skipped bytes") { expect(holding("abc").then { |b| [b.skip(2), b.skip(2), b.skip(2)] }).to eq([2, 1, 0]) }
    it "skip crosses chunks" do
      expect(holding("a" * 600_000, "b" * 600_000, "c").then { |b| [b.skip(1_200_000), b.read] }).to eq([1_200_000, "c"])
    end
    it("skip returns 0 for length 0") { expect(holding("a").skip(0)).to eq(0) }
    it("skip_all returns the buffer") { expect(holding("abc").then { |b| b.skip_all(2).equal?(b) }).to be(true) }
    it("skip_all skips n bytes") { expect(holding("abc").skip_all(2).read).to eq("c") }
    it("skip_all skips nothing for length 0") { expect(buffer.skip_all(0)).to equal(buffer) }
    it("skip_all raises EOFError if the buffer has fewer bytes") { expect { holding("abc").skip_all(4) }.to raise_error(EOFError, "end of buffer reached") }
    it "skip_all consumes nothing if the buffer has fewer bytes" do
      expect(holding("abc").then { |b| (b.skip_all(4) rescue nil) || b.size }).to eq(3)
    end
  end

  describe "#to_s, #to_str and #to_a" do
    it "return all bytes and consume nothing" do
      expect(holding("ab", "c").then { |b| [b.to_s, b.to_str, b.to_a.join, b.size] }).to eq(["abc", "abc", "abc", 3])
    end
    it("return binary Strings") { expect(holding("é").then { |b| [b.to_s.encoding, b.to_str.encoding] }).to eq([Encoding::BINARY] * 2) }
    it("return copies") { expect(holding("abc").tap { |b| b.to_s << "more" }.tap { |b| b.to_str.clear }.to_s).to eq("abc") }
    it "to_a returns the chunks in order" do
      expect(holding("a", "b" * 600_000, "c").to_a.then { |chunks| [chunks.size > 1, chunks.join] }).to eq([true, "a#{"b" * 600_000}c"])
    end
    it("to_a returns Strings") { expect(holding("a", "b" * 600_000).to_a).to all(be_a(String)) }
    it "to_a returns chunks whose changes do not affect the buffer" do
      expect(holding("a", "b" * 600_000).tap { |b| b.to_a.each(&:clear) }.size).to eq(600_001)
    end
    it("to_str makes a buffer a valid operand of String#+") { expect("" + holding("abc")).to eq("abc") }
    it("to_a returns one empty String for an empty buffer") { expect(buffer.to_a).to eq([""]) }

    it "to_a returns no empty String for an empty chunk", :ours do
      expect(holding("a" * 40_000).prepend("").to_a).to eq(["a" * 40_000])
    end

    # Newer Rubies store Strings of up to 640 bytes in their objects, so these are always copied.
    least = RUBY_VERSION >= "3.2" ? 5000 : 256

    it "to_a returns long Strings as chunks of their own", :ours do
      parts = ["a", "b" * 255, "c" * least]
      [256, 1, 0, nil].each do |threshold|
        written = described_class.new(write_reference_threshold: threshold || 256)
        fed = MessagePack::Unpacker.new(read_reference_threshold: threshold)
        parts.each { |part| (written << part) && fed.feed(part) }
        expect([written, fed.buffer].map { |b| b.to_a.map(&:size) }).to eq([[256, least]] * 2)
      end
    end

    it "to_a returns long prepended Strings as chunks of their own", :ours do
      full = holding("x").prepend("y" * 255).prepend("z" * least)
      expect(full.to_a.map(&:size)).to eq([least, 255, 1])
    end

    it("to_s returns an empty String for an empty buffer") { expect(buffer.to_s).to eq("") }
  end

  describe "with an io to read from" do
    it("reads to the end of the io") { expect(described_class.new(binary_io("abc")).read).to eq("abc") }
    it "requests only the missing bytes, so that it does not wait for more", :ours do
      lengths = []
      io = Object.new
      io.define_singleton_method(:readpartial) { |n| (lengths << n) && "x" * n }
      from_io = described_class.new(io, io_buffer_size: 2000) << "ab"
      expect([from_io.read(5), from_io.skip(7), from_io.read(3000)]).to eq(["abxxx", 7, "x" * 3000])
      expect(lengths).to eq([3, 7, 2000, 1000])
    end

    it("reads n bytes") { expect(described_class.new(binary_io("abc")).then { |b| [b.read(2), b.read(2), b.read(2)] }).to eq(["ab", "c", nil]) }
    it("reads exactly n bytes with read_all") { expect(described_class.new(Ios::Drip.new("abc" * 1000, 7)).read_all(2500)).to eq(("abc" * 1000)[0, 2500]) }
    it "reads to the end with read_all" do
      expect(described_class.new(Ios::Drip.new("abc" * 1000, 7)).tap { |b| b.read(3) }.read_all).to eq("abc" * 999)
    end
    it "skips n bytes" do
      expect(described_class.new(binary_io("abcdef")).then { |b| [b.skip(2), b.read(1), b.skip(10), b.skip(1)] }).to eq([2, "c", 3, 0])
    end
    it("skips exactly n bytes with skip_all") { expect(described_class.new(Ios::Drip.new("abc" * 1000, 7)).skip_all(2999).read).to eq("c") }
    it("reads the buffered bytes before the io") { expect((described_class.new(binary_io("c")) << "ab").read).to eq("abc") }

    { read: 2, read_all: 2, skip: 2, skip_all: 2 }.each do |name, n|
      it "#{name}(#{n}) does not read from the io if the buffer has enough bytes" do
        io = Object.new
        def io.read(*) = raise("asked")
        expect { (described_class.new(io) << "ab").public_send(name, n) }.not_to raise_error
      end
    end

    it("raises EOFError if the io ends too early") { expect { described_class.new(binary_io("abc")).read_all(4) }.to raise_error(EOFError) }

    it "consumes nothing if the io ends too early" do
      short = described_class.new(binary_io("abc"))
      expect { short.read_all(4) }.to raise_error(EOFError)
      expect { short.skip_all(4) }.to raise_error(EOFError)
      expect(short.read).to eq("abc")
    end
  end

  describe "with an io to write to" do
    let(:io) { binary_io }

    it "flush writes to the io and returns the buffer" do
      expect((described_class.new(io) << "ab").then { |b| [b.flush.equal?(b), b.size, io.string] }).to eq([true, 0, "ab"])
    end
    it("flush without an io preserves the bytes") { expect(holding("ab").flush.to_s).to eq("ab") }
    it "flush writes the chunks in order" do
      expect((described_class.new(io) << "a" << "b" * 600_000 << "c").flush && io.string).to eq("a#{"b" * 600_000}c")
    end
    it "writes to the io automatically when many short Strings are appended" do
      full = described_class.new(io, io_buffer_size: 1024)
      200.times { |i| full << (i % 10).to_s * 100 }
      expect(io.string.bytesize).to be > 10_000
      full.flush
      expect(io.string).to eq(Array.new(200) { |i| (i % 10).to_s * 100 }.join)
    end

    it "names the missing method if the io cannot write or read" do
      expect { (described_class.new(Object.new) << "a").flush }
        .to raise_error(NoMethodError, /write/)
      expect { holding("a").write_to(Object.new) }.to raise_error(NoMethodError, /write/)
      expect { described_class.new(Object.new).read(1) }.to raise_error(NoMethodError, /[`']read'/)
    end

    it "prefers write to <<" do
      both = Ios::Shovel.new
      def both.write(string) = @bytes << "(#{string})"
      (described_class.new(both) << "a").flush
      expect(both.bytes).to eq("(a)")
    end

    it "writes binary Strings, whatever their length and encoding" do
      encodings = []
      io.define_singleton_method(:write) { |string| encodings << string.encoding }
      (described_class.new(io) << "é" << "é" * 100_000 << "é").flush
      expect(encodings.uniq).to eq([Encoding::BINARY])
    end

    it("returns its io") { expect([described_class.new(io).io, buffer.io]).to eq([io, nil]) }
    it("close closes the io") { expect(described_class.new(io).close || io.closed?).to be(true) }
    it("close without an io returns nil") { expect(buffer.close).to be_nil }
    it "writes to an io that has only <<" do
      expect(Ios::Shovel.new.tap { |shovel| (described_class.new(shovel) << "ab").flush }.bytes).to eq("ab")
    end
  end

  describe "#write_to" do
    it "writes to any io, consumes the bytes and returns their number" do
      io = binary_io
      full = holding("a", "b" * 600_000, "c")
      expect(full.write_to(io)).to eq(600_002)
      expect([io.string, full.size]).to eq(["a#{"b" * 600_000}c", 0])
    end

    it("returns 0 for an empty buffer") { expect(buffer.write_to(binary_io)).to eq(0) }
    it("rejects an object without a write method") { expect { holding("a").write_to(Object.new) }.to raise_error(NoMethodError) }
  end

  describe "#prepend" do
    it("returns the buffer", :ours) { expect(buffer.prepend("a")).to equal(buffer) }
    it("inserts bytes before all other bytes", :ours) { expect(holding("b", "c").prepend("a").read).to eq("abc") }
    it("inserts bytes into an empty buffer", :ours) { expect(buffer.prepend("a").read).to eq("a") }
    it("inserts each String before the previous one", :ours) { expect(holding("d").prepend("c").prepend("b").prepend("a").read).to eq("abcd") }
    it("increases the size", :ours) { expect(holding("b").prepend("é").size).to eq(3) }
    it("accepts an empty String", :ours) { expect(holding("b").prepend("").read).to eq("b") }
    it("inserts the bytes of a String in any encoding", :ours) { expect(holding("b").prepend("é".encode("UTF-16LE")).read).to eq(hex("e9 00 62")) }
    it("rejects an object that is not a String", :ours) { expect { buffer.prepend(1) }.to raise_error(::TypeError) }
    it("can be combined with appending", :ours) { expect((buffer.prepend("b") << "c").prepend("a").read).to eq("abc") }

    [1, 255, 256, 4096, 40_000, 600_000].each do |size|
      it "inserts #{size} bytes into a buffer that is half read", :ours do
        expect(holding("x" * 1000).tap { |b| b.read(500) }.prepend("y" * size).read).to eq("y" * size + "x" * 500)
      end
    end

    it "copies the String, so later changes do not affect the buffer", :ours do
      [10, 1000, 1_000_000].each do |size|
        string = "y" * size
        full = holding("x").prepend(string)
        string[0] = "z"
        expect(full.read).to eq("#{"y" * size}x")
      end
    end

    it "inserts bytes that an unpacker reads first, even in the middle of an object", :ours do
      unpacker = fed("02 03")
      unpacker.read
      unpacker.buffer.prepend("\x01")
      expect([unpacker.read, unpacker.read]).to eq([1, 3])
    end

    it "inserts bytes before the bytes of the io", :ours do
      from_io = described_class.new(binary_io("cd"))
      first = from_io.read(1)
      expect(from_io.prepend("#{first}!").read).to eq("c!d")
    end

    it "inserts a hundred thousand Strings", :ours do
      100_000.times { |i| buffer.prepend((i % 10).to_s) }
      expect(buffer.read).to eq("9876543210" * 10_000)
    end
  end

  describe "time" do
    def seconds
      GC.start
      before = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      yield
      Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - before
    end

    # Work on 20 times as many chunks must take about as long as 20 repetitions of the small work,
    # not 20 times as long. The limit of 10 allows for the allocator and the collector. The minimum
    # of interleaved rounds excludes most of the influence of other processes.
    def expect_linear(few)
      yield few
      rounds = Array.new(5) { [seconds { yield few * 20 }, seconds { 20.times { yield few } }] }
      at_once, in_turns = rounds.transpose.map(&:min)
      expect(at_once).to be < [in_turns, 0.005].max * 10
    end

    it "of appending is linear in the number of chunks" do
      chunk = "x".b * 600_000
      expect_linear(20) { |n| n.times.each_with_object(described_class.new) { |_, b| b << chunk } }
    end

    it "of prepending is linear in the number of chunks", :ours do
      chunk = "x".b * 1000
      expect_linear(1000) { |n| n.times.each_with_object(described_class.new) { |_, b| b.prepend(chunk) } }
    end

    it "of feeding is linear in the number of chunks [1.8.3 was quadratic]", :ours do
      chunk = "x".b * 600
      expect_linear(3000) { |n| n.times.each_with_object(MessagePack::Unpacker.new) { |_, u| u.feed(chunk) } }
    end

    it "of feeding and reading is linear in the number of objects" do
      chunk = pack("x" * 600)
      expect_linear(500) { |n| n.times.each_with_object(MessagePack::Unpacker.new) { |_, u| u.feed(chunk).read } }
    end
  end

  describe "random operations" do
    it "have the same results as on a String" do
      rng = Random.new(RSpec.configuration.seed)
      200.times do
        model = "".b
        tested = described_class.new
        60.times do
          string = rng.bytes([0, 1, 10, 300, 5000, 40_000].sample(random: rng) + rng.rand(5))
          n = [0, 1, rng.rand(100), rng.rand(50_000)].sample(random: rng)
          case rng.rand(8)
          when 0, 1 then expect(tested.write(string)).to eq(model.tap { model << string } && string.bytesize)
          when 2 then expect(tested.read(n)).to eq(n.zero? ? "" : model.slice!(0, n).then { |read| read.empty? ? nil : read })
          when 3 then expect(tested.skip(n)).to eq(model.slice!(0, n).bytesize)
          when 4 then n <= model.bytesize ? expect(tested.read_all(n)).to(eq(model.slice!(0, n))) : expect { tested.read_all(n) }.to(raise_error(EOFError))
          when 5 then expect(tested.to_s).to eq(model)
          when 6 then expect(tested.size).to eq(model.bytesize)
          when 7 then rng.rand(10).zero? ? [tested.clear, model.clear] : expect(tested.to_a.join).to(eq(model))
          end
        end
        expect(tested.read).to eq(model)
      end
    end
  end

  # Two buffers must never share a page. In 1.8.3, one buffer could read what another wrote.
  describe "many buffers side by side" do
    it "do not share bytes when writes, reads and clears alternate" do
      rng = Random.new(RSpec.configuration.seed)
      packers = Array.new(40) { MessagePack::Packer.new }
      models = Array.new(40) { "".b }
      8000.times do
        i = rng.rand(40)
        case rng.rand(10)
        when 0..5
          object = [i.to_s * rng.rand(300), [i] * rng.rand(60), { i => "v" * rng.rand(5000) }].sample(random: rng)
          packers[i].write(object)
          models[i] << pack(object)
        when 6
          n = rng.rand(6000)
          packers[i].buffer.skip(n)
          models[i].slice!(0, n)
        when 7
          packers[i].reset
          models[i].clear
        when 8
          n = rng.rand(6000)
          expect(packers[i].buffer.read(n).to_s).to eq(models[i].slice!(0, n))
        when 9
          packers[i] = MessagePack::Packer.new
          models[i] = "".b
        end
      end
      expect(packers.map(&:to_s)).to eq(models)
    end

    it "do not share bytes when packers are created within ext types" do
      factory = MessagePack::Factory.new
      factory.register_type(1, Objects::Box, packer: ->(box) { factory.dump(box.inner) }, unpacker: ->(bytes) { Objects::Box.new(factory.load(bytes)) })
      box = 30.times.inject("start" * 100) { |inner, i| Objects::Box.new([i.to_s * 100, inner, { "k" * i => i }]) }
      expect(factory.load(factory.dump([box, box]))).to eq([box, box])
    end

    it "do not share bytes when they are partly read and written" do
      buffers = Array.new(50) { |i| holding(i.chr * 3000) }
      buffers.each { |b| b.read(2900) }
      others = Array.new(50) { |i| holding("x" * 1500, i.chr * 1500) }
      buffers.each_with_index { |b, i| b << (100 + i).chr * 3000 }
      others.each { |b| b.skip(1500) }
      expect(buffers.map(&:read)).to eq(Array.new(50) { |i| i.chr * 100 + (100 + i).chr * 3000 })
      expect(others.map(&:read)).to eq(Array.new(50) { |i| i.chr * 1500 })
    end
  end
end
