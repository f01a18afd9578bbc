// Package queue keeps items on disk until they are delivered. Each tenant has its own line, a list
// of items in the order of delivery. All tenants share one log.
//
// # Guarantees
//
//   - When Put returns nil, the items of this call are on disk. Each item is delivered at least
//     once, with three exceptions: Deliver refuses the item, the options make the queue drop it, or
//     it cannot be read back from the disk. The queue counts all these cases.
//   - Items of a tenant are delivered in order, even after crashes, and by one call at a time.
//     There is no order between the items of different tenants.
//   - If delivery to a tenant fails, it is retried after increasing delays. Meanwhile the tenant
//     uses no worker and delays no other tenant. Its items do not prevent the removal of old
//     segments of the log. When the log contains too much delivered data, the queue writes the
//     undelivered items of the oldest segment again, at the end of the log.
//   - The log contains progress notes: records of how far the deliveries of each tenant have
//     progressed. After a crash, items that were delivered since the last progress note may be
//     delivered again. Progress notes are written four times a second and by Close, so after Close
//     no item is delivered twice.
//   - A tenant for which Deliver hangs does not delay other tenants, unless calls for more than
//     MaxSlow tenants hang at the same time.
//   - If a target does not accept several items together, the queue delivers them in calls with
//     fewer items, down to single items.
//
// Deliver must have its own deadline. If items are dropped while earlier items are being delivered,
// the dropped items may be in the queue again after a crash.
//
// # The path of an item
//
//	Put ─▶ is there room? ─▶ log ─▶ nil
//	                        │ commit, in the order of the log
//	                        ▼
//	       tenant: item, item, item ◀─────────── after a pause ──┐
//	               └─ a flight ─┘──▶ worker ──▶ Deliver ──▶ Retry ┘
//	                                               ├──▶ Delivered ──▶ note ──▶ segments released
//	                                               └──▶ Refused: one by one; alone, dropped
//
// # Records
//
// Each call of Put writes one record to the log. The payload of the record is a sequence of
// entries. The log contains three types of records. All numbers in a record are varints, except
// those for which the diagram gives another type:
//
//	1   items of a Put
//	    ┌──────┬────────┬───────┬──────┬──────┬──────┬──────┬─────┬──────┬──────┬───
//	    │ len  │ tenant │ codec │ note │ note │ note │ note │ sum │ size │ body │ …
//	    └──────┴────────┴───────┴──────┴──────┴──────┴──────┴─────┴──────┴──────┴───
//	                     u8                                  u32   of the body
//	2   moved items: the same, with order and time (zigzag, µs) between the notes and the sum. This
//	    type may use the log's reserve, because moving items frees segments
//	3   a note: the progress of tenants. It may use the reserve, too
//	    ┌─────┬────────┬────┬───
//	    │ len │ tenant │ to │ …    all items of the tenant up to the order `to` are complete
//	    └─────┴────────┴────┴───
//
// The field `sum` is the CRC-32C of the body, so one item can be read back without the other items
// of its request.
//
// The order of an item is the sequence number of the first record that contained it, shifted by 16
// bits, plus its index in that record. A moved item keeps its order. A crash can leave several
// copies of an item in the log. All copies have the same order. The last copy is valid, and a
// progress note that covers the item covers all copies. A progress note must come after the items
// that it covers. So if an item is delivered while it is being moved, the queue writes the tenant's
// progress again. This progress note follows the new copy in the log.
//
// # Memory
//
// In memory, an item uses 112 bytes plus a pointer in the line of its tenant, together at most 128
// bytes on average. A tenant with items uses up to 800 bytes plus its name. In addition, bodies use
// up to Options.Memory bytes. For MaxBytes, an item counts as the size of its body plus 128 bytes.
// The queue forgets tenants without items, except the thousand most recent ones. Open needs the
// same memory for each item in the log, including items that were delivered in the last quarter of
// a second before the queue stopped.
//
// # Locks
//
// One lock guards the queue. The log's committer acquires it for each record and for each commit, a
// worker acquires it two or three times per call, and Put acquires it once. While the lock is held,
// no file is accessed and Deliver is not called. In the lock order, the log's own locks come after
// this lock: the log holds none of its own locks when it calls the queue.
//
// A body that is only in the log is read without the lock. Its segment is pinned during the read,
// so moving the item does not release the segment too early.
//
// # Files
//
//	queue.go     Options, Open, Close
//	item.go      Item, Verdict; an item in memory
//	put.go       Put and commits
//	tenant.go    the line of a tenant and its states
//	worker.go    calls (flights), verdicts, delays
//	schedule.go  selection of the next call
//	window.go    size of a call
//	source.go    reading of bodies from memory or the log
//	keep.go      the keeper: ages, progress notes
//	move.go      moving of items, to release segments
//	segment.go   items of each segment
//	payload.go   encoding of entries and progress notes
//	recover.go   recovery of the lines from the log
//	inspect.go   Inspect, which describes a queue without opening it
//	stats.go, report.go, errors.go
package queue
