# frozen_string_literal: true

require_relative "data"

module Bench
  # An Operation is Ruby source text that uses the local variables value, bytes, packer and
  # unpacker. The text is compiled into the timing loop, so that the loop makes no method call of
  # its own. gives names the result that a Job checks before it times the operation: :bytes, :value,
  # :symbols (the value with Symbol keys) or :nothing.
  Operation = Struct.new(:text, :gives)

  # Libraries defines how each library is loaded and called. A process loads only one of them,
  # because this gem and the msgpack gem define the same names. The methods of a library:
  #
  #   version       the version that the library reports
  #   holds?        whether the library can represent a data set
  #   form          a data set in the form that the library can represent
  #   bytes, value  serialize and deserialize a value, for the checks
  #   operations    the timed operations by name
  #   tools         the packer and the unpacker that the operations reuse
  module Libraries
    # Universal is for libraries that can represent all data sets.
    module Universal
      def holds?(_set) = true
    end

    # WithoutTools is for libraries without a reusable packer and unpacker.
    module WithoutTools
      include Universal

      def tools = [nil, nil]
    end

    # MessagePackGem is the msgpack gem, or this gem if the load path leads to it. The operations
    # whose names begin with re reuse one packer and one unpacker. The operations read and skip work
    # on a run: many values in one call of feed.
    class MessagePackGem
      include Universal

      OPERATIONS = {
        pack: Operation.new("MessagePack.pack(value)", :bytes),
        unpack: Operation.new("MessagePack.unpack(bytes)", :value),
        symbolize: Operation.new("MessagePack.unpack(bytes, symbolize_keys: true)", :symbols),
        repack: Operation.new("packer.write(value).full_pack", :bytes),
        reread: Operation.new("unpacker.feed(bytes); unpacker.read", :value),
        reskip: Operation.new("unpacker.feed(bytes); unpacker.skip", :nothing),
        read: Operation.new("unpacker.read", :value),
        skip: Operation.new("unpacker.skip", :nothing)
      }.freeze

      def initialize(installed:)
        gem "msgpack" if installed
        require "msgpack"
      end

      def version = MessagePack::VERSION
      def own_version = (MessagePack::SLIPSTREAM_VERSION if MessagePack.const_defined?(:SLIPSTREAM_VERSION))
      def operations = OPERATIONS
      def form(value) = value
      def bytes(value) = MessagePack.pack(value)
      def value(bytes) = MessagePack.unpack(bytes)
      def tools = [MessagePack::Packer.new, MessagePack::Unpacker.new]
    end

    # Text is for JSON libraries. Binaries are encoded in base64 before the timing starts, as in the
    # article.
    module Text
      include WithoutTools

      def form(value) = Data.with_blobs(value) { |blob| [blob].pack("m0") }
    end

    # Json is Ruby's own json, or the json that bench/json downloads if the load path leads to it.
    class Json
      include Text

      OPERATIONS = {
        pack: Operation.new("JSON.generate(value)", :bytes),
        unpack: Operation.new("JSON.parse(bytes)", :value),
        symbolize: Operation.new("JSON.parse(bytes, symbolize_names: true)", :symbols)
      }.freeze

      def initialize = require("json")
      def version = JSON::VERSION
      def operations = OPERATIONS
      def bytes(value) = JSON.generate(value)
      def value(bytes) = JSON.parse(bytes)
    end

    # OjCompat is Oj with compat as the default mode. To name the mode in each call would cost Oj
    # 100 ns.
    class OjCompat
      include Text

      OPERATIONS = {
        pack: Operation.new("Oj.dump(value)", :bytes),
        unpack: Operation.new("Oj.load(bytes)", :value)
      }.freeze

      def initialize
        require "oj"
        Oj.default_options = { mode: :compat }
      end

      def version = Oj::VERSION
      def operations = OPERATIONS
      def bytes(value) = Oj.dump(value)
      def value(bytes) = Oj.load(bytes)
    end

    # OjUsual is Oj's newer parser. The whole process shares one parser, so two threads must not use
    # it at the same time.
    class OjUsual < OjCompat
      OPERATIONS = { unpack: Operation.new("Oj::Parser.usual.parse(bytes)", :value) }.freeze

      def operations = OPERATIONS
    end

    # Bson is the bson gem. It accepts only a hash at the top level, so form puts any other value
    # into a hash. Its Integers are signed 64-bit numbers.
    class Bson
      include WithoutTools

      OPERATIONS = {
        pack: Operation.new("value.to_bson.to_s", :bytes),
        unpack: Operation.new("Hash.from_bson(BSON::ByteBuffer.new(bytes))", :value)
      }.freeze

      def initialize = require("bson")
      def holds?(set) = set != "bignums"
      def version = BSON::VERSION
      def operations = OPERATIONS
      def bytes(value) = value.to_bson.to_s
      def value(bytes) = Hash.from_bson(BSON::ByteBuffer.new(bytes))

      def form(value)
        value = { "value" => value } unless value.is_a?(Hash)
        Data.with_blobs(value) { |blob| BSON::Binary.new(blob) }
      end
    end

    # ALL maps the column names to the libraries, with ours first. The dagger marks a library that
    # guarantees less than the others.
    ALL = {
      "ours" => -> { MessagePackGem.new(installed: false) },
      "msgpack" => -> { MessagePackGem.new(installed: true) },
      "json" => -> { Json.new },
      "oj" => -> { OjCompat.new },
      "oj usual†" => -> { OjUsual.new },
      "bson" => -> { Bson.new }
    }.freeze
  end
end
