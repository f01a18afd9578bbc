# frozen_string_literal: true

# skip, read_raw, count and MessagePack.count pass over objects without creating them.
RSpec.describe MessagePack::Unpacker do
  forms = [
    "c0", "c2", "c3", "00", "7f", "e0", "ff", "cc ff", "cd ff*2", "ce ff*4", "cf ff*8", "d0 80", "d1 80 00", "d2 80 00*3", "d3 80 00*7", "ca 3f 80 00*2",
    "cb 3f f0 00*6", "a0", "a1 61", "bf 61*31", "d9 00", "d9 ff 61*255", "da 00 00", "da 01 00 61*256", "db 00*4", "db 00 01 00 00 61*65536", "a1 ff",
    "c4 00", "c4 ff 61*255", "c5 00 00", "c5 01 00 61*256", "c6 00*4", "c6 00 01 00 00 61*65536", "90", "91 c0", "9f 01*15", "dc 00 00", "dc 00 10 01*16",
    "dd 00*4", "dd 00 00 00 02 01 02", "80", "81 01 02", "81 a1 61 01", "8f 01*30", "de 00 00", "de 00 10 01*32", "df 00*4", "df 00 00 00 01 01 02",
    "93 91 91 90 81 a1 61 81 a1 62 90 c0", "81 91 01 81 02 03"
  ]
  exts = ["d4 01 61", "d5 01 61*2", "d6 01 61*4", "d7 01 61*8", "d8 01 61*16", "c7 00 01", "c7 ff 01 61*255", "c8 01 00 01 61*256", "c9 00 01 00 00 01 61*65536",
          "d6 ff 00*4", "92 d4 01 61 05", "81 d4 01 61 d4 02 61"]

  describe "#skip" do
    forms.each do |bytes|
      it "skips #{bytes} and no more" do
        unpacker = fed("#{bytes} 05")
        expect(unpacker.skip).to be_nil
        expect(unpacker.buffer.size).to eq(1)
        expect(unpacker.read).to eq(5)
      end
    end

    exts.each do |bytes|
      it "skips #{bytes} of an unknown type [fixed]", :ours do
        unpacker = fed("#{bytes} 05")
        expect(unpacker.skip).to be_nil
        expect(unpacker.read).to eq(5)
      end
    end

    it("raises EOFError at the end") { expect { described_class.new.skip }.to raise_error(EOFError, "end of buffer reached") }
    it("accepts no argument") { expect { fed("01").skip(1) }.to raise_error(ArgumentError) }

    (forms + exts).each do |bytes|
      whole = Bytes.parse(bytes)
      next if whole.bytesize > 300

      it "raises EOFError for every prefix of #{bytes}" do
        (0...whole.bytesize).each do |size|
          expect { described_class.new(allow_unknown_ext: true).feed(whole.byteslice(0, size)).skip }.to raise_error(EOFError)
        end
      end
    end

    ["c1", "91 c1", "81 c1 01", "81 01 c1"].each do |bytes|
      it("rejects #{bytes}") { expect { fed(bytes).skip }.to raise_error(MessagePack::MalformedFormatError, "invalid byte") }
    end

    { "arrays" => "91", "maps" => "81 01", "keys" => "81" }.each do |name, level|
      values = name == "keys" ? "01" : ""

      it "skips 128 levels of #{name}" do
        unpacker = fed("#{"#{level} " * 128} 01 #{"#{values} " * 128} 05")
        unpacker.skip
        expect(unpacker.read).to eq(5)
      end

      it "rejects 129 levels of #{name}" do
        expect { fed("#{"#{level} " * 129} 01 #{"#{values} " * 129}").skip }.to raise_error(MessagePack::StackError, "stack level too deep")
      end
    end

    it("rejects 512 levels") { expect { fed("91*512").skip }.to raise_error(MessagePack::StackError) }
    it("rejects a million levels") { expect { described_class.new.feed("\x91" * 1_000_000).skip }.to raise_error(MessagePack::StackError) }

    it "skips arrays of small Integers with one str in any position" do
      60.times do |at|
        document = Array.new(60) { |i| i == at ? "1234567" : i }
        unpacker = described_class.new.feed(pack([document, document]) + hex("05") + pack(document))
        unpacker.skip
        expect(unpacker.read).to eq(5)
      end
    end

    it "skips arrays of Floats before any other value" do
      (1..9).each do |n|
        [1.5, "text", nil, 7, [2.5], { "k" => 0.5 }].each do |after|
          document = [[1.5] * n, after, [*[2.5] * n, after], "long" * 20]
          unpacker = described_class.new.feed(pack(document) + hex("05"))
          unpacker.skip
          expect(unpacker.read).to eq(5)
        end
      end
    end

    it "continues with the next object after an invalid byte within an object" do
      unpacker = fed("92 01 c1 05")
      expect { unpacker.skip }.to raise_error(MessagePack::MalformedFormatError)
      expect(unpacker.read).to eq(5)
    end

    it "counts the levels around the payload of a recursive ext", :ours do
      factory = MessagePack::Factory.new
      skips = ->(unpacker) { unpacker.skip && :skipped }
      factory.register_type(1, Objects::Box, unpacker: skips, recursive: true)
      bytes = hex("91 c7 03 01 91 91 05")
      expect(factory.load(bytes, max_depth: 4)).to eq([nil])
      expect { factory.load(bytes, max_depth: 3) }.to raise_error(MessagePack::StackError)
    end

    [1, 2, 3, 7, 1000].each do |size|
      it "skips objects that are fed in pieces of #{size} bytes" do
        unpacker = described_class.new
        documents = forms.map { |form| hex(form) }.reject { |bytes| bytes.bytesize > 1000 }
        pieces(documents.join, size).each { |piece| unpacker.feed(piece) }
        documents.size.times { unpacker.skip }
        expect { unpacker.read }.to raise_error(EOFError)
      end
    end

    it "can alternate with read" do
      unpacker = fed("01 92 02 03 a1 61 04")
      expect([unpacker.read, unpacker.skip, unpacker.read, unpacker.skip]).to eq([1, nil, "a", nil])
    end

    it "skips single elements after a header" do
      unpacker = fed("93 a1 61 91 01 05")
      unpacker.read_array_header
      2.times { unpacker.skip }
      expect(unpacker.read).to eq(5)
    end

    it "skips keys that symbolize_keys rejects [fixed]", :ours do
      unpacker = fed("81 a1 ff 01 05", symbolize_keys: true)
      unpacker.skip
      expect(unpacker.read).to eq(5)
    end

    it "does not call ext procs [fixed]", :ours do
      unpacker = fed("92 d4 01 61 d4 01 62 05")
      unpacker.register_type(1) { raise "called" }
      unpacker.skip
      expect(unpacker.read).to eq(5)
    end

    it "does not call recursive ext procs [fixed]", :ours do
      factory = MessagePack::Factory.new
      factory.register_type(1, Objects::Box, packer: ->(box, packer) { packer.write(box.inner) }, unpacker: ->(_) { raise "called" }, recursive: true)
      unpacker = factory.unpacker.feed(factory.dump(Objects::Box.new([Objects::Box.new(1)])) + hex("05"))
      unpacker.skip
      expect(unpacker.read).to eq(5)
    end

    it "does not allocate objects [fixed]", :ours do
      bytes = pack([["text"] * 500, ["bin".b * 10] * 500, (0...500).to_h { |i| ["key #{i}", 2.0**i + 2**70.fdiv(3)] }, [2**63] * 500])
      unpacker = described_class.new
      unpacker.feed(bytes * 3).skip
      expect(objects_made { unpacker.skip }).to be <= 2
    end

    it "loses an incomplete array, as read does [quirk, kept; see transactional]" do
      unpacker = fed("93 01")
      expect { unpacker.skip }.to raise_error(EOFError)
      expect(rest(unpacker.feed(hex("02 03")))).to eq([2, 3])
    end

    it "does not copy a large binary [fixed]", :ours do
      expect(measured(<<~RUBY).to_i).to be < 20_000
        bytes = MessagePack.pack(["x".b * 50_000_000, 1])
        unpacker = MessagePack::Unpacker.new.feed(bytes)
        unpacker.read_array_header
        print growth("VmPeak") { unpacker.skip }
      RUBY
    end
  end

  describe "#read_raw" do
    (forms + exts).each do |bytes|
      it "returns the bytes of #{bytes}", :ours do
        unpacker = fed("#{bytes} 05")
        raw = unpacker.read_raw
        expect(raw).to eq(hex(bytes))
        expect(raw.encoding).to eq(Encoding::BINARY)
        expect(unpacker.read).to eq(5)
      end
    end

    it "returns bytes that can be unpacked later", :ours do
      document = { "id" => 1, "body" => { "deep" => ["text", nil] } }
      unpacker = described_class.new.feed(pack(document))
      lazy = Array.new(unpacker.read_map_header) { [unpacker.read, unpacker.read_raw] }.to_h
      expect(lazy.transform_values { |raw| unpack(raw) }).to eq(document)
    end

    it "returns independent Strings", :ours do
      unpacker = described_class.new.feed(pack(["x" * 10_000]) + pack(["y" * 10_000]))
      first, second = Array.new(2) { unpacker.read_raw }
      expect([first, second].map(&:frozen?)).to eq([false, false])
      first.clear
      expect(second).to eq(pack(["y" * 10_000]))
    end

    [1, 3, 100, 4096].each do |size|
      it "returns bytes that are fed in pieces of #{size} bytes", :ours do
        document = ["s" * 300, "b".b * 5000, { "k" => [1] * 50 }]
        unpacker = described_class.new
        pieces(pack(document), size).each { |piece| unpacker.feed(piece) }
        expect(unpacker.read_raw).to eq(pack(document))
      end
    end

    it "reads from an io", :ours do
      unpacker = described_class.new(Ios::Drip.new(pack(["x" * 100_000]) + "\x05", 777))
      expect([unpacker.read_raw, unpacker.read]).to eq([pack(["x" * 100_000]), 5])
    end

    it("raises EOFError at the end", :ours) { expect { described_class.new.read_raw }.to raise_error(EOFError) }
    it("raises EOFError for an incomplete object", :ours) { expect { fed("92 01").read_raw }.to raise_error(EOFError) }
    it("rejects c1", :ours) { expect { fed("91 c1").read_raw }.to raise_error(MessagePack::MalformedFormatError) }
    it("reads 128 levels", :ours) { expect(fed("91*128 01").read_raw.bytesize).to eq(129) }
    it("rejects 129 levels", :ours) { expect { fed("91*129 01").read_raw }.to raise_error(MessagePack::StackError) }

    { max_str_len: "a3 61 62 63", max_bin_len: "c4 03 61 62 63", max_array_len: "93 01 02 03", max_map_len: "83 01 01 02 02 03 03",
      max_ext_len: "c7 03 01 61 62 63" }.each do |limit, bytes|
      it "applies #{limit}, also inside other objects", :ours do
        [bytes, "91 #{bytes}"].each do |object|
          expect { fed(object, limit => 2).read_raw }.to raise_error(MessagePack::LimitError)
          expect(fed(object, limit => 3).read_raw).to eq(hex(object))
        end
      end
    end

    it "continues with the next object after an object that exceeds a limit", :ours do
      unpacker = fed("92 01 a3 61 62 63 05", max_str_len: 2)
      expect { unpacker.read_raw }.to raise_error(MessagePack::LimitError)
      expect(unpacker.read_raw).to eq(hex("05"))
    end

    it "applies limits after an incomplete object is removed from the buffer", :ours do
      unpacker = fed("93", max_str_len: 2, transactional: true)
      expect { unpacker.read_raw }.to raise_error(EOFError)
      unpacker.buffer.clear
      unpacker.feed(hex("a3 61 62 63"))
      expect { unpacker.read_raw }.to raise_error(MessagePack::LimitError)
    end

    it "allocates only the String", :ours do
      unpacker = described_class.new.feed(pack(["text"] * 1000) * 3)
      unpacker.read_raw
      expect(objects_made { unpacker.read_raw }).to be <= 4
    end
  end

  describe "#count" do
    { "" => 0, "01" => 1, "01 92 02 03 a1 61" => 3, "c0*1000" => 1000, "d4 01 61 81 01 02" => 2 }.each do |bytes, count|
      it("returns #{count} for #{bytes.inspect}", :ours) { expect(fed(bytes).count).to eq(count) }
    end

    it "consumes the objects that it counts", :ours do
      unpacker = fed("01 91 02")
      unpacker.count
      expect(unpacker.feed("\x05").read).to eq(5)
    end

    it "counts complete objects only", :ours do
      expect(fed("01 02 93 03").count).to eq(2)
    end

    it "counts the remaining objects", :ours do
      unpacker = fed("01 02 03")
      unpacker.read
      expect(unpacker.count).to eq(2)
    end

    it "counts the objects of an io", :ours do
      expect(described_class.new(Ios::Drip.new([1, "a" * 100].map { |x| pack(x) }.join * 500, 333)).count).to eq(1000)
    end
    it("rejects c1", :ours) { expect { fed("01 c1").count }.to raise_error(MessagePack::MalformedFormatError) }

    it "does not allocate the objects that it counts", :ours do
      unpacker = described_class.new.feed(pack("text") * 2000)
      made = objects_made { expect(unpacker.count).to eq(2000) }
      expect(made).to be < 500
    end
  end

  describe "MessagePack.count" do
    { "" => 0, "01" => 1, "01 92 02 03 a1 61" => 3, "c0*1000" => 1000, "d4 01 61 81 01 02" => 2 }.each do |bytes, count|
      it("returns #{count} for #{bytes.inspect}", :ours) { expect(MessagePack.count(hex(bytes))).to eq(count) }
    end

    it("rejects c1", :ours) { expect { MessagePack.count("\x01\xc1".b) }.to raise_error(MessagePack::MalformedFormatError) }

    it "rejects an object that is not a String", :ours do
      expect { MessagePack.count(1) }.to raise_error(::TypeError)
    end

    it "counts an object of 128 levels", :ours do
      expect(MessagePack.count(hex("91*128 01"))).to eq(1)
    end

    it "rejects an object of 129 levels", :ours do
      bytes = hex("91*129 01")
      expect { MessagePack.count(bytes) }.to raise_error(MessagePack::StackError)
    end

    it("does not change the String", :ours) { expect(MessagePack.count("\x01\x02".b.freeze)).to eq(2) }

    it "does not allocate the objects that it counts", :ours do
      bytes = pack(["text"] * 10) * 1000
      MessagePack.count(bytes)
      expect(objects_made { MessagePack.count(bytes) }).to be < 20
    end
  end
end
