# frozen_string_literal: true

# MessagePack::Packer without ext types: its writers, its content, and its use of an io.
RSpec.describe MessagePack::Packer do
  let(:packer) { described_class.new }

  describe ".new" do
    it("accepts no arguments") { expect(described_class.new).to be_empty }
    it("accepts an io") { expect(described_class.new(binary_io)).to be_empty }
    it("accepts nil and nil") { expect(described_class.new(nil, nil)).to be_empty }
    it("accepts an io and nil") { expect(described_class.new(binary_io, nil)).to be_empty }
    it("ignores unknown options") { expect(described_class.new(some: 1)).to be_empty }
    it("rejects options that are not a Hash") { expect { described_class.new(binary_io, 1) }.to raise_error(::TypeError) }
    it("rejects a third argument") { expect { described_class.new(binary_io, {}, 1) }.to raise_error(ArgumentError) }

    it "regards the first of two arguments as the io, even if it is a Hash" do
      packer = described_class.new({}, compatibility_mode: true)
      expect([packer.buffer.io, packer.compatibility_mode?]).to eq([{}, true])
    end

    it "accepts the options of its buffer" do
      io = Ios::Sink.new
      small = described_class.new(io, io_buffer_size: 1024, read_reference_threshold: 256, write_reference_threshold: 256)
      5000.times { small.write("a" * 20) }
      expect(io.pieces).not_to be_empty
      small.flush
      expect(io.bytes).to eq(hex("b4 61*20") * 5000)
    end
  end

  describe "copying" do
    it("does not support dup") { expect { packer.dup }.to raise_error(NoMethodError) }
    it("does not support clone") { expect { packer.clone }.to raise_error(NoMethodError) }
  end

  describe "#write" do
    { nil => "c0", true => "c3", 1 => "01", 1.0 => "cb 3f f0 00*6", "a" => "a1 61", a: "a1 61", [1] => "91 01",
      { 1 => 2 } => "81 01 02" }.each do |object, bytes|
      it("appends #{object.inspect}") { expect(packer.write(object).write(object).to_s).to eq(hex(bytes) * 2) }
    end

    it("returns the packer") { expect(packer.write(1)).to equal(packer) }
    it("has the alias pack") { expect(packer.pack(1).pack([2]).to_s).to eq(hex("01 91 02")) }
    it("rejects an object that cannot be packed") { expect { packer.write(Object.new) }.to raise_error(NoMethodError, /to_msgpack/) }

    it "writes after an error" do
      expect { packer.write(Object.new) }.to raise_error(NoMethodError)
      packer.reset
      expect(packer.write(1).to_s).to eq("\x01")
    end
  end

  describe "the typed writers" do
    {
      write_nil: [[], "c0"], write_true: [[], "c3"], write_false: [[], "c2"], write_float: [[1.5], "cb 3f f8 00*6"],
      write_float32: [[1.5], "ca 3f c0 00 00"], write_string: [["a"], "a1 61"], write_bin: [["a"], "c4 01 61"],
      write_array: [[[1, 2]], "92 01 02"], write_hash: [[{ 1 => 2 }], "81 01 02"], write_symbol: [[:a], "a1 61"], write_int: [[300], "cd 01 2c"],
      write_array_header: [[2], "92"], write_map_header: [[2], "82"], write_bin_header: [[2], "c4 02"], write_ext: [[1, "a"], "d4 01 61"],
      write_extension: [[MessagePack::ExtensionValue.new(1, "a")], "d4 01 61"]
    }.each do |name, (arguments, bytes)|
      it("#{name} writes #{bytes}") { expect(packer.public_send(name, *arguments).to_s).to eq(hex(bytes)) }
      it("#{name} returns the packer") { expect(packer.public_send(name, *arguments)).to equal(packer) }
      it("#{name} rejects more than #{arguments.size} arguments") { expect { packer.public_send(name, *arguments, 1) }.to raise_error(ArgumentError) }
    end

    {
      [:write_string, 1] => "wrong argument type Integer (expected String)",
      [:write_string, :a] => "wrong argument type Symbol (expected String)",
      [:write_string, nil] => "wrong argument type nil (expected String)",
      [:write_bin, 1] => "wrong argument type Integer (expected String)",
      [:write_array, {}] => "wrong argument type Hash (expected Array)",
      [:write_array, 1..2] => "wrong argument type Range (expected Array)",
      [:write_hash, []] => "wrong argument type Array (expected Hash)",
      [:write_symbol, "a"] => "wrong argument type String (expected Symbol)",
      [:write_int, "1"] => "wrong argument type String (expected Integer)",
      [:write_int, 1.5] => "wrong argument type Float (expected Integer)",
      [:write_int, nil] => "wrong argument type nil (expected Integer)"
    }.each do |(name, argument), message|
      it "#{name} rejects #{argument.inspect}: #{message}" do
        expect { packer.public_send(name, argument) }.to raise_error(::TypeError, message)
        expect(packer).to be_empty
      end
    end

    it "reject a wrong type with Ruby's TypeError, not with MessagePack::TypeError" do
      expect { packer.write_string(1) }.to raise_error { |error| expect(error).not_to be_a(MessagePack::TypeError) }
    end

    it("write_extension rejects other objects") { expect { packer.write_extension(1) }.to raise_error(::TypeError) }
    it "write_int writes Integers beyond 63 bits" do
      expect(packer.write_int(2**64 - 1).write_int(-2**63).to_s).to eq(hex("cf ff*8 d3 80 00*7"))
    end
    it("write_int rejects Integers beyond 64 bits") { expect { packer.write_int(2**64) }.to raise_error(RangeError) }

    { 127 => "7f", 128 => "cc 80", -32 => "e0", -33 => "d0 df" }.each do |integer, bytes|
      it "write_int writes #{integer} as #{bytes}" do
        expect(packer.write_int(integer).to_s).to eq(hex(bytes))
      end
    end

    it("write_string writes a binary String as bin") { expect(packer.write_string("\xff".b).to_s).to eq(hex("c4 01 ff")) }
  end

  describe "#write_float" do
    { 1 => 1.0, 1r / 4 => 0.25, 2**70 => (2**70).to_f, -3 => -3.0 }.each do |number, float|
      it("accepts #{number.inspect}, a number of another class") { expect(packer.write_float(number).to_s).to eq(pack(float)) }
    end

    it("rejects a String") { expect { packer.write_float("1") }.to raise_error(::TypeError) }
    it("rejects nil") { expect { packer.write_float(nil) }.to raise_error(::TypeError) }
  end

  describe "#write_float32" do
    { 0.0 => "ca 00*4", 1 => "ca 3f 80 00 00", 1r / 2 => "ca 3f 00 00 00", 3.14 => "ca 40 48 f5 c3", 1e300 => "ca 7f 80 00 00",
      -Float::INFINITY => "ca ff 80 00 00", 1e-300 => "ca 00*4", 16_777_217 => "ca 4b 80 00 00" }.each do |number, bytes|
      it("writes #{number.inspect} as #{bytes}") { expect(packer.write_float32(number).to_s).to eq(hex(bytes)) }
    end

    it("preserves the sign of -0.0") { expect(packer.write_float32(-0.0).to_s).to eq(hex("ca 80 00*3")) }
    it("writes a NaN") { expect(packer.write_float32(Float::NAN).to_s.unpack1("xg")).to be_nan }

    ["1", nil, :a, []].each do |object|
      it "rejects #{object.inspect}" do
        expect { packer.write_float32(object) }.to raise_error(ArgumentError, "Expected numeric")
      end
    end
  end

  describe "#write_bin" do
    it("writes a UTF-8 String of ASCII as bin") { expect(packer.write_bin("abc").to_s).to eq(hex("c4 03 61 62 63")) }
    it("writes a binary String") { expect(packer.write_bin("\xff".b).to_s).to eq(hex("c4 01 ff")) }
    it("rejects non-ASCII UTF-8 with the EncodingError of Ruby") { expect { packer.write_bin("é") }.to raise_error(EncodingError) }
    it("does not change the String") { expect { packer.write_bin("abc".freeze) }.not_to raise_error }
  end

  describe "headers" do
    { 0 => "90", 15 => "9f", 16 => "dc 00 10", 65_535 => "dc ff ff", 65_536 => "dd 00 01 00 00", 2**32 - 1 => "dd ff*4" }.each do |n, bytes|
      it("write_array_header(#{n}) writes #{bytes}") { expect(packer.write_array_header(n).to_s).to eq(hex(bytes)) }
    end

    { 0 => "80", 15 => "8f", 16 => "de 00 10", 65_535 => "de ff ff", 65_536 => "df 00 01 00 00", 2**32 - 1 => "df ff*4" }.each do |n, bytes|
      it("write_map_header(#{n}) writes #{bytes}") { expect(packer.write_map_header(n).to_s).to eq(hex(bytes)) }
    end

    { 0 => "c4 00", 255 => "c4 ff", 256 => "c5 01 00", 65_535 => "c5 ff ff", 65_536 => "c6 00 01 00 00", 2**32 - 1 => "c6 ff*4" }.each do |n, bytes|
      it("write_bin_header(#{n}) writes #{bytes}") { expect(packer.write_bin_header(n).to_s).to eq(hex(bytes)) }
    end

    %i[write_array_header write_map_header write_bin_header].each do |name|
      it("#{name} truncates 1.9 to 1") { expect(packer.public_send(name, 1.9).to_s).to eq(described_class.new.public_send(name, 1).to_s) }
      it("#{name} rejects a String") { expect { packer.public_send(name, "1") }.to raise_error(::TypeError) }
      it("#{name} rejects nil") { expect { packer.public_send(name, nil) }.to raise_error(::TypeError) }

      [2**32, 2**33, 2**64, 2**100, -2**40].each do |n|
        it "#{name} rejects #{n}" do
          expect { packer.public_send(name, n) }.to raise_error(RangeError)
          expect(packer).to be_empty
        end
      end

      [-1, -2**31].each do |n|
        it "#{name} rejects #{n} [quirk, fixed]", :ours do
          expect { packer.public_send(name, n) }.to raise_error(RangeError)
          expect(packer).to be_empty
        end
      end
    end

    it "build a map from pieces" do
      packer.write_map_header(2).write("a").write_array_header(2).write(1).write(nil).write_symbol(:b).write_bin_header(2)
      packer.buffer << "xy"
      expect(unpack(packer.to_s)).to eq({ "a" => [1, nil], "b" => "xy" })
    end
  end

  describe "#write_ext" do
    { 0 => "c7 00 05", 1 => "d4 05", 2 => "d5 05", 3 => "c7 03 05", 4 => "d6 05", 5 => "c7 05 05", 8 => "d7 05", 15 => "c7 0f 05", 16 => "d8 05", 17 => "c7 11 05",
      255 => "c7 ff 05", 256 => "c8 01 00 05", 65_535 => "c8 ff ff 05", 65_536 => "c9 00 01 00 00 05" }.each do |size, head|
      it "writes the header #{head} for #{size} bytes" do
        expect(packer.write_ext(5, "a" * size).to_s).to eq(hex("#{head} 61*#{size}"))
      end
    end

    { 127 => "d4 7f 61", 0 => "d4 00 61", -1 => "d4 ff 61", -128 => "d4 80 61" }.each do |type, bytes|
      it("writes type #{type}") { expect(packer.write_ext(type, "a").to_s).to eq(hex(bytes)) }
    end

    [128, -129, 2**40].each do |type|
      it("rejects type #{type}") { expect { packer.write_ext(type, "a") }.to raise_error(RangeError) }
    end

    it("writes the bytes of a String in any encoding") { expect(packer.write_ext(1, "é".encode("UTF-16LE")).to_s).to eq(hex("d5 01 e9 00")) }
    it("rejects a payload that is not a String") { expect { packer.write_ext(1, 1) }.to raise_error(::TypeError) }
    it("rejects a type that is not an Integer") { expect { packer.write_ext(:a, "a") }.to raise_error(::TypeError) }
  end

  describe "compatibility_mode" do
    let(:old) { described_class.new(compatibility_mode: true) }

    it("is disabled by default") { expect(packer.compatibility_mode?).to be(false) }
    it("is disabled by nil") { expect(described_class.new(compatibility_mode: nil).compatibility_mode?).to be(false) }
    it("is enabled by true") { expect(old.compatibility_mode?).to be(true) }
    it("is enabled for a packer with an io") { expect(described_class.new(binary_io, compatibility_mode: true).compatibility_mode?).to be(true) }
    it("writes binary as raw") { expect(old.write("\xff".b).to_s).to eq(hex("a1 ff")) }
    it("writes write_bin as raw") { expect(old.write_bin("a").to_s).to eq(hex("a1 61")) }
    it("is an option of pack") { expect(pack(["\xff".b], compatibility_mode: true)).to eq(hex("91 a1 ff")) }

    { 31 => "bf", 32 => "da 00 20", 255 => "da 00 ff", 65_535 => "da ff ff", 65_536 => "db 00 01 00 00" }.each do |size, head|
      it("does not write str 8: #{size} bytes begin with #{head}") { expect(old.write("a" * size).to_s).to eq(hex("#{head} 61*#{size}")) }
      it("does not write bin: #{size} bytes begin with #{head}") { expect(old.write("a".b * size).to_s).to eq(hex("#{head} 61*#{size}")) }
    end

    { 5 => "a5", 32 => "da 00 20", 65_536 => "db 00 01 00 00" }.each do |size, head|
      it "writes #{head} as the header of a binary of #{size} bytes", :ours do
        expect(old.write_bin_header(size).to_s).to eq(hex(head))
      end
    end

    it "writes a long Symbol without str 8" do
      expect(old.write(("a" * 40).to_sym).to_s).to eq(hex("da 00 28 61*40"))
    end
  end

  describe "the content" do
    it("is empty for a new packer") { expect([packer.empty?, packer.size, packer.to_s, packer.to_a.join]).to eq([true, 0, "", ""]) }

    it "has a size" do
      packer.write("a" * 10)
      expect(packer.size).to eq(11)
      expect(packer).not_to be_empty
    end

    %i[to_s to_str].each do |name|
      it("is returned by #{name}, which does not clear it") do
        packer.write([1, 2])
        expect([packer.public_send(name), packer.public_send(name), packer.size]).to eq([hex("92 01 02"), hex("92 01 02"), 3])
      end

      it("is copied by #{name}") do
        packer.write([1])
        packer.public_send(name) << "more"
        expect(packer.to_s).to eq(hex("91 01"))
      end

      it("is returned as a binary String by #{name}") do
        packer.write("é")
        expect(packer.public_send(name).encoding).to eq(Encoding::BINARY)
      end
    end

    it("can be added to a String") { expect("".b + packer.write([1])).to eq(hex("91 01")) }

    it "is returned in chunks by to_a, which does not clear it" do
      packer.write("a" * 10).write("b" * 1_000_000).write("c")
      chunks = packer.to_a
      expect(chunks).to all(be_a(String))
      expect(chunks.join.b).to eq(hex("aa 61*10 db 00 0f 42 40 62*1000000 a1 63"))
      expect(packer.size).to eq(chunks.sum(&:bytesize))
    end

    %i[reset clear].each do |name|
      it("is removed by #{name}, which returns nil") do
        packer.write("a" * 1_000_000)
        expect(packer.public_send(name)).to be_nil
        expect([packer.empty?, packer.size, packer.to_s]).to eq([true, 0, ""])
        expect(packer.write(1).to_s).to eq("\x01")
      end
    end

    it "is the content of its buffer" do
      expect(packer.buffer).to be_a(MessagePack::Buffer)
      expect(packer.buffer).to equal(packer.buffer)
      packer.write(1)
      packer.buffer << "x"
      packer.write(2)
      expect(packer.to_s).to eq("\x01x\x02")
      expect(packer.buffer.size).to eq(3)
    end

    it "is retained by a buffer that outlives the packer" do
      buffers = Array.new(100) { |i| described_class.new.write([i] * 2000).buffer }
      GC.start
      expect(buffers.each_with_index.map { |buffer, i| buffer.read == pack([i] * 2000) }).to all(be(true))
    end
  end

  describe "#full_pack" do
    it "returns the content and clears the packer" do
      packer.write([1, 2])
      expect(packer.full_pack).to eq(hex("92 01 02"))
      expect(packer).to be_empty
    end

    it("returns an empty String for an empty packer") { expect(packer.full_pack).to eq("") }
    it("returns a binary String") { expect(packer.write("é").full_pack.encoding).to eq(Encoding::BINARY) }

    it "flushes to an io, clears the packer and returns nil" do
      io = binary_io
      with_io = described_class.new(io)
      with_io.write([1, 2])
      expect(with_io.full_pack).to be_nil
      expect(io.string).to eq(hex("92 01 02"))
      expect(with_io).to be_empty
    end

    it "can be called repeatedly" do
      results = Array.new(1000) { |i| packer.write(["x" * i]).full_pack }
      expect(results).to eq(Array.new(1000) { |i| pack(["x" * i]) })
    end
  end

  describe "#write_to" do
    it "writes the content, consumes it and returns the number of bytes" do
      io = binary_io
      packer.write([1, "a" * 1_000_000, 2])
      bytes = packer.to_s
      expect(packer.write_to(io)).to eq(bytes.bytesize)
      expect(io.string).to eq(bytes)
      expect(packer).to be_empty
    end

    it("returns 0 for an empty packer") { expect(packer.write_to(binary_io)).to eq(0) }
    it("rejects an object without write") { expect { packer.write(1).write_to(Object.new) }.to raise_error(NoMethodError) }
  end

  describe "with an io" do
    let(:io) { Ios::Sink.new }
    let(:packer) { described_class.new(io) }

    it "writes nothing before flush" do
      packer.write([1, 2])
      expect(io.pieces).to be_empty
    end

    it "writes everything on flush, and returns the packer" do
      packer.write([1, 2])
      expect(packer.flush).to equal(packer)
      expect(io.bytes).to eq(hex("92 01 02"))
      expect(packer).to be_empty
    end

    it "flushes automatically when its buffer is full" do
      20_000.times { |i| packer.write(i) }
      expect(io.pieces).not_to be_empty
      packer.flush
      expect(io.bytes).to eq((0...20_000).map { |i| pack(i) }.join)
    end

    it "preserves the order around Strings that are too large to copy" do
      packer.write(1).write("a" * 1_000_000).write(2).write("b".b * 600_000).write(3)
      packer.flush
      expect(io.bytes).to eq(pack(1) + pack("a" * 1_000_000) + pack(2) + pack("b".b * 600_000) + pack(3))
    end

    it "writes a large binary directly, before flush" do
      packer.write(1).write("a".b * 1_000_000)
      expect(io.bytes.bytesize).to be >= 1_000_000
    end

    it "writes a String of write_reference_threshold bytes directly, even if it is short", :ours do
      packer = described_class.new(io, write_reference_threshold: 256)
      packer.write(1).write("a" * 255)
      expect(io.bytes).to eq("")
      packer.write("b" * 256)
      expect(io.bytes).to eq(pack(1) + pack("a" * 255) + pack("b" * 256))
    end

    it "writes with << if the io has no write" do
      shovel = Ios::Shovel.new
      described_class.new(shovel).write([1, "a" * 1_000_000]).flush
      expect(shovel.bytes).to eq(pack([1, "a" * 1_000_000]))
    end

    it "writes to a pipe" do
      reading, writing = IO.pipe(binmode: true)
      document = Array.new(20_000) { |i| { "id" => i, "text" => "t" * (i % 30) } }
      thread = Thread.new { reading.read }
      described_class.new(writing).write(document).flush
      writing.close
      expect(MessagePack.unpack(thread.value)).to eq(document)
    ensure
      [reading, writing].each(&:close)
    end

    it "propagates errors of the io, and works again after reset" do
      broken = Object.new
      def broken.write(_) = raise(IOError, "broken")
      packer = described_class.new(broken)
      packer.write(1)
      expect { packer.flush }.to raise_error(IOError, "broken")
      packer.reset
      expect(packer.write(2).to_s).to eq("\x02")
    end

    it "rejects an io without a write method on flush" do
      expect { described_class.new(Object.new).write(1).flush }.to raise_error(NoMethodError)
    end
  end

  describe "without an io" do
    it("flush does nothing and returns the packer") do
      packer.write(1)
      expect(packer.flush).to equal(packer)
      expect(packer.to_s).to eq("\x01")
    end
  end

  it "writes when it is frozen" do
    expect(packer.freeze.write([1]).write_nil.to_s).to eq(hex("91 01 c0"))
  end

  it "copies Strings, so later changes do not affect the output" do
    short = +"short"
    long = "l" * 1_000_000
    packer.write(short).write(long)
    expected = pack("short") + pack("l" * 1_000_000)
    short << "er"
    long[0] = "X"
    long << "more"
    expect(packer.to_s).to eq(expected)
  end

  it "stores Strings of every size" do
    sizes = [0, 1, 31, 32, 255, 256, 600, 4095, 4096, 4097, 65_536, 524_287, 524_288, 524_289]
    sizes.each { |size| packer.write("x" * size) }
    expect(packer.to_s).to eq(sizes.map { |size| pack("x" * size) }.join)
  end

  describe "float32: true" do
    let(:packer) { described_class.new(float32: true) }

    {
      0.0 => "ca 00*4", 1.0 => "ca 3f 80 00 00", 0.5 => "ca 3f 00 00 00", -1.5 => "ca bf c0 00 00", 2.0**127 => "ca 7f 00 00 00",
      2.0**-149 => "ca 00 00 00 01", 16_777_216.0 => "ca 4b 80 00 00", Float::INFINITY => "ca 7f 80 00 00", -Float::INFINITY => "ca ff 80 00 00"
    }.each do |float, bytes|
      it("writes #{float}, which 32 bits represent exactly, in 32 bits", :ours) { expect(packer.write(float).to_s).to eq(hex(bytes)) }
    end

    it("preserves the sign of -0.0", :ours) { expect(packer.write(-0.0).to_s).to eq(hex("ca 80 00*3")) }

    [1.1, 0.1, 16_777_217.0, 2.0**128, 2.0**-150, Float::MAX, 1e300, Float::MIN, 3.4028235e38].each do |float|
      it("writes #{float} in 64 bits") { expect(packer.write(float).to_s).to eq(pack(float)) }
    end

    it("applies to elements, keys and values", :ours) { expect(packer.write([{ 0.5 => 1.5 }]).to_s).to eq(hex("91 81 ca 3f 00*3 ca 3f c0 00 00")) }
    it("does not affect Integers") { expect(packer.write([1, 2**40]).to_s).to eq(pack([1, 2**40])) }
    it("is an option of pack", :ours) { expect(pack([0.5], float32: true)).to eq(hex("91 ca 3f 00*3")) }
    it("is disabled by false") { expect(pack(0.5, float32: false)).to eq(hex("cb 3f e0 00*6")) }
    it("is disabled by default") { expect(pack(0.5)).to eq(hex("cb 3f e0 00*6")) }

    it "does not lose precision", :ours do
      floats = Array.new(2000) { |i| i.even? ? [rand(2**32)].pack("L").unpack1("f") : [rand(2**64)].pack("Q").unpack1("d") }.reject(&:nan?)
      packer.write(floats)
      expect(unpack(packer.to_s)).to eq(floats)
      expect(packer.size).to be < pack(floats).bytesize
    end

    it "writes a NaN as a NaN" do
      expect(unpack(packer.write(Float::NAN).to_s)).to be_nan
    end
  end
end
