package queue

import (
	"cmp"
	"maps"
	"slices"

	"github.com/slipstream-go/slipstream/server/wal"
)

// backlog contains a tenant's items and progress, as found in the log at a start.
type backlog struct {
	name  string
	items []*item
	mixed bool   // items includes moved items, so it is not in order, and may contain an item twice
	done  uint64 // items up to this order are complete
}

// recover adds the items in the log to the lines of their tenants, except items that a progress
// note covers. Bodies stay in the log until they are delivered.
func (q *Queue) recover() error {
	all := make(backlogs)
	err := q.log.Replay(func(r *wal.Record) error {
		if err := all.replay(r, q.segmentOf(r)); err != nil {
			q.setAside(r, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) { // in a fixed order, for tests
		q.restore(all[name])
	}
	if q.items > 0 {
		q.o.Logger.Info("queue: undelivered items recovered", "items", q.items, "bytes", q.bytes)
	}
	return nil
}

// setAside saves an intact record that cannot be decoded, for example a record of a later version
// of this program. If the record cannot be saved, its segment stays in the log, so that the next
// start tries again.
func (q *Queue) setAside(r *wal.Record, cause error) {
	name, err := q.log.SetAside(r)
	if err != nil {
		q.segmentOf(r).pins++
	}
	q.o.Logger.Error("queue: RECORD UNREADABLE; set aside and not applied", "set_aside", name, "seq", r.Seq, "type", r.Type, "codec", r.Codec,
		"cause", cause, "error", err)
}

// backlogs contains the backlog of each tenant.
type backlogs map[string]*backlog

// The method of returns the backlog of a tenant, and creates it if it does not exist.
func (all backlogs) of(tenant []byte) *backlog {
	b := all[string(tenant)]
	if b == nil {
		b = &backlog{name: string(tenant)}
		all[b.name] = b
	}
	return b
}

// replay applies a record of the log, which is in the segment s.
func (all backlogs) replay(r *wal.Record, s *segment) error {
	switch {
	case r.Codec != version:
	case r.Type == typeProgress:
		return all.replayNotes(r.Payload)
	case r.Type == typeItems, r.Type == typeMoved:
		return all.replayItems(r, s)
	}
	return errPayload
}

func (all backlogs) replayNotes(payload []byte) error {
	for len(payload) > 0 {
		tenant, to, rest, err := readNote(payload)
		if err != nil {
			return err
		}
		b := all.of(tenant)
		b.done = max(b.done, to)
		b.settle()
		payload = rest
	}
	return nil
}

func (all backlogs) replayItems(r *wal.Record, s *segment) error {
	rest := r.Payload
	for i := uint64(0); len(rest) > 0; i++ {
		from := len(r.Payload) - len(rest)
		e, left, err := readEntry(rest, r.Type == typeMoved)
		if err != nil {
			return err
		}
		rest = left
		it := &item{
			order: r.Seq<<indexBits | i, time: r.Time, note: e.note, codec: e.codec,
			size: uint32(len(e.body)), sum: e.sum, head: uint32(e.head),
			segment: s, offset: r.Place.Offset + int64(from+e.head),
		}
		if r.Type == typeMoved {
			it.order, it.time = e.order, e.time
		}
		all.of(e.tenant).add(it)
	}
	return nil
}

// add adds an item. The backlog may already contain an earlier copy of the item.
func (b *backlog) add(it *item) {
	if n := len(b.items); n > 0 && it.order <= b.items[n-1].order {
		b.mixed = true
	}
	b.items = append(b.items, it)
}

// settle removes complete items from the front. If the items are in order, it removes all complete
// items.
func (b *backlog) settle() {
	n := 0
	for n < len(b.items) && b.items[n].order <= b.done {
		n++
	}
	clear(b.items[:n])
	b.items = b.items[n:]
}

// sort sorts the items by order, and keeps the latest copy of each item.
func (b *backlog) sort() {
	slices.SortStableFunc(b.items, func(x, y *item) int { return cmp.Compare(x.order, y.order) })
	kept := b.items[:0]
	for _, it := range b.items {
		if n := len(kept); n > 0 && kept[n-1].order == it.order {
			kept[n-1] = it
		} else {
			kept = append(kept, it)
		}
	}
	clear(b.items[len(kept):])
	b.items = kept
}

// finish is called after the replay of all records. It removes complete items and earlier copies of
// items, and sorts the others.
func (b *backlog) finish() {
	if b.mixed {
		b.sort()
	}
	b.settle()
}

// restore creates the tenant of a backlog, if the backlog contains incomplete items.
func (q *Queue) restore(b *backlog) {
	b.finish()
	if len(b.items) == 0 {
		return
	}
	t := q.tenantOf(b.name)
	for _, it := range b.items {
		s := it.segment
		it.tenant, it.segment = t, nil
		q.place(it, s, it.offset, int(it.head))
		q.hold(t, it.cost())
		q.enter(it)
	}
}
