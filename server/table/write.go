package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Write contains the rows of a request for one table.
type Write struct {
	Name Name

	// Batch contains at least one row, and a column "time" of Kind Time without nulls.
	Batch *column.Batch
}

var (
	// ErrInvalid is wrapped by errors about invalid rows. Sending the same rows again does not
	// help.
	ErrInvalid = errors.New("table: invalid")

	// ErrBusy reports that the memory for rows that wait to be written to files is full. The sender
	// should retry later.
	ErrBusy = errors.New("table: buffered rows exceed --max-buffered; retry later, or raise the limit")

	// ErrHeld reports that the table is being altered, and accepts no rows until the alteration
	// ends.
	ErrHeld = errors.New("being altered; retry later")

	// ErrClosed reports that the store is closed.
	ErrClosed = errors.New("table: the store is closed")
)

// invalidError is an error that consists of a text and wraps ErrInvalid.
type invalidError string

func (e invalidError) Error() string { return string(e) }
func (e invalidError) Unwrap() error { return ErrInvalid }

func invalid(format string, args ...any) error { return invalidError(fmt.Sprintf(format, args...)) }

const timeColumn = "time"

// maxRecordRows is the maximum number of rows of a record. It also limits the size of a unit (see
// maxPieces).
const maxRecordRows = 1 << 22

// span describes the range and the order of a batch's times. The appending goroutine measures it,
// once.
type span struct {
	min, max int64
	sorted   bool
	hours    int // number of distinct hours; at most maxHours+1 are counted
}

const hour = 3600 * 1_000_000 // one hour in microseconds

// hourOf returns the number of the hour that contains the time t, counted from 1970. It rounds
// down, even for times before 1970.
func hourOf(t int64) int64 {
	h := t / hour
	if t%hour < 0 {
		h--
	}
	return h
}

// hourBounds returns the first and the last time of an hour. The hours at both ends of an int64 are
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

// delivery contains the writes of a record, each with its table, while the record is in the log's
// queue.
type delivery struct {
	items   []item
	claims  []claimed // claims in the catalog, until the rows are in the log
	counted bool      // the memory of the items is counted for their tables

	store  *Store
	record *wal.Record
	async  bool        // no goroutine waits for the record
	done   func(error) // the caller's function, or nil
	logged func(error) // finish of this delivery; set once, because a method value costs an allocation
}

var deliveries = sync.Pool{New: func() any { return new(delivery) }}

type item struct {
	name  Name
	table *table // nil until claim, if the batch has columns that its table does not have
	piece piece
}

func (d *delivery) held() int64 {
	n := int64(0)
	for _, it := range d.items {
		n += it.piece.held
	}
	return n
}

// count adds the memory of a delivery's items to the counters of their tables. If the argument
// `yes` is false, count subtracts the memory instead.
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

// recycle clears a delivery for reuse. The delivery must no longer own its batches.
func (d *delivery) recycle() {
	clear(d.items)
	clear(d.claims)
	*d = delivery{items: d.items[:0], claims: d.claims[:0], logged: d.logged}
	deliveries.Put(d)
}

// prepare checks the writes and makes an item from each write. If an item needs a new table or new
// columns, prepare leaves its table nil.
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
			return invalid("table %s: the batch has rows in more than %d different hours, and each hour needs a file: split the batch, or check the unit of time",
				w.Name, maxHours)
		}
		w.Batch.MaxRows, w.Batch.MaxColumns, w.Batch.MaxCells = 0, 0, 0 // these limits apply to a request; rows of other requests may now be appended
		d.items = append(d.items, item{w.Name, s.catalog.covering(w.Name, w.Batch), piece{batch: w.Batch, span: span, held: int64(w.Batch.Footprint())}})
	}
	return nil
}

// claim sets the table of every item, and claims the new columns of the batches. The claim ends
// when settle or drop is called.
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

// checkBatch returns the times of a batch. It returns an error if the batch cannot be sorted by
// time and written to files.
func checkBatch(w Write) ([]int64, error) {
	b := w.Batch
	if b.Rows <= 0 {
		return nil, invalid("table %s: the batch has no rows", w.Name)
	}
	for _, c := range b.Columns {
		if c.Rows != b.Rows {
			return nil, invalid("table %s: column %q has %d rows, but the batch has %d", w.Name, c.Name, c.Rows, b.Rows)
		}
	}
	switch c := b.Find(timeColumn); {
	case c == nil:
		return nil, invalid("table %s: the batch has no column %q", w.Name, timeColumn)
	case c.HasNulls():
		return nil, invalid("table %s: the column %q contains a null", w.Name, timeColumn)
	case c.Kind != column.Time:
		return nil, &TypeError{Name: w.Name, Column: timeColumn, Have: column.Time, Got: c.Kind, Row: -1}
	default:
		return c.Ints, nil
	}
}
