# frozen_string_literal: true

# The values that MessagePack.unpack reads, and the bytes that it rejects. vectors_spec.rb covers
# all formats.
RSpec.describe "MessagePack.unpack" do
  describe "numbers" do
    {
      "00" => 0, "7f" => 127, "cc 80" => 128, "cd 01 00" => 256, "ce ff ff ff ff" => 2**32 - 1, "cf ff*8" => 2**64 - 1,
      "cf 40 00*7" => 2**62, "cf 3f ff*7" => 2**62 - 1, "ff" => -1, "e0" => -32, "d0 80" => -128, "d1 80 00" => -32_768,
      "d2 80 00 00 00" => -2**31, "d3 80 00*7" => -2**63, "d3 c0 00*7" => -2**62, "d3 bf ff*7" => -2**62 - 1, "d3 7f ff*7" => 2**63 - 1
    }.each do |bytes, integer|
      it("reads #{bytes} as #{integer}") { expect(unpack(hex(bytes))).to eql(integer) }
    end

    { "ca 3f c0 00 00" => 1.5, "ca 7f 80 00 00" => Float::INFINITY, "ca 00 00 00 01" => 2.0**-149, "cb 3f f1 99 99 99 99 99 9a" => 1.1,
      "cb 00*7 01" => 5e-324, "cb ff f0 00*6" => -Float::INFINITY, "ca 80 00 00 00" => -0.0 }.each do |bytes, float|
      it "reads #{bytes} as #{float}" do
        read = unpack(hex(bytes))
        expect(read).to eql(float)
        expect(1 / read).to eql(1 / float)
      end
    end

    # Ruby represents 0.0 by the bits that this Float would have otherwise.
    it "reads the Float with the bits 0x3000000000000000, and its neighbours" do
      [-1, 0, 1].each do |step|
        bits = [0x3000000000000000 + step].pack("Q>")
        expect(unpack("\xcb".b + bits)).to eql(bits.unpack1("G"))
        expect(unpack("\x91\xcb".b + bits)).to eql([bits.unpack1("G")])
      end
    end

    it("reads NaN in 32 bits") { expect(unpack(hex("ca 7f c0 00 00"))).to be_nan }
    it("reads NaN in 64 bits") { expect(unpack(hex("cb 7f f8 00*6"))).to be_nan }
  end

  describe "a str" do
    ["a1 61", "d9 01 61", "da 00 01 61", "db 00 00 00 01 61"].each do |bytes|
      it "of the form #{bytes} is UTF-8 and not frozen" do
        text = unpack(hex(bytes))
        expect(text).to eq("a")
        expect(text.encoding).to eq(Encoding::UTF_8)
        expect(text).not_to be_frozen
      end
    end

    it("is UTF-8 even if it is empty") { expect(unpack("\xa0").encoding).to eq(Encoding::UTF_8) }

    it "is not validated: invalid UTF-8 is read unchanged" do
      text = unpack(hex("a2 ff fe"))
      expect(text.bytes).to eq([0xff, 0xfe])
      expect(text.encoding).to eq(Encoding::UTF_8)
      expect(text).not_to be_valid_encoding
    end

    it("may contain NUL") { expect(unpack(hex("a3 61 00 62"))).to eq("a\0b") }

    it "as a value is a new String each time" do
      first, second = unpack(hex("92 a1 61 a1 61"))
      first << "b"
      expect(second).to eq("a")
    end
  end

  describe "a bin" do
    ["c4 01 61", "c5 00 01 61", "c6 00 00 00 01 61"].each do |bytes|
      it "of the form #{bytes} is ASCII-8BIT and not frozen" do
        data = unpack(hex(bytes))
        expect(data).to eq("a")
        expect(data.encoding).to eq(Encoding::BINARY)
        expect(data).not_to be_frozen
      end
    end

    it("is ASCII-8BIT even if it is empty") { expect(unpack(hex("c4 00")).encoding).to eq(Encoding::BINARY) }
  end

  describe "a map" do
    it "preserves the order of entries" do
      expect(unpack(hex("82 a1 62 01 a1 61 02")).to_a).to eq([["b", 1], ["a", 2]])
    end

    it "uses the last of equal keys, in the position of the first" do
      expect(unpack(hex("83 a1 61 01 a1 62 02 a1 61 03")).to_a).to eq([["a", 3], ["b", 2]])
    end

    it "uses the last of equal keys in a large map" do
      map = unpack(hex("de 00 c8") + Array.new(200) { |i| pack(i % 50) + pack(i) }.join)
      expect(map).to eq((0...50).to_h { |i| [i, 150 + i] })
    end

    it "accepts keys of all kinds" do
      expect(unpack(hex("87 c0 01 c3 02 05 03 cb 3f f8 00*6 04 91 01 05 81 01 02 06 c4 01 ff 07")))
        .to eq({ nil => 1, true => 2, 5 => 3, 1.5 => 4, [1] => 5, { 1 => 2 } => 6, "\xff".b => 7 })
    end

    it "distinguishes 1 from 1.0" do
      expect(unpack(hex("82 01 a1 61 cb 3f f0 00*6 a1 62"))).to eq({ 1 => "a", 1.0 => "b" })
    end

    it "freezes str keys" do
      key = unpack(hex("81 a1 61 01")).keys.first
      expect(key).to be_frozen
      expect(key.encoding).to eq(Encoding::UTF_8)
    end

    it "freezes bin keys and reads them as binary" do
      key = unpack(hex("81 c4 01 61 01")).keys.first
      expect(key).to be_frozen
      expect(key.encoding).to eq(Encoding::BINARY)
    end

    it "returns the same String for equal keys in one document" do
      first, second = unpack(hex("92 81 a3 61 62 63 01 81 a3 61 62 63 02"))
      expect(first.keys.first).to equal(second.keys.first)
    end

    it "returns the same String for equal keys in several documents" do
      first, second = Array.new(2) { unpack(hex("81 a3 61 62 63 01")).keys.first }
      expect(first).to equal(second)
    end

    ["d9 01 61", "da 00 01 61", "db 00 00 00 01 61", "c4 01 61", "c5 00 01 61"].each do |key|
      it "returns the same String for equal keys of the form #{key}" do
        first, second = unpack(hex("92 81 #{key} 01 81 #{key} 02"))
        expect(first.keys.first).to equal(second.keys.first)
      end
    end

    it "returns the same String as an interned literal" do
      expect(unpack(hex("81 a6 73 65 63 72 65 74 01")).keys.first).to equal(-"secret")
    end

    it "distinguishes many keys of many lengths" do
      keys = Array.new(3000) { |i| "k#{i}" * (1 + i % 40) }
      document = keys.to_h { |key| [key, key.size] }
      expect(unpack(pack([document, document]))).to eq([document, document])
    end

    it "distinguishes keys that differ in one byte in any position" do
      keys = (0...64).flat_map { |at| [("a" * 64).tap { |key| key[at] = "b" }, "a" * at] }
      document = keys.each_with_index.to_h
      expect(unpack(pack(document))).to eq(document)
      expect(unpack(pack(document)).keys).to eq(document.keys)
    end

    it "preserves the encodings of str and bin keys with the same bytes" do
      map = unpack(hex("82 a2 c3 a9 01 c4 02 c3 a9 02"))
      expect(map.keys.map(&:encoding)).to eq([Encoding::UTF_8, Encoding::BINARY])
      expect(map["é"]).to eq(1)
      expect(map["é".b]).to eq(2)
    end

    it "does not freeze str values that are equal to a key" do
      map = unpack(hex("82 a1 61 a1 61 a1 62 a1 61"))
      expect(map.values).to all(eq("a"))
      expect(map.values.map(&:frozen?)).to eq([false, false])
    end
  end

  describe "symbolize_keys" do
    it("converts str keys to Symbols") { expect(unpack(hex("81 a1 61 01"), symbolize_keys: true)).to eq({ a: 1 }) }
    it("converts bin keys to Symbols") { expect(unpack(hex("81 c4 01 61 01"), symbolize_keys: true)).to eq({ a: 1 }) }
    it("does not affect values") { expect(unpack(hex("81 a1 61 a1 62"), symbolize_keys: true)).to eq({ a: "b" }) }
    it("does not affect keys of other kinds") { expect(unpack(hex("82 01 02 c0 03"), symbolize_keys: true)).to eq({ 1 => 2, nil => 3 }) }
    it("creates the empty Symbol") { expect(unpack(hex("81 a0 01"), symbolize_keys: true)).to eq({ "": 1 }) }
    it("creates Symbols in UTF-8") { expect(unpack(hex("81 a2 c3 a9 01"), symbolize_keys: true)).to eq({ "é": 1 }) }

    it "applies to maps at any depth" do
      expect(unpack(hex("91 81 a1 61 91 81 a1 62 01"), symbolize_keys: true)).to eq([{ a: [{ b: 1 }] }])
    end

    it "does not affect strings inside an array key" do
      expect(unpack(hex("81 91 a1 61 01"), symbolize_keys: true)).to eq({ ["a"] => 1 })
    end

    it "rejects invalid UTF-8 with the EncodingError of Ruby" do
      expect { unpack(hex("81 a1 ff 01"), symbolize_keys: true) }.to raise_error(EncodingError)
    end

    it "converts bin keys that are not text to binary Symbols" do
      expect(unpack(hex("81 c4 01 ff 01"), symbolize_keys: true)).to eq({ "\xff".b.to_sym => 1 })
    end

    it "distinguishes Symbols of any length" do
      keys = (0...100).flat_map { |n| ["a" * n, "a" * n + "b"] }.uniq
      expect(unpack(pack(keys.to_h { |key| [key, 1] }), symbolize_keys: true).keys).to eq(keys.map(&:to_sym))
    end
  end

  describe "freeze" do
    let(:document) { unpack(hex("94 a1 61 81 a1 62 c4 01 63 90 80"), freeze: true) }

    it("freezes the array") { expect(document).to be_frozen }
    it("freezes the elements") { expect(document).to all(be_frozen) }
    it("freezes the values of maps") { expect(document[1]["b"]).to be_frozen }
    it("freezes a top-level string") { expect(unpack("\xa1a", freeze: true)).to be_frozen }
    it("freezes a top-level binary") { expect(unpack(hex("c4 01 ff"), freeze: true)).to be_frozen }
    it("preserves the encodings") { expect([document[0], document[1]["b"]].map(&:encoding)).to eq([Encoding::UTF_8, Encoding::BINARY]) }
    it("does not change the value") { expect(document).to eq(["a", { "b" => "c" }, [], {}]) }
    it("can be combined with symbolize_keys") { expect(unpack(hex("81 a1 61 90"), freeze: true, symbolize_keys: true)).to eq({ a: [] }).and be_frozen }

    it "interns strings" do
      first, second = unpack(hex("92 a3 61 62 63 a3 61 62 63"), freeze: true)
      expect(first).to equal(second)
      expect(first).to equal(-"abc")
    end

    it "interns binaries" do
      first, second = unpack(hex("92 c4 03 61 62 63 c4 03 61 62 63"), freeze: true)
      expect(first).to equal(second)
    end

    it "freezes large binaries" do
      first, second = unpack(pack(["x".b * 10_000, "y".b * 10_000]), freeze: true)
      expect([first, second]).to all(be_frozen)
      expect([first, second]).to eq(["x" * 10_000, "y" * 10_000])
    end
  end

  describe "incomplete input" do
    it("raises EOFError for no bytes") { expect { unpack("") }.to raise_error(EOFError, "end of buffer reached") }
    it("raises EOFError for nil") { expect { unpack(nil) }.to raise_error(EOFError) }
    it("raises EOFError for an empty io") { expect { unpack(binary_io) }.to raise_error(EOFError) }
    it("raises EOFError for half an object from an io") { expect { unpack(binary_io("\x92\x01")) }.to raise_error(EOFError) }

    ["92 01", "81 01", "a2 61", "cd 01", "c4", "d9", "dc 00", "cb 00*7", "c7 01", "d4 01", "92 91",
     "82 91 01 02 d9"].each do |bytes|
      it("raises EOFError for #{bytes}") { expect { unpack(hex(bytes)) }.to raise_error(EOFError, "end of buffer reached") }
    end
  end

  describe "bytes beyond the object" do
    { "01 02" => 1, "01 02 03" => 2, "90 c1" => 1, "a1 61 00*1000" => 1000 }.each do |bytes, extra|
      it "are rejected with their number: #{extra} of #{bytes}" do
        expect { unpack(hex(bytes)) }.to raise_error(MessagePack::MalformedFormatError, "#{extra} extra bytes after the deserialized object")
      end
    end

    it "are rejected from an io" do
      expect { unpack(binary_io("\x01\x02\x03")) }.to raise_error(MessagePack::MalformedFormatError, "2 extra bytes after the deserialized object")
    end
  end

  describe "the byte c1" do
    ["c1", "91 c1", "81 c1 01", "81 01 c1", "92 01 c1", "82 91 01 02 c1"].each do |bytes|
      it("is rejected in #{bytes}") { expect { unpack(hex(bytes)) }.to raise_error(MessagePack::MalformedFormatError, "invalid byte") }
    end
  end

  describe "nesting" do
    { "arrays" => ["91", 1, "90"], "maps" => ["81 01", 1, "80"], "arrays and maps" => ["91 81 01", 2, "90"],
      "arrays by a head of 16 bits" => ["dc 00 01", 1, "90"], "maps by a head of 32 bits" => ["df 00 00 00 01 01", 1, "80"] }
      .each do |name, (level, each, last)|
        it("reads 128 levels of #{name}") { expect(unpack(hex(level) * (128 / each) + hex("01"))).to be_a(Enumerable) }
        it("reads 128 levels of #{name} around an empty one") { expect(unpack(hex(level) * (128 / each) + hex(last))).to be_a(Enumerable) }

        it "rejects 129 levels of #{name}" do
          expect { unpack(hex(level) * (128 / each) + hex("91 01")) }.to raise_error(MessagePack::StackError, "stack level too deep")
        end
      end

    it "counts maps that are nested as keys" do
      expect(unpack(hex("81*128 01 01*128")).size).to eq(1)
      expect { unpack(hex("81*129 01 01*129")) }.to raise_error(MessagePack::StackError)
    end

    it "counts the depth, not the number of collections" do
      expect(unpack(pack([[[1]]] * 1000))).to eq([[[1]]] * 1000)
    end

    it "rejects very deep nesting" do
      expect { unpack("\x91" * 1_000_000) }.to raise_error(MessagePack::StackError)
    end
  end

  describe "ext" do
    it "of an unknown type is rejected" do
      expect { unpack(hex("d4 01 61")) }.to raise_error(MessagePack::UnknownExtTypeError, "unexpected extension type")
    end

    it "of type -1 is unknown unless it is registered" do
      expect { unpack(hex("d6 ff 00*4")) }.to raise_error(MessagePack::UnknownExtTypeError)
    end

    it "of an unknown type is read as an ExtensionValue if allow_unknown_ext is set" do
      expect(unpack(hex("d4 01 61"), allow_unknown_ext: true)).to eq(MessagePack::ExtensionValue.new(1, "a"))
    end
  end

  describe "the arguments" do
    it("accept a frozen String") { expect(unpack("\x01".b.freeze)).to eq(1) }
    it("accept a String in any encoding") { expect(unpack((+"\x91\xa1aa").force_encoding("UTF-16LE").byteslice(0, 3))).to eq(["a"]) }
    it("accept nil for options") { expect(MessagePack.unpack("\x01", nil)).to eq(1) }
    it("accept an io and options") { expect(unpack(binary_io("\x81\xa1a\x01"), symbolize_keys: true)).to eq({ a: 1 }) }
    it("reject an object that is neither an io nor a String") { expect { unpack(Object.new) }.to raise_error(NoMethodError) }

    it "are not changed" do
      bytes = hex("93 01 a1 61 c0")
      unpack(bytes)
      expect(bytes).to eq(hex("93 01 a1 61 c0"))
      expect(bytes).not_to be_frozen
    end

    it "accept an instance of a subclass of String" do
      expect(unpack(Class.new(String).new("\x91\xa1a"))).to eq(["a"])
    end

    it "accept a slice of a longer String" do
      whole = hex("c1*5000 93 01 02 03")
      expect(unpack(whole.byteslice(5000, 4))).to eq([1, 2, 3])
    end

    it "accept a file" do
      document = Array.new(5000) { |i| { "id" => i, "name" => "n" * (i % 50) } }
      Tempfile.create("unpack", binmode: true) do |file|
        file.write(pack(document))
        file.rewind
        expect(unpack(file)).to eq(document)
      end
    end

    it("apply to the alias load") { expect(MessagePack.load("\x01")).to eq(1) }
    it("apply to the alias load with an io") { expect(MessagePack.load(binary_io("\x81\xa1a\x01"), symbolize_keys: true)).to eq({ a: 1 }) }
  end

  describe "large documents" do
    it "reads an array of 100,000 integers" do
      integers = Array.new(100_000) { |i| i * 1_000_003 }
      expect(unpack(pack(integers))).to eq(integers)
    end

    it "reads a map of 100,000 entries" do
      map = (0...100_000).to_h { |i| ["key #{i}", i] }
      expect(unpack(pack(map))).to eq(map)
    end

    it "reads arrays of every size around the batch size" do
      [0, 1, 15, 16, 17, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 65_535, 65_536].each do |size|
        array = Array.new(size) { |i| i }
        expect(unpack(pack([array, size]))).to eq([array, size])
      end
    end

    it "reads maps of every size around the batch size" do
      [0, 1, 7, 8, 9, 15, 16, 17, 127, 128, 129, 255, 256, 257, 511, 512, 513, 65_536].each do |size|
        map = (0...size).to_h { |i| [i, i.to_s] }
        expect(unpack(pack([map, size]))).to eq([map, size])
      end
    end

    it "reads strings of every size around the page size" do
      [0, 1, 23, 24, 31, 32, 255, 256, 4095, 4096, 4097, 65_535, 65_536, 1_000_000].each do |size|
        expect(unpack(pack(["x" * size, "y".b * size, size]))).to eq(["x" * size, "y" * size, size])
      end
    end
  end
end
