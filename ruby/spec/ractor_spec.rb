# frozen_string_literal: true

# Ractors share only immutable objects. Each script runs in a child process, because a Ractor that
# fails may take other Ractors with it.
RSpec.describe "Ractors" do
  before { skip "this Ruby has no Ractors" unless defined?(Ractor) }

  prelude = <<~'RUBY'
    def result(ractor) = ractor.respond_to?(:value) ? ractor.value : ractor.take

    class Point
      attr_reader :x, :y

      def self.from_msgpack_ext(payload) = new(*payload.unpack("l>l>"))

      def initialize(x, y) = (@x, @y = x, y)

      def to_msgpack_ext = [x, y].pack("l>l>")

      def to_a = [x, y]
    end
    DOCUMENT = Ractor.make_shareable([1, -5, 2**63, 1.1, nil, true, "short", "long" * 200, "b".b * 5000, { "key" => { "nested" => [[1], { 2 => "x" }] }, "other" => [] }])
    BYTES = MessagePack.pack(DOCUMENT).freeze
  RUBY

  # Returns the inspected result of a Ractor that runs the text.
  define_method(:in_a_ractor) do |text, before = ""|
    child("#{prelude}#{before}\nprint result(Ractor.new { #{text} }).inspect")
  end

  {
    "pack" => ["MessagePack.pack(DOCUMENT) == BYTES", "true"],
    "unpack" => ["MessagePack.unpack(BYTES) == DOCUMENT", "true"],
    "pack and unpack many times" => ["500.times.all? { |i| MessagePack.unpack(MessagePack.pack([i, { i.to_s => i }])) == [i, { i.to_s => i }] }", "true"],
    "unpack with options" => ['MessagePack.unpack("\x81\xa1a\xa1b".b, symbolize_keys: true, freeze: true)', '{:a=>"b"}'.then { |s| RUBY_VERSION >= "3.4" ? '{a: "b"}' : s }],
    "pack with options" => ['MessagePack.pack("a".b, compatibility_mode: true)', '"\xA1a"'],
    "to_msgpack" => ["[1, nil].to_msgpack.bytes", "[146, 1, 192]"],
    "reject truncated bytes" => ['begin; MessagePack.unpack("\x92\x01".b); rescue EOFError; $!.message; end', '"end of buffer reached"'],
    "reject invalid bytes" => ['begin; MessagePack.unpack("\xc1".b); rescue MessagePack::MalformedFormatError; $!.message; end', '"invalid byte"'],
    "reject nesting that is too deep" => ['begin; MessagePack.unpack("\x91".b * 200); rescue MessagePack::StackError; $!.message; end', '"stack level too deep"'],
    "reject objects that cannot be packed" => ["begin; MessagePack.pack(Object.new); rescue NoMethodError; $!.class; end", "NoMethodError"],
    "reject unknown ext types" => ['begin; MessagePack.unpack("\xd4\x01a".b); rescue MessagePack::UnknownExtTypeError; $!.message; end', '"unexpected extension type"'],
    "read unknown ext types" => ['MessagePack.unpack("\xd4\x01a".b, allow_unknown_ext: true).to_a', '[1, "a"]'],
    "make a packer" => ["pk = MessagePack::Packer.new; pk.write([1]).write_nil; pk.to_s.bytes", "[145, 1, 192]"],
    "make an unpacker" => [<<~'RUBY', "[1, [2, 3]]"],
      u = MessagePack::Unpacker.new
      found = []
      u.feed_each("\x01\x92\x02".b) { |x| found << x }
      u.feed_each("\x03".b) { |x| found << x }
      found
    RUBY
    "register types" => [<<~'RUBY', '"1..2"'],
      pk = MessagePack::Packer.new
      pk.register_type(1, Range) { |r| r.to_s }
      u = MessagePack::Unpacker.new
      u.register_type(1) { |s| s }
      u.feed(pk.write(1..2).to_s).read
    RUBY
    "make a buffer" => ['b = MessagePack::Buffer.new; b << "ab" << "c"; [b.read(2), b.size]', '["ab", 1]'],
    "make a factory" => ["f = MessagePack::Factory.new; f.register_type(5, Point); f.load(f.dump(Point.new(1, 2))).to_a", "[1, 2]"],
    "skip and count" => ["[MessagePack.count(BYTES * 3), MessagePack::Unpacker.new.feed(BYTES).skip]", "[3, nil]"],
    "share large binaries" => ['r = MessagePack.unpack(MessagePack.pack(["m".b * 6000, 1, "t".b * 6000])); r[0] << "x"; [r[0].size, r[2].size]', "[6001, 6000]"]
  }.each do |name, (text, printed)|
    it("can #{name}", :ours) { expect(in_a_ractor(text)).to eq(printed) }
  end

  it "can use timestamps" do
    expect(in_a_ractor("MessagePack::Timestamp.from_msgpack_ext(MessagePack::Timestamp.new(1, 2).to_msgpack_ext).sec")).to eq("1")
  end

  describe "with a factory that is frozen and shareable" do
    let(:factory) { "FACTORY = MessagePack::Factory.new; FACTORY.register_type(5, Point); Ractor.make_shareable(FACTORY.freeze)" }

    it("can share the factory", :ours) { expect(child("#{prelude}#{factory}\nprint Ractor.shareable?(FACTORY)")).to eq("true") }
    it "can dump and load", :ours do
      expect(in_a_ractor("FACTORY.load(FACTORY.dump([Point.new(1, 2)])).map(&:to_a)", factory)).to eq("[[1, 2]]")
    end
    it "can make packers and unpackers", :ours do
      expect(in_a_ractor("FACTORY.unpacker.feed(FACTORY.packer.write(Point.new(3, 4)).to_s).read.to_a", factory)).to eq("[3, 4]")
    end
    it "can use the factory in the Ractor that made it", :ours do
      expect(child("#{prelude}#{factory}\nprint FACTORY.load(FACTORY.dump(Point.new(1, 2))).to_a")).to eq("[1, 2]")
    end

    it "can use shareable procs", :ours do
      shareable = <<~'RUBY'
        FACTORY = MessagePack::Factory.new
        # make_shareable shares the self of a proc too.
        packer, unpacker = nil.instance_eval { [->(r) { r.to_s }, ->(s) { s * 2 }] }
        FACTORY.register_type(5, Range, packer: Ractor.make_shareable(packer), unpacker: Ractor.make_shareable(unpacker))
        Ractor.make_shareable(FACTORY.freeze)
      RUBY
      expect(in_a_ractor("FACTORY.load(FACTORY.dump(1..2))", shareable)).to eq('"1..21..2"')
    end

    it "can use the factory in many Ractors at once", :ours do
      expect(child("#{prelude}#{factory}\n" + <<~'RUBY')).to eq("[true]")
        ractors = Array.new(4) do |i|
          Ractor.new(i) { |n| 300.times.all? { |j| FACTORY.load(FACTORY.dump([n, j, Point.new(n, j), "t" * j])).then { |a, b, point, t| [a, b, point.to_a, t] == [n, j, [n, j], "t" * j] } } }
        end
        print ractors.map { |ractor| result(ractor) }.uniq
      RUBY
    end
  end

  it "do not share bytes when they run side by side", :ours do
    expect(child(prelude + <<~'RUBY')).to eq("[true]")
      ractors = Array.new(4) do |i|
        Ractor.new(i) do |n|
          packers = Array.new(10) { MessagePack::Packer.new }
          300.times.all? do |j|
            document = [n, "#{n}" * (j * 13 % 6000), { "k#{j % 50}" => [n] * (j % 90) }]
            packer = packers[j % 10]
            packer.reset if packer.size > 20_000
            packer.write(document)
            MessagePack.unpack(MessagePack.pack(document)) == document
          end && packers.all? { |packer| MessagePack::Unpacker.new.feed(packer.to_s).each.all? { |x| x[0] == n } }
        end
      end
      print ractors.map { |ractor| result(ractor) }.uniq
    RUBY
  end

  it "may end before the objects that they made", :ours do
    expect(child(prelude + <<~'RUBY')).to eq("true")
      results = Array.new(5) { result(Ractor.new { [MessagePack.unpack(BYTES), MessagePack.pack(DOCUMENT)] }) }
      GC.start
      print results.all? { |read, written| read == DOCUMENT && written == BYTES }
    RUBY
  end
end
