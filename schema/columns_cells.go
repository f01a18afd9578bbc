package schema

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// cellStep is one step of reading a row, or of reading a list element.
type cellStep struct {
	kind   cellKind
	holds  column.Kind
	signed bool
	big    bool
	header Header
	size   int // encoded size of the number, of the header, or of the skipped bytes
	column int
	span   int // for an option: number of following steps that read the option's value
	room   int // minimum encoded size of this step and all later steps
	path   string
}

type cellKind uint8

const (
	cellInt64 cellKind = iota // eight bytes, little-endian, signed
	cellInt                   // any other integer
	cellFloat64
	cellFloat
	cellBool
	cellTime
	cellString
	cellSkip
	cellOpt
	cellTail
	cellEnd
)

// cellReader reads cells. If a method returns -1, the cellFault contains the error. If a method
// succeeds but the cellFault is set, a value did not fit its column, and the column contains a
// different value instead.
type cellReader struct {
	cellFault
	b       []byte
	columns []*column.Column
}

// run reads one cell or a whole row at offset i, and returns the offset after it. Before each step,
// the remaining input is at least as long as the minimum size of this step and all later steps. So
// only parts of variable size need a check.
func (r *cellReader) run(steps []cellStep, i int) int {
	b := r.b
	if len(b)-i < steps[0].room {
		return r.skip(steps, i)
	}
	for k := 0; ; k++ {
		s := &steps[k]
		switch s.kind {
		case cellEnd:
			return i
		case cellSkip:
			i += s.size
		case cellOpt:
			some := mem.Load8(b, i)
			switch {
			case some > 1:
				return r.wrong(s.path, i, ErrOption)
			case some == 0:
				r.nulls(steps[k+1 : k+1+s.span])
				k += s.span
			case len(b)-i-1 < steps[k+1].room:
				return r.skip(steps[k+1:], i+1)
			case !r.accept(steps[k+1:k+1+s.span], i+1):
				return -1
			}
			i++
		case cellTail:
			switch {
			case i == len(b):
				r.nulls(steps[k+1:])
				return i
			case len(b)-i < steps[k+1].room:
				return r.skip(steps[k+1:], i)
			case !r.accept(steps[k+1:], i):
				return -1
			}
		case cellInt64:
			r.appendInt(s, int64(mem.Load64(b, i)), i)
			i += 8
		case cellInt:
			v := int64(extend(readWord(b, i, s.size, s.big), uint8(s.size), s.signed))
			if v < 0 && !s.signed {
				r.refuse(s.path, i, ErrCell)
			}
			r.appendInt(s, v, i)
			i += s.size
		case cellFloat64:
			r.columns[s.column].AppendFloat64(math.Float64frombits(mem.Load64(b, i)))
			i += 8
		case cellFloat:
			r.columns[s.column].AppendFloat64(float(readWord(b, i, s.size, s.big), s.size))
			i += s.size
		case cellBool:
			v := mem.Load8(b, i)
			if v > 1 {
				return r.wrong(s.path, i, ErrBool)
			}
			r.columns[s.column].AppendBool(v == 1)
			i++
		case cellTime:
			r.columns[s.column].AppendTime(microseconds(mem.Load64(b, i)))
			i += 8
		case cellString:
			n, at := s.header.read(b, i), i+s.size
			switch {
			case n < 0:
				return r.wrong(s.path, i, s.header.negative(b, i))
			case len(b)-at < n:
				return r.wrong(s.path, i, ErrShort)
			case len(b)-at-n < steps[k+1].room:
				return r.skip(steps[k+1:], at+n)
			}
			text := b[at : at+n]
			if !utf8.Valid(text) {
				r.refuse(s.path, i, errText)
			}
			if err := r.columns[s.column].AppendString(text); err != nil {
				return r.wrong(s.path, i, err)
			}
			i = at + n
		}
	}
}

