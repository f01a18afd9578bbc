# frozen_string_literal: true

require_relative "factory"

module MessagePack
  class Factory
    # Packers and unpackers of a factory that are used again and again, by any number of threads of a Ractor. Each is lent to one user at a time,
    # and comes back empty. They are frozen: their types are the factory's.
    class Pool
      # @param factory [Factory] frozen
      def initialize(factory, size, options = {})
        @packers = Members.new(size) { factory.packer(options).freeze }
        @unpackers = Members.new(size) { factory.unpacker(options).freeze }
      end

      # @return [String] binary
      def dump(object)
        @packers.lend { |packer| packer.write(object).full_pack }
      end

      # @param data [String] one object, and nothing after it
      # @raise [EOFError, UnpackError]
      def load(data)
        @unpackers.lend { |unpacker| unpacker.feed(data).full_unpack }
      end

      # @yieldparam packer [Packer] which is the block's own until it ends
      # @return what the block gives
      def packer(&block)
        @packers.lend(&block)
      end

      # @yieldparam unpacker [Unpacker] which is the block's own until it ends
      # @return what the block gives
      def unpacker(&block)
        @unpackers.lend(&block)
      end

      # Members are kept in an Array, of which Ruby takes and to which it adds in one piece: there is no lock to wait for, and none to be held
      # when a thread is killed.
      class Members
        def initialize(size, &make)
          @size = size
          @make = make
          @idle = []
        end

        # Yields a member that nobody else uses, and keeps it afterwards.
        def lend
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
