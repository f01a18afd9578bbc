// Package load implements `slipctl load`, which sends telemetry to an ingest service, or Remote
// Write requests to a relay, and reports the results. It also implements `slipctl sink`, which
// receives series from a relay and counts them.
//
// The report contains the number of acknowledged rows, whether all of them were written to files,
// and the cost on the server. The generator runs on the same machine as the service, so it does as
// little work as possible. It builds the requests before the run. During the run, a worker only
// writes a request and reads the reply.
//
//	run        run.go        Run, which connects the other parts
//	           options.go    options
//	           target.go     the target; loopback only
//	           worker.go     send, wait, count, retry
//	           conn.go, response.go  HTTP/1.1 over one connection
//	           landing.go    flush, and count of rows in files
//	requests   ingest.go     rows
//	           synthetic.go  synthetic telemetry
//	           proc.go       counters of this machine
//	           counters.go   parsers of proc.go
//	           filler.go     cells → batch
//	           body.go       batch → MessagePack
//	           coded.go      batch → messages of a schema
//	           request.go    header and body, and the positions of times
//	results    tally.go      counts of a worker
//	           timeline.go   rows per second, degradation
//	           histogram.go  latencies
//	           process.go    CPU time and memory of the server
//	           spending.go   CPU time that the server reports
//	           monitor.go    counters of the machine over a run
//	           report.go     the result, as text or JSON
//
// Files for Remote Write:
//
//	remotewrite.go  options
//	fleet.go        series of a cluster
//	push.go         requests with series
//	packing.go      snappy and zstd
//	sink.go         the sink
//	counts.go       counts of a request's content
//	delivery.go     comparison of acknowledged and delivered series
//	floor.go        minimum cost of any relay
//	pushreport.go   the result
//
// # Bodies
//
// Each source fills a [column.Batch]. A body contains a batch in one of five forms:
//
//	form and --endpoint  body
//	columnar, arc        {"m": "cpu", "columns": {"time": […], "host": […], …}}
//	columnar, v1         {"time": […], "host": […], …}
//	row, arc             {"batch": [{"m": "cpu", "t": …, "h": …, "tags": {…}, "fields": {…}}, …]}
//	row, v1              [{"time": …, "host": …, …}, …]
//	schema, v1           {time list32(i64), host list32(str8), …}: only synthetic telemetry
//
// Times are integers in microseconds since 1970-01-01 UTC. In MessagePack, a time always occupies
// nine bytes (d3 and a big-endian int64). With a schema, it occupies eight bytes (a little-endian
// int64). So a request can be sent again with new times, without a change of its length:
//
//	POST /api/v1/write/msgpack HTTP/1.1 … | 82 … a4 "time" dc 03e8 | d3 tttttttt | d3 tttttttt | …
//	└─────────────── head ──────────────┘   └──────── body ─────────  first ▲     └─ stride ─┘
//
// # Acknowledged rows, and rows in doubt
//
// A row is acknowledged when a complete 2xx reply has been read. If a request gets no reply, or a
// 5xx other than 503, its rows are in doubt: the service may or may not have stored them. They are
// not sent again, because the service could then store them twice. The status 408, 429 or 503 means
// that nothing was stored. The same request is then sent again after a delay.
//
// # Remote Write
//
// A relay gets series for several tenants. Real senders of Remote Write repeat requests that get no
// reply. The load generator therefore resends requests with an unknown outcome: series must not be
// lost, but duplicates are allowed. The series resemble the series of a Kubernetes cluster: see
// [RemoteWrite]. Times in compressed bodies cannot be changed. So after the last prepared body, the
// generator sends the same bodies again.
//
//	slipctl load ──snappy──→ relay ──a POST for each tenant──→ slipctl sink
//	       │                                                             ▲
//	       └────────────────── GET /counts, before and after ────────────┘
//
// The sink, the relay and the load generator are separate processes, so /proc shows the CPU time of
// each process. The report's line `floor` shows the CPU time that the generator itself needs to
// decompress the same bodies and to compress them again with snappy.
package load
