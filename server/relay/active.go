package relay

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// active counts the series of a tenant that came within the last one to two spans, and holds new
// ones back beyond a limit. The zero active has none.
//
// Of each series there are 32 bits, in one of two buckets of a table; the series' hash tells the
// bits and the buckets.
//
//	tables   the newest, that series are put into ──▶ older ones, that are only read ──▶ dropped
//
// A series is put into the newest table when it comes, if it is not there. So one that is in no
// table has not come for a span: another table begins with each span, and when the newest is full,
// and what is older is dropped at the end of the span after.
//
// A series whose bits and bucket are those of another is taken for it: it passes, and is not
// counted. In a full table that happens to 24 in 2^32 of the new ones. A series that has come
// within the span is never held back.
//
// A table takes 5.3 bytes for each series that it has room for. A tenant has one with room for an
// eighth more than there were, and the one before: 12 bytes a series. While it grows there are
// tables of half the size, a fourth and so on besides: up to 17.
type active struct {
	tables atomic.Pointer[[]*table] // the newest first; nil: there is none
	next   atomic.Int64             // when the span ends, on the clock of ticks
	mu     sync.Mutex               // held to change what is above, and to put series into the newest
}

const activeSpan = 10 * time.Minute

// table is half of a cuckoo filter: nothing is ever moved in it.
type table struct {
	buckets []bucketOf16
	room    int          // series it is for
	held    int          // series put into it; under the lock
	live    atomic.Int64 // those of them that have not been put into a newer one
	until   int64        // when it is dropped; under the lock, and once there is a newer one
}

// bucketOf16 is a cache line: two lanes of 32 bits in each word. A lane of zero is free.
type bucketOf16 [8]atomic.Uint64

const (
	lanes     = 16
	filled    = 12 // lanes of a full table's buckets, on average: with two buckets to choose from, hardly any has no lane free
	leastRoom = 8 * filled
)

func newTable(room int) *table {
	room = max(room, leastRoom)
	return &table{buckets: make([]bucketOf16, (room+filled-1)/filled), room: room}
}

// places are where a series may be, and what is there if it is.
func (t *table) places(hash uint64) (a, b *bucketOf16, mark uint32) {
	n := uint64(len(t.buckets))
	i, _ := bits.Mul64(hash, n)
	j, _ := bits.Mul64(bits.RotateLeft64(hash, 32), n)
	return &t.buckets[i], &t.buckets[j], max(uint32(hash*0x9e3779b97f4a7c15>>32), 1)
}

func (t *table) has(hash uint64) bool {
	a, b, mark := t.places(hash)
	return a.has(mark) || b.has(mark)
}

func (b *bucketOf16) has(mark uint32) bool {
	for i := range b {
		if w := b[i].Load(); uint32(w) == mark || uint32(w>>32) == mark {
			return true
		}
	}
	return false
}

// put puts a series into the emptier of its buckets, if there is room. The lock must be held.
func (t *table) put(hash uint64) bool {
	a, b, mark := t.places(hash)
	if b.free() > a.free() {
		a = b
	}
	free := a.free()
	if t.held >= t.room || free == 0 {
		return false
	}
	lane := lanes - free
	a[lane/2].Store(a[lane/2].Load() | uint64(mark)<<(lane%2*32))
	t.held++
	t.live.Add(1)
	return true
}

// free is how many lanes are free. They are filled in order.
func (b *bucketOf16) free() int {
	for i := range b {
		switch w := b[i].Load(); {
		case w == 0:
			return lanes - 2*i
		case w>>32 == 0:
			return lanes - 2*i - 1
		}
	}
	return 0
}

// admit reports whether a series may pass: one that has come within the span, or a new one while
// there are less than limit. The hash must be one that clients cannot aim at. A limit of zero is
// none, and nothing is counted.
func (a *active) admit(hash uint64, limit int) bool {
	if limit <= 0 {
		return true
	}
	if tables := a.list(); len(tables) > 0 && tables[0].has(hash) {
		return true
	}
	if a.find(hash) == nil && a.count() >= limit {
		return false // a flood does not come as far as the lock
	}
	return a.put(hash, limit)
}

func (a *active) put(hash uint64, limit int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	tables, known := a.list(), a.find(hash)
	if known == nil && a.count() >= limit {
		return false
	}
	if known != nil {
		if known == tables[0] {
			return true // another goroutine has put it there
		}
		if known.live.Load() > 0 {
			known.live.Add(-1)
		}
	}
	if len(tables) == 0 {
		a.begin(newTable(0), nil)
	}
	if full := a.list()[0]; !full.put(hash) {
		room := 2 * full.room
		if limit > full.room {
			room = min(room, limit)
		}
		full.until = a.next.Load() + int64(activeSpan)
		a.begin(newTable(room), a.list())
		a.list()[0].put(hash)
	}
	return true
}

func (a *active) list() []*table {
	if tables := a.tables.Load(); tables != nil {
		return *tables
	}
	return nil
}

// find is the newest table that has a series, or nil.
func (a *active) find(hash uint64) *table {
	for _, t := range a.list() {
		if t.has(hash) {
			return t
		}
	}
	return nil
}

// count is how many series there are.
func (a *active) count() (n int) {
	for _, t := range a.list() {
		n += int(t.live.Load())
	}
	return n
}

// begin makes t the newest table.
func (a *active) begin(t *table, older []*table) {
	tables := append([]*table{t}, older...)
	a.tables.Store(&tables)
}

// turn lets series go that have been idle. It is to be called before those of a request are
// admitted, and costs next to nothing when it is not time.
func (a *active) turn(now time.Time) {
	if ticks(now) < a.next.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	t, ended := ticks(now), a.next.Load()
	if t < ended {
		return
	}
	// The span begins once its table is there: who finds the span begun puts series into that
	// table, and not into the one before.
	defer a.next.Store(t + int64(activeSpan))
	tables := a.list()
	if len(tables) == 0 {
		return
	}
	tables[0].until = ended + int64(activeSpan)
	var older []*table
	for _, o := range tables {
		if o.until > t && o.held > 0 {
			older = append(older, o)
		}
	}
	if len(older) == 0 {
		a.tables.Store(nil)
		return
	}
	a.begin(newTable(a.count()*9/8), older)
}
