# frozen_string_literal: true

require_relative "extension"

module MessagePack
  # A queue of bytes, optionally in front of an io. {Packer#buffer} and {Unpacker#buffer} return
  # one, and programs may create their own.
  class Buffer
    # @!method initialize(io = nil, options = {})
    #   Creates an empty buffer.
    #   @param io [Object, nil] read with readpartial or read, and written with write or <<. A Hash
    #     as the only argument is the options
    #   @option options [Integer] :io_buffer_size, :read_reference_threshold,
    #     :write_reference_threshold as for {Packer} and {Unpacker}
    # @!method clear
    #   Drops all bytes.
    #   @return [nil]
    # @!method size
    #   Returns the number of bytes in the buffer.
    #   @return [Integer]
    # @!method empty?
    #   Reports whether the buffer contains no bytes.
    #   @return [Boolean]
    # @!method write(bytes)
    #   Appends bytes.
    #   @return [Integer] the number of bytes appended
    # @!method <<(bytes)
    #   Appends bytes.
    #   @see #write
    #   @return [Buffer] self
    # @!method prepend(bytes)
    #   Inserts bytes before the first byte. The cost depends only on the number of inserted bytes.
    #   @return [Buffer] self
    # @!method read(length = nil, out = nil)
    #   Removes and returns up to length bytes. Reads from the io if the buffer contains fewer.
    #   @param length [Integer, nil] the maximum number of bytes; nil reads all bytes of the buffer
    #     and of the io
    #   @param out [String, nil] a String whose contents are replaced by the bytes; its encoding
    #     does not change
    #   @return [String, nil] nil if length is greater than 0 and no bytes are left
    #   @raise [ArgumentError] if length is negative
    # @!method read_all(length = nil, out = nil)
    #   Removes and returns exactly length bytes. The parameters are those of {#read}.
    #   @return [String]
    #   @raise [EOFError] if fewer bytes are available; they stay in the buffer
    # @!method skip(length)
    #   Removes up to length bytes.
    #   @return [Integer] the number of bytes removed
    # @!method skip_all(length)
    #   Removes exactly length bytes.
    #   @return [Buffer] self
    #   @raise [EOFError] if fewer bytes are available; they stay in the buffer
    # @!method io
    #   Returns the io of the buffer.
    #   @return [Object, nil]
    # @!method flush
    #   Writes all bytes to the io, if there is one.
    #   @return [Buffer] self
    # @!method close
    #   Calls close on the io, if there is one.
    # @!method write_to(io)
    #   Writes all bytes to another io, and removes them from the buffer.
    #   @return [Integer] the number of bytes written
    # @!method to_s
    #   Returns a copy of the bytes, which stay in the buffer. Also named to_str.
    #   @return [String]
    # @!method to_str
    #   Returns a copy of the bytes.
    #   @see #to_s
    # @!method to_a
    #   Returns a copy of the bytes as an Array of Strings, one for each chunk of the buffer.
    #   @return [Array<String>]
  end
end
