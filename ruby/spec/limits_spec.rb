# frozen_string_literal: true

# The limits that an unpacker applies to untrusted bytes.
RSpec.describe "Limits" do
  {
    max_str_len: [10, "str of 11 bytes exceeds max_str_len 10", "aa 61*10", ["ab", "d9 0b", "da 00 0b", "db 00 00 00 0b"], "61*11"],
    max_bin_len: [10, "bin of 11 bytes exceeds max_bin_len 10", "c4 0a 61*10", ["c4 0b", "c5 00 0b", "c6 00 00 00 0b"], "61*11"],
    max_array_len: [3, "array of 4 elements exceeds max_array_len 3", "93 01 02 03", ["94", "dc 00 04", "dd 00 00 00 04"], "01 02 03 04"],
    max_map_len: [2, "map of 3 entries exceeds max_map_len 2", "82 01 02 03 04", ["83", "de 00 03", "df 00 00 00 03"], "01 02 03 04 05 06"],
    max_ext_len: [2, "ext of 3 bytes exceeds max_ext_len 2", "d5 01 61 62", ["c7 03 01", "c8 00 03 01", "c9 00 00 00 03 01"], "61*3"]
  }.each do |option, (limit, message, allowed, heads, body)|
    describe option do
      it "reads #{allowed}" do
        expect(unpack(hex(allowed), option => limit, allow_unknown_ext: true)).to eq(unpack(hex(allowed), allow_unknown_ext: true))
      end

      heads.each do |head|
        bytes = "#{head} #{body}"

        it "refuses #{bytes}: #{message}", :ours do
          expect { unpack(hex(bytes), option => limit, allow_unknown_ext: true) }.to raise_error(MessagePack::LimitError, message)
        end
        it "reads #{bytes} with a higher limit" do
          expect(unpack(hex(bytes), option => limit + 1, allow_unknown_ext: true)).to eq(unpack(hex(bytes), allow_unknown_ext: true))
        end
        it "reads #{bytes} with nil" do
          expect(unpack(hex(bytes), option => nil, allow_unknown_ext: true)).to eq(unpack(hex(bytes), allow_unknown_ext: true))
        end

        it "refuses #{head} without waiting for more bytes", :ours do
          expect { unpack(hex(head), option => limit, allow_unknown_ext: true) }.to raise_error(MessagePack::LimitError, message)
        end

        it "refuses #{bytes} from an io", :ours do
          expect { MessagePack::Unpacker.new(Ios::Drip.new(hex(bytes), 1), option => limit, allow_unknown_ext: true).read }.to raise_error(MessagePack::LimitError, message)
        end

        it "read_raw refuses #{bytes}, and returns it with a higher limit", :ours do
          ["", "91 ", "81 01 "].each do |outer|
            object = "#{outer}#{bytes}"
            expect { fed(object, option => limit).read_raw }
              .to raise_error(MessagePack::LimitError, message)
            expect(fed("#{object} 05", option => limit + 1).read_raw).to eq(hex(object))
          end
        end

        # The first piece is so long that the unpacker refers to it and does not copy it.
        it "refuses #{head} wherever the header is cut between two pieces", :ours do
          before = hex("93 cb 3f f8 00*6 cb 3f f8 00*6") * 15
          cuts = 1...hex(head).bytesize
          cuts.each do |cut|
            unpacker = MessagePack::Unpacker.new(option => limit)
            unpacker.feed(before + hex(head).byteslice(0, cut)).feed(hex(head).byteslice(cut..))
            expect { unpacker.read }.to raise_error(MessagePack::LimitError, message)
          end
        end

        it "refuses #{bytes} in an array and as a key", :ours do
          expect { unpack(hex("91 #{bytes}"), option => limit, allow_unknown_ext: true) }.to raise_error(MessagePack::LimitError, message)
          expect { unpack(hex("81 #{bytes} 01"), option => limit, allow_unknown_ext: true) }.to raise_error(MessagePack::LimitError, message)
        end
      end

      it("refuses 0xffffffff after the header alone", :ours) do
        head = { max_str_len: "db", max_bin_len: "c6", max_array_len: "dd", max_map_len: "df", max_ext_len: "c9" }[option]
        expect { unpack(hex("#{head} ff*4 01"), option => limit, allow_unknown_ext: true) }.to raise_error(MessagePack::LimitError, /4294967295/)
      end

      it("is an option of Factory#unpacker, Factory#load and Factory#pool", :ours) do
        factory = MessagePack::Factory.new
        expect { factory.unpacker(option => limit, allow_unknown_ext: true).feed(hex(heads.first)).read }.to raise_error(MessagePack::LimitError, message)
        expect { factory.load(hex(heads.first), option => limit, allow_unknown_ext: true) }.to raise_error(MessagePack::LimitError, message)
        expect { factory.pool(1, option => limit, allow_unknown_ext: true).load(hex(heads.first)) }.to raise_error(MessagePack::LimitError, message)
      end

      it("of 0 allows an empty value") do
        empty = { max_str_len: "a0", max_bin_len: "c4 00", max_array_len: "90", max_map_len: "80", max_ext_len: "c7 00 01" }[option]
        expect(unpack(hex(empty), option => 0, allow_unknown_ext: true)).to eq(unpack(hex(empty), allow_unknown_ext: true))
      end
    end
  end

  it "are independent: a str may be longer than a bin", :ours do
    options = { max_str_len: 20, max_bin_len: 5, max_array_len: 30, max_map_len: 1 }
    expect(unpack(pack(["s" * 20, "b".b * 5, [1] * 30, { 1 => 2 }]), **options)).to eq(["s" * 20, "b" * 5, [1] * 30, { 1 => 2 }])
    expect { unpack(pack(["b".b * 6]), **options) }.to raise_error(MessagePack::LimitError)
  end

  it "apply to str keys", :ours do
    expect { unpack(pack({ "long key" => 1 }), max_str_len: 5) }.to raise_error(MessagePack::LimitError, "str of 8 bytes exceeds max_str_len 5")
    expect { unpack(pack({ "long key" => 1 }), max_str_len: 5, symbolize_keys: true) }.to raise_error(MessagePack::LimitError, "str of 8 bytes exceeds max_str_len 5")
  end

  it "allow str keys of the maximum length" do
    ["short", "k" * 200].each do |key|
      expect(unpack(pack({ key => 1 }), max_str_len: key.size)).to eq({ key => 1 })
    end
  end

  it "apply in long documents of read_raw", :ours do
    bytes = pack([1.5, "abc", { "k" => [1] * 9 }] + [nil] * 200)
    { max_str_len: 2, max_array_len: 202, max_map_len: 0 }.each do |option, limit|
      unpacker = MessagePack::Unpacker.new(option => limit).feed(bytes)
      expect { unpacker.read_raw }.to raise_error(MessagePack::LimitError)
    end
  end

  it "do not prevent reading after reset", :ours do
    unpacker = MessagePack::Unpacker.new(max_str_len: 2).feed(hex("92 01 a3 61 62 63"))
    expect { unpacker.read }.to raise_error(MessagePack::LimitError)
    unpacker.reset
    expect(unpacker.feed(hex("91 a2 61 62")).read).to eq(["ab"])
  end

  describe "max_depth" do
    it("of 1 reads one level") { expect(unpack(hex("92 01 02"), max_depth: 1)).to eq([1, 2]) }
    it "of 1 refuses two levels", :ours do
      expect { unpack(hex("91 91 01"), max_depth: 1) }.to raise_error(MessagePack::StackError, "stack level too deep")
    end
    it "of 1 refuses two levels of maps", :ours do
      expect { unpack(hex("81 01 81 01 02"), max_depth: 1) }.to raise_error(MessagePack::StackError)
    end
    it("of 5 reads five levels") { expect(unpack(hex("91*5 01"), max_depth: 5)).to eq([[[[[1]]]]]) }
    it("of 5 refuses six levels", :ours) { expect { unpack(hex("91*6 01"), max_depth: 5) }.to raise_error(MessagePack::StackError) }
    it("of 5 refuses to skip six levels", :ours) { expect { fed("91*6 01", max_depth: 5).skip }.to raise_error(MessagePack::StackError) }
    it "of 5 refuses six levels from an io", :ours do
      expect { MessagePack::Unpacker.new(binary_io("\x91\x91\x91\x91\x91\x91\x01"), max_depth: 5).read }.to raise_error(MessagePack::StackError)
    end
    it("is 128 by default") { expect { unpack(hex("91*129 01")) }.to raise_error(MessagePack::StackError) }
    it("of 1000 reads 1000 levels", :ours) { expect(unpack(hex("91*1000 01"), max_depth: 1000).flatten).to eq([1]) }
    it("of 1024 reads 1024 levels", :ours) { expect(unpack(hex("91*1024 01"), max_depth: 1024).flatten).to eq([1]) }
    it "is at most 1024", :ours do
      expect { unpack("\x01", max_depth: 1025) }.to raise_error(ArgumentError, "max_depth must be an Integer from 1 to 1024")
    end

    [0, -1, 5.0, "5", 2**64].each do |depth|
      it "rejects #{depth.inspect}", :ours do
        expect { unpack("\x01", max_depth: depth) }
          .to raise_error(ArgumentError, "max_depth must be an Integer from 1 to 1024")
      end
    end
    it("of 1000 refuses 1001 levels") { expect { unpack(hex("91*1001 01"), max_depth: 1000) }.to raise_error(MessagePack::StackError) }

    it "counts recursive ext", :ours do
      bytes = box_factory.dump(Objects::Box.new(Objects::Box.new(Objects::Box.new(1))))
      expect(box_factory.unpacker(max_depth: 3).feed(bytes).read).to be_a(Objects::Box)
      expect { box_factory.unpacker(max_depth: 2).feed(bytes).read }.to raise_error(MessagePack::StackError)
    end
  end
