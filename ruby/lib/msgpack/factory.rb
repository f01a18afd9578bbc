# frozen_string_literal: true

require_relative "extension"
require_relative "ext_type"
require_relative "time"

module MessagePack
  # Registers ext types, and creates packers and unpackers that support them.
  class Factory
    # @!method packer(io = nil, options = {})
    #   Creates a packer with the ext types that are registered at the time of the call. The
    #   arguments are those of Packer.new.
    #   @return [Packer]
    # @!method unpacker(io = nil, options = {})
    #   Creates an unpacker with the ext types that are registered at the time of the call. The
    #   arguments are those of Unpacker.new.
    #   @return [Unpacker]
    # @!method dump(object, io = nil, options = {})
    #   Packs an object. Also named pack. Creates no Packer if io is nil.
    #   @return [String, nil] a binary String, or nil if an io is given
    #   @raise the errors of Packer#write
    # @!method pack(object, io = nil, options = {})
    #   Packs an object.
    #   @see #dump
    # @!method load(source, options = {})
    #   Unpacks the only object in source. Also named unpack.
    #   @param source [String, #read] exactly one object
    #   @return the object
    #   @raise [EOFError, UnpackError]
    # @!method unpack(source, options = {})
    #   Unpacks the only object in source.
    #   @see #load
    # @!method freeze
    #   Freezes the factory; afterwards, no ext types can be registered. Threads may share a frozen
    #   factory. Ractors may share it if its packers and unpackers of ext types are shareable.
    #   @return [Factory] self

    DEFAULT_METHODS = { packer: :to_msgpack_ext, unpacker: :from_msgpack_ext }.freeze

    # Flags of an ext type. The enum in exts.h has the same values.
    RECURSIVE = 1 # the callables receive a Packer or an Unpacker
    OVERSIZED = 2 # the type applies only to Integers of more than 64 bits
    SYMBOL = 4    # the payload is the name of a Symbol; C code writes and reads it
    TIME = 8      # the payload is the timestamp of a Time; C code writes and reads it
    private_constant :DEFAULT_METHODS, :RECURSIVE, :OVERSIZED, :SYMBOL, :TIME

    # Registers an ext type for packers and unpackers that are created after this call. Replaces the
    # packer of the class and the unpacker of the type, or removes them if there are no new ones.
    #
    # @param type [Integer] -128 to 127; the format reserves negative numbers
    # @param klass [Module] the packed objects are instances of this class or of its subclasses, or
    #   include this module
    # @param options [Hash] if omitted, :packer is :to_msgpack_ext and :unpacker is
    #   :from_msgpack_ext; if given, a missing option is nil
    # @option options [Symbol, String, #call, nil] :packer a method of the object that returns the
    #   payload, or a callable that takes the object and returns the payload; nil registers no
    #   packer
    # @option options [Symbol, String, #call, nil] :unpacker a singleton method of klass, or a
    #   callable; it takes the payload and returns the object; nil registers no unpacker
    # @option options [Boolean] :recursive if true, the packer takes the object and a Packer, and
    #   writes the payload to this Packer; the unpacker takes an Unpacker, and reads the payload
    #   from this Unpacker
    # @option options [Boolean] :oversized_integer_extension only for Integer: if true, the type
    #   applies only to Integers of more than 64 bits; oversized_integer_extension_type is an alias
    # @option options [Boolean] :optimized_symbols_parsing only for Symbol: if true, the payload is
    #   the name, and no method is called to unpack it
    # @return [nil]
    # @raise [FrozenError] if the factory is frozen
    # @raise [RangeError, ArgumentError, NameError, ::TypeError] if the type, the class, the packer
    #   or the unpacker is invalid
    def register_type(type, klass, options = DEFAULT_METHODS)
      ExtType.unfrozen(self)
      raise ArgumentError, "expected Module/Class but found #{klass.class}." unless klass.is_a?(Module)

      packer, unpacker = options.values_at(:packer, :unpacker)
      unpacker ||= :from_msgpack_ext if names?(klass, options)
      register_type_internal(type, klass, ExtType.packer(packer), ExtType.unpacker(unpacker, klass), flags(klass, options))
      nil
    end

    # Registers Time as the predefined timestamp type, -1. Preserves nanoseconds, but not the time
    # zone.
    # @return [nil]
    # @raise [FrozenError] if the factory is frozen
    def register_time
      register_type(Timestamp::TYPE, ::Time, packer: Time::Packer, unpacker: Time::Unpacker)
    end

    # Returns the registered ext types, sorted by type.
    # @param selector [:both, :packer, :unpacker] which side to list
    # @return [Array<Hash>] entries { type:, class:, packer:, unpacker: }; the selectors :packer and
    #   :unpacker omit the key of the other side
    # @raise [ArgumentError] for any other selector
    def registered_types(selector = :both)
      packers, unpackers = registered_types_internal
      packing = packers.map { |klass, (type, packer)| { type: type, class: klass, packer: packer } }
      unpacking = unpackers.map { |type, (klass, unpacker)| { type: type, class: klass, unpacker: unpacker } }
      entries =
        case selector
        when :packer then packing.select { |entry| entry[:packer] }
        when :unpacker then unpacking.select { |entry| entry[:unpacker] }
        when :both then pairs(packing, unpacking)
        else raise ArgumentError, "invalid selector #{selector}"
        end
      entries.sort_by { |entry| entry[:type] }
    end

    # Reports whether a class or a type number is registered.
    # @param klass_or_type [Module, Integer] a class is also registered if one of its ancestors is
    # @param selector [:both, :packer, :unpacker] which side to check
    # @raise [ArgumentError] if klass_or_type is neither a Module nor an Integer, or if the selector
    #   is invalid
    def type_registered?(klass_or_type, selector = :both)
      ExtType.registered?(registered_types(selector), klass_or_type)
    end

    # Creates a pool with the ext types that are registered at the time of the call.
    # @param size [Integer] the maximum number of idle packers, and of idle unpackers. If all are in
    #   use, the pool creates more, so callers never wait
    # @param options [Hash] the options of Packer.new and Unpacker.new
    # @return [Pool]
    def pool(size = 1, **options)
      Pool.new(frozen? ? self : dup.freeze, size, options)
    end

    private

    def flags(klass, options)
      flags = 0
      flags |= RECURSIVE if options[:recursive]
      flags |= OVERSIZED if oversized?(klass, options)
      flags |= SYMBOL if names?(klass, options) && name?(options[:packer])
      flags |= TIME if klass == ::Time && options[:packer].equal?(Time::Packer) && options[:unpacker].equal?(Time::Unpacker)
      flags
    end

    def oversized?(klass, options)
      return false unless options[:oversized_integer_extension_type] || options[:oversized_integer_extension]
      return true if klass == ::Integer

      raise ArgumentError, "oversized_integer_extension: true is only for Integer class"
    end

    def names?(klass, options) = klass == ::Symbol && options[:optimized_symbols_parsing]

    # name? reports whether a packer of Symbols is a method that returns only the name.
    # Symbol#to_msgpack_ext is one, unless the program has redefined it.
    def name?(packer)
      packer.is_a?(::Symbol) && ::Symbol.method_defined?(packer) && ::Symbol.instance_method(packer) == ::Symbol.instance_method(:name)
    end

    # pairs merges the packing entry and the unpacking entry of the same type and class.
    def pairs(packing, unpacking)
      both = [*packing, *unpacking].group_by { |entry| entry.values_at(:type, :class) }.values
      both.map { |entries| { type: nil, class: nil, packer: nil, unpacker: nil }.merge(*entries) }
    end
  end
end
