# frozen_string_literal: true

# Fuzzes the gem. It generates documents, corrupts some of them, and reads them in every available
# way. All ways must have the same result.
#
#     ruby fuzz/fuzz.rb [SECONDS [SEED [ROUND]]]
#
# The command runs rounds for SECONDS (default 10) with a random SEED, which it prints. At the first
# finding, it prints the round and the bytes, and exits with status 1. If SECONDS is 0, it runs only
# the given ROUND of SEED. With PEER=1, it fuzzes an installed msgpack gem, with the features that
# the msgpack gem has. It runs unchanged under valgrind, and with an extension that is compiled with
# -fsanitize=address.

if ENV["PEER"].to_s.empty?
  $LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
else
  gem "msgpack"
end
require "msgpack"
require "stringio"
require_relative "../spec/support/values"

class Fuzz
  Finding = Class.new(StandardError)

  # REFUSALS are all errors that invalid bytes may raise. symbolize_keys raises EncodingError for
  # keys that cannot become Symbols.
  REFUSALS = [EOFError, MessagePack::UnpackError, EncodingError].freeze
  CONTENT = [MessagePack::UnknownExtTypeError, EncodingError].freeze
  OURS = MessagePack.respond_to?(:count)
  Box = Struct.new(:inner)

  def initialize(seed, round)
    @rng = Random.new(seed * 1_000_003 + round)
    @values = Values.new(@rng)
    @plain = MessagePack::Factory.new
    @plain.register_type(2, Range, packer: ->(range) { MessagePack.pack([range.begin, range.end]) }, unpacker: ->(bytes) { [:range, bytes] })
    @factory = @plain.dup
    @factory.register_type(1, Box, recursive: true, packer: ->(box, packer) { packer.write(box.inner) }, unpacker: ->(unpacker) { Box.new(unpacker.read) })
    @reading = @factory
  end

  CHECKS = %i[round_trip whole_and_pieces read_and_skip headers transactions sharing buffer packers limits ext].freeze

  # Runs one check on one document, and occasionally the garbage collector.
  def run
    check = CHECKS.sample(random: @rng)
    GC.start if one_in(200)
    GC.compact if one_in(500) && GC.respond_to?(:compact)
    @objects = Array.new(@rng.rand(1..4)) { object }
    @bytes = @objects.map { |x| @factory.dump(x) }.join
    send(check)
    nil
  rescue Finding => e
    "#{check}: #{e.message}\nbytes: #{@bytes.unpack1("H*")}"
  rescue StandardError => e
    "#{check}: #{e.class}: #{e.message}\n#{e.backtrace.first(8).join("\n")}\nbytes: #{@bytes.unpack1("H*")}"
  end

  private

  def one_in(n)
    @rng.rand(n).zero?
  end

  def object
    one_in(8) ? Box.new(one_in(3) ? Box.new(@values.any(1)) : @values.any(2)) : @values.any(@rng.rand(5))
  end

  def same(wanted, got, what)
    raise Finding, "#{what}:\n  #{brief(wanted)}\n  #{brief(got)}" unless wanted == got
  end

  # Returns the text of an object, shortened to its beginning and its end.
  def brief(object)
    text = object.inspect
    text.size > 1000 ? "#{text[0, 500]} ... #{text[-500..]}" : text
  end

  # Returns the bytes, corrupted in most cases: changed, deleted, inserted, duplicated or truncated.
  # Later reads do not use the recursive type: with a corrupted payload, the values that its proc
  # reads may end before or after the payload.
  def broken
    @reading = @plain
    bytes = @bytes.dup
    @rng.rand(4).times do
      at = @rng.rand(bytes.bytesize)
      n = @rng.rand(1..8)
      case @rng.rand(6)
      when 0, 1 then bytes.setbyte(at, one_in(2) ? @rng.rand(256) : [0x90, 0x80, 0xc1, 0xc6, 0xc7, 0xc9, 0xd4, 0xd8, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xff].sample(random: @rng))
      when 2 then bytes[at, n] = ""
      when 3 then bytes.insert(at, @rng.bytes(n))
      when 4 then bytes.insert(at, bytes.byteslice(at, n))
      when 5 then bytes = bytes.byteslice(0, at)
      end
      break if bytes.empty?
    end
    @bytes = bytes
  end

  def pieces(bytes, most = [1, 2, 7, 100, 5000, 100_000].sample(random: @rng))
    at = 0
    all = []
    until at >= bytes.bytesize
      all << bytes.byteslice(at, @rng.rand(1..most))
      at += all.last.bytesize
    end
    all
  end

  # Allows unknown ext types in most cases, so that reads reach deep into the document.
  def options
    @options ||= { allow_unknown_ext: !one_in(5), symbolize_keys: OURS && one_in(4), freeze: one_in(4), key_cache: one_in(2) }
  end

  def unpacker(io = nil, **more)
    io ? @reading.unpacker(io, options.merge(more)) : @reading.unpacker(options.merge(more))
  end

  # Returns the objects that the block found, and the class of the error that ended it, or nil. The
  # objects are text, because NaN is not equal to itself.
  def outcome
    found = []
    refusal = begin
      yield found
      nil
    rescue *REFUSALS => e
      e.class
    end
    [found.map(&:inspect), refusal]
  end

  # Compares two outcomes. An unpacker may reject an object for its content as soon as it sees the
  # content, or for its format after enough bytes. It may also report that the end of the object is
  # missing. All three errors are correct if they concern the same object.
  def same_outcome(wanted, got, what)
    same(wanted.first, got.first, what)
    refusals = [wanted.last, got.last]
    return if refusals.any? { |refusal| CONTENT.include?(refusal) } && wanted.first.size == whole_objects

    same(*refusals, "#{what}: the refusal")
  end

  # Returns the number of objects before the first incomplete or malformed one.
  def whole_objects
    skipping = unpacker.feed(@bytes)
    objects = 0
    outcome { loop { skipping.skip.nil? && objects += 1 } }
    objects
  end

  def round_trip
    @objects.each do |x|
      bytes = @factory.dump(x)
      same(x, @factory.load(bytes, allow_unknown_ext: true), "an object that comes back")
      same(bytes, @factory.dump(@factory.load(bytes, allow_unknown_ext: true)), "bytes that come back")
    end
  end

  def whole_and_pieces
    broken unless OURS && one_in(3)
    whole = outcome { |found| unpacker.feed_each(@bytes) { |x| found << x } }
    fed = unpacker
    same_outcome(whole, outcome { |found| pieces(@bytes).each { |piece| fed.feed_each(piece) { |x| found << x } } }, "whole, and fed in pieces")
    queued = unpacker
    pieces(@bytes).each { |piece| queued.feed(piece) }
    same_outcome(whole, outcome { |found| queued.each { |x| found << x } }, "whole, and fed in pieces first")
    same_outcome(whole, outcome { |found| unpacker(StringIO.new(@bytes), io_buffer_size: 1024 + @rng.rand(3000)).each { |x| found << x } }, "whole, and of an io")
    same_outcome(whole, outcome { |found| unpacker(Drip.new(pieces(@bytes, 500))).each { |x| found << x } }, "whole, and of an io that drips")
  end

  # Drip is an io that returns one piece per call.
  Drip = Struct.new(:pieces) do
    def read(length, out = nil)
      piece = pieces.shift
      pieces.unshift(piece.byteslice(length..)) && piece = piece.byteslice(0, length) if piece && piece.bytesize > length
      out ? out.replace(piece || "") : out = piece
      piece && out
    end
  end

  def read_and_skip
    broken
    reading = unpacker.feed(@bytes)
    others = { skip: unpacker.feed(@bytes) }
    others[:read_raw] = unpacker.feed(@bytes) if OURS
    read = 0
    loop do
      before = reading.buffer.size
      refusal = outcome { reading.read }.last
      others.each do |name, other|
        raw = nil
        theirs = outcome { raw = other.public_send(name) }.last
        # skip and read_raw do not look up ext types and create no Symbols. They may accept an
        # object that read rejects; then the check cannot compare them.
        next others.delete(name) if refusal && refusal != EOFError && theirs != refusal && (theirs.nil? || OURS)
        next others.delete(name) if !OURS && (refusal || theirs)

        same(refusal, theirs, "the refusal of read, and of #{name}")
        same(reading.buffer.size, other.buffer.size, "what read left, and #{name}") unless refusal
        same(@bytes.byteslice(@bytes.bytesize - before, before - reading.buffer.size), raw, "the bytes that were read, and #{name}") if name == :read_raw && !refusal
      end
      break if refusal

      read += 1
    end
    same(read, outcome_of_count, "objects that were read, and counted") if OURS && outcome { unpacker.feed(@bytes).each { nil } }.last.nil?
  end

  def outcome_of_count
    same(MessagePack.count(@bytes), counted = unpacker.feed(@bytes).count, "counted by the module, and by an unpacker")
    counted
  end

  # Reads a document header by header.
  def headers
    @options = { allow_unknown_ext: true }
    walking = unpacker.feed(@bytes)
    same(@objects, Array.new(@objects.size) { walk(walking) }, "read, and read by headers")
  end

  def walk(unpacker)
    Array.new(unpacker.read_array_header) { walk(unpacker) }
  rescue MessagePack::UnexpectedTypeError
    begin
      Array.new(unpacker.read_map_header) { [unpacker.read, walk(unpacker)] }.to_h
    rescue MessagePack::UnexpectedTypeError
      unpacker.read
    end
  end

  def transactions
    return unless OURS

    broken
    whole = outcome { |found| unpacker.feed_each(@bytes) { |x| found << x } }
    reading = unpacker(transactional: true)
    found = outcome do |all|
      pieces(@bytes, [1, 50, 5000].sample(random: @rng)).each_with_index do |piece, i|
        # Starting over at every byte would take too long.
        reading.feed(piece)
        next if i > 300 && !one_in(100) && reading.buffer.size < @bytes.bytesize

        loop { all << reading.read }
      rescue EOFError
        nil
      end
      loop { all << reading.read }
    end
    same_outcome([whole.first, whole.last || EOFError], found, "each, and transactional reads")
  end

  # Changes results and the source; each change must not affect anything else.
  def sharing
    blobs = Array.new(@rng.rand(1..5)) { |i| @rng.bytes([100, 300, 4095, 4096, 20_000].sample(random: @rng) + i) }
    document = [blobs.first, { "k" => blobs }, *blobs, "s" * 5000]
    source = MessagePack.pack(document)
    copy = source.b + ""
    reading = MessagePack::Unpacker.new
    (one_in(2) ? [source] : pieces(source, 10_000)).each { |piece| reading.feed(piece) }
    read = reading.read
    again = MessagePack.unpack(source)
    same(document, read, "read")
    strings = [read[0], *read[1].fetch("k"), *read.drop(2)]
    victim = @rng.rand(strings.size)
    keep = strings.map { |s| s + "" }
    strings[victim].then { |s| one_in(2) ? s << "more" : s.setbyte(@rng.rand(s.bytesize), 0) }
    keep.each_index { |i| same(keep[i], strings[i], "a sibling of what was changed") unless i == victim }
    same(copy, source, "the source of what was changed")
    source.replace("other")
    same(document, again, "read before the source was changed")
  end

  def buffer
    tested = MessagePack::Buffer.new
    model = "".b
    60.times do
      string = @rng.bytes([0, 1, 10, 300, 5000, 70_000, 600_000].sample(random: @rng))
      n = [0, 1, @rng.rand(500), @rng.rand(70_000)].sample(random: @rng)
      case @rng.rand(OURS ? 9 : 8)
      when 0, 1 then (tested << string) && model << string
      when 2 then same(n.zero? ? "" : model.slice!(0, n).then { |s| s.empty? ? nil : s }, tested.read(n), "read(#{n})")
      when 3 then same(model.slice!(0, n).bytesize, tested.skip(n), "skip(#{n})")
      when 4 then same(n <= model.bytesize ? model.slice!(0, n) : nil, (tested.read_all(n) if n <= tested.size), "read_all(#{n})")
      when 5 then same(model, one_in(2) ? tested.to_s : tested.to_a.join.b, "to_s")
      when 6 then same(model.bytesize, tested.size, "size")
      when 7
        io = StringIO.new("".b)
        one_in(2) ? tested.write_to(io) && same(model, io.string, "write_to") : tested.clear
        model.clear
      when 8 then tested.prepend(string) && model.prepend(string)
      end
    end
    same(model, tested.read, "read")
  end

  # Uses packers side by side, with and without ios. No packer may contain the bytes of another.
  def packers
    ios = Array.new(6) { |i| StringIO.new("".b) if i.odd? }
    all = ios.map { |io| io ? @factory.packer(io, io_buffer_size: 1024 + @rng.rand(2000)) : @factory.packer }
    models = Array.new(6) { "".b }
    40.times do
      i = @rng.rand(6)
      x = object
      if one_in(5)
        begin
          all[i].write(Box.new([x, Object.new]))
        rescue NoMethodError
          nil
        end
        same(models[i], all[i].to_s, "a packer after an ext that failed") unless ios[i]
      elsif one_in(8) && !ios[i]
        same(models[i], all[i].full_pack, "full_pack")
        models[i].clear
      else
        all[i].write(x)
        models[i] << @factory.dump(x)
      end
    end
    all.each_with_index { |packer, i| same(models[i], ios[i] ? packer.flush && ios[i].string : packer.to_s, "a packer's bytes") }
  end

  def limits
    return unless OURS

    broken
    limit = @rng.rand(100)
    names = %i[max_str_len max_bin_len max_array_len max_map_len max_ext_len].sample(@rng.rand(1..5), random: @rng)
    free = outcome { |found| unpacker.feed_each(@bytes) { |x| found << x } }
    tight = outcome { |found| unpacker(**names.to_h { |name| [name, limit] }).feed_each(@bytes) { |x| found << x } }
    same(free, tight, "without limits, and within them") unless tight.last == MessagePack::LimitError
    same(free.first.first(tight.first.size), tight.first, "what was read before the limit")
  end

  # Runs an ext proc that raises, and then reads again with the same unpacker.
  def ext
    failing = true
    @options = { allow_unknown_ext: true }
    reading = unpacker
    reading.register_type(3) { |payload| failing ? raise(IndexError, "mine") : payload }
    bytes = MessagePack.pack([1, { "k" => [MessagePack::ExtensionValue.new(3, @rng.bytes(@rng.rand(300)))] }, *@rng.rand(3).times.map { @values.any(0) }])
    @bytes = bytes
    begin
      pieces(bytes).each { |piece| reading.feed_each(piece) { raise Finding, "an object whose ext failed" } }
      raise Finding, "no error of an ext that fails"
    rescue IndexError
      reading.reset
    end
    failing = false
    same(bytes.bytesize, reading.feed(bytes).buffer.size, "bytes after reset")
    reading.read
    same(0, reading.buffer.size, "bytes that are left after ext")
  end
end

seconds = Float(ARGV.fetch(0, "10"))
seed = Integer(ARGV.fetch(1) { Random.new_seed % 1_000_000_000 })
ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
round = Integer(ARGV.fetch(2, "0"))
$stdout.sync = true
puts "seed #{seed}"
loop do
  finding = Fuzz.new(seed, round).run
  abort "round #{round} of seed #{seed}: #{finding}" if finding
  round += 1
  break if Process.clock_gettime(Process::CLOCK_MONOTONIC) >= ends
end
puts "#{round} rounds, no findings"
