# frozen_string_literal: true

require_relative "timestamp"

module MessagePack
  # Contains the procs that register Time as the timestamp type. Factory#register_time uses them.
  # The following call is equivalent:
  #
  #   factory.register_type(-1, Time, packer: MessagePack::Time::Packer, unpacker:
  #   MessagePack::Time::Unpacker)
  #
  # In both cases, C code packs and unpacks the timestamps, with the same results but without
  # calling the procs.
  module Time
    # Converts a payload to a Time in the local time zone. If the nanoseconds are one second or
    # more, adds whole seconds to the seconds.
    Unpacker = Ractor.make_shareable(lambda do |payload|
      timestamp = Timestamp.from_msgpack_ext(payload)
      ::Time.at(timestamp.sec, timestamp.nsec, :nanosecond)
    end)

    # Converts a Time to a payload. Drops fractions of a nanosecond.
    Packer = Ractor.make_shareable(->(time) { Timestamp.to_msgpack_ext(time.to_i, time.nsec) })
  end
end
