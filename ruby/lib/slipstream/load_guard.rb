# frozen_string_literal: true

# Contains the parts of this gem that are not part of the msgpack API. The API is in {MessagePack}.
module Slipstream
  # Ensures that a process uses either the msgpack gem or slipstream-msgpack, because both define
  # the same classes. The one that is loaded first stays.
  module LoadGuard
    OURS = File.expand_path("../msgpack.rb", __dir__)
    private_constant :OURS

    # Returns the path of the msgpack gem's main file if the msgpack gem was loaded first, otherwise
    # nil. Only the C extension of slipstream-msgpack defines the constant SLIPSTREAM.
    # @return [String, nil]
    def self.other
      return if !defined?(::MessagePack::Factory) || ::MessagePack.const_defined?(:SLIPSTREAM)

      $LOADED_FEATURES.find { |file| file.end_with?("/msgpack.rb") } || "an unknown file"
    end

    # Raises if the msgpack gem was loaded first.
    # @raise [LoadError]
    def self.check
      raise LoadError, text(other) if other
    end

    # Reports whether slipstream-msgpack may be loaded. If not, prints a warning that says what to
    # do.
    # @return [Boolean]
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

    # Marks the main file of the msgpack gem as loaded, in every directory that contains one. Ruby
    # alone does so only while the directory of slipstream-msgpack is in the load path. But bootsnap
    # removes all other gems from the load path while it requires msgpack.
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
