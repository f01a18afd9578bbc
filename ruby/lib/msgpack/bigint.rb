# frozen_string_literal: true

module MessagePack
  # Packs and unpacks Integers of any size as an ext type. The format does not define this type, so
  # writer and reader must both register it:
  #
  #   factory.register_type(0x01, Integer, packer: MessagePack::Bigint.method(:to_msgpack_ext),
  #                         unpacker: MessagePack::Bigint.method(:from_msgpack_ext),
  #                         oversized_integer_extension: true)
  #
  # The payload starts with a sign byte: 1 for negative numbers, otherwise 0. The magnitude follows
  # as 32-bit digits, least significant digit first. Each digit is big-endian.
  module Bigint
    # Bits per digit.
    CHUNK_BITLENGTH = 32
    # The layout of the payload, as a template for Array#pack.
    FORMAT = "CL>*"

    # Returns the payload for an Integer.
    # @param bigint [Integer]
    # @return [String] a binary String
    def self.to_msgpack_ext(bigint)
      digits = bigint.zero? ? [] : bigint.abs.digits(1 << CHUNK_BITLENGTH)
      [bigint.negative? ? 1 : 0, *digits].pack(FORMAT)
    end

    # Returns the Integer for a payload.
    # @param payload [String] bytes after the last complete digit are ignored
    # @return [Integer]
    def self.from_msgpack_ext(payload)
      sign, *digits = payload.unpack(FORMAT)
      # Convert via hex. Shifting and adding would take quadratic time in the number of digits,
      # which the sender chooses.
      magnitude = digits.reverse.pack("L>*").unpack1("H*").to_i(16)
      sign == 0 ? magnitude : -magnitude
    end
  end
end
