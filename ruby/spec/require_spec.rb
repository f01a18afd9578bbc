# frozen_string_literal: true

require "open3"
require "rbconfig"
require "tmpdir"

# What can be required, and what it does beside another msgpack gem.
RSpec.describe "require", :ours do
  # What a process prints that has nothing loaded yet.
  def fresh(script)
    out, status = Open3.capture2e(RbConfig.ruby, "-w", "-I", LIB, "-e", script)
    raise out unless status.success?

    out
  end

  %w[msgpack slipstream/msgpack].each do |name|
    it("#{name} gives everything") { expect(fresh("require #{name.inspect}; print [1].to_msgpack.unpack1('H*')")).to eq("9101") }
  end

  Dir.children(File.join(LIB, "msgpack")).map { |file| "msgpack/#{File.basename(file, '.rb')}" }.sort.each do |name|
    it("#{name} can come first") { expect(fresh("require #{name.inspect}; require 'msgpack'; print MessagePack.unpack([1].to_msgpack)")).to eq("[1]") }
  end

  it "slipstream/msgpack keeps another msgpack out, even if that comes first" do
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

  it("tells the version of the gem beside that of the API") { expect(MessagePack::SLIPSTREAM_VERSION).to eq(Gem::Specification.load(File.expand_path("../slipstream-msgpack.gemspec", LIB)).version.to_s) }
end
