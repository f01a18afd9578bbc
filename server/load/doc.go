// Package load is the generator behind `slipstream load`: it sends telemetry to an ingest service, or Remote Write to a relay, and says what
// came of it. Behind a relay, `slipstream sink` counts what comes out.
//
// The first question is what was acknowledged, the second whether all of that landed, the third what it cost the server.
// A generator shares the machine with what it measures, so it is lean: requests are made beforehand, whole, and a worker
// does no more than write one to its connection and read the reply.
//
//	options.go    what can be asked for             worker.go     send, wait, count, retry
//	target.go     where it goes; loopback only      tally.go      what a worker counted
//	request.go    head and body, the times' places  timeline.go   rows per second, degradation
//	body.go       batch → MessagePack               histogram.go  latencies
//	coded.go      batch → a schema's bytes
//	synthetic.go  made-up telemetry                 process.go    the server's CPU and memory
//	proc.go       this machine's counters           landing.go    flush, and count what landed
//	counters.go   the parsers under proc.go         report.go     the result, as text or JSON
//	filler.go     cells → batch                     monitor.go    the same over a run
//	conn.go, response.go  HTTP/1.1 over one connection
//	ingest.go     the protocol of rows               spending.go   what the server says of its CPU
//	run.go        Run, which puts these together
//
// What is Remote Write's own:
//
//	remotewrite.go  what can be asked for           push.go        the protocol of series
//	fleet.go        series of a cluster             packing.go     snappy and zstd
//	sink.go         the sink                        floor.go       what no relay can do without
//	delivery.go     acknowledged against delivered  pushreport.go  the result
//	counts.go       what requests hold
//
// # Bodies
//
// Every source fills a [column.Batch]; a body is that batch in one of five forms:
//
//	             --endpoint=arc                                          --endpoint=v1
//	columnar     {"m": "cpu", "columns": {"time": […], "host": […], …}}  {"time": […], "host": […], …}
//	row          {"batch": [{"m": "cpu", "t": …, "h": …,                 [{"time": …, "host": …, …}, …]
//	                         "tags": {…}, "fields": {…}}, …]}
//	schema                                                               {time list32(i64), host list32(str8), …}: only what is synthetic
//
// Times are integers in microseconds since 1970-01-01 UTC, always in nine bytes (d3 and a big-endian int64), or in eight, little-endian, by the schema. So a request
// that is sent again can be given new times by storing into it, and keeps its length:
//
//	POST /api/v1/write/msgpack HTTP/1.1 … | 82 … a4 "time" dc 03e8 | d3 tttttttt | d3 tttttttt | …
//	└─────────────── head ──────────────┘   └──────── body ─────────  first ▲     └─ stride ─┘
//
// # What is counted
//
// A row is acknowledged when a 2xx reply to its request has been read whole. Rows of a request that broke off without a
// reply, or got a 5xx other than 503, are in doubt: they may land or not, and they are never sent again, because then they
// could land twice. A 408, 429 or 503 says that nothing was taken: the same request is sent again after a pause.
//
// # Remote Write
//
// A relay gets series of several tenants, and has to pass each on to its tenant. Its sender keeps what was not acknowledged, so here requests
// in doubt are sent again: nothing may be lost, and some of it may come twice. What is sent is a cluster's; see [RemoteWrite]. The bodies are
// compressed, so their times cannot be changed: when all have been sent, the same ones are sent again.
//
//	slipstream load ──snappy──→ relay ──a POST for each tenant──→ slipstream sink
//	       │                                                           ▲
//	       └───────────────── GET /counts, before and after ───────────┘
//
// Sink, relay and load are processes of their own, so that /proc tells their processor times apart. Beside that of the relay stands the
// floor: what this process takes to decompress the same bodies and to compress them with snappy, with nothing between.
package load