// accept prepares columns for the cells that are present in every row, and reports whether these
// columns accept the cells. The first cell is at offset i.
func (r *cellReader) accept(steps []cellStep, i int) bool {
	for k := 0; k < len(steps); k++ {
		s := &steps[k]
		switch {
		case s.kind == cellTail:
			return true
		case s.kind >= cellSkip:
			k += s.span
		default:
			if c := r.columns[s.column]; c.Kind != s.holds && !c.Accepts(s.holds) {
				r.wrong(s.path, i, errors.New("schema: "+c.Mismatch(s.holds)))
				return false
			}
		}
	}
	return true
}

// row reads a message, like run. If the schema has a Tail, the input must end after the message.
// The caller must have called accept.
func (r *cellReader) row(c *Columns, i int) int {
	end := r.run(c.steps, i)
	if end >= 0 && c.whole && end < len(r.b) {
		return r.wrong("", end, errAfter)
	}
	return end
}

var errAfter = errors.New("schema: the input continues after a message that must be the only one")

// nulls appends a null to the column of each cell in steps.
func (r *cellReader) nulls(steps []cellStep) {
	for k := range steps {
		if s := &steps[k]; s.kind < cellSkip {
			r.columns[s.column].AppendNull()
		}
	}
}

func (r *cellReader) wrong(path string, at int, cause error) int {
	r.cellFault = cellFault{path, -1, at, cause}
	return -1
}

// refuse records a cell whose value does not fit its column. The argument `cause` is an [ErrCell].
// Reading continues, and only the first such cell is recorded.
func (r *cellReader) refuse(path string, at int, cause error) {
	if r.cause == nil {
		r.wrong(path, at, cause)
	}
}

// appendInt appends the integer v, which was read at i, to the column of s. If v would be rounded
// in a float column, appendInt also records an [ErrCell].
func (r *cellReader) appendInt(s *cellStep, v int64, i int) {
	c := r.columns[s.column]
	if c.Kind == column.Float64 && !c.AcceptsInt64(v) {
		r.refuse(s.path, i, cellError(c.MismatchInt64(v)))
	}
	c.AppendInt64(v)
}

// skip is like run, but does not fill columns, and checks each step separately. So it finds the
// step at which the input ends.
func (r *cellReader) skip(steps []cellStep, i int) int {
	b := r.b
	for k := 0; k < len(steps); k++ {
		s := &steps[k]
		if s.kind == cellTail && i == len(b) {
			return i
		}
		if len(b)-i < s.size {
			return r.wrong(s.path, i, ErrShort)
		}
		n := 0
		switch {
		case s.kind == cellBool && b[i] > 1:
			return r.wrong(s.path, i, ErrBool)
		case s.kind == cellOpt && b[i] > 1:
			return r.wrong(s.path, i, ErrOption)
		case s.kind == cellOpt && b[i] == 0:
			k += s.span
		case s.kind == cellString:
			if n = s.header.read(b, i); n < 0 {
				return r.wrong(s.path, i, s.header.negative(b, i))
			}
			if len(b)-i-s.size < n {
				return r.wrong(s.path, i, ErrShort)
			}
		}
		i += s.size + n
	}
	return i
}

// float returns the float with the bits w. The argument `size` is the size of the float in bytes.
func float(w uint64, size int) float64 {
	if size == 4 {
		return float64(math.Float32frombits(uint32(w)))
	}
	return math.Float64frombits(w)
}

// microseconds converts an encoded time n to microseconds since 1970, rounded down.
func microseconds(n uint64) int64 {
	if int64(n) == zeroNanos {
		return time.Time{}.UnixMicro()
	}
	us := int64(n) / 1000
	if int64(n)%1000 < 0 {
		us--
	}
	return us
}

