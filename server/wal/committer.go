package wal

import (
	"errors"
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
)

// copied is the maximum length of a payload that is copied after its header. A longer payload
// becomes a separate vector. One more vector costs the kernel about as much as copying this many
// bytes.
const copied = 2 << 10

// keptBuffer is the maximum size of a buffer that the committer keeps for reuse.
const keptBuffer = 4 << 20

// committer contains the data that only the committer goroutine uses.
type committer struct {
	file disk.File // file of the active segment
	took []*appending
	buf  []byte   // headers, names, short payloads and padding
	vecs [][]byte // slices to write: parts of buf, and payloads

	syncTime time.Duration
}

// commitAll is the committer goroutine.
func (l *Log) commitAll() {
	defer close(l.stopped)
	for {
		batch := l.take()
		if len(batch) == 0 {
			return
		}
		l.commit(batch)
		clear(batch)
	}
}

// take waits until the queue contains appends, and returns all of them. If the log is closed and
// the queue is empty, take returns no appends.
func (l *Log) take() []*appending {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 && l.phase != closed {
		l.work.Wait()
	}
	l.queue, l.committer.took = l.committer.took[:0], l.queue
	return l.committer.took
}

// commit completes a batch: each of its appends becomes durable or fails.
func (l *Log) commit(batch []*appending) {
	for len(batch) > 0 && l.failed == nil { // only this goroutine sets failed
		n := l.fitting(batch)
		var err error
		if n > 0 {
			err = l.write(batch[:n])
		} else {
			err = l.rotate(batch[0].size)
		}
		switch {
		case err == nil:
			l.settle(batch[:n], nil)
			batch = batch[n:]
		case errors.Is(err, ErrLowDisk):
			if !l.spares.drop() { // if spares were removed, there may be space now
				batch = l.shed(batch, err)
			}
		default:
			l.fail(err)
		}
	}
	l.settle(batch, l.failed)
}

// fitting returns how many appends of the batch fit into the active segment. An empty segment
// accepts one append of any size.
func (l *Log) fitting(batch []*appending) int {
	end := l.active.end
	for i, a := range batch {
		if end += a.size; end > l.o.SegmentBytes && (i > 0 || l.active.end > segmentHeader) {
			return i
		}
	}
	return len(batch)
}

// write writes the group into the active segment and syncs it. After ErrLowDisk the segment is
// unchanged.
func (l *Log) write(group []*appending) error {
	c, s := &l.committer, l.active
	size := l.encode(group)
	err := writeAll(c.file, c.vecs, s.end)
	clear(c.vecs) // the payloads belong to the callers
	if disk.IsFull(err) {
		if cut := c.cut(s.end); cut != nil {
			return fmt.Errorf("truncating to the last commit: %w", cut)
		}
		return lowDisk(err)
	} else if err != nil {
		return err
	}
	began := time.Now()
	if err := c.file.Datasync(); err != nil {
		return err
	}
	c.syncTime += time.Since(began)
	s.end += size
	s.next += uint64(len(group))
	return nil
}

// cut durably truncates the active segment to the offset end.
func (c *committer) cut(end int64) error {
	if err := c.file.Truncate(end); err != nil {
		return err
	}
	return c.file.Datasync()
}

// rotate seals the active segment and makes a new segment active, with space for a record of the
// given size. After ErrLowDisk the active segment remains the same.
func (l *Log) rotate(size int64) error {
	c, s := &l.committer, l.active
	if err := c.cut(s.end); err != nil {
		return err
	}
	room := max(l.o.SegmentBytes, segmentHeader+size)
	if l.space.isLow.Load() {
		room = 0 // the space that the reserve has released is not for the log alone
	}
	next, f, err := createSegment(l.disk, &l.spares, l.dir, s.number+1, s.next, room)
	if disk.IsFull(err) {
		return lowDisk(err)
	} else if err != nil {
		return err
	}
	c.file.Close() // it is already synced
	c.file = f

	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = append(l.sealed, s)
	l.active = next
	l.size += next.end
	return nil
}

