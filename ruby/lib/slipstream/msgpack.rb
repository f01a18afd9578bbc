# frozen_string_literal: true

# The library by a name that no other gem has. `require "msgpack"` gives nothing else afterwards, even where the msgpack gem comes first on
# the load path: Ruby takes for loaded what was loaded from any directory of it.
require_relative "../msgpack"
