# frozen_string_literal: true

require "etc"

module Bench
  # Machine is where the figures come from.
  module Machine
    module_function

    # rows are pairs of a name and what it is.
    def rows(crew)
      [["processor", "#{processor}, #{Etc.nprocessors} cores"],
       ["system", Etc.uname.values_at(:sysname, :release, :machine).join(" ")],
       ["ruby", crew.first.ruby], # of the workers: with --yjit it names YJIT
       ["libraries", crew.map(&:description).join(", ")],
       ["collector", "on, #{settings}; GC.start runs before each slot, and the times do not include it"]]
    end

    def processor
      File.foreach("/proc/cpuinfo").find { |line| line.start_with?("model name") }&.split(":", 2)&.last&.strip || "unknown"
    rescue SystemCallError
      "unknown"
    end

    def settings
      set = ENV.select { |name, _| name.start_with?("RUBY_GC_", "RUBYOPT", "MALLOC_", "LD_PRELOAD") }
      set.empty? ? "with Ruby's default settings" : set.map { |pair| pair.join("=") }.join(" ")
    end
  end
end
