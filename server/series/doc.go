// Package series converts parts of Remote Write requests to rows, and defines the types that the
// relay and the ingest handler exchange. The relay splits a request by tenant. The ingest handler
// stores all parts of a request as one record of the log, so a request is stored completely or not
// at all.
//
//	relay ──▶ parts by tenant: Part ──▶ ingest: Append, a body ──▶ log
//	                                            └─▶ Format, rows ──▶ tables
//
//	series.go      Part and Result, which the relay and the ingest handler exchange
//	part.go        the body that consists of parts
//	samples.go     from parts to batches
//	labels.go      labels as JSON
//	histograms.go  native histograms
//	tenants.go     tables of tenants
//
// # Tables
//
// The tables are in the database named metrics. A tenant named t has these tables:
//
//	t              a row for each sample: time, metric, labels, value, start_time
//	t-histograms   a row for each native histogram: time, metric, labels, count, sum, zero_count,
//	               zero_threshold, schema, buckets, message, start_time
//	t-exemplars    a row for each exemplar: time, metric, labels, value, exemplar
//	t-metadata     a row for each distinct metadata in a request: time, metric, type, help, unit
//
// The name of a tenant is used unchanged if it consists of letters, digits, _ and -, and starts
// with a letter. Other names are escaped: 12345 becomes x--12345, and team.a becomes x--team-2ea.
// The file tenants.go describes the escapes and the exceptions.
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
// Series without data produce no rows. Remote Write requests have the same limits as other
// requests. A series may have as many labels as a table may have columns. Each sample repeats the
// labels of its series, so the text of all rows can be larger than the body. The limit for this
// text is the size of the body multiplied by the maximum decompression ratio. If a label is not
// UTF-8, or a time is out of range, the whole request is rejected.
//
// # Bodies
//
// The body of a Remote Write record consists of the parts of a request, compressed together. A part
// contains the name of the table for the tenant's samples, not the name of the tenant. So a record
// can be decoded even if the rule for the names of tables changes.
//
//	part     ┌────────────────────┬───────┬─────────────┬────────────────────┬──────┐
//	         │ uvarint: length of │ table │ u8: version │ uvarint: length of │ body │
//	         │ the table's name   │       │ (1 or 2)    │ the body           │      │
//	         └────────────────────┴───────┴─────────────┴────────────────────┴──────┘
package series
