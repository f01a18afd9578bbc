// Package queue keeps items on disk until they are delivered. Each tenant has its own line of
// items; all tenants share one log.
//
// # Guarantees
//
//   - When Put returns nil, its items are on disk. Each item is delivered at least once, unless
//     Deliver refuses it, the options drop it, or the disk cannot read it back. All these cases are
//     counted.
//   - Items of a tenant are delivered in order, in one call at a time, even after crashes. There is
//     no order between tenants.
//   - If delivery to a tenant fails, it is retried after increasing delays. Meanwhile the tenant
//     uses no worker and delays no other tenant. Its items do not hold back old segments of the
//     log: when the log contains too much delivered data, the queue writes the items of the oldest
//     segment again, at the end of the log.
//   - After a crash, items that were delivered since the last progress note may be delivered again.
//     Progress notes are written four times a second and by Close, so after Close no item is
//     delivered twice.
//   - A tenant for which Deliver hangs does not delay others, unless more than MaxSlow tenants hang
//     at the same time.
//   - If a target does not accept several items together, they are delivered in smaller calls, down
//     to single items.
//
// Deliver must have its own deadline. If items are dropped while earlier ones are being delivered,
// the dropped items may return after a crash.
//
// # The path of an item
//
//	Put ─▶ is there room? ─▶ log ─▶ nil
//	                        │ OnCommit, in the order of the log
//	                        ▼
//	       tenant: item, item, item ◀─────────── after a pause ──┐
//	               └─ a flight ─┘──▶ worker ──▶ Deliver ──▶ Retry ┘
//	                                               ├──▶ Delivered ──▶ note ──▶ segments released
//	                                               └──▶ Refused: one by one; alone, dropped
//
// # Records
//
// A Put is one record of the log. Its payload is a sequence of entries. Numbers are varints, except
// where a type is given.
//
//	Data     items of a Put
//	         ┌──────┬────────┬───────┬──────┬──────┬──────┬──────┬─────┬──────┬──────┬───
//	         │ len  │ tenant │ codec │ note │ note │ note │ note │ sum │ size │ body │ …
//	         └──────┴────────┴───────┴──────┴──────┴──────┴──────┴─────┴──────┴──────┴───
//	                          u8                                  u32   of the body
//	Intent   moved items: the same, with order and time (zigzag, µs) between the notes and the sum. This
//	         type may use the log's reserve, because moving items frees segments
//	Landed   a note: the progress of tenants
//	         ┌─────┬────────┬────┬───
//	         │ len │ tenant │ to │ …    all items of the tenant up to the order `to` are complete
//	         └─────┴────────┴────┴───
//
// The sum is the CRC-32C of the body, so one item can be read back without the others of its
// request.
//
// The order of an item is the sequence number of the first record that contained it, shifted by 16
// bits, plus its index in that record. A moved item keeps its order. A crash can leave several
// copies of an item in the log. Of the copies with the same order, the last one is valid, and a
// progress note covers all of them. A progress note must come after the items that it covers. So if
// an item is delivered while it is being moved, the progress is noted again.
//
// # Memory
//
// An item takes 112 bytes plus a pointer in the line of its tenant, together at most 128 bytes on
// average. A tenant with items takes up to 800 bytes plus its name. In addition, bodies take up to
// Options.Memory. MaxBytes counts each item as its body plus 128 bytes. The queue forgets tenants
// without items, except the last thousand. Open needs the same memory for each item in the log,
// including items that were delivered in the last quarter of a second before the stop.
//
// # Locks
//
// One lock guards the queue. The log's committer takes it for each commit, a worker two or three
// times for each call, and Put once. While it is held, no file is accessed and Deliver is not
// called. The log's own locks come after it in the lock order: the log calls the queue without
// holding its locks.
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
//	stats.go, report.go, errors.go
package queue
