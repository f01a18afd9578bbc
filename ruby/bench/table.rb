# frozen_string_literal: true

module Bench
  # A Table is a title, a note that explains the cells, a header row and rows of cells. It renders
  # text for a terminal, and Markdown.
  class Table
    FOLD = 120 # width of a note on the terminal, in columns

    attr_reader :title, :rows

    def initialize(title, note:, head:, rows:)
      @title = title
      @note = note
      @head = head
      @rows = rows
    end

    def to_s
      widths = [@head, *@rows].transpose.map { |column| column.map(&:size).max }
      lines = [@head, *@rows].map do |row|
        row.each_with_index.map { |cell, i| i.zero? ? cell.ljust(widths[i]) : cell.rjust(widths[i]) }.join("  ").rstrip
      end
      ["#{@title}. #{@note}".gsub(/(.{1,#{FOLD}})(?:\s+|\z)/o, "\\1\n"), *lines, ""].join("\n")
    end

    def to_markdown
      ["### #{@title}", "", @note, "", line(@head), "|---|#{'---:|' * (@head.size - 1)}", *@rows.map { |row| line(row) }, ""].join("\n")
    end

    private

    def line(cells) = "| #{cells.join(' | ')} |"
  end
end
