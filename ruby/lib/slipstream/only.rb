# frozen_string_literal: true

# What belongs to this gem alone; the API is in {MessagePack}.
module Slipstream
  # Keeps one library of MessagePack in a process: the msgpack gem and slipstream-msgpack define the same classes. The one that
  # is loaded first stays.
  module Only
    OURS = File.expand_path("../msgpack.rb", __dir__)
    private_constant :OURS

    # @return [String, nil] the file of the msgpack gem, if it was loaded first
    def self.other
      return if !defined?(::MessagePack::Factory) || ::MessagePack.const_defined?(:SLIPSTREAM) # which the extension defines

      $LOADED_FEATURES.find { |file| file.end_with?("/msgpack.rb") } || "an unknown file"
    end

    # @raise [LoadError] if the msgpack gem was loaded first
    def self.check
      raise LoadError, text(other) if other
    end

    # @return [Boolean] whether slipstream-msgpack may be loaded. If not, a warning says what to do.
    def self.may_load?
      file = other
      warn(text(file), category: nil) if file
      file.nil?
    end

    def self.text(file)
      "slipstream-msgpack is not used: the msgpack gem was loaded first, from #{file}. To use slipstream-msgpack, " \
        'require "slipstream/msgpack" first; with bootsnap, in config/boot.rb before "bootsnap/setup".'
    end
    private_class_method :text

    # Has Ruby take the msgpack gem for loaded, wherever it lies. Ruby does so by itself as long as the directory of
    # slipstream-msgpack is on the load path; but bootsnap takes all other gems off the path while it requires msgpack.
    # @return [void]
    def self.keep_out_others
      directories = $LOAD_PATH.map(&:to_s)
      directories |= Gem::Specification.find_all_by_name("msgpack").flat_map(&:full_require_paths) if defined?(Gem::Specification)
      files = directories.map { |directory| File.expand_path("msgpack.rb", directory) }.select { |file| File.file?(file) }
      files |= files.map { |file| File.realpath(file) }
      $LOADED_FEATURES.concat(files - [OURS] - $LOADED_FEATURES)
    end
  end
end
