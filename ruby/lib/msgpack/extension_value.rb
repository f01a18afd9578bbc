# frozen_string_literal: true

module MessagePack
  # An ext value of which only the bytes are known: what an unpacker gives for types that it does not know by `allow_unknown_ext: true`, and what is
  # packed as it is. type is an Integer, -128 to 127; payload is a binary String.
  ExtensionValue = Struct.new(:type, :payload)
end
