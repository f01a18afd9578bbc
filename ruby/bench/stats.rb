# frozen_string_literal: true

module Bench
  # Stats sums up rounds, and prints figures.
  module Stats
    module_function

    def median(values)
      sorted = values.sort
      middle = sorted.size / 2
      sorted.size.odd? ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0
    end

    # figure prints three digits, and whole numbers from 100 on in full.
    def figure(number)
      return format("%.0f", number) if number >= 99.95

      format(number >= 9.995 ? "%.1f" : "%.2f", number)
    end

    def microseconds(seconds) = figure(seconds * 1e6)

    # duration prints the unit that fits.
    def duration(seconds)
      return "#{figure(seconds * 1e3)} ms" if seconds >= 999.5e-6
      return "#{figure(seconds * 1e6)} µs" if seconds >= 9.995e-6

      "#{figure(seconds * 1e9)} ns"
    end

    # count prints a number of things, of which there may be parts where many operations share one.
    def count(number) = number < 9.95 ? number.round(1).to_s.delete_suffix(".0") : grouped(number.round)

    # times prints a ratio.
    def times(ratio) = "×#{figure(ratio)}"

    # grouped prints a whole number with its thousands apart.
    def grouped(number) = number.to_i.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")
    def megabytes(bytes) = "#{figure(bytes / 1e6)} MB"
  end
end
