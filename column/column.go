package column

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Kind is the type of a column's cells.
type Kind uint8

const (
	Null    Kind = iota // no value has been seen yet, so every cell is null
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

// KindOf returns the kind with this name.
func KindOf(name string) (Kind, bool) {
	i := slices.Index(kindNames[:], name)
	return Kind(max(i, 0)), i >= 0
}

// Column is a sequence of cells of one type. The package comment describes the slice of each kind.
type Column struct {
	Name   string
	Kind   Kind
	Rows   int
	Ints   []int64
	Floats []float64
	Bools  []bool
	Text   []byte
	Ends   []uint32
	Nulls  Bitmap // a set bit is a null; rows after the end of the bitmap are values

	typed int // the row whose value determined the kind of the column
	// The field widened is the number of rows when Widen was called, or 1 + the row whose float
	// widened the column. If the column has never been an Int64 column, widened is 0. If a Float64
	// column is truncated to fewer rows than widened, it becomes an Int64 column again.
	widened int
	exact   int // for an Int64 column: number of leading Ints that are also stored in the buffer of Floats

	zeros [Time + 1]int // for each kind: number of leading cells that are zero in the kind's buffer and set in the buffer of Nulls
}

// ErrTextTooLong is returned if the strings of a column exceed 4 GiB, the range of its offsets.
var ErrTextTooLong = errors.New("column: strings exceed 4 GiB")

// Reset removes all cells, but keeps the memory and the name.
func (c *Column) Reset() {
	c.Kind, c.Rows, c.widened, c.exact = Null, 0, 0, 0
	c.zeros = [Time + 1]int{}
	c.Ints, c.Floats, c.Bools = c.Ints[:0], c.Floats[:0], c.Bools[:0]
	c.Text, c.Ends = c.Text[:0], c.Ends[:0]
	c.Nulls = c.Nulls[:0]
}

// StringAt returns cell i of a String column. The result is valid until the column is reset or
// cells are appended. Appending to the result allocates.
func (c *Column) StringAt(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = c.Ends[i-1]
	}
	end := c.Ends[i]
	return c.Text[start:end:end]
}

// InvalidText returns the first row, at or after row `from`, whose text is not UTF-8. If there is
// no such row, it returns -1. It checks all text in one pass.
func (c *Column) InvalidText(from int) int {
	if c.Kind != String || from >= c.Rows {
		return -1
	}
	start := uint32(0)
	if from > 0 {
		start = c.Ends[from-1]
	}
	text := c.Text[start:]
	if isASCII(text) || utf8.Valid(text) && c.cutsAtRunes(from) {
		return -1
	}
	for i := from; i < c.Rows; i++ {
		if !utf8.Valid(c.StringAt(i)) {
			return i
		}
	}
	return -1
}

// cutsAtRunes reports whether every rune of the text lies within one cell. The text as a whole must
// be valid UTF-8.
func (c *Column) cutsAtRunes(from int) bool {
	for _, end := range c.Ends[from:] {
		if int(end) < len(c.Text) && !utf8.RuneStart(c.Text[end]) {
			return false
		}
	}
	return true
}

