# frozen_string_literal: true

module Bench
  # Data builds the data sets. They imitate the five sets of the article about MessagePack for Ruby
  # 0.5, and other common benchmark sets. All data comes from fixed random seeds, so that each
  # process builds the same data.
  #
  #   set         shape                                            MessagePack     JSON
  #   tiny        a hash with three entries                               15 B      28 B
  #   twitter     one post in an array: many keys, short strings       3,371 B   4,060 B
  #   timeline    100 posts, most of them Japanese                      390 KB    463 KB
  #   image-tail  three fields, then a binary of 5,965 B               6,021 B   8,026 B
  #   image-head  the binary first                                     6,021 B   8,026 B
  #   integers    Pascal's triangle to row 11, 40 times                3,643 B   8,321 B
  #   geo         five small GeoJSON collections                       2,396 B   2,406 B
  #   model3d     a mesh: floats of two decimals                       1.19 MB    721 KB
  #
  # The JSON of timeline is 716 KB if indented.
  #
  # The other sets contain one kind of value each. The values are very large or very small, so that
  # a fixed cost or a copy dominates:
  #
  #   nil, true, false                                                     1 B   4 or 5 B
  #   bignums     1000 Integers from 2**63 on                             9 KB      20 KB
  #   text        one text of 1 MB                                        1 MB       1 MB
  #   texts       200 texts of 500 B, not ASCII                         100 KB     101 KB
  #   blobs       50 binaries of 64 KB                                 3.28 MB    4.37 MB
  #   map         10,000 keys                                           117 KB     157 KB
  module Data
    TITLES = {
      "tiny" => "Tiny: a hash with three entries",
      "twitter" => "Twitter-like: one post, many keys",
      "timeline" => "Timeline: 100 posts, most of them Japanese",
      "image-tail" => "Image: a binary of 6 KB, last in its hash",
      "image-head" => "Image: a binary of 6 KB, first in its hash",
      "integers" => "Integers: an array of 3,120 integers",
      "geo" => "Geo: hashes and floats",
      "model3d" => "3D model: lots of floats",
      "nil" => "nil",
      "true" => "true",
      "false" => "false",
      "bignums" => "Large integers: an array of 1,000 integers, 2**63 or larger",
      "text" => "One text of 1 MB",
      "texts" => "200 texts of 500 bytes",
      "blobs" => "50 binaries of 64 KB",
      "map" => "A hash of 10,000 keys"
    }.freeze
    NAMES = TITLES.keys.freeze
    KINDS = %w[nil true false bignums text texts blobs map].freeze # sets with one kind of value

    module_function

    # build builds the data set with the given name. It shares no objects with earlier results.
    def build(name)
      case name
      when "tiny" then { "a" => 1, "ok" => true, "s" => "tiny" }
      when "twitter" then [Posts.new(89).western]
      when "timeline" then Posts.new(11).timeline(100)
      when "image-tail" then picture.merge("data" => blob)
      when "image-head" then { "data" => blob }.merge(picture)
      when "integers" then Array.new(40) { pascal(12) }.flatten
      when "geo" then Array.new(5) { |i| collection(i) }
      when "model3d" then model(24, 300)
      else kind(name)
      end
    end

    def kind(name)
      case name
      when "nil" then nil
      when "true" then true
      when "false" then false
      when "bignums" then Array.new(1000) { |i| 2**63 + (i * 7919) }
      when "text" then "All work and no play. " * 45_455
      when "texts" then Array.new(200) { |i| "#{'é' * 10}#{(i % 10).to_s * 480}" }
      when "blobs" then Random.new(5).then { |random| Array.new(50) { random.bytes(65_536) } }
      when "map" then Array.new(10_000) { |i| ["key #{i}", i] }.to_h
      else raise ArgumentError, "no data set is named #{name}"
      end
    end

    # with_blobs returns the value with each binary String replaced by the result of the block.
    def with_blobs(value, &block)
      case value
      when Hash then value.transform_values { |v| with_blobs(v, &block) }
      when Array then value.map { |v| with_blobs(v, &block) }
      when String then value.encoding == Encoding::BINARY ? yield(value) : value
      else value
      end
    end

    # with_symbols returns the value with Symbol keys.
    def with_symbols(value)
      case value
      when Hash then value.to_h { |key, v| [key.to_sym, with_symbols(v)] }
      when Array then value.map { |v| with_symbols(v) }
      else value
      end
    end

    def picture
      { "name" => "harbour-at-dusk.png", "type" => "image/png", "width" => 96 }
    end

    # blob returns random bytes, which are as incompressible as a compressed picture.
    def blob
      Random.new(3).bytes(5965)
    end

    def pascal(rows)
      Array.new(rows) { |n| (0..n).map { |k| (1..k).inject(1) { |c, i| c * (n - i + 1) / i } } }
    end

    def collection(index)
      east = 11.5 + index * 2
      { "type" => "FeatureCollection",
        "features" => [
          feature("Point", [east, 54.5], "name" => "pier"),
          feature("LineString", [[east, 54.0], [east + 1, 55.0], [east + 2, 54.0], [east + 3, 55.0]], "name" => "ferry", "knots" => 17.5),
          feature("Polygon", [[[east, 54.0], [east + 1, 54.0], [east + 1, 55.0], [east, 55.0], [east, 54.0]]],
                  "name" => "basin", "depth" => { "mean" => 4.5 })
        ] }
    end

    def feature(type, coordinates, properties)
      { "type" => "Feature", "geometry" => { "type" => type, "coordinates" => coordinates }, "properties" => properties }
    end

    # model builds a torus of triangles. It repeats the corners for each triangle, as exporters do.
    def model(rings, steps)
      corners = Array.new(rings * steps) { |i| triangle(i / steps, i % steps, rings, steps) }.flatten(1)
      { "metadata" => { "format" => 3, "generator" => "bench", "scale" => 1.0 },
        "vertices" => corners.flat_map(&:first),
        "normals" => corners.flat_map(&:last),
        "faces" => (0...corners.size).step(3).to_a }
    end

    def triangle(ring, step, rings, steps)
      [[ring, step], [ring + 1, step], [ring, step + 1]].map { |r, s| corner(r, s, rings, steps) }
    end

    # corner returns the position of a corner and its normal.
    def corner(ring, step, rings, steps)
      around = 2 * Math::PI * step / steps
      tube = 2 * Math::PI * ring / rings
      out = 1.4 + 0.6 * Math.cos(tube)
      [[out * Math.cos(around), out * Math.sin(around), 0.6 * Math.sin(tube)],
       [Math.cos(tube) * Math.cos(around), Math.cos(tube) * Math.sin(around), Math.sin(tube)]]
        .map { |vector| vector.map { |x| x.round(2) + 0.0 } } # -0.0 becomes 0.0
    end

    # Posts generates posts of a microblogging service: nested users with many fields, links, tags,
    # and posts that share other posts.
    class Posts
      WORDS = %w[
        harbour signal morning kettle lantern north river paper orbit quiet garden copper window market thread winter ladder
        amber bridge engine violet station pocket summer forest number candle island mirror planet
      ].freeze
      KANA = %w[
        みずうみ 夜明け 駅前 図書館 さくら 雨音 港町 コーヒー 電車 手紙 おはよう 夕焼け 自転車 星空 ひまわり 新しい 静かな 明日 カメラ 北風
        ラジオ 本棚 坂道 うさぎ 朝ごはん 灯台 散歩 お知らせ 写真 ペンギン
      ].freeze
      MARKS = %w[! … ♪ ✨ — é].freeze
      EPOCH = 1_700_000_000

      def initialize(seed)
        @random = Random.new(seed)
      end

      def timeline(count)
        posts = Array.new(count) do
          post = post(japanese: chance(4, 5))
          chance(5, 8) ? post.merge("shared" => post(japanese: true)) : post
        end
        { "posts" => posts,
          "search" => { "took" => 0.087, "complete" => true, "query" => "灯台", "next" => "/search?before=#{id}", "count" => count } }
      end

      # western returns a post without Japanese text. The post has a place and does not share
      # another post.
      def western
        post(japanese: false).merge(
          "entities" => entities(2),
          "place" => { "id" => token(16), "kind" => "city", "name" => "Port #{name}", "country" => "Nowhere", "code" => "NW",
                       "url" => url("places"), "box" => { "type" => "Polygon", "coordinates" => [Array.new(4) { [degrees, degrees] }] } },
          "geo" => { "type" => "Point", "coordinates" => [degrees, degrees] }
        )
      end

      private

      def post(japanese:)
        number = id
        { "meta" => { "language" => japanese ? "ja" : "en", "kind" => "recent" },
          "created_at" => time,
          "id" => number,
          "id_str" => number.to_s,
          "text" => japanese ? kana(34) : words(24),
          "source" => "<a href=\"#{url('apps')}\" rel=\"nofollow\">#{name} for pocket</a>",
          "truncated" => false,
          "reply_to_post" => nil,
          "reply_to_post_str" => nil,
          "reply_to_user" => nil,
          "reply_to_name" => nil,
          "user" => user(japanese),
          "geo" => nil,
          "place" => nil,
          "contributors" => nil,
          "share_count" => below(900),
          "like_count" => below(4000),
          "entities" => entities(chance(1, 8) ? 1 : 0),
          "liked" => chance(1, 9),
          "shared_by_me" => false,
          "sensitive" => false,
          "lang" => japanese ? "ja" : "en" }
      end

      def user(japanese)
        number = below(1 << 31)
        { "id" => number,
          "id_str" => number.to_s,
          "name" => japanese ? kana(2) : "#{name} #{name}",
          "screen_name" => "#{name.downcase}_#{below(1000)}",
          "location" => japanese ? kana(1) : name,
          "description" => japanese ? kana(34) : words(30),
          "url" => url("home"),
          "entities" => { "url" => { "links" => [link] }, "description" => { "links" => [] } },
          "protected" => false,
          "followers_count" => below(90_000),
          "friends_count" => below(3000),
          "listed_count" => below(200),
          "created_at" => time,
          "likes_count" => below(30_000),
          "utc_offset" => japanese ? 32_400 : -3600,
          "time_zone" => japanese ? "Tokyo" : "Azores",
          "geo_enabled" => chance(1, 3),
          "verified" => chance(1, 20),
          "posts_count" => below(100_000),
          "lang" => japanese ? "ja" : "en",
          "contributors_enabled" => false,
          "is_translator" => false,
          "translation_enabled" => false,
          "page_background_colour" => colour,
          "page_background_image" => url("images/backgrounds"),
          "page_background_image_secure" => url("images/backgrounds"),
          "page_background_tile" => chance(1, 2),
          "page_image" => url("images/faces"),
          "page_image_secure" => url("images/faces"),
          "page_banner" => url("images/banners"),
          "page_link_colour" => colour,
          "page_border_colour" => colour,
          "page_fill_colour" => colour,
          "page_text_colour" => colour,
          "page_uses_image" => true,
          "default_page" => chance(1, 2),
          "default_image" => false,
          "following" => false,
          "follow_requested" => false,
          "notifications" => false }
      end

      def entities(pictures)
        { "tags" => Array.new(below(3)) { { "text" => WORDS.sample(random: @random), "indices" => indices } },
          "symbols" => [],
          "links" => Array.new(below(2)) { link },
          "mentions" => Array.new(1 + below(3)) { mention },
          "media" => Array.new(pictures) { medium } }
      end

      def medium
        number = id
        link.merge("id" => number, "id_str" => number.to_s, "type" => "photo", "media_url" => url("media"), "media_url_secure" => url("media"),
                   "sizes" => { "thumb" => [150, 150, "crop"], "small" => [340, 255, "fit"], "large" => [1024, 768, "fit"] }
                                .transform_values { |w, h, fit| { "w" => w, "h" => h, "resize" => fit } })
      end

      def mention
        number = below(1 << 31)
        { "screen_name" => "#{name.downcase}_#{below(1000)}", "name" => name, "id" => number, "id_str" => number.to_s,
          "indices" => indices }
      end

      def link
        target = url("pages")
        { "url" => "http://s.example/#{token(8)}", "expanded" => target, "display" => "#{target[8, 22]}…", "indices" => indices }
      end

      def below(limit) = @random.rand(limit)
      def chance(of, total) = below(total) < of
      def id = 500_000_000_000_000_000 + below(1 << 56)
      def time = Time.at(EPOCH + below(30_000_000)).utc.strftime("%a %b %d %H:%M:%S +0000 %Y")
      def colour = format("%06X", below(1 << 24))
      def degrees = (below(18_000) / 100.0).round(2)
      def indices = [below(70), 70 + below(70)]
      def token(length) = Array.new(length) { below(36).to_s(36) }.join
      def url(path) = "https://#{WORDS.sample(random: @random)}.example/#{path}/#{token(10)}"
      def name = WORDS.sample(random: @random).capitalize
      def words(count) = "#{Array.new(count) { WORDS.sample(random: @random) }.join(' ')}#{MARKS.sample(random: @random)}"
      def kana(count) = Array.new(count) { KANA.sample(random: @random) }.join + MARKS.sample(random: @random)
    end
  end
end
