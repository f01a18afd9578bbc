# frozen_string_literal: true

# Times the gem against other libraries; see ruby bench/run.rb --help. It needs only Ruby's standard
# library and the libraries that it measures.
#
#   run.rb      flags and output of the results
#   runner.rb   order of the measurements
#   crew.rb     runner's side of the workers: one process for each library
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
    # continues, so yjit? asks the child process.
    def self.yjit?
      IO.popen([RbConfig.ruby, "--yjit", "-e", "print defined?(RubyVM::YJIT) ? RubyVM::YJIT.enabled? : false"], err: File::NULL, &:read) == "true"
    end

    def initialize(arguments)
      @options = { sets: [], groups: [], slot: 0.1, rounds: 15, elements: 10_000_000, ours: File.join(ROOT, "lib") }
      parser.parse!(arguments)
      raise OptionParser::NeedlessArgument, arguments.first if arguments.any?
      if @options[:report] && (@options[:sets] + @options[:groups]).any?
        raise OptionParser::InvalidOption, "--report wants all sets and operations"
      end

      @options[:sets] = Data::NAMES if @options[:sets].empty?
      @options[:groups] = GROUPS if @options[:groups].empty?
    end

    # run runs the measurements, prints the results and returns the exit status.
    def run
      crew = start({})
      crew.notices.each { |notice| warn(notice) }
      Machine.rows(crew).each { |name, what| puts "#{name.ljust(10)} #{what}" }
      results = Runner.new(crew, @options.merge(scratch: SCRATCH, crew: method(:start))).run
      show(results, crew)
    ensure
      crew&.close
    end

    private

    def start(environment)
      json = Dir[File.join(SCRATCH, "json", "*/")].join(File::PATH_SEPARATOR)
      Crew.new(ours: @options[:ours], json: json.empty? ? nil : json, environment: environment, flags: @options[:yjit] ? ["--yjit"] : [])
    end

    def show(results, crew)
      Tables.new(results, crew).all.each { |table| puts "", table }
      Report.new(results, crew, date: Time.now.strftime("%F")).write(__dir__) if @options[:report]
      return 0 unless @options[:bars]

      bars = Bars.of(results)
      puts "", bars.empty? ? "no bars: nothing that has one was measured" : bars
      @options[:strict] && (bars.empty? || !bars.all?(&:kept?)) ? 1 : 0
    end

    def parser
      OptionParser.new do |o|
        o.banner = <<~TEXT
          ruby bench/run.rb [flags]: times the gem against msgpack, json, oj and bson.

          Each library has a process of its own. They work in turn, a slot each, for some rounds; a time is the median of the rounds, a
          ratio the median of the rounds' ratios. The collector is on, and runs once before each slot, outside of the time. Before
          anything is timed each library proves that it gives the right values; else the run fails.

          bench/json brings the newest json that Debian has for this Ruby. Without it Ruby's own is measured.

        TEXT
        o.on("--set NAME", Data::NAMES, "measure this data set only; may be repeated:", Data::NAMES.join(" ")) { |v| @options[:sets] << v }
        o.on("--op NAME", GROUPS.map(&:to_s), "measure this only; may be repeated:", GROUPS.join(" ")) { |v| @options[:groups] << v.to_sym }
        o.on("--slot MS", Float, "how long a slot is (100)") { |v| @options[:slot] = v / 1000 }
        o.on("--rounds N", Integer, "how many rounds there are (15)") { |v| @options[:rounds] = v }
        o.on("--elements N", Integer, "how long the array is that is streamed (10000000)") { |v| @options[:elements] = v }
        o.on("--ours PATH", "the load path of the gem (#{File.join('..', 'lib')} from here)") { |v| @options[:ours] = v }
        o.on("--yjit", "the same with YJIT, where this Ruby has it") do
          raise OptionParser::InvalidOption, "--yjit: this Ruby was built without YJIT" unless Command.yjit?

          @options[:yjit] = true
        end
        o.on("--bars", "check the promises of the gem") { @options[:bars] = true }
        o.on("--strict", "the same, and exit with 1 if one is missed; 2 is for a run that failed") do
          @options[:bars] = @options[:strict] = true
        end
        o.on("--report", "write bench/RESULTS.md and bench/charts/*.svg") { @options[:report] = true }
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
