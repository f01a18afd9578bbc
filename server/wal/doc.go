// Package wal is a write-ahead log. An acknowledged append is on disk, and records are read back in
// order after a crash. When the user of the log no longer needs the oldest records, it releases
// them: see [Log.Release]. The log does not interpret records: only the user of the log defines the
// meaning of their types, codecs and payloads.
//
// # Source files
//
//	log.go        Options, Open, Replay, Release, Close
//	append.go     Append, AppendAsync and the queue
//	committer.go  the goroutine that writes: group commit, rotation, full disks, failures
//	record.go     encoding of a record
//	segment.go    encoding of a segment's header; finding and creating segments
//	place.go      the place of a payload, and reading it again
//	scan.go       reading of a segment, also past damage
//	check.go      check of a whole log, for Open, Check, Read and Repair
//	repair.go     Repair
//	salvage.go    repair by Open, with Options.Salvage
//	spare.go      reuse of released segments
//	first.go      the oldest segment
//	disk.go       system calls; the reserve
//
// # Files of a log
//
//	00000001.wal …        the segments; all but the last are sealed and never written again
//	00000007.wal.tmp      a segment that is being created or removed; Open removes it
//	00000002.wal.spare    a released segment that will be reused
//	00000003.wal.damaged  the original of a segment that Repair has replaced
//	00000003.wal.torn     the tail that Open has cut off, with Options.Salvage
//	record-77.unread      a payload that the log's user cannot decode: see [Log.SetAside]
//	first                 the number of the oldest segment that the log needs
//	reserve               space that is released when the disk is full: see [Options.Reserve]
//	lock                  locked while the log is open
//
// A segment consists of a header and records. The header is stored twice, so that one flipped bit
// does not make the whole segment unreadable. The last segment is allocated completely before it is
// used. The zeros after its last record are not part of the log. All numbers are little-endian.
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
//	          first: sequence number of the first record; salt: random; crc: of all bytes before it
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
//	nth   number of records of the same commit before this one
//
// # Why there are two checksums
//
// The checksum of the body does not depend on values that the log assigns. So each appending
// goroutine computes the checksum of its own body, in parallel. The committer, which is a single
// goroutine, checksums only the forty bytes of a header. The reader uses the length in a header
// only if the checksum of this header is correct, so a damaged length cannot mislead the reader. A
// search for records after damage checksums only forty bytes per step. A payload may contain a log,
// by chance or by intent. The salt prevents the reader from treating such a payload as records.
//
// # The end of a log
//
// Sequence numbers are 1, 2, 3 … without gaps, also across segments. If the next record cannot be
// read, there are three cases:
//
//   - Only zeros follow: this is the end of the log.
//   - The segment is the last one, and all readable records after this position belong to the same
//     commit as the missing record. (The first record of a commit has the sequence number seq -
//     nth.) The machine stopped during that commit, before the commit was acknowledged. The tail is
//     torn, and [Open] removes it.
//   - Everything else is damage. A commit begins only after the previous commit is on disk, so the
//     missing record was on disk. Open returns a [*DamageError]. [Repair] keeps every readable
//     record, and writes a gap record for the missing sequence numbers. The payload of a gap record
//     is the count of these numbers, a u64.
//
// If the oldest segments are missing although they were not released, the log detects that with the
// file named "first". This is damage, too.
//
// With [Options.Salvage], Open repairs the log. It keeps complete records that follow a torn
// record. If it removes a torn tail, it keeps a copy of the tail.
//
// Two kinds of loss cannot be detected. A lost last commit looks like a torn tail, so the records
// of a torn tail may have been acknowledged. A loss of whole segments at the end leaves no trace.
//
// # Commits
//
// Appended records wait in a queue. The committer takes all of them, assigns sequence numbers,
// writes the records with one vectored write, calls fdatasync once, calls the `done` function of
// each append in the order of the log, and wakes the appending goroutines. Meanwhile, later appends
// queue up: the slower the disk, the larger the commits.
//
// If the disk is full, the log first durably truncates the segment to the last commit. Then the
// appends fail. A record that failed with ErrLowDisk is never read back. If a write or a sync fails
// for any reason other than a full disk, the state of the disk is unknown, and a second fdatasync
// would report success without writing. The log then returns ErrFailed, and accepts no records
// until it is opened again. A record that failed with ErrFailed may be read back.
package wal
