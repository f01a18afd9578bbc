# frozen_string_literal: true

require_relative "extension"
require_relative "ext_type"

module MessagePack
  # Reads objects from bytes that are fed in pieces of any size, or read from an io.
  class Unpacker
    # @!method initialize(io = nil, options = {})
    #   @param io [#readpartial, #read, nil] what is read when bytes are missing. A Hash alone is the options
    #   @option options [Boolean] :symbolize_keys Symbols as keys of maps instead of Strings
    #   @option options [Boolean] :freeze freezes all that is read; equal strings are one object
    #   @option options [Boolean] :allow_unknown_ext an ExtensionValue instead of UnknownExtTypeError
    #   @option options [Boolean] :key_cache false does not remember keys of maps
    #   @option options [Boolean] :transactional an EOFError leaves the unpacker at the first byte of the object
    #   @option options [Integer] :max_depth levels of nesting, 1 to 1024: 128
    #   @option options [Integer] :max_str_len, :max_bin_len, :max_ext_len bytes; none
    #   @option options [Integer] :max_array_len, :max_map_len elements, entries; none
    #   @option options [Integer] :io_buffer_size bytes that are asked of the io at once: 32768
    #   @option options [Integer] :read_reference_threshold bytes from which on Strings share memory with what was fed: 256
    #   @raise [ArgumentError] for limits outside of their ranges
    # @!method symbolize_keys?
    #   @return [Boolean]
    # @!method freeze?
    #   @return [Boolean]
    # @!method allow_unknown_ext?
    #   @return [Boolean]
    # @!method transactional?
    #   @return [Boolean]
    #
    # @!method feed(bytes)
    #   Adds bytes. They are not copied if they are many; a later change of the String is not seen. Also named feed_reference.
    #   @param bytes [String]
    #   @return [Unpacker] self
    # @!method feed_reference(bytes)
    #   @see #feed
    # @!method read
    #   Also named unpack.
    #   @return the next object
    #   @raise [EOFError] if not all of it is there
    #   @raise [MalformedFormatError, StackError, UnknownExtTypeError, LimitError] which are UnpackError
    # @!method unpack
    #   @see #read
    # @!method skip
    #   Passes over the next object without making it.
    #   @return [nil]
    #   @raise [EOFError, MalformedFormatError, StackError]
    # @!method skip_nil
    #   Passes over nil, and over nothing else. Also named consume_nil.
    #   @return [Boolean] whether the next object was nil
    #   @raise [EOFError]
    # @!method consume_nil
    #   @see #skip_nil
    # @!method count
    #   Passes over all objects.
    #   @return [Integer] how many there were; the part of one at the end is not counted, and stays
    # @!method read_raw
    #   @return [String] the bytes of the next object, binary
    #   @raise [EOFError, MalformedFormatError, StackError, LimitError]
    # @!method peek_type
    #   @return [Symbol] :nil, :boolean, :integer, :float, :string, :binary, :array, :map or :extension, of the next object
    #   @raise [EOFError]
    # @!method read_array_header
    #   Reads the head of an array; read its elements next.
    #   @return [Integer] elements
    #   @raise [UnexpectedTypeError] for another type, whose bytes stay
    #   @raise [EOFError]
    # @!method read_map_header
    #   Reads the head of a map; read its keys and values next.
    #   @return [Integer] entries
    #   @raise [UnexpectedTypeError, EOFError]
    # @!method each
    #   @yieldparam object each object, until not all of one is there
    #   @return [nil, Enumerator] an Enumerator without a block
    # @!method feed_each(bytes)
    #   Feeds, then yields each object. What is there of another one waits for the next call.
    #   @yieldparam object
    #   @return [nil, Enumerator]
    # @!method full_unpack
    #   Reads the one object that there is, and resets.
    #   @return the object
    #   @raise [MalformedFormatError] bytes follow it
    # @!method reset
    #   Drops all bytes.
    #   @return [nil]
    # @!method buffer
    #   @return [Buffer] which holds the bytes that were not read

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
