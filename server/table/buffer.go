package table

import (
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/column"
)

// table is one table's rows on their way to files. The store's lock guards it.
//
//	delivered batches ──▶ open ──seal──▶ waiting[1:] … waiting[0] ──land──▶ files
//
// Units of a table land in order and one at a time, so what has landed is always a prefix: all rows
// up to a sequence number.
type table struct {
	name   Name
	schema atomic.Pointer[schema] // of its rows in the log; nil: there are none yet; the catalog's
	saved  []Field                // of its schema on disk; the catalog's

	listed  bool // in Store.tables
	open    *unit
	waiting []*unit
	queued  bool // in Store.ready, or with a lander, or waiting to be tried again

	unlanded []string // files to remove before it lands again where it belongs
	cleared  bool     // some were removed that unlanded.json still lists
	exile    exile

	held     atomic.Int64                 // bytes of memory that its rows hold, from Append until they have landed
	database atomic.Pointer[atomic.Int64] // what all tables of its database hold; nil: it has held nothing yet

	rewrite rewrite

	totals           atomic.Pointer[Totals] // nil: nothing has landed, or recovery has yet to find out
	accepted, landed int64                  // rows, since the store was opened
	landedTo         uint64
}

func (t *table) pending() int64 { return t.accepted - t.landed }

// oldest is the unit that lands next, nil if there are no rows.
func (t *table) oldest() *unit {
	if len(t.waiting) > 0 {
		return t.waiting[0]
	}
	return t.open
}

// second is the unit after the oldest, nil if there is none.
func (t *table) second() *unit {
	switch {
	case len(t.waiting) > 1:
		return t.waiting[1]
	case len(t.waiting) == 1:
		return t.open
	}
	return nil
}

// unit is what lands together: all rows of one table in the records from `from` to `to`.
type unit struct {
	table    *table
	from, to uint64
	pieces   []piece // in the order of their arrival
	rows     int
	bytes    int
	held     int64 // what its batches count in the memory budget
	opened   time.Time
	done     chan struct{} // closed when it has landed
	node     string        // first part of its files' names

	firstHour, lastHour int64
	hours               int // sum over the pieces; an upper bound

	landing landing
}

// piece is a batch in a unit.
type piece struct {
	batch *column.Batch
	span  span
	held  int64
}

const (
	// A batch of fewer rows and bytes than these is copied to the end of the one before it, while
	// that one has fewer rows and bytes than these: a million requests of one row must not hold a
	// million batches.
	smallRows, smallBytes = 256, 64 << 10
	openRows, openBytes   = 8 << 10, 1 << 20

	// A batch whose buffers are this many times as large as what is in them is copied to buffers of
	// its size.
	thin = 8

	// maxPieces seals a unit. With the pieces that one more record can add (each has smallRows
	// rows, or smallBytes bytes), it stays well below the 1<<16 that an order can number.
	maxPieces = 1 << 14
)

// add takes over a batch that came with record seq, and returns by how much that changed the memory
// held. It is called in the order of the log.
func (u *unit) add(seq uint64, p piece, pool *Pool) int64 {
	u.to = seq
	u.addHours(p.span)
	u.rows += p.batch.Rows
	size := p.batch.Bytes()
	u.bytes += size

	before := u.held + p.held
	switch {
	case p.batch.Rows < smallRows && size < smallBytes && u.appendToLast(p):
	case p.held > smallBytes && p.held/thin > int64(size) && u.appendFitted(p):
	default:
		u.pieces = append(u.pieces, p)
		u.held += p.held
		return 0
	}
	pool.Put(p.batch)
	return u.held - before
}

func (u *unit) addHours(s span) {
	first, last := hourOf(s.min), hourOf(s.max)
	if len(u.pieces) == 0 {
		u.firstHour, u.lastHour = first, last
	}
	u.firstHour, u.lastHour = min(u.firstHour, first), max(u.lastHour, last)
	u.hours += s.hours
}

// appendToLast copies p to the end of the last piece, if that one is still open.
func (u *unit) appendToLast(p piece) bool {
	n := len(u.pieces)
	if n == 0 {
		return false
	}
	last := &u.pieces[n-1]
	if last.batch.Rows >= openRows || last.batch.Bytes() >= openBytes {
		return false
	}
	ok := appendBatch(last.batch, p.batch)
	if ok {
		last.span = last.span.join(p.span)
	}
	held := int64(last.batch.Footprint())
	u.held += held - last.held
	last.held = held
	return ok
}

// appendFitted adds p in buffers that are as large as its rows need.
func (u *unit) appendFitted(p piece) bool {
	fitted := new(column.Batch)
	if !appendBatch(fitted, p.batch) {
		return false
	}
	p.batch, p.held = fitted, int64(fitted.Footprint())
	u.pieces = append(u.pieces, p)
	u.held += p.held
	return true
}

// appendBatch copies the rows of src after those of dst. When it returns false, dst has the rows
// that it had.
func appendBatch(dst, src *column.Batch) bool {
	for _, c := range src.Columns {
		if c.Kind == column.Null {
			continue
		}
		to, err := dst.Column([]byte(c.Name))
		if err != nil || !to.Accepts(c.Kind) || to.AppendColumn(c, 0, c.Rows) != nil {
			for _, to := range dst.Columns {
				to.Truncate(dst.Rows)
			}
			return false
		}
	}
	dst.Rows += src.Rows - 1
	return dst.CloseRow() == nil
}

// join is the span of s's rows followed by o's.
func (s span) join(o span) span {
	return span{
		min:    min(s.min, o.min),
		max:    max(s.max, o.max),
		sorted: s.sorted && o.sorted && o.min >= s.max,
		hours:  s.hours + o.hours,
	}
}