// parseLists reads an input that contains columns into b. Such an input is a single message.
func (r *cellReader) parseLists(c *Columns, b *column.Batch) error {
	if b.Rows > 0 || len(b.Columns) > 0 {
		return errors.New("schema: columns need an empty batch")
	}
	err := r.eachList(c, func(l *listPart, name string, n, i int) (next int, err error) {
		var col *column.Column
		switch columns := max(c.must, len(b.Columns)+1); {
		case b.MaxRows > 0 && n > b.MaxRows:
			err = column.TooManyRows(b.MaxRows)
		case b.MaxCells > 0 && n > b.MaxCells/columns:
			err = fmt.Errorf("schema: %d rows of %d columns are more than %d cells; send smaller batches", n, columns, b.MaxCells)
		default:
			col, err = b.Column(mem.Bytes(name))
		}
		if err != nil {
			r.wrong(name, i-l.header.size(), err)
			return 0, r.inList()
		}
		r.columns = append(r.columns, col)
		if next = r.list(l.steps, col, n, i); r.cause != nil {
			return 0, r.inList()
		}
		return next, nil
	})
	if err == nil && len(r.columns) > 0 { // all lists may be missing
		b.Rows = r.columns[0].Rows
	}
	return err
}

// findLists returns the offset of the first cell of each list, and the number of rows. It checks
// all cells.
func (r *cellReader) findLists(c *Columns) (at []int, rows int, err error) {
	err = r.eachList(c, func(l *listPart, name string, n, i int) (int, error) {
		at, rows = append(at, i), n
		for k := range n {
			if i = r.skip(l.steps, i); i < 0 {
				r.cell = k
				return 0, r.inList()
			}
		}
		return i, nil
	})
	return at, rows, err
}

// eachList reads a message that consists of lists. For each list, it calls the function `read`.
// This function reads n cells from offset i on, and returns the offset after them.
func (r *cellReader) eachList(c *Columns, read func(l *listPart, name string, n, i int) (next int, err error)) error {
	b, i, rows := r.b, 0, -1
	for k := range c.lists {
		l := &c.lists[k]
		if l.tail && i == len(b) {
			return nil
		}
		if l.steps == nil {
			if len(b)-i < l.skip {
				r.wrong("", i, ErrShort)
				return r.inList()
			}
			i += l.skip
			continue
		}
		first, name := c.fields[0].name, c.fields[l.column].name
		n, at := r.count(l, name, i)
		if n < 0 {
			return r.inList()
		}
		if rows >= 0 && n != rows {
			r.wrong(name, i, fmt.Errorf("schema: the column has %d rows, but %q has %d", n, first, rows))
			return r.inList()
		}
		rows = n
		var err error
		if i, err = read(l, name, n, at); err != nil {
			return err
		}
	}
	if i < len(b) {
		r.wrong("", i, errAfter)
		return r.inList()
	}
	return nil
}

// count returns the number of cells in the list at i, and the offset of the first cell. It checks
// that the input is long enough for n cells of minimum size. On error, n is -1.
func (r *cellReader) count(l *listPart, name string, i int) (n, at int) {
	if at = i + l.header.size(); at > len(r.b) {
		return r.wrong(name, i, ErrShort), 0
	}
	switch n = l.header.read(r.b, i); {
	case n < 0:
		return r.wrong(name, i, l.header.negative(r.b, i)), 0
	case n > (len(r.b)-at)/l.steps[0].room:
		return r.wrong(name, i, ErrShort), 0
	}
	return n, at
}

// list reads n cells at i into c, which must be empty.
func (r *cellReader) list(steps []cellStep, c *column.Column, n, i int) int {
	s := &steps[0]
	if n == 0 {
		return i
	}
	if !r.accept(steps, i) {
		return -1
	}
	switch s.kind {
	case cellInt64, cellInt:
		c.Ints = slices.Grow(c.Ints, n)[:n]
		r.ints(s, c.Ints, i)
	case cellFloat64, cellFloat:
		c.Floats = slices.Grow(c.Floats, n)[:n]
		floats(s, c.Floats, r.b, i)
	case cellBool:
		c.Bools = slices.Grow(c.Bools, n)[:n]
		r.bools(s, c.Bools, i)
	case cellString:
		return r.texts(s, c, n, i)
	default:
		for k := range n {
			if i = r.run(steps, i); r.cause != nil {
				r.cell = k
				return -1
			}
		}
		return i
	}
	c.Rows = n
	return i + n*s.size
}

