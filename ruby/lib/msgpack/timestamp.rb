# frozen_string_literal: true

module MessagePack
  # A point in time of the format's own ext type -1: seconds since 1970 in UTC, and nanoseconds beyond them. It holds more than a Time of
  # some systems does, and makes no Time. A payload has one of three forms, all big-endian:
  #
  #   4 bytes     seconds: 32 bits
  #   8 bytes     nanoseconds: 30 bits, seconds: 34 bits
  #   12 bytes    nanoseconds: 32 bits, seconds: 64 bits, signed
  class Timestamp
    # The ext type.
    TYPE = -1
    # The latest second of a payload of 4 bytes.
    TIMESTAMP32_MAX_SEC = 2**32 - 1
    # The latest second of a payload of 8 bytes.
    TIMESTAMP64_MAX_SEC = 2**34 - 1

    # @return [Integer] seconds since 1970, less than 0 before
    attr_reader :sec
    # @return [Integer] nanoseconds, 0 to 999_999_999
    attr_reader :nsec

    # @param payload [String]
    # @return [Timestamp]
    # @raise [MalformedFormatError] if it has not 4, 8 or 12 bytes
    def self.from_msgpack_ext(payload)
      case payload.bytesize
      when 4 then new(payload.unpack1("L>"), 0)
      when 8
        both = payload.unpack1("Q>")
        new(both & TIMESTAMP64_MAX_SEC, both >> 34)
      when 12
        nsec, sec = payload.unpack("L>q>")
        new(sec, nsec)
      else
        raise MalformedFormatError, "Invalid timestamp data size: #{payload.bytesize}"
      end
    end

    # @return [String] the shortest payload, binary
    # @raise [ArgumentError] if nsec is a second or more, or less than 0: a payload of 8 bytes has 30 bits for it
    # @raise [RangeError] if sec takes more than 64 bits
    def self.to_msgpack_ext(sec, nsec)
      raise ArgumentError, "nsec is #{nsec}, and should be 0 to 999999999" unless nsec.between?(0, 999_999_999)
      raise RangeError, "sec is #{sec}, which takes more than 64 bits" unless sec.between?(-2**63, 2**63 - 1)

      if !sec.between?(0, TIMESTAMP64_MAX_SEC)
        [nsec, sec].pack("L>q>")
      elsif nsec.zero? && sec <= TIMESTAMP32_MAX_SEC
        [sec].pack("L>")
      else
        [nsec << 34 | sec].pack("Q>")
      end
    end

    # What is read may have nanoseconds beyond a second, so that is no error here.
    def initialize(sec, nsec)
      @sec = sec
      @nsec = nsec
    end

    # @return [String] see Timestamp.to_msgpack_ext
    def to_msgpack_ext
      self.class.to_msgpack_ext(sec, nsec)
    end

    # @return [Boolean] whether other is a Timestamp of the same seconds and nanoseconds
    def ==(other)
      other.class == self.class && other.sec == sec && other.nsec == nsec
    end
  end
end
