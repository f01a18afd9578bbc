# frozen_string_literal: true

# MessagePack for Ruby. The codec is the extension in ext/slipstream_msgpack: Packer, Unpacker, Buffer, the core of Factory and
# DefaultFactory, the errors, and MessagePack.pack, dump, unpack, load and count. What takes no time is Ruby:
#
#   msgpack/version.rb      which API this is, and which version of the gem
#   msgpack/factory.rb      registration of ext types for packers and unpackers alike
#   msgpack/pool.rb         packers and unpackers that are used again
#   msgpack/packer.rb, msgpack/unpacker.rb     registration of ext types for one of them
#   msgpack/ext_type.rb     what is given there, and told of it
#   msgpack/extension_value.rb, msgpack/timestamp.rb, msgpack/time.rb, msgpack/symbol.rb     ext values
#   msgpack/bigint.rb       the same of large Integers, by its own require
#   msgpack/core_ext.rb     to_msgpack of Ruby's own classes
#   slipstream/only.rb      what keeps the msgpack gem and this library apart
require_relative "slipstream/only"
return unless Slipstream::Only.may_load?

require_relative "msgpack/extension"
require_relative "msgpack/packer"
require_relative "msgpack/unpacker"
require_relative "msgpack/factory"
require_relative "msgpack/pool"
require_relative "msgpack/extension_value"
require_relative "msgpack/timestamp"
require_relative "msgpack/time"
require_relative "msgpack/symbol"
require_relative "msgpack/core_ext"

Slipstream::Only.keep_out_others
