# frozen_string_literal: true

begin
  require "rbs"
rescue LoadError
  nil # rbs comes with Ruby, but some packages leave it out
end

# sig/msgpack.rbs names each public method, and no other. `rbs -I sig validate` checks that its types are there.
RSpec.describe "sig/msgpack.rbs", :ours do
  before { skip "rbs is not installed" unless defined?(RBS) }

  # Names of methods by the full name of a class or module: { "MessagePack::Packer" => { instance: [...], singleton: [...] } }.
  def self.declared
    parsed = RBS::Parser.parse_signature(File.read(File.expand_path("../sig/msgpack.rbs", __dir__), encoding: "UTF-8"))
    declarations = parsed.last.is_a?(Array) ? parsed.last : parsed # rbs 3 has them last, rbs 2 alone
    names = Hash.new { |hash, name| hash[name] = { instance: [], singleton: [] } }
    walk = lambda do |outer, declaration|
      next unless declaration.is_a?(RBS::AST::Declarations::Class) || declaration.is_a?(RBS::AST::Declarations::Module)

      name = [outer, declaration.name.to_s].compact.join("::")
      declaration.members.each { |member| member.respond_to?(:members) ? walk.call(name, member) : note(names[name], member) }
    end
    declarations.each { |declaration| walk.call(nil, declaration) }
    names
  end

  def self.note(names, member)
    case member
    when RBS::AST::Members::MethodDefinition
      names[:instance] << member.name if member.kind == :instance
      names[:singleton] << member.name unless member.kind == :instance
    when RBS::AST::Members::Alias then names[member.kind] << member.new_name
    when RBS::AST::Members::AttrReader then names[:instance] << member.name
    when RBS::AST::Members::AttrAccessor then names[:instance].push(member.name, :"#{member.name}=")
    end
  end

  if defined?(RBS)
    found = declared
    ours = %w[Packer Unpacker Buffer Factory Factory::Pool ExtensionValue Timestamp CoreExt].map { |name| "MessagePack::#{name}" }
    internal = %i[register_type_internal registered_types_internal] # as in the msgpack gem, and undocumented there too

    ours.each do |name|
      it "names the methods of #{name}" do
        methods = Object.const_get(name).public_instance_methods(false) - internal
        expect(found[name][:instance] - [:initialize]).to match_array(methods)
      end
    end

    %w[MessagePack MessagePack::Timestamp MessagePack::Bigint].each do |name|
      it "names the methods of #{name} itself" do
        require "msgpack/bigint"
        expect(found[name][:singleton]).to match_array(Object.const_get(name).singleton_methods(false))
      end
    end
  end
end

# Each public method has a comment for YARD: those of the extension by @!method, in the Ruby file of their class.
RSpec.describe "Documentation", :ours do
  # Names that a file documents: after a comment, or in one.
  def documented(file)
    text = File.read(File.join(LIB, file), encoding: "UTF-8")
    text.scan(/^ *# @!method (?:self\.)?(\S+?)(?:\(|$)/).flatten + text.scan(/^ *#.*\n *(?:def|alias) (?:self\.)?([^\s(]+)/).flatten
  end

  { "Packer" => "packer", "Unpacker" => "unpacker", "Buffer" => "buffer", "Factory" => "factory", "Factory::Pool" => "pool" }.each do |name, file|
    it "names the methods of #{name}" do
      methods = MessagePack.const_get(name).public_instance_methods(false).map(&:to_s) - %w[register_type_internal registered_types_internal]
      expect(methods - documented("msgpack/#{file}.rb")).to eq([])
    end
  end

  it("names the methods of MessagePack") { expect(MessagePack.singleton_methods(false).map(&:to_s) - documented("msgpack.rb")).to eq([]) }
end

# What the packed gem links to is in it.
RSpec.describe "Links of the packed gem", :ours do
  specification = Gem::Specification.load(File.expand_path("../slipstream-msgpack.gemspec", LIB))

  %w[README.md CHANGELOG.md].each do |name|
    it "are there, or absolute: #{name}" do
      text = File.read(File.expand_path("../#{name}", LIB), encoding: "UTF-8")
      relative = text.scan(/\]\(([^)#]+)/).flatten.reject { |link| link.start_with?("https://") }
      expect(relative - specification.files).to eq([])
    end
  end
end
