# frozen_string_literal: true

require "json"
require_relative "bytes"

# The vector files that the Go tests and these specs both obey: bytes in hex, a mark, a value. The mark tells what the bytes are:
# = is what an encoder writes for the value and a decoder reads as it; < is only read; ! is an error, by its text.
module Vectors
  Vector = Struct.new(:line, :bytes, :mark, :note) do
    def to_s
      "line #{line}: #{bytes.unpack1("H*")[0, 40]} #{mark} #{note[0, 60]}"
    end
  end

  def self.read(name)
    lines = File.readlines(File.expand_path("../../../vectors/#{name}", __dir__), chomp: true, encoding: "UTF-8")
    lines.each.with_index(1).reject { |line, _| line.strip.empty? || line.start_with?("#") }.map do |line, number|
      bytes, mark, note = line.partition(/[=<!]/)
      raise "#{name}:#{number}: no mark (=, < or !) after the bytes" if mark.empty?

      Vector.new(number, Bytes.parse(bytes), mark, note.strip)
    end
  end

  # The value of a note: JSON, in which an object of one key that begins with $ stands for what JSON has no word for.
  def self.value(note)
    build(JSON.parse(note, max_nesting: false))
  end

  def self.build(node)
    case node
    when Array then node.map { |element| build(element) }
    when Hash then node.size == 1 && node.first.first.start_with?("$") ? special(*node.first) : node.transform_values { |value| build(value) }
    else node
    end
  end

  def self.special(kind, of)
    case kind
    when "$bin" then [of].pack("H*")
    when "$str" then [of].pack("H*").force_encoding(Encoding::UTF_8)
    when "$time" then Time.at(of[0], of[1], :nsec)
    when "$float" then { "nan" => Float::NAN, "+Inf" => Float::INFINITY, "-Inf" => -Float::INFINITY }.fetch(of)
    when "$repeat" then of[0] * of[1]
    when "$map" then of.to_h { |key, value| [build(key), build(value)] }
    else raise "#{kind} is no word of the vectors"
    end
  end
end
