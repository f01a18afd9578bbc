# frozen_string_literal: true

# Reading and writing only the headers of arrays and maps, for documents that exceed the memory.
RSpec.describe "Streaming with headers" do
  describe "Unpacker#read_array_header" do
    { "90" => 0, "9f" => 15, "dc 00 00" => 0, "dc ff ff" => 65_535, "dd 00*4" => 0, "dd ff*4" => 2**32 - 1 }.each do |bytes, size|
      it("returns #{size} for #{bytes}") { expect(fed(bytes).read_array_header).to eq(size) }
    end

    it "does not consume the elements" do
      unpacker = fed("93 01 92 02 03 a1 61 05")
      expect([unpacker.read_array_header, unpacker.read, unpacker.read_array_header, unpacker.read, unpacker.read, unpacker.read, unpacker.read])
        .to eq([3, 1, 2, 2, 3, "a", 5])
    end

    ["c0", "c3", "00", "ff", "cc ff", "a1 61", "d9 01 61", "c4 01 61", "80", "81 01 02", "de 00 00", "cb 3f f0 00*6", "d4 01 61"].each do |bytes|
      it "rejects #{bytes}, which can still be read" do
        unpacker = fed(bytes, allow_unknown_ext: true)
        2.times { expect { unpacker.read_array_header }.to raise_error(MessagePack::UnexpectedTypeError, "unexpected type") }
        expect(unpacker.read).to eq(unpack(hex(bytes), allow_unknown_ext: true))
      end
    end

    it "rejects invalid and incomplete objects by their first byte" do
      %w[c1 d9 c8 81].each { |bytes| expect { fed(bytes).read_array_header }.to raise_error(MessagePack::UnexpectedTypeError) }
      %w[c1 d9 c8 91].each { |bytes| expect { fed(bytes).read_map_header }.to raise_error(MessagePack::UnexpectedTypeError) }
    end

    it("raises EOFError at the end") { expect { fed("").read_array_header }.to raise_error(EOFError, "end of buffer reached") }

    it "continues after an incomplete header" do
      unpacker = fed("dd 00 00")
      expect { unpacker.read_array_header }.to raise_error(EOFError)
      expect(unpacker.feed(hex("00 02")).read_array_header).to eq(2)
    end
  end

  describe "Unpacker#read_map_header" do
    { "80" => 0, "8f" => 15, "de 00 00" => 0, "de ff ff" => 65_535, "df 00*4" => 0, "df ff*4" => 2**32 - 1 }.each do |bytes, size|
      it("returns #{size} for #{bytes}") { expect(fed(bytes).read_map_header).to eq(size) }
    end

    it "does not consume keys and values" do
      unpacker = fed("82 a1 61 01 a1 62 02")
      expect([unpacker.read_map_header, unpacker.read, unpacker.read, unpacker.read, unpacker.read]).to eq([2, "a", 1, "b", 2])
    end

    ["c0", "00", "a1 61", "c4 01 61", "90", "91 01", "dc 00 00", "d4 01 61"].each do |bytes|
      it "rejects #{bytes}, which can still be read" do
        unpacker = fed(bytes, allow_unknown_ext: true)
        2.times { expect { unpacker.read_map_header }.to raise_error(MessagePack::UnexpectedTypeError, "unexpected type") }
        expect(unpacker.read).to eq(unpack(hex(bytes), allow_unknown_ext: true))
      end
    end

    it "raises a MessagePack::TypeError that is not Ruby's TypeError" do
      expect { fed("01").read_map_header }.to raise_error do |error|
        expect(error).to be_a(MessagePack::TypeError)
        expect(error).not_to be_a(::TypeError)
      end
    end

    it "can be called after read_array_header fails" do
      unpacker = fed("81 01 02")
      expect { unpacker.read_array_header }.to raise_error(MessagePack::UnexpectedTypeError)
      expect([unpacker.read_map_header, unpacker.read, unpacker.read]).to eq([1, 1, 2])
    end

    it("raises EOFError at the end") { expect { fed("").read_map_header }.to raise_error(EOFError) }
  end

  it "reads more than 128 levels with headers, which do not count as nesting" do
    unpacker = fed("91*1000 05")
    expect(Array.new(1000) { unpacker.read_array_header }).to all(eq(1))
    expect(unpacker.read).to eq(5)
  end

  it "reads headers from an io that returns one byte at a time" do
    unpacker = MessagePack::Unpacker.new(Ios::Drip.new(hex("dd 00 00 00 02 01 df 00 00 00 01 a1 61 c0"), 1))
    expect([unpacker.read_array_header, unpacker.read, unpacker.read_map_header, unpacker.read, unpacker.read]).to eq([2, 1, 1, "a", nil])
  end

  it "writes an array if only its size is known in advance" do
    packer = MessagePack::Packer.new
    packer.write_array_header(3)
    (1..3).each { |i| packer.write(i) }
    expect(packer.to_s).to eq(pack([1, 2, 3]))
  end

  it "inserts a header before objects that are already packed", :ours do
    packer = MessagePack::Packer.new
    3.times { |i| packer.write(i) }
    packer.buffer.prepend(MessagePack::Packer.new.write_array_header(3).to_s)
    expect(unpack(packer.to_s)).to eq([0, 1, 2])
  end

  describe "memory does not grow" do
    it "when an array of a million maps is read from an io" do
      expect(measured(<<~RUBY).split.map(&:to_i)).to match([1_000_000, be < 25_000])
        # Returns a header, and then the same hundred elements repeatedly.
        class Endless
          def initialize(head, body, times)
            @pieces = Enumerator.new { |all| (all << head) && times.times { all << body } }
          end

          def read(_length, out = nil)
            piece = @pieces.next
            out ? out.replace(piece) : piece.dup
          rescue StopIteration
            nil
          end
        end

        head = MessagePack::Packer.new.write_array_header(1_000_000).to_s
        unpacker = MessagePack::Unpacker.new(Endless.new(head, MessagePack.pack({ "id" => 1, "name" => "n" * 30 }) * 100, 10_000))
        size = unpacker.read_array_header
        20_000.times { unpacker.read }
        print size, " ", growth("VmRSS") { (size - 20_000).times { unpacker.read } }
      RUBY
    end

    it "when an array of a million strings is fed in pieces and skipped" do
      expect(measured(<<~RUBY).to_i).to be < 10_000
        piece = MessagePack.pack("x" * 100) * 1000
        unpacker = MessagePack::Unpacker.new
        unpacker.feed(MessagePack::Packer.new.write_array_header(1_000_000).to_s).read_array_header
        unpacker.feed(piece)
        1000.times { unpacker.skip }
        print growth("VmRSS") { 999.times { unpacker.feed(piece) && 1000.times { unpacker.skip } } }
      RUBY
    end

    it "when an array of a million strings is written to an io" do
      expect(measured(<<~RUBY).split.map(&:to_i)).to match([5 + 1_000_000 * 200, be < 80_000])
        class Counter
          attr_reader :bytes

          def write(string)
            @bytes = (@bytes || 0) + string.bytesize
          end
        end
        io = Counter.new
        packer = MessagePack::Packer.new(io).write_array_header(1_000_000)
        element = ["i" * 197]
        1000.times { packer.write(element) }
        grown = growth("VmRSS") { 999_000.times { packer.write(element) } }
        packer.flush
        print io.bytes, " ", grown
      RUBY
    end
  end
end
