# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"

# An application boots with Bundler and bootsnap, and bootsnap requires msgpack. The specs use the
# real Bundler and bootsnap, and the msgpack gem that bootsnap depends on.
RSpec.describe "Booting with bootsnap", :ours do
  installed = %w[bootsnap bundler msgpack].all? { |name| Gem::Specification.find_all_by_name(name).any? }
  abort "bootsnap, bundler or msgpack is missing" if !installed && ENV["SLIPSTREAM_REQUIRE_BOOTSNAP"]
  before { skip "bootsnap, bundler or msgpack is not installed" unless installed }

  around { |example| Dir.mktmpdir { |dir| Dir.chdir(dir) { example.run } } }

  # Runs the script in an application whose Gemfile lists the given gems. Returns its standard
  # output, and the lines of its standard error output that mention msgpack.
  def boot(*gems, script)
    File.write("Gemfile", gems.join("\n"))
    File.write("boot.rb", script)
    out, err, status = Open3.capture3({ "RUBYOPT" => nil, "BUNDLE_GEMFILE" => nil }, RbConfig.ruby, "-w", "boot.rb")
    raise "#{status}: #{err}" unless status.success?

    [out, err.lines.grep(/msgpack|MessagePack/).join]
  end

  slipstream = %(gem "slipstream-msgpack", path: #{File.expand_path("..", LIB).inspect})
  bootsnap = %(gem "bootsnap")
  setup = <<~RUBY
    require "bootsnap"
    Bootsnap.setup(cache_dir: File.expand_path("cache"), development_mode: true, load_path_cache: true,
                   compile_cache_iseq: true, compile_cache_yaml: true)
  RUBY
  # Each of these statements mixes the two libraries, or fails, if both are loaded.
  work = <<~RUBY
    require "msgpack"
    require "msgpack/bigint"
    require "msgpack/timestamp"
    Bundler.require
    require "yaml"
    File.write("a.yml", "a: [1, 2]")
    2.times { raise unless YAML.load_file("a.yml") == { "a" => [1, 2] } } # uses bootsnap's cache in MessagePack
    factory = MessagePack::Factory.new
    factory.register_type(1, Symbol)
    raise unless factory.load(factory.dump([:a])) == [:a]
    raise unless MessagePack::Bigint.from_msgpack_ext(MessagePack::Bigint.to_msgpack_ext(2**70)) == 2**70
    raise unless MessagePack.unpack({ "a" => 1.5 }.to_msgpack) == { "a" => 1.5 }
    puts defined?(MessagePack::SLIPSTREAM_VERSION) ? "slipstream" : "msgpack"
  RUBY

  [[slipstream, bootsnap], [bootsnap, slipstream]].each_with_index do |gems, i|
    it "uses slipstream-msgpack alone if it is required before bootsnap (Gemfile #{i})" do
      2.times do # the second run uses bootsnap's cache
        out, err = boot(*gems, %(require "bundler/setup"; require "slipstream/msgpack"; #{setup}; #{work}))
        expect([out, err]).to eq(["slipstream\n", ""])
      end
    end

    it "uses the msgpack gem alone if bootsnap comes first, and warns once (Gemfile #{i})" do
      2.times do
        out, err = boot(*gems, %(require "bundler/setup"; #{setup}; #{work}; require "slipstream/msgpack"))
        expect(out).to eq("msgpack\n")
        expect(err.scan("slipstream-msgpack is not used").size).to eq(1)
        expect(err.lines.size).to eq(1)
      end
    end
  end

  it "uses slipstream-msgpack alone with a gem msgpack that depends on it, in any require order" do
    gems = [%(gem "msgpack", path: #{File.expand_path("../../compat/ruby", LIB).inspect}), slipstream, bootsnap]
    [setup, %(require "msgpack"; #{setup}), %(require "slipstream/msgpack"; #{setup})].each do |first|
      expect(boot(*gems, %(require "bundler/setup"; #{first}; #{work}))).to eq(["slipstream\n", ""])
    end
  end

  it "uses slipstream-msgpack without Bundler if it is required first" do
    script = %($LOAD_PATH.unshift(#{LIB.inspect}); require "slipstream/msgpack"; #{setup}; Bundler = Module.new { def self.require = nil }; #{work})
    expect(boot(script)).to eq(["slipstream\n", ""])
  end

  it "loads no file of slipstream-msgpack if the msgpack gem is already loaded" do
    out, = boot(<<~RUBY)
      gem "msgpack"
      require "msgpack"
      begin
        require #{File.join(LIB, "msgpack/pool").inspect}
      rescue LoadError => error
        puts error.message
      end
    RUBY
    expect(out).to start_with("slipstream-msgpack is not used: the msgpack gem was loaded first, from ")
  end
end
