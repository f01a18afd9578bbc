// Package slipstream contains no code. Its documentation describes the packages of the repository.
//
// Slipstream consists of Go codecs, a service that is built from these codecs, and a msgpack gem
// for Ruby (in the directory ruby).
//
// # Packages
//
// Codecs, which import only the standard library:
//
//	msgpack      MessagePack, with the API of vmihailenco/msgpack v5; msgpack/msgpcode contains the codes
//	json         JSON, with the API and the behaviour of encoding/json, and the additions of segmentio/encoding
//	iso8601      ISO 8601 timestamps and durations
//	schema       a binary format whose schema is Go code, with the same encoding as Parco
//	parco        the API of Parco, implemented with package schema
//	remotewrite  Prometheus Remote Write 1.0 and 2.0: checks, splits (by a label) and decodes requests
//	transcode    converts MessagePack to JSON and JSON to MessagePack, without building Go values
//	column       typed columns; msgpack, json and schema decode batches into columns, and the service buffers and sorts columns
//
// Packages that the codecs use:
//
//	internal/mem        all uses of package unsafe, except in the files listed in house_test.go: reads at checked offsets, struct fields, interface words, map slots
//	internal/wire       big-endian numbers, and the error type with an offset and a path
//	internal/msgpwire   MessagePack's codes, and functions that append single values
//	internal/simd       functions that process text in blocks, in assembly and in Go
//	internal/decimal    conversion between numbers and decimal digits
//	internal/plan       analysis of Go types: fields, tags and names; the cache of compiled types
//	internal/buffer     slabs of strings and of values in interfaces, interned strings, queues of memory pages
//	internal/jsonfault  rewrites errors of encoding/json to texts without Go types
//
// Packages that tests use:
//
//	internal/corpus               Go types, random values and test vectors that the tests of several packages share
//	internal/corpus/matrix        tests that combine every kind of value, target and source, and compare the results with an oracle
//	internal/corpus/schemaoracle  the oracle for schema and parco: a decoder that interprets a schema's notation
//	internal/corpus/jsonoracle    the oracle for options that only package json has: a decoder that uses reflection
//	internal/corpus/sheet         compares rows that were decoded into a column.Batch with the expected rows
//	internal/guard                write-protected memory, and memory that is followed by an unreadable page
//	internal/growth               measures how time, allocated memory and retained memory grow with the input
//	internal/pages                checks the tables and the code blocks in the documentation
//	internal/api                  returns the exported API of a package as text
//
// Separate modules:
//
//	bench   the benchmarks; only this module imports other libraries for comparison
//	compat  package msgpack under the import paths of vmihailenco and basekick-labs
//	server  the service, in these packages:
//
//	server/service   starts and stops all other parts; the package comment describes the path of a row through the service
//	server/ingest    the HTTP endpoints for writes, tables and schemas, and the keys of stored requests
//	server/rows      decodes request bodies into columns
//	server/series    converts Remote Write to rows, and defines the interface between relay and tables
//	server/registry  stores the schemas of request bodies
//	server/names     defines the names that databases, tables, columns and schemas may have
//	server/refusal   the errors that clients get, and their HTTP form
//	server/wal       the write-ahead log
//	server/table     tables, which buffer rows and decide when to write them to files
//	server/parquet   writes and reads Parquet files
//	server/admission reads and decompresses request bodies, within a memory budget
//	server/relay     splits Remote Write requests by tenant, and posts the parts to targets
//	server/queue     stores requests on disk until a target accepts them
//	server/access    access tokens and their permissions
//	server/config    command-line flags and the configuration file
//	server/metrics   exports the counters of the other packages as Prometheus metrics
//	server/latency   measures the latency of requests
//	server/watch     re-reads changed files: certificates, tokens and rules
//	server/throttle  a log handler that limits how often a log line is repeated
//	server/disk      the file system; server/disk/faulty is a file system that fails, for tests
//	server/query     counts and prints rows in Parquet files
//	server/program   code that the command-line programs share
//	server/sim       tests only: random operations and crashes of the log, the queue and the tables, on the faulty disk
//	server/memnet    tests only: an in-memory network
//	server/testkit   tests only: kills processes, waits for conditions, compresses bodies, counts allocations
//
//	server/cmd/slipstream  the main package of the service
//
//	tools   the command-line tool slipctl, in these packages:
//
//	tools/load         the load generator, and the sink that receives requests from a relay
//	tools/migrate      changes the imports of a Go program
//	tools/evolve       checks versions of a schema, for `slipctl schema`
//	tools/cmd/slipctl  the main package of slipctl
//
// The directory vectors contains commented hex files that the tests of every language read. The
// directory packaging contains the Debian package, its systemd unit and the container image.
//
// In the following diagram, an arrow means that one package may import another. The test
// house_test.go contains the complete table, and fails for an import that is not in this table.
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
//	encode, decode            functions on one value, according to its op
//	marshal, unmarshal        the exported functions
//	plan, op, field           a compiled type, and its components
//	view                      borrowed bytes: valid until the source changes
//	window                    the buffered bytes of a stream
//	slab                      an allocation that many small values share
//	column, batch             cells of one type; a set of columns of equal length
//	record, segment           an entry of the write-ahead log; one file of the log
//	unit                      the rows of one table that are written to one file
//	land                      to write rows from the log into a Parquet file
//	tenant, target, parcel    the owner of series; the server to which series are posted; one tenant's part of a request
//	vector                    a test case: one line of a file in vectors/
//	rival                     another library for comparison; only in bench
//
// # Where to start
//
// MessagePack: internal/msgpwire/append.go shows how an int is written. The function decodeStruct
// in msgpack/decode_struct.go shows how a struct is read.
//
// JSON: read json/cursor.go first, and then json/decode_struct.go. The files json/soft.go and
// json/explain.go create the same errors as encoding/json.
//
// Schema: schema/plan.go compiles a schema to the ops in schema/op.go. The methods named run, in
// schema/encode.go and schema/decode.go, execute these ops. The files parco/layout.go and
// parco/model.go convert a Parco model to a schema.
//
// Remote Write: remotewrite/schema.go shows how a request is checked. The method keyOf in
// remotewrite/split.go determines the part to which a series belongs.
//
// Struct fields: internal/plan decides which fields of a struct are encoded.
//
// Service: the comment of server/wal explains what a 2xx response guarantees. The comment of
// server/table explains how rows are written to files. The package server/relay determines the
// tenant of a series, and server/queue stores the requests for a target that is down.
//
// Reasons for the design: docs/decisions.md.
//
// # Files of msgpack
//
//	options, careful        options of Decoder and Encoder; decoding of structs if options are set
//	any, anymap             values of type any; maps whose keys are not strings
//	calls, view             methods for one value at a time, such as DecodeInt64 and EncodeString; views of bytes
//	custom, register, ext   types with encoding methods; functions and ext types registered for a type
//	intern                  strings that are written once, and then as a number
//	omit, sorted            omitempty; maps sorted by key
//	stream, buffer, feed    values from an io.Reader and to an io.Writer; bytes that arrive in chunks
//	scan                    finds the end of a value
//	raw, kind, query        views of encoded values; their kinds; paths into values
//	values, lists, columns  iterators over a stream; decoding of arrays into slices; decoding of batches
//	run                     reads arrays of numbers, four numbers at a time
//
// # Files of schema
//
//	type, field             the types and fields from which a caller builds a schema
//	node                    the resulting schema; notation writes a schema as text, and parse reads this text
//	derive                  derives a schema from struct tags
//	shape, piece            a schema as data
//	fingerprint             8 bytes that identify a schema
//	compat                  checks whether one schema can read messages of another schema
//	registry, frame         messages of several schemas, distinguished by a number or by their fingerprint
//	header, word, text      lengths, numbers, strings
//	map, time               maps, times
//	room                    estimates the encoded size of a value
//	columns                 decodes messages into batches
package slipstream
