# frozen_string_literal: true

# MessagePack for Ruby. The C extension in ext/slipstream_msgpack implements the codec: Packer,
# Unpacker, Buffer, the core of Factory, DefaultFactory, the errors, and MessagePack.pack, dump,
# unpack, load and count. Code that is not time-critical is written in Ruby:
#
#   msgpack/version.rb          versions of the API and of the gem
#   msgpack/factory.rb          registration of ext types for both packers and unpackers
#   msgpack/pool.rb             reusable packers and unpackers
#   msgpack/packer.rb, msgpack/unpacker.rb
#                               registration of ext types for a single packer or unpacker
#   msgpack/ext_type.rb         helpers for registering and listing ext types
#   msgpack/extension_value.rb, msgpack/timestamp.rb, msgpack/time.rb, msgpack/symbol.rb
#                               ext values
#   msgpack/bigint.rb           large Integers as ext values; must be required separately
#   msgpack/core_ext.rb         to_msgpack for Ruby's core classes
#   slipstream/load_guard.rb    prevents loading both this library and the msgpack gem
require_relative "slipstream/load_guard"
return unless Slipstream::LoadGuard.may_load?

require_relative "msgpack/extension"
require_relative "msgpack/packer"
require_relative "msgpack/unpacker"
require_relative "msgpack/factory"
require_relative "msgpack/pool"
require_relative "msgpack/extension_value"
require_relative "msgpack/timestamp"
require_relative "msgpack/time"
require_relative "msgpack/symbol"
require_relative "msgpack/core_ext"

# Packs and unpacks objects with {DefaultFactory}. See README.md.
module MessagePack
  # @!method self.pack(object, io = nil, options = {})
  #   Packs an object. Also named dump.
  #   @param io [#write, #<<, nil] the destination; nil returns the bytes instead
  #   @param options [Hash] the options of Packer.new
  #   @return [String, nil] a binary String, or nil if an io is given
  #   @raise the errors of Packer#write
  # @!method self.dump(object, io = nil, options = {})
  #   Packs an object.
  #   @see MessagePack.pack
  # @!method self.unpack(source, options = {})
  #   Unpacks the only object in source. Also named load.
  #   @param source [String, #read] exactly one object
  #   @param options [Hash] the options of Unpacker.new
  #   @return the object
  #   @raise [EOFError, UnpackError]
  # @!method self.load(source, options = {})
  #   Unpacks the only object in source.
  #   @see MessagePack.unpack
  # @!method self.count(bytes)
  #   Counts the objects in a String without creating them.
  #   @return [Integer] the number of complete objects
  #   @raise [MalformedFormatError, StackError]
  # @!method self.share_middle?
  #   Reports whether unpacked binaries of at least 4 KB share memory with the source String,
  #   wherever they are in it.
  #   @return [Boolean]
  # @!method self.share_middle=(on)
  #   Enables or disables the sharing of memory that {MessagePack.share_middle?} reports.
  #   @param on [Boolean] true has no effect if this version of Ruby does not support such sharing

  # @!parse
  #   # The base class of all errors that unpacking raises for invalid input, except EOFError.
  #   class UnpackError < StandardError; end
  #
  #   # Raised for the byte 0xc1, which the format does not use; for a timestamp that is not 4, 8 or
  #   # 12 bytes long; and for bytes after the only object of a call.
  #   class MalformedFormatError < UnpackError; end
  #
  #   # Raised for arrays and maps that are nested deeper than max_depth.
  #   class StackError < UnpackError; end
  #
  #   # A module that UnexpectedTypeError includes.
  #   module TypeError; end
  #
  #   # Raised by read_array_header and read_map_header for an object of another type. The bytes of
  #   # the object stay in the buffer.
  #   class UnexpectedTypeError < UnpackError
  #     include TypeError
  #   end
  #
  #   # Raised for an ext type that is not registered, unless allow_unknown_ext is set.
  #   class UnknownExtTypeError < UnpackError; end
  #
  #   # Raised for a String, an Array, a Hash or an ext value that exceeds its limit.
  #   class LimitError < UnpackError; end
  #
  #   # The factory that MessagePack.pack and MessagePack.unpack use. Ext types that are registered
  #   # with it apply everywhere in the main Ractor. Each other Ractor has its own default factory.
  #   DefaultFactory = Factory.new
end

Slipstream::LoadGuard.keep_out_others
