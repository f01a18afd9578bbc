# frozen_string_literal: true

# Calls the methods of a Factory, a Packer, an Unpacker and a Buffer in random order, and prints what
# each call returned or raised.
#
#     ruby fuzz/calls.rb [SEED [COUNT]]
#
# It prints COUNT sequences (default 1000), one in each line. With PEER=1, it does the same with an
# installed msgpack gem. The same SEED (default 1) results in the same calls, so the two outputs must
# be equal. A sequence ends at the first exception other than EOFError, because the gems differ on
# purpose in what an Unpacker reads after an exception (see README.md).

if ENV["PEER"].to_s.empty?
  $LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
else
  gem "msgpack", ">= 1.8"
end
require "msgpack"
require "stringio"

class Calls
  Base = Struct.new(:inner)
  Derived = Class.new(Base)
  CLASSES = [Base, Derived, Struct, Object, Comparable, Symbol, String, Integer, Range].freeze
  TYPES = [1, 2, 3, -1].freeze
  VALUES = [
    nil, true, 1, -1, 200, -40_000, 2**63, 2**70, 1.5, "", "a", "a" * 40, "b" * 300, "\xff".b, :a, :symbol, [], [1, [2]], {}, { a: 1, "b" => [nil] },
    1..2, Base.new(1), Derived.new([:x])
  ].freeze
  FED = [
    "c0", "01", "e0", "cc80", "cd0100", "cf8000000000000000", "d280000000", "cb3ff8000000000000", "a0", "a161", "d90161", "c40161", "90", "920102",
    "80", "810102", "d40161", "d5026162", "c7000161", "c7030161", "d4ff00", "d6ff00000001", "c1", "d9", "c8"
  ].map { |text| [text].pack("H*") }.freeze
  # The gems differ in what they keep of an incomplete array or map that was fed.
  INCOMPLETE = %w[91 dc0001 82a16101 de0001a161].map { |text| [text].pack("H*") }.freeze
  BYTES = (FED + INCOMPLETE).freeze

  def initialize(seed)
    @random = Random.new(seed)
    @factory = MessagePack::Factory.new
    fresh
  end

  # Returns the calls of the sequence with their results.
  def run
    log = []
    20.times do
      name = any(STEPS)
      result, last = outcome { send(name) }
      log << "#{name} #{@arguments} #{result}"
      break if last
    end
    log.join(" | ")
  end

  private

  def any(list) = list.sample(random: @random)

  # Remembers arguments for the output, and returns them.
  def note(*arguments)
    @arguments = arguments.map { |argument| argument.is_a?(Proc) ? "proc" : argument.inspect }.join(", ")
    arguments.size == 1 ? arguments.first : arguments
  end

  def outcome
    @arguments = ""
    ["→ #{show(yield)}", false]
  rescue EOFError
    ["→ EOFError", false]
  rescue StandardError => error
    # Ruby's own texts depend on its version. msgpack counts only the extra bytes of one chunk.
    text = error.is_a?(NameError) ? "" : ": #{error.message.sub(/\A\d+ extra/, 'n extra')}"
    ["→ #{error.class}#{text}", true]
  end

  def show(value)
    case value
    when MessagePack::Factory, MessagePack::Packer, MessagePack::Unpacker, MessagePack::Buffer then value.class.name
    when Array then "[#{value.map { |element| show(element) }.join(', ')}]"
    when Hash then "{#{value.map { |key, element| "#{show(key)}=>#{show(element)}" }.join(', ')}}"
    when Proc, Method then "callable"
    else value.inspect
    end
  end

  def fresh
    @packer = @factory.packer
    @unpacker = @factory.unpacker(note(any([{}, { allow_unknown_ext: true }, { symbolize_keys: true }, { freeze: true }])))
    @buffer = MessagePack::Buffer.new
    nil
  end

  def packer_of(type) = ->(_) { "p#{type}" }

  def unpacker_of(type) = ->(payload) { [type, payload] }

  def register
    type, klass, sides = note(any(TYPES), any(CLASSES), any(%i[both packer unpacker none]))
    options = {}
    options[:packer] = packer_of(type) if %i[both packer].include?(sides)
    options[:unpacker] = unpacker_of(type) if %i[both unpacker].include?(sides)
    options[:packer] = nil if sides == :none
    options[:oversized_integer_extension] = true if klass == Integer && options[:packer] && note(any([true, false]))
    @factory.register_type(type, klass, options)
  end

  def types = @factory.registered_types(note(any(%i[both packer unpacker])))

  def registered = @factory.type_registered?(*note(any(CLASSES + TYPES), any(%i[both packer unpacker])))

  def copy
    @factory = @factory.dup
    nil
  end

  def dump = @factory.dump(note(any(VALUES)))

  def load = @factory.load(note(any(BYTES)))

  def load_options = @factory.load(note(any(BYTES)), note(any([{ symbolize_keys: true }, { freeze: true }, { allow_unknown_ext: true }])))

  def write = @packer.write(note(any(VALUES))).to_s

  def header = @packer.public_send(*note(any(%i[write_array_header write_map_header write_bin_header]), any([0, 1, 15, 16, 70_000])))

  TYPED = {
    write_nil: [[]], write_true: [[]], write_false: [[]], write_int: [1, -200, 2**64, "a", nil, 1.5], write_float: [1.5, 1, "a", nil],
    write_float32: [1.5, 1, 2**70, "a"], write_string: ["a", :a, nil], write_symbol: [:a, "a"], write_bin: ["a", nil], write_array: [[1], {}, nil],
    write_hash: [{ 1 => 2 }, [], nil], write_ext: [[1, "a"], [128, "a"], [-1, ""], [1, nil]], write_extension: [MessagePack::ExtensionValue.new(1, "abc"), "a"]
  }.freeze

  def typed
    method, arguments = note(any(TYPED.to_a.flat_map { |name, list| list.map { |one| [name, one] } }))
    @packer.public_send(method, *arguments).to_s
  end

  def core = note(any(VALUES + [Time.at(1, 5)])).to_msgpack

  def pack_options = MessagePack.pack(note(any(VALUES)), note(any([{}, { compatibility_mode: true }, nil])))

  def pool
    pool = @factory.pool(1, **note(any([{}, { symbolize_keys: true }, { freeze: true }, { allow_unknown_ext: true }])))
    [pool.dump(any([1, "a", [1], { "a" => 1 }])), pool.load(note(any(BYTES)))]
  end

  def timestamp
    seconds, nanoseconds = note(any([0, 1, -1, 2**32, 2**34, 2**63 - 1]), any([0, 1, 999_999_999]))
    bytes = MessagePack::Timestamp.to_msgpack_ext(seconds, nanoseconds)
    stamp = MessagePack::Timestamp.from_msgpack_ext(bytes)
    [bytes, stamp.sec, stamp.nsec, stamp == MessagePack::Timestamp.new(seconds, nanoseconds)]
  end

  def timestamp_of = MessagePack::Timestamp.from_msgpack_ext(note(any(["", "a", "abcd", "a" * 8, "\xff" * 8, "a" * 12, "a" * 13]))).then { |stamp| [stamp.sec, stamp.nsec] }

  def packed = @packer.public_send(note(any(%i[to_s to_str empty? full_pack reset flush])))

  def packer_register
    type, klass = note(any(TYPES), any(CLASSES))
    @packer.register_type(type, klass, &packer_of(type))
    nil
  end

  def packer_types = @packer.registered_types

  def feed = @unpacker.feed(note(Array.new(@random.rand(1..3)) { any(FED) }.join))

  def read = @unpacker.public_send(note(any(%i[read unpack])))

  # skip ignores unknown ext types, but msgpack rejects them.
  def skip = @unpacker.allow_unknown_ext? && @unpacker.skip

  # msgpack also removes the invalid byte 0xc1, and reads on after it.
  def skip_nil = @unpacker.skip_nil.tap { |found| @unpacker.reset unless found }

  def head = @unpacker.public_send(note(any(%i[read_array_header read_map_header])))

  def each = @unpacker.each.to_a

  def feed_each = @unpacker.enum_for(:feed_each, note(any(FED))).to_a

  def full = @unpacker.full_unpack

  def options = note(any(%i[symbolize_keys? freeze? allow_unknown_ext? buffer])).then { |name| @unpacker.public_send(name) }

  def reset = @unpacker.reset

  def unpacker_register
    type = note(any(TYPES))
    @unpacker.register_type(type, &unpacker_of(type))
    nil
  end

  def unpacker_types = @unpacker.registered_types

  def buffer_write = @buffer.public_send(*note(any(%i[write <<]), any(["", "a", "bc" * 300])))

  def buffer_read = @buffer.public_send(*note(any(%i[read read_all skip skip_all]), any([0, 1, 3, 700])))

  def packer_buffer = @packer.public_send(*note(any([[:to_a], [:buffer], [:compatibility_mode?], [:size], [:empty?]])))

  def buffer_io
    io = StringIO.new(+"")
    buffer = MessagePack::Buffer.new(io)
    buffer << note(any(["", "a", "b" * 600]))
    [buffer.size, buffer.flush.class, io.string, MessagePack::Buffer.new(StringIO.new("abc")).then { |other| [other.read(2), other.read, other.read(1), other.empty?] }]
  end

  def buffer_state = @buffer.public_send(note(any(%i[size empty? to_s to_a clear close flush])))

  STEPS = (private_instance_methods(false) - %i[initialize any note outcome show packer_of unpacker_of]).sort.freeze
end

seed, count = ARGV.fetch(0, 1).to_i, ARGV.fetch(1, 1000).to_i
count.times { |i| puts Calls.new(seed * 1_000_000 + i).run }
