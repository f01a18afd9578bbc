# frozen_string_literal: true

require_relative "../slipstream/only"

# The extension defines the classes of MessagePack. On top of the classes of the msgpack gem it would mix both libraries.
Slipstream::Only.check
require_relative "version"
require "slipstream/msgpack/slipstream_msgpack"
