# frozen_string_literal: true

# The module's constants and errors, and the constants that need another require.
RSpec.describe MessagePack do
  it("has the version of the API that it implements") { expect(MessagePack::VERSION).to match(/\A1\.8\.\d+/) }

  {
    Buffer: Class, Packer: Class, Unpacker: Class, Factory: Class, Timestamp: Class, ExtensionValue: Class, CoreExt: Module, Time: Module, TypeError: Module
  }.each do |name, kind|
    it("has #{name}, a #{kind}") { expect(MessagePack.const_get(name)).to be_an_instance_of(kind) }
  end

  it("has Factory::Pool") { expect(MessagePack::Factory::Pool).to be_a(Class) }
  it("has Time::Packer and Time::Unpacker") { expect([MessagePack::Time::Packer, MessagePack::Time::Unpacker]).to all(respond_to(:call)) }
  it "has a DefaultFactory without registered types" do
    expect([MessagePack::DefaultFactory.class, MessagePack::DefaultFactory.registered_types]).to eq([MessagePack::Factory, []])
  end
  it "has Bigint only after a require of msgpack/bigint" do
    expect(child('print MessagePack.const_defined?(:Bigint), require("msgpack/bigint"), MessagePack.const_defined?(:Bigint)')).to eq("falsetruetrue")
  end

  describe "errors" do
    { UnpackError: ::StandardError, MalformedFormatError: MessagePack::UnpackError, StackError: MessagePack::UnpackError, UnexpectedTypeError: MessagePack::UnpackError,
      UnknownExtTypeError: MessagePack::UnpackError }.each do |name, parent|
      it("#{name} is a #{parent}") { expect(MessagePack.const_get(name).superclass).to eq(parent) }
    end

    it("LimitError is an UnpackError", :ours) { expect(MessagePack::LimitError.superclass).to eq(MessagePack::UnpackError) }
    it "only UnexpectedTypeError is a MessagePack::TypeError" do
      expect(MessagePack::UnexpectedTypeError.include?(MessagePack::TypeError)).to be(true)
    end

    it "no other error is a MessagePack::TypeError" do
      others = [MessagePack::UnpackError, MessagePack::MalformedFormatError, MessagePack::StackError, MessagePack::UnknownExtTypeError]
      expect(others.map { |error| error.include?(MessagePack::TypeError) }).to all(be(false))
    end
  end

  it("uses the types of DefaultFactory in pack, unpack and to_msgpack") do
    expect(child(<<~'RUBY')).to eq("#{%w[c70305312d32 c70305312d32 91c70305312d32 1-2 1-2].inspect}\n")
      MessagePack::DefaultFactory.register_type(5, Range, packer: ->(range) { "#{range.begin}-#{range.end}" }, unpacker: ->(bytes) { bytes })
      bytes = MessagePack.pack(1..2)
      p [bytes, MessagePack::DefaultFactory.dump(1..2), [1..2].to_msgpack].map { |b| b.unpack1("H*") } + [MessagePack.unpack(bytes), MessagePack.load(bytes)]
    RUBY
  end
end
