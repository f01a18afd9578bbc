package wal

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
)

// defaultSegmentBytes is the default of Options.SegmentBytes.
const defaultSegmentBytes = 128 << 20

// Options are the options of a log. The zero value is valid.
type Options struct {
	// SegmentBytes is the size of a segment. The default is 128 MiB. The maximum is a quarter of
	// MaxBytes, so that released records free space while the last segment is in use. The size is
	// also limited to a sixteenth of the file system. A record that exceeds the size gets its own
	// segment.
	SegmentBytes int64

	// MaxBytes is the maximum size of the records on disk. If an append would exceed it, the append
	// returns [ErrFull]. The preallocated space in the last segment does not count; it is less than
	// SegmentBytes. Zero means no limit.
	MaxBytes int64

	// MinFree is the minimum free space of the file system. If less is free, an append returns
	// [ErrLowDisk]. MinFree is limited to a quarter of the file system.
	MinFree int64

	// Reserve is the size of a file that reserves disk space. When the disk is full, the log
	// releases this space. It is then available to records that have UseReserve set, and to the
	// files that a program creates when it appends such records. While the space is released, an
	// append returns [ErrLowDisk]. The file is created again when twice its size is free in
	// addition to MinFree. Reserve is limited to a sixteenth of the file system.
	//
	// MaxBytes and MinFree do not apply to records that have UseReserve set.
	Reserve int64

	// Committed, if not nil, is called after each commit. Before this call, the log calls the
	// `done` function of each record of the commit. Committed must not append to the log or close
	// it.
	Committed func()

	// Salvage makes Open repair a damaged log, as Repair does, instead of returning a DamageError.
	// Open then also continues after bytes that the disk cannot read. Damaged parts are kept in
	// separate files, counted and logged. Complete records of a torn commit are kept, because the
	// commit may have been acknowledged and damaged later. If it was not acknowledged, a sender
	// that repeats its request stores the records twice.
	Salvage bool

	Logger *slog.Logger // slog.Default() when nil

	Disk disk.Disk // disk.OS when nil
}

