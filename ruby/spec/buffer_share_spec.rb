# frozen_string_literal: true

# Reading a large String does not copy it. The source and the result share their bytes until one of
# them changes. Only the speed and the memory may show the difference.
RSpec.describe "Strings that share their bytes" do
  def middle(on)
    before = MessagePack.share_middle?
    MessagePack.share_middle = on
    yield
  ensure
    MessagePack.share_middle = before
  end

  describe "sharing" do
    it("shares a binary at the end") { expect(shared?(unpack(pack([1, "x".b * 10_000])).last)).to be(true) }
    it "shares a binary at the end of fed bytes" do
      expect(shared?(MessagePack::Unpacker.new.feed(pack([1, "x".b * 10_000])).read.last)).to be(true)
    end
    it("copies a short binary") { expect(shared?(unpack(pack([1, "x".b * 200])).last)).to be(false) }

    it "shares a str at the end from read_reference_threshold bytes on" do
      shares = lambda do |size, **options|
        unpacker = MessagePack::Unpacker.new(options).feed(pack(["x" * 5000, "y" * size]))
        shared?(unpacker.read.last)
      end
      expect([255, 256].map { |size| shares[size] }).to eq([false, true])
      threshold = { read_reference_threshold: 2000 }
      expect([1999, 2000].map { |size| shares[size, **threshold] }).to eq([false, true])
    end

    it "shares a String read from a Buffer from read_reference_threshold bytes on", :ours do
      shares = lambda do |size, **options|
        buffer = MessagePack::Buffer.new(options) << "x" * 40_000
        buffer.skip(40_000 - size)
        shared?(buffer.read)
      end
      expect([255, 256].map { |size| shares[size] }).to eq([false, true])
      threshold = { read_reference_threshold: 2000 }
      expect([1999, 2000].map { |size| shares[size, **threshold] }).to eq([false, true])
    end

    it "shares a str at the end from 1024 bytes on if it is unpacked from a String", :ours do
      shares = ->(size) { shared?(unpack(pack(["x" * 5000, "y" * size])).last) }
      expect([1023, 1024].map(&shares)).to eq([false, true])
    end

    it "shares a binary of 4096 bytes or more in the middle", :ours do
      skip "this Ruby does not support share_middle" unless MessagePack.share_middle?
      expect(unpack(pack(["x".b * 4096, "y".b * 100_000, 1])).first(2).map { |s| shared?(s) }).to eq([true, true])
    end

    it "copies a binary of less than 4096 bytes in the middle", :ours do
      expect(middle(true) { shared?(unpack(pack(["x".b * 4095, 1])).first) }).to be(false)
    end

    # A few methods of String read one byte after the end, so text must not follow.
    it "copies a binary in the middle if the next byte is text", :ours do
      skip "this Ruby does not support share_middle" unless MessagePack.share_middle?
      next_bytes = [0x00, 0x08, 0x09, 0x0d, 0x0e, 0x1f, 0x20, 0x41, 0x7e, 0x7f]
      found = next_bytes.select { |byte| shared?(unpack(pack(["x".b * 5000, byte])).first) }
      expect(found).to eq([0x00, 0x08, 0x0e, 0x1f, 0x7f])
    end

    it "copies a binary in the middle that begins like a number and ends with text", :ours do
      skip "this Ruby does not support share_middle" unless MessagePack.share_middle?
      shares = lambda do |first, last|
        shared?(unpack(pack(["#{first}#{"0" * 5000}#{last}".b, 1])).first)
      end
      number = ["0", "5", "9", "\t", "\r", "+", "-", ".", "_", " "]
      other = ["/", ":", "\b", "\x0e", "a", "\x00", ","]
      expect(number.select { |first| shares[first, "~"] }).to eq([])
      expect(other.select { |first| shares[first, "~"] }).to eq(other)
      expect(number.select { |first| shares[first, "\x7f"] }).to eq(number)
    end

    it "copies a str at the end of a source that was cut from the middle of a String", :ours do
      skip "this Ruby does not support share_middle" unless MessagePack.share_middle?
      inner = unpack(pack([pack([1, "y" * 5000]), 1])).first
      expect(shared?(inner)).to be(true)
      expect(unpack(inner).last).to eq("y" * 5000)
      expect(shared?(unpack(inner).last)).to be(false)
    end

    it "copies a str in the middle, since C code may need a NUL after it", :ours do
      expect(middle(true) { shared?(unpack(pack(["x" * 100_000, 1])).first) }).to be(false)
    end

    it "copies a binary in the middle if share_middle is false", :ours do
      expect(middle(false) { shared?(unpack(pack(["x".b * 100_000, 1])).first) }).to be(false)
    end

    it "shares a binary at the end if share_middle is false", :ours do
      expect(middle(false) { shared?(unpack(pack([1, "x".b * 100_000])).last) }).to be(true)
    end
  end

  describe "MessagePack.share_middle" do
    it("returns true or false", :ours) { expect([true, false]).to include(MessagePack.share_middle?) }
    it("can be switched off", :ours) { expect(middle(false) { MessagePack.share_middle? }).to be(false) }
    it "is false if SLIPSTREAM_MSGPACK_SHARE_MIDDLE=0", :ours do
      expect(child("print MessagePack.share_middle?", env: { "SLIPSTREAM_MSGPACK_SHARE_MIDDLE" => "0" })).to eq("false")
    end

    it "is not changed by other values of SLIPSTREAM_MSGPACK_SHARE_MIDDLE", :ours do
      able = child("print MessagePack.share_middle?")
      ["1", "", "00"].each do |value|
        env = { "SLIPSTREAM_MSGPACK_SHARE_MIDDLE" => value }
        expect(child("print MessagePack.share_middle?", env: env)).to eq(able)
      end
    end

    it "can be switched on again if this Ruby supports it", :ours do
      able = child("print MessagePack.share_middle?") == "true"
      expect(child("print((MessagePack.share_middle = true) && MessagePack.share_middle?)", env: { "SLIPSTREAM_MSGPACK_SHARE_MIDDLE" => "0" })).to eq(able.to_s)
    end

    it "does not change the results", :ours do
      document = ["a".b * 5000, "b" * 5000, { "k" => "c".b * 100_000 }, "d".b * 4096]
      expect(middle(false) { unpack(pack(document)) }).to eq(middle(true) { unpack(pack(document)) })
    end
  end

  # All ways to change a String in Ruby. Each of them must copy the shared bytes first.
  changes = {
    "setbyte" => ->(s) { s.setbyte(0, 33) }, "setbyte at the end" => ->(s) { s.setbyte(-1, 33) },
    "<<" => ->(s) { s << "tail" }, "concat of itself" => ->(s) { s.concat(s) }, "[]=" => ->(s) { s[1, 3] = "ABCDE" },
    "insert" => ->(s) { s.insert(2, "in") }, "prepend" => ->(s) { s.prepend("pre") }, "slice!" => ->(s) { s.slice!(0, 10) },
    "slice! of the end" => ->(s) { s.slice!(-10, 10) }, "chop!" => ->(s) { s.chop! },
    "replace" => ->(s) { s.replace("other") }, "clear" => ->(s) { s.clear }, "upcase!" => ->(s) { s.upcase! },
    "swapcase!" => ->(s) { s.swapcase! }, "reverse!" => ->(s) { s.reverse! },
    "succ!" => ->(s) { s.succ! }, "tr!" => ->(s) { s.tr!("a-z", "b-za") }, "gsub!" => ->(s) { s.gsub!(/[a-z]/, "__") },
    "squeeze!" => ->(s) { s.squeeze! }, "delete!" => ->(s) { s.delete!("a-m") },
    "force_encoding and <<" => ->(s) { s.force_encoding("UTF-8") << "é" }, "encode!" => ->(s) { s.force_encoding("ISO-8859-1").encode!("UTF-16LE") },
    "<< to a dup" => ->(s) { s.dup << "x" }, "lstrip!" => ->(s) { s.prepend("  ") && s.lstrip! },
    "append_as_bytes" => ->(s) { s.respond_to?(:append_as_bytes) ? s.append_as_bytes("é") : s << "e" }
  }

  letters = ->(n, from) { ([*"a".."z"].rotate(from % 26).join * (n / 26 + 1)).byteslice(0, n).b }

  # The positions of the two binaries: at the end of an array, in the middle of an array, or as map
  # values.
  places = {
    "the end" => [->(a, b) { [1, a, b] }, [1, 2]], "the middle" => [->(a, b) { [a, 1, b, 2] }, [0, 2]], "map values" => [->(a, b) { [{ "a" => a, "b" => b }, 3] }, nil]
  }

  pick = ->(document, at) { at ? document.values_at(*at) : document.first.values }

  places.each do |place, (build, at)|
    describe "with strings in #{place}" do
      let(:a) { letters[20_000, 0] }
      let(:b) { letters[20_000, 7] }
      let(:source) { pack(build[a, b]) }
      let!(:whole) { source.b.freeze.then { |s| String.new(s) } }

      ways = {
        "unpack" => ->(bytes) { MessagePack.unpack(bytes) }, "read" => ->(bytes) { MessagePack::Unpacker.new.feed(bytes).read },
        "each" => ->(bytes) { MessagePack::Unpacker.new.feed(bytes).each.first },
        "read of an io" => ->(bytes) { MessagePack::Unpacker.new(StringIO.new(bytes)).read },
        "read in pieces" => ->(bytes) { bytes.scan(/.{1,7000}/mn).each_with_object(MessagePack::Unpacker.new) { |piece, u| u.feed(piece) }.read }
      }

      changes.each do |name, change|
        it "does not change the source or other results when a result is changed by #{name}" do
          ways.each do |way, read|
            first, second = pick[read[source], at]
            change[first]
            expect(second).to eq(b), way
            expect(source).to eq(whole), way
            expect(pick[read[source], at]).to eq([a, b]), way
          end
        end

        it "does not change the results when the source is changed by #{name}" do
          ways.each do |way, read|
            bytes = String.new(whole)
            results = pick[read[bytes], at]
            change[bytes]
            expect(results).to eq([a, b]), way
          end
        end
      end

      it "returns results that can be changed if the source is frozen" do
        first, second = pick[unpack(source.freeze), at]
        first << "more"
        second.upcase!
        expect(source).to eq(whole)
        expect([first, second]).to eq(["#{a}more", b.upcase])
      end

      it "returns results that outlive the source and the unpacker" do
        results = Array.new(20) { pick[unpack(pack(build[a, b])), at] }
        GC.start
        Array.new(2000) { "garbage" * 100 }
        GC.start
        expect(results).to all(eq([a, b]))
      end

      it "returns results that behave like copies" do
        first, = pick[unpack(source), at]
        copy = String.new(a)
        expect(first == copy && first.eql?(copy) && copy == first).to be(true)
        expect(first.hash).to eq(copy.hash)
        expect({ copy => 1 }[first]).to eq(1)
        expect(first <=> copy).to eq(0)
        expect([first.bytesize, first.size, first[-1], first[first.size]]).to eq([20_000, 20_000, copy[-1], nil])
        expect(first.byteslice(10, 19_000)).to eq(copy.byteslice(10, 19_000))
        expect([first.dup, +first, first.clone, first + "", first * 1, first.b, String.new(first)]).to all(eq(copy))
        expect([first.encoding, first.valid_encoding?, first.ascii_only?]).to eq([Encoding::BINARY, true, true])
        expect([first.to_sym, first.intern]).to all(eq(copy.to_sym))
        expect(first.unpack("a*Z*").first).to eq(copy)
        expect([first.index("zzz"), first.index("xyz"), first.scan("abc").size]).to eq([copy.index("zzz"), copy.index("xyz"), copy.scan("abc").size])
        expect(Marshal.load(Marshal.dump(first))).to eq(copy)
        expect(Regexp.new(first).source).to eq(copy)
        expect([first.sum, first.crypt("ab"), first.inspect]).to eq([copy.sum, copy.crypt("ab"), copy.inspect])
        expect("#{first}|").to eq("#{copy}|")
        expect(format("%s|", first)).to eq("#{copy}|")
        expect((-first.dup).equal?(-copy)).to be(true)
        expect(StringIO.new(first).read).to eq(copy)
        expect(first.dup.freeze.dup << "x").to eq("#{copy}x")
        expect(pack(first)).to eq(pack(copy))
        expect(File.exist?(first)).to be(false)
      end
    end
  end

  # Methods that pass the String to C code that expects a NUL at the end. After a shared String, the
  # bytes of the source continue.
  describe "strings that Ruby passes to C" do
    { "1" * 5000 => :Integer, "#{"0" * 5000}12" => :to_i, "1.#{"5" * 5000}" => :to_f, "#{"1" * 5000}r" => :to_r, "0x#{"f" * 5000}" => :hex, "0#{"7" * 5000}" => :oct }.each do |text, method|
      it "converts #{text[0, 4]}... by #{method} without the digits after it" do
        shared = unpack(pack([text.b, 77])).first
        digits = unpack(hex("92 c5") + [text.bytesize].pack("n") + text + "7").first
        read = ->(s) { method == :Integer ? Integer(s) : s.public_send(method) }
        expect([shared, digits].map(&read)).to eq([read[text]] * 2)
      end
    end

    it "stores only the bytes of the string in the environment" do
      value = unpack(pack(["v".b * 5000, "w" * 100])).first
      ENV["SLIPSTREAM_SPEC"] = value
      expect(ENV.fetch("SLIPSTREAM_SPEC")).to eq("v" * 5000)
    ensure
      ENV.delete("SLIPSTREAM_SPEC")
    end

    it "uses only the bytes of the string as a file name" do
      Dir.mktmpdir do |directory|
        name = unpack(pack(["#{directory}/#{"./" * 2000}file".b, "more".b * 2000])).first
        expect([File.exist?(name), Dir.exist?(name), (File.basename(name))]).to eq([false, false, "file"])
      end
    end
  end

  describe "Buffers" do
    [1000, 100_000, 600_000, 3_000_000].each do |size|
      it "do not change if a written String of #{size} bytes is changed later" do
        string = letters[size, 0]
        buffer = MessagePack::Buffer.new
        buffer << string
        string.setbyte(0, 33)
        string << "more"
        expect(buffer.read).to eq(letters[size, 0])
      end

      it "do not change if a String read from #{size} bytes is changed" do
        buffer = MessagePack::Buffer.new
        buffer << letters[size, 0] << letters[size, 1]
        first = buffer.read(size - 10)
        copy = buffer.to_s
        chunks = buffer.to_a
        [first, copy, *chunks].each { |string| string.setbyte(0, 33) unless string.empty? }
        expect(buffer.read).to eq(letters[10, size - 10] + letters[size, 1])
      end

      it "do not change a written String of #{size} bytes if the String read is changed" do
        string = letters[size, 0]
        buffer = MessagePack::Buffer.new
        buffer << string
        buffer.read.setbyte(0, 33)
        expect(string).to eq(letters[size, 0])
      end

      it "do not change a String of #{size} bytes that was passed to Unpacker#feed" do
        string = letters[size, 0]
        unpacker = MessagePack::Unpacker.new.feed(string)
        unpacker.buffer.read(size).upcase!
        expect(string).to eq(letters[size, 0])
      end
    end
  end

  describe "memory" do
    it "is freed with the results" do
      expect(measured(<<~RUBY).to_i).to be < 120_000
        bytes = MessagePack.pack(["x".b * 1_000_000, 1, "y".b * 1_000_000])
        read = -> { MessagePack.unpack(bytes + "") }
        50.times { read.call }
        print growth("VmRSS") { 500.times { read.call } }
      RUBY
    end

    it "of a large source is not retained by small results" do
      expect(measured(<<~RUBY).to_i).to be < 120_000
        bytes = MessagePack.pack(["x".b * 1_000_000, "text" * 20, "y".b * 200])
        keep = []
        read = -> { keep << MessagePack.unpack(bytes + "").drop(1) }
        20.times { read.call }
        print growth("VmRSS") { 500.times { read.call } }
      RUBY
    end

    it "of a large source is retained by one large result for the lifetime of that result", :ours do
      # A slice of 5000 bytes in the middle retains its source of 1 MB, 200 times. A copy of the
      # slice does not.
      script = <<~RUBY
        bytes = MessagePack.pack(["x".b * 1_000_000, "y".b * 5000, 1])
        keep = []
        kept = growth("VmRSS") { 200.times { keep << MessagePack.unpack(bytes + "")[1] } }
        keep.map! { |slice| slice + "" }
        print kept, " ", growth("VmRSS") { 200.times { keep << MessagePack.unpack(bytes + "")[1] + "" } }
      RUBY
      skip "this Ruby does not support share_middle" unless MessagePack.share_middle?
      expect(measured(script).split.map(&:to_i)).to match([be > 150_000, be < 100_000])
      expect(measured(script, env: { "SLIPSTREAM_MSGPACK_SHARE_MIDDLE" => "0" }).split.map(&:to_i)).to all(be < 100_000)
    end

    it "is not used to copy a large binary at the end" do
      expect(measured(<<~RUBY).to_i).to be < 30_000
        bytes = MessagePack.pack([1, "x".b * 50_000_000]).freeze
        GC.start
        print growth("VmPeak") { MessagePack.unpack(bytes) }
      RUBY
    end

    it "is not used to copy large binaries in the middle", :ours do
      skip "this Ruby does not support share_middle" unless MessagePack.share_middle?
      expect(measured(<<~RUBY).to_i).to be < 30_000
        bytes = MessagePack.pack(["x".b * 50_000_000, "y".b * 50_000_000, 1]).freeze
        GC.start
        print growth("VmPeak") { MessagePack.unpack(bytes) }
      RUBY
    end
  end
end
