# frozen_string_literal: true

module MessagePack
  # The version of the msgpack gem that has this API. Libraries look here for what they can call.
  VERSION = "1.8.5"

  # The version of the gem slipstream-msgpack. The msgpack gem has no such constant.
  SLIPSTREAM_VERSION = "0.1.0"
end