func isASCII(b []byte) bool {
	const high = 0x8080808080808080
	for len(b) >= 32 {
		if (binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:])|
			binary.LittleEndian.Uint64(b[16:])|binary.LittleEndian.Uint64(b[24:]))&high != 0 {
			return false
		}
		b = b[32:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsNull reports whether cell i is null.
func (c *Column) IsNull(i int) bool { return c.Kind == Null || c.Nulls.Get(i) }

// HasNulls reports whether any cell is null.
func (c *Column) HasNulls() bool { return c.Rows > 0 && (c.Kind == Null || c.Nulls.Any()) }

// Bytes returns the size of the column's cells in bytes.
func (c *Column) Bytes() int {
	return 8*(len(c.Ints)+len(c.Floats)+len(c.Nulls)) + len(c.Bools) + len(c.Text) + 4*len(c.Ends)
}

// Footprint returns the size of the column's memory in bytes, including memory that is not in use.
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

// pad appends n zero cells to the slice of the column's kind. The caller updates Rows and Nulls.
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

// become sets the kind of a column that contains only nulls. It writes zero cells for these nulls,
// except for zero cells that the method `forget` has kept.
func (c *Column) become(k Kind) {
	c.Kind, c.typed = k, c.Rows
	z := min(c.zeros[k], c.Rows)
	switch k {
	case Bool:
		c.Bools = c.Bools[:z]
	case Int64, Time:
		c.Ints = c.Ints[:z]
	case Float64:
		c.Floats = c.Floats[:z]
	case String:
		c.Ends = c.Ends[:z]
	}
	c.pad(c.Rows - z)
	c.Nulls = c.Nulls[:z/64].SetRange(z/64*64, c.Rows)
}

// forget sets the kind of a column to Null, and drops all rows except the first n, which must be
// null. The cells of the n rows stay in the buffers, where the method `become` reuses them. So
// undoing rows one by one does not write these cells repeatedly.
func (c *Column) forget(n int) {
	zeros := c.zeros
	zeros[c.Kind] = n
	for k := range zeros {
		zeros[k] = min(zeros[k], n) // kinds share Nulls
	}
	c.Reset()
	c.AppendNulls(n)
	c.zeros = zeros
}

// Accepts reports whether a cell of kind k can be appended to the column, and prepares the column
// for the cell. A column that contains only nulls gets the kind k. For a Float64 cell, an Int64
// column is widened, unless one of its integers would be rounded. A Float64 column accepts the
// Int64 cells for which [Column.AcceptsInt64] is true. The total time of all calls is linear in the
// number of cells.
func (c *Column) Accepts(k Kind) bool {
	switch {
	case c.Kind == k:
	case c.Kind == Null:
		c.become(k)
	case c.Kind == Int64 && k == Float64:
		if c.convert() < len(c.Ints) {
			return false
		}
		c.Widen()
		c.widened = c.Rows + 1 // the float will be in the next row
	case c.Kind == Float64 && k == Int64:
	default:
		return false
	}
	return true
}

// AcceptsInt64 is like [Column.Accepts] for the integer v. It also returns false if the column is a
// Float64 column and v would be rounded.
func (c *Column) AcceptsInt64(v int64) bool {
	return c.Accepts(Int64) && (c.Kind != Float64 || isExact(v))
}

// Mismatch returns the reason why the column does not accept a cell of kind k, such as "a bool in a
// column of int64".
func (c *Column) Mismatch(k Kind) string {
	text := fmt.Sprintf("%s %v in a column of %v", article(k), k, c.Kind)
	if c.Kind == Int64 && k == Float64 {
		if row := c.convert(); row < len(c.Ints) {
			text += fmt.Sprintf(", whose row %d is %d, which float64 cannot represent exactly", row, c.Ints[row])
		}
	}
	return text
}

// MismatchInt64 returns the reason why the column does not accept the integer v.
func (c *Column) MismatchInt64(v int64) string {
	if c.Kind == Float64 {
		return fmt.Sprintf("%d in a column of float64, which cannot represent it exactly", v)
	}
	return c.Mismatch(Int64)
}

func article(k Kind) string {
	if k == Int64 {
		return "an"
	}
	return "a"
}

// isExact reports whether a float64 represents v. This is the case if v equals a float64, or if v
// has the digits of the shortest form of a float64. An integer equals a float64 if it has at most
// 53 bits from its highest to its lowest set bit. The second case exists because many languages
// write a large float64 in this form, for example 2305843009213694000 for 2^61.
func isExact(v int64) bool {
	u := uint64(max(v, -v)) // also correct for the smallest int64, which is its own negative
	if bits.Len64(u)-bits.TrailingZeros64(u) <= 53 {
		return true
	}
	var f, n [24]byte
	return string(strconv.AppendFloat(f[:0], float64(v), 'f', -1, 64)) == string(strconv.AppendInt(n[:0], v, 10))
}

// Inexact returns the first row of an Int64 column whose integer would be rounded as a float64. If
// there is no such row, it returns -1.
func (c *Column) Inexact() int {
	if c.Kind != Int64 {
		return -1
	}
	large := uint64(0)
	for _, v := range c.Ints {
		large |= uint64(v ^ v>>63)
	}
	if large>>53 != 0 {
		for i, v := range c.Ints {
			if !isExact(v) {
				return i
			}
		}
	}
	return -1
}

// FirstFloat returns the index of the first row of a Float64 column whose value is a float. It
// searches from the row that widened the column, and returns the first row whose value has a
// fraction. If no value has a fraction, it returns the first non-null row. If all rows are null, or
// the column has another kind, it returns -1.
func (c *Column) FirstFloat() int {
	if c.Kind != Float64 {
		return -1
	}
	first := -1
	for i := max(c.widened-1, 0); i < c.Rows; i++ {
		if c.IsNull(i) {
			continue
		}
		if c.Floats[i] != math.Trunc(c.Floats[i]) {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// convert writes the Ints of an Int64 column to the buffer of Floats, up to the first integer that
// would be rounded. It returns the number of converted integers in that buffer. It continues where
// the last call ended, so that earlier rows are not converted again after a row has been rejected
// or undone.
func (c *Column) convert() int {
	floats := slices.Grow(c.Floats[:c.exact], len(c.Ints)-c.exact)
	for _, v := range c.Ints[c.exact:] {
		if !isExact(v) {
			break
		}
		floats = append(floats, float64(v))
	}
	c.Floats, c.exact = floats[:0], len(floats)
	c.zeros[Float64] = 0
	return c.exact
}

// Widen converts an Int64 column to a Float64 column. Integers that a float64 cannot represent are
// rounded to the nearest float64. [Column.Accepts] does not widen a column that contains such
// integers.
func (c *Column) Widen() {
	exact := c.convert()
	c.Kind, c.widened = Float64, c.Rows
	c.Floats = c.Floats[:exact]
	for _, v := range c.Ints[exact:] {
		c.Floats = append(c.Floats, float64(v))
	}
	c.Ints = c.Ints[:0] // the memory keeps the integers, for narrow
}

// narrow reverses Widen if the column was widened for row n or a later row. These rows must have
// been removed.
func (c *Column) narrow(n int) {
	if c.Kind == Float64 && c.widened > n {
		c.Kind, c.widened, c.exact = Int64, 0, min(c.exact, n)
		c.Ints, c.Floats = c.Ints[:n], c.Floats[:0]
	}
}

// ErrInexact is returned for an integer that would be rounded in a Float64 column.
var ErrInexact = errors.New("column: float64 cannot represent an integer exactly")

// The Append methods below require that the column accepts the cell ([Column.Accepts]). They do not
// check this.

// AppendInt64 appends v. If the column is a Float64 column, it appends float64(v).
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

// AppendString appends a copy of s.
func (c *Column) AppendString(s []byte) error {
	if uint64(len(c.Text))+uint64(len(s)) > math.MaxUint32 {
		return ErrTextTooLong
	}
	c.Text = append(c.Text, s...)
	c.Ends = append(c.Ends, uint32(len(c.Text)))
	c.Rows++
	return nil
}

// AppendColumn appends the cells of o from row `from` up to, but not including, row `to`. The
// column must accept o's kind. If the text is too long ([ErrTextTooLong]), or if an integer of o
// would be rounded in a Float64 column ([ErrInexact]), AppendColumn returns an error, and appends
// no cells.
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
			had := len(c.Floats)
			for _, v := range o.Ints[from:to] {
				if !isExact(v) {
					c.Floats = c.Floats[:had]
					return ErrInexact
				}
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

// Truncate removes row n and all later rows.
func (c *Column) Truncate(n int) {
	if n >= c.Rows {
		return
	}
	switch c.Kind {
	case Bool:
		c.Bools = c.Bools[:n]
	case Int64, Time:
		c.Ints, c.exact = c.Ints[:n], min(c.exact, n)
	case Float64:
		c.Floats, c.exact = c.Floats[:n], min(c.exact, n)
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