// lowDisk returns the error of appends that fail because the disk is full.
func lowDisk(err error) error {
	return fmt.Errorf("%w: %w; free disk space, or wait for a flush", ErrLowDisk, err)
}

// shed handles a full disk. It releases the reserve, and rejects the records that must not use the
// reserve. It returns the other records. The caller retries them; the space of the released reserve
// is then available.
func (l *Log) shed(batch []*appending, err error) []*appending {
	l.space.full()
	gave := l.space.giveBack()
	var rejected, others []*appending
	for _, a := range batch {
		if a.rec.UseReserve {
			others = append(others, a)
		} else {
			rejected = append(rejected, a)
		}
	}
	l.settle(rejected, err)
	if !gave && len(rejected) == 0 {
		l.settle(others, err)
		return nil
	}
	return others
}

// fail makes the log reject all later records after a failed write or sync, because it is unknown
// which data has reached the disk.
func (l *Log) fail(err error) {
	// The system may still return data that it could not write. The next process that opens the log
	// must not read this data as records.
	_ = l.committer.file.Truncate(l.active.end)
	err = fmt.Errorf("%w: %s: %w; writes are refused until the service is restarted with a working disk", ErrFailed, l.active.path, err)
	l.o.Logger.Error(err.Error())

	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = err
	l.room.Broadcast()
}

// settle calls the `done` functions of a group's records, and passes the outcome to the waiting
// goroutines.
func (l *Log) settle(group []*appending, err error) {
	if len(group) == 0 {
		return
	}
	size, lost := int64(0), uint64(0)
	for _, a := range group {
		size += a.size
		switch {
		case err != nil:
			a.rec.Seq = 0
			if a.async {
				lost++
			}
		case a.done != nil:
			a.done(nil)
		}
	}
	if err == nil && l.o.Committed != nil {
		l.o.Committed()
	}

	l.mu.Lock()
	l.inQueue -= len(group)
	l.queued -= size
	if err == nil {
		l.size += size
		l.lastSeq = l.active.next - 1
		l.stats.Records += uint64(len(group))
		l.stats.Bytes += uint64(size)
		l.stats.Commits++
		l.stats.SyncTime = l.committer.syncTime
	} else {
		l.stats.Refused += uint64(len(group)) - lost
		l.stats.Lost += lost
	}
	l.mu.Unlock()
	l.room.Broadcast()

	for _, a := range group {
		switch {
		case !a.async:
			a.ended <- err // a is no longer ours
		case err != nil && a.done != nil:
			a.done(err)
			l.free(a)
		default:
			l.free(a)
		}
	}
}

// encode assigns sequence numbers to the group, and fills vecs with its encoding. It returns the
// size of the encoding.
func (l *Log) encode(group []*appending) int64 {
	c, s := &l.committer, l.active
	if cap(c.buf) > keptBuffer {
		c.buf = nil
	}
	c.vecs = c.vecs[:0]
	buf, from, size := c.buf[:0], 0, int64(0) // buf[from:] is not in vecs yet
	for i, a := range group {
		r := a.rec
		r.Seq = s.next + uint64(i)
		buf = appendHeader(buf, r, a.sum, s.salt, uint32(i))
		buf = append(buf, a.names...)
		r.Place = Place{s.number, s.end + size + headerSize + int64(len(a.names))}
		if len(r.Payload) <= copied {
			buf = append(buf, r.Payload...)
		} else {
			c.vecs = append(c.vecs, buf[from:], r.Payload)
			from = len(buf)
		}
		buf = appendPadding(buf, len(a.names)+len(r.Payload))
		size += a.size
	}
	if from < len(buf) {
		c.vecs = append(c.vecs, buf[from:])
	}
	c.buf = buf
	return size
}
