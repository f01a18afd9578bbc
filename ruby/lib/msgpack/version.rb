# frozen_string_literal: true

module MessagePack
  # The version of the msgpack gem with the same API. Other libraries read it to find out which
  # methods exist.
  VERSION = "1.8.5"

  # The version of the gem slipstream-msgpack. The msgpack gem has no such constant.
  SLIPSTREAM_VERSION = "0.1.0"
end
