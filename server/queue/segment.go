package queue

import "github.com/slipstream-go/slipstream/server/wal"

// segment describes a segment of the log, and lists the items whose bodies it contains.
type segment struct {
	number uint64
	first  uint64 // sequence number of its first record
	ring   item   // ring.next is the first live item, ring.prev the last
	live   int64  // bytes of the live items' entries
	pins   int    // number of bodies that are being read; an item may move to a later segment during the read
}

// segmentOf returns the segment of a record, and adds the segment if the record is its first.
// Records must be passed in the order of the log.
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

// free reports whether the segment is no longer needed.
func (s *segment) free() bool { return s.ring.next == &s.ring && s.pins == 0 }

// place sets the location of the item's latest copy. Its body is at the given offset in the segment
// s.
func (q *Queue) place(it *item, s *segment, offset int64, head int) {
	q.displace(it)
	it.segment, it.offset, it.head = s, offset, uint32(head)
	it.prev, it.next = s.ring.prev, &s.ring
	it.prev.next, it.next.prev = it, it
	s.live += it.disk()
	q.live += it.disk()
}

// displace removes the item from the list of its segment, because the item no longer needs the
// segment.
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

// release releases the oldest segments of the log, up to the first segment that is still needed.
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
