# frozen_string_literal: true

require_relative "extension"
require_relative "ext_type"

module MessagePack
  class Packer
    # Packs the objects of a class, of its subclasses, or of all that include a module, as an ext type of this packer.
    #
    # @param type [Integer] -128 to 127; those below 0 are the format's own
    # @param klass [Module]
    # @param method [Symbol, String, #call] the method that gives the payload, or what is called with the object
    # @yield the same, as a block: |object|
    # @return [nil]
    # @raise [RangeError, ArgumentError, ::TypeError] for a type, a class, a method that is none
    # @raise [FrozenError] if the packer is frozen, as those of a Pool are
    def register_type(type, klass, method = :to_msgpack_ext, &block)
      ExtType.unfrozen(self)
      register_type_internal(type, klass, block || ExtType.packer(method))
      nil
    end

    # @return [Array<Hash>] { type:, class:, packer: } of each class, in the order of types
    def registered_types
      registered_types_internal.map { |klass, (type, packer)| { type: type, class: klass, packer: packer } }.sort_by { |entry| entry[:type] }
    end

    # @param klass_or_type [Class, Integer] a class counts if one of its ancestors is registered
    # @raise [ArgumentError] if it is neither
    def type_registered?(klass_or_type)
      ExtType.registered?(registered_types, klass_or_type)
    end
  end
end
