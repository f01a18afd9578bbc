# frozen_string_literal: true

# MessagePack::Unpacker with ios of different behaviour.
RSpec.describe MessagePack::Unpacker do
  document = [1, -200, 2**40, 1.5, "short", "long" * 20_000, "bin".b * 20_000, nil, { "k" * 40 => [{}, []], 5 => -1 }, Array.new(3000) { |i| i }]

  %i[read readpartial].each do |by|
    [3, 100, 1023, 4096, 1_000_000].each do |size|
      it "reads from #{by} in pieces of #{size} bytes" do
        unpacker = described_class.new(Ios::Drip.new(pack(document) * 2, size, by: by))
        expect([unpacker.read, unpacker.read]).to eq([document, document])
        expect { unpacker.read }.to raise_error(EOFError)
      end
    end

    it "yields all objects from each if the io only has #{by}" do
      unpacker = described_class.new(Ios::Drip.new(pack(document) * 3, 5000, by: by))
      expect(rest(unpacker)).to eq([document] * 3)
    end

    it "skips objects in pieces from #{by}" do
      unpacker = described_class.new(Ios::Drip.new(pack(document) + "\x05", 700, by: by))
      unpacker.skip
      expect(unpacker.read).to eq(5)
    end
  end

  it "requests large pieces from the io" do
    io = Ios::Drip.new(pack(document), 1_000_000)
    described_class.new(io).read
    expect(io.calls).to be <= 10
  end

  it "requests io_buffer_size bytes" do
    lengths = []
    io = Object.new
    io.define_singleton_method(:read) { |length, _out = nil| (lengths << length) && nil }
    expect { described_class.new(io, io_buffer_size: 2000).read }.to raise_error(EOFError)
    expect(lengths.first).to eq(2000)
  end

  it "does not read from the io in new" do
    io = Object.new
    def io.read(*) = raise("too early")
    expect { described_class.new(io) }.not_to raise_error
  end

  it "reads fed bytes before the io" do
    unpacker = described_class.new(binary_io("\x02"))
    unpacker.feed("\x01")
    expect([unpacker.read, unpacker.read]).to eq([1, 2])
  end

  it "reads an object that begins in the fed bytes and ends in the io" do
    unpacker = described_class.new(binary_io("\x02\x03"))
    unpacker.feed("\x92\x01")
    expect([unpacker.read, unpacker.read]).to eq([[1, 2], 3])
  end

  it "rejects an io without a read method when it reads" do
    expect { described_class.new(1).read }.to raise_error(NoMethodError)
  end

  it "propagates errors of the io" do
    expect { described_class.new(Ios::Script.new("\x92\x01".b, IOError.new("broken"))).read }.to raise_error(IOError, "broken")
  end

  it "rejects an io that does not return a String" do
    io = Object.new
    def io.read(*) = 1
    expect { described_class.new(io).read }.to raise_error(::TypeError)
  end

  describe "at the end" do
    it("read raises EOFError") { expect { described_class.new(binary_io).read }.to raise_error(EOFError) }
    it("skip raises EOFError") { expect { described_class.new(binary_io).skip }.to raise_error(EOFError) }
    it("read_array_header raises EOFError") { expect { described_class.new(binary_io).read_array_header }.to raise_error(EOFError) }
    it("skip_nil raises EOFError") { expect { described_class.new(binary_io).skip_nil }.to raise_error(EOFError) }
    it("nil from the io means the end") { expect { described_class.new(Ios::Script.new(nil)).read }.to raise_error(EOFError) }
    it "an empty String from the io means the end" do
      expect { described_class.new(Ios::Script.new("")).read }.to raise_error(EOFError)
    end

    it "an empty String from the io means the end, even if more bytes follow" do
      unpacker = described_class.new(Ios::Script.new("", "\x01"))
      expect { unpacker.read }.to raise_error(EOFError)
      expect(unpacker.read).to eq(1)
    end

    it("each returns nil") { expect(described_class.new(binary_io("\x01")).each { nil }).to be_nil }
    it("each returns within an incomplete object") { expect(rest(described_class.new(binary_io("\x01\x92\x02")))).to eq([1]) }

    %i[read skip].each do |name|
      it "#{name} continues within an object when the io has more bytes" do
        unpacker = described_class.new(Ios::Script.new("\x93\x01".b, nil, "\x02".b, nil, "\x03\x04".b))
        2.times { expect { unpacker.public_send(name) }.to raise_error(EOFError) }
        expect(unpacker.public_send(name)).to eq(name == :read ? [1, 2, 3] : nil)
        expect(unpacker.read).to eq(4)
      end
    end

    it "reads again when the io has more bytes" do
      io = binary_io("\x01")
      unpacker = described_class.new(io)
      expect(unpacker.read).to eq(1)
      expect { unpacker.read }.to raise_error(EOFError)
      io.string = "\x02".b
      expect(unpacker.read).to eq(2)
    end
  end

  describe "an io that would block" do
    let(:again) { IO::EAGAINWaitReadable.new("again") }

    it "propagates IO::WaitReadable, and continues within an array" do
      unpacker = described_class.new(Ios::Script.new("\x93\x01".b, again, "\x02".b, again, "\x03".b))
      2.times { expect { unpacker.read }.to raise_error(IO::WaitReadable) }
      expect(unpacker.read).to eq([1, 2, 3])
    end

    def blocked_everywhere(bytes)
      (1...bytes.bytesize).each do |cut|
        unpacker = described_class.new(Ios::Script.new(bytes.byteslice(0, cut), again, bytes.byteslice(cut..)), allow_unknown_ext: true)
        expect { unpacker.read }.to raise_error(IO::WaitReadable)
        expect(unpacker.read).to eq(unpack(bytes, allow_unknown_ext: true))
      end
    end

    ["a3 61 62 63", "d9 03 61 62 63", "cd 01 02", "cb 3f f8 00*6", "dc 00 02 01 02", "92 91 01 91 c4 02 61 62", "82 01 02 03 81 c0 c3"].each do |bytes|
      it("continues wherever it blocks in #{bytes}") { blocked_everywhere(hex(bytes)) }
    end

    { "a key that is a str" => "82 a1 61 01 a3 62 63 64 02", "an ext" => "92 d5 01 61 62 05" }.each do |name, bytes|
      it("continues wherever it blocks in #{name} [fixed]", :ours) { blocked_everywhere(hex(bytes)) }
    end

    it "continues with each" do
      unpacker = described_class.new(Ios::Script.new("\x01\x93\x02".b, again, "\x03\x04\x05".b))
      found = []
      expect { unpacker.each { |object| found << object } }.to raise_error(IO::WaitReadable)
      unpacker.each { |object| found << object }
      expect(found).to eq([1, [2, 3, 4], 5])
    end

    it "continues with skip" do
      unpacker = described_class.new(Ios::Script.new("\x93\x01".b, again, "\x02\x03\x07".b))
      expect { unpacker.skip }.to raise_error(IO::WaitReadable)
      unpacker.skip
      expect(unpacker.read).to eq(7)
    end
  end

  describe "an io that returns more bytes than requested" do
    it "loses no bytes in a str", :ours do
      unpacker = described_class.new(Ios::Script.new("\xa5a".b, "bcde\x07\x08".b))
      expect(rest(unpacker)).to eq(["abcde", 7, 8])
    end

    it "loses no bytes in a large bin", :ours do
      body = "x".b * 100_000
      unpacker = described_class.new(Ios::Script.new("\xc6\x00\x01\x86\xa0".b, body + "\x07\x08".b))
      expect(rest(unpacker)).to eq([body, 7, 8])
    end

    it "loses no bytes in the first piece" do
      unpacker = described_class.new(Ios::Script.new(pack(["x" * 200_000, 7])))
      expect(unpacker.read).to eq(["x" * 200_000, 7])
    end

    it "loses no bytes wherever a document is cut", :ours do
      bytes = pack(["s" * 50, "b".b * 50, [1] * 20, { "k" => 1.5 }])
      (1...bytes.bytesize).each do |cut|
        unpacker = described_class.new(Ios::Script.new(bytes.byteslice(0, cut), bytes.byteslice(cut..) + "\x07"))
        expect(rest(unpacker)).to eq([unpack(bytes), 7])
      end
    end
  end

  describe "pipes and files" do
    it "reads from a pipe during writing" do
      reading, writing = IO.pipe(binmode: true)
      thread = Thread.new do
        pieces(pack(document), 10_000).each { |piece| writing.write(piece) && Thread.pass }
        writing.close
      end
      expect(described_class.new(reading).read).to eq(document)
      thread.join
    ensure
      [reading, writing].each(&:close)
    end

    it "waits for one object only, so that requests and replies can alternate" do
      reading, writing = IO.pipe(binmode: true)
      unpacker = described_class.new(reading)
      expect(Array.new(20) { |i| writing.write(pack([i])) && unpacker.read }).to eq(Array.new(20) { |i| [i] })
    ensure
      [reading, writing].each(&:close)
    end

    it "reads from a file" do
      Tempfile.create("io", binmode: true) do |file|
        file.write(pack(document) * 5)
        file.rewind
        expect(rest(described_class.new(file))).to eq([document] * 5)
      end
    end

    it "does not close the io" do
      io = binary_io("\x01")
      described_class.new(io).each { nil }
      expect(io).not_to be_closed
    end
  end

  it "keeps the io alive during garbage collection" do
    unpackers = Array.new(50) { |i| described_class.new(binary_io(pack(i) * 3)) }
    GC.start
    expect(unpackers.map { |unpacker| rest(unpacker) }).to eq(Array.new(50) { |i| [i] * 3 })
  end
end
