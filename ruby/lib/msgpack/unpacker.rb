# frozen_string_literal: true

require_relative "extension"
require_relative "ext_type"

module MessagePack
  # Unpacks objects from bytes that are fed in pieces of any size, or read from an io.
  class Unpacker
    # @!method initialize(io = nil, options = {})
    #   Creates an unpacker.
    #   @param io [#readpartial, #read, nil] the source of missing bytes. A Hash as the only
    #     argument is the options
    #   @option options [Boolean] :symbolize_keys unpacks String keys of maps as Symbols
    #   @option options [Boolean] :freeze freezes all unpacked objects; equal Strings are the same
    #     object
    #   @option options [Boolean] :allow_unknown_ext returns an ExtensionValue instead of raising
    #     UnknownExtTypeError
    #   @option options [Boolean] :key_cache if false, keys of maps are not cached; default true
    #   @option options [Boolean] :transactional if true, an EOFError leaves the unpacker at the
    #     first byte of the object
    #   @option options [Integer] :max_depth maximum levels of nesting, 1 to 1024; default 128
    #   @option options [Integer] :max_str_len, :max_bin_len, :max_ext_len maximum length in bytes;
    #     unlimited by default
    #   @option options [Integer] :max_array_len, :max_map_len maximum number of elements or
    #     entries; unlimited by default
    #   @option options [Integer] :io_buffer_size number of bytes requested from the io at once;
    #     default 32768
    #   @option options [Integer] :read_reference_threshold minimum size in bytes of Strings that
    #     share memory with the fed String; default 256
    #   @raise [ArgumentError] if a limit is out of range
    # @!method symbolize_keys?
    #   Reports whether String keys of maps are unpacked as Symbols.
    #   @return [Boolean]
    # @!method freeze?
    #   Reports whether unpacked objects are frozen.
    #   @return [Boolean]
    # @!method allow_unknown_ext?
    #   Reports whether ext types that are not registered are unpacked as ExtensionValue.
    #   @return [Boolean]
    # @!method transactional?
    #   Reports whether an EOFError leaves the unpacker at the first byte of the object.
    #   @return [Boolean]
    #
    # @!method feed(bytes)
    #   Appends bytes to the buffer. Large Strings are not copied. Later changes to the String do
    #   not affect the unpacker. Also named feed_reference.
    #   @param bytes [String]
    #   @return [Unpacker] self
    # @!method feed_reference(bytes)
    #   Appends bytes to the buffer.
    #   @see #feed
    # @!method read
    #   Unpacks the next object. Also named unpack.
    #   @return the object
    #   @raise [EOFError] if the object is incomplete
    #   @raise [MalformedFormatError, StackError, UnknownExtTypeError, LimitError] all are
    #     UnpackErrors
    # @!method unpack
    #   Unpacks the next object.
    #   @see #read
    # @!method skip
    #   Skips the next object without creating it.
    #   @return [nil]
    #   @raise [EOFError, MalformedFormatError, StackError]
    # @!method skip_nil
    #   Skips the next object only if it is nil. Also named consume_nil.
    #   @return [Boolean] true if the object was nil
    #   @raise [EOFError]
    # @!method consume_nil
    #   Skips the next object only if it is nil.
    #   @see #skip_nil
    # @!method count
    #   Skips all complete objects, and returns their number. The bytes of an incomplete object stay
    #   in the buffer.
    #   @return [Integer]
    # @!method read_raw
    #   Removes the bytes of the next object from the buffer, and returns them.
    #   @return [String] a binary String
    #   @raise [EOFError, MalformedFormatError, StackError, LimitError]
    # @!method peek_type
    #   Returns the type of the next object.
    #   @return [Symbol] :nil, :boolean, :integer, :float, :string, :binary, :array, :map or
    #     :extension
    #   @raise [EOFError]
    # @!method read_array_header
    #   Reads the header of an array. Read the elements next.
    #   @return [Integer] number of elements
    #   @raise [UnexpectedTypeError] if the next object is not an array; its bytes stay in the
    #     buffer
    #   @raise [EOFError]
    # @!method read_map_header
    #   Reads the header of a map. Read the keys and values next.
    #   @return [Integer] number of entries
    #   @raise [UnexpectedTypeError] if the next object is not a map; its bytes stay in the buffer
    #   @raise [EOFError]
    # @!method each
    #   Unpacks and yields all complete objects.
    #   @yieldparam object
    #   @return [nil, Enumerator] an Enumerator if no block is given
    # @!method feed_each(bytes)
    #   Feeds bytes, then unpacks and yields all complete objects. If the last object is incomplete,
    #   its bytes stay in the buffer for the next call.
    #   @yieldparam object
    #   @return [nil, Enumerator] an Enumerator if no block is given
    # @!method full_unpack
    #   Unpacks the only object in the input, and resets the unpacker.
    #   @return the object
    #   @raise [MalformedFormatError] if bytes follow the object
    # @!method reset
    #   Drops all bytes.
    #   @return [nil]
    # @!method buffer
    #   Returns the buffer of this unpacker, which contains the unread bytes.
    #   @return [Buffer]

    # Registers a block, a callable, or a method of a class as the unpacker of an ext type. klass
    # only resolves a method name, and appears in registered_types.
    #
    # @overload register_type(type) { |payload| object }
    # @overload register_type(type, klass, method)
    # @param type [Integer] -128 to 127
    # @param method [Symbol, String, #call] a singleton method of klass, or a callable. It takes the
    #   payload, a binary String, and returns the object
    # @return [nil]
    # @raise [ArgumentError, RangeError, NameError] if an argument is missing or invalid
    # @raise [FrozenError] if the unpacker is frozen, like the unpackers of a Pool
    def register_type(type, klass = nil, method = nil, &block)
      ExtType.unfrozen(self)
      raise ArgumentError, "register_type takes a block, or a class and a method" unless block || (klass && method)

      register_type_internal(type, klass, block || ExtType.unpacker(method, klass))
      nil
    end

    # Returns the registered ext types, sorted by type.
    # @return [Array<Hash>] an entry { type:, class:, unpacker: } for each type; class may be nil
    def registered_types
      registered_types_internal.map { |type, (klass, unpacker)| { type: type, class: klass, unpacker: unpacker } }.sort_by { |entry| entry[:type] }
    end

    # Reports whether a class or a type number is registered.
    # @param klass_or_type [Module, Integer] a class is also registered if one of its ancestors is
    # @raise [ArgumentError] if klass_or_type is neither a Module nor an Integer
    def type_registered?(klass_or_type)
      ExtType.registered?(registered_types, klass_or_type)
    end
  end
end
