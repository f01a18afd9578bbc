# frozen_string_literal: true

require "open3"
require "rbconfig"

# Runs Ruby text in a process of its own: for what may end a process, for what is settled when the gem is loaded, and for
# measures of memory that nothing else may disturb.
module Child
  PRELUDE = <<~RUBY
    # encoding: UTF-8
    Warning[:experimental] = false
    #{PEER ? 'gem "msgpack"' : "$LOAD_PATH.unshift(#{LIB.inspect})"}
    require "msgpack"

    # A measure of this process in KiB, as the kernel tells: VmRSS is the memory in use, VmPeak the most that was ever asked for.
    def memory(name)
      File.read("/proc/self/status")[/^\#{name}:\\s+(\\d+) kB/, 1].to_i
    end

    # By how many KiB the block lets the measure grow.
    def growth(name)
      before = memory(name)
      yield
      memory(name) - before
    end
  RUBY

  # What the script printed. It is an error when the script fails.
  def child(script, env: {})
    out, err, status = Open3.capture3(env, RbConfig.ruby, "-", stdin_data: PRELUDE + script)
    raise "the child ended with #{status}:\n#{err[0, 4000]}" unless status.success?

    out
  end

  # As child, where the kernel tells how much memory a process uses, and nothing holds it back to see who still reaches for it.
  def measured(script, **options)
    skip "there is no /proc here" unless File.exist?("/proc/self/status")
    skip "checked memory is not given back at once" if ENV.key?("ASAN_OPTIONS")
    child(script, **options)
  end
end
