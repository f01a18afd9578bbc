// Package ingest accepts rows over HTTP. It decodes a request body directly into columns, checks
// all of it, and passes body and columns to the store. A 204 means that the rows are on disk.
//
//	requests     handler.go   routes, rights, /health, /ready, /v1/tables
//	             route.go     serving of routes, parameters, latencies
//	             write.go     one write request, from header to answer
//	             budget.go    bytes in flight
//	             body.go      reading of bodies
//	             compress.go  decompression, within limits
//	             refusal.go   outcomes and answers
//	             alter.go     DELETE and PUT of tables and columns
//	             batches.go   keys of stored requests
//	             keyed.go     keys in requests and in the log
//	             limits.go    limits
//	             stats.go     counters
//	decoding     format.go    formats, and their codes in the log
//	             job.go       from a body to batches: groups, finish
//	             tables.go    bodies with one table
//	             arc.go       bodies that name their tables
//	             partial.go   rows that are checked one by one
//	             json.go      JSON
//	             lines.go     NDJSON
//	             schema.go    bodies that are encoded with a schema
//	             times.go     units of time
//	             timetext.go  times that are strings
//	             names.go     names and text
//	             fault.go     texts of the decoders' errors
//	             replay.go    decoding of the log
//	schemas      schemas.go   the registry of schemas
//	             register.go  its endpoints
//	remote write series.go    requests from the relay
//	             samples.go   from requests to batches
//	             labels.go    labels as JSON
//	             histograms.go  native histograms
//	             tenants.go   tables of tenants
//
// # Endpoints
//
//	POST /v1/write/{db}/{table}   writes rows to one table. Content-Type is the format,
//	                              Content-Encoding is gzip, zstd or identity
//	POST /api/v1/write/msgpack    Arc's endpoint. The header x-arc-database is the database (or
//	                              "default"), the body names the tables, and the first bytes of the
//	                              body show gzip and zstd
//	POST /-/flush                 lands all rows that have been acknowledged
//	GET  /v1/tables               returns tables, columns, and the rows and files that have landed
//	                              since a table was created
//	DELETE /v1/tables/{db}/{table}                    removes a table: see Alterations
//	DELETE /v1/tables/{db}/{table}/columns/{column}   removes a column and its type
//	PUT    /v1/tables/{db}/{table}/columns/{column}   changes the type of a column
//	PUT  /v1/schemas/{name}       registers a schema, or a newer version of it
//	GET  /v1/schemas[/{name}]     returns all schemas, or one with its versions and columns
//	DELETE /v1/schemas/{name}     removes a schema; rows stay
//	GET  /health /ready /metrics  process is alive; writes are accepted; Prometheus metrics
//
// Both write endpoints have these parameters:
//
//	durability=sync|async      answer when the rows are on disk (default), or when they are queued
//	partial=true               store the valid rows and reject the others
//	time_unit=s|ms|us|ns|auto  unit of times that are numbers
//	batch_id=KEY               same as the header Idempotency-Key: see Idempotency keys
//
// For an unknown or repeated parameter the answer is 400, lists the valid parameters, and nothing
// is stored. The other endpoints have no parameters; /health, /ready and /metrics ignore them.
//
// # Idempotency keys
//
// A request may have a key: 1 to 255 ASCII characters without spaces, in the header
// Idempotency-Key, with or without quotes, or in the parameter batch_id. If a sender gets no
// answer, it sends the request again with the same key. If the first request was stored, the second
// is not. Its answer is that of the first, with the header Idempotent-Replayed: true. That answer
// has the number of rejected rows (more_rejected), but no list.
//
// A key belongs to a database, a table, a unit of time and a decompressed body. If a request has
// the same key but differs in one of these, the answer is 422, and nothing is stored. A request of
// which no row is stored does not use its key. If several requests with one key arrive at the same
// time, the first is stored, and the others wait for it. A key stays in use when its table is
// removed: to store the rows again, use a new key.
//
// Keys are stored in the log with their rows, so they survive a crash. They are kept for
// --idempotency-window after the receipt of the request. At most 262,144 keys are kept, fewer if
// log segments are smaller than 84 MiB. At that limit, the database with the most keys loses its
// oldest; slipstream_idempotency_keys_forgotten_total counts them.
//
// Remote Write has no keys, and ignores the header and the parameter. Its senders repeat a request
// without an answer, so a sample may land twice, with the same labels, time and value.
//
// # Tokens
//
// If the service has tokens, requests need Authorization: Bearer TOKEN. A token has rights on all
// databases or on some; package access describes the token file. Each endpoint requires one right:
//
//	write       both write endpoints, on their database; Remote Write, on the database metrics, also
//	            if it is forwarded to a target
//	read        GET /v1/tables, which lists only databases that the token may read
//	            GET /v1/schemas[/{name}] and /metrics, on all databases
//	administer  DELETE and PUT of a table and its columns, on their database
//	            POST /-/flush, PUT and DELETE /v1/schemas/{name}, on all databases
//	none        /health, /alive, /ready
//
// A schema belongs to no database, so the endpoints of schemas require the right on all databases,
// as does a flush. A token with the right to write can use a registered schema if it has the
// fingerprint. A token without the right to read all databases gets no information about them:
// /ready and a 503 contain no paths and no tables, and a wrong fingerprint gives the same 404 as an
// unknown schema.
//
// # Bodies
//
//	/v1/write            {"time": [1, 2], "host": ["a", "b"]}                  columns
//	                     [{"time": 1, "host": "a"}, {"time": 2, "host": "b"}]  rows
//	                     {"time": 1, "host": "a"}                              lines: a row on each
//	                     {"time": 2, "host": "b"}
//
//	Content-Type                                                             columns  rows  lines
//	application/msgpack, application/x-msgpack, application/vnd.msgpack      yes      yes   -
//	application/json                                                         yes      yes   -
//	application/x-ndjson, application/ndjson, application/jsonl              -        -     yes
//	application/x-slipstream-schema; schema=NAME; fingerprint=HEX            yes      yes   -
//
//	/api/v1/write        {"m": "cpu", "columns": {"time": [1, 2], "host": ["a", "b"]}}
//	                     {"m": "cpu", "t": 1, "h": "a", "tags": {"dc": "x"}, "fields": {"v": 0.5}}
//	                     {"m": "cpu", "t": 1, "f": [0.5, 7]}
//	                     {"batch": [any of these, …]}
//	                     [any of these, …]
//
// A cell is nil, a bool, an int, a float, a str or a timestamp ext. A column has one type, which is
// that of its first value. An int column becomes a float column with the first float, unless it has
// an int that a float64 cannot represent, such as 9007199254740993: then the float is an error.
// Such an int is an error in a float column.
//
// In JSON, a number is an int unless it has a fraction or an exponent. These are errors: an int
// beyond int64 (1e20 is a float, but some encoders write it as 100000000000000000000), a float out
// of range, and half of a surrogate pair. Times are numbers or strings, because JSON has no
// timestamps. Lines of white space are skipped.
//
// The column time is the time of the row. Numbers below 10^10 are seconds, below 10^13
// milliseconds, below 10^16 microseconds, and above that nanoseconds, unless time_unit is set.
// Fractions of floats and nanoseconds are rounded down to microseconds. All times of a table in one
// body must have one unit. They must be in the years 1 to 9999, the range that all engines can
// show. Except with schemas, a string is an RFC 3339 time with Z or an offset; it is stored in UTC,
// truncated to microseconds. A table cannot have both strings and numbers as times in one body. The
// time of receipt is the default: for rows if none has a time (or it is null), for columns if there
// is no column time, and for Arc's envelope if it has no t.
//
// In one request, the rows of a table may be in at most 1000 different hours (41 days), because
// each hour of a table becomes a file. Split a longer backfill into several requests. Without a
// backfill, this error usually means that the unit of time is wrong.
//
// The name of a database has 1 to 64 letters, digits, _ - or ., and starts with a letter or a
// digit. Names of tables and columns have 1 to 128 bytes of UTF-8 without control characters. Names
// are case-sensitive. A directory name has escapes where file systems do not distinguish two
// tables, or reserve the name: Cpu is in ~43pu, and con in ~63on. Where engines do not distinguish
// two columns, the later one has a number in files: V becomes V_2 if there is a v. /v1/tables shows
// that name. Strings must be UTF-8.
//
// Differences from Arc: an ambiguous body is an error (units of time, types, a tag and a field with
// the same name, text that is not UTF-8), and no wrong item of a batch is skipped silently. A row
// without h keeps its own tag host. Unknown keys of the envelope are ignored.
//
// # Alterations
//
// An alteration locks its table: requests with rows for it get 503 with Retry-After, and
// acknowledged rows land first. The answer is 204 when the catalog is on disk. A DELETE must
// specify what happens to the Parquet files:
//
//	DELETE …/{table}?files=delete
//	    Removes the table and its files.
//	DELETE …/{table}?files=keep
//	    Removes the table from the catalog, but not its files. Files of later rows are written to the
//	    same directory, perhaps with other types: move the old files if that matters.
//	DELETE …/columns/{column}?files=rewrite
//	    Replaces each file by one without the column. The next value sets the type of the column.
//	DELETE …/columns/{column}?files=keep
//	    Files keep the column and its type. If the next value has another type, readers that need one
//	    type in all files fail. A PUT changes all files to one type.
//	PUT …/columns/{column} {"type": "string"}
//	    Replaces each file by one in which the column has the type bool, int64, float64, string or
//	    time. All cells are checked first: if one cannot be converted exactly, the answer is 409 with
//	    file, row and cell, and nothing changes.
//
// Files are replaced one after the other, so readers may temporarily see both types. After a 500 or
// a crash the catalog is unchanged, and some files may have changed: repeat the request to complete
// it.
//
// # Schemas
//
// A body of type application/x-slipstream-schema contains only values: see package schema and
// docs/ingest-schema.md. Its schema is registered before, as the JSON form of a schema.Shape, and
// is on disk before the answer. Each body refers to a version of the schema by its fingerprint,
// Shape.NamedFingerprint: the first 8 bytes of the SHA-256 of the notation, as 16 lower-case hex
// digits. The notation includes the names of fields, because they name columns.
//
//	PUT /v1/schemas/cpu
//	{"fields": [{"name": "time", "type": "i64"}, {"name": "host", "type": "str8"}, {"name": "load", "type": "f64"}]}
//
//	{"name": "cpu", "fingerprint": "2090ebf1f20b9f1d", "notation": "{time i64, host str8, load f64}", "form": "rows", …}
//
// The form of a schema is that of its bodies:
//
//	{time i64, host str8}
//	    rows: a sequence of messages; a single message, if the schema has a Tail
//	{time list32(i64), host list32(str8)}
//	    columns: all fields are lists; a single message, whose lists have the same length
//
//	in a message                      a cell
//	u8 … u64, i8 … i64, big-endian    int; a u64 beyond int64 is an error of its row
//	f32, f64                          float
//	bool, str                         bool, string
//	time                              time, rounded down to microseconds
//	opt(…)                            null, or the cell; a missing struct is null in all its columns
//	{…}, in rows                      columns named outer.inner
//	skip                              no column
//	a missing Tail                    null
//	blob, array, map, timezone, a     none: the schema is rejected, with the path of the field
//	struct within itself; lists in
//	rows, and of structs
//
// A schema may be registered repeatedly: the answer is 201 if the version is new, and 200 if it
// exists. A new version must be able to read the messages of the newest one (schema.Compat). Older
// versions stay valid for senders that still use them. An incompatible schema needs another name,
// or the old one must be deleted. There may be 1000 versions in total, with 4 MiB of notations. A
// schema has at most 128 KiB, and at most as many columns as a table in a request.
//
// For an unknown fingerprint the answer is 409. If the client also sends the notation of its
// schema, in the header Slipstream-Schema, the error has the first field that differs:
//
//	{"error": "schema \"cpu\" has no version with the fingerprint 5727…; its newest has 2090…: yours has load f32 where that has
//	load f64: …", "field": "load"}
//
// # Remote Write
//
// The relay passes requests of Prometheus Remote Write, split by tenant: see
// [Handler.AppendSeries]. A request is one record of the log, so it is stored completely or not at
// all. The tables are in the database metrics. Those of tenant t are:
//
//	t              a row for each sample: time, metric, labels, value, start_time
//	t-histograms   a row for each native histogram: time, metric, labels, count, sum, zero_count,
//	               zero_threshold, schema, buckets, message, start_time
//	t-exemplars    a row for each exemplar: time, metric, labels, value, exemplar
//	t-metadata     a row for each distinct metadata in a request: time, metric, type, help, unit
//
// If the name of a tenant is not valid as the name of a table, it gets escapes: 12345 becomes
// x--12345, and team.a becomes x--team-2ea (tenants.go).
//
//	column         type    content
//	time           time    time of the sample; of metadata, time of receipt
//	metric         string  the label __name__, or empty; for metadata of version 1, the name of the
//	                       family
//	labels         string  the other labels, sorted by name: {"instance":"a:1","job":"x"}. If a name
//	                       is repeated, which the protocol forbids, its values are an array
//	value, sum     float   all bits are kept, including those of stale markers (7ff0000000000002)
//	start_time     time    in version 2, if the sender knows it, otherwise null
//	count          float   like zero_count, rounded beyond 2^53
//	buckets        string  [{"lower":1,"upper":2,"count":3}, …], in ascending order, including the
//	                       zero bucket. Infinities and NaN are strings; bounds are null if the schema
//	                       is unknown or a count has no span
//	message        string  the unchanged protobuf message of the histogram, in base64
//	exemplar       string  the labels of the exemplar, in the form of labels
//
// Series without data make no rows. Requests have the same limits as others. A series may have as
// many labels as a table columns. Each sample repeats the labels of its series; their text may be
// as much larger than the body as a decompressed body may be. If labels are not UTF-8, or a time is
// out of range, the whole request is an error.
//
// # Answers
//
//	code  cause                                        remedy
//	204   the rows are on disk (async: queued)         continue
//	200   partial: the valid rows are on disk          correct the listed rows:
//	                                                   {"rows": 2, "rejected": [{"row": 1, "reason": "…"}]},
//	                                                   or {"row": 1, "line": 3, "reason": "…"} for NDJSON
//	400   error in body, name or parameter             correct it at the place that the error gives
//	401   no valid token                               send a valid token
//	403   the token lacks the right, or is not         use another token: the error has the cause
//	      valid for the database, even if that
//	      does not exist
//	404   unknown path or schema                       correct the URL, or register the schema
//	405   wrong method                                 see Allow
//	408   the body did not arrive in time              send the request again
//	409   unknown version of the schema, or a          use an existing version, or register yours:
//	      version that cannot read the newest          the error names the field that differs
//	413   body too large, perhaps decompressed         send smaller batches
//	415   unknown Content-Type or Content-Encoding     use one that the error lists
//	422   key of another request                       use a new key for each batch
//	429   too many bytes in flight or buffered rows    send again after Retry-After seconds
//	500   the disk failed during the write             unknown whether the rows are stored
//	503   not ready, stopping, disk nearly full, no    send again after Retry-After seconds
//	      landing
//
// With a code of 400 or higher, except 500, nothing was stored.
//
// An error is one line of JSON. Rows are numbered from 0 through the whole body. Offsets are bytes
// in the decompressed body:
//
//	{"error": "row 3: column \"v\": a string in a column of int64: …", "field": "v", "row": 3, "offset": 57}
//
// For NDJSON the text has the line number, which starts with 1 and counts empty lines:
//
//	{"error": "line 5: column \"v\": a string in a column of int64: …", "field": "v", "row": 3, "line": 5, "offset": 57}
//
// Without partial, a body is stored completely or not at all. With partial, an error in a row
// rejects that row. An error in the body (invalid MessagePack, JSON or schema messages, columns of
// different lengths) rejects the body; an NDJSON line that is not valid JSON counts as a row. The
// answer lists 1000 rejected rows, and more_rejected is the number of others. Such a request is
// always synchronous.
//
// # Order of work
//
// Cheap checks come first: token and rights, Content-Length, names and parameters, readiness. Then
// the body is read. A request without a valid token uses no budget, no table and no metric label.
// All tables of a body are decoded and checked before the log is written, so the log can always be
// decoded. The catalog changes after the log has the rows, so a rejected request adds no table, no
// column and no type.
//
// # Logging and metrics
//
// At level debug, the service logs each rejected request and each landing. At level info, it logs
// the first rejection of each kind, then at most one line a minute with their number, and one line
// a minute for landings. The metric slipstream_request_seconds is a histogram by route and format
// (arc, msgpack, json, ndjson, schema; empty for no format, or an unknown one).
//
// # Fairness
//
// Request bodies share a budget of bytes in flight (Limits.InFlight). A request is charged for the
// bytes that have arrived, not for its Content-Length. A client always leaves as much of the budget
// free as its own requests use, so it cannot lock others out. A client is an IPv4 address or a /64
// network of IPv6; senders that share a proxy are one client. A request that is larger than the
// budget is accepted when nothing else is in flight. A body must arrive with at least
// Limits.MinRate in each window of 5 s, and within Options.ReadTimeout; otherwise the answer is
// 408. A decompressed body takes at most twice its length in memory.
//
// Databases share the number of tables (table.Options.MaxTables). If several databases have tables,
// one may have four times as many as are free. The rule applies to new tables and removes none: a
// database whose first table comes when the catalog is full gets none.
//
// # The log
//
// The payload of a record is the received body, perhaps with additions after it, or the parts of a
// Remote Write request. Its codec describes it:
//
//	bit   0-3     4-5          6-8        9         10     11-15
//	      format  compression  time unit  rejected  keyed  0
//
//	format       1 MessagePack of one table, 2 Arc's MessagePack, 3 JSON of one table, 4 NDJSON of one table, 5 Remote Write,
//	             6 messages of a schema for one table: the schema follows the body
//	compression  0 none, 1 gzip, 2 zstd, 3 Snappy block: only for Remote Write
//	time unit    0 by magnitude, 1 s, 2 ms, 3 us, 4 ns
//	rejected     the list of rejected rows follows the body
//	keyed        the idempotency key of the request is at the end: see keyed.go
//
//	payload  ┌──────┬───────────────────────────────────────────────┬─────────────────────────┐
//	         │ body │ uvarints: distance of each rejected row from  │ u32: length of the list │
//	         │      │ the one before; the first is its number       │ in bytes, little-endian │
//	         └──────┴───────────────────────────────────────────────┴─────────────────────────┘
//
// A schema is stored as its notation, before that list, so the log can be decoded without the
// registry. Only the body is compressed.
//
//	payload  ┌──────┬───────────────────────────────────┬─────────────────────┬────────────────┐
//	         │ body │ {time i64, host str8}: as text    │ u32: its length in  │ rejected rows, │
//	         │      │                                   │ bytes               │ if any         │
//	         └──────┴───────────────────────────────────┴─────────────────────┴────────────────┘
//
// The body of Remote Write is the sequence of the parts of a request, compressed together. The
// table is that of the samples, so a record does not depend on the naming of tables for tenants.
//
//	part     ┌────────────────────┬───────┬─────────────┬────────────────────┬──────┐
//	         │ uvarint: length of │ table │ u8: version │ uvarint: length of │ body │
//	         │ the table's name   │       │ (1 or 2)    │ the body           │      │
//	         └────────────────────┴───────┴─────────────┴────────────────────┴──────┘
package ingest
