// Package relay receives Remote Write requests from Prometheus, vmagent and other agents, and
// splits them by tenant. It sends each tenant's series to Cortex, Mimir or another receiver, under
// the ID of that tenant.
//
// # The path of a request
//
//	head ─▶ dialect ─▶ credentials ─▶ body ─▶ decompressed ─▶ split by tenant ─▶ parcels ─┬─▶ targets ─▶ answers, merged
//	                                                                                      ├─▶ queue ─▶ 204 … later: targets
//	                                                                                      └─▶ log ─▶ 204 … later: Parquet
//
// A parcel is the part of a request that belongs to one tenant. A [remotewrite.Splitter] copies the
// series of each parcel without decoding them. If all series of a request belong to one tenant and
// keep the tenant label, the relay forwards the compressed body unchanged. A post is an HTTP POST
// request from the relay to a target. It contains one or more parcels of one tenant.
//
//	receiving   handler.go      ServeHTTP, from headers to answer
//	            protocol.go     meaning of the headers
//	            request.go      reading and decompression of a body, by package admission
//	            encoding.go     snappy and zstd
//	permission  rules.go        rules of tenants
//	            credentials.go  credentials
//	            bounds.go       limits
//	            bucket.go       rates
//	            active.go       active series of a tenant
//	            names.go        series that are kept or dropped by name
//	            settings.go     valid names of headers and labels
//	splitting   split.go        parts, tenants, limits of series
//	            metadata.go     metadata of version 1
//	            tenant.go       state of a tenant that outlives a request
//	delivery    deliver.go      parcels of a request, and the merged answer
//	            lane.go         small parcels that are sent together
//	            flight.go       one post
//	            target.go       targets
//	            egress.go       authentication to targets
//	            replicate.go    each parcel to every target
//	            downgrade.go    version 2 as version 1
//	            breaker.go      circuit breaker of a tenant and target
//	            spare.go        budget for attempts at other targets
//	            memory.go       parcels that need not be sent again
//	            queue.go        parcels that wait on disk
//	counting    stats.go        counters
//	            class.go        latency of posts
//
// # The states of a parcel
//
// Each arrow is a function, and each function moves parcels one step.
//
//	          admit              dispatch, enter               carry
//	received ───────▶ admitted ─┬─────────────────▶ in a lane ───────▶ in a post ─▶ finished
//	    │                       ├─────────────────▶ in the queue ─▶ finished
//	    ▼                       │     enqueue
//	finished: sent before,      └─────────────────▶ in the log ───▶ finished
//	rate exceeded, no memory          land
//
// While a post of a tenant is in progress, small parcels of the tenant wait in its lane. When the
// post ends, the method `drain` sends the waiting parcels together. The queue calls the method
// `deliverQueued` to deliver its items. A post of either kind takes these steps:
//
//	try ─▶ pick a target ─▶ negotiate the version ─▶ transmit: build the body ─▶ target.post
//	 ▲                                                                              │
//	 └────────── another target, if this one failed and there is time ──────────────┘
//
// # Endpoints
//
//	POST /api/v1/push    the path of Cortex and Mimir
//	POST /api/v1/write   the same, at the path of Prometheus
//	POST /push           the same, at the path of cortex-tenant
//	GET  these paths, with ?get_vm_proto_version=…: "1", the handshake of older vmagents, which then
//	     send zstd
//
//	Content-Encoding   snappy (block format), which is the default, or zstd. If a body has the other
//	                   format, that is accepted, because vmagent's queue may contain both
//	Content-Type       application/x-protobuf, or none, or with proto=prometheus.WriteRequest:
//	                   version 1.0; with proto=io.prometheus.write.v2.Request: version 2.0
//
// # Responses
//
//	code  to vmagent  cause                                              reaction of senders
//	204   204         all series were accepted, or dropped by settings   continue
//	400   409         damaged body, or series that will never be         drop the request; vmagent does so only
//	                  accepted; the text has their tenants. Series of    for 409, and would send it again in
//	                  other tenants were accepted                        pieces for 400
//	401   401         no valid credentials
//	405   405         wrong method
//	413   409         the body is too large                              drop the request
//	415   415         unknown Content-Encoding or Content-Type
//	429   429         a rate is exceeded, if Options.TooMany is 429      Prometheus drops the request, unless
//	                                                                     it is configured to retry
//	503   503         temporary: retry after Retry-After. Series of      send the whole request again
//	                  some tenants may have been accepted; they are
//	                  not posted again if the retry comes soon
//
// The response of a target determines the outcome for a tenant. The status 2xx means that the
// target accepted the series. The status 429 means that a rate is exceeded. The status 5xx or 408,
// or a missing response, is a temporary failure. The status 401, 403, 404, 405 or 3xx means that a
// setting is wrong; Options.RejectedTenant selects the outcome. Any other 4xx status is a permanent
// failure.
//
// If the outcomes of the tenants differ, the sender gets the worst of these outcomes. A temporary
// failure is worse than an exceeded rate, and an exceeded rate is worse than a permanent failure.
// For version 2.0, the response contains the numbers of samples, histograms and exemplars that the
// targets reported as written.
//
// # Guarantees
//
// Without a queue, the response 204 means that the target has responded with 2xx for each tenant.
// With Options.Replicate, it means that all targets have done so. Without a queue, the relay stores
// no data. If the relay is killed during a request, the sender repeats the request. With a queue,
// the response 204 means that the series are on disk. The queue delivers each tenant's series in
// order and at least once.
//
// If a request fails for one tenant, the series of other tenants are still delivered. A target may
// receive series twice. The repeated samples have the same times and values, and Prometheus, Cortex
// and Mimir deduplicate them.
//
// Data of one tenant is never sent under the ID of another tenant. A buffer is reused only after
// the transport has finished sending its content. With the build tag invariants, released buffers
// are overwritten, so that tests find code that still uses them.
//
// # Limits
//
// All memory for requests comes from one budget, and is charged before it is allocated. For a body,
// the relay charges the bytes that have arrived, regardless of the Content-Length. It also charges
// the decompressed body, whose size is known or limited, and the parts of the body. While bodies of
// a client arrive, the client may use at most as many bytes as are still free in the budget. After
// a body has arrived, the same limit applies to each tenant in the body instead, because a proxy
// can forward requests of many clients.
//
// A request may contain at most Bounds.Tenants tenants. A tenant has at most 16 posts at the same
// time, unless its rules set another number. The number of connections to a target is limited. At
// most 100,000 tenants can write within a minute.
package relay
