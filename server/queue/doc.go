// Package queue keeps items on disk until they are delivered: a line for each tenant, and one log for all of them.
//
// # What it promises
//
//   - When Put returns nil its items are on disk. Each will be delivered at least once, unless it is refused, or dropped as
//     the options say, or the disk does not give it back; all of that is counted.
//   - Items of a tenant are delivered in their order, never two calls at a time, whatever crashes lie between. Between tenants
//     there is no order.
//   - A tenant that does not take its items is tried again after growing pauses. Meanwhile it holds no worker, and delays
//     nobody else. Nor does it pin the log: its items are written again at the log's end when too much that is of no use lies
//     after them.
//   - After a crash, what was delivered since the last note may be delivered again. Notes are written four times a second and by
//     Close, so a queue that was closed delivers nothing twice.
//   - A tenant for which Deliver hangs delays nobody else either, unless there are more than MaxSlow such tenants at once.
//   - Items that a target does not take together are delivered in smaller calls, down to single items.
//
// What it does not: Deliver needs a deadline of its own. Items that were dropped after some that are being delivered may be there again after a crash.
//
// # The way of an item
//
//	Put ─▶ room for it? ─▶ log ─▶ nil
//	                        │ OnCommit, in the order of the log
//	                        ▼
//	       tenant: item, item, item ◀─────────── after a pause ──┐
//	               └─ a flight ─┘──▶ worker ──▶ Deliver ──▶ Retry ┘
//	                                               ├──▶ Delivered ──▶ note ──▶ segments released
//	                                               └──▶ Refused: one by one; alone, dropped
//
// # Records
//
// A Put is one record of the log. Its payload has one entry after the other; numbers are varints unless they say otherwise.
//
//	Data     as they were put
//	         ┌──────┬────────┬───────┬──────┬──────┬──────┬──────┬─────┬──────┬──────┬───
//	         │ len  │ tenant │ codec │ note │ note │ note │ note │ sum │ size │ body │ …
//	         └──────┴────────┴───────┴──────┴──────┴──────┴──────┴─────┴──────┴──────┴───
//	                          u8                                  u32   of the body
//	Intent   moved: the same, with order and time (zigzag, µs) between the notes and the sum. It has this type because it leads to
//	         more room: it may use what the log keeps back for that
//	Landed   a note: how far tenants have come
//	         ┌─────┬────────┬────┬───
//	         │ len │ tenant │ to │ …    all of the tenant's items up to the order `to` are done with
//	         └─────┴────────┴────┴───
//
// The sum is the CRC-32C of the body alone, so that one tenant's item can be read back without the others of its request.
//
// An item's order is the sequence number of the record that first held it, shifted by 16 bits, and its index there. Moved, it
// keeps its order. A crash can leave several copies of an item in the log; of those with one order the latest counts, and a note
// covers them all. A note always comes after what it covers: if an item is delivered while it is being moved, this is noted
// again.
//
// # Memory
//
// An item takes 112 bytes and a pointer in its tenant's line, 128 at most on the average; a tenant with items up to 800 bytes and
// its name. Bodies are beside that, up to Options.Memory. MaxBytes counts items at 128 bytes and their bodies, so it bounds both.
// Tenants without items are forgotten, but for the latest thousand. Open takes as much for each item that the log holds, those
// of a quarter of a second before the stop included, which turn out to be done with.
//
// # Locks
//
// One lock guards all. The log's committer takes it for each commit, workers twice or three times for each flight, Put once. No
// file is touched and Deliver is not called while it is held. The log's own locks are inside of it: the log calls the queue
// without holding any.
//
// A body that is only in the log is read without the lock, for which its segment is pinned: moving the item does not release
// the segment before it was read.
//
// # Where to look
//
//	queue.go    Options, Open, Close               keep.go     the keeper: ages, notes
//	item.go     Item, Verdict; an item in memory   move.go     items are written again, so that segments can go
//	put.go      Put, and what commits bring        segment.go  which items need which segment
//	tenant.go   a tenant's line and its states     source.go   where a body is, and reading it back
//	worker.go   flights, verdicts, pauses          payload.go  the bytes of entries and notes
//	schedule.go whose call is next                 window.go   how much a call may carry
//	recover.go  from the log back to the lines     stats.go, report.go, errors.go
package queue
