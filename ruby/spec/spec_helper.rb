# frozen_string_literal: true

# The specs of the gem. `rspec` in ruby/ runs them on lib/. `PEER=1 rspec` runs them on an installed
# msgpack gem (1.8) instead, without the examples that have the tag :ours. The tag marks deliberate
# differences from the msgpack gem, and features that only this gem has. `PEER=1 rspec --tag ours`
# runs only the tagged examples, and all of them should fail. An example that passes does not need
# the tag, because it does not test a difference.

require "objspace"
require "set"
require "stringio"
require "tempfile"

PEER = !ENV["PEER"].to_s.empty?
LIB = File.expand_path("../lib", __dir__)

$LOAD_PATH.delete(LIB)
if PEER
  gem "msgpack", ">= 1.8"
else
  $LOAD_PATH.unshift(LIB)
end
require "msgpack"

abort "#{PEER ? 'slipstream-msgpack' : 'the msgpack gem'} was loaded" if MessagePack.const_defined?(:SLIPSTREAM) == PEER

Dir[File.expand_path("support/*.rb", __dir__)].sort.each { |file| require file }

RSpec.configure do |config|
  config.include Bytes
  config.include Child
  config.include Objects

  config.expect_with(:rspec) { |expectations| expectations.syntax = :expect }
  config.disable_monkey_patching!
  config.filter_run_excluding :ours if PEER

  # Random data uses the seed of the run, so that --seed reproduces it.
  Kernel.srand config.seed
end
