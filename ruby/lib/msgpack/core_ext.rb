# frozen_string_literal: true

require_relative "packer"
require_relative "extension_value"

module MessagePack
  # to_msgpack of the classes that the format knows. Each class says in to_msgpack_with_packer how it is written.
  module CoreExt
    # @overload to_msgpack
    #   @return [String] binary
    # @overload to_msgpack(packer)
    #   @return [Packer] the same, which self was written to
    # @overload to_msgpack(io)
    #   @return [nil]
    # @overload to_msgpack(options)
    #   @return [String] binary; see MessagePack.pack
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
