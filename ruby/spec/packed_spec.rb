# frozen_string_literal: true

begin
  require "rbs"
rescue LoadError
  nil # rbs is part of Ruby, but some packages omit it
end

# sig/msgpack.rbs declares exactly the public methods. `rbs -I sig validate` checks that the types
# in it exist.
RSpec.describe "sig/msgpack.rbs", :ours do
  before { skip "rbs is not installed" unless defined?(RBS) }

  # Returns the declared method names for each class or module, by its full name: {
  # "MessagePack::Packer" => { instance: [...], singleton: [...] } }.
  def self.declared
    parsed = RBS::Parser.parse_signature(File.read(File.expand_path("../sig/msgpack.rbs", __dir__), encoding: "UTF-8"))
    declarations = parsed.last.is_a?(Array) ? parsed.last : parsed # rbs 3 returns them last, rbs 2 returns only them
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
    internal = %i[register_type_internal registered_types_internal] # exists in the msgpack gem too, where it is not documented

    ours.each do |name|
      it "declares exactly the instance methods of #{name}" do
        methods = Object.const_get(name).public_instance_methods(false) - internal
        expect(found[name][:instance] - [:initialize]).to match_array(methods)
      end
    end

    %w[MessagePack MessagePack::Timestamp MessagePack::Bigint].each do |name|
      it "declares exactly the singleton methods of #{name}" do
        require "msgpack/bigint"
        expect(found[name][:singleton]).to match_array(Object.const_get(name).singleton_methods(false))
      end
    end
  end
end

# Each public method has a YARD comment. Methods of the extension have an @!method comment in the
# Ruby file of their class.
RSpec.describe "Documentation", :ours do
  # Returns the method names that a file documents, with a comment before the definition or with
  # @!method.
  def documented(file)
    text = File.read(File.join(LIB, file), encoding: "UTF-8")
    text.scan(/^ *# @!method (?:self\.)?(\S+?)(?:\(|$)/).flatten + text.scan(/^ *#.*\n *(?:def|alias) (?:self\.)?([^\s(]+)/).flatten
  end

  { "Packer" => "packer", "Unpacker" => "unpacker", "Buffer" => "buffer", "Factory" => "factory", "Factory::Pool" => "pool" }.each do |name, file|
    it "covers the public methods of #{name}" do
      methods = MessagePack.const_get(name).public_instance_methods(false).map(&:to_s) - %w[register_type_internal registered_types_internal]
      expect(methods - documented("msgpack/#{file}.rb")).to eq([])
    end
  end

  it("covers the methods of MessagePack") { expect(MessagePack.singleton_methods(false).map(&:to_s) - documented("msgpack.rb")).to eq([]) }
end

# The packed gem contains the target of each of its relative links.
RSpec.describe "Links of the packed gem", :ours do
  specification = Gem::Specification.load(File.expand_path("../slipstream-msgpack.gemspec", LIB))

  %w[README.md CHANGELOG.md].each do |name|
    it "in #{name} are absolute, or lead to files of the gem" do
      text = File.read(File.expand_path("../#{name}", LIB), encoding: "UTF-8")
      relative = text.scan(/\]\(([^)#]+)/).flatten.reject { |link| link.start_with?("https://") }
      expect(relative - specification.files).to eq([])
    end
  end
end
