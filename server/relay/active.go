package relay

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// active counts the active series of a tenant, and rejects new series over a limit. A series is
// active if it was received within the last one to two spans. The zero value contains no series.
//
// A table stores a 32-bit mark for each series, in one of two buckets. The hash of the series
// determines the mark and the two buckets.
//
//	tables   the newest, for new entries ──▶ older tables, read only ──▶ dropped
//
// When a series is received, it is added to the newest table, unless that table already contains
// it. A new table begins with each span, and whenever the newest table is full. A table is dropped
// when the span after its own span ends. So a series that is in no table has not been received for
// at least one span.
//
// A series with the same mark and bucket as another series is mistaken for the other series: it
// passes, and is not counted. If the table is full, this happens to 24 in 2^32 new series. A series
// that was received within the span is never rejected.
//
// A table uses 5.3 bytes per series of its capacity. A tenant usually has two tables: the newest
// table, whose capacity is an eighth more than the number of active series, and the previous table.
// Together they use 12 bytes per series. While the number of series grows, there are also tables of
// half the size, a quarter of the size, and so on: up to 17 tables.
type active struct {
	tables atomic.Pointer[[]*table] // newest first; nil if there are no tables
	next   atomic.Int64             // end of the span, as returned by ticks
	mu     sync.Mutex               // guards changes of the fields tables and next, and of the newest table
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
	filled    = 12 // average number of used lanes per bucket of a full table; because put chooses between two buckets, few buckets are full
	leastRoom = 8 * filled
)

func newTable(room int) *table {
	room = max(room, leastRoom)
	return &table{buckets: make([]bucketOf16, (room+filled-1)/filled), room: room}
}

// places returns the two buckets that may contain a series, and its mark.
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

// put adds a series to that one of its two buckets which has more free lanes. It returns false if
// the table or the bucket is full. The caller must hold the lock.
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

// admit reports whether a series may pass. It may pass if it has been received within the span, or
// if it is new and fewer than limit series are active. Clients must not be able to choose the hash.
// A limit of zero means that there is no limit; in that case admit counts nothing.
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

// turn drops the series that are no longer active, if the span has ended. It must be called before
// the series of a request are admitted. Before the end of the span, it costs almost nothing.
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
	// The span begins after its table exists: a goroutine that sees the new span adds series to the
	// new table, and not to the previous one.
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
