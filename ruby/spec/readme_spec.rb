# frozen_string_literal: true

require "open3"
require "rbconfig"

# Checks the table in the section "Replacing the msgpack gem" of README.md. Each row has a script.
# The script runs with this gem and with the installed msgpack gem, each in its own process. In a
# row that says "kept", both runs print the same first line, and only this gem prints the second
# line. In every other row, the outputs differ. The rows describe msgpack 1.8.5. A check also
# records the output of an older gem that lacks the feature.
module Readme
  PATH = File.expand_path("../README.md", __dir__)
  Row = Struct.new(:line, :name, :theirs, :here)

  # ours is the expected output with this gem, theirs with the msgpack gem. older is the expected
  # output with the msgpack gem of the version OLDER, if that version lacks the feature of the row.
  Check = Struct.new(:script, :ours, :theirs, :older, keyword_init: true)
  OLDER = Gem::Version.new("1.4.2")
  TOLD = Gem::Version.new("1.8.5")

  PRELUDE = <<~'RUBY'
    # encoding: UTF-8
    require "msgpack"
    require "objspace"

    M = MessagePack

    # Returns the result of the block, or the class of its error.
    def try
      yield
    rescue ::StandardError, ::SystemStackError => error
      error.class
    end

    def allocated
      GC.disable
      before = GC.stat(:total_allocated_objects)
      yield
      GC.stat(:total_allocated_objects) - before
    end
  RUBY

  module_function

  def rows
    section = File.readlines(PATH, encoding: "UTF-8").each_with_index.drop_while { |text, _| !text.start_with?("## Replacing") }.drop(1)
                  .take_while { |text, _| !text.start_with?("## ") }
    table = section.select { |text, _| text.start_with?("|") }
    raise "README.md: the header of the table differs" unless table[0][0] == "| | msgpack 1.8.5 | here |\n"

    table.drop(2).map { |text, line| Row.new(line + 1, *text.strip.delete_prefix("|").delete_suffix("|").split("|").map(&:strip)) }
  end

  # Returns the output of the script.
  def run(script, *arguments, env: {})
    out, err, status = Open3.capture3(env, RbConfig.ruby, "-W0", *arguments, "-", stdin_data: script)
    raise "#{status}: #{err[0, 2000]}" unless status.success?

    out
  end

  def installed = Gem::Specification.find_all_by_name("msgpack").map(&:version).max
  def ours(script) = run(PRELUDE + script, "-I", LIB)

  # Runs the script without the environment variables that load our extension, or a memory checker,
  # into every process.
  def theirs(script)
    run("gem 'msgpack', '#{installed}'\n#{PRELUDE}#{script}", env: %w[RUBYOPT RUBYLIB LD_PRELOAD].to_h { |name| [name, nil] })
  end

  CHECKS = {
    "`Unpacker#skip`" => Check.new(script: <<~'RUBY', ours: "[0, 7, 7, true]\n", theirs: "[1, 7, MessagePack::UnknownExtTypeError, false]\n"),
      calls = 0
      known = M::Unpacker.new
      known.register_type(1) { |_| calls += 1 }
      known.feed("\xd4\x01x\x07".b).skip
      unknown = M::Unpacker.new.feed("\xd4\x05x\x07".b)
      large = M::Unpacker.new.feed(M.pack(["text"] * 1000))
      p [calls, known.read, try { unknown.skip || unknown.read }, allocated { large.skip } < 100]
    RUBY
    "`skip_nil` before the invalid byte 0xc1" => Check.new(script: <<~'RUBY', ours: "[false, MessagePack::MalformedFormatError]\n", theirs: "[false, 1]\n"),
      unpacker = M::Unpacker.new.feed("\xc1\x01".b)
      p [unpacker.skip_nil, try { unpacker.read }]
    RUBY
    "`read`, `skip` of incomplete input" => Check.new(script: <<~'RUBY', ours: "[3, 3]\n[[1, 2, 3], [1, 2, 3]]\n", theirs: "[3, 3]\n[3, 3]\n", older: "[[1, 2, 3], [3]]\n" * 2),
      again = lambda do |call, **options|
        unpacker = M::Unpacker.new(**options).feed("\x93\x01\x02".b)
        try { unpacker.public_send(call) }
        unpacker.feed("\x03".b).read
      end
      p [again.call(:read), again.call(:skip)]
      p [again.call(:read, transactional: true), again.call(:skip, transactional: true)]
    RUBY
    "`read` after an ext type's proc has raised" => Check.new(script: <<~'RUBY', ours: "7\n", theirs: "MessagePack::UnknownExtTypeError\n"),
      unpacker = M::Unpacker.new
      unpacker.register_type(1) { raise "no" }
      unpacker.feed("\x92\xd4\x01a\x08\x07".b)
      try { unpacker.read }
      p(try { unpacker.read })
    RUBY
    "procs of recursive ext types" => Check.new(script: <<~'RUBY', ours: "[[1, EOFError], 2]\nfalse\n", theirs: "EOFError\ntrue\n", older: "ArgumentError\nnil\n"),
      Box = Struct.new(:inner)
      seen = nil
      factory = M::Factory.new
      factory.register_type(1, Box, recursive: true, packer: ->(_, packer) { (seen = packer).write(1) }, unpacker: ->(u) { [u.read, try { u.read }] })
      packer = factory.packer
      p(try { factory.unpacker.feed(packer.write([Box.new(1), 2]).to_s).read })
      p(seen&.equal?(packer))
    RUBY
    "`write_array_header(-1)` and the like" => Check.new(script: <<~'RUBY', ours: "[RangeError, RangeError, RangeError]\n", theirs: "[4294967295, 4294967295, 4294967295]\n"),
      p(%i[write_array_header write_map_header write_bin_header].map { |name| try { M::Packer.new.public_send(name, -1).to_s.unpack1("xN") } })
    RUBY
    "`Packer#register_type(type, klass)`" => Check.new(script: <<~'RUBY', ours: "\"d40165\"\n", theirs: "NoMethodError\n", older: "LocalJumpError\n"),
      own = Class.new { def to_msgpack_ext = "e" }
      packer = M::Packer.new
      p(try { packer.register_type(1, own) || packer.write(own.new).to_s.unpack1("H*") })
    RUBY
    "a Timestamp with 10⁹ nanoseconds or more" => Check.new(script: <<~'RUBY', ours: "ArgumentError\n", theirs: "[1, 7]\n"),
      p(try { M::Timestamp.from_msgpack_ext(M::Timestamp.to_msgpack_ext(1, 2**30 + 7)).then { |t| [t.sec, t.nsec] } })
    RUBY
    "`Buffer#read(-1)`" => Check.new(script: <<~'RUBY', ours: "ArgumentError\n", theirs: "\"abc\"\n"),
      p(try { (M::Buffer.new << "abc").read(-1) })
    RUBY
    "an io whose `read` returns more than requested" => Check.new(script: <<~'RUBY', ours: "[\"abcde\", 7, 8]\n0\n", theirs: "[EOFError, EOFError, EOFError]\n0\n"),
      io = Object.new
      def io.read(*) = (@pieces ||= ["\xa5a".b, "bcde\x07\x08".b]).shift
      unpacker = M::Unpacker.new(io)
      p([1, 2, 3].map { try { unpacker.read } }, try { unpacker.buffer.size })
    RUBY
    "`to_msgpack` that returns a String and writes nothing" => Check.new(script: <<~'RUBY', ours: "\"91\"\n\"9107\"\n", theirs: "\"91\"\n\"91\"\n"),
      object = Class.new { def to_msgpack(*) = "\x07" }.new
      p M.pack([object]).unpack1("H*"), M.pack([object], strict: true).unpack1("H*")
    RUBY
    "subclasses of Hash, Array and String" => Check.new(script: <<~'RUBY', ours: "[Hash, Array, String]\n[TypeError, TypeError, TypeError]\n", theirs: "[Hash, Array, String]\n[\"\\x80\", \"\\x90\", \"\\xC4\\x00\"]\n"),
      objects = [Hash, Array, String].map { |klass| Class.new(klass).new }
      p objects.map { |object| M.unpack(M.pack(object)).class }, objects.map { |object| try { M.pack(object, strict: true) } }
    RUBY
    "Time" => Check.new(script: <<~'RUBY', ours: "NoMethodError\n1970-01-01 00:00:01 UTC\n", theirs: "NoMethodError\nNoMethodError\n"),
      p(try { M.pack(Time.at(1)) })
      p(try { M::Factory.new.tap(&:register_time).then { |factory| factory.load(factory.dump(Time.at(1))).utc } })
    RUBY
    "a Float" => Check.new(script: <<~'RUBY', ours: "[9, 9]\n[5, 9]\n", theirs: "[9, 9]\n[9, 9]\n"),
      p [0.5, 0.1].map { |float| M.pack(float).bytesize }, [0.5, 0.1].map { |float| M.pack(float, float32: true).bytesize }
    RUBY
    "`key_cache: true`" => Check.new(script: <<~'RUBY', ours: "[true, true, false, true]\n", theirs: "[false, false, false, false]\n"),
      # Returns the number of keys that remain after the thread that unpacked them has ended.
      kept = lambda do |name, count, **options|
        bytes = M.pack((0...count).each_slice(500).map { |part| part.to_h { |i| ["#{name} number #{i}", i] } })
        there = ObjectSpace::WeakMap.new
        Thread.new { M.unpack(bytes, options).each { |map| map.each_key { |key| there[key] = true } } && nil }.join
        3.times { GC.start }
        there.size
      end
      p [{}, { key_cache: true }, { key_cache: false }].map.with_index { |options, i| kept.call("key#{i}", 800, **options) > 63 } << kept.call("many", 4000).between?(64, 1024)
    RUBY
    "assigning another object to the constant `DefaultFactory`" => Check.new(script: <<~'RUBY', ours: "[\"a161\", \"d40161\"]\n", theirs: "[\"d40161\", \"d40161\"]\n"),
      mine = M::Factory.new
      mine.register_type(1, Symbol)
      first = M::DefaultFactory
      M.send(:remove_const, :DefaultFactory)
      M.const_set(:DefaultFactory, mine)
      taken = M.pack(:a)
      first.register_type(1, Symbol)
      p [taken, M.pack(:a)].map { |bytes| bytes.unpack1("H*") }
    RUBY
    "`ObjectSpace.memsize_of` a Buffer" => Check.new(script: <<~'RUBY', ours: "true\n", theirs: "false\n")
      buffer = M::Buffer.new
      1000.times { buffer << "x" * 1000 }
      p ObjectSpace.memsize_of(buffer) >= 1_000_000
    RUBY
  }.freeze
