# frozen_string_literal: true

# MessagePack::Unpacker with fed bytes. unpacker_io_spec.rb covers ios, and skip_spec.rb covers the
# methods that create no objects.
RSpec.describe MessagePack::Unpacker do
  let(:unpacker) { described_class.new }

  describe ".new" do
    it("accepts no arguments") { expect { described_class.new.read }.to raise_error(EOFError, "end of buffer reached") }
    it("accepts options") { expect(described_class.new(symbolize_keys: true).symbolize_keys?).to be(true) }
    it("accepts an io and options") { expect(described_class.new(binary_io, symbolize_keys: true).symbolize_keys?).to be(true) }
    it("accepts nil and nil") { expect(described_class.new(nil, nil).symbolize_keys?).to be(false) }
    it "accepts the options of its buffer" do
      expect(described_class.new(io_buffer_size: 1024, read_reference_threshold: 256).feed("\x01").read).to eq(1)
    end
    it("rejects options that are not a Hash") { expect { described_class.new(binary_io, 1) }.to raise_error(ArgumentError) }

    { symbolize_keys: :symbolize_keys?, freeze: :freeze?, allow_unknown_ext: :allow_unknown_ext? }.each do |option, predicate|
      it("#{predicate} is false by default") { expect(described_class.new.public_send(predicate)).to be(false) }
      it("#{predicate} is true for #{option}: true") { expect(described_class.new(option => true).public_send(predicate)).to be(true) }
      it("#{predicate} is true for any truthy value") { expect(described_class.new(option => 1).public_send(predicate)).to be(true) }
      it("#{predicate} is false for nil") { expect(described_class.new(option => nil).public_send(predicate)).to be(false) }
    end
  end

  describe "copying" do
    it("does not support dup") { expect { unpacker.dup }.to raise_error(NoMethodError) }
    it("does not support clone") { expect { unpacker.clone }.to raise_error(NoMethodError) }
  end

  it "is not Enumerable" do
    expect(unpacker).not_to be_a(Enumerable)
  end

  it "reads when it is frozen" do
    expect(unpacker.freeze.feed("\x91\x01").read).to eq([1])
  end

  %i[feed feed_reference].each do |feed|
    describe "##{feed}" do
      it("returns the unpacker") { expect(unpacker.public_send(feed, "\x01")).to equal(unpacker) }
      it("accepts an empty String") { expect { unpacker.public_send(feed, "").read }.to raise_error(EOFError) }
      it("rejects an Integer") { expect { unpacker.public_send(feed, 1) }.to raise_error(::TypeError) }
      it("rejects nil") { expect { unpacker.public_send(feed, nil) }.to raise_error(::TypeError) }

      it "appends" do
        unpacker.public_send(feed, "\x01\x92").public_send(feed, "\x02\x03\x04")
        expect(rest(unpacker)).to eq([1, [2, 3], 4])
      end

      it "is not affected by later changes of the String" do
        bytes = hex("93 a1 61 a1 62 a1 63")
        unpacker.public_send(feed, bytes)
        bytes.setbyte(2, 0x7a)
        bytes << "more"
        expect(unpacker.read).to eq(%w[a b c])
      end

      it "is not affected by later changes of a long String" do
        bytes = pack(["a" * 100_000, "b".b * 100_000])
        unpacker.public_send(feed, bytes)
        bytes.clear
        expect(unpacker.read).to eq(["a" * 100_000, "b" * 100_000])
      end

      it "is not affected by changes of the String between reads" do
        bytes = hex("a1 61") * 10_000
        unpacker.public_send(feed, bytes)
        first = unpacker.read
        bytes.setbyte(3, 0x7a)
        expect([first, unpacker.read]).to eq(%w[a a])
      end

      it "accepts a frozen String and does not change it" do
        bytes = pack(["a" * 100_000]).freeze
        unpacker.public_send(feed, bytes).read.first << "more"
        expect(bytes).to eq(pack(["a" * 100_000]))
      end
    end
  end

  describe "a document in pieces" do
    document = [1, -200, 2**40, 1.5, "short", "long" * 1000, "bin".b * 2000, nil, true, { "k" * 40 => [{}, []], 5 => -1 }]

    [1, 2, 3, 5, 7, 11, 64, 255, 4096, 10_000].each do |size|
      it "is read from pieces of #{size} bytes" do
        pieces(pack(document), size).each { |piece| unpacker.feed(piece) }
        expect(unpacker.read).to eq(document)
        expect { unpacker.read }.to raise_error(EOFError)
      end

      it "is read by feed_each from pieces of #{size} bytes" do
        found = []
        pieces(pack(document) * 2, size).each { |piece| unpacker.feed_each(piece) { |object| found << object } }
        expect(found).to eq([document, document])
      end
    end

    # The first piece is so long that the unpacker refers to it and does not copy it.
    it "is read if the header of its last element is cut between two pieces" do
      [200, 60_000, 2**31, 2**63, -100, -200, -70_000, -2**40, 1.5, "", [], {}].each do |last|
        bytes = pack(["x" * 300, last])
        (1..pack(last).bytesize).each do |size|
          unpacker.feed(bytes.byteslice(0...-size)).feed(bytes.byteslice(-size..))
          expect(unpacker.read).to eq(["x" * 300, last])
        end
      end
    end

    it "is read from two pieces, cut at any byte" do
      short = document.first(5) + document.last(1)
      bytes = pack(short)
      (0..bytes.bytesize).each do |cut|
        unpacker.feed(bytes.byteslice(0, cut)).feed(bytes.byteslice(cut..))
        expect(unpacker.read).to eq(short)
      end
    end
  end

  describe "#read" do
    it "reads objects in sequence" do
      unpacker.feed(hex("01 a1 61 90"))
      expect([unpacker.read, unpacker.read, unpacker.read]).to eq([1, "a", []])
    end

    it("has the alias unpack") { expect(fed("91 01").unpack).to eq([1]) }
    it("raises EOFError at the end") { expect { fed("01").tap(&:read).read }.to raise_error(EOFError, "end of buffer reached") }

    it "continues after an invalid byte" do
      unpacker.feed(hex("c1 05"))
      expect { unpacker.read }.to raise_error(MessagePack::MalformedFormatError, "invalid byte")
      expect(unpacker.read).to eq(5)
    end

    it "reads again after reset if nesting is too deep" do
      unpacker.feed("\x91" * 200)
      expect { unpacker.read }.to raise_error(MessagePack::StackError)
      unpacker.reset
      expect(unpacker.feed("\x91\x01").read).to eq([1])
    end

    it "reads bytes that are fed after an initial EOFError" do
      expect { unpacker.read }.to raise_error(EOFError)
      expect(unpacker.feed("\x91\x01").read).to eq([1])
    end

    { "cd 01" => ["02", 258], "a3 61" => ["62 63", "abc"], "c4 02 61" => ["62", "ab"], "cb 3f f8 00" => ["00*5", 1.5], "d9" => ["01 61", "a"] }
      .each do |first, (second, object)|
        it "completes the scalar #{first} ... #{second} after EOFError" do
          unpacker.feed(hex(first))
          expect { unpacker.read }.to raise_error(EOFError)
          expect(unpacker.feed(hex(second)).read).to eq(object)
        end
      end

    # Without the second call, the method would continue in the middle of the first object.
    {
      read: [], read_raw: "\x90".b, peek_type: :array, read_array_header: 0, skip_nil: false
    }.each do |name, result|
      it "is followed by #{name} of the next object if it raises [fixed]", :ours do
        unpacker.feed(hex("92 d4 01 61 05 90"))
        expect { unpacker.read }.to raise_error(MessagePack::UnknownExtTypeError)
        expect(unpacker.public_send(name)).to eq(result)
      end
    end

    it "is followed by skip of the next object if it raises [fixed]", :ours do
      unpacker.feed(hex("92 d4 01 61 05 90 07"))
      expect { unpacker.read }.to raise_error(MessagePack::UnknownExtTypeError)
      unpacker.skip
      expect(rest(unpacker)).to eq([7])
    end

    it "is followed by read_map_header of the next object if it raises [fixed]", :ours do
      unpacker.feed(hex("92 d4 01 61 05 82"))
      expect { unpacker.read }.to raise_error(MessagePack::UnknownExtTypeError)
      expect(unpacker.read_map_header).to eq(2)
    end

    it "continues if an incomplete object is removed before an invalid byte", :ours do
      unpacker = described_class.new(transactional: true).feed(hex("93 01"))
      expect { unpacker.read }.to raise_error(EOFError)
      unpacker.buffer.skip(2)
      unpacker.feed(hex("c1 05"))
      expect { unpacker.peek_type }.to raise_error(MessagePack::MalformedFormatError)
      expect(unpacker.read).to eq(5)
    end

    it "calls an ext proc at most twice, however many pieces an object has", :ours do
      calls = 0
      unpacker.register_type(1) { calls += 1 }
      hex("9f d4 01 61 01*14").each_char { |byte| unpacker.feed_each(byte) { nil } }
      expect(calls).to be <= 2
    end

    it "loses an incomplete array [quirk, kept; see transactional]" do
      unpacker.feed(hex("93 01"))
      expect { unpacker.read }.to raise_error(EOFError)
      expect(rest(unpacker.feed(hex("02 03")))).to eq([2, 3])
    end

    { "93 a1 61" => ["02 03", [2, 3]], "92 91 01 91" => ["05 06", [5, 6]], "92 81 a1 61" => ["01 02", [1, 2]] }.each do |first, (second, objects)|
      it "loses all levels of #{first} and reads #{second} as #{objects} [quirk, kept]" do
        unpacker.feed(hex(first))
        expect { unpacker.read }.to raise_error(EOFError)
        expect(rest(unpacker.feed(hex(second)))).to eq(objects)
      end
    end

    it "loses an incomplete map [quirk, kept; see transactional]" do
      unpacker.feed(hex("82 01 02"))
      expect { unpacker.read }.to raise_error(EOFError)
      expect(rest(unpacker.feed(hex("03 04")))).to eq([3, 4])
    end
  end

  describe "transactional: true" do
    let(:unpacker) { described_class.new(transactional: true) }

    %i[read skip read_raw].each do |name|
      it "reads the whole object after #{name} raises EOFError", :ours do
        unpacker.feed(hex("93 01"))
        expect { unpacker.public_send(name) }.to raise_error(EOFError, "end of buffer reached")
        expect(unpacker.feed(hex("02 03")).read).to eq([1, 2, 3])
      end
    end

    it "does not change the buffer", :ours do
      unpacker.feed(hex("93 01"))
      expect { unpacker.read }.to raise_error(EOFError)
      expect(unpacker.buffer.to_s).to eq(hex("93 01"))
    end

    it "does not read earlier objects again", :ours do
      unpacker.feed(hex("05 93 01"))
      expect(unpacker.read).to eq(5)
      expect { unpacker.read }.to raise_error(EOFError)
      expect { unpacker.skip }.to raise_error(EOFError)
      expect(rest(unpacker.feed(hex("02 03 06")))).to eq([[1, 2, 3], 6])
    end

    it "reads a document that is fed one byte at a time", :ours do
      document = ["text" * 20, { "a" => [1, 2.5, nil], "b".b => "bin".b * 2000 }, 2**40, [[[]]]]
      bytes = pack(document)
      bytes.each_char.with_index(1) do |byte, n|
        unpacker.feed(byte)
        if n < bytes.bytesize && (n < 200 || (n % 500).zero?)
          expect { unpacker.read }.to raise_error(EOFError)
        end
      end
      expect(unpacker.read).to eq(document)
      expect { unpacker.read }.to raise_error(EOFError)
    end

    it "continues with a document from an io that reports its end too early" do
      unpacker = described_class.new(Ios::Script.new("\x93\x01".b, nil, "\x02".b, nil, "\x03".b), transactional: true)
      2.times { expect { unpacker.read }.to raise_error(EOFError) }
      expect(unpacker.read).to eq([1, 2, 3])
    end

    it "starts over if bytes of an incomplete object are removed", :ours do
      unpacker.feed(hex("94 01 02"))
      expect { unpacker.read }.to raise_error(EOFError)
      unpacker.buffer.skip(1)
      expect(rest(unpacker)).to eq([1, 2])
    end

    [1, "x" * 100, "x" * 300, "x" * 10_000].each do |object|
      it "starts over if #{MessagePack.pack(object).bytesize} bytes are prepended", :ours do
        ["01", "d9 c8 #{"61 " * 199}"].each do |element|
          unpacker.feed(hex("05 92 #{element}"))
          expect(unpacker.read).to eq(5)
          expect { unpacker.read }.to raise_error(EOFError)
          unpacker.buffer.prepend(pack(object))
          expect(unpacker.read).to eq(object)
          expect { unpacker.read }.to raise_error(EOFError)
          unpacker.reset
        end
      end
    end

    it "passes only complete payloads to ext procs when it starts over", :ours do
      seen = []
      unpacker.register_type(1) { |payload| seen << payload && payload }
      unpacker.feed(hex("93 d5 01 61 62 d5 01 63"))
      expect { unpacker.read }.to raise_error(EOFError)
      expect(unpacker.feed(hex("64 02")).read).to eq(["ab", "cd", 2])
      expect(seen.uniq).to eq(%w[ab cd])
    end

    it "continues after an error other than EOFError" do
      unpacker.feed(hex("c1 05"))
      expect { unpacker.read }.to raise_error(MessagePack::MalformedFormatError)
      expect(unpacker.read).to eq(5)
    end

    it "reads complete objects as usual" do
      expect(rest(unpacker.feed(hex("01 91 02")))).to eq([1, [2]])
    end

    it "is disabled by false" do
      unpacker = described_class.new(transactional: false).feed(hex("93 01"))
      expect { unpacker.read }.to raise_error(EOFError)
      expect(unpacker.feed(hex("02 03")).read).to eq(2)
    end
  end

  describe "#skip_nil" do
    it("returns true before nil") { expect(fed("c0").skip_nil).to be(true) }
    it("returns false before other objects") { expect(%w[00 c1 c2 c3 a0 90 80 d9 92].map { |bytes| fed(bytes).skip_nil }).to all(be(false)) }
    it("raises EOFError at the end") { expect { unpacker.skip_nil }.to raise_error(EOFError) }

    it "does not consume other objects" do
      unpacker.feed(hex("91 01"))
      unpacker.skip_nil
      expect(unpacker.read).to eq([1])
    end

    it "does not consume an invalid byte", :ours do
      unpacker.feed(hex("c1 01"))
      unpacker.skip_nil
      expect { unpacker.read }.to raise_error(MessagePack::MalformedFormatError)
    end

    it "consumes the nil" do
      unpacker.feed(hex("c0 c0 01"))
      expect([unpacker.skip_nil, unpacker.skip_nil, unpacker.skip_nil, unpacker.read]).to eq([true, true, false, 1])
    end
  end

  describe "#consume_nil" do
    it "returns true for nil and consumes it", :ours do
      unpacker.feed(hex("c0 c0 01"))
      expect([unpacker.consume_nil, unpacker.consume_nil, unpacker.read]).to eq([true, true, 1])
    end

    it "returns false for other objects and does not consume them", :ours do
      unpacker.feed(hex("91 c0"))
      expect([unpacker.consume_nil, unpacker.read]).to eq([false, [nil]])
    end

    it("raises EOFError at the end", :ours) { expect { unpacker.consume_nil }.to raise_error(EOFError) }

    it "reads from an io", :ours do
      unpacker = described_class.new(binary_io("\xc0\x01"))
      expect([unpacker.consume_nil, unpacker.consume_nil, unpacker.read]).to eq([true, false, 1])
    end
  end

  describe "#each" do
    it "yields the objects and returns nil" do
      found = []
      expect(fed("01 91 02 a1 61").each { |object| found << object }).to be_nil
      expect(found).to eq([1, [2], "a"])
    end

    it("yields nothing without bytes") { expect { |block| unpacker.each(&block) }.not_to yield_control }
    it("returns an Enumerator without a block") { expect(fed("01 02").each).to be_a(Enumerator) }
    it("yields all objects to the Enumerator") { expect(fed("01 02 03").each.map { |n| n * 2 }).to eq([2, 4, 6]) }
    it("yields objects one by one to the Enumerator") { expect(fed("01 02 03").each.first(2)).to eq([1, 2]) }

    it "stops within an incomplete object, and resumes" do
      found = []
      unpacker.feed(hex("01 93 02"))
      unpacker.each { |object| found << object }
      unpacker.feed(hex("03 81 a1")).each { |object| found << object }
      unpacker.feed(hex("61 c0 05")).each { |object| found << object }
      expect(found).to eq([1, [2, 3, { "a" => nil }], 5])
    end

    it "stops where the block breaks" do
      unpacker.feed(hex("01 02 03"))
      expect(unpacker.each { |object| break object * 10 }).to eq(10)
      expect(unpacker.read).to eq(2)
    end

    it "propagates errors of the block, and continues after the object" do
      unpacker.feed(hex("01 02"))
      expect { unpacker.each { raise IndexError, "mine" } }.to raise_error(IndexError, "mine")
      expect(unpacker.read).to eq(2)
    end

    it "propagates an EOFError of the block" do
      unpacker.feed("\x01")
      expect { unpacker.each { raise EOFError, "mine" } }.to raise_error(EOFError, "mine")
    end

    it "raises an error for an invalid byte" do
      found = []
      expect { fed("01 c1").each { |object| found << object } }.to raise_error(MessagePack::MalformedFormatError)
      expect(found).to eq([1])
    end

    it "accepts feed inside the block" do
      left = [hex("03"), hex("02")]
      found = []
      fed("01").tap { |u| u.each { |object| (found << object) && left.any? && u.feed(left.pop) } }
      expect(found).to eq([1, 2, 3])
    end
  end

  describe "#feed_each" do
    it "feeds the bytes, yields the objects and returns nil" do
      found = []
      expect(unpacker.feed_each(hex("01 02")) { |object| found << object }).to be_nil
      expect(found).to eq([1, 2])
    end

    it("returns an Enumerator without a block") { expect(unpacker.feed_each(hex("01 02")).to_a).to eq([1, 2]) }

    it "resumes at every byte" do
      found = []
      hex("93 01 a3 61 62 63 cd 01 00 81 a1 6b cb 3f f8 00*6 c0").each_char { |byte| unpacker.feed_each(byte) { |object| found << object } }
      expect(found).to eq([[1, "abc", 256], { "k" => 1.5 }, nil])
    end

    it "resumes nested collections at every byte" do
      document = Array.new(20) { |i| { "k#{i}" => [i, { i => [[]] * i }] } }
      found = []
      pack(document).each_char { |byte| unpacker.feed_each(byte) { |object| found << object } }
      expect(found).to eq([document])
    end

    it "resumes ext types at every byte" do
      unpacker.register_type(1) { |payload| payload * 2 }
      found = []
      hex("92 c7 03 01 61 62 63 d5 01 61 62").each_char { |byte| unpacker.feed_each(byte) { |object| found << object } }
      expect(found).to eq([%w[abcabc abab]])
    end

    it "resumes 128 levels" do
      found = []
      hex("91*128 01").each_char { |byte| unpacker.feed_each(byte) { |object| found << object } }
      expect(found.flatten).to eq([1])
    end

    it "resumes a str, a bin and an array of 32-bit length" do
      document = ["s" * 70_000, "b".b * 70_000, [0] * 70_000]
      found = []
      pieces(pack(document), 997).each { |piece| unpacker.feed_each(piece) { |object| found << object } }
      expect(found).to eq([document])
    end
  end

  describe "#full_unpack" do
    it("reads the only object") { expect(fed("91 01").full_unpack).to eq([1]) }
    it("raises EOFError without bytes") { expect { unpacker.full_unpack }.to raise_error(EOFError, "end of buffer reached") }
    it("raises EOFError for an incomplete object") { expect { fed("92 01").full_unpack }.to raise_error(EOFError, "end of buffer reached") }

    it "rejects more than one object" do
      expect { fed("01 02 03").full_unpack }
        .to raise_error(MessagePack::MalformedFormatError, "2 extra bytes after the deserialized object")
    end

    it "can be called repeatedly" do
      expect(Array.new(1000) { |i| unpacker.feed(pack(["x" * i])).full_unpack }).to eq(Array.new(1000) { |i| ["x" * i] })
    end
  end

  describe "#reset" do
    it "returns nil and discards the bytes" do
      unpacker.feed(hex("01 02"))
      expect(unpacker.reset).to be_nil
      expect { unpacker.read }.to raise_error(EOFError)
    end

    it "discards an incomplete object" do
      unpacker.feed(hex("93 01")).each { nil }
      unpacker.reset
      expect(unpacker.feed("\x05").read).to eq(5)
    end

    it "discards an incomplete header" do
      unpacker.feed(hex("cd 01"))
      expect { unpacker.read }.to raise_error(EOFError)
      unpacker.reset
      expect(unpacker.feed("\x05").read).to eq(5)
    end

    it "preserves ext types and options" do
      unpacker = described_class.new(symbolize_keys: true)
      unpacker.register_type(1) { |payload| payload * 2 }
      unpacker.reset
      expect(unpacker.feed(hex("81 a1 61 d4 01 62")).read).to eq({ a: "bb" })
    end
  end

  describe "#buffer" do
    it("returns the same Buffer each time") { expect(unpacker.buffer).to be_a(MessagePack::Buffer).and equal(unpacker.buffer) }

    it "contains the remaining bytes" do
      unpacker.feed(hex("01 02 03")).read
      expect(unpacker.buffer.size).to eq(2)
      expect(unpacker.buffer.read(1)).to eq("\x02")
      expect(unpacker.read).to eq(3)
    end

    it "accepts bytes" do
      unpacker.buffer << hex("91") << hex("01")
      expect(unpacker.read).to eq([1])
    end

    it "returns raw bytes between objects" do
      unpacker.feed(hex("c4 03") + "raw" + hex("05"))
      unpacker.buffer.skip(2)
      expect([unpacker.buffer.read_all(3), unpacker.read]).to eq(["raw", 5])
    end

    it "outlives the unpacker" do
      buffers = Array.new(100) { |i| described_class.new.feed(pack(i) * 500).buffer }
      GC.start
      expect(buffers.each_with_index.map { |buffer, i| buffer.read == pack(i) * 500 }).to all(be(true))
    end
  end

  describe "#register_type" do
    it("accepts a block and returns nil") { expect(unpacker.register_type(1) { nil }).to be_nil }

    it "reads with a block" do
      unpacker.register_type(1, &:upcase)
      expect(unpacker.feed(hex("91 d4 01 61")).read).to eq(["A"])
    end

    it "reads with the name of a class method" do
      unpacker.register_type(5, Objects::Point, :from_msgpack_ext)
      expect(unpacker.feed(hex("d7 05 00 00 00 01 ff ff ff ff")).read).to eq(Objects::Point.new(1, -1))
    end

    it("requires a name or a block for a class") { expect { unpacker.register_type(1, Objects::Point) }.to raise_error(ArgumentError) }
    it("requires more than a type") { expect { unpacker.register_type(1) }.to raise_error(ArgumentError) }
    it("rejects a frozen unpacker") { expect { unpacker.freeze.register_type(1) { nil } }.to raise_error(FrozenError) }

    it "rejects a frozen unpacker in register_type_internal", :ours do
      expect { unpacker.freeze.register_type_internal(1, nil, ->(payload) { payload }) }
        .to raise_error(FrozenError)
    end

    [128, -129, 2**40].each do |type|
      it("rejects the type #{type}") { expect { unpacker.register_type(type) { nil } }.to raise_error(RangeError) }
    end

    it "replaces a type" do
      unpacker.register_type(1) { :first }
      unpacker.register_type(1) { :second }
      expect(unpacker.feed(hex("d4 01 61")).read).to eq(:second)
      expect(unpacker.registered_types.size).to eq(1)
    end

    it "does not affect other unpackers" do
      unpacker.register_type(1) { nil }
      expect { fed("d4 01 61").read }.to raise_error(MessagePack::UnknownExtTypeError)
    end

    it "lists the types in order, with class and unpacker" do
      unpacker.register_type(5, Objects::Point, :from_msgpack_ext)
      unpacker.register_type(-3) { nil }
      expect(unpacker.registered_types.map { |type| type.slice(:type, :class) }).to eq([{ type: -3, class: nil }, { type: 5, class: Objects::Point }])
      expect(unpacker.registered_types.map(&:keys)).to all(eq(%i[type class unpacker]))
      expect(unpacker.registered_types.map { |type| type[:unpacker] }).to all(respond_to(:call))
    end

    it("lists no types for a new unpacker") { expect(unpacker.registered_types).to eq([]) }

    it "reports whether a type is registered" do
      unpacker.register_type(5, Objects::Point, :from_msgpack_ext)
      expect([5, 6, Objects::Point, Range, 1000].map { |x| unpacker.type_registered?(x) }).to eq([true, false, true, false, false])
    end

    ["Point", :Point, nil].each do |other|
      it "type_registered? rejects #{other.inspect}" do
        expect { unpacker.type_registered?(other) }.to raise_error(ArgumentError, "class or type id")
      end
    end
  end

  describe "ext types" do
    { "d4 01 61" => 1, "d5 01 61*2" => 2, "d6 01 61*4" => 4, "d7 01 61*8" => 8, "d8 01 61*16" => 16, "c7 00 01" => 0, "c7 03 01 61*3" => 3,
      "c8 01 00 01 61*256" => 256, "c9 00 01 00 00 01 61*65536" => 65_536, "c9 00 00 00 01 01 61" => 1 }.each do |bytes, size|
      it "pass the #{size} bytes of #{bytes} to the proc as a binary String" do
        unpacker.register_type(1) { |payload| payload }
        payload = unpacker.feed(hex(bytes)).read
        expect(payload).to eq("a" * size)
        expect(payload.encoding).to eq(Encoding::BINARY)
      end
    end

    [-128, -1, 0, 127].each do |type|
      it "distinguish type #{type} from its neighbours" do
        unpacker.register_type(type) { |payload| [type, payload] }
        expect(unpacker.feed([0xd4, type, "x".ord].pack("Ccc")).read).to eq([type, "x"])
        expect { unpacker.feed([0xd4, type ^ 1, "x".ord].pack("Ccc")).read }.to raise_error(MessagePack::UnknownExtTypeError)
      end
    end

    it "pass only the payload to the proc" do
      seen = nil
      unpacker.register_type(1) { |*arguments| seen = arguments }
      unpacker.feed(hex("d4 01 61")).read
      expect(seen).to eq(["a"])
    end

    it "may return nil, false or any other object" do
      results = [nil, false, Object.new, [1]]
      left = results.dup
      unpacker.register_type(1) { left.shift }
      expect(unpacker.feed(hex("94") + hex("d4 01 61") * 4).read).to eq(results)
    end

    it "may return a key" do
      unpacker.register_type(1, Objects::Point, :from_msgpack_ext)
      expect(unpacker.feed(hex("81 c7 08 01 00*8 05")).read).to eq({ Objects::Point.new(0, 0) => 5 })
    end

    it "may return a String that becomes a Symbol key" do
      unpacker = described_class.new(symbolize_keys: true)
      unpacker.register_type(1) { "made" }
      expect(unpacker.feed(hex("81 d4 01 61 05")).read).to eq({ made: 5 })
    end

    it "return a frozen object if freeze is set, and pass an unfrozen payload to the proc" do
      unpacker = described_class.new(freeze: true)
      unpacker.register_type(1) { |payload| [payload.frozen?] }
      expect(unpacker.feed(hex("d4 01 61")).read).to eq([false]).and be_frozen
    end

    describe "that are unknown" do
      it "are rejected" do
        expect { fed("91 d4 01 61").read }.to raise_error(MessagePack::UnknownExtTypeError, "unexpected extension type")
      end

      it "are read as an ExtensionValue if allow_unknown_ext is set" do
        value = fed("91 c7 03 80 61 62 63", allow_unknown_ext: true).read.first
        expect(value).to eq(MessagePack::ExtensionValue.new(-128, "abc"))
        expect(value.payload.encoding).to eq(Encoding::BINARY)
      end

      it "are read as an ExtensionValue for an empty payload" do
        expect(fed("c7 00 05", allow_unknown_ext: true).read).to eq(MessagePack::ExtensionValue.new(5, ""))
      end

      it "are read as a frozen ExtensionValue if freeze is set" do
        expect(fed("d4 01 61", allow_unknown_ext: true, freeze: true).read).to be_frozen
      end

      it "do not hide a registered type" do
        unpacker = described_class.new(allow_unknown_ext: true)
        unpacker.register_type(1) { :known }
        expect(unpacker.feed(hex("92 d4 01 61 d4 02 61")).read).to eq([:known, MessagePack::ExtensionValue.new(2, "a")])
      end
    end

    describe "with a failing proc" do
      before { unpacker.register_type(1) { raise IndexError, "mine" } }

      it("propagate the error") { expect { unpacker.feed(hex("92 01 d4 01 61")).read }.to raise_error(IndexError, "mine") }

      it "read again after reset" do
        expect { unpacker.feed(hex("92 01 d4 01 61 05")).read }.to raise_error(IndexError)
        unpacker.reset
        expect(unpacker.feed(hex("91 02")).read).to eq([2])
      end

      it "do not leak memory" do
        sizes = Array.new(50) do
          expect { unpacker.feed(hex("91*20 d4 01 61")).read }.to raise_error(IndexError)
          unpacker.reset
          ObjectSpace.memsize_of(unpacker)
        end
        expect(sizes.last).to eq(sizes.first)
      end
    end

    it "may be left by throw [fixed]", :ours do
      expect(child(<<~RUBY)).to eq("thrown [1, 2]")
        unpacker = MessagePack::Unpacker.new
        unpacker.register_type(1) { throw :out, "thrown" }
        print catch(:out) { unpacker.feed("\\x92\\xd4\\x01a\\x05".b).read }, " "
        unpacker.reset
        print unpacker.feed("\\x92\\x01\\x02".b).read
      RUBY
    end

    it "can be combined with a break from the block of each" do
      unpacker.register_type(1) { |payload| payload }
      expect(unpacker.feed(hex("91 d4 01 61 05")).each { |object| break object }).to eq(["a"])
      expect(unpacker.read).to eq(5)
    end

    it "may suspend a Fiber" do
      unpacker.register_type(1) { |payload| Fiber.yield(payload) }
      fiber = Fiber.new { unpacker.feed(hex("93 01 d4 01 61 05")).read }
      expect(fiber.resume).to eq("a")
      expect(fiber.resume(:answer)).to eq([1, :answer, 5])
    end

    it "may use other unpackers" do
      unpacker.register_type(1) { |payload| MessagePack.unpack(payload) }
      expect(unpacker.feed(hex("92 d5 01 91 07 05")).read).to eq([[7], 5])
    end
  end

  describe "#peek_type" do
    {
      nil: %w[c0], boolean: %w[c2 c3], integer: ["00", "7f", "ff", "e0", "cc ff", "cd ff*2", "ce ff*4", "cf ff*8", "d0 80", "d1 80 00", "d2 80 00*3", "d3 80 00*7"],
      float: ["ca 00*4", "cb 00*8"], string: ["a0", "bf 61*31", "d9 00", "da 00*2", "db 00*4"], binary: ["c4 00", "c5 00*2", "c6 00*4"],
      array: ["90", "9f 00*15", "dc 00*2", "dd 00*4"], map: ["80", "8f 00*30", "de 00*2", "df 00*4"],
      extension: ["d4 01 00", "d5 01 00*2", "d6 01 00*4", "d7 01 00*8", "d8 01 00*16", "c7 00 01", "c8 00 00 01", "c9 00*4 01", "d6 ff 00*4"]
    }.each do |type, forms|
      forms.each do |bytes|
        it "returns #{type.inspect} for #{bytes}, and consumes nothing", :ours do
          unpacker.feed(hex(bytes))
          expect([unpacker.peek_type, unpacker.peek_type]).to eq([type, type])
          expect(unpacker.skip).to be_nil
          expect { unpacker.peek_type }.to raise_error(EOFError)
        end
      end
    end

    it("returns the type after the first byte", :ours) { expect(fed("db").peek_type).to eq(:string) }
    it("raises EOFError at the end", :ours) { expect { unpacker.peek_type }.to raise_error(EOFError) }
    it("rejects c1", :ours) { expect { fed("c1").peek_type }.to raise_error(MessagePack::MalformedFormatError, "invalid byte") }

    it "is followed by the next object if it rejects c1", :ours do
      unpacker.feed(hex("c1 05"))
      expect { unpacker.peek_type }.to raise_error(MessagePack::MalformedFormatError)
      expect(unpacker.read).to eq(5)
    end

    it "reads from an io", :ours do
      unpacker = described_class.new(binary_io("\x91\xa1a"))
      expect([unpacker.peek_type, unpacker.read_array_header, unpacker.peek_type, unpacker.read]).to eq([:array, 1, :string, "a"])
    end
  end

  describe "the option key_cache" do
    [true, false].each do |on|
      it "returns equal objects with #{on}" do
        document = [{ "a" => 1, "b" * 64 => 2, "c" * 65 => 3, "é" => 4, "" => 5 }] * 3
        expect(described_class.new(key_cache: on).feed(pack(document)).read).to eq(document)
        expect(described_class.new(key_cache: on, symbolize_keys: true).feed(pack([{ a: 1 }] * 3)).read).to eq([{ a: 1 }] * 3)
      end

      it "returns the same String for equal keys with #{on}" do
        first, second = described_class.new(key_cache: on).feed(hex("92 81 a3 61 62 63 01 81 a3 61 62 63 02")).read
        expect(first.keys.first).to equal(second.keys.first)
      end

      it "distinguishes very many keys with #{on}" do
        document = Array.new(20_000) { |i| { "key-#{i}" => i, "x" => i, "k#{i % 7}" => i } }
        expect(described_class.new(key_cache: on).feed(pack(document)).read).to eq(document)
      end

      it "distinguishes keys that begin with other keys with #{on}" do
        unpacker = described_class.new(key_cache: on)
        5000.times do |i|
          [{ "key #{i} and more" => i }, { "key #{i}" => i }].each do |map|
            expect(unpacker.feed(pack(map)).read).to eq(map)
          end
        end
      end

      it "does not mix the Symbols and Strings of two unpackers with #{on}" do
        strings = described_class.new(key_cache: on)
        symbols = described_class.new(key_cache: on, symbolize_keys: true)
        3.times do
          expect(strings.feed(hex("81 a1 61 01")).read).to eq({ "a" => 1 })
          expect(symbols.feed(hex("81 a1 61 01")).read).to eq({ a: 1 })
        end
      end

      it "distinguishes str keys from bin keys with #{on}" do
        unpacker = described_class.new(key_cache: on)
        2.times do
          map = unpacker.feed(hex("82 a2 c3 a9 01 c4 02 c3 a9 02")).read
          expect(map.to_a.map { |key, value| [key.encoding, value] }).to eq([[Encoding::UTF_8, 1], [Encoding::BINARY, 2]])
        end
      end
    end
  end
end
