# frozen_string_literal: true

require "rbconfig"
require_relative "library"

module Bench
  Failed = Class.new(StandardError)

  # Worker is the runner's connection to one worker process.
  class Worker
    attr_reader :name, :version, :operations, :ruby

    def initialize(name, load_path: nil, environment: {}, flags: [])
      @name = name
      @load_path = load_path
      command = [RbConfig.ruby, *flags, *("-I#{load_path}" if load_path), File.join(__dir__, "worker.rb"), name]
      @pipe = IO.popen(environment, command, "r+b")
      hello = ask(:hello)
      @version, @own_version, @operations, @ruby = hello.values_at(:version, :own_version, :operations, :ruby)
    end

    def ask(*request)
      Marshal.dump(request, @pipe)
      @pipe.flush
      status, answer = Marshal.load(@pipe)
      status == :done ? answer : raise(Failed, "#{@name}: #{answer}")
    rescue EOFError, Errno::EPIPE
      raise Failed, "#{@name}: the worker died"
    end

    # title returns the title of the column. It omits the version for our library.
    def title = @name == "ours" ? "slipstream" : @name.sub(/†?\z/) { |mark| " #{@version}#{mark}" }

    # description returns the title with the details that tell variants of a library apart.
    def description
      case @name
      when "ours" then "#{title} #{@own_version} (as msgpack #{@version})"
      when "json" then "#{title} (#{@load_path ? 'of bench/json' : "Ruby's own"})"
      else title
      end
    end

    def close = @pipe.close
  end

  # Workers is the set of all workers that started, with ours first.
  class Workers
    include Enumerable

    attr_reader :notices

    # ours is the load path of our library. json is the load path of a json that is newer than
    # Ruby's own, or nil.
    def initialize(ours:, json:, names: Libraries::ALL.keys, environment: {}, flags: [])
      @notices = []
      @workers = names.filter_map do |name|
        next absent("#{name}: there is no msgpack.rb in #{ours}") if name == "ours" && no_msgpack?(ours)

        Worker.new(name, load_path: { "ours" => ours, "json" => json }[name], environment: environment, flags: flags)
      rescue Failed => e
        absent(e.message)
      end
      raise Failed, "there is no library to measure" if @workers.empty?
    end

    def each(&block) = @workers.each(&block)
    def [](name) = find { |worker| worker.name == name }
    def able(operation) = select { |worker| worker.operations.include?(operation) }
    def close = each(&:close)

    private

    # Without this check, Ruby would load the msgpack gem instead, and the column of ours would show
    # the times of the msgpack gem.
    def no_msgpack?(load_path)
      load_path.split(File::PATH_SEPARATOR).none? { |directory| File.file?(File.join(directory, "msgpack.rb")) }
    end

    def absent(reason)
      @notices << "not measured: #{reason}"
      nil
    end
  end
end
