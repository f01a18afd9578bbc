# frozen_string_literal: true

# Ends of a wire, each with one habit that streams have.
module Ios
  # Gives a few bytes a call, by the given method only.
  class Drip
    attr_reader :calls

    def initialize(bytes, size, by: :read)
      @bytes = bytes.b
      @at = 0
      @size = size
      @calls = 0
      define_singleton_method(by) { |length, out = nil| give(length, out, by) }
    end

    private

    def give(length, out, by)
      @calls += 1
      piece = @bytes.byteslice(@at, [length, @size].min)
      @at += piece.bytesize
      if piece.empty?
        raise EOFError, "drained" if by == :readpartial

        out&.clear
        return nil
      end
      out ? out.replace(piece) : piece
    end
  end

  # Gives one piece a call, whatever length is asked for, even if the piece is longer; an exception among the pieces is raised.
  class Script
    def initialize(*pieces)
      @pieces = pieces
    end

    def read(_length, out = nil)
      piece = @pieces.shift
      raise piece if piece.is_a?(Exception)
      return out&.clear && nil if piece.nil?

      out ? out.replace(piece) : piece.dup
    end
  end

  # Takes bytes by write and remembers how they came.
  class Sink
    attr_reader :pieces

    def initialize
      @pieces = []
    end

    def write(string)
      @pieces << string.b
      string.bytesize
    end

    def bytes
      @pieces.join.b
    end
  end

  # Takes bytes by << only.
  class Shovel
    attr_reader :bytes

    def initialize
      @bytes = String.new
    end

    def <<(string)
      @bytes << string.b
      self
    end
  end
end
