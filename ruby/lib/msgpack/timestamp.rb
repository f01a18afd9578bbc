# frozen_string_literal: true

module MessagePack
  # A value of the predefined ext type -1: a number of seconds since 1970-01-01 00:00:00 UTC, plus
  # nanoseconds. Its range is larger than the range of Time on some systems. Creating a Timestamp
  # creates no Time. A payload has one of three forms, all big-endian:
  #
  #   4 bytes     seconds: 32 bits
  #   8 bytes     nanoseconds: 30 bits, seconds: 34 bits
  #   12 bytes    nanoseconds: 32 bits, seconds: 64 bits, signed
  class Timestamp
    # The number of the ext type.
    TYPE = -1
    # The largest number of seconds in a payload of 4 bytes.
    TIMESTAMP32_MAX_SEC = 2**32 - 1
    # The largest number of seconds in a payload of 8 bytes.
    TIMESTAMP64_MAX_SEC = 2**34 - 1

    # Returns the seconds since 1970. Earlier times are negative.
    # @return [Integer]
    attr_reader :sec
    # Returns the nanoseconds, normally 0 to 999_999_999.
    # @return [Integer]
    attr_reader :nsec

    # Returns the Timestamp for a payload.
    # @param payload [String]
    # @return [Timestamp]
    # @raise [MalformedFormatError] if the payload is not 4, 8 or 12 bytes long
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

    # Returns the shortest payload for a time.
    # @return [String] a binary String
    # @raise [ArgumentError] if nsec is negative, or is one second or more; a payload of 8 bytes has
    #   only 30 bits for nanoseconds
    # @raise [RangeError] if sec does not fit into a signed 64-bit integer
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

    # Creates a Timestamp. Accepts an nsec of one second or more, because a payload may contain one.
    # to_msgpack_ext rejects such an nsec.
    def initialize(sec, nsec)
      @sec = sec
      @nsec = nsec
    end

    # Returns the payload of this Timestamp.
    # @return [String] see Timestamp.to_msgpack_ext
    # @raise [ArgumentError, RangeError] see Timestamp.to_msgpack_ext
    def to_msgpack_ext
      self.class.to_msgpack_ext(sec, nsec)
    end

    # Reports whether other is a Timestamp with the same seconds and nanoseconds.
    # @return [Boolean]
    def ==(other)
      other.class == self.class && other.sec == sec && other.nsec == nsec
    end
  end
end
