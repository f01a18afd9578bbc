# frozen_string_literal: true

require "etc"

module Bench
  # Machine describes the computer and the software that produce the figures.
  module Machine
    module_function

    # rows returns pairs of a name and a description.
    def rows(workers)
      [["processor", "#{processor}, #{Etc.nprocessors} cores"],
       ["system", Etc.uname.values_at(:sysname, :release, :machine).join(" ")],
       ["ruby", workers.first.ruby], # reported by a worker, so that it names YJIT with --yjit
       ["libraries", workers.map(&:description).join(", ")],
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
