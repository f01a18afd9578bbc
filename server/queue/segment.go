package queue

import "github.com/slipstream-go/slipstream/server/wal"

// segment is what the queue knows of a segment of the log: which items have their body there.
type segment struct {
	number uint64
	first  uint64 // sequence number of its first record
	ring   item   // ring.next is the first live item, ring.prev the last
	live   int64  // bytes of their entries
	pins   int    // bodies being read, perhaps of items that have moved meanwhile
}

// segmentOf is the segment of a record that comes after all before; the record may be its first.
func (q *Queue) segmentOf(r *wal.Record) *segment {
	if n := len(q.segments); n > 0 && q.segments[n-1].number == r.Place.Segment {
		return q.segments[n-1]
	}
	s := &segment{number: r.Place.Segment, first: r.Seq}
	s.ring.prev, s.ring.next = &s.ring, &s.ring
	q.segments = append(q.segments, s)
	q.wake()
	return s
}

// free reports whether nobody needs the segment.
func (s *segment) free() bool { return s.ring.next == &s.ring && s.pins == 0 }

// place notes that the latest copy of it has its body at offset in s.
func (q *Queue) place(it *item, s *segment, offset int64, head int) {
	q.displace(it)
	it.segment, it.offset, it.head = s, offset, uint32(head)
	it.prev, it.next = s.ring.prev, &s.ring
	it.prev.next, it.next.prev = it, it
	s.live += it.disk()
	q.live += it.disk()
}

// displace notes that it needs no segment any more.
func (q *Queue) displace(it *item) {
	s := it.segment
	if s == nil {
		return
	}
	it.prev.next, it.next.prev = it.next, it.prev
	it.segment, it.prev, it.next = nil, nil, nil
	s.live -= it.disk()
	q.live -= it.disk()
	q.wakeIfFree(s)
}

func (q *Queue) wakeIfFree(s *segment) {
	if s == q.segments[0] && s.free() && len(q.segments) > 1 {
		q.wake()
	}
}

// release lets go of the oldest segments, up to the first that somebody needs.
func (q *Queue) release() {
	q.mu.Lock()
	n := 0
	for n < len(q.segments)-1 && q.segments[n].free() {
		n++
	}
	clear(q.segments[:n])
	q.segments = q.segments[n:]
	first := uint64(0)
	if n > 0 {
		first = q.segments[0].first
	}
	q.mu.Unlock()
	if first > 0 {
		q.log.Release(first - 1)
	}
}
