# frozen_string_literal: true

# Adds the methods that pack and unpack Symbols if Symbol is registered as an ext type. Redefine
# them to change the payload.
class Symbol
  # Returns the payload: the name of the Symbol, in the Symbol's encoding.
  # @return [String]
  alias to_msgpack_ext name

  # Returns the Symbol for a payload.
  # @param payload [String]
  # @return [Symbol] a UTF-8 Symbol, or a binary Symbol if the payload is not valid UTF-8
  def self.from_msgpack_ext(payload)
    name = payload.dup.force_encoding(Encoding::UTF_8)
    name.force_encoding(Encoding::BINARY) unless name.valid_encoding?
    name.to_sym
  end
end
