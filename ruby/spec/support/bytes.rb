# frozen_string_literal: true

# Parses bytes in the notation of the vector files: "93 01 61*3" is an array header, the integer 1
# and three letters a.
module Bytes
  def self.parse(notation)
    notation.split.each_with_object(String.new(encoding: Encoding::BINARY)) do |word, bytes|
      digits, count = word.split("*")
      raise ArgumentError, "#{digits.inspect} is not hex" unless digits.match?(/\A(\h\h)+\z/)

      bytes << [digits].pack("H*") * (count ? Integer(count, 10) : 1)
    end
  end

  def hex(notation)
    Bytes.parse(notation)
  end

  def pack(object, **options)
    options.empty? ? MessagePack.pack(object) : MessagePack.pack(object, options)
  end

  def unpack(bytes, **options)
    options.empty? ? MessagePack.unpack(bytes) : MessagePack.unpack(bytes, options)
  end

  # Returns an unpacker that is fed the bytes in hex.
  def fed(notation, **options)
    MessagePack::Unpacker.new(options).feed(hex(notation))
  end

  # Returns an in-memory io that contains the bytes and accepts writes.
  def binary_io(bytes = "")
    StringIO.new(bytes.b)
  end

  # Splits the bytes into pieces of the given size.
  def pieces(bytes, size)
    (0...bytes.bytesize).step(size).map { |at| bytes.byteslice(at, size) }
  end

  # Returns all remaining objects of an unpacker.
  def rest(unpacker)
    all = []
    unpacker.each { |object| all << object }
    all
  end
end
