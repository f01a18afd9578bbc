package column

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Kind is the type of a column's cells.
type Kind uint8

const (
	Null    Kind = iota // no value seen yet: every cell is null
	Bool                // Bools
	Int64               // Ints
	Float64             // Floats
	String              // Text and Ends
	Time                // Ints: microseconds since the Unix epoch, UTC
)

var kindNames = [...]string{"null", "bool", "int64", "float64", "string", "time"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// KindOf is the kind that prints as name.
func KindOf(name string) (Kind, bool) {
	i := slices.Index(kindNames[:], name)
	return Kind(max(i, 0)), i >= 0
}

// Column is a named, typed run of cells. See the package comment for which slice a kind uses.
type Column struct {
	Name   string
	Kind   Kind
	Rows   int
	Ints   []int64
	Floats []float64
	Bools  []bool
	Text   []byte
	Ends   []uint32
	Nulls  Bitmap // a set bit is a null; shorter than Rows means that the rest are values

	typed   int // the row whose value gave the column its kind
	widened int // one more than the row whose float made it a Float64 column; 0 if none did
}

// ErrTextTooLong says that the strings of one column exceed 4 GiB, the reach of its offsets.
var ErrTextTooLong = errors.New("column: strings exceed 4 GiB")

// Reset empties the column and keeps its buffers and its name.
func (c *Column) Reset() {
	c.Kind, c.Rows, c.widened = Null, 0, 0
	c.Ints, c.Floats, c.Bools = c.Ints[:0], c.Floats[:0], c.Bools[:0]
	c.Text, c.Ends = c.Text[:0], c.Ends[:0]
	c.Nulls = c.Nulls[:0]
}

// StringAt is cell i of a String column. It is valid until the column is reset or appended to.
func (c *Column) StringAt(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = c.Ends[i-1]
	}
	return c.Text[start:c.Ends[i]]
}

// IsNull reports whether cell i is null.
func (c *Column) IsNull(i int) bool { return c.Kind == Null || c.Nulls.Get(i) }

// HasNulls reports whether any cell is null.
func (c *Column) HasNulls() bool { return c.Rows > 0 && (c.Kind == Null || c.Nulls.Any()) }

// Bytes is what the column's cells occupy, in bytes.
func (c *Column) Bytes() int {
	return 8*(len(c.Ints)+len(c.Floats)+len(c.Nulls)) + len(c.Bools) + len(c.Text) + 4*len(c.Ends)
}

// Footprint is what the column's buffers occupy, used or not, in bytes.
func (c *Column) Footprint() int {
	return 8*(cap(c.Ints)+cap(c.Floats)+cap(c.Nulls)) + cap(c.Bools) + cap(c.Text) + 4*cap(c.Ends)
}

// AppendNull appends a null cell.
func (c *Column) AppendNull() { c.AppendNulls(1) }

// AppendNulls appends n null cells.
func (c *Column) AppendNulls(n int) {
	if c.Kind != Null {
		c.Nulls = c.Nulls.SetRange(c.Rows, c.Rows+n)
	}
	c.pad(n)
	c.Rows += n
}

// pad appends n zero cells to the slice of the column's kind; Rows and Nulls are the caller's.
func (c *Column) pad(n int) {
	switch c.Kind {
	case Bool:
		c.Bools = appendZeros(c.Bools, n)
	case Int64, Time:
		c.Ints = appendZeros(c.Ints, n)
	case Float64:
		c.Floats = appendZeros(c.Floats, n)
	case String:
		end := uint32(len(c.Text))
		c.Ends = slices.Grow(c.Ends, n)
		for range n {
			c.Ends = append(c.Ends, end)
		}
	}
}

func appendZeros[T any](s []T, n int) []T {
	s = slices.Grow(s, n)
	tail := s[len(s) : len(s)+n]
	clear(tail)
	return s[:len(s)+n]
}

// become gives a column that holds only nulls its kind; the nulls so far are written out.
func (c *Column) become(k Kind) {
	c.Kind, c.typed = k, c.Rows
	c.pad(c.Rows)
	c.Nulls = c.Nulls[:0].SetRange(0, c.Rows)
}

