# frozen_string_literal: true

require_relative "bars"
require_relative "chart"
require_relative "data"
require_relative "machine"
require_relative "tables"

module Bench
  # A Report writes RESULTS.md and the chart of a complete run.
  class Report
    FILE = "RESULTS.md"
    CHART = "gem.svg"

    def initialize(results, workers, date:)
      @results = results
      @workers = workers
      @date = date
      @machine = Machine.rows(workers)
      @titles = workers.to_h { |worker| [worker.name, worker.title] }
    end

    def write(directory)
      File.write(File.join(directory, CHART), chart.to_svg)
      File.write(File.join(directory, FILE), text)
    end

    private

    # The chart shows the data sets that resemble messages of real programs.
    def chart
      sets = @results.unpack.keys - Data::KINDS
      blocks = sets.map { |set| [set, sides(@results.unpack.fetch(set), :unpack)] }
      method = "time relative to #{@titles.values.first} = 1, shorter is better; figures are medians of the rounds' ratios"
      Chart.new("Deserialize", "#{method}, #{@date}, #{Machine.processor}", blocks)
    end

    def sides(measured, operation)
      names = @titles.keys.select { |name| measured.known?(name, operation) }
      base = [names.first, operation]
      names.map { |name| Chart::Side.new(name, @titles[name], measured.median(name, operation), measured.ratio(name, operation, to: base)) }
    end

    def text
      bars = Bars.of(@results)
      [head, *Tables.new(@results, @workers).all.map(&:to_markdown), promises(bars), pictures].join("\n")
    end

    def head
      rows = [["date", @date], *@machine].map { |name, what| "| #{name} | #{what} |" }
      <<~MARKDOWN
        # Benchmark results of the gem

        `ruby bench/run.rb --report` writes this file; do not edit it. `ruby bench/run.rb --help` describes the method.
        `bench/data.rb` generates the data sets, which resemble the data sets of other benchmarks.

        Each library runs in its own process. In each round, the processes run one after the other, each for one time slot.
        A **time** is the median of all rounds. A **ratio** is the median of the ratios in the rounds, so it may differ from the
        quotient of the two times in the table.
        #{@workers.notices.map { |notice| "\n#{notice}\n" }.join}
        | | |
        |---|---|
        #{rows.join("\n")}
      MARKDOWN
    end

    def promises(bars)
      return "" if bars.empty?

      "### Bars\n\n```\n#{bars.join("\n")}\n```\n"
    end

    def pictures = "### Chart\n\n![Deserialize](#{CHART})\n"
  end
end
