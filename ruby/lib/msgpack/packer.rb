# frozen_string_literal: true

require_relative "extension"
require_relative "ext_type"

module MessagePack
  # Appends objects to a {Buffer}, as MessagePack. A packer with an io writes the bytes there when it flushes.
  class Packer
    # @!method initialize(io = nil, options = {})
    #   @param io [#write, #<<, nil] what flush writes to. A Hash alone is the options
    #   @option options [Boolean] :compatibility_mode neither str 8 nor bin, as before version 5 of the format
    #   @option options [Boolean] :float32 writes a Float in 32 bits where they hold it exactly
    #   @option options [Boolean] :strict refuses objects of subclasses that have no ext type, and a to_msgpack that writes nothing
    #   @option options [Integer] :io_buffer_size bytes that are gathered before they go to the io: 32768
    #   @option options [Integer] :write_reference_threshold bytes from which on a String is not copied: 32768
    #   @raise [::TypeError] if options is no Hash
    # @!method compatibility_mode?
    #   @return [Boolean]
    #
    # @!method write(object)
    #   Also named pack. Ext types are looked for by the class of the object first; an object of another class than the format
    #   knows is asked for to_msgpack(packer).
    #   @return [Packer] self, as all methods that write
    #   @raise [RangeError] an Integer takes more than 64 bits
    #   @raise [ArgumentError] a String, an Array or a Hash is longer than 2**32 - 1
    #   @raise [NoMethodError] the object has no to_msgpack
    #   @raise [SystemStackError] objects nest too deep, or within themselves
    # @!method pack(object)
    #   @see #write
    # @!method write_nil
    #   Writes nil.
    # @!method write_true
    #   Writes true.
    # @!method write_false
    #   Writes false.
    # @!method write_int(integer)
    #   @raise [::TypeError, RangeError]
    # @!method write_float(number)
    #   @param number [Numeric] written in 64 bits
    #   @raise [::TypeError]
    # @!method write_float32(number)
    #   @param number [Numeric] rounded to 32 bits
    #   @raise [ArgumentError] if it is no Numeric
    # @!method write_string(string)
    #   As str; a String of the encoding ASCII-8BIT as bin.
    #   @raise [::TypeError] if it is no String, as the next ones
    # @!method write_bin(string)
    #   As bin, whatever its encoding.
    # @!method write_symbol(symbol)
    #   Writes the name as str, or as an ext type if one is registered for Symbol.
    # @!method write_array(array)
    #   Writes the head and the elements.
    # @!method write_hash(hash)
    #   Writes the head, and each key before its value.
    # @!method write_extension(value)
    #   @param value [ExtensionValue]
    # @!method write_ext(type, payload)
    #   @param type [Integer] -128 to 127
    #   @param payload [String]
    #   @raise [RangeError]
    # @!method write_array_header(size)
    #   The head of an array; write its elements next.
    #   @param size [Integer] of elements, 0 to 2**32 - 1
    #   @raise [RangeError]
    # @!method write_map_header(size)
    #   The head of a map; write its keys and values next.
    #   @param size [Integer] of entries, 0 to 2**32 - 1
    #   @raise [RangeError]
    # @!method write_bin_header(size)
    #   The head of a binary; write its bytes to #buffer next.
    #   @param size [Integer] of bytes, 0 to 2**32 - 1
    #   @raise [RangeError]
    #
    # @!method flush
    #   Writes all bytes to the io, if there is one.
    #   @return [Packer] self
    # @!method reset
    #   Drops all bytes. Also named clear.
    #   @return [nil]
    # @!method clear
    #   @see #reset
    # @!method size
    #   @return [Integer] bytes that have not gone to the io
    # @!method empty?
    #   @return [Boolean]
    # @!method to_s
    #   @return [String] a copy of the bytes, which stay. Also named to_str
    # @!method to_str
    #   @see #to_s
    # @!method to_a
    #   @return [Array<String>] the same in pieces
    # @!method write_to(io)
    #   Writes all bytes to another io, and drops them.
    #   @return [Integer] how many bytes
    # @!method full_pack
    #   Flushes, or gives the bytes if there is no io; then the packer is empty.
    #   @return [String, nil]
    # @!method buffer
    #   @return [Buffer] which holds the bytes

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
