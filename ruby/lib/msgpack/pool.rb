# frozen_string_literal: true

require_relative "factory"

module MessagePack
  class Factory
    # Keeps packers and unpackers of a factory for reuse by any number of threads of one Ractor.
    # Each packer or unpacker is used by one caller at a time, and is reset after each use. All
    # packers and unpackers have the ext types of the factory. They are frozen, so callers cannot
    # register other ext types with them.
    class Pool
      # Creates an empty pool.
      # @param factory [Factory] a frozen factory
      # @param size [Integer] the maximum number of idle packers, and of idle unpackers
      # @param options [Hash] the options of Packer.new and Unpacker.new
      def initialize(factory, size, options = {})
        @packers = Members.new(size) { factory.packer(options).freeze }
        @unpackers = Members.new(size) { factory.unpacker(options).freeze }
      end

      # Packs an object with a packer of the pool.
      # @return [String] a binary String
      def dump(object)
        @packers.with { |packer| packer.write(object).full_pack }
      end

      # Unpacks the only object in data with an unpacker of the pool.
      # @param data [String] exactly one object
      # @return the object
      # @raise [EOFError, UnpackError]
      def load(data)
        @unpackers.with { |unpacker| unpacker.feed(data).full_unpack }
      end

      # Yields a packer of the pool.
      # @yieldparam packer [Packer] not used by any other caller until the block ends
      # @return the value of the block
      def packer(&block)
        @packers.with(&block)
      end

      # Yields an unpacker of the pool.
      # @yieldparam unpacker [Unpacker] not used by any other caller until the block ends
      # @return the value of the block
      def unpacker(&block)
        @unpackers.with(&block)
      end

      # Keeps idle packers or unpackers in an Array. Array#pop and Array#push are atomic in CRuby,
      # so callers never wait for a lock. A killed thread cannot leave a lock held.
      class Members
        def initialize(size, &make)
          @size = size
          @make = make
          @idle = []
        end

        # Yields an idle member, or a new one if none is idle. Resets the member after the block and
        # keeps it, unless there are already size idle members.
        def with
          member = @idle.pop || @make.call
          yield member
        ensure
          if member && @idle.size < @size
            member.reset
            @idle.push(member)
          end
        end
      end
      private_constant :Members
    end
  end
end
