# frozen_string_literal: true

# The specs of the gem. `rspec` in ruby/ holds lib/ to them. `PEER=1 rspec` holds an installed msgpack gem (1.8) to them instead; what
# we do otherwise by decision, and what we have and it has not, is tagged :ours and left out then. `PEER=1 rspec --tag ours` runs
# just those, and each should fail: an example that passes there says nothing of its own, and needs no tag.

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

  # Random data are of the run's seed, so that --seed brings them back.
  Kernel.srand config.seed
end
