# frozen_string_literal: true

require "open3"
require "rbconfig"
require "tmpdir"

# The files that can be required, and their behaviour with another msgpack gem.
RSpec.describe "require", :ours do
  # Returns the output of a script in a new process that has nothing loaded.
  def fresh(script)
    out, status = Open3.capture2e(RbConfig.ruby, "-w", "-I", LIB, "-e", script)
    raise out unless status.success?

    out
  end

  %w[msgpack slipstream/msgpack].each do |name|
    it("#{name} loads everything") { expect(fresh("require #{name.inspect}; print [1].to_msgpack.unpack1('H*')")).to eq("9101") }
  end

  Dir.children(File.join(LIB, "msgpack")).map { |file| "msgpack/#{File.basename(file, '.rb')}" }.sort.each do |name|
    it("#{name} can be required first") { expect(fresh("require #{name.inspect}; require 'msgpack'; print MessagePack.unpack([1].to_msgpack)")).to eq("[1]") }
  end

  it "slipstream/msgpack prevents another msgpack from loading, even one earlier in the load path" do
    Dir.mktmpdir do |other|
      FileUtils.mkdir(File.join(other, "msgpack"))
      %w[msgpack.rb msgpack/factory.rb msgpack/timestamp.rb].each { |file| File.write(File.join(other, file), "abort 'the other one'") }
      expect(fresh(<<~RUBY)).to eq("[false, false, false]")
        require "slipstream/msgpack"
        $LOAD_PATH.unshift(#{other.inspect})
        print [require("msgpack"), require("msgpack/factory"), require("msgpack/timestamp")]
      RUBY
    end
  end

  it("defines the version of the gem in addition to the version of the API") { expect(MessagePack::SLIPSTREAM_VERSION).to eq(Gem::Specification.load(File.expand_path("../slipstream-msgpack.gemspec", LIB)).version.to_s) }
end
