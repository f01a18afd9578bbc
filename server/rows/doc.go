// Package rows decodes request bodies into batches of columns. Requests and the replay of the log
// use the same decoder, so a replay returns the rows of the request.
//
//	job.go       from a body to batches: groups, finish
//	format.go    formats, and their codes in the log
//	tables.go    MessagePack bodies with one table
//	arc.go       MessagePack bodies that name their tables
//	json.go      JSON
//	lines.go     NDJSON
//	schema.go    bodies that are encoded with a schema
//	partial.go   rows that are checked one by one
//	times.go     units of time
//	timetext.go  times that are strings
//	fault.go     texts of the decoders' errors
//	limits.go    limits
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
// A cell is nil, a bool, an int, a float, a str or a timestamp ext. The first value of a column
// sets the column's type. The first float in an int column turns the column into a float column.
// But if the column contains an int that a float64 cannot represent exactly, such as
// 9007199254740993, the float is rejected. In a float column, such an int is rejected.
//
// In JSON, a number is an int unless it has a fraction or an exponent. The following are rejected:
// an int that exceeds int64, a float that is out of range, and half of a surrogate pair in a
// string. The number 1e20 is a float, but some encoders write it as 100000000000000000000, which is
// an int. Times are numbers or strings, because JSON has no timestamps. Lines that contain only
// white space are skipped.
//
// The column named time contains the time of the row. Unless the parameter time_unit is set, the
// magnitude of a number determines its unit. Numbers below 10^10 are seconds, numbers below 10^13
// are milliseconds, numbers below 10^16 are microseconds, and larger numbers are nanoseconds.
// Floats are rounded to the nearest microsecond, and integers in nanoseconds are rounded down to
// microseconds. All times of a table in one body must have the same unit. Times must be in the
// years 1 to 9999, because Python and SQL engines can show these years.
//
// A time that is a string must be an RFC 3339 time with Z or an offset. It is stored in UTC,
// truncated to microseconds. Bodies with a schema cannot contain times as strings. In one body, the
// times of a table must be either all strings or all numbers.
//
// A row without a time can get the time of receipt instead. In a body of rows, this applies if the
// times of all rows of the table are missing or null. In a body of columns, it applies if no column
// is named time. In Arc's envelope of one row, it applies if the key t is missing.
//
// In one request, the rows of a table may be in at most 1000 different hours (41 days), because
// each hour of a table becomes a file. Split a longer backfill into several requests. If the
// request is not a backfill, an error about the hours usually means that the unit of time is wrong.
//
// The name of a database consists of 1 to 64 letters, digits, _ - or ., and starts with a letter or
// a digit. Names of tables and columns consist of 1 to 128 bytes of UTF-8 without control
// characters. Names are case-sensitive. Strings must be UTF-8.
//
// Some file systems reserve certain names, or do not distinguish certain names, such as Cpu and
// cpu. If a table has such a name, the name of its directory is escaped: the table Cpu is in the
// directory ~43pu, and the table con is in ~63on. Some engines treat the column names v and V as
// equal. If a table has two such columns, the later column has another name in files, with a
// number: after a column v, the column V is named V_2. The endpoint /v1/tables shows the name of
// each column in files.
//
// The endpoint /api/v1/write/msgpack differs from Arc as follows. A body is rejected if it mixes
// types or units of time, if a tag and a field have the same name, or if a text is not UTF-8. An
// invalid item of a batch is never skipped silently. If a row has no key h, the row keeps its tag
// named host. Unknown keys of the envelope are ignored.
package rows
