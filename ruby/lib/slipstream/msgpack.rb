# frozen_string_literal: true

# Loads this library under a name that no other gem uses. Afterwards, `require "msgpack"` does not
# load the msgpack gem, even if that gem precedes this one in the load path. Ruby treats a feature
# as loaded if it was loaded from any directory of the load path.
require_relative "../msgpack"
