# frozen_string_literal: true

module MessagePack
  # What packers, unpackers and factories ask when an ext type is registered, and when they tell which are. What packs or unpacks is given as a
  # name, or as anything with #call. A Method becomes a Proc, since Ractors share no Method.
  module ExtType
    # @param given [Symbol, String, #call, nil] a name is that of a method of the objects that are packed
    # @return [#call, nil]
    # @raise [::TypeError]
    def self.packer(given)
      named?(given) ? given.to_sym.to_proc : callable(given, :packer)
    end

    # @param given [Symbol, String, #call, nil] a name is that of a method of the class
    # @return [#call, nil]
    # @raise [NameError] if the class has no such method
    # @raise [::TypeError]
    def self.unpacker(given, klass)
      named?(given) ? klass.method(given).to_proc : callable(given, :unpacker)
    end

    # @param entries [Array<Hash>] as registered_types gives them; class is nil if there is none
    def self.registered?(entries, klass_or_type)
      case klass_or_type
      when Class then entries.any? { |entry| entry[:class] && klass_or_type <= entry[:class] }
      when Integer then entries.any? { |entry| entry[:type] == klass_or_type }
      else raise ArgumentError, "class or type id"
      end
    end

    # @raise [FrozenError] before any other error of an argument
    def self.unfrozen(receiver)
      raise FrozenError.new("can't modify frozen #{receiver.class}", receiver: receiver) if receiver.frozen?
    end

    def self.named?(given) = given.is_a?(Symbol) || given.is_a?(String)

    def self.callable(given, side)
      return given.to_proc if given.is_a?(Method)
      return given if given.nil? || given.respond_to?(:call)

      raise ::TypeError, "expected :#{side} argument to be a callable object, got: #{given.inspect}"
    end
    private_class_method :named?, :callable
  end
  private_constant :ExtType
end
