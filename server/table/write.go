package table

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/column"
)

// Write has the rows of a request for one table.
type Write struct {
	Name Name

	// Batch has at least one row and a column "time" of Kind Time without nulls.
	Batch *column.Batch
}

var (
	// ErrInvalid is wrapped by errors in the rows: sending them again does not help.
	ErrInvalid = errors.New("table: invalid")

	// ErrBusy: the rows that wait to land fill their memory. The sender should retry later.
	ErrBusy = errors.New("table: buffered rows exceed --max-buffered; retry later, or raise it")

	// ErrHeld: the table is being altered, and accepts no rows meanwhile.
	ErrHeld = errors.New("being altered; retry later")

	// ErrClosed: the store is closed.
	ErrClosed = errors.New("table: the store is closed")
)

// invalidError is an error text that also is ErrInvalid.
type invalidError string

func (e invalidError) Error() string { return string(e) }
func (e invalidError) Unwrap() error { return ErrInvalid }

func invalid(format string, args ...any) error { return invalidError(fmt.Sprintf(format, args...)) }

const timeColumn = "time"

// maxRecordRows bounds the rows of one record, and with it a unit (see maxPieces).
const maxRecordRows = 1 << 22

// span is what the order of a batch's times is like. It is measured once, by the goroutine that
// appends.
type span struct {
	min, max int64
	sorted   bool
	hours    int // how many different ones there are; at most maxHours+1 are counted
}

const hour = 3600 * 1_000_000 // in microseconds

// hourOf is the number of the hour since 1970 in which t lies. It rounds down, also before 1970.
func hourOf(t int64) int64 {
	h := t / hour
	if t%hour < 0 {
		h--
	}
	return h
}

// hourBounds are the first and the last time of an hour. The hours at both ends of an int64 are
// shorter than the others.
func hourBounds(h int64) (first, last int64) {
	first = h * hour
	last = first + (hour - 1)
	switch h {
	case hourOf(math.MinInt64):
		first = math.MinInt64 // the product wrapped, and the sum wrapped back
	case hourOf(math.MaxInt64):
		last = math.MaxInt64
	}
	return first, last
}

func measure(times []int64, maxHours int) span {
	s := span{min: times[0], max: times[0], sorted: true, hours: 1}
	last := times[0]
	for _, t := range times {
		s.sorted = s.sorted && t >= last
		s.min, s.max, last = min(s.min, t), max(s.max, t), t
	}
	if first, last := hourOf(s.min), hourOf(s.max); first != last {
		s.hours = countHours(times, maxHours)
	}
	return s
}

func countHours(times []int64, maxHours int) int {
	seen := make(map[int64]struct{})
	last := int64(math.MinInt64)
	for _, t := range times {
		h := hourOf(t)
		if h == last {
			continue
		}
		last = h
		if seen[h] = struct{}{}; len(seen) > maxHours {
			break
		}
	}
	return len(seen)
}

// delivery travels with a record through the log: the writes of the record, each with its table.
type delivery struct {
	items  []item
	claims []claimed // of the catalog, until the rows are in the log
	attach any       // what the record had in its place
	async  bool      // nobody waits for it

	counted bool // the items count for their tables
}

type item struct {
	name  Name
	table *table // nil until claim, if the batch brings what its table does not have
	piece piece
}

func (d *delivery) held() int64 {
	n := int64(0)
	for _, it := range d.items {
		n += it.piece.held
	}
	return n
}

// count has a delivery's items count for their tables, or not any more.
func (s *Store) count(d *delivery, yes bool) {
	if d.counted == yes {
		return
	}
	d.counted = yes
	for _, it := range d.items {
		if yes {
			s.hold(it.table, it.piece.held)
		} else {
			s.hold(it.table, -it.piece.held)
		}
	}
}

// recycle forgets a delivery whose batches have other owners.
func (d *delivery) recycle() {
	clear(d.items)
	clear(d.claims)
	*d = delivery{items: d.items[:0], claims: d.claims[:0]}
	deliveries.Put(d)
}

// prepare checks the writes, which it makes items of. Those of them without a table bring something
// new.
func (s *Store) prepare(d *delivery, writes []Write, maxHours int) error {
	rows := 0
	for _, w := range writes {
		times, err := checkBatch(w)
		if err != nil {
			return err
		}
		if rows += w.Batch.Rows; rows > maxRecordRows {
			return invalid("more than %d rows in one request: split it", maxRecordRows)
		}
		span := measure(times, maxHours)
		if span.hours > maxHours {
			return invalid("table %s: the times of a batch lie in more than %d different hours, each of which becomes a file: split it, or check the unit of time",
				w.Name, maxHours)
		}
		w.Batch.MaxRows, w.Batch.MaxColumns, w.Batch.MaxCells = 0, 0, 0 // they bound what a request may bring; other rows may follow it now
		d.items = append(d.items, item{w.Name, s.catalog.covering(w.Name, w.Batch), piece{batch: w.Batch, span: span, held: int64(w.Batch.Footprint())}})
	}
	return nil
}

// claim gives every item its table. What the batches bring that is new is claimed until settle or
// drop.
func (s *Store) claim(d *delivery) error {
	if !slices.ContainsFunc(d.items, func(it item) bool { return it.table == nil }) {
		return nil
	}
	list, at, err := s.catalog.claim(d.items)
	var conflict *TypeError
	if errors.As(err, &conflict) {
		conflict.Write = at
	}
	d.claims = append(d.claims, list...)
	return err
}

// checkBatch is the times of a batch that can be ordered and landed.
func checkBatch(w Write) ([]int64, error) {
	b := w.Batch
	if b.Rows <= 0 {
		return nil, invalid("table %s: a batch without rows", w.Name)
	}
	for _, c := range b.Columns {
		if c.Rows != b.Rows {
			return nil, invalid("table %s: column %q has %d rows and the batch has %d", w.Name, c.Name, c.Rows, b.Rows)
		}
	}
	switch c := b.Find(timeColumn); {
	case c == nil:
		return nil, invalid("table %s: a batch without the column %q", w.Name, timeColumn)
	case c.HasNulls():
		return nil, invalid("table %s: a null in the column %q", w.Name, timeColumn)
	case c.Kind != column.Time:
		return nil, &TypeError{Name: w.Name, Column: timeColumn, Have: column.Time, Got: c.Kind, Row: -1}
	default:
		return c.Ints, nil
	}
}
