# frozen_string_literal: true

require_relative "extension"
require_relative "ext_type"
require_relative "time"

module MessagePack
  # Holds ext types, and makes packers and unpackers that know them.
  class Factory
    # @!method packer(io = nil, options = {})
    #   @return [Packer] with the types that are registered now; for the arguments see Packer.new
    # @!method unpacker(io = nil, options = {})
    #   @return [Unpacker] likewise
    # @!method dump(object, io = nil, options = {})
    #   Also named pack. Without an io it makes no Packer.
    #   @return [String, nil] binary; nil if there is an io, which was written to
    #   @raise as Packer#write
    # @!method pack(object, io = nil, options = {})
    #   @see #dump
    # @!method load(source, options = {})
    #   Also named unpack.
    #   @param source [String, #read] of one object, and nothing after it
    #   @return the object
    #   @raise [EOFError, UnpackError]
    # @!method unpack(source, options = {})
    #   @see #load
    # @!method freeze
    #   @return [Factory] self, which takes no more types. Threads may share it, and Ractors if its methods are shareable

    DEFAULT_METHODS = { packer: :to_msgpack_ext, unpacker: :from_msgpack_ext }.freeze

    # What the extension is told of an ext type besides.
    RECURSIVE = 1 # the methods get a packer and an unpacker
    OVERSIZED = 2 # only Integers beyond 64 bits are packed so
    SYMBOL = 4    # the payload is the name of a Symbol, and the extension writes and reads it itself
    TIME = 8      # likewise, the timestamp of a Time
    private_constant :DEFAULT_METHODS, :RECURSIVE, :OVERSIZED, :SYMBOL, :TIME

    # Registers an ext type for packers and unpackers that are made from now on.
    #
    # @param type [Integer] -128 to 127; those below 0 are the format's own
    # @param klass [Module] whose objects, and those of its subclasses, are packed
    # @param options [Hash] without any, the methods are to_msgpack_ext and from_msgpack_ext; of given options those that are missing are nil:
    # @option options [Symbol, String, #call, nil] :packer the method that gives the payload, or what is called with the object; nil: none
    # @option options [Symbol, String, #call, nil] :unpacker the method of klass that makes an object of the payload, or what is called with it
    # @option options [Boolean] :recursive the packer is called with |object, packer| and writes into that; the unpacker with |unpacker| and reads
    # @option options [Boolean] :oversized_integer_extension of Integer: only for those beyond 64 bits; oversized_integer_extension_type is the same
    # @option options [Boolean] :optimized_symbols_parsing of Symbol: the payload is the name, and no method is called to read it
    # @return [nil]
    # @raise [FrozenError] if the factory is frozen
    # @raise [RangeError, ArgumentError, NameError, ::TypeError] for a type, a class, a method that is none
    def register_type(type, klass, options = DEFAULT_METHODS)
      ExtType.unfrozen(self)
      raise ArgumentError, "expected Module/Class but found #{klass.class}." unless klass.is_a?(Module)

      packer, unpacker = options.values_at(:packer, :unpacker)
      unpacker ||= :from_msgpack_ext if names?(klass, options)
      register_type_internal(type, klass, ExtType.packer(packer), ExtType.unpacker(unpacker, klass), flags(klass, options))
      nil
    end

    # Registers Time as the format's timestamp, type -1: nanoseconds are kept, the zone is not.
    # @return [nil]
    # @raise [FrozenError] if the factory is frozen
    def register_time
      register_type(Timestamp::TYPE, ::Time, packer: Time::Packer, unpacker: Time::Unpacker)
    end

    # @param selector [:both, :packer, :unpacker]
    # @return [Array<Hash>] { type:, class:, packer:, unpacker: } in the order of types; of :packer or :unpacker without the other
    # @raise [ArgumentError] for another selector
    def registered_types(selector = :both)
      packers, unpackers = registered_types_internal
      packing = packers.map { |klass, (type, packer)| { type: type, class: klass, packer: packer } }
      unpacking = unpackers.map { |type, (klass, unpacker)| { type: type, class: klass, unpacker: unpacker } }
      entries =
        case selector
        when :packer then packing
        when :unpacker then unpacking
        when :both then pairs(packing, unpacking)
        else raise ArgumentError, "invalid selector #{selector}"
        end
      entries.sort_by { |entry| entry[:type] }
    end

    # @param klass_or_type [Class, Integer] a class counts if one of its ancestors is registered
    # @raise [ArgumentError] if it is neither, and for another selector
    def type_registered?(klass_or_type, selector = :both)
      ExtType.registered?(registered_types(selector), klass_or_type)
    end

    # @param size [Integer] how many packers, and how many unpackers, are kept. More are made where more are in use: nobody waits
    # @param options [Hash] of packers and unpackers
    # @return [Pool] which has the types that are registered now
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

    # name? tells whether a packer of Symbols gives no more than their name. Symbol#to_msgpack_ext does, unless somebody has redefined it.
    def name?(packer)
      packer.is_a?(::Symbol) && ::Symbol.method_defined?(packer) && ::Symbol.instance_method(packer) == ::Symbol.instance_method(:name)
    end

    # pairs makes one entry of those of the same type and class.
    def pairs(packing, unpacking)
      both = [*packing, *unpacking].group_by { |entry| entry.values_at(:type, :class) }.values
      both.map { |entries| { type: nil, class: nil, packer: nil, unpacker: nil }.merge(*entries) }
    end
  end
end
