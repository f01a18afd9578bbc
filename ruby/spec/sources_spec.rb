# frozen_string_literal: true

require "tmpdir"

# Each reading method returns the same result from each source: whatever the io returns per call,
# and whether the method is the first call or follows another. The result of fed bytes is the
# reference. Other specs check that result against the vectors.
RSpec.describe MessagePack::Unpacker do
  values = [
    "c0", "c2", "05", "e0", "cc ff", "cd ff*2", "ce ff*4", "cf ff*8", "d0 80", "d3 80 00*7", "ca 3f 80 00*2", "cb 3f f0 00*6", "a0", "a1 61", "bf 61*31", "d9 02 61*2",
    "da 01 00 61*256", "a1 ff", "c4 00", "c4 02 61*2", "c5 01 00 61*256", "90", "91 c0", "9f 01*15", "dc 00 10 01*16", "dd 00*3 02 01 02", "80", "81 a1 61 01",
    "8f 01*30", "de 00 10 01*32", "df 00*3 01 01 02", "93 91 91 90 81 a1 61 81 a1 62 90 c0", "d4 05 61", "c7 03 05 61*3", "d6 ff 00*4", "c1", "91 c1"
  ]
  read = {
    read: :read, unpack: :unpack, full_unpack: :full_unpack, skip: :skip, skip_nil: :skip_nil, consume_nil: :consume_nil, peek_type: :peek_type,
    read_array_header: :read_array_header, read_map_header: :read_map_header, read_raw: :read_raw, count: :count,
    each: ->(unpacker) { unpacker.each.to_a }, feed_each: ->(unpacker) { unpacker.feed_each("").to_a }
  }
  others = %i[allow_unknown_ext? buffer feed feed_reference freeze? register_type register_type_internal registered_types registered_types_internal reset
              symbolize_keys? transactional? type_registered?]
  before = { "first" => nil, "after a value" => "05", "after a header" => "91" }
  after = { "at the end of the input" => "", "before a value" => "c3" }
  sources = {
    "a fed reference" => ->(bytes, _) { [nil, ->(unpacker) { unpacker.feed_reference(bytes.freeze) }] },
    "bytes fed one by one" => ->(bytes, _) { [nil, ->(unpacker) { bytes.each_char { |byte| unpacker.feed(byte) } }] },
    "a StringIO" => ->(bytes, _) { [StringIO.new(bytes)] },
    "a file" => ->(bytes, files) { [files.call(bytes)] },
    "an io with readpartial, 1 byte per call" => ->(bytes, _) { [Ios::Drip.new(bytes, 1, by: :readpartial)] },
    "an io with read, 3 bytes per call" => ->(bytes, _) { [Ios::Drip.new(bytes, 3)] },
    "an io that returns everything at once" => ->(bytes, _) { [Ios::Script.new(bytes)] }
  }

  # Returns what the method returns or raises, and what can be read after it.
  outcome = lambda do |unpacker, method, preceding|
    case preceding
    when "05" then unpacker.read
    when "91" then unpacker.read_array_header
    end
    found = [method, :read].map do |name|
      name.is_a?(Proc) ? name.call(unpacker) : unpacker.public_send(name)
    rescue EOFError
      EOFError # its message depends on the source in the msgpack gem
    rescue MessagePack::UnpackError => e
      [e.class, e.message]
    end
    found.map { |value| value.is_a?(MessagePack::ExtensionValue) ? value.to_a : value }
  end

  it("covers all public methods", :ours) { expect(described_class.public_instance_methods(false)).to match_array(read.keys + others) }

  read.each do |name, method|
    next unless described_class.method_defined?(name)

    sources.each do |source, make|
      before.each do |place, preceding|
        it "#{name}, #{place}, returns the same from #{source} as from fed bytes" do
          Dir.mktmpdir do |directory|
            files = lambda do |bytes|
              path = File.join(directory, "input")
              File.binwrite(path, bytes)
              File.open(path, "rb")
            end
            values.product(after.values) do |value, following|
              # full_unpack rejects only those extra bytes that the io has already returned.
              next if name == :full_unpack && source.include?("per call") && !following.empty?

              whole = hex("#{preceding} #{value} #{following}")
              cuts = following.empty? ? (preceding.to_s.size / 2..[whole.bytesize, 40].min).to_a | [whole.bytesize] : [whole.bytesize]
              cuts.each do |cut|
                bytes = whole.byteslice(0, cut)
                want = outcome.call(described_class.new(allow_unknown_ext: true).feed(bytes), method, preceding)
                io, feed = make.call(bytes.dup, files)
                unpacker = described_class.new(io, allow_unknown_ext: true)
                feed&.call(unpacker)
                expect([bytes, outcome.call(unpacker, method, preceding)]).to eq([bytes, want])
                io.close if io.is_a?(File)
              end
            end
          end
        end
      end
    end
  end
end