// Accepts makes the column ready for a cell of kind k and reports whether it can hold one: a column of nulls takes on the
// kind, and an Int64 column that meets a Float64 is widened. A Float64 column takes Int64 cells (see [Column.AppendInt64]).
func (c *Column) Accepts(k Kind) bool {
	switch {
	case c.Kind == k:
	case c.Kind == Null:
		c.become(k)
	case c.Kind == Int64 && k == Float64:
		c.Widen()
	case c.Kind == Float64 && k == Int64:
	default:
		return false
	}
	return true
}

// Widen turns an Int64 column into a Float64 one. Integers beyond ±2^53 are rounded to the nearest float64.
func (c *Column) Widen() {
	c.Kind, c.widened = Float64, c.Rows+1
	c.Floats = slices.Grow(c.Floats[:0], len(c.Ints))
	for _, v := range c.Ints {
		c.Floats = append(c.Floats, float64(v))
	}
	c.Ints = c.Ints[:0] // what was in it stays, for narrow
}

// narrow undoes Widen, if that was for row n or later, which are gone.
func (c *Column) narrow(n int) {
	if c.Kind == Float64 && c.widened > n {
		c.Kind, c.widened = Int64, 0
		c.Ints, c.Floats = c.Ints[:n], c.Floats[:0]
	}
}

// The Append methods below want a column that Accepts their kind. They do not check it.

// AppendInt64 appends v, as a float to a Float64 column.
func (c *Column) AppendInt64(v int64) {
	if c.Kind == Float64 {
		c.Floats = append(c.Floats, float64(v))
	} else {
		c.Ints = append(c.Ints, v)
	}
	c.Rows++
}

// AppendTime appends a time in microseconds since the Unix epoch.
func (c *Column) AppendTime(us int64) {
	c.Ints = append(c.Ints, us)
	c.Rows++
}

func (c *Column) AppendFloat64(v float64) {
	c.Floats = append(c.Floats, v)
	c.Rows++
}

func (c *Column) AppendBool(v bool) {
	c.Bools = append(c.Bools, v)
	c.Rows++
}

// AppendString copies s to the column's arena.
func (c *Column) AppendString(s []byte) error {
	if uint64(len(c.Text))+uint64(len(s)) > math.MaxUint32 {
		return ErrTextTooLong
	}
	c.Text = append(c.Text, s...)
	c.Ends = append(c.Ends, uint32(len(c.Text)))
	c.Rows++
	return nil
}

// AppendColumn appends the cells of o from row `from` up to, not including, `to`. The column must Accept o's kind.
func (c *Column) AppendColumn(o *Column, from, to int) error {
	n := to - from
	if o.Kind == Null {
		c.AppendNulls(n)
		return nil
	}
	switch o.Kind {
	case Bool:
		c.Bools = append(c.Bools, o.Bools[from:to]...)
	case Int64, Time:
		if c.Kind == Float64 {
			for _, v := range o.Ints[from:to] {
				c.Floats = append(c.Floats, float64(v))
			}
		} else {
			c.Ints = append(c.Ints, o.Ints[from:to]...)
		}
	case Float64:
		c.Floats = append(c.Floats, o.Floats[from:to]...)
	case String:
		if n == 0 {
			return nil
		}
		start := uint32(0)
		if from > 0 {
			start = o.Ends[from-1]
		}
		text := o.Text[start:o.Ends[to-1]]
		if uint64(len(c.Text))+uint64(len(text)) > math.MaxUint32 {
			return ErrTextTooLong
		}
		shift := uint32(len(c.Text)) - start // may wrap; the sum below wraps back
		c.Text = append(c.Text, text...)
		c.Ends = slices.Grow(c.Ends, n)
		for _, end := range o.Ends[from:to] {
			c.Ends = append(c.Ends, end+shift)
		}
	}
	if o.Nulls.Any() {
		for i := from; i < to; i++ {
			if o.Nulls.Get(i) {
				c.Nulls = c.Nulls.Set(c.Rows + i - from)
			}
		}
	}
	c.Rows += n
	return nil
}

// Truncate drops the cells from row n on.
func (c *Column) Truncate(n int) {
	if n >= c.Rows {
		return
	}
	switch c.Kind {
	case Bool:
		c.Bools = c.Bools[:n]
	case Int64, Time:
		c.Ints = c.Ints[:n]
	case Float64:
		c.Floats = c.Floats[:n]
	case String:
		end := uint32(0)
		if n > 0 {
			end = c.Ends[n-1]
		}
		c.Text, c.Ends = c.Text[:end], c.Ends[:n]
	}
	c.Nulls = c.Nulls.Truncate(n)
	c.Rows = n
}
