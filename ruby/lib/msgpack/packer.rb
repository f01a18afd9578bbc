# frozen_string_literal: true

require_relative "extension"
require_relative "ext_type"

module MessagePack
  # Packs objects and appends the bytes to a {Buffer}. A packer with an io writes the bytes to the
  # io when it flushes.
  class Packer
    # @!method initialize(io = nil, options = {})
    #   Creates a packer.
    #   @param io [#write, #<<, nil] the destination of flush. A Hash as the only argument is the
    #     options
    #   @option options [Boolean] :compatibility_mode writes neither str 8 nor bin, as before
    #     version 5 of the format
    #   @option options [Boolean] :float32 writes a Float in 32 bits if it loses no precision
    #   @option options [Boolean] :strict rejects objects of subclasses without an ext type, and
    #     rejects a to_msgpack that writes nothing
    #   @option options [Integer] :io_buffer_size number of bytes collected before they are written
    #     to the io; default 32768
    #   @option options [Integer] :write_reference_threshold minimum size in bytes of Strings that
    #     are referenced instead of copied; default 32768
    #   @raise [::TypeError] if options is not a Hash
    # @!method compatibility_mode?
    #   Reports whether the packer writes neither str 8 nor bin.
    #   @return [Boolean]
    #
    # @!method write(object)
    #   Writes an object. Also named pack. An ext type that is registered for the class of the
    #   object takes precedence. Without one, and if the format has no type for the class, the
    #   packer calls object.to_msgpack(packer).
    #   @return [Packer] self, like every method that writes an object or a part of one
    #   @raise [RangeError] if an Integer needs more than 64 bits
    #   @raise [ArgumentError] if a String, an Array or a Hash is longer than 2**32 - 1
    #   @raise [NoMethodError] if an object has no method to_msgpack
    #   @raise [SystemStackError] if objects are nested too deeply, or contain themselves
    # @!method pack(object)
    #   Writes an object.
    #   @see #write
    # @!method write_nil
    #   Writes nil.
    # @!method write_true
    #   Writes true.
    # @!method write_false
    #   Writes false.
    # @!method write_int(integer)
    #   Writes an Integer.
    #   @raise [::TypeError] if the argument is not an Integer
    #   @raise [RangeError] if the Integer needs more than 64 bits
    # @!method write_float(number)
    #   Writes a number as a Float, in 64 bits unless the option float32 applies.
    #   @param number [Numeric]
    #   @raise [::TypeError] if the argument is not a number
    # @!method write_float32(number)
    #   Writes a number as a Float, rounded to 32 bits.
    #   @param number [Numeric]
    #   @raise [ArgumentError] if the argument is not a Numeric
    # @!method write_string(string)
    #   Writes a String: as bin if its encoding is ASCII-8BIT, otherwise as str.
    #   @raise [::TypeError] if the argument is not a String
    # @!method write_bin(string)
    #   Writes a String as bin.
    #   @raise [EncodingError] if the String contains non-ASCII characters and its encoding is not
    #     ASCII-8BIT
    #   @raise [::TypeError] if the argument is not a String
    # @!method write_symbol(symbol)
    #   Writes the name of a Symbol as str, or as an ext type if one is registered for Symbol.
    #   @raise [::TypeError] if the argument is not a Symbol
    # @!method write_array(array)
    #   Writes an Array: its header and its elements.
    #   @raise [::TypeError] if the argument is not an Array
    # @!method write_hash(hash)
    #   Writes a Hash: its header, and each key followed by its value.
    #   @raise [::TypeError] if the argument is not a Hash
    # @!method write_extension(value)
    #   Writes an ext value.
    #   @param value [ExtensionValue]
    #   @raise [::TypeError, RangeError]
    # @!method write_ext(type, payload)
    #   Writes an ext value with the given type and payload.
    #   @param type [Integer] -128 to 127
    #   @param payload [String]
    #   @raise [RangeError] if the type is out of range
    # @!method write_array_header(size)
    #   Writes the header of an array. Write the elements next.
    #   @param size [Integer] number of elements, 0 to 2**32 - 1
    #   @raise [RangeError] if the size is out of range
    # @!method write_map_header(size)
    #   Writes the header of a map. Write the keys and values next.
    #   @param size [Integer] number of entries, 0 to 2**32 - 1
    #   @raise [RangeError] if the size is out of range
    # @!method write_bin_header(size)
    #   Writes the header of a binary. Write the bytes to {#buffer} next.
    #   @param size [Integer] number of bytes, 0 to 2**32 - 1
    #   @raise [RangeError] if the size is out of range
    #
    # @!method flush
    #   Writes all bytes to the io, if there is one.
    #   @return [Packer] self
    # @!method reset
    #   Drops all bytes. Also named clear.
    #   @return [nil]
    # @!method clear
    #   Drops all bytes.
    #   @see #reset
    # @!method size
    #   Returns the number of bytes that have not been written to the io.
    #   @return [Integer]
    # @!method empty?
    #   Reports whether the buffer contains no bytes.
    #   @return [Boolean]
    # @!method to_s
    #   Returns a copy of the bytes, which stay in the buffer. Also named to_str.
    #   @return [String]
    # @!method to_str
    #   Returns a copy of the bytes.
    #   @see #to_s
    # @!method to_a
    #   Returns a copy of the bytes as an Array of Strings, one for each chunk of the buffer.
    #   @return [Array<String>]
    # @!method write_to(io)
    #   Writes all bytes to another io, and removes them from the buffer.
    #   @return [Integer] the number of bytes written
    # @!method full_pack
    #   Writes all bytes to the io, or returns them if there is no io. Afterwards, the packer is
    #   empty.
    #   @return [String, nil]
    # @!method buffer
    #   Returns the buffer of this packer.
    #   @return [Buffer]

    # Registers an ext type for objects that this packer writes.
    #
    # @param type [Integer] -128 to 127; the format reserves negative numbers
    # @param klass [Module] the packed objects are instances of this class or of its subclasses, or
    #   include this module
    # @param method [Symbol, String, #call] a method of the object that returns the payload, or a
    #   callable that takes the object and returns the payload
    # @yield [object] returns the payload; used instead of method
    # @return [nil]
    # @raise [RangeError, ArgumentError, ::TypeError] if the type, the class or the method is
    #   invalid
    # @raise [FrozenError] if the packer is frozen, like the packers of a Pool
    def register_type(type, klass, method = :to_msgpack_ext, &block)
      ExtType.unfrozen(self)
      register_type_internal(type, klass, block || ExtType.packer(method))
      nil
    end

    # Returns the registered ext types, sorted by type.
    # @return [Array<Hash>] an entry { type:, class:, packer: } for each class
    def registered_types
      registered_types_internal.map { |klass, (type, packer)| { type: type, class: klass, packer: packer } }.sort_by { |entry| entry[:type] }
    end

    # Reports whether a class or a type number is registered.
    # @param klass_or_type [Module, Integer] a class is also registered if one of its ancestors is
    # @raise [ArgumentError] if klass_or_type is neither a Module nor an Integer
    def type_registered?(klass_or_type)
      ExtType.registered?(registered_types, klass_or_type)
    end
  end
end
