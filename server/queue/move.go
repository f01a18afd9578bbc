package queue

import (
	"errors"
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// moving is a list of items that are written again at the end of the log. It contains the offset of
// each body in the new record's payload.
type moving []moved

type moved struct {
	item   *item
	source source
	offset int64
	head   int
}

// moveBytes is the approximate size of one move. Between moves, progress notes can be written.
const moveBytes = 1 << 20

// makeRoom moves items out of the oldest segment if too much of the log is dead data. The segment
// is released when all its items have moved.
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
		q.wake() // to continue
	} else if !errors.Is(err, wal.ErrClosed) {
		q.o.Logger.Error("queue: rewriting old items failed; the log grows", "error", err)
	}
}

// wasteful reports whether the log contains more dead bytes than allowed.
//
// Bytes of undelivered items are live, and all other bytes are dead. wasteful allows as many dead
// bytes as there are live bytes, plus two segments. So the queue moves about one byte for each byte
// that Put adds. If the log has nearly reached WAL.MaxBytes, wasteful allows half of the remaining
// bytes, but at least an eighth of WAL.MaxBytes, and at least one segment. With a lower allowance,
// the queue would move more bytes than Put adds.
func (q *Queue) wasteful() bool {
	most := q.live + 2*q.o.WAL.SegmentBytes
	if budget := q.o.WAL.MaxBytes; budget > 0 {
		most = min(most, max((budget-q.live)/2, budget/8, q.o.WAL.SegmentBytes))
	}
	return q.log.Size()-q.live > most
}

// oldest returns pinned items of the oldest segment, up to about moveBytes. It returns no items if
// the log still writes to that segment.
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

// move writes the items again. An item that cannot be read stays in its tenant's line, but is
// marked as having no body in the log.
func (q *Queue) move(items moving) error {
	r := &wal.Record{Type: typeMoved, Codec: version, Time: time.Now().UnixMicro(), UseReserve: true}
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
	if err == nil && len(kept) > 0 {
		err = q.append(r, func(s *segment) { q.arriveMoved(kept, r, s) })
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

// arriveMoved records the new locations of the items of r. An item may have left the queue during
// the move. Then its new copy may be in the log after the progress note that covers it, and the
// note may be released before the copy. So arriveMoved makes the next note contain the tenant's
// progress again.
func (q *Queue) arriveMoved(items moving, r *wal.Record, s *segment) {
	for _, m := range items {
		if m.item.gone {
			q.markDone(m.item.tenant)
		} else {
			q.place(m.item, s, r.Place.Offset+m.offset, m.head)
		}
	}
}
