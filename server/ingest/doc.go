// Package ingest accepts rows over HTTP. It decodes a request body directly into columns (package
// rows), and checks the whole body. It then passes the body and the columns to the store (package
// table). The response 204 means that the rows are in the log on disk, unless the sender chose
// durability=async. The store later writes the rows to Parquet files; this is called landing.
//
//	handler.go   routes, rights, /health, /ready, /v1/tables
//	route.go     serving of routes, parameters, latencies
//	write.go     one write request, from header to answer
//	body.go      reading of bodies, and their minimum rate
//	compress.go  compressions, by header or first bytes
//	record.go    the payload of records in the log, and its decoding after a restart
//	batches.go   keys of stored requests
//	keyed.go     keys in requests and in the log
//	alter.go     DELETE and PUT of tables and columns
//	register.go  endpoints of the schema registry
//	schema.go    the schema of a request
//	series.go    Remote Write requests from the relay
//	limits.go    limits
//	stats.go     counters
//
// The formats of bodies are documented in package rows, which decodes them. The registry of schemas
// is in package registry. The tables of Remote Write are documented in package series.
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
// If a parameter is unknown or repeated, nothing is stored, and the response is 400 with a list of
// the valid parameters. The other endpoints have no parameters, except the endpoints in section
// Alterations. /health, /ready and /metrics ignore parameters.
//
// # Idempotency keys
//
// A request may contain a key: 1 to 255 ASCII characters without spaces. The key is in the header
// Idempotency-Key, with or without quotes, or in the parameter batch_id. A sender that gets no
// response repeats the request with the same key. If the first request was stored, the second
// request is not stored. Its response is the response to the first request, with the additional
// header Idempotent-Replayed: true. This response contains the number of rejected rows
// (more_rejected), but does not list them.
//
// Each database has its own keys. A key belongs to the table, the format, the unit of time and the
// decompressed body of its request. If another request has the same key, but differs from the first
// request in one of these, the response is 422, and nothing is stored. If no row of a request is
// stored, its key can still be used. If several requests with the same key arrive at the same time,
// one request is stored, and the others wait for it. Removing a table does not free its keys. To
// store the rows again, use a new key.
//
// Keys are stored in the log with their rows, so they survive a crash. Each key is kept for
// --idempotency-window after the receipt of its request. At most 262,144 keys are kept, or fewer if
// log segments are smaller than 84 MiB. When there are more keys, the service forgets the oldest
// keys of the database with the most keys. The metric slipstream_idempotency_keys_forgotten_total
// counts the forgotten keys.
//
// Remote Write does not support keys: the header and the parameter are ignored. Senders of Remote
// Write repeat a request that gets no response, so a sample may be stored twice, with the same
// labels, time and value.
//
// # Tokens
//
// If the service has tokens, requests must have the header Authorization: Bearer TOKEN. A token
// grants rights on all databases or on certain databases. For the format of the token file, see
// package access. Each endpoint requires one right:
//
//	write       both write endpoints, on their database; Remote Write, on the database metrics, also
//	            if it is forwarded to a target
//	read        GET /v1/tables, which lists only databases that the token may read
//	            GET /v1/schemas[/{name}] and /metrics, on all databases
//	administer  DELETE and PUT of a table and its columns, on their database
//	            POST /-/flush, PUT and DELETE /v1/schemas/{name}, on all databases
//	none        /health, /alive, /ready
//
// Schemas do not belong to a database, so the schema endpoints require the right on all databases.
// A flush also requires the right on all databases. A sender with the right to write can use a
// registered schema if it knows the schema's fingerprint. If a token lacks the right to read all
// databases, responses to its requests contain no information about other databases than its own.
// For such a token, the responses of /ready and responses with 503 contain no paths and no tables.
// For such a token, a wrong fingerprint also gets the response 404, as an unknown schema does.
//
// # Alterations
//
// An alteration first locks the table, and writes the table's acknowledged rows to Parquet files.
// Meanwhile, requests with rows for the table get the response 503 with Retry-After. When the
// changed catalog is on disk, the alteration gets the response 204. A DELETE must specify what
// happens to the Parquet files:
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
// Files are replaced one after the other, so readers may temporarily see both types. After a
// response 500 or a crash, the catalog is unchanged, but some files may have changed. Repeat the
// request to complete the alteration.
//
// # Responses
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
// If the status code is 400 or higher, except 500, nothing was stored.
//
// An error is one line of JSON. Row numbers start with 0 at the beginning of the body. Offsets
// count the bytes of the decompressed body:
//
//	{"error": "row 3: column \"v\": a string in a column of int64: …", "field": "v", "row": 3, "offset": 57}
//
// For NDJSON, the text contains the line number. Line numbers start with 1, and empty lines count,
// too:
//
//	{"error": "line 5: column \"v\": a string in a column of int64: …", "field": "v", "row": 3, "line": 5, "offset": 57}
//
// Without partial=true, a body is stored completely or not at all. With partial=true, an error in a
// row rejects only that row. An error in the body itself rejects the whole body. Errors in the body
// are invalid MessagePack, JSON or schema messages, and columns of different lengths. In NDJSON, a
// line that is not valid JSON is an error in a row. The response lists up to 1000 rejected rows.
// Its field more_rejected contains the number of rejected rows that are not listed. A request with
// rejected rows is always synchronous.
//
// # Order of work
//
// Cheap checks are made first: token and rights, Content-Length, names and parameters, and
// readiness. Then the body is read. A request without a valid token uses no memory of the budget,
// and creates no table and no metric label. All tables of a body are decoded and checked before the
// log is written, so every record of the log can be decoded. The catalog changes only after the
// rows are in the log, so a rejected request adds no table, no column and no type.
//
// # Logging and metrics
//
// At level debug, the service logs each rejected request, and each group of rows that is written to
// a file. At level info, it logs the first rejection of each kind. After that, it logs the number
// of rejections of this kind, at most once a minute. Once a minute, it also logs how many rows have
// been written to files. The metric slipstream_request_seconds is a histogram by route and format.
// The format is arc, msgpack, json, ndjson or schema. The format is empty if a request has no
// format, or if its format is unknown.
//
// # Fairness
//
// All request bodies share a memory budget (Limits.InFlight). A request is charged for the memory
// of the bytes that have arrived, not for its Content-Length: see package admission. The requests
// of one client can use at most half of the memory that all other requests leave free, so a client
// cannot lock out other clients. A client is an IPv4 address, or a /64 network of IPv6. Senders
// that share a proxy count as one client. A request that is larger than the budget is accepted only
// if no other request is in progress.
//
// In each window of 5 s, a body must arrive with at least Limits.MinRate. The whole body must
// arrive within Options.ReadTimeout. Otherwise the response is 408. During decompression, a body
// uses at most twice its decompressed length in memory.
//
// All databases share a maximum number of tables (table.Options.MaxTables). If several databases
// have tables, the number of tables of a database may be at most four times the number of tables
// that can still be created. This rule only restricts the creation of tables; existing tables are
// never removed. If the maximum is reached, a new database gets no tables.
//
// # The log
//
// The payload of a record is either a received body or the parts of a Remote Write request.
// Additions may follow a received body. The codec of the record describes the payload:
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
// The notation of a schema is stored before the list of rejected rows, so the log can be decoded
// without the registry. Only the body is compressed.
//
//	payload  ┌──────┬───────────────────────────────────┬─────────────────────┬────────────────┐
//	         │ body │ {time i64, host str8}: as text    │ u32: its length in  │ rejected rows, │
//	         │      │                                   │ bytes               │ if any         │
//	         └──────┴───────────────────────────────────┴─────────────────────┴────────────────┘
package ingest
