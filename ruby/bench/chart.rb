# frozen_string_literal: true

require_relative "stats"

module Bench
  # A Chart is an SVG with one block of bars for each data set. The length of a bar is the time
  # relative to the time of the first library, so the first bar always has length 1, and shorter is
  # better. A bar that is longer than the axis ends in a gap and a stub. The figure after each bar
  # is the time for the first bar, and the ratio for the others. The charts of the Go benchmarks
  # look the same.
  #
  #   tiny  ours     ▇▇▇▇▇ 118 ns
  #         msgpack  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ ▇ ×9.1
  class Chart
    WIDTH = 880
    NAME_END = 112 # right edge of the block's name
    BAR_START = 252
    BAR_END = 800 # the end of the axis
    BAR_HEIGHT = 11
    BAR_PITCH = 14
    BLOCK_GAP = 14
    TOP = 76
    AXIS_MOST = 6
    STUB = 6
    TEXT_DROPPED = 9 # from the top of a bar to the baseline of its text

    # Readers with red-green colour blindness can distinguish these colours. Each colour has enough
    # contrast on a light and on a dark background.
    COLOURS = {
      "ours" => "#d9480f", "msgpack" => "#1c7ed6", "json" => "#868e96", "oj" => "#2b9a5f", "oj usual†" => "#9c6ade", "bson" => "#c29a00"
    }.freeze

    STYLE = <<~CSS
      <style>
      text { font: 11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
      .title { font-size: 16px; font-weight: 600; }
      .side, .axis { fill: #59636e; font-size: 10px; }
      .side { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; stroke-linejoin: round; }
      .ours { font-weight: 600; }
      .page { fill: #ffffff; }
      .grid { stroke: #d1d9e0; stroke-width: 1; }
      .one { stroke: #59636e; stroke-width: 1; stroke-dasharray: 3 2; }
      @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .side, .axis { fill: #9198a1; }
      .side { stroke: #0d1117; }
      .page { fill: #0d1117; }
      .grid { stroke: #30363d; }
      .one { stroke: #9198a1; }
      }
      </style>
    CSS

    # A Side is a bar: the library's name, the text before the bar, the seconds per operation, and
    # their ratio to the seconds of the first side.
    Side = Struct.new(:name, :title, :seconds, :ratio)

    # The argument `blocks` contains pairs of a name and an array of sides.
    def initialize(title, subtitle, blocks)
      @title = title
      @subtitle = subtitle
      @blocks = blocks
    end

    def to_svg
      @y = TOP + BLOCK_GAP
      bars = @blocks.map { |name, sides| block(name, sides) }.join
      height = @y
      <<~SVG
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 #{WIDTH} #{height}" width="#{WIDTH}" height="#{height}" role="img">
        #{STYLE.chomp}
        <rect class="page" width="#{WIDTH}" height="#{height}" rx="6"/>
        #{text('title', 'start', 16, 28, @title)}
        #{text('axis', 'start', 16, 46, @subtitle)}
        #{axis(@y - BLOCK_GAP)}
        #{bars.chomp}
        </svg>
      SVG
    end

    private

    def axis(bottom)
      (0..AXIS_MOST).flat_map do |value|
        x = place(value)
        [text("axis", "middle", x.round, TOP, value.to_s),
         %(<line class="#{value == 1 ? 'one' : 'grid'}" x1="#{x}" x2="#{x}" y1="#{TOP + 6}" y2="#{bottom + 2}"/>)]
      end.join("\n")
    end

    def block(name, sides)
      first = text("", "end", NAME_END, @y + TEXT_DROPPED, name)
      bars = sides.each_with_index.map { |side, i| bar(side, i.zero?) }
      @y += BLOCK_GAP
      [first, *bars, ""].join("\n")
    end

    def bar(side, first)
      style = first ? "side ours" : "side"
      finish = place([side.ratio, AXIS_MOST].min)
      parts = [text(style, "end", BAR_START - 6, @y + TEXT_DROPPED, side.title), rect(BAR_START, finish - BAR_START, side.name)]
      if side.ratio > AXIS_MOST
        parts << rect(finish + 3, STUB, side.name)
        finish += 3 + STUB
      end
      parts << text(style, "start", finish.to_i + 5, @y + TEXT_DROPPED, first ? Stats.duration(side.seconds) : Stats.times(side.ratio))
      @y += BAR_PITCH
      parts.join("\n")
    end

    def place(ratio) = (BAR_START + ratio.to_f / AXIS_MOST * (BAR_END - BAR_START)).round(1)

    def rect(x, width, name)
      %(<rect x="#{x}" y="#{@y}" width="#{width.round(1)}" height="#{BAR_HEIGHT}" rx="1.5" fill="#{COLOURS.fetch(name)}"/>)
    end

    def text(style, anchor, x, y, string)
      %(<text class="#{style}" text-anchor="#{anchor}" x="#{x}" y="#{y}">#{string.encode(xml: :text)}</text>)
    end
  end
end
