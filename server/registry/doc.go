// Package registry stores the schemas of request bodies in a file. For a request, it returns the
// version of the schema with which the body is encoded.
//
// A body of type application/x-slipstream-schema contains only values: see package schema and
// docs/ingest-schema.md. The schema must be registered first, by a PUT request that contains the
// JSON form of a schema.Shape. The response to this request is sent when the schema is on disk.
//
// Each body identifies a version of the schema by the version's fingerprint, as returned by
// Shape.NamedFingerprint. The fingerprint is the first 8 bytes of the SHA-256 of the notation, as
// 16 lower-case hex digits. The notation includes the names of fields, because they are the names
// of the columns.
//
//	PUT /v1/schemas/cpu
//	{"fields": [{"name": "time", "type": "i64"}, {"name": "host", "type": "str8"}, {"name": "load", "type": "f64"}]}
//
//	{"name": "cpu", "fingerprint": "2090ebf1f20b9f1d", "notation": "{time i64, host str8, load f64}", "form": "rows", …}
//
// The form of a schema, rows or columns, is the form of its bodies:
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
// A schema may be registered repeatedly. The response is 201 if the version is new, and 200 if the
// version already exists. A new version must be able to read the messages of the version that was
// newest so far (see schema.Compat). Older versions remain valid for senders that still use them.
// To register an incompatible schema, use another name, or delete the old schema first. The
// registry may contain 1000 versions in total, with 4 MiB of notations. A schema may have at most
// 128 KiB, and as many columns as a table in a request.
//
// For an unknown fingerprint, the response is 409. If the client also sends the notation of its
// schema, in the header Slipstream-Schema, the error contains the first field that differs:
//
//	{"error": "schema \"cpu\" has no version with the fingerprint 5727…; the newest version has 2090…: your schema has load f32,
//	the newest version load f64: …", "field": "load"}
package registry
