# frozen_string_literal: true

require "mkmf"

abort "slipstream-msgpack is a C extension of CRuby; #{RUBY_ENGINE} is another engine" unless RUBY_ENGINE == "ruby"

# -O3 for the loops; what other files need not see is hidden, so that calls between our files need no table. Optimizers may not take two pointers of
# unlike types for different memory, because bytes are read and written as words.
append_cflags(%w[-O3 -std=gnu11 -fvisibility=hidden -fno-strict-aliasing -Wall -Wextra -Wno-unused-parameter])
append_cflags(ENV["SLIPSTREAM_CFLAGS"].split) if ENV["SLIPSTREAM_CFLAGS"]
append_ldflags(ENV["SLIPSTREAM_LDFLAGS"].split) if ENV["SLIPSTREAM_LDFLAGS"]

have_func("rb_hash_new_capa", "ruby.h") # from Ruby 3.2 on

create_makefile("slipstream/msgpack/slipstream_msgpack")
