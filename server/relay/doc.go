// Package relay takes Remote Write from Prometheus, vmagent and their like, and sees to it that the series of each tenant come to
// Cortex, Mimir or another receiver that takes them for that tenant, and to nobody else.
//
// # The way of a request
//
//	head ─▶ dialect ─▶ credentials ─▶ body ─▶ decompressed ─▶ split by tenant ─▶ parcels ─┬─▶ targets ─▶ answers, merged
//	                                                                                      ├─▶ queue ─▶ 204 … later: targets
//	                                                                                      └─▶ log ─▶ 204 … later: Parquet
//
// Nothing is decoded that can be copied. A [remotewrite.Splitter] copies the bytes of each tenant's series; a request that is
// wholly one tenant's, with its label kept, goes on byte for byte as it came, compression included.
//
//	handler.go    ServeHTTP, from the head to the answer   rules.go, credentials.go, bounds.go   who may write what
//	protocol.go   what the headers mean                    tenant.go    what lasts of a tenant
//	request.go    reading and decompressing a body         bucket.go    rates
//	encoding.go   snappy and zstd                          active.go    how many series a tenant has
//	split.go      parts, tenants, limits of series         breaker.go   who does not answer gets a rest
//	metadata.go   metadata of version 1                    spare.go     how often it is tried elsewhere
//	deliver.go    parcels on their way; the merged answer  target.go, egress.go   where posts go, and how we prove who we are
//	lane.go       small parcels that go together           downgrade.go version 2 as version 1
//	flight.go     one post                                 queue.go     parcels that wait on the disk
//	memory.go     what need not go out twice               stats.go      what is counted
//	replicate.go  every parcel to every target             class.go      how long posts take
//	names.go      series that are kept or dropped          settings.go   what headers and labels may be called
//
// # Endpoints
//
//	POST /api/v1/push    as Cortex and Mimir have it
//	POST /api/v1/write   as Prometheus has it: the same
//	POST /push           as cortex-tenant has it: the same
//	GET  any of them ?get_vm_proto_version=…   "1": the handshake of older vmagents, which then send zstd
//
//	Content-Encoding   snappy (its block format), or none given: snappy; zstd. The other one is tried when a body is not what
//	                   its head says: vmagent's queue may hold both
//	Content-Type       application/x-protobuf, or none given: version 1.0; with proto=prometheus.WriteRequest the same,
//	                   with proto=io.prometheus.write.v2.Request version 2.0
//
// # Answers
//
//	code  to vmagent  when                                                          what senders do
//	204   204         every series was taken, or dropped where the settings say so  go on
//	400   409         the body is damaged, or some series will never be taken:      give it up; vmagent does so at 409 only, and
//	                  the text says which tenants'; the others' were taken          at 400 would repack and send it again
//	401   401         no valid credentials
//	405   405         wrong method
//	413   409         the body is too large                                         give it up
//	415   415         Content-Encoding or Content-Type unknown
//	429   429         a rate is exceeded, if Options.TooMany is 429                 Prometheus gives it up, unless it is told not to
//	503   503         now is not the time: Retry-After says when; some tenants'     send all of it again
//	                  series may have been taken, and will not be posted twice
//	                  if they come again soon
//
// What a target answers for one tenant becomes part of that: 2xx is taken, 429 a rate, 5xx and 408 and silence not the time, 401,
// 403, 404, 405 and 3xx a setting that is wrong, which Options.RejectedTenant decides about; any other 4xx is for ever. Of several
// tenants the worst decides: not the time, then a rate, then for ever. To version 2.0 an answer says how many samples,
// histograms and exemplars were written: as many as the targets have said.
//
// # Promises
//
// Without a queue, 204 means that every tenant's target, with Options.Replicate every target, has answered 2xx: the relay holds nothing,
// and what it is killed with its sender sends again. With a queue, 204 means that the series are on the disk, from where each tenant's are delivered in order, at
// least once. Where a request fails for one tenant, the others' series are delivered all the same. A target that is sent something twice gets
// the same samples with the same times, which Prometheus, Cortex and Mimir take as one.
//
// No byte of one tenant goes out under another's name: a buffer is used again only when the transport has closed it, and the tag
// invariants makes what is given back unreadable, so that tests find who still reads it.
//
// # Bounds
//
// Memory is taken from one budget before it is made: for a body as it comes, not as it is announced; for what it decompresses to, which is
// known or bounded before; for its parts. While bodies arrive, a client leaves as much of it free as its own bodies take; then tenants
// do, as a proxy brings the requests of many. A request has at most Bounds.Tenants tenants. A tenant has so many posts at once, 16 unless the
// rules say it; a target so many connections. 100,000 tenants may write within an hour.
package relay