// ints reads len(to) integers at i into the slice `to`. All of them have the encoding that s
// defines.
func (r *cellReader) ints(s *cellStep, to []int64, i int) {
	b := r.b
	switch {
	case s.size == 8 && !s.big && !mem.Checked:
		copy(mem.View(mem.ArrayTo(to), 8*len(to)), b[i:])
	case s.size == 4 && !s.big:
		for k := range to {
			to[k] = int64(extend(uint64(mem.Load32(b, i+4*k)), 4, s.signed))
		}
	default:
		for k := range to {
			to[k] = int64(extend(readWord(b, i+k*s.size, s.size, s.big), uint8(s.size), s.signed))
		}
	}
	if s.size == 8 && !s.signed {
		if k := slices.IndexFunc(to, func(v int64) bool { return v < 0 }); k >= 0 {
			r.refuse(s.path, i+8*k, ErrCell)
			r.cell = k
		}
	}
}

func (r *cellReader) bools(s *cellStep, to []bool, i int) {
	for k, v := range r.b[i : i+len(to)] {
		if v > 1 {
			r.wrong(s.path, i+k, ErrBool)
			r.cell = k
			return
		}
		to[k] = v == 1
	}
}

const maxHeader = 8 // bytes

// texts reads n strings at i into c. The input contains the header of the first string.
func (r *cellReader) texts(s *cellStep, c *column.Column, n, i int) int {
	b, start := r.b, i
	c.Ends = slices.Grow(c.Ends, n)
	c.Text = slices.Grow(c.Text, min(len(b)-i, 16*n))
	for k := range n {
		size, at := s.header.read(b, i), i+s.size
		if to := len(c.Text); uint(size) <= mem.BlockSize && len(b)-at >= mem.BlockSize+maxHeader && cap(c.Text)-to >= mem.BlockSize && uint64(to) < 1<<31 {
			// Copy a whole block. The next string overwrites the excess bytes.
			mem.StoreBlock(c.Text, to, mem.At[mem.Block](mem.From(b, at), 0))
			c.Text, c.Ends = c.Text[:to+size], append(c.Ends, uint32(to+size))
			c.Rows++
			i = at + size
			continue
		}
		var err error
		switch {
		case size < 0:
			err = s.header.negative(b, i)
		case len(b)-at-(n-1-k)*s.size < size: // each string after it needs a header
			err = ErrShort
		default:
			err = c.AppendString(b[at : at+size])
		}
		if err != nil {
			r.wrong(s.path, i, err)
			r.cell = k
			return -1
		}
		i = at + size
	}
	if k := c.InvalidText(0); k >= 0 {
		before := 0 // bytes of text
		if k > 0 {
			before = int(c.Ends[k-1])
		}
		r.refuse(s.path, start+k*s.size+before, errText)
		r.cell = k
	}
	return i
}

// floats reads len(to) floats at b[i:] into the slice `to`. All of them have the encoding that s
// defines.
func floats(s *cellStep, to []float64, b []byte, i int) {
	switch {
	case s.size == 8 && !s.big && !mem.Checked:
		copy(mem.View(mem.ArrayTo(to), 8*len(to)), b[i:])
	case s.size == 4 && !s.big:
		for k := range to {
			to[k] = float64(math.Float32frombits(mem.Load32(b, i+4*k)))
		}
	default:
		for k := range to {
			to[k] = float(readWord(b, i+k*s.size, s.size, s.big), s.size)
		}
	}
}
