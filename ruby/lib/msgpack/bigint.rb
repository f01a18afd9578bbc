# frozen_string_literal: true

module MessagePack
  # Integers of any size as an ext type, which is not one of the format's own: both sides must know it.
  #
  #   factory.register_type(0x01, Integer, packer: MessagePack::Bigint.method(:to_msgpack_ext),
  #                         unpacker: MessagePack::Bigint.method(:from_msgpack_ext), oversized_integer_extension: true)
  #
  # The payload: a byte for the sign, 1 if it is less than 0, then digits of 32 bits, the least one first, each big-endian.
  module Bigint
    # Bits of a digit.
    CHUNK_BITLENGTH = 32
    # The payload, for Array#pack.
    FORMAT = "CL>*"

    # @param bigint [Integer]
    # @return [String] binary
    def self.to_msgpack_ext(bigint)
      digits = bigint.zero? ? [] : bigint.abs.digits(1 << CHUNK_BITLENGTH)
      [bigint.negative? ? 1 : 0, *digits].pack(FORMAT)
    end

    # @param payload [String] with whole digits; bytes beyond them are not looked at
    # @return [Integer]
    def self.from_msgpack_ext(payload)
      sign, *digits = payload.unpack(FORMAT)
      # By way of hex: to shift and to add would take time that is quadratic in the digits, which are another's to choose.
      magnitude = digits.reverse.pack("L>*").unpack1("H*").to_i(16)
      sign == 0 ? magnitude : -magnitude
    end
  end
end
