# frozen_string_literal: true

# MessagePack for Ruby. The codec is the extension in ext/slipstream_msgpack: Packer, Unpacker, Buffer, the core of Factory and
# DefaultFactory, the errors, and MessagePack.pack, dump, unpack, load and count. What takes no time is Ruby:
#
#   msgpack/version.rb      which API this is, and which version of the gem
#   msgpack/factory.rb      registration of ext types for packers and unpackers alike
#   msgpack/pool.rb         packers and unpackers that are used again
#   msgpack/packer.rb, msgpack/unpacker.rb     registration of ext types for one of them
#   msgpack/ext_type.rb     what is given there, and told of it
#   msgpack/extension_value.rb, msgpack/timestamp.rb, msgpack/time.rb, msgpack/symbol.rb     ext values
#   msgpack/bigint.rb       the same of large Integers, by its own require
#   msgpack/core_ext.rb     to_msgpack of Ruby's own classes
#   slipstream/only.rb      what keeps the msgpack gem and this library apart
require_relative "slipstream/only"
return unless Slipstream::Only.may_load?

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

# See README.md. Packs and unpacks by {DefaultFactory}.
module MessagePack
  # @!method self.pack(object, io = nil, options = {})
  #   Also named dump.
  #   @return [String, nil] binary; nil if there is an io, which was written to
  #   @raise as Packer#write
  # @!method self.dump(object, io = nil, options = {})
  #   @see MessagePack.pack
  # @!method self.unpack(source, options = {})
  #   Also named load.
  #   @param source [String, #read] of one object, and nothing after it
  #   @param options [Hash] of Unpacker.new
  #   @return the object
  #   @raise [EOFError, UnpackError]
  # @!method self.load(source, options = {})
  #   @see MessagePack.unpack
  # @!method self.count(bytes)
  #   Passes over the objects of a String, and makes none of them.
  #   @return [Integer] how many are whole
  #   @raise [MalformedFormatError, StackError]
  # @!method self.share_middle?
  #   @return [Boolean] whether binaries of 4 KB and more share memory with the String that they were cut from, wherever they lie
  # @!method self.share_middle=(on)
  #   @param on [Boolean] true has no effect where this Ruby cannot do it

  # @!parse
  #   # Bytes that cannot be unpacked. Each error of unpacking but EOFError is one.
  #   class UnpackError < StandardError; end
  #
  #   # The byte 0xc1, which the format does not use; a timestamp that is not 4, 8 or 12 bytes long; or bytes after
  #   # the one object of a call.
  #   class MalformedFormatError < UnpackError; end
  #
  #   # Arrays and maps that nest deeper than max_depth.
  #   class StackError < UnpackError; end
  #
  #   # Included in UnexpectedTypeError.
  #   module TypeError; end
  #
  #   # Another type than read_array_header or read_map_header reads. The bytes stay.
  #   class UnexpectedTypeError < UnpackError
  #     include TypeError
  #   end
  #
  #   # An ext type that is not registered, without allow_unknown_ext.
  #   class UnknownExtTypeError < UnpackError; end
  #
  #   # A String, an Array, a Hash or an ext value that is longer than its limit.
  #   class LimitError < UnpackError; end
  #
  #   # The factory of MessagePack.pack and MessagePack.unpack. Ext types that are registered with it are known to the whole process.
  #   DefaultFactory = Factory.new
end

Slipstream::Only.keep_out_others
