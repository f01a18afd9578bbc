# frozen_string_literal: true

# Generates random objects of every kind in the format.
class Values
  def initialize(rng)
    @rng = rng
  end

  # Returns one object, with collections up to the given depth.
  def any(depth = 4)
    kind = @rng.rand(depth.positive? ? 12 : 9)
    case kind
    when 0 then [nil, true, false].sample(random: @rng)
    when 1, 2 then integer
    when 3 then float
    when 4, 5 then text
    when 6 then binary
    when 7 then ext
    when 8 then text[0, 8]
    when 9, 10 then Array.new(size) { any(depth - 1) }
    else map(depth)
    end
  end

  def integer
    n = @rng.rand(2**@rng.rand(1..64))
    @rng.rand(2).zero? ? n : [-n, -2**63].max
  end

  # Returns a Float, in half of the cases with 64 random bits. It never returns NaN, which is not
  # equal to itself.
  def float
    f = @rng.rand(2).zero? ? @rng.rand(-1000..1000) / 8.0 : [@rng.rand(2**64)].pack("Q").unpack1("d")
    f.nan? ? 0.5 : f
  end

  def text
    ["", "a", "key#{@rng.rand(10)}", "é" * @rng.rand(40), "日本" * @rng.rand(100), "x" * @rng.rand(400), "\u{1f37a}" * @rng.rand(3000)].sample(random: @rng).dup
  end

  def binary
    @rng.bytes([0, 1, @rng.rand(40), @rng.rand(400), 4000 + @rng.rand(200), @rng.rand(80_000)].sample(random: @rng))
  end

  # Returns an ext value with an unregistered type. The type is neither -1, the timestamp, nor 0 to
  # 9, which callers may register.
  def ext
    MessagePack::ExtensionValue.new([@rng.rand(-128..-2), @rng.rand(10..127)].sample(random: @rng), @rng.bytes([0, 1, 2, 3, 4, 8, 16, 17, 300].sample(random: @rng)))
  end

  private

  def size
    [0, 1, 2, @rng.rand(5), @rng.rand(20), @rng.rand(40)].sample(random: @rng)
  end

  def map(depth)
    Array.new(size) { [@rng.rand(4).zero? ? any(0) : text[0, 70], any(depth - 1)] }.to_h
  end
end