end

RSpec.describe "README.md, the table of differences", :ours do
  it "has a check for each row, and no other checks" do
    expect(Readme.rows.map(&:name)).to match_array(Readme::CHECKS.keys)
  end

  it "expects two lines of output for each row that starts with \"kept\"" do
    expect(Readme.rows.select { |row| row.here.start_with?("kept") }.map { |row| Readme::CHECKS[row.name].ours.lines.size }).to all(eq(2))
  end

  Readme.rows.each do |row|
    describe "#{row.name} (line #{row.line})" do
      let(:check) { Readme::CHECKS.fetch(row.name) }

      it("is correct for this gem") { expect(Readme.ours(check.script)).to eq(check.ours) }

      it "is correct for the msgpack gem" do
        version = Readme.installed
        skip "no msgpack gem is installed" unless version
        skip "the rows are not verified for msgpack #{version}" unless version == Readme::OLDER || version >= Readme::TOLD

        theirs = Readme.theirs(check.script)
        expect(theirs).to eq(version == Readme::OLDER && check.older || check.theirs)
        next if version == Readme::OLDER && check.older

        # The row says either that the first line is the same, or that the whole output differs.
        if row.here.start_with?("kept")
          expect(theirs.lines.first).to eq(check.ours.lines.first)
          expect(theirs.lines.last).not_to eq(check.ours.lines.last)
        else
          expect(theirs).not_to eq(check.ours)
        end
      end
    end
  end
end
