// Package slipstream is the map of the house; the code is in the rooms.
//
// Slipstream is the fast lane for data on the wire: Go codecs, and a service that puts them to work.
//
//	bytes in → wire → ops → Go values
//
//	room            what is in it
//	msgpack         MessagePack, with the API of vmihailenco/msgpack v5; the room msgpcode in it names the codes
//	json            JSON, with the API and the behaviour of encoding/json, and segmentio's additions
//	iso8601         timestamps and durations of ISO 8601
//	schema          a binary format whose schema is Go code: Parco's bytes
//	parco           the API of Parco, over schema
//	remotewrite     requests of Prometheus Remote Write, 1.0 and 2.0: scanned, split by a label, decoded
//	transcode       MessagePack into JSON and back, without Go values between them
//	column          typed columns: what the formats decode batches into, and what the service buffers, sorts and lands
//	internal/mem    the unsafe room: words at checked offsets, fields at offsets, the two words of an interface, the slots of maps
//	internal/wire   what every byte format needs: big-endian words, the error that says where
//	internal/msgpwire the alphabet of MessagePack: its codes, and values as bytes
//	internal/simd   text a block at a time: kernels in assembly, and their twins in Go
//	internal/decimal  numbers and their decimal digits
//	internal/plan   how a Go type is read: fields, tags, names, the cache of what was compiled
//	internal/buffer where bytes wait: slabs of strings and of boxed values, strings that recur, queues of pages
//	internal/corpus tests only: shared Go types, random values, vectors
//	internal/guard  tests only: memory on pages that cannot be written, before a page that cannot be read
//	internal/jsonfault errors of encoding/json in words that name no Go types
//	internal/pages  tests only: the tables and the code blocks of the documentation
//	internal/corpus/matrix  tests only: every kind of value, into every target, from every source, against an oracle
//	internal/corpus/schemaoracle  tests only: the oracle of schema and parco, a decoder by the notation of a schema
//	internal/corpus/jsonoracle  tests only: a second decoder of JSON, by reflect, with the options that encoding/json lacks
//	internal/api    tests only: what a package exports, as text
//	internal/growth tests only: how time, allocation and retained memory grow with the input
//	compat          its own modules: msgpack under the import paths of the originals (vmihailenco, basekick)
//	vectors         commented hex that every language obeys
//	packaging       the Debian package, its systemd unit, the image
//	server          its own module: the service; rooms wal, queue, table, parquet, ingest, relay, access (tokens
//	                and rights), watch, metrics, latency, throttle (the log), config, load, service; disk, the file system, with a faulty
//	                one for tests; sim, memnet and testkit, tests only: lives from seeds on that disk, a network in memory,
//	                and processes that are killed;
//	                migrate, which changes the imports of programs, and evolve, which compares versions of a schema
//	bench           its own module: the only place where rivals are imported
//
// Arrows point down; siblings never import each other. house_test.go holds the code to this table.
//
//	transcode ─┬→ msgpack ─→ plan, buffer, wire, msgpwire → mem
//	server ────┼→ json ────→ plan, buffer, simd, decimal ─→ mem
//	           │       └───→ iso8601
//	           ├→ column ←── msgpack, json, schema
//	           ├→ remotewrite ─→ wire, buffer ────────────→ mem
//	           └→ schema ──────→ wire ────────────────────→ mem
//	     parco ───┘
//
// # Words
//
//	append, read, skip     bytes
//	encode, decode         one value, by its op
//	marshal, unmarshal     the public call
//	plan, op, field, names a compiled type
//	view                   bytes borrowed
//	window                 bytes waiting
//	slab                   one allocation shared by many small values
//	column, batch          cells of one type; columns of equal length
//	record, segment        an entry of the write-ahead log; one of its files
//	unit                   rows of one table that land together
//	land                   to become a Parquet file
//	tenant, target, parcel whose series they are; where they are posted; what a request brings for one tenant
//	vector                 a line of a file that all languages obey
//	rival                  another library, in bench only
//
// # Where to start
//
// How MessagePack writes an int: internal/msgpwire/append.go. How a struct is read: msgpack/decode.go, decodeStruct. Why a field is
// skipped: internal/plan. What a 2xx promises: server/wal. How rows become files: server/table. Which tenant
// owns a series: server/relay. What waits for a target that is down: server/queue. Why it is so: docs/decisions.md.
//
// How JSON is read: json/cursor.go first, then json/decode_struct.go. What makes an error equal to encoding/json's: json/soft.go, and
// explain in json/decode.go.
//
// How a schema becomes a program: schema/plan.go, of the ops in schema/op.go; how that runs: schema/encode.go and schema/decode.go, run. How a model of Parco becomes a
// schema: parco/layout.go and parco/model.go.
//
// How a request of Remote Write is checked: remotewrite/schema.go. Which part a series belongs to: remotewrite/split.go, keyOf.
//
// In schema, besides: type and field are what a caller builds with, node what that builds, notation how it is written, derive how it is read from
// tags, parse how it is read without Go types; shape and piece are a schema as data, fingerprint its name in 8 bytes, compat which of two reads the
// other; registry is messages of several schemas behind ids, frame those behind fingerprints; header, word and text are lengths, numbers and
// strings, map and time what their names say, room how much of it a message wants; columns is batches into columns.
//
// In msgpack, each of these is a file:
//
//	options, careful       what may be asked of a Decoder and an Encoder, and structs under it
//	any, anymap            values without a Go type; maps with other keys than strings
//	calls, view            one value by hand: DecodeInt64, EncodeString …; bytes without a copy
//	custom, register, ext  types that write themselves; codecs and exts that are registered for types
//	intern                 strings that are written once, then as their numbers
//	omit, sorted           what is left out of a struct; maps in the order of their keys
//	stream, buffer, feed   values over io; messages in chunks; bytes that are pushed (scan finds where a value ends)
//	raw, kind, query       a value as a view of its bytes; what it is; paths into it
//	values, lists, columns loops over streams; arrays into slices; batches into columns (run reads numbers by fours)
package slipstream
