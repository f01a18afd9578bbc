package wal

import (
	"errors"
	"fmt"
	"math"
)

// These constants limit the queue: it accepts appends until it contains maxQueued appends or
// maxQueuedBytes bytes. Appends that are being written count, too. An empty queue accepts an append
// of any size.
const (
	maxQueued      = 4096
	maxQueuedBytes = 64 << 20
)

// appending is a record that is queued or being written.
type appending struct {
	rec   *Record
	names []byte // DB and Table, as in the body
	sum   uint32 // checksum of the body
	size  int64  // size of the record on disk
	async bool   // no goroutine waits for it
	done  func(error)
	ended chan error // has capacity 1, so that the committer never waits
}

func newAppending() any { return &appending{ended: make(chan error, 1)} }

func (l *Log) free(a *appending) {
	a.rec, a.done = nil, nil
	l.appendings.Put(a)
}

// Append writes r, and returns nil when r is durable. It sets r.Seq and r.Place. The caller must
// not change the payload until Append returns.
//
// If the function `done` is not nil, the log calls it with nil when r is durable, before Append
// returns. If Append returns an error, the log does not call `done`. The log calls the `done`
// functions of Append and AppendAsync one at a time, in the order of the log. While such a function
// runs, the log writes nothing. The function must not append to the log or close it.
func (l *Log) Append(r *Record, done func(error)) error {
	a, err := l.enqueue(r, done, false)
	if err != nil {
		return err
	}
	err = <-a.ended
	l.free(a)
	return err
}

// AppendAsync adds r to the queue, and returns without waiting for the disk. It waits only while
// the queue is full. If AppendAsync returns nil and the function `done` is not nil, the log later
// calls it once, in the same order as for Append. The argument of the call is nil if r is durable,
// or the error if the log could not write r. Until then, the caller must not change the record or
// its payload.
func (l *Log) AppendAsync(r *Record, done func(error)) error {
	_, err := l.enqueue(r, done, true)
	return err
}

// enqueue adds r to the queue, or returns an error if the log does not accept it.
func (l *Log) enqueue(r *Record, done func(error), async bool) (*appending, error) {
	if err := checkRecord(r); err != nil {
		return nil, err
	}
	low := !r.UseReserve && l.space.low()
	if low && l.spares.drop() {
		low = l.space.lookAgain()
	}
	a := l.appendings.Get().(*appending)
	a.rec, a.done, a.async = r, done, async
	a.names = append(append(a.names[:0], r.DB...), r.Table...)
	a.sum = bodySum(a.names, r.Payload)
	a.size = recordSize(len(a.names) + len(r.Payload))

	if err := l.admit(a, low); err != nil {
		l.free(a)
		return nil, err
	}
	return a, nil
}

func (l *Log) admit(a *appending, low bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		switch {
		case l.failed != nil:
			return l.failed
		case l.phase == closed:
			return ErrClosed
		case l.phase == opened:
			return errors.New("wal: append called before Start")
		case low:
			l.stats.Refused++
			return lowDisk(fmt.Errorf("%s has less than %d bytes free, or its reserved space is in use", l.dir, l.o.MinFree))
		case !a.rec.UseReserve && l.o.MaxBytes > 0 && l.size+l.queued+a.size > l.o.MaxBytes:
			l.stats.Refused++
			return fmt.Errorf("%w: %d unflushed bytes exceed the maximum of %d; wait for a flush, or raise the maximum", ErrFull, l.size+l.queued, l.o.MaxBytes)
		}
		if l.inQueue == 0 || l.inQueue < maxQueued && l.queued+a.size <= maxQueuedBytes {
			break
		}
		l.room.Wait()
	}
	l.queue = append(l.queue, a)
	l.inQueue++
	l.queued += a.size
	l.work.Signal()
	return nil
}

func checkRecord(r *Record) error {
	switch {
	case r.Type == 0 || r.Type == gap || r.Type > maxType:
		return fmt.Errorf("wal: invalid record type %d", r.Type)
	case len(r.DB) > math.MaxUint16 || len(r.Table) > math.MaxUint16:
		return fmt.Errorf("wal: names of %d and %d bytes exceed the maximum of %d each", len(r.DB), len(r.Table), math.MaxUint16)
	case len(r.Payload) > maxBody-2*math.MaxUint16:
		return fmt.Errorf("wal: payload of %d bytes exceeds the maximum of %d", len(r.Payload), maxBody-2*math.MaxUint16)
	}
	return nil
}
