package queue

import (
	"errors"
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// moving are items that are written again at the log's end, and where in the record's payload their
// bodies are.
type moving []moved

type moved struct {
	item   *item
	source source
	offset int64
	head   int
}

// moveBytes is about how much is moved at a time: notes get in between.
const moveBytes = 1 << 20

// makeRoom moves items out of the oldest segment if too much of the log is of no use. The segment
// is released when all have moved.
func (q *Queue) makeRoom() {
	q.mu.Lock()
	var items moving
	if q.wasteful() {
		items = q.oldest()
	}
	q.mu.Unlock()
	if len(items) == 0 {
		return
	}
	err := q.move(items)
	if err == nil {
		q.wake() // to go on
	} else if !errors.Is(err, wal.ErrClosed) {
		q.o.Logger.Error("queue: rewriting old items failed; the log grows", "error", err)
	}
}

// wasteful reports whether the log has more dead bytes than it may.
//
// That is as many as live ones and two segments, so that each byte is moved about once for each
// that is put; and near the log's budget half of what is left of it, though not less than an eighth
// of all: with less there would be more moving than putting.
func (q *Queue) wasteful() bool {
	most := q.live + 2*q.o.WAL.SegmentBytes
	if budget := q.o.WAL.MaxBytes; budget > 0 {
		most = min(most, max((budget-q.live)/2, budget/8, q.o.WAL.SegmentBytes))
	}
	return q.log.Size()-q.live > most
}

// oldest are items of the oldest segment, unless it is the one that the log writes to, pinned.
func (q *Queue) oldest() (items moving) {
	if len(q.segments) < 2 {
		return nil
	}
	size, s := int64(0), q.segments[0]
	for it := s.ring.next; it != &s.ring && size < moveBytes; it = it.next {
		items = append(items, moved{item: it, source: pin(it)})
		size += it.disk()
	}
	return items
}

// move writes the items again. An item that cannot be read stays in line, without anything in the
// log.
func (q *Queue) move(items moving) error {
	r := &wal.Record{Type: wal.Intent, Codec: version, Time: time.Now().UnixMicro()}
	var kept moving
	var buf []byte
	err := error(nil)
	for i := range items {
		m := &items[i]
		if buf, err = q.read(&m.source, m.item, buf[:0]); err != nil {
			break
		}
		if m.source.lost != nil {
			continue
		}
		before := len(r.Payload)
		r.Payload = appendEntry(r.Payload, m.item, m.source.body, true)
		m.offset = int64(len(r.Payload) - len(m.source.body))
		m.head = int(m.offset) - before
		kept = append(kept, *m)
	}
	if r.Attach = kept; err == nil && len(kept) > 0 {
		err = q.log.Append(r)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range items {
		q.unpin(m.source)
		if m.source.lost != nil && !m.item.gone {
			m.item.lost = true
			q.displace(m.item)
		}
	}
	if err == nil {
		q.rewritten += int64(len(r.Payload))
	}
	return err
}

// arriveMoved notes where the items of r are now. Those that have left meanwhile came back to the
// log after the note of that, which may be released before them: it is noted again.
func (q *Queue) arriveMoved(items moving, r *wal.Record, s *segment) {
	for _, m := range items {
		if m.item.gone {
			q.markDone(m.item.tenant)
		} else {
			q.place(m.item, s, r.Place.Offset+m.offset, m.head)
		}
	}
}
