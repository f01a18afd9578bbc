# frozen_string_literal: true

# Classes to be registered as ext types, and ways to look at objects from outside.
module Objects
  # A value that knows its ext form by the names that register_type falls back to.
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

  # Holds one object, which may hold others: for recursive ext types.
  Box = Struct.new(:inner)

  # Something that can be called and is neither a Proc nor a Method.
  class Callable
    def initialize(&block)
      @block = block
    end

    def call(*arguments)
      @block.call(*arguments)
    end
  end

  # A factory in which Box is the recursive ext type 1.
  def box_factory
    MessagePack::Factory.new.tap do |factory|
      factory.register_type(1, Box, recursive: true,
                                    packer: ->(box, packer) { packer.write(box.inner) },
                                    unpacker: ->(unpacker) { Box.new(unpacker.read) })
    end
  end

  # Whether the bytes of a String are borrowed from another one, as the VM tells.
  def shared?(string)
    ObjectSpace.dump(string).include?('"shared":true')
  end

  # How many objects the block makes, of all kinds.
  def objects_made
    disabled = GC.disable
    before = GC.stat(:total_allocated_objects)
    yield
    GC.stat(:total_allocated_objects) - before
  ensure
    GC.enable unless disabled
  end
end
