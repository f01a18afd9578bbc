# frozen_string_literal: true

# Times the gem against other libraries; see ruby bench/run.rb --help. It needs only Ruby's standard
# library and the libraries that it measures.
#
#   run.rb      flags and output of the results
#   runner.rb   order of the measurements
#   workers.rb  runner's side of the workers: one process for each library
#   worker.rb   worker's side
#   library.rb  calls of each library
#   job.rb      one operation on one data set: checked, then timed
#   flow.rb     feeding and streaming
#   memory.rb   created objects and calls of malloc
#   data.rb     data sets
#   measure.rb, stats.rb    rounds, medians, ratios
#   tables.rb, table.rb, bars.rb, chart.rb, report.rb, machine.rb    output

require "optparse"
require_relative "report"
require_relative "runner"

module Bench
  # Command parses the command line and runs the benchmark.
  class Command
    ROOT = File.expand_path("..", __dir__)
    SCRATCH = File.join(ROOT, "tmp")
    GROUPS = (Runner::GROUPS.keys + Runner::WHOLE).freeze

    # yjit? returns whether this Ruby has YJIT. A Ruby without YJIT prints a warning for --yjit and
    # continues, so yjit? asks a child process whether YJIT is on.
    def self.yjit?
      IO.popen([RbConfig.ruby, "--yjit", "-e", "print defined?(RubyVM::YJIT) ? RubyVM::YJIT.enabled? : false"], err: File::NULL, &:read) == "true"
    end

    def initialize(arguments)
      @options = { sets: [], groups: [], slot: 0.1, rounds: 15, elements: 10_000_000, ours: File.join(ROOT, "lib") }
      parser.parse!(arguments)
      raise OptionParser::NeedlessArgument, arguments.first if arguments.any?
      if @options[:report] && (@options[:sets] + @options[:groups]).any?
        raise OptionParser::InvalidOption, "--report requires all sets and operations: remove --set and --op"
      end

      @options[:sets] = Data::NAMES if @options[:sets].empty?
      @options[:groups] = GROUPS if @options[:groups].empty?
    end

    # run runs the measurements, prints the results and returns the exit status.
    def run
      workers = start({})
      workers.notices.each { |notice| warn(notice) }
      Machine.rows(workers).each { |name, what| puts "#{name.ljust(10)} #{what}" }
      results = Runner.new(workers, @options.merge(scratch: SCRATCH, start: method(:start))).run
      show(results, workers)
    ensure
      workers&.close
    end

    private

    def start(environment)
      json = Dir[File.join(SCRATCH, "json", "*/")].join(File::PATH_SEPARATOR)
      Workers.new(ours: @options[:ours], json: json.empty? ? nil : json, environment: environment, flags: @options[:yjit] ? ["--yjit"] : [])
    end

    def show(results, workers)
      Tables.new(results, workers).all.each { |table| puts "", table }
      Report.new(results, workers, date: Time.now.strftime("%F")).write(__dir__) if @options[:report]
      return 0 unless @options[:bars]

      bars = Bars.of(results)
      puts "", bars.empty? ? "no bars: no measured operation has a promise" : bars
      @options[:strict] && (bars.empty? || !bars.all?(&:kept?)) ? 1 : 0
    end

    def parser
      OptionParser.new do |o|
        o.banner = <<~TEXT
          ruby bench/run.rb [flags]: times the gem against msgpack, json, oj and bson.

          Each library has a process of its own. In each round, each library gets one slot per operation. A time is the median of
          the rounds, and a ratio is the median of the ratios of the rounds. The garbage collector is on, and runs once before each
          slot, outside the timing. Before the timing, each operation is checked; the run fails if a result is wrong.

          bench/json downloads the newest json that Debian has for this Ruby. Without it, Ruby's own json is measured.

        TEXT
        o.on("--set NAME", Data::NAMES, "data set to measure (default all); may be repeated:", Data::NAMES.join(" ")) { |v| @options[:sets] << v }
        o.on("--op NAME", GROUPS.map(&:to_s), "group of operations to measure (default all); may be repeated:", GROUPS.join(" ")) { |v| @options[:groups] << v.to_sym }
        o.on("--slot MS", Float, "length of a slot in ms (100)") { |v| @options[:slot] = v / 1000 }
        o.on("--rounds N", Integer, "number of rounds (15)") { |v| @options[:rounds] = v }
        o.on("--elements N", Integer, "number of elements of the streamed array (10000000)") { |v| @options[:elements] = v }
        o.on("--ours PATH", "load path of the gem (default #{File.join('..', 'lib')}, relative to bench)") { |v| @options[:ours] = v }
        o.on("--yjit", "run Ruby with YJIT; fails if this Ruby has none") do
          raise OptionParser::InvalidOption, "--yjit: this Ruby was built without YJIT" unless Command.yjit?

          @options[:yjit] = true
        end
        o.on("--bars", "check the promised factors of the gem") { @options[:bars] = true }
        o.on("--strict", "like --bars, and exit with 1 if a promise is missed; 2 is a failed run") do
          @options[:bars] = @options[:strict] = true
        end
        o.on("--report", "write bench/RESULTS.md and bench/gem.svg") { @options[:report] = true }
      end
    end
  end
end

begin
  exit Bench::Command.new(ARGV).run
rescue OptionParser::ParseError, Bench::Failed => e
  warn e.message
  exit 2
end
