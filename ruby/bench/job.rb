# frozen_string_literal: true

module Bench
  # A Job is one operation of a library upon one data set: proved right, compiled into a loop, and ready to be timed. A turn of the
  # loop does the operation once, or for each value of a run that the unpacker is fed.
  class Job
    WrongValue = Class.new(StandardError)

    RUN = 65_536 # bytes of a run, at least
    UNROLLED = 16 # how often the text of a short operation stands in its loop, so that the loop's own steps do not count
    SHORT = 20e-6

    def initialize(library, name, value)
      @library = library
      @operation = library.operations.fetch(name)
      @value = library.form(value)
      @bytes = library.bytes(@value)
      @runs = %i[read skip].include?(name)
      prove
      compile
    end

    attr_reader :bytes

    # time is what one operation takes, in seconds, when it is done over and over for about so many seconds.
    def time(seconds)
      @enough ||= turns(seconds)
      GC.start
      clock(@enough) / (@enough * @values)
    end

    # repeat does the operation for some 20 ms, and tells how often it did.
    def repeat
      @few ||= turns(0.02)
      @loop.call(@few)
      @few * @values
    end

    private

    def prove
      text = @runs ? "unpacker.feed(bytes); #{@operation.text}" : @operation.text
      right =
        case @operation.gives
        when :bytes then @library.value(block(text).call).eql?(@value)
        when :value then block(text).call.eql?(@value)
        when :symbols then block(text).call.eql?(Data.with_symbols(@value))
        # What was skipped is gone, and what comes after it is whole.
        when :nothing then block("#{text}; [unpacker.buffer.empty?, unpacker.feed(bytes).read]").call.eql?([true, @value])
        end
      raise WrongValue, "#{@operation.text} gives a wrong value" unless right
    end

    def compile
      turn = @operation.text
      @values = @step = 1
      if @runs
        @values = UNROLLED * (RUN / (UNROLLED * @bytes.bytesize) + 1) if @bytes.bytesize < RUN
        turn = "unpacker.feed(run); #{@values == 1 ? turn : repeated(turn, 'value_of_run', @values, UNROLLED)}"
      end
      @loop = block(repeated(turn, "turn", "turns", 1))
      return if @values > 1 || Array.new(3) { clock(1) }.min > SHORT # the first call of anything is slow

      @step = UNROLLED
      @loop = block(repeated(turn, "turn", "turns", UNROLLED))
    end

    def repeated(text, index, times, unrolled)
      "#{index} = 0; while #{index} < #{times}; #{([text] * unrolled).join('; ')}; #{index} += #{unrolled}; end"
    end

    # block compiles text, with the locals that it may use.
    def block(text)
      compiled = eval("->(turns, value, bytes, run, packer, unpacker) { #{text} }", binding, __FILE__, __LINE__)
      locals = [@value, @bytes, @bytes * (@values || 1), *@library.tools]
      ->(turns = 1) { compiled.call(turns, *locals) }
    end

    # turns is how many of them fill the time, in whole steps of the loop.
    def turns(seconds)
      count = @step
      count *= 2 while (took = clock(count)) < seconds / 8
      (count * seconds / took / @step).round.clamp(1..) * @step
    end

    # clock is how long so many turns take.
    def clock(turns)
      from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      @loop.call(turns)
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - from
    end
  end
end
