package table

import (
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/column"
)

// table contains the rows of one table that are not in files yet. The store's lock guards it. Rows
// land when they are written to files.
//
//	delivered batches ──▶ open ──seal──▶ waiting[1:] … waiting[0] ──land──▶ files
//
// Units of a table land in order and one at a time. So the rows in files are always a prefix of the
// table's rows: all rows up to a sequence number.
type table struct {
	name   Name
	schema atomic.Pointer[schema] // schema of the rows in the log; nil if there are no rows yet; owned by the catalog
	saved  []Field                // fields of the schema on disk; owned by the catalog

	listed  bool // the table is in Store.tables
	open    *unit
	waiting []*unit
	queued  bool // the table is in Store.ready, is assigned to a lander, or waits for a retry

	unlanded []string // files to remove before the table's own directory is used again
	cleared  bool     // unlanded.json still lists files that were removed
	exile    exile

	held     atomic.Int64             // bytes of memory that the table's rows use, from Append until they are in files
	database atomic.Pointer[database] // counters of the table's database; nil before the first use

	rewrite rewrite

	totals           atomic.Pointer[Totals] // nil if no rows are in files, or if recovery has not found the totals yet
	accepted, landed int64                  // numbers of rows since the store was opened
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

// second returns the unit after the oldest, or nil if there is no second unit.
func (t *table) second() *unit {
	switch {
	case len(t.waiting) > 1:
		return t.waiting[1]
	case len(t.waiting) == 1:
		return t.open
	}
	return nil
}

// unit is a group of rows that are written to files together. It contains all rows of one table in
// the records with the sequence numbers `from` to `to`.
type unit struct {
	table    *table
	from, to uint64
	pieces   []piece // pieces in the order of their arrival
	rows     int
	bytes    int
	held     int64 // bytes of memory that the unit's batches use
	opened   time.Time
	done     chan struct{} // closed when the unit has landed
	node     string        // prefix of the file names of the unit

	firstHour, lastHour int64
	hours               int // sum of the pieces' numbers of distinct hours; an upper bound

	landing landing
}

// piece is a batch in a unit.
type piece struct {
	batch *column.Batch
	span  span
	held  int64
}

const (
	// A batch smaller than smallRows and smallBytes is copied to the end of the previous batch, if
	// the previous batch is smaller than openRows and openBytes. So a million requests with one row
	// each do not keep a million batches.
	smallRows, smallBytes = 256, 64 << 10
	openRows, openBytes   = 8 << 10, 1 << 20

	// If the buffers of a batch are more than thin times as large as its content, the content is
	// copied to smaller buffers.
	thin = 8

	// maxPieces is the number of pieces at which a unit is sealed. A record is added as a whole, so
	// a unit can exceed maxPieces by the pieces of one record. Each of these pieces has at least
	// smallRows rows or smallBytes bytes. Even then the number of pieces stays well below 1<<16,
	// the number of chunks that an orderer can number.
	maxPieces = 1 << 14
)

// add takes ownership of a batch from the record with the sequence number seq. It returns the
// change in the number of bytes that the unit uses. It is called in the order of the log.
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

// appendToLast copies the piece p to the end of the last piece, if the last piece is smaller than
// openRows and openBytes. It reports whether it has copied p.
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

// appendFitted copies the piece p to buffers that are only as large as its rows need, and adds the
// copy to the unit. It reports whether it has added the copy.
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

// join returns the span of a sequence of rows: first the rows that s describes, then the rows that
// o describes.
func (s span) join(o span) span {
	return span{
		min:    min(s.min, o.min),
		max:    max(s.max, o.max),
		sorted: s.sorted && o.sorted && o.min >= s.max,
		hours:  s.hours + o.hours,
	}
}
