// Package load implements `slipctl load`, which sends telemetry to an ingest service, or Remote
// Write requests to a relay, and reports the results. It also implements `slipctl sink`, which
// receives series from a relay and counts them.
//
// The report contains the number of acknowledged rows, whether all of them landed, and the cost on
// the server. The generator runs on the same machine as the service, so it does as little as
// possible: requests are built before the run, and a worker only writes a request and reads the
// reply.
//
//	run        run.go        Run, which connects the other parts
//	           options.go    options
//	           target.go     the target; loopback only
//	           worker.go     send, wait, count, retry
//	           conn.go, response.go  HTTP/1.1 over one connection
//	           landing.go    flush, and count of landed rows
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
// Each source fills a [column.Batch]. A body is a batch in one of five forms:
//
//	form and --endpoint  body
//	columnar, arc        {"m": "cpu", "columns": {"time": […], "host": […], …}}
//	columnar, v1         {"time": […], "host": […], …}
//	row, arc             {"batch": [{"m": "cpu", "t": …, "h": …, "tags": {…}, "fields": {…}}, …]}
//	row, v1              [{"time": …, "host": …, …}, …]
//	schema, v1           {time list32(i64), host list32(str8), …}: only synthetic telemetry
//
// Times are integers in microseconds since 1970-01-01 UTC. They always take nine bytes (d3 and a
// big-endian int64), or eight with a schema (little-endian). So a request can be sent again with
// new times of the same length:
//
//	POST /api/v1/write/msgpack HTTP/1.1 … | 82 … a4 "time" dc 03e8 | d3 tttttttt | d3 tttttttt | …
//	└─────────────── head ──────────────┘   └──────── body ─────────  first ▲     └─ stride ─┘
//
// # Acknowledged rows, and rows in doubt
//
// A row is acknowledged when a complete 2xx reply has been read. If a request has no reply, or a
// 5xx other than 503, its rows are in doubt: they may or may not land. They are not sent again,
// because then they could land twice. A 408, 429 or 503 means that nothing was stored: the same
// request is sent again after a delay.
//
// # Remote Write
//
// A relay gets series of several tenants. Senders of Remote Write repeat requests that get no
// reply. So here, requests in doubt are sent again: nothing may be lost, but series may be
// delivered twice. The series resemble the series of a Kubernetes cluster: see [RemoteWrite]. Times
// cannot be changed in compressed bodies, so after the last body, the same bodies are sent again.
//
//	slipctl load ──snappy──→ relay ──a POST for each tenant──→ slipctl sink
//	       │                                                             ▲
//	       └────────────────── GET /counts, before and after ────────────┘
//
// Sink, relay and load are separate processes, so /proc contains the CPU time of each. The floor is
// the CPU time that this process needs to decompress the same bodies and to compress them again
// with snappy.
package load
