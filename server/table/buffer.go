package table

import (
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/column"
)

// table contains one table's rows on their way to files. The store's lock guards it.
//
//	delivered batches ──▶ open ──seal──▶ waiting[1:] … waiting[0] ──land──▶ files
//
// Units of a table land in order and one at a time, so the rows that have landed are always a
// prefix: all rows up to a sequence number.
type table struct {
	name   Name
	schema atomic.Pointer[schema] // schema of its rows in the log; nil if there are none yet; owned by the catalog
	saved  []Field                // fields of its schema on disk; owned by the catalog

	listed  bool // in Store.tables
	open    *unit
	waiting []*unit
	queued  bool // in Store.ready, with a lander, or waiting for a retry

	unlanded []string // files to remove before the table's own directory is used again
	cleared  bool     // unlanded.json still lists files that were removed
	exile    exile

	held     atomic.Int64                 // bytes of memory that its rows use, from Append until they have landed
	database atomic.Pointer[atomic.Int64] // the same for all tables of its database; nil before the first use

	rewrite rewrite

	totals           atomic.Pointer[Totals] // nil if nothing has landed, or if recovery has not found them yet
	accepted, landed int64                  // rows, since the store was opened
	landedTo         uint64
}

func (t *table) pending() int64 { return t.accepted - t.landed }

// oldest returns the unit that lands next, or nil if there are no rows.
func (t *table) oldest() *unit {
	if len(t.waiting) > 0 {
		return t.waiting[0]
	}
	return t.open
}

// second returns the unit after the oldest, or nil if there is none.
func (t *table) second() *unit {
	switch {
	case len(t.waiting) > 1:
		return t.waiting[1]
	case len(t.waiting) == 1:
		return t.open
	}
	return nil
}

// unit is a group of rows that land together: all rows of one table in the records from `from` to
// `to`.
type unit struct {
	table    *table
	from, to uint64
	pieces   []piece // in the order of their arrival
	rows     int
	bytes    int
	held     int64 // bytes of memory that its batches use
	opened   time.Time
	done     chan struct{} // closed when it has landed
	node     string        // prefix of its files' names

	firstHour, lastHour int64
	hours               int // different hours, summed over the pieces: an upper bound

	landing landing
}

// piece is a batch in a unit.
type piece struct {
	batch *column.Batch
	span  span
	held  int64
}

const (
	// A batch below smallRows and smallBytes is copied to the end of the previous batch, if that is
	// below openRows and openBytes. So a million requests of one row do not keep a million batches.
	smallRows, smallBytes = 256, 64 << 10
	openRows, openBytes   = 8 << 10, 1 << 20

	// A batch whose buffers are more than this many times as large as its content is copied to
	// buffers that fit its content.
	thin = 8

	// maxPieces is the number of pieces at which a unit is sealed. A record is added as a whole, so
	// a unit can exceed maxPieces by the pieces of one record, each of at least smallRows rows or
	// smallBytes bytes. Even then it stays well below 1<<16, the number of chunks that an orderer
	// can number.
	maxPieces = 1 << 14
)

// add takes ownership of a batch of record seq, and returns the change in the memory held. It is
// called in the order of the log.
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

// appendToLast copies p to the end of the last piece if that piece is below openRows and openBytes.
// It reports whether it has copied p.
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

// appendFitted copies p to buffers that are only as large as its rows need, and adds the copy. It
// reports whether it has added it.
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

// appendBatch appends the rows of src to dst. If it returns false, dst has the same rows as before.
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

// join returns the span of the rows of s followed by the rows of o.
func (s span) join(o span) span {
	return span{
		min:    min(s.min, o.min),
		max:    max(s.max, o.max),
		sorted: s.sorted && o.sorted && o.min >= s.max,
		hours:  s.hours + o.hours,
	}
}
