# frozen_string_literal: true

require "tempfile"

# Each writing method writes the same bytes to each io as to the packer's own buffer, whether it is
# flushed after each call or only at the end.
RSpec.describe MessagePack::Packer do
  long = "x" * 300_000
  write = {
    write: [[nil], [1], ["a"], [long], [[1, { "a" => 2.5 }]], [Time.at(1)]], pack: [[1]], write_nil: [[]], write_true: [[]], write_false: [[]],
    write_int: [[-1], [2**64 - 1]], write_float: [[1.5]], write_float32: [[1.5]], write_string: [["é"], [long]], write_bin: [["\xff".b], [long.b]],
    write_bin_header: [[3], [70_000]], write_symbol: [[:a]], write_array: [[[1, long]]], write_hash: [[{ "a" => long }]], write_array_header: [[3], [70_000]],
    write_map_header: [[3], [70_000]], write_ext: [[5, "ab".b], [5, long.b]], write_extension: [[MessagePack::ExtensionValue.new(5, "ab".b)]]
  }
  others = %i[buffer clear compatibility_mode? empty? flush full_pack register_type register_type_internal registered_types registered_types_internal reset size to_a to_s to_str
              type_registered? write_to]
  sinks = {
    "a StringIO" => [-> { StringIO.new("".b) }, :string.to_proc],
    "a file" => [-> { Tempfile.new("sink", binmode: true) }, ->(file) { File.binread(file.tap(&:flush).path) }],
    "an io with write" => [-> { Ios::Sink.new }, :bytes.to_proc],
    "an io with <<" => [-> { Ios::Shovel.new }, :bytes.to_proc]
  }
  packer = ->(*io) { MessagePack::Packer.new(*io).tap { |packer| packer.register_type(-1, Time) { |time| [time.to_i].pack("N") } } }

  it("covers all public methods", :ours) { expect(described_class.public_instance_methods(false)).to match_array(write.keys + others) }

  write.each do |name, calls|
    next unless described_class.method_defined?(name)

    sinks.each do |sink, (make, read)|
      [1, 100].each do |times|
        it "#{name}, called #{times} times for each value, writes the same to #{sink} as to the buffer" do
          calls.each do |arguments|
            want = packer.call
            times.times { want.public_send(name, *arguments) }
            [true, false].each do |each_time|
              io = make.call
              got = packer.call(io)
              times.times do
                got.public_send(name, *arguments)
                got.flush if each_time
              end
              got.flush
              expect(read.call(io) == want.to_s).to be(true)
              io.close! if io.is_a?(Tempfile)
            end
          end
        end
      end
    end
  end
end
