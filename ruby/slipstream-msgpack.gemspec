# frozen_string_literal: true

Gem::Specification.new do |gem|
  gem.name = "slipstream-msgpack"
  # Read the version from the file instead of requiring the file: Bundler evaluates this gemspec in
  # processes that may load the msgpack gem afterwards.
  gem.version = File.read(File.join(__dir__, "lib/msgpack/version.rb"))[/SLIPSTREAM_VERSION = "(.+)"/, 1]
  gem.authors = ["The Slipstream maintainers"]
  gem.summary = "MessagePack, in the place of the msgpack gem and faster"
  gem.description = "The API of the msgpack gem 1.8.5: faster both ways, a skip that makes no objects, limits for input from " \
                    "outside, Ractors. It takes the place of the msgpack gem by require \"msgpack\"."
  gem.homepage = "https://github.com/slipstream-go/slipstream"
  gem.license = "Apache-2.0"
  gem.required_ruby_version = ">= 3.1"
  gem.metadata = { "source_code_uri" => gem.homepage, "rubygems_mfa_required" => "true" }

  gem.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb", "ext/**/*.{c,h,rb}", "sig/**/*.rbs", ".yardopts", "README.md", "CHANGELOG.md", "LICENSE"] }
  gem.extensions = ["ext/slipstream_msgpack/extconf.rb"]
end
