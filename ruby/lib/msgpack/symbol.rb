# frozen_string_literal: true

# What Symbol is packed by once it is registered as an ext type. Redefine them to pack Symbols in another way.
class Symbol
  # @return [String] the name, in the Symbol's encoding
  alias to_msgpack_ext name

  # @param payload [String]
  # @return [Symbol] in UTF-8; binary if the payload is not UTF-8
  def self.from_msgpack_ext(payload)
    name = payload.dup.force_encoding(Encoding::UTF_8)
    name.force_encoding(Encoding::BINARY) unless name.valid_encoding?
    name.to_sym
  end
end
