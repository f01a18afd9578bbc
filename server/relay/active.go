package relay

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// active counts the active series of a tenant, and rejects new series if there are too many. A span
// is a fixed period of time. A series is active if it was received within the last one to two
// spans. The zero value contains no series.
//
// A table stores a 32-bit mark for each series, in one of two buckets. The hash of the series
// determines the mark and the two buckets.
//
//	tables   the newest, for new entries ──▶ older tables, read only ──▶ dropped
//
// When a series is received, it is added to the newest table, unless that table already contains
// it. A new table begins with each span, and whenever the newest table is full. When a span ends,
// the tables of the previous span are dropped. So if no table contains a series, the series has not
// been received for at least one span.
//
// If a new series has the same mark and bucket as a series in the table, the new series passes, but
// is not counted. If the table is full, this happens to 24 of 2^32 new series. A series that was
// received within the span is never rejected.
//
// A table uses 5.3 bytes for each series of its capacity. A tenant usually has two tables: the
// newest table and the previous table. The capacity of the newest table is an eighth more than the
// number of active series. Together, the tables use 12 bytes per active series. While the number of
// series grows, there are also tables of half the capacity, a quarter of the capacity, and so on:
// up to 17 tables.
type active struct {
	tables atomic.Pointer[[]*table] // newest first; nil if there are no tables
	next   atomic.Int64             // end of the span, as returned by ticks
	mu     sync.Mutex               // guards changes of the fields `tables` and `next`, and of the newest table
}

const activeSpan = 10 * time.Minute

// table is a simplified cuckoo filter: it never moves an entry.
type table struct {
	buckets []bucketOf16
	room    int          // capacity, in series
	held    int          // number of series added; guarded by active.mu
	live    atomic.Int64 // number of these series that are in no newer table
	until   int64        // time when the table is dropped, set when a newer table begins; guarded by active.mu
}

// bucketOf16 is one cache line. Each word contains two lanes of 32 bits. A lane that contains zero
// is free.
type bucketOf16 [8]atomic.Uint64

const (
	lanes     = 16
	filled    = 12 // average number of used lanes per bucket of a full table; few of the buckets are full, because the method `put` chooses between two buckets
	leastRoom = 8 * filled
)

func newTable(room int) *table {
	room = max(room, leastRoom)
	return &table{buckets: make([]bucketOf16, (room+filled-1)/filled), room: room}
}

// places returns the mark of a series, and the two buckets that may contain the mark.
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

// put adds a series to one of its two buckets: to the bucket with more free lanes. It returns false
// if the table or the bucket is full. The caller must hold the lock.
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

// free returns the number of free lanes. Lanes are used in order.
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

// admit reports whether a series may pass. A series may pass if it was received within the span, or
// if the number of active series is less than the argument `limit`. If `limit` is zero, every
// series may pass, and admit counts nothing. Clients must not be able to choose the hash.
func (a *active) admit(hash uint64, limit int) bool {
	if limit <= 0 {
		return true
	}
	if tables := a.list(); len(tables) > 0 && tables[0].has(hash) {
		return true
	}
	if a.find(hash) == nil && a.count() >= limit {
		return false // rejected series do not wait for the lock
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
			return true // another goroutine has added it
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

// find returns the newest table that contains a series, or nil.
func (a *active) find(hash uint64) *table {
	for _, t := range a.list() {
		if t.has(hash) {
			return t
		}
	}
	return nil
}

// count returns the number of active series.
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

// turn removes the series that are no longer active. It has an effect only if the span has ended,
// and otherwise costs almost nothing. It must be called before the series of a request are
// admitted.
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
	// The table of the new span must exist before the span begins. Otherwise, a goroutine that sees
	// the new span would add series to the previous table.
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
