# frozen_string_literal: true

require_relative "extension"
require_relative "ext_type"

module MessagePack
  class Unpacker
    # Unpacks an ext type by a block, or by a method of a class. Which class that is tells registered_types, and does nothing else.
    #
    # @overload register_type(type) { |payload| object }
    # @overload register_type(type, klass, method)
    # @param type [Integer] -128 to 127
    # @param method [Symbol, String, #call] the method of klass that makes an object of the payload, or what is called with it. The
    #   payload is a binary String
    # @return [nil]
    # @raise [ArgumentError, RangeError, NameError]
    # @raise [FrozenError] if the unpacker is frozen, as those of a Pool are
    def register_type(type, klass = nil, method = nil, &block)
      ExtType.unfrozen(self)
      raise ArgumentError, "register_type takes a block, or a class and a method" unless block || (klass && method)

      register_type_internal(type, klass, block || ExtType.unpacker(method, klass))
      nil
    end

    # @return [Array<Hash>] { type:, class: (or nil), unpacker: } of each type, in order
    def registered_types
      registered_types_internal.map { |type, (klass, unpacker)| { type: type, class: klass, unpacker: unpacker } }.sort_by { |entry| entry[:type] }
    end

    # @param klass_or_type [Class, Integer] a class counts if one of its ancestors is registered
    # @raise [ArgumentError] if it is neither
    def type_registered?(klass_or_type)
      ExtType.registered?(registered_types, klass_or_type)
    end
  end
end
