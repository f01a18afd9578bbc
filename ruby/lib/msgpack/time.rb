# frozen_string_literal: true

require_relative "timestamp"

module MessagePack
  # How Time is registered as timestamp: Factory#register_time does it, and so does
  #
  #   factory.register_type(-1, Time, packer: MessagePack::Time::Packer, unpacker: MessagePack::Time::Unpacker)
  #
  # for which the extension does the same without these calls.
  module Time
    # payload → Time, local. Nanoseconds beyond a second are carried.
    Unpacker = Ractor.make_shareable(lambda do |payload|
      timestamp = Timestamp.from_msgpack_ext(payload)
      ::Time.at(timestamp.sec, timestamp.nsec, :nanosecond)
    end)

    # Time → payload. What is less than a nanosecond is dropped.
    Packer = Ractor.make_shareable(->(time) { Timestamp.to_msgpack_ext(time.to_i, time.nsec) })
  end
end