end

RSpec.describe "Limits for input in pieces" do
  { max_str_len: "\xdb\x40\x00\x00\x00", max_bin_len: "\xc6\x40\x00\x00\x00", max_array_len: "\xdd\x40\x00\x00\x00",
    max_map_len: "\xdf\x40\x00\x00\x00", max_ext_len: "\xc9\x40\x00\x00\x00\x01" }.each do |limit, head|
    it "#{limit} applies before the rest arrives", :ours do
      unpacker = MessagePack::Unpacker.new(limit => 10, transactional: true).feed("\x92".b)
      expect { unpacker.read }.to raise_error(EOFError)
      unpacker.feed(head.b)
      expect { unpacker.read }.to raise_error(MessagePack::LimitError)
    end
  end

  it "bound the number of bytes read from an io", :ours do
    taken = 0
    pieces = ["\x92".b, "\xdb\x40\x00\x00\x00".b]
    io = Object.new
    io.define_singleton_method(:readpartial) { |n, *| (pieces.shift || ("x" * n)).tap { |piece| taken += piece.bytesize } }
    unpacker = MessagePack::Unpacker.new(io, max_str_len: 10)
    expect { unpacker.read }.to raise_error(MessagePack::LimitError)
    expect(taken).to be < 100_000
  end

  it "do not apply to skipped objects", :ours do
    bytes = MessagePack.pack(["x" * 100, 1])
    unpacker = MessagePack::Unpacker.new(max_str_len: 10, transactional: true).feed(bytes.byteslice(0, 1))
    expect { unpacker.skip }.to raise_error(EOFError)
    expect(unpacker.feed(bytes.byteslice(1..)).skip).to be_nil
  end
end
