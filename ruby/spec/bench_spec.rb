# frozen_string_literal: true

require "json"
require "rexml/document"
require_relative "../bench/bars"
require_relative "../bench/chart"
require_relative "../bench/data"
require_relative "../bench/job"
require_relative "../bench/library"
require_relative "../bench/measure"
require_relative "../bench/tables"

RSpec.describe "The benchmark harness" do
  describe Bench::Stats do
    it "returns the middle value, or the mean of the two middle values" do
      expect(described_class.median([9, 1, 2])).to eq(2)
      expect(described_class.median([4, 1, 2, 9])).to eq(3)
    end

    it "formats numbers with three significant digits" do
      figures = [0.123, 9.994, 9.996, 99.94, 99.96, 1234.5].map { |number| described_class.figure(number) }
      expect(figures).to eq(%w[0.12 9.99 10.0 99.9 100 1234])
      expect([0.2, 12e-6, 150e-9].map { |seconds| described_class.duration(seconds) }).to eq(["200 ms", "12.0 µs", "150 ns"])
      expect([1_234_567, 999].map { |number| described_class.grouped(number) }).to eq(%w[1,234,567 999])
      expect([8.0, 1.25, 300.4].map { |number| described_class.count(number) }).to eq(%w[8 1.3 300])
    end
  end

  def measured(set, times)
    Bench::Measured.new(set).tap do |m|
      times.each { |(name, operation), seconds| seconds.each { |s| m.add(name, operation, s) } }
    end
  end

  it "computes the ratio per round, so that one slow round does not change the result" do
    m = measured("geo", ["ours", :pack] => [1.0, 10.0, 1.0], ["json", :pack] => [2.0, 20.0, 30.0])
    expect(m.ratio("json", :pack, to: ["ours", :pack])).to eq(2.0)
    expect(m.median("json", :pack)).to eq(20.0)
  end

  describe Bench::Bars do
    def lines(results) = described_class.of(results).map(&:to_s)

    it "requires a higher factor for the sets tiny and integers" do
      results = Bench::Results.new
      %w[tiny geo].each do |set|
        results.unpack[set] = measured(set, ["ours", :unpack] => [1.0], ["msgpack", :unpack] => [2.0], ["json", :unpack] => [0.9])
      end
      expect(lines(results)).to eq(["MISSED  deserialize tiny against msgpack: ×2.00, promised ≥ ×3.00",
                                    "MISSED  deserialize tiny against json: ×0.90, promised ≥ ×1.00",
                                    "OK      deserialize geo against msgpack: ×2.00, promised ≥ ×1.80",
                                    "MISSED  deserialize geo against json: ×0.90, promised ≥ ×1.00"])
    end

    it "requires only msgpack's speed for single kinds of values, Symbol keys and reused packers" do
      results = Bench::Results.new
      results.pack["text"] = measured("text", ["ours", :pack] => [1.0], ["msgpack", :pack] => [1.1])
      results.symbolize["geo"] = measured("geo", ["ours", :symbolize] => [1.0], ["msgpack", :symbolize] => [0.9])
      results.reused["nil"] = measured("nil", ["ours", :repack] => [1.0], ["msgpack", :repack] => [2.0], ["ours", :reread] => [1.0], ["msgpack", :reread] => [0.5])
      expect(lines(results)).to eq(["OK      serialize text against msgpack: ×1.10, promised ≥ ×1.00",
                                    "MISSED  deserialize with Symbols geo against msgpack: ×0.90, promised ≥ ×1.00",
                                    "OK      a kept packer, nil, against msgpack: ×2.00, promised ≥ ×1.00",
                                    "MISSED  a kept unpacker, nil, against msgpack: ×0.50, promised ≥ ×1.00"])
    end

    it "compares skip with our own read, and the time per chunk for many chunks with the time for few" do
      results = Bench::Results.new
      results.skip["geo"] = measured("geo", ["ours", :read] => [5.0], ["ours", :skip] => [1.0], ["msgpack", :read] => [9.0], ["msgpack", :skip] => [9.0])
      results.feed[10] = measured("feed", ["ours", :feed] => [10.0])
      results.feed[40] = measured("feed", ["ours", :feed] => [80.0])
      expect(lines(results)).to eq(["OK      skip geo against read: ×5.00, promised ≥ ×5.00",
                                    "MISSED  feed, a chunk of 40 against one of 10: ×2.00, promised ≤ ×1.50"])
    end

    it "is empty if our library was not measured" do
      results = Bench::Results.new
      results.pack["geo"] = measured("geo", ["msgpack", :pack] => [1.0], ["json", :pack] => [1.0])
      expect(described_class.of(results)).to be_empty
    end
  end

  describe Bench::Table do
    let(:table) { described_class.new("Title", note: "Note.", head: %w[set a], rows: [["geo", "1"], ["model3d", "12.3"]]) }

    it "aligns the columns of the text" do
      expect(table.to_s).to eq("Title. Note.\n\nset         a\ngeo         1\nmodel3d  12.3\n")
    end

    it "renders Markdown" do
      expect(table.to_markdown).to eq("### Title\n\nNote.\n\n| set | a |\n|---|---:|\n| geo | 1 |\n| model3d | 12.3 |\n")
    end
  end

  it "draws bars in proportion to the ratio, and a stub for a bar that exceeds the axis" do
    sides = [["ours", 1.0], ["json", 2.0], ["bson", 60.0]].map { |name, ratio| Bench::Chart::Side.new(name, name, 1e-6 * ratio, ratio) }
    svg = REXML::Document.new(Bench::Chart.new("a < b & c", "when", [["serialize", sides]]).to_svg)
    bars = REXML::XPath.match(svg, "//*[@fill]").group_by { |bar| bar.attributes["fill"] }
                       .transform_values { |found| found.map { |bar| bar.attributes["width"].to_f } }
    ours, json, bson = bars.values_at(*Bench::Chart::COLOURS.values_at("ours", "json", "bson"))
    expect(json.sum).to be_within(0.2).of(2 * ours.sum)
    expect(bson).to eq([Bench::Chart::BAR_END - Bench::Chart::BAR_START, Bench::Chart::STUB].map(&:to_f))
    texts = REXML::XPath.match(svg, "//*[local-name()='text']").map { |text| REXML::Text.unnormalize(text.text) }
    expect(texts).to include("a < b & c", "1000 ns", "×2.00", "×60.0")
  end

  describe Bench::Data do
    sizes = { "tiny" => 28, "twitter" => 4060, "timeline" => 463_000, "image-tail" => 8026, "image-head" => 8026, "integers" => 8321,
              "geo" => 2406, "model3d" => 721_000, "nil" => 4, "true" => 4, "false" => 5, "bignums" => 20_001, "text" => 1_000_012,
              "texts" => 100_601, "blobs" => 4_369_351, "map" => 157_781 }

    described_class::NAMES.each do |name|
      it "builds the same #{name} each time, with the documented size" do
        value = described_class.build(name)
        expect(described_class.build(name)).to eql(value)
        text = JSON.generate(described_class.with_blobs(value) { |blob| [blob].pack("m0") })
        expect(text.bytesize).to be_within(text.bytesize > 10_000 ? 500 : 0).of(sizes.fetch(name))
      end
    end

    it "builds integers from Pascal's triangle" do
      expect(described_class.pascal(4)).to eq([[1], [1, 1], [1, 2, 1], [1, 3, 3, 1]])
      expect(described_class.build("integers").size).to eq(3120)
    end

    it "puts the binary first or last, as the name of the set says" do
      expect(described_class.build("image-tail").keys).to eq(%w[name type width data])
      expect(described_class.build("image-head").keys).to eq(%w[data name type width])
      expect(described_class.build("image-head")["data"]).to have_attributes(bytesize: 5965, encoding: Encoding::BINARY)
    end
  end

  describe Bench::Job do
    def library(unpack) = Bench::Libraries::Json.new.tap { |json| json.define_singleton_method(:operations) { { unpack: unpack } } }

    it "times an operation that returns the right value" do
      job = described_class.new(library(Bench::Operation.new("JSON.parse(bytes)", :value)), :unpack, { "a" => [1, 2.5] })
      expect(job.bytes).to eq('{"a":[1,2.5]}')
      expect(job.time(0.001)).to be_between(1e-8, 1e-3)
      expect(job.repeat).to be_positive
    end

    it "checks for Symbol keys at all levels" do
      right = Bench::Operation.new("JSON.parse(bytes, symbolize_names: true)", :symbols)
      expect(described_class.new(library(right), :unpack, [{ "a" => { "b" => 1 } }]).repeat).to be_positive
      expect { described_class.new(library(Bench::Operation.new("JSON.parse(bytes)", :symbols)), :unpack, { "a" => 1 }) }.to raise_error(Bench::Job::WrongValue)
    end

    it "rejects an operation that returns a wrong value, even an Integer in place of a Float" do
      wrong = Bench::Operation.new("{ 'a' => 1 }", :value)
      expect { described_class.new(library(wrong), :unpack, { "a" => 1.0 }) }.to raise_error(Bench::Job::WrongValue)
    end
  end
end
