# frozen_string_literal: true

require "json"
require_relative "bytes"

# Reads the vector files, which the Go tests use too. A line contains bytes in hex, a mark and a
# note with the value. The mark = means that an encoder writes these bytes for the value and a
# decoder reads the value from them. The mark < means that a decoder reads the value from them. The
# mark ! means that the bytes are an error, and the note is its text.
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

  # Returns the value of a note. The note is JSON; an object with one key that begins with $ stands
  # for a value that JSON cannot represent.
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
