# frozen_string_literal: true

module MessagePack
  # Helpers with which Packer, Unpacker and Factory register and list ext types. A packer or an
  # unpacker is specified as a method name, or as an object with #call. A Method is converted to a
  # Proc, because Ractors cannot share Methods.
  module ExtType
    # Returns the callable that packs objects of an ext type.
    # @param given [Symbol, String, #call, nil] a name refers to a method of the packed objects
    # @return [#call, nil]
    # @raise [::TypeError] if given is neither a name nor a callable nor nil
    def self.packer(given)
      named?(given) ? given.to_sym.to_proc : callable(given, :packer)
    end

    # Returns the callable that unpacks an ext type.
    # @param given [Symbol, String, #call, nil] a name refers to a singleton method of klass
    # @return [#call, nil]
    # @raise [NameError] if klass has no such method
    # @raise [::TypeError] if given is neither a name nor a callable nor nil
    def self.unpacker(given, klass)
      named?(given) ? klass.method(given).to_proc : callable(given, :unpacker)
    end

    # Reports whether entries contain a type number, or a class or one of its ancestors.
    # @param entries [Array<Hash>] the return value of registered_types; an entry without a class
    #   has a nil class
    # @raise [ArgumentError] if klass_or_type is neither a Module nor an Integer
    def self.registered?(entries, klass_or_type)
      case klass_or_type
      when Module then entries.any? { |entry| entry[:class] && klass_or_type <= entry[:class] }
      when Integer then entries.any? { |entry| entry[:type] == klass_or_type }
      else raise ArgumentError, "class or type id"
      end
    end

    # Raises if receiver is frozen. Callers call unfrozen first, so FrozenError takes precedence
    # over errors in arguments.
    # @raise [FrozenError]
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
