# frozen_string_literal: true

# Runs the Ruby of README.md from top to bottom, with the gem that is installed, and holds each `expression # => value` and each
# `expression # raises Error` to what it says.

README = File.expand_path("../README.md", __dir__)

def check(line, value, expected)
  abort "README.md:#{line}: #{value.inspect}, and not #{expected.inspect}" unless value == expected
end

def refuse(line, error)
  yield
  abort "README.md:#{line}: no #{error}"
rescue error
  nil
end

ruby = false
script = File.readlines(README, encoding: "UTF-8").map.with_index(1) do |text, line|
  fence = text.start_with?("```")
  ruby = fence && text == "```ruby\n" if fence
  next "\n" if fence || !ruby

  case text
  when /\A(.+) # => (.+)$/ then "check(#{line}, (#{$1}), (#{$2}))\n"
  when /\A(.+) # raises (.+)$/ then "refuse(#{line}, #{$2}) { #{$1} }\n"
  else text
  end
end
TOPLEVEL_BINDING.eval(script.join, README)
puts "README.md does what it says, with slipstream-msgpack #{MessagePack::SLIPSTREAM_VERSION}: #{$LOADED_FEATURES.grep(%r{/msgpack\.rb\z}).first}"
