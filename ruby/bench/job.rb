# frozen_string_literal: true

module Bench
  # A Job is one operation of a library on one data set. The constructor checks the result of the
  # operation, compiles the operation into a loop, and makes it ready for timing. One turn of the
  # loop runs the operation once, or once for each value of a run that the unpacker is fed.
  class Job
    WrongValue = Class.new(StandardError)

    RUN = 65_536 # minimum bytes of a run
    # UNROLLED is the number of copies of a short operation in its loop body. The copies make
    # the cost of the loop itself negligible.
    UNROLLED = 16
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

    # time returns the time of one operation in seconds, measured over about the given number of
    # seconds.
    def time(seconds)
      @enough ||= turns(seconds)
      GC.start
      clock(@enough) / (@enough * @values)
    end

    # repeat runs the operation for about 20 ms and returns the number of operations.
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
        # The skipped value is consumed, and the value after it is complete.
        when :nothing then block("#{text}; [unpacker.buffer.empty?, unpacker.feed(bytes).read]").call.eql?([true, @value])
        end
      raise WrongValue, "#{@operation.text} returns a wrong value" unless right
    end

    def compile
      turn = @operation.text
      @values = @step = 1
      if @runs
        @values = UNROLLED * (RUN / (UNROLLED * @bytes.bytesize) + 1) if @bytes.bytesize < RUN
        turn = "unpacker.feed(run); #{@values == 1 ? turn : repeated(turn, 'value_of_run', @values, UNROLLED)}"
      end
      @loop = block(repeated(turn, "turn", "turns", 1))
      # The first call is slow, so the minimum of three calls counts.
      return if @values > 1 || Array.new(3) { clock(1) }.min > SHORT

      @step = UNROLLED
      @loop = block(repeated(turn, "turn", "turns", UNROLLED))
    end

    def repeated(text, index, times, unrolled)
      "#{index} = 0; while #{index} < #{times}; #{([text] * unrolled).join('; ')}; #{index} += #{unrolled}; end"
    end

    # block compiles text into a lambda with the local variables that the text may use.
    def block(text)
      compiled = eval("->(turns, value, bytes, run, packer, unpacker) { #{text} }", binding, __FILE__, __LINE__)
      locals = [@value, @bytes, @bytes * (@values || 1), *@library.tools]
      ->(turns = 1) { compiled.call(turns, *locals) }
    end

    # turns returns the number of turns that takes about the given seconds, a multiple of the loop's
    # step.
    def turns(seconds)
      count = @step
      count *= 2 while (took = clock(count)) < seconds / 8
      (count * seconds / took / @step).round.clamp(1..) * @step
    end

    # clock returns the seconds that the given number of turns takes.
    def clock(turns)
      from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      @loop.call(turns)
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - from
    end
  end
end
