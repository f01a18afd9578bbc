// Package wal is the write-ahead log: what an append has acknowledged is on disk, and is read back in order after a crash.
//
// # Where to look
//
//	log.go        Options, Open, Replay, Release, Close
//	append.go     Append, AppendAsync and the queue
//	committer.go  the goroutine that writes: group commit, rotation, full disks, failures
//	record.go     the bytes of a record
//	segment.go    the bytes of a segment's header; how a segment is found and made
//	place.go      where a payload lies, and reading it again
//	scan.go       reading a segment from front to back, and past damage
//	check.go      the survey of a whole log, from which Open, Check and Repair know what is torn and what is damaged
//	repair.go     Repair
//	salvage.go    what Open does about damage with Options.Salvage
//	spare.go      segments that have landed become new ones
//	first.go      which segment is the oldest
//	disk.go       what is asked of the system; the reserve
//
// # Files
//
//	00000001.wal …        the segments; all but the last are sealed and never written again
//	00000007.wal.tmp      a segment in the making or being removed; Open removes it
//	00000002.wal.spare    a segment that has landed and will be used again
//	00000003.wal.damaged  what Repair has replaced, kept for inspection
//	00000003.wal.torn     what was cut off at the log's end, kept with Options.Salvage
//	record-77.unread      a payload that the log's user could make nothing of; see [Log.SetAside]
//	first                 which segment is the oldest that the log needs
//	reserve               room that is given back when the disk fills up (see [Options.Reserve])
//	lock                  held while the log is open
//
// A segment is a header, kept twice so that one flipped bit does not cost the whole segment, and records. The last segment is
// allocated in full before it is used: the zeros after its last record are not part of the log. All numbers are little-endian.
//
//	segment   0        32       64
//	          ┌────────┬────────┬─────────┬─────────┬───┬─────────────┐
//	          │ header │ header │ record  │ record  │ … │ 0 0 0 0 …   │
//	          └────────┴────────┴─────────┴─────────┴───┴─────────────┘
//
//	header    0           8         10   12     16      24   28
//	          ┌───────────┬─────────┬────┬──────┬───────┬────┬──────┐
//	          │ "slip.wal"│ version │ 0  │ salt │ first │ 0  │ crc  │
//	          └───────────┴─────────┴────┴──────┴───────┴────┴──────┘
//	          first is the sequence number of the first record, salt is random, crc is over all that stands before it
//
//	record    0     4     8     16     24    28    30   31  32   34     36    40
//	          ┌─────┬─────┬─────┬──────┬─────┬───────┬──────┬───┬────┬───────┬─────┬────┬───────┬─────────┬─────┐
//	          │ crc │ len │ seq │ time │ sum │ codec │ type │ 0 │ db │ table │ nth │ db │ table │ payload │ pad │
//	          └─────┴─────┴─────┴──────┴─────┴───────┴──────┴───┴────┴───────┴─────┴────┴───────┴─────────┴─────┘
//	          u32   u32   u64   i64    u32   u16     u8     u8  u16  u16     u32   └──── len bytes ─────┘ zeros to 8
//
//	crc   CRC-32C of bytes 4 to 40, started from the segment's salt
//	len   length of the body: db, table and payload
//	sum   CRC-32C of the body
//	nth   how many records of the same commit stand before this one
//
// # Why two sums
//
// The body's sum depends on nothing that the log assigns, so the goroutine that appends computes it, in parallel with all
// others. The committer, of which there is one, sums forty bytes. A length is believed only after its own header's sum holds, so
// a damaged one cannot send the reader astray, and the search for records after a damaged place costs forty bytes a step. The
// salt makes sure that a payload which happens to hold a log, or was made to look like one, is never taken for records.
//
// # How a log ends
//
// Sequence numbers run 1, 2, 3 … without a hole, across segments too. Where a record is due but none can be read, one of these
// is the case:
//
//   - Only zeros follow: the log ends here.
//   - It is the last segment, and every record that can be read further on was written by the same commit as the one that is
//     due (seq - nth says where its commit began): the machine stopped during that commit, which nobody was told had succeeded.
//     The tail is torn, and [Open] cuts it off.
//   - Anything else is damage: the next commit begins only when the one before it is on disk, so what is missing was once there.
//     Open refuses with a [*DamageError]. [Repair] keeps every record that can be read, and writes down a gap record for
//     sequence numbers that are gone: its payload, a u64, is how many.
//
// Where oldest segments are missing that have not landed, the file first says so, and that is damage, too.
//
// With [Options.Salvage] Open repairs by itself. Of a torn commit it keeps the records that are whole after the torn one, and a copy of
// what it cuts off.
//
// Two losses leave no trace: the last commit of the log, which looks like a torn tail, so what is cut off there may have been
// acknowledged; and whole segments at the end.
//
// # How records get to the disk
//
// Appends queue up. The committer takes all that wait, assigns sequence numbers, writes them with one vectored write, calls
// fdatasync once, calls OnCommit and wakes the waiting appends. While it does so the next ones queue up: the slower the disk, the
// larger the commits.
//
// When the disk is full the segment is cut back to the last commit, durably, before the appends are refused: a record that was
// refused with ErrLowDisk never comes back. When a write or a sync fails for another reason nothing is known about what
// the disk holds (and a second fdatasync would report success without having written anything), so the log takes no more
// records until it is opened again: ErrFailed. Records that were refused with ErrFailed may or may not come back.
package wal
