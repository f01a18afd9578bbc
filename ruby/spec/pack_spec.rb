# frozen_string_literal: true

# The bytes that MessagePack.pack writes for each kind of object.
RSpec.describe "MessagePack.pack" do
  describe "nil, true, false" do
    { nil => "c0", true => "c3", false => "c2" }.each do |object, bytes|
      it("writes #{object.inspect} as #{bytes}") { expect(pack(object)).to eq(hex(bytes)) }
    end
  end

  describe "an Integer is written in the shortest form:" do
    {
      0 => "00", 1 => "01", 127 => "7f",
      128 => "cc 80", 255 => "cc ff",
      256 => "cd 01 00", 65_535 => "cd ff ff",
      65_536 => "ce 00 01 00 00", 2**31 - 1 => "ce 7f ff ff ff", 2**31 => "ce 80 00 00 00", 2**32 - 1 => "ce ff ff ff ff",
      2**32 => "cf 00 00 00 01 00 00 00 00", 2**62 - 1 => "cf 3f ff ff ff ff ff ff ff", 2**62 => "cf 40 00 00 00 00 00 00 00",
      2**63 - 1 => "cf 7f ff ff ff ff ff ff ff", 2**63 => "cf 80 00 00 00 00 00 00 00", 2**64 - 1 => "cf ff ff ff ff ff ff ff ff",
      -1 => "ff", -32 => "e0",
      -33 => "d0 df", -128 => "d0 80",
      -129 => "d1 ff 7f", -32_768 => "d1 80 00",
      -32_769 => "d2 ff ff 7f ff", -2**31 => "d2 80 00 00 00",
      -2**31 - 1 => "d3 ff ff ff ff 7f ff ff ff", -2**62 => "d3 c0 00 00 00 00 00 00 00",
      -2**62 - 1 => "d3 bf ff ff ff ff ff ff ff", -2**63 => "d3 80 00 00 00 00 00 00 00"
    }.each do |integer, bytes|
      it("writes #{integer} as #{bytes}") { expect(pack(integer)).to eq(hex(bytes)) }
    end

    it "rejects a positive Integer of more than 64 bits" do
      expect { pack(2**64) }.to raise_error(RangeError, /\Abignum too big to convert into [`']unsigned long long'\z/)
    end

    it "rejects a negative Integer of more than 64 bits" do
      expect { pack(-2**63 - 1) }.to raise_error(RangeError, /\Abignum too big to convert into [`']long long'\z/)
    end

    it "rejects a very large Integer" do
      expect { pack(2**1000) }.to raise_error(RangeError)
      expect { pack(-2**1000) }.to raise_error(RangeError)
    end

    it "rejects a large Integer inside a collection" do
      expect { pack([{ "a" => 2**64 }]) }.to raise_error(RangeError)
    end
  end

  describe "a Float is always written in 64 bits:" do
    {
      0.0 => "cb 00*8", 1.0 => "cb 3f f0 00*6", -1.0 => "cb bf f0 00*6", 0.5 => "cb 3f e0 00*6",
      1.1 => "cb 3f f1 99 99 99 99 99 9a", 1e300 => "cb 7e 37 e4 3c 88 00 75 9c",
      Float::MAX => "cb 7f ef ff ff ff ff ff ff", Float::MIN => "cb 00 10 00*6", 5e-324 => "cb 00*7 01",
      Float::INFINITY => "cb 7f f0 00*6", -Float::INFINITY => "cb ff f0 00*6"
    }.each do |float, bytes|
      it("writes #{float} as #{bytes}") { expect(pack(float)).to eq(hex(bytes)) }
    end

    it("preserves the sign of -0.0") { expect(pack(-0.0)).to eq(hex("cb 80 00*7")) }

    it "writes a NaN as a NaN" do
      bytes = pack(Float::NAN)
      expect(bytes.bytesize).to eq(9)
      expect(bytes.unpack1("xG")).to be_nan
    end
  end

  describe "the header of a String" do
    { 0 => "a0", 1 => "a1", 31 => "bf", 32 => "d9 20", 255 => "d9 ff", 256 => "da 01 00", 65_535 => "da ff ff",
      65_536 => "db 00 01 00 00" }.each do |size, head|
      it("of #{size} bytes is #{head}") { expect(pack("a" * size)).to eq(hex("#{head} 61*#{size}")) }
    end

    it "counts bytes, not characters" do
      expect(pack("é" * 16)).to eq(hex("d9 20") + "é".b * 16)
    end
  end

  describe "the header of a binary String" do
    { 0 => "c4 00", 1 => "c4 01", 255 => "c4 ff", 256 => "c5 01 00", 65_535 => "c5 ff ff",
      65_536 => "c6 00 01 00 00" }.each do |size, head|
      it("of #{size} bytes is #{head}") { expect(pack("a".b * size)).to eq(hex("#{head} 61*#{size}")) }
    end
  end

  describe "the header of an Array" do
    { 0 => "90", 1 => "91", 15 => "9f", 16 => "dc 00 10", 65_535 => "dc ff ff", 65_536 => "dd 00 01 00 00" }.each do |size, head|
      it("of #{size} elements is #{head}") { expect(pack([1] * size)).to eq(hex("#{head} 01*#{size}")) }
    end
  end

  describe "the header of a Hash" do
    { 0 => "80", 1 => "81", 15 => "8f", 16 => "de 00 10", 65_535 => "de ff ff", 65_536 => "df 00 01 00 00" }.each do |size, head|
      it "of #{size} entries is #{head}" do
        entries = Array.new(size) { |i| [i, nil] }
        expect(pack(entries.to_h)).to eq(hex(head) + entries.map { |i, _| pack(i) + "\xc0".b }.join)
      end
    end
  end

  describe "the encoding of a String" do
    it("UTF-8 is written as str") { expect(pack("é")).to eq(hex("a2 c3 a9")) }
    it("US-ASCII is written as str") { expect(pack("a".encode("US-ASCII"))).to eq(hex("a1 61")) }
    it("ASCII-8BIT is written as bin") { expect(pack("\xff".b)).to eq(hex("c4 01 ff")) }
    it("ASCII-8BIT is written as bin even for plain text") { expect(pack("a".b)).to eq(hex("c4 01 61")) }

    {
      "ISO-8859-1" => "é", "Windows-1252" => "€", "UTF-16LE" => "é", "UTF-16BE" => "日本", "UTF-32LE" => "🍺",
      "Shift_JIS" => "日本", "EUC-JP" => "日本", "ISO-2022-JP" => "日本", "KOI8-R" => "Кириллица"
    }.each do |encoding, text|
      it "#{encoding} is transcoded to UTF-8" do
        expect(pack(text.encode(encoding))).to eq(pack(text))
      end

      it "#{encoding} is written as ASCII if the text is plain ASCII" do
        expect(pack("abc".encode(encoding))).to eq(hex("a3 61 62 63"))
      end
    end

    it "invalid UTF-8 is written unchanged" do
      expect(pack("a\xff\xfe")).to eq(hex("a3 61 ff fe"))
    end

    it "invalid US-ASCII is written unchanged" do
      expect(pack((+"\xff").force_encoding("US-ASCII"))).to eq(hex("a1 ff"))
    end

    it "text that cannot be transcoded raises the EncodingError of Ruby" do
      expect { pack((+"\xff").force_encoding("EUC-JP")) }.to raise_error(Encoding::InvalidByteSequenceError)
      expect { pack((+"\x81").force_encoding("Windows-1252")) }.to raise_error(Encoding::UndefinedConversionError)
    end

    it "does not change the String" do
      text = "é".encode("UTF-16LE").freeze
      pack([text])
      expect(text).to eq("é".encode("UTF-16LE"))
      expect(text.encoding).to eq(Encoding::UTF_16LE)
    end
  end

  describe "a Symbol" do
    { a: "a1 61", "": "a0", "é": "a2 c3 a9", "a b": "a3 61 20 62" }.each do |symbol, bytes|
      it("#{symbol.inspect} is written as its name") { expect(pack(symbol)).to eq(hex(bytes)) }
    end

    it("with a binary name is written as bin") { expect(pack("\xff".b.to_sym)).to eq(hex("c4 01 ff")) }
    it("in another encoding is transcoded") { expect(pack("é".encode("UTF-16LE").to_sym)).to eq(hex("a2 c3 a9")) }
    it("is valid as a key") { expect(pack({ a: :b })).to eq(hex("81 a1 61 a1 62")) }
  end

  describe "collections" do
    it "writes a Hash in its order" do
      expect(pack({ "b" => 1, "a" => 2 })).to eq(hex("82 a1 62 01 a1 61 02"))
    end

    it "writes keys of any kind" do
      expect(pack({ nil => 1, 2 => 3, [4] => 5, { 6 => 7 } => 8, 1.0 => 9 }))
        .to eq(hex("85 c0 01 02 03 91 04 05 81 06 07 08 cb 3f f0 00*6 09"))
    end

    it "writes both of two equal keys of a Hash that compares by identity" do
      hash = {}.compare_by_identity
      hash[+"a"] = 1
      hash[+"a"] = 2
      expect(pack(hash)).to eq(hex("82 a1 61 01 a1 61 02"))
    end

    it "does not call the default of a Hash" do
      hash = Hash.new { |h, k| h[k] = 1 }
      expect(pack(hash)).to eq(hex("80"))
      expect(hash).to be_empty
    end

    it "writes frozen objects" do
      expect(pack([["a"].freeze, { "b" => nil }.freeze].freeze)).to eq(hex("92 91 a1 61 81 a1 62 c0"))
    end

    it "writes an instance of a subclass of Array, Hash and String as its base class" do
      objects = [Class.new(Array).new([1]), Class.new(Hash)[1, 2], Class.new(String).new("a")]
      expect(pack(objects)).to eq(hex("93 91 01 81 01 02 a1 61"))
    end

    it "writes an object with a singleton class as an instance of its class" do
      text = +"a"
      def text.shout = upcase
      expect(pack(text)).to eq(hex("a1 61"))
    end

    it "nests without limit" do
      deep = nil
      10_000.times { deep = [deep] }
      expect(pack(deep)).to eq(hex("91*10000 c0"))
    end

    it "nests hashes 1000 levels deep" do
      deep = nil
      1000.times { deep = { 1 => deep } }
      expect(pack(deep)).to eq(hex("81 01") * 1000 + hex("c0"))
    end

    it "raises SystemStackError for an Array that contains itself" do
      expect(child(<<~RUBY)).to eq("SystemStackError")
        loop = []
        loop << loop
        begin
          MessagePack.pack(loop)
        rescue SystemStackError => e
          print e.class
        end
      RUBY
    end

    it "raises SystemStackError for a Hash that contains itself, and packs again afterwards" do
      expect(child(<<~RUBY)).to eq("SystemStackError [1]")
        loop = {}
        loop[1] = loop
        begin
          MessagePack.pack(loop)
        rescue SystemStackError => e
          print e.class, " ", MessagePack.unpack(MessagePack.pack([1]))
        end
      RUBY
    end
  end

  describe "collections that change while they are written" do
    def meddler(&block)
      Class.new { define_method(:to_msgpack) { |packer| block.call && packer.write("x") } }.new
    end

    it "raises the error of Ruby if a key is added to the Hash" do
      hash = {}
      hash[1] = meddler { hash[rand] = 2 }
      expect { pack(hash) }.to raise_error(RuntimeError, /can't add a new key into hash during iteration/)
    end

    it "pads an Array that shrinks with nil" do
      array = [nil, 2, 3, 4]
      array[0] = meddler { array.pop(2) }
      expect(pack(array)).to eq(hex("94 a1 78 02 c0 c0"))
    end

    it "pads an Array that is emptied with nil" do
      array = [1, nil] + [5] * 100
      array[1] = meddler { array.clear }
      expect(pack(array)).to eq(hex("dc 00 66 01 a1 78 c0*100"))
    end

    it "does not write elements that are added to an Array" do
      array = [nil, 2]
      array[0] = meddler { array.concat([3] * 1000) }
      expect(pack(array)).to eq(hex("92 a1 78 02"))
    end
  end

  describe "objects without a format of their own" do
    {
      "an Object" => -> { Object.new }, "a Time" => -> { Time.at(0) }, "a Set" => -> { Set[1] }, "a Struct" => -> { Struct.new(:a).new(1) },
      "a Range" => -> { 1..2 }, "a Proc" => -> { proc {} }, "a Class" => -> { String }, "a Rational" => -> { 1r }, "a Complex" => -> { 1i },
      "a Timestamp" => -> { MessagePack::Timestamp.new(1, 0) }
    }.each do |name, object|
      it "raises NoMethodError for #{name}" do
        expect { pack(object.call) }.to raise_error(NoMethodError, /undefined method [`']to_msgpack'/)
      end
    end

    it "raises NoMethodError inside a collection" do
      expect { pack([1, { "a" => Object.new }]) }.to raise_error(NoMethodError, /to_msgpack/)
    end

    it "calls to_msgpack of the object with the packer" do
      seen = nil
      object = Class.new { define_method(:to_msgpack) { |packer| (seen = packer).write("hi") } }.new
      expect(pack([object])).to eq(hex("91 a2 68 69"))
      expect(seen).to be_a(MessagePack::Packer)
    end

    it "propagates errors of to_msgpack" do
      object = Class.new { def to_msgpack(_packer) = raise(IndexError, "mine") }.new
      expect { pack([1, object]) }.to raise_error(IndexError, "mine")
      expect(pack([1])).to eq(hex("91 01"))
    end

    it "writes nothing if to_msgpack only returns a String [quirk, kept; see strict]" do
      object = Class.new { def to_msgpack(_packer = nil) = "\x01" }.new
      expect(pack(object)).to eq("")
      expect(pack([object])).to eq(hex("91"))
    end
  end

  describe "the result" do
    it("is binary") { expect(pack("é").encoding).to eq(Encoding::BINARY) }
    it("is not frozen") { expect(pack("é")).not_to be_frozen }
    it("is binary for a long document") { expect(pack(["é" * 100_000]).encoding).to eq(Encoding::BINARY) }

    it "belongs to the caller" do
      first = pack("abc")
      first << "more"
      expect(pack("abc")).to eq(hex("a3 61 62 63"))
    end

    it "is not changed by a later call" do
      results = Array.new(200) { |i| pack([i] * i) }
      expect(results).to eq(Array.new(200) { |i| pack([i] * i) })
    end

    it "is complete for every size around a page and a buffer" do
      [4095, 4096, 4097, 8191, 8192, 8193, 32_767, 32_768, 32_769, 524_287, 524_288, 524_289, 2_000_000].each do |size|
        expect(pack("a" * size).byteslice(-size, size)).to eq("a" * size)
      end
    end

    it "is complete at every distance of short Strings and Floats from the end of a page" do
      32.times do |n|
        [["x" * 31], ["x" * 30], [1.1], [[1.1], 1.1]].each do |values|
          document = Array.new(n, 1) + values * (10_000 / pack(values).bytesize)
          expect(unpack(pack(document)) == document).to be(true)
          bytes = MessagePack::Packer.new.write(document).to_s
          expect(bytes == pack(document)).to be(true)
        end
      end
    end

    it "is complete when a scalar meets the end of a page" do
      (450..460).each do |n|
        expect(pack([70_000] * n)).to eq(hex("dc") + [n].pack("n") + hex("ce 00 01 11 70") * n)
        expect(pack(["x"] + [1.5] * n)).to eq(hex("dc") + [n + 1].pack("n") + hex("a1 78") + hex("cb 3f f8 00*6") * n)
      end
      (4090..4100).each { |n| expect(pack(["x" * n, 70_000, nil])).to eq(hex("93 da") + [n].pack("n") + "x" * n + hex("ce 00 01 11 70 c0")) }
    end
  end

  describe "the arguments" do
    it("accept nil for the io") { expect(MessagePack.pack(1, nil)).to eq("\x01") }
    it("accept nil for the io and the options") { expect(MessagePack.pack(1, nil, nil)).to eq("\x01") }
    it("accept options in place of the io") { expect(MessagePack.pack("\xff".b, compatibility_mode: true)).to eq(hex("a1 ff")) }
    it("accept a frozen Hash of options") { expect(MessagePack.pack("\xff".b, { compatibility_mode: true }.freeze)).to eq(hex("a1 ff")) }
    it("raise ArgumentError without an object") { expect { MessagePack.pack }.to raise_error(ArgumentError) }

    it "accept an io, and pack returns nil" do
      io = binary_io
      expect(MessagePack.pack([1], io)).to be_nil
      expect(io.string).to eq(hex("91 01"))
    end

    it "accept an io and options" do
      io = binary_io
      expect(MessagePack.pack("\xff".b, io, compatibility_mode: true)).to be_nil
      expect(io.string).to eq(hex("a1 ff"))
    end

    it "accept an io that only has write" do
      sink = Ios::Sink.new
      MessagePack.pack([1, "a" * 100_000], sink)
      expect(sink.bytes).to eq(pack([1, "a" * 100_000]))
    end

    it "accept an io that only has <<" do
      shovel = Ios::Shovel.new
      MessagePack.pack([1, 2], shovel)
      expect(shovel.bytes).to eq(hex("92 01 02"))
    end

    it "accept a file for a long document" do
      Tempfile.create("pack", binmode: true) do |file|
        document = Array.new(5000) { |i| { "id" => i, "name" => "n" * (i % 50) } }
        MessagePack.pack(document, file)
        file.flush
        expect(File.binread(file.path)).to eq(pack(document))
      end
    end
  end

  describe "aliases and inclusion" do
    it("has the alias dump") { expect(MessagePack.dump([1])).to eq(hex("91 01")) }

    it "has the alias dump for an io" do
      io = binary_io
      expect(MessagePack.dump([1], io)).to be_nil
      expect(io.string).to eq(hex("91 01"))
    end

    %i[pack dump unpack load].each do |name|
      it("makes #{name} a private method of a class that includes MessagePack") do
        includer = Class.new { include MessagePack }.new
        expect(includer.respond_to?(name)).to be(false)
        expect(includer.respond_to?(name, true)).to be(true)
      end
    end

    it "works in a class that includes MessagePack" do
      includer = Class.new do
        include MessagePack
        def there_and_back(object) = unpack(pack(object))
      end.new
      expect(includer.there_and_back([1, "a"])).to eq([1, "a"])
    end
  end
end
