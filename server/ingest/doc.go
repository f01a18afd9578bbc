// Package ingest takes rows over HTTP: it decodes a body straight to columns, checks all of it, and hands body and columns to
// the store. What is answered with 204 is on disk.
//
//	handler.go   routes and rights, /health, /ready, /v1/tables     job.go      a body's way to batches: groups, finish
//	write.go     one write request, from its head to its answer     tables.go   bodies of one table
//	route.go     how routes are served, parameters, latencies       arc.go      bodies that name their tables
//	budget.go    bytes in flight                                    partial.go  rows judged one by one
//	body.go      reading a body                                     json.go     bodies of JSON
//	compress.go  decompressing it, within bounds                    lines.go    bodies of NDJSON
//	format.go    formats, and how the log remembers them            schema.go   bodies coded by a schema
//	schemas.go   the registry of schemas                            register.go its endpoints
//	                                                                times.go    units of time
//	                                                                timetext.go times that are strings
//	replay.go    the same decoding, out of the log                  names.go    names and text
//	limits.go    the bounds                                         fault.go    errors of the decoders, in words
//	stats.go     counters                                           refusal.go  outcomes, and what the client is told
//	series.go    requests of Remote Write, which the relay hands over
//	samples.go   their way to batches                               labels.go   labels as JSON
//	tenants.go   tables of tenants                                  histograms.go  native histograms
//	alter.go     DELETE and PUT of tables and columns
//	batches.go   keys of requests that are stored               keyed.go    how requests and the log have them
//
// # Endpoints
//
//	POST /v1/write/{db}/{table}   rows for one table; Content-Type says the format, Content-Encoding gzip, zstd or identity
//	POST /api/v1/write/msgpack    Arc's endpoint: the database in the header x-arc-database (or "default"), the tables in the
//	                              body, gzip and zstd told by the body's first bytes
//	POST /-/flush                 lands everything that was acknowledged before
//	GET  /v1/tables               tables, columns, rows, files; what has landed since a table was created, also after a restart
//	DELETE /v1/tables/{db}/{table}                    removes a table; see Alterations
//	DELETE /v1/tables/{db}/{table}/columns/{column}   removes a column, and with it its type
//	PUT    /v1/tables/{db}/{table}/columns/{column}   gives a column another type
//	PUT  /v1/schemas/{name}       registers a schema, or a newer version of it
//	GET  /v1/schemas[/{name}]     the schemas; one with its versions and columns
//	DELETE /v1/schemas/{name}     forgets one; what it has written stays
//	GET  /health /ready /metrics  alive; takes writes; Prometheus
//
// Both write endpoints take the parameters
//
//	durability=sync|async     answer when the rows are on disk (the default), or when they are queued for it
//	partial=true              take the rows that are right, and reject the others
//	time_unit=s|ms|us|ns|auto the unit of times that are numbers
//	batch_id=KEY              the same as the header Idempotency-Key: see Sending again
//
// Any other parameter, or one that is there twice, is refused with the list of those that there are; the other endpoints take none, but
// /health, /ready and /metrics do not look. With a parameter that is misspelt nothing is stored.
//
// # Sending again
//
// A request may have a key: 1 to 255 characters of ASCII without spaces, in the header Idempotency-Key, with or without quotes, or in the
// parameter batch_id. A sender that got no answer sends the request again with the same key: if it was stored, it is not stored again. The
// answer is that of the first request, with the header Idempotent-Replayed: true; it counts rejected rows (more_rejected), and
// does not list them.
//
// A key is that of a database, a table, a unit of time and a body, as it is once decompressed. With anything else the answer is 422, and
// nothing is stored. A request that is refused, or of which no row is stored, leaves its key free. Of requests with one key that come at once
// the first is stored, and the others wait for it. What was stored counts as that also when its table has been removed since: to store it
// once more, send it with a new key.
//
// Keys are in the log beside their rows, so they outlive a crash. They are remembered for --idempotency-window after the receipt of
// the request. There may be 262,144 of them, fewer where segments of the log are smaller than 84 MiB; beyond that the database with the most forgets
// its oldest, and slipstream_idempotency_keys_forgotten_total counts those.
//
// Remote Write has no keys: it does not look at the header and the parameters. Its senders repeat a request that was not answered, so a
// sample may land twice, with the same labels, time and value.
//
// # Tokens
//
// When the service has tokens, requests carry Authorization: Bearer TOKEN. A token has rights, on all databases or on some: see package
// access for the file that they are in. Each endpoint demands one right:
//
//	write       both write endpoints, on their database; Remote Write, on the database metrics, also for a target
//	read        GET /v1/tables, which lists the databases of the token alone
//	            GET /v1/schemas[/{name}] and /metrics, on all databases
//	administer  DELETE and PUT of a table and its columns, on their database
//	            POST /-/flush, PUT and DELETE /v1/schemas/{name}, on all databases
//	none        /health, /alive, /ready
//
// A schema belongs to no database, so its endpoints and a flush want a token for all of them. Any token that may write can send bodies by a
// registered schema whose fingerprint it has. A token that may not read all databases is told nothing of the others: /ready and a 503 name no
// paths and no tables, and a schema whose fingerprint is wrong gets the 404 of one that is not there.
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
// A cell is nil, a bool, an int, a float, a str or a timestamp ext. A column has one type; ints and floats mix, as floats.
// The type of a table's column is that of its first value, and stays; an int column becomes one of floats when a float comes. An int
// that a float64 would round, as 9007199254740993, keeps the column one of ints: the float is refused, and so is such an int in a column
// of floats.
//
// In JSON a number is an int unless it has a fraction or an exponent. Ints beyond int64 are refused: 1e20 is a float, but some encoders
// write it as 100000000000000000000, which is none. So are floats out of range, and text with half of a surrogate pair. JSON has no
// timestamps: times are numbers or strings. Lines of white space hold no row.
//
// The column time is when a row is from. Numbers are seconds below 10^10, milliseconds below 10^13, microseconds below 10^16
// and nanoseconds above, unless time_unit says which; floats keep a fraction to the microsecond, and nanoseconds are rounded
// down. All times of a table in a body must be of one unit. They lie in the years 1 to 9999, which is what every engine can
// show. A string is a time of RFC 3339 with Z or an offset, in every format but schemas; it is stored in UTC, and digits after the microsecond
// are cut off. Strings and numbers do not mix in the times of a table in a body. Rows have the time of receipt when none of
// them has a time (null is none), columns when there is no column time, and an envelope of Arc when there is no t.
//
// The rows of a table in a request lie in at most 1000 different hours, since each hour of a table becomes a file of its own: 41 days
// without a gap. A backfill of more is sent in several requests; a 400 without one mostly means that times have another unit than meant.
//
// Databases are named by 1 to 64 letters, digits, _ - or ., a letter or digit first; tables and columns by 1 to 128 bytes of UTF-8 without
// control characters. Names that differ only in case are different names. Where a file system could not tell two tables apart, or has no
// such names, the directory has escapes: Cpu is in ~43pu, and con in ~63on. Where engines could not tell two columns apart, the later one
// has a number after its name in files: V is V_2 beside v, and /v1/tables says so. Strings are UTF-8.
//
// Where this differs from Arc: an ambiguous body is refused rather than guessed at (units of time, types, a tag and a field of
// one name, text that is not UTF-8), and an item of a batch that is wrong is never passed over in silence. A row without h
// keeps its own tag host. Nothing but the envelope's own keys has a meaning in it; other keys are ignored.
//
// # Alterations
//
// An alteration holds its table: requests with rows for it get a 503 with Retry-After, and the rows that were acknowledged
// land first. The answer is 204 when the catalog is on disk. Those that delete must say what happens to the Parquet files.
//
//	DELETE …/{table}?files=delete             The table and its files are gone.
//	DELETE …/{table}?files=keep               The catalog forgets the table. Its files stay in the directory, beside those of rows that
//	                                          come later, whose columns may have other types: move them away if so.
//	DELETE …/columns/{column}?files=rewrite   Each file is replaced by one without the column. The next value gives the column its type.
//	DELETE …/columns/{column}?files=keep      The files keep the column and its type. If the next value has another one, readers that
//	                                          want one type in all files fail: PUT brings all files to one type.
//	PUT …/columns/{column} {"type": "string"} Each file is replaced by one in which the column has the type, bool, int64, float64, string or
//	                                          time. First all cells are looked at: if one has no exact counterpart, the answer is 409, names
//	                                          file, row and cell, and nothing has changed.
//
// Files are replaced one after the other, so readers may see both types meanwhile. After a 500 or a crash the catalog is what it was, and
// some files may have been changed: repeat the request, which goes on with the others.
//
// # Schemas
//
// A body of the type application/x-slipstream-schema has nothing on the wire but values: see package schema, and docs/ingest-schema.md. Its
// schema is registered first, as the JSON that a schema.Shape is, and is on disk before the answer. Each body names it, and the version
// of it that it is coded by: the fingerprint is the first 8 bytes, as 16 hex digits in lower case, of the SHA-256 of the schema's notation,
// which is Shape.NamedFingerprint. Names count, because fields name columns.
//
//	PUT /v1/schemas/cpu
//	{"fields": [{"name": "time", "type": "i64"}, {"name": "host", "type": "str8"}, {"name": "load", "type": "f64"}]}
//
//	{"name": "cpu", "fingerprint": "2090ebf1f20b9f1d", "notation": "{time i64, host str8, load f64}", "form": "rows", …}
//
// Its form is that of the bodies:
//
//	{time i64, host str8}                  rows: messages, one after the other; one, if the schema has a Tail
//	{time list32(i64), host list32(str8)}  columns: every field is a list; one message, whose lists are equally long
//
//	on the wire                       a cell
//	u8 … u64, i8 … i64, big-endian    int; a u64 beyond int64 is wrong with its row
//	f32, f64                          float
//	bool, str                         bool, string
//	time                              time, rounded down to microseconds
//	opt(…)                            null, or the cell; null for all of a struct that is not there
//	{…}, in rows                      columns named outer.inner
//	skip, a Tail that is not there    nothing, null
//	blob, array, map, timezone,       none: such a schema is refused, and the error has the path of the field
//	struct within itself; lists in rows, and of structs
//
// A schema may be registered again and again: the answer is 201 when it is new, and 200 when it is there, and is about the version that was
// sent. A newer version must be able to read
// what the newest has written (schema.Compat); older ones stay, for those who still send them. One that is incompatible needs another name, or the
// old one deleted. There may be 1000 versions in all, with 4 MiB of notations; a schema has at most 128 KiB, and as many columns as a table in a
// request.
//
// A fingerprint that is not known is a 409. When the client sends its schema's notation too, as the header Slipstream-Schema, the error says
// which field differs, and how:
//
//	{"error": "schema \"cpu\" has no version with the fingerprint 5727…; its newest has 2090…: yours has load f32 where that has
//	load f64: …", "field": "load"}
//
// # Remote Write
//
// Requests of Prometheus Remote Write come from the relay, each taken apart by tenant: see [Handler.AppendSeries]. All of a request is
// one record of the log, so it is stored whole or not at all. The tables are in the database metrics; those of tenant t are
//
//	t              time  metric  labels  value  start_time                              a row for each sample
//	t-histograms   time  metric  labels  count  sum  zero_count  zero_threshold
//	               schema  buckets  message  start_time                                 … native histogram
//	t-exemplars    time  metric  labels  value  exemplar                                … exemplar
//	t-metadata     time  metric  type  help  unit                                       … metadata that differs, in each request
//
// A tenant whose name is none for a table has one with escapes: 12345 is x--12345, and team.a is x--team-2ea (tenants.go).
//
//	column         type    what
//	time           time    of the sample; of metadata, that of receipt
//	metric         string  the label __name__, or empty; of metadata of version 1, the name of the family
//	labels         string  {"instance":"a:1","job":"x"}: the other labels, sorted by name. Against the rules a name may be there more
//	                       than once: then its values are an array
//	value, sum     float   with all bits, so that stale markers (7ff0000000000002) can be told from other NaNs
//	start_time     time    of version 2, when the sender knows it, else null
//	count          float   and zero_count, rounded when beyond 2^53
//	buckets        string  [{"lower":1,"upper":2,"count":3}, …], from the lowest up, the zero bucket among them. Infinities and NaN are
//	                       strings; bounds are null where the schema is unknown or there is no span for a count
//	message        string  the histogram as it came, protobuf in base64: exact
//	exemplar       string  the labels of the exemplar, as those of series
//
// Series without data are no rows. The limits are those of other requests; a series may have as many labels as a table columns. Text
// may grow as much as a body does that is decompressed, because each sample repeats the labels of its series: what exceeds that is
// too large. Labels that are not UTF-8, and times out of range, refuse the request.
//
// # Answers
//
//	code  when                                                 what to do
//	204   the rows are on disk (async: queued for it)          go on
//	200   partial: the rows but those listed are on disk       mend the others: {"rows": 2, "rejected": [{"row": 1, "reason": "…"}]};
//	                                                           of NDJSON {"row": 1, "line": 3, "reason": "…"}
//	400   body, name or parameter is wrong; nothing stored     mend it: the error says where
//	401   no valid token                                       send one
//	403   the token lacks the right, or is not for the         use another token: the error says which of both
//	      database, whether there is such a database or not
//	404   no such path, or no such schema                      mend the URL, or register the schema
//	405   wrong method                                         see Allow
//	408   the body did not arrive in time                      send it again
//	409   no such version of the schema; a version that        send by one that is there, or register yours: the error says which
//	      cannot read what the newest has written              field differs
//	413   body too large, also when decompressed               send smaller batches
//	415   Content-Type or Content-Encoding unknown             use one that the error lists
//	422   the key is that of another request                   use a new key for each batch; nothing was stored
//	429   too many bytes in flight, or too many buffered rows      send it again after Retry-After seconds; nothing was stored
//	500   the disk failed while the rows were written          unknown whether they are stored
//	503   not ready, stopping, disk nearly full, no landing    send it again after Retry-After seconds; nothing was stored
//
// An error is one line of JSON. Rows are counted from 0 through the whole body, bytes in the body once it is decompressed:
//
//	{"error": "row 3: column \"v\": a string in a column of int64: …", "field": "v", "row": 3, "offset": 57}
//
// Of NDJSON the text tells the line, which is counted from 1, as editors do, and with the lines that hold no row:
//
//	{"error": "line 5: column \"v\": a string in a column of int64: …", "field": "v", "row": 3, "line": 5, "offset": 57}
//
// A body is taken as a whole or not at all, unless partial is set. Then what is wrong with a row rejects the row; what is wrong
// with the body (broken MessagePack, JSON or messages of a schema, columns of different lengths) refuses it. A line of NDJSON that is not valid JSON is
// wrong with a row. Of the rejected rows 1000 are listed, and more_rejected says how many there are beyond. Such a request is always
// synchronous.
//
// # Order of work
//
// What can be refused cheaply is refused first: token and its rights, size by Content-Length, names and parameters, readiness; only then
// is the body read. Who is refused by the token has touched nothing: no budget, no table, no label of a metric. All tables of a body are
// decoded and checked before the log, so whatever is in the log can be read again. The catalog changes when the log has the rows: a request
// that is refused leaves no table, no column and no type behind.
//
// # What the service tells
//
// The log has each refusal and each landing at the level debug. At info there is a line for the first refusal of an outcome and then at
// most one a minute, which says for how many it stands, and one a minute of what has landed. The metric slipstream_request_seconds
// is a histogram by route and by format (arc, msgpack, json, ndjson, schema, or empty where there is none, or none that is known).
//
// # Fairness
//
// Bodies share a budget of bytes in flight (Limits.InFlight). A request is charged as its body arrives, not by its Content-Length.
// A client leaves as much of the budget free as its own requests hold, so a sender finds room however much others send; a client is
// an IPv4 address or a /64 network of IPv6, and senders behind one proxy are one client. A request that exceeds the budget alone is
// taken when nothing else is in flight. A body must arrive with Limits.MinRate in each window of 5 s, and within Options.ReadTimeout:
// beyond either the answer is 408. A body that is decompressed occupies at most twice its length.
//
// Databases share the number of tables (table.Options.MaxTables). Where several databases have tables, one may have four times as many
// as are free. A database that comes when another one has filled the catalog gets none: the rule is for new tables, and takes none away.
//
// # The log
//
// A record's payload is the body as it was received, perhaps with something after it, or the parts of a request of Remote Write. Its codec says how to read it:
//
//	bit   0-3     4-5          6-8        9         10     11-15
//	      format  compression  time unit  rejected  keyed  0
//
//	format       1 MessagePack of one table, 2 Arc's MessagePack, 3 JSON of one table, 4 NDJSON of one table, 5 Remote Write,
//	             6 messages of a schema for one table: after the body stands the schema
//	compression  0 none, 1 gzip, 2 zstd, 3 a block of Snappy: Remote Write, and nothing else
//	time unit    0 by magnitude, 1 s, 2 ms, 3 us, 4 ns
//	rejected     after the body stands which of its rows were rejected
//	keyed        after all else stands the request's key: see keyed.go
//
//	payload  ┌──────┬────────────────────────────────────────────────────┬─────────────────────────┐
//	         │ body │ uvarint: how far each rejected row is from the one │ u32: length of the list │
//	         │      │ before it; the first counts from row 0             │ in bytes, little-endian │
//	         └──────┴────────────────────────────────────────────────────┴─────────────────────────┘
//
// A schema stands there as its notation, before the list if there is one: what is in the log can be read without the registry. The
// compression is that of the body alone.
//
//	payload  ┌──────┬───────────────────────────────────┬─────────────────────┬────────────────┐
//	         │ body │ {time i64, host str8}: as text    │ u32: its length in  │ rejected rows, │
//	         │      │                                   │ bytes               │ if there are   │
//	         └──────┴───────────────────────────────────┴─────────────────────┴────────────────┘
//
// The body of Remote Write is the parts of a request, one after the other, compressed together. The table is that of the samples:
// the record does not depend on how tenants are named.
//
//	part     ┌────────────────────┬───────┬─────────────┬────────────────────┬──────┐
//	         │ uvarint: length of │ table │ u8: version │ uvarint: length of │ body │
//	         │ the table's name   │       │ (1 or 2)    │ the body           │      │
//	         └────────────────────┴───────┴─────────────┴────────────────────┴──────┘
package ingest
