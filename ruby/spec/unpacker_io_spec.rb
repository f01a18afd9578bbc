# frozen_string_literal: true

# MessagePack::Unpacker over ios of all habits.
RSpec.describe MessagePack::Unpacker do
  document = [1, -200, 2**40, 1.5, "short", "long" * 20_000, "bin".b * 20_000, nil, { "k" * 40 => [{}, []], 5 => -1 }, Array.new(3000) { |i| i }]

  %i[read readpartial].each do |by|
    [3, 100, 1023, 4096, 1_000_000].each do |size|
      it "reads what comes in #{size} bytes a time by #{by}" do
        unpacker = described_class.new(Ios::Drip.new(pack(document) * 2, size, by: by))
        expect([unpacker.read, unpacker.read]).to eq([document, document])
        expect { unpacker.read }.to raise_error(EOFError)
      end
    end

    it "gives all by each, of an io that has only #{by}" do
      unpacker = described_class.new(Ios::Drip.new(pack(document) * 3, 5000, by: by))
      expect(rest(unpacker)).to eq([document] * 3)
    end

    it "skips what comes in pieces by #{by}" do
      unpacker = described_class.new(Ios::Drip.new(pack(document) + "\x05", 700, by: by))
      unpacker.skip
      expect(unpacker.read).to eq(5)
    end
  end

  it "asks the io in large pieces" do
    io = Ios::Drip.new(pack(document), 1_000_000)
    described_class.new(io).read
    expect(io.calls).to be <= 10
  end

  it "asks for io_buffer_size bytes" do
    lengths = []
    io = Object.new
    io.define_singleton_method(:read) { |length, _out = nil| (lengths << length) && nil }
    expect { described_class.new(io, io_buffer_size: 2000).read }.to raise_error(EOFError)
    expect(lengths.first).to eq(2000)
  end

  it "asks an io for nothing before it is to read" do
    io = Object.new
    def io.read(*) = raise("too early")
    expect { described_class.new(io) }.not_to raise_error
  end

  it "reads what it was fed before the io" do
    unpacker = described_class.new(binary_io("\x02"))
    unpacker.feed("\x01")
    expect([unpacker.read, unpacker.read]).to eq([1, 2])
  end

  it "reads an object of which the io has the rest" do
    unpacker = described_class.new(binary_io("\x02\x03"))
    unpacker.feed("\x92\x01")
    expect([unpacker.read, unpacker.read]).to eq([[1, 2], 3])
  end

  it "refuses an io that cannot be read, when it reads" do
    expect { described_class.new(1).read }.to raise_error(NoMethodError)
  end

  it "lets errors of the io through" do
    expect { described_class.new(Ios::Script.new("\x92\x01".b, IOError.new("broken"))).read }.to raise_error(IOError, "broken")
  end

  it "refuses an io that gives no String" do
    io = Object.new
    def io.read(*) = 1
    expect { described_class.new(io).read }.to raise_error(::TypeError)
  end

  describe "at the end" do
    it("read is EOFError") { expect { described_class.new(binary_io).read }.to raise_error(EOFError) }
    it("skip is EOFError") { expect { described_class.new(binary_io).skip }.to raise_error(EOFError) }
    it("read_array_header is EOFError") { expect { described_class.new(binary_io).read_array_header }.to raise_error(EOFError) }
    it("skip_nil is EOFError") { expect { described_class.new(binary_io).skip_nil }.to raise_error(EOFError) }
    it("an io that gives nil is at its end") { expect { described_class.new(Ios::Script.new(nil)).read }.to raise_error(EOFError) }
    it "an io that gives an empty String is at its end" do
      expect { described_class.new(Ios::Script.new("")).read }.to raise_error(EOFError)
    end
    it("each ends, and returns nil") { expect(described_class.new(binary_io("\x01")).each { nil }).to be_nil }
    it("each ends within an object too") { expect(rest(described_class.new(binary_io("\x01\x92\x02")))).to eq([1]) }

    %i[read skip].each do |name|
      it "#{name} goes on with half an object, when the io has got more since" do
        unpacker = described_class.new(Ios::Script.new("\x93\x01".b, nil, "\x02".b, nil, "\x03\x04".b))
        2.times { expect { unpacker.public_send(name) }.to raise_error(EOFError) }
        expect(unpacker.public_send(name)).to eq(name == :read ? [1, 2, 3] : nil)
        expect(unpacker.read).to eq(4)
      end
    end

    it "reads what the io has got since" do
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

    it "lets it through, and reads on within an array" do
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
      it("reads on, wherever it blocks in #{bytes}") { blocked_everywhere(hex(bytes)) }
    end

    { "a key that is a str" => "82 a1 61 01 a3 62 63 64 02", "an ext" => "92 d5 01 61 62 05" }.each do |name, bytes|
      it("reads on, wherever it blocks in #{name} [fixed]", :ours) { blocked_everywhere(hex(bytes)) }
    end

    it "reads on by each" do
      unpacker = described_class.new(Ios::Script.new("\x01\x93\x02".b, again, "\x03\x04\x05".b))
      found = []
      expect { unpacker.each { |object| found << object } }.to raise_error(IO::WaitReadable)
      unpacker.each { |object| found << object }
      expect(found).to eq([1, [2, 3, 4], 5])
    end

    it "reads on by skip" do
      unpacker = described_class.new(Ios::Script.new("\x93\x01".b, again, "\x02\x03\x07".b))
      expect { unpacker.skip }.to raise_error(IO::WaitReadable)
      unpacker.skip
      expect(unpacker.read).to eq(7)
    end
  end

  describe "an io that gives more than it was asked for" do
    it "is read all, in a str", :ours do
      unpacker = described_class.new(Ios::Script.new("\xa5a".b, "bcde\x07\x08".b))
      expect(rest(unpacker)).to eq(["abcde", 7, 8])
    end

    it "is read all, in a large bin", :ours do
      body = "x".b * 100_000
      unpacker = described_class.new(Ios::Script.new("\xc6\x00\x01\x86\xa0".b, body + "\x07\x08".b))
      expect(rest(unpacker)).to eq([body, 7, 8])
    end

    it "is read all, at first" do
      unpacker = described_class.new(Ios::Script.new(pack(["x" * 200_000, 7])))
      expect(unpacker.read).to eq(["x" * 200_000, 7])
    end

    it "is read all, in every cut of a document", :ours do
      bytes = pack(["s" * 50, "b".b * 50, [1] * 20, { "k" => 1.5 }])
      (1...bytes.bytesize).each do |cut|
        unpacker = described_class.new(Ios::Script.new(bytes.byteslice(0, cut), bytes.byteslice(cut..) + "\x07"))
        expect(rest(unpacker)).to eq([unpack(bytes), 7])
      end
    end
  end

  describe "real ios" do
    it "reads a pipe that is written meanwhile" do
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

    it "waits for no more than an object: answers between question and question" do
      reading, writing = IO.pipe(binmode: true)
      unpacker = described_class.new(reading)
      expect(Array.new(20) { |i| writing.write(pack([i])) && unpacker.read }).to eq(Array.new(20) { |i| [i] })
    ensure
      [reading, writing].each(&:close)
    end

    it "reads a file" do
      Tempfile.create("io", binmode: true) do |file|
        file.write(pack(document) * 5)
        file.rewind
        expect(rest(described_class.new(file))).to eq([document] * 5)
      end
    end

    it "leaves the io open" do
      io = binary_io("\x01")
      described_class.new(io).each { nil }
      expect(io).not_to be_closed
    end
  end

  it "keeps the io alive" do
    unpackers = Array.new(50) { |i| described_class.new(binary_io(pack(i) * 3)) }
    GC.start
    expect(unpackers.map { |unpacker| rest(unpacker) }).to eq(Array.new(50) { |i| [i] * 3 })
  end
end
