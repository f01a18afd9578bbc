# frozen_string_literal: true

require_relative "packer"
require_relative "extension_value"

module MessagePack
  # Adds to_msgpack to the classes that the format supports. Each class defines
  # to_msgpack_with_packer, which writes the object.
  module CoreExt
    # Packs self.
    # @overload to_msgpack
    #   Returns the packed object.
    #   @return [String] a binary String
    # @overload to_msgpack(packer)
    #   Writes the object to a packer.
    #   @return [Packer] the given packer
    # @overload to_msgpack(io)
    #   Writes the packed object to an io.
    #   @return [nil]
    # @overload to_msgpack(options)
    #   Returns the packed object. The options are those of MessagePack.pack.
    #   @return [String] a binary String
    def to_msgpack(packer_or_io = nil)
      case packer_or_io
      when nil, false then MessagePack.pack(self)
      when Packer then to_msgpack_with_packer(packer_or_io)
      else MessagePack.pack(self, packer_or_io)
      end
    end
  end

  class ExtensionValue
    include CoreExt

    private def to_msgpack_with_packer(packer) = packer.write_extension(self)
  end
end

# Has {MessagePack::CoreExt#to_msgpack}.
class NilClass
  include MessagePack::CoreExt

  private def to_msgpack_with_packer(packer) = packer.write_nil
end

# Has {MessagePack::CoreExt#to_msgpack}.
class TrueClass
  include MessagePack::CoreExt

  private def to_msgpack_with_packer(packer) = packer.write_true
end

# Has {MessagePack::CoreExt#to_msgpack}.
class FalseClass
  include MessagePack::CoreExt

  private def to_msgpack_with_packer(packer) = packer.write_false
end

# Has {MessagePack::CoreExt#to_msgpack}.
class Integer
  include MessagePack::CoreExt

  private def to_msgpack_with_packer(packer) = packer.write_int(self)
end

# Has {MessagePack::CoreExt#to_msgpack}.
class Float
  include MessagePack::CoreExt

  private def to_msgpack_with_packer(packer) = packer.write_float(self)
end

# Has {MessagePack::CoreExt#to_msgpack}.
class String
  include MessagePack::CoreExt

  private def to_msgpack_with_packer(packer) = packer.write_string(self)
end

# Has {MessagePack::CoreExt#to_msgpack}.
class Symbol
  include MessagePack::CoreExt

  private def to_msgpack_with_packer(packer) = packer.write_symbol(self)
end

# Has {MessagePack::CoreExt#to_msgpack}.
class Array
  include MessagePack::CoreExt

  private def to_msgpack_with_packer(packer) = packer.write_array(self)
end

# Has {MessagePack::CoreExt#to_msgpack}.
class Hash
  include MessagePack::CoreExt

  private def to_msgpack_with_packer(packer) = packer.write_hash(self)
end
