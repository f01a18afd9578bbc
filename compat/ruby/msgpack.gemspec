# frozen_string_literal: true

# An empty gem named msgpack that depends on slipstream-msgpack. Use it in bundles where other gems
# depend on msgpack. It is not published: put it on a private gem server, or use `path:` in the
# Gemfile.
Gem::Specification.new do |gem|
  gem.name = "msgpack"
  gem.version = "1.8.5" # the API version; dependent gems require this version or an earlier one
  gem.authors = ["The Slipstream maintainers"]
  gem.summary = "The msgpack gem, by slipstream-msgpack"
  gem.description = "Depends on slipstream-msgpack, which has the API of the msgpack gem and the file msgpack.rb; contains no file itself."
  gem.homepage = "https://github.com/slipstream-go/slipstream"
  gem.license = "Apache-2.0"
  gem.required_ruby_version = ">= 3.1"
  gem.metadata = { "allowed_push_host" => "none", "rubygems_mfa_required" => "true" }
  gem.files = [] # slipstream-msgpack contains msgpack.rb
  gem.add_dependency "slipstream-msgpack", ">= 0.1"
end
