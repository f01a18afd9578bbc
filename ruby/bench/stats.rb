# frozen_string_literal: true

module Bench
  # Stats computes medians and formats figures.
  module Stats
    module_function

    def median(values)
      sorted = values.sort
      middle = sorted.size / 2
      sorted.size.odd? ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0
    end

    # figure formats a number with three significant digits. It formats numbers of 100 or more as
    # whole numbers, with all digits.
    def figure(number)
      return format("%.0f", number) if number >= 99.95

      format(number >= 9.995 ? "%.1f" : "%.2f", number)
    end

    def microseconds(seconds) = figure(seconds * 1e6)

    # duration formats a time in ms, µs or ns, whichever fits.
    def duration(seconds)
      return "#{figure(seconds * 1e3)} ms" if seconds >= 999.5e-6
      return "#{figure(seconds * 1e6)} µs" if seconds >= 9.995e-6

      "#{figure(seconds * 1e9)} ns"
    end

    # count formats a number of things. The number may have a fraction, because several operations
    # may share one object or call.
    def count(number) = number < 9.95 ? number.round(1).to_s.delete_suffix(".0") : grouped(number.round)

    # times formats a ratio.
    def times(ratio) = "×#{figure(ratio)}"

    # grouped formats a whole number with a comma between thousands.
    def grouped(number) = number.to_i.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")
    def megabytes(bytes) = "#{figure(bytes / 1e6)} MB"
  end
end
