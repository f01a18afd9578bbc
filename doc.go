// Package slipstream is the map of the repository. It contains no code.
//
// Slipstream is a set of Go codecs, a service that is built from them, and the msgpack gem for Ruby
// (ruby/, not Go).
//
// # Packages
//
// Codecs, standard library only:
//
//	msgpack      MessagePack, with the API of vmihailenco/msgpack v5; msgpack/msgpcode has the codes
//	json         JSON, with the API and the behaviour of encoding/json, and the additions of segmentio/encoding
//	iso8601      ISO 8601 timestamps and durations
//	schema       a binary format whose schema is Go code; it writes the bytes that Parco writes
//	parco        the API of Parco, built on schema
//	remotewrite  Prometheus Remote Write 1.0 and 2.0: check a request, split it by a label, decode it
//	transcode    MessagePack to JSON and back, without Go values between them
//	column       typed columns: msgpack, json and schema decode batches into them, the service buffers and sorts them
//
// What the codecs are built from:
//
//	internal/mem        unsafe, but for the files that house_test.go names: reads at checked offsets, struct fields, interface words, map slots
//	internal/wire       big-endian numbers, and the error that has an offset and a path
//	internal/msgpwire   MessagePack's codes, and single values as bytes
//	internal/simd       text in blocks: assembly, and the same functions in Go
//	internal/decimal    numbers to and from decimal digits
//	internal/plan       how a Go type is read: fields, tags, names, the cache of compiled types
//	internal/buffer     slabs of strings and of boxed values, interned strings, queues of pages
//	internal/jsonfault  errors of encoding/json in words that name no Go types
//
// What tests are built from:
//
//	internal/corpus               Go types, random values and vectors that several packages' tests use
//	internal/corpus/matrix        every kind of value, into every target, from every source, compared with an oracle
//	internal/corpus/schemaoracle  the oracle of schema and parco: a decoder that follows a schema's notation
//	internal/corpus/jsonoracle    the oracle of json's own options: a decoder by reflection
//	internal/corpus/sheet         rows decoded into a column.Batch, compared with the rows
//	internal/guard                memory that cannot be written, and memory that ends at a page that cannot be read
//	internal/growth               how time, allocation and retained memory grow with the input
//	internal/pages                the tables and the code blocks of the documentation
//	internal/api                  what a package exports, as text
//
// Modules of their own:
//
//	bench   the benchmarks. The only place where other libraries are imported
//	compat  msgpack under the import paths of vmihailenco and basekick-labs
//	server  the service, in these packages:
//
//	server/service   starts and stops everything else; its comment shows the way of a row
//	server/ingest    HTTP to rows
//	server/wal       the write-ahead log
//	server/table     tables: buffers of rows, and when they are written to files
//	server/parquet   Parquet files
//	server/admission bodies of requests: read and decompressed, within a budget of memory
//	server/relay     Remote Write requests, split by tenant and posted to targets
//	server/series    the port between relay and tables: parts of requests by tenant
//	server/queue     requests on disk that wait for a target
//	server/access    tokens and their rights
//	server/config    flags and the configuration file
//	server/metrics   the packages' counts, as Prometheus metrics
//	server/latency   how long requests take
//	server/watch     reads files again that have changed: certificates, tokens, rules
//	server/throttle  a log handler that limits how often one line is repeated
//	server/disk      the file system; server/disk/faulty is one that fails, for tests
//	server/query     counts and prints rows of Parquet files
//	server/program   the frame of the command-line programs
//	server/sim       tests only: random lives of the log, the queue and the tables, on the faulty disk
//	server/memnet    tests only: a network in memory
//	server/testkit   tests only: processes that are killed, and waiting
//
//	server/cmd/slipstream  the service
//
//	tools   the tool, in these packages:
//
//	tools/load         the load generator, and the sink that receives what a relay sends
//	tools/migrate      changes the imports of a Go program
//	tools/evolve       checks versions of a schema, for `slipctl schema`
//	tools/cmd/slipctl  the tool
//
// Besides: vectors has commented hex files that the tests of every language read; packaging has the
// Debian package, its systemd unit and the container image.
//
// Imports follow the arrows. house_test.go has the whole table and fails for an import that is not
// in it.
//
//	transcode ─┬→ msgpack ─→ plan, buffer, wire, msgpwire → mem
//	server ────┼→ json ────→ plan, buffer, simd, decimal ─→ mem
//	           │       └───→ iso8601
//	           ├→ column ←── msgpack, json, schema
//	           ├→ remotewrite ─→ wire, buffer ────────────→ mem
//	           └→ schema ──────→ wire ────────────────────→ mem
//	     parco ───┘
//
// # Names
//
//	append, read, skip        functions on bytes
//	encode, decode            functions on one value, by its op
//	marshal, unmarshal        the exported function
//	plan, op, field           a compiled type, and what it consists of
//	view                      borrowed bytes: valid until the source changes
//	window                    bytes of a stream that are in memory
//	slab                      one allocation that many small values share
//	column, batch             cells of one type; columns of equal length
//	record, segment           an entry of the write-ahead log; one of its files
//	unit                      rows of one table that are written to one file
//	land                      to write rows from the log into a Parquet file
//	tenant, target, parcel    whose series they are; where they are posted; one tenant's part of a request
//	vector                    a line of a file in vectors/
//	rival                     another library, in bench only
//
// # Where to start
//
// MessagePack: internal/msgpwire/append.go shows how an int is written, decodeStruct in
// msgpack/decode.go how a struct is read.
//
// JSON: json/cursor.go first, then json/decode_struct.go. json/soft.go and json/explain.go make
// errors equal to those of encoding/json.
//
// Schema: schema/plan.go compiles a schema to the ops of schema/op.go, run in schema/encode.go and
// schema/decode.go executes them. parco/layout.go and parco/model.go turn a Parco model into a
// schema.
//
// Remote Write: remotewrite/schema.go shows how a request is checked, keyOf in remotewrite/split.go
// which part a series goes to.
//
// Fields: internal/plan decides which fields of a struct are left out.
//
// Service: server/wal says what a 2xx promises, server/table how rows become files, server/relay
// which tenant owns a series, server/queue what waits for a target that is down.
//
// Reasons: docs/decisions.md.
//
// # Files of msgpack
//
//	options, careful        options of Decoder and Encoder; structs while options are set
//	any, anymap             values without a Go type; maps whose keys are not strings
//	calls, view             one value at a time: DecodeInt64, EncodeString; bytes without a copy
//	custom, register, ext   types that encode themselves; functions and ext types registered for a type
//	intern                  strings that are written once, then as a number
//	omit, sorted            omitempty; maps sorted by key
//	stream, buffer, feed    values from io.Reader and to io.Writer; bytes that arrive in pieces
//	scan                    where a value ends
//	raw, kind, query        a value as its bytes; its kind; a path into it
//	values, lists, columns  iterators over a stream; arrays into slices; arrays into batches
//	run                     arrays of numbers, four at a time
//
// # Files of schema
//
//	type, field             what a caller builds a schema from
//	node                    the schema that results; notation writes it as text, parse reads that text
//	derive                  a schema from struct tags
//	shape, piece            a schema as data
//	fingerprint             8 bytes that identify a schema
//	compat                  whether one schema reads what another has written
//	registry, frame         messages of several schemas, told apart by a number or by fingerprint
//	header, word, text      lengths, numbers, strings
//	map, time               maps, times
//	room                    how many bytes of a message must be there before a step
//	columns                 messages into batches
package slipstream
