# frozen_string_literal: true

require_relative "../slipstream/load_guard"

# The C extension defines the classes of MessagePack. If the msgpack gem were already loaded, the
# extension would reopen its classes and mix both libraries. In that case, LoadGuard.check raises
# LoadError.
Slipstream::LoadGuard.check
require_relative "version"
require "slipstream/msgpack/slipstream_msgpack"
