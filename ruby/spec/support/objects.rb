# frozen_string_literal: true

# Classes for registration as ext types, and methods that inspect objects.
module Objects
  # Has the methods that register_type uses by default for the ext format.
  class Point
    attr_reader :x, :y

    def self.from_msgpack_ext(payload)
      new(*payload.unpack("l>l>"))
    end

    def initialize(x, y)
      @x = x
      @y = y
    end

    def to_msgpack_ext
      [x, y].pack("l>l>")
    end

    def ==(other)
      other.class == self.class && [x, y] == [other.x, other.y]
    end
    alias eql? ==

    def hash
      [x, y].hash
    end
  end

  class Point3 < Point
  end

  # Holds one object, which may contain others; for recursive ext types.
  Box = Struct.new(:inner)

  # Responds to call, but is neither a Proc nor a Method.
  class Callable
    def initialize(&block)
      @block = block
    end

    def call(*arguments)
      @block.call(*arguments)
    end
  end

  # Returns a factory with Box as the recursive ext type 1.
  def box_factory
    MessagePack::Factory.new.tap do |factory|
      factory.register_type(1, Box, recursive: true,
                                    packer: ->(box, packer) { packer.write(box.inner) },
                                    unpacker: ->(unpacker) { Box.new(unpacker.read) })
    end
  end

  # Returns whether the String shares the bytes of another String, according to the VM.
  def shared?(string)
    ObjectSpace.dump(string).include?('"shared":true')
  end

  # Returns the number of objects that the block allocates, of all kinds.
  def objects_made
    disabled = GC.disable
    before = GC.stat(:total_allocated_objects)
    yield
    GC.stat(:total_allocated_objects) - before
  ensure
    GC.enable unless disabled
  end
end
