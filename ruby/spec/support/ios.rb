# frozen_string_literal: true

# Ios with one unusual but permitted behaviour each.
module Ios
  # Returns a few bytes per call, and only has the given method.
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

  # Returns one piece per call, whatever the requested length, even if the piece is longer. If the
  # piece is an exception, raises it.
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

  # Accepts bytes with write, and records each piece.
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

  # Accepts bytes only with <<.
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
