# frozen_string_literal: true

require "slipstream/msgpack/slipstream_msgpack"
