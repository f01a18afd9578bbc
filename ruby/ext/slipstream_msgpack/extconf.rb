# frozen_string_literal: true

require "mkmf"

abort "slipstream-msgpack is a C extension of CRuby; #{RUBY_ENGINE} is another engine" unless RUBY_ENGINE == "ruby"

# -O3 speeds up the loops. -fvisibility=hidden avoids the procedure linkage table for calls between
# our files. -fno-strict-aliasing is required, because the code reads and writes bytes as words.
append_cflags(%w[-O3 -std=gnu11 -fvisibility=hidden -fno-strict-aliasing -Wall -Wextra -Wno-unused-parameter])
append_cflags(ENV["SLIPSTREAM_CFLAGS"].split) if ENV["SLIPSTREAM_CFLAGS"]
append_ldflags(ENV["SLIPSTREAM_LDFLAGS"].split) if ENV["SLIPSTREAM_LDFLAGS"]

have_func("rb_hash_new_capa", "ruby.h") # exists in Ruby 3.2 and later

create_makefile("slipstream/msgpack/slipstream_msgpack")
