# frozen_string_literal: true

require_relative "../slipstream/only"

# The C extension defines the classes of MessagePack. If the msgpack gem were already loaded, the
# extension would reopen its classes and mix both libraries. Slipstream::Only.check raises LoadError
# in that case.
Slipstream::Only.check
require_relative "version"
require "slipstream/msgpack/slipstream_msgpack"
