# frozen_string_literal: true

module MessagePack
  # An ext value as its type number and its bytes. With `allow_unknown_ext: true`, an unpacker
  # returns one for an ext type that is not registered. A packer writes the type and the payload
  # unchanged. type is an Integer from -128 to 127; payload is a binary String.
  ExtensionValue = Struct.new(:type, :payload)
end
