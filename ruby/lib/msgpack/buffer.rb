# frozen_string_literal: true

require_relative "extension"

module MessagePack
  # A queue of bytes, in front of an io if there is one: what Packer#buffer and Unpacker#buffer give, and of use by itself.
  class Buffer
    # @!method initialize(io = nil, options = {})
    #   @param io [Object, nil] read by readpartial or read, written to by write or <<. A Hash alone is the options
    #   @option options [Integer] :io_buffer_size, :read_reference_threshold, :write_reference_threshold
    #     as of {Packer} and {Unpacker}
    # @!method clear
    #   Drops all bytes.
    #   @return [nil]
    # @!method size
    #   @return [Integer] bytes
    # @!method empty?
    #   @return [Boolean]
    # @!method write(bytes)
    #   Adds bytes after the last one.
    #   @return [Integer] how many
    # @!method <<(bytes)
    #   @see #write
    #   @return [Buffer] self
    # @!method prepend(bytes)
    #   Puts bytes before the first one, at the cost of these bytes alone.
    #   @return [Buffer] self
    # @!method read(length = nil, out = nil)
    #   @param length [Integer, nil] the most bytes; nil: all that there are, and all that the io has
    #   @param out [String, nil] which gets the bytes, and keeps its encoding
    #   @return [String, nil] nil if there are none and length is not 0
    #   @raise [ArgumentError] a length below 0
    # @!method read_all(length = nil, out = nil)
    #   As #read, but gives all bytes or none.
    #   @return [String]
    #   @raise [EOFError] fewer are there, which stay
    # @!method skip(length)
    #   @return [Integer] bytes that were passed over
    # @!method skip_all(length)
    #   @return [Buffer] self
    #   @raise [EOFError] fewer are there, which stay
    # @!method io
    #   @return [Object, nil]
    # @!method flush
    #   Writes all bytes to the io.
    #   @return [Buffer] self
    # @!method close
    #   Calls close of the io, if there is one.
    # @!method write_to(io)
    #   Writes all bytes to another io, and drops them.
    #   @return [Integer] how many
    # @!method to_s
    #   @return [String] a copy of the bytes, which stay. Also named to_str
    # @!method to_str
    #   @see #to_s
    # @!method to_a
    #   @return [Array<String>] the same in pieces
  end
end