func (o *Options) setDefaults() {
	if o.SegmentBytes <= 0 {
		o.SegmentBytes = defaultSegmentBytes
	}
	if o.MaxBytes > 0 {
		o.SegmentBytes = min(o.SegmentBytes, max(o.MaxBytes/4, 1))
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Disk == nil {
		o.Disk = disk.OS
	}
}

// scale limits the sizes in the options to fractions of the size of dir's file system. Without
// these limits, options chosen for a large file system would make a small file system count as low
// forever.
func (o *Options) scale(dir string) error {
	size, err := o.Disk.Size(dir)
	if err != nil || size == 0 {
		return err
	}
	before := *o
	o.SegmentBytes = min(o.SegmentBytes, max(size/16, 1))
	o.MinFree = min(o.MinFree, size/4)
	o.Reserve = min(o.Reserve, size/16)
	if o.MinFree < before.MinFree || o.Reserve < before.Reserve {
		o.Logger.Info("wal: small volume; settings scaled down", "dir", dir, "volume", size, "min_free", o.MinFree, "reserve", o.Reserve, "segment", o.SegmentBytes)
	}
	return nil
}

// phase is the state of a log.
type phase int

const (
	opened  phase = iota // may be replayed
	running              // accepts appends
	closed
)

// Log is a write-ahead log. Its methods may be called concurrently, except Replay, which must be
// called before Start.
type Log struct {
	disk   disk.Disk
	dir    string
	o      Options
	unlock func()
	space  space
	spares spares

	mu      sync.Mutex
	phase   phase
	failed  error        // ErrFailed, once a write or a sync has failed
	queue   []*appending // appends that wait for the committer
	inQueue int          // number of appends that wait or are being written
	queued  int64        // bytes of these appends
	work    sync.Cond    // signalled when the queue is not empty, and when the log is closed
	room    sync.Cond    // signalled when the queue may accept appends again, and when the log accepts no more appends
	sealed  []*segment   // all but the active one, oldest first
	active  *segment     // once running, only the committer may access the segment
	size    int64        // bytes of all segments up to their ends
	lastSeq uint64
	stats   Stats

	appendings sync.Pool // one pool for each log, because a channel must stay in the synctest bubble of its log

	salvaged Salvaged // damage repaired by Open; Files is not set

	releasing disk.Mutex // held while segments are removed, so that the oldest segment is removed first
	stopped   chan struct{}
	committer committer
}

// Stats contains counters since the log was opened, and the current state of the log.
type Stats struct {
	Records  uint64 // committed
	Bytes    uint64 // total size of the committed records
	Commits  uint64 // number of commits; each is one write and one sync
	SyncTime time.Duration
	Refused  uint64 // appends that failed
	Lost     uint64 // records of AppendAsync that were queued but could not be written

	Waiting  int // appends that wait or are being written
	Segments int
	Size     int64
	LastSeq  uint64
	Failed   bool // the log has failed (ErrFailed); it accepts no record until it is opened again
	LowDisk  bool
	Free     int64 // free bytes of the file system at the last query; 0 if the free space is not monitored
	Wanted   int64 // free bytes at which data is accepted again
}

// Shortage returns the reason why the log accepts no records, or an empty string. The text contains
// no file paths.
func (s *Stats) Shortage() string {
	switch {
	case s.Failed:
		return "the log has failed: restart the service"
	case s.LowDisk:
		return fmt.Sprintf("the disk is nearly full: %d MiB are free; writes are accepted again at %d MiB", s.Free>>20, (s.Wanted+1<<20-1)>>20)
	}
	return ""
}

// Open opens the log in dir, and creates dir if it does not exist. It reads the whole log and
// removes a torn tail. If any other part of the log is damaged, the error is a *[DamageError]. No
// other process can open the log until Close is called.
func Open(dir string, o Options) (_ *Log, err error) {
	o.setDefaults()
	if err := disk.MkdirAll(o.Disk, dir); err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	if err := o.scale(dir); err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	unlock, err := lockDir(o.Disk, dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	if err := removeTemps(o.Disk, dir); err != nil {
		return nil, err
	}
	l := &Log{disk: o.Disk, dir: dir, o: o, unlock: unlock, stopped: make(chan struct{})}
	found, err := l.surveyed()
	if err != nil {
		return nil, err
	}
	l.appendings.New = newAppending
	l.work.L, l.room.L = &l.mu, &l.mu
	l.space = space{disk: o.Disk, dir: dir, minFree: o.MinFree, reserve: o.Reserve, log: o.Logger}
	l.space.start()
	if err := l.spares.find(o.Disk, dir, maxSpares, o.Logger); err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	if err := l.openActive(found); err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	oldest := l.active
	if len(l.sealed) > 0 {
		oldest = l.sealed[0]
	}
	if err := writeFirst(o.Disk, dir, oldest); err != nil && !disk.IsFull(err) {
		l.committer.file.Close()
		return nil, fmt.Errorf("wal: %w", err)
	}
	for _, s := range l.sealed {
		l.size += s.end
	}
	l.size += l.active.end
	l.lastSeq = l.active.next - 1
	return l, nil
}

// openActive prepares the last segment for more records, or creates the first segment.
func (l *Log) openActive(found *survey) error {
	room := l.o.SegmentBytes
	if l.space.isLow.Load() {
		room = 0 // the remaining space is needed to process the records in the log
	}
	n := len(found.segments)
	if n == 0 {
		s, f, err := createSegment(l.disk, &l.spares, l.dir, 1, 1, room)
		if err != nil {
			return err
		}
		l.active, l.committer.file = s, f
		return nil
	}
	s := found.segments[n-1]
	f, err := l.disk.Open(s.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if torn := found.report.Torn; torn > 0 {
		if l.o.Salvage {
			l.keepTorn(s, f)
		}
		l.o.Logger.Warn("wal: removed an incomplete commit at the end of the log", "cause", tornCause, "segment", s.path, "offset", s.end, "bytes", torn, "due", s.next)
		err = f.Truncate(s.end)
	}
	if err == nil {
		err = renew(f, s.end)
	}
	if err == nil {
		err = preallocate(f, s.end, room)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		f.Close()
		return err
	}
	l.sealed, l.active = found.segments[:n-1], s
	l.committer.file = f
	return nil
}

// renew writes the first n bytes of a segment again, in place, so that the next sync writes them to
// the disk. If an earlier process has ended but the machine has not stopped, the bytes may be only
// in the system's cache. If a sync in that process failed, the system regards the bytes as written,
// and no later sync writes them.
func renew(f disk.File, n int64) error {
	b := make([]byte, min(n, windowSize))
	for at := int64(0); at < n; {
		part := b[:min(n-at, windowSize)]
		if _, err := f.ReadAt(part, at); err != nil {
			return err
		}
		if _, err := f.WriteAt(part, at); err != nil {
			return err
		}
		at += int64(len(part))
	}
	return nil
}

// Replay calls fn for each record, in order. The record and its payload are valid until fn returns.
// If fn returns an error, Replay stops and returns the error unchanged. The function fn may call
// Start, append records, and release records that it has received. Replay returns only records that
// were in the log when it was called.
func (l *Log) Replay(fn func(*Record) error) error {
	l.mu.Lock()
	p := l.phase
	var segs []segment // copies, because only the committer may access the active segment once the log is running
	if p == opened {
		for _, s := range append(l.sealed[:len(l.sealed):len(l.sealed)], l.active) {
			segs = append(segs, *s)
		}
	}
	l.mu.Unlock()
	if p != opened {
		return errors.New("wal: Replay called after Start")
	}
	for _, s := range segs {
		if err := s.replay(l.disk, fn); err != nil {
			return err
		}
	}
	return nil
}

func (s *segment) replay(d disk.Disk, fn func(*Record) error) error {
	sc, f, err := s.open(d, s.end)
	if err != nil {
		return err
	}
	defer f.Close()
	for sc.scan() {
		if sc.rec.Type == gap {
			continue
		}
		if err := fn(&sc.rec); err != nil {
			return err
		}
	}
	switch {
	case sc.err != nil:
		return fmt.Errorf("wal: %s: %w", s.path, sc.err)
	case sc.next != s.next:
		reason := cmp.Or(sc.reason, errShort)
		return &DamageError{Segment: s.path, Offset: sc.off, Reason: reason.Error(), From: sc.next, To: s.next - 1}
	}
	return nil
}

// Start makes the log accept appends.
func (l *Log) Start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase != opened {
		return
	}
	l.phase = running
	go l.commitAll()
}

// Releasable returns the sequence number of the last record in the segments that Release(seq) would
// remove, or 0 if Release would remove none.
func (l *Log) Releasable(seq uint64) (to uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sealed {
		if l.phase == closed || s.next-1 > seq {
			break
		}
		to = s.next - 1
	}
	return to
}

// Release marks the records with Seq ≤ seq as no longer needed. Release removes the segments that
// contain only such records, oldest first, but never the last segment. A few of their files are
// kept for reuse.
func (l *Log) Release(seq uint64) {
	l.releasing.Lock()
	defer l.releasing.Unlock()
	for {
		l.mu.Lock()
		if len(l.sealed) == 0 || l.sealed[0].next-1 > seq || l.phase == closed {
			l.mu.Unlock()
			return
		}
		s, next := l.sealed[0], segment{number: l.active.number, start: l.active.start}
		if len(l.sealed) > 1 {
			next = *l.sealed[1]
		}
		l.mu.Unlock()

		// Segments are removed durably and one at a time, so that a crash does not leave a hole.
		kept, err := false, writeFirst(l.disk, l.dir, &next)
		if err == nil {
			kept, err = l.spares.keep(s.path)
		}
		if err == nil && !kept {
			err = removeSegment(l.disk, s.path)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			l.o.Logger.Error("wal: removing a released segment failed; retrying at the next release", "error", err)
			return
		}

		l.mu.Lock()
		l.sealed = l.sealed[1:]
		l.size -= s.end
		l.mu.Unlock()
	}
}

// Size returns the number of bytes in the segments, excluding preallocated space.
func (l *Log) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

// SegmentBytes returns the size of a segment.
func (l *Log) SegmentBytes() int64 { return l.o.SegmentBytes }

// LastSeq returns the sequence number of the last durable record whose `done` function has
// returned. It returns 0 if there is no such record.
func (l *Log) LastSeq() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastSeq
}

// Err returns an error that wraps ErrFailed if the log has failed, and nil otherwise. A failed log
// accepts no more records.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Stats returns the current counters.
func (l *Log) Stats() Stats {
	low := l.space.low() // queries the free space if the last query is old: when nothing is written, no other code does
	l.mu.Lock()
	defer l.mu.Unlock()
	st := l.stats
	st.Waiting = l.inQueue
	st.Segments = len(l.sealed) + 1
	st.Size = l.size
	st.LastSeq = l.lastSeq
	st.LowDisk, st.Failed = low, l.failed != nil
	st.Free, st.Wanted = l.space.found.Load(), l.space.wanted.Load()
	return st
}

// Close commits the queued records and closes the log. Later appends return [ErrClosed].
func (l *Log) Close() error {
	l.mu.Lock()
	before := l.phase
	l.phase = closed
	l.work.Broadcast()
	l.room.Broadcast()
	l.mu.Unlock()
	switch before {
	case closed:
		return nil
	case running:
		<-l.stopped
	}
	l.releasing.Lock() // no segment is removed once another process may have the lock
	defer l.releasing.Unlock()
	err := l.failed
	if err == nil {
		err = l.committer.cut(l.active.end)
	}
	err = errors.Join(err, l.committer.file.Close())
	l.spares.drop()
	l.unlock()
	return err
}
