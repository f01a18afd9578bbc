# frozen_string_literal: true

require_relative "data"

module Bench
  # An Operation is Ruby text over the locals value, bytes, packer and unpacker, so that the loop around it makes no call of its own.
  # What comes of it, which is proved before it is timed, is the bytes, the value, the value with Symbols as keys, or nothing.
  Operation = Struct.new(:text, :gives)

  # How each library is loaded and called. A process has one of them: ours and the msgpack gem have the same names.
  #
  #   version       what the library calls itself
  #   holds?        whether it can hold a data set at all
  #   form          a data set as the library can hold it
  #   bytes, value  there and back, for the proofs
  #   operations    what is timed, by name
  #   tools         the packer and the unpacker that operations reuse
  module Libraries
    # Most libraries hold all sets.
    module Universal
      def holds?(_set) = true
    end

    # Toolless libraries are called as a whole.
    module Toolless
      include Universal

      def tools = [nil, nil]
    end

    # MessagePackGem is the msgpack gem, or ours in its place by the load path. A packer and an unpacker are kept by the operations
    # whose names begin with re; read and skip work upon a run of values that was fed at once.
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

    # Text is for the libraries of JSON: binaries are base64, made before the clock runs, as in the article.
    module Text
      include Toolless

      def form(value) = Data.with_blobs(value) { |blob| [blob].pack("m0") }
    end

    # Json is that of Ruby, or the one that bench/json brought, by the load path.
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

    # OjCompat is Oj in its mode compat, made the default: naming it in each call would cost Oj 100 ns.
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

    # OjUsual is the newer parser of Oj: one for the whole process, so that two threads must not use it at a time.
    class OjUsual < OjCompat
      OPERATIONS = { unpack: Operation.new("Oj::Parser.usual.parse(bytes)", :value) }.freeze

      def operations = OPERATIONS
    end

    # Bson has only hashes at the top, so anything else is put into one. Its Integers have 64 bits with a sign.
    class Bson
      include Toolless

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

    # ALL of them by the names of their columns, ours first. The dagger marks what promises less than the others.
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
