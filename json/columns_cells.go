package json

// This file decodes cells. The kind of a column determines the function that first tries to read
// the next cell. If that function cannot read the cell, anyCell reads it.

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// cell reads the value at i into c.
func (r *columnReader) cell(c *column.Column, i int) int {
	d := r.d
	switch c.Kind {
	case column.Int64:
		if v, j := d.int(i); j >= 0 {
			c.Ints = append(c.Ints, v)
			c.Rows++
			return j
		}
	case column.Float64:
		j := d.floatCell(c, i)
		if j >= 0 {
			return j
		}
		i = ^j
	case column.String:
		if j := d.textCell(c, i); j >= 0 {
			return j
		}
	}
	return r.anyCell(c, i)
}

// floatCell reads the number at i into c if its absolute value is less than 2^53. For a larger
// integer, there may be no exact float64. If floatCell does not read the value, it returns
// ^position, where position is the beginning of the value. This position can differ from i, because
// a long number can move the window past the number's beginning.
func (d *decoder) floatCell(c *column.Column, i int) int {
	off := d.off
	f, j := d.float(i)
	if j >= 0 && math.Abs(f) < 1<<53 {
		c.Floats = append(c.Floats, f)
		c.Rows++
		return j
	}
	if d.off != off {
		i += off
		d.open(d.src)
	}
	return ^i
}

// textCell reads the string at i into c if the string is short, and contains only ASCII characters
// and no escapes. Otherwise, it returns failed.
func (d *decoder) textCell(c *column.Column, i int) int {
	b := d.b
	if mem.Load8(b, i) != '"' {
		return failed
	}
	i++
	at := len(c.Text)
	if cap(c.Text)-at < 32 {
		c.Text = slices.Grow(c.Text, 64)
	}
	if uint64(at)+32 > math.MaxUint32 {
		return failed
	}
	room := c.Text[at:cap(c.Text)]
	for k := 0; k < 32; k += 8 { // whole words; the next string overwrites the excess bytes
		w := mem.Load64(b, i+k)
		mem.Store64(room, k, w)
		if m := stops(w); m != 0 {
			n := k + bits.TrailingZeros64(m)>>3
			if mem.Load8(b, i+n) != '"' {
				return failed
			}
			c.Text = c.Text[:at+n]
			c.Ends = append(c.Ends, uint32(at+n))
			c.Rows++
			return i + n + 1
		}
	}
	return failed
}

var errNested = errors.New("json: a column cannot hold arrays or objects")

// mismatch returns the error for a cell that does not fit its column. The argument `text` comes
// from package column.
func mismatch(text string) error { return errors.New("json: " + text) }

// anyCell reads the value at i into c. It accepts values of every kind.
func (r *columnReader) anyCell(c *column.Column, i int) int {
	d := r.d
	switch first := mem.Load8(d.b, i); first {
	case 'n':
		if i = literal(d.b, i); i >= 0 {
			c.AppendNull()
		}
		return i
	case 't', 'f':
		j := literal(d.b, i)
		switch {
		case j < 0:
		case !c.Accepts(column.Bool):
			return r.fail(i, mismatch(c.Mismatch(column.Bool)))
		default:
			c.AppendBool(first == 't')
		}
		return j
	case '"':
		return r.anyText(c, i)
	case '{', '[':
		return r.fail(i, errNested)
	}
	return r.anyNumber(c, i)
}

func (r *columnReader) anyText(c *column.Column, i int) int {
	d := r.d
	start := d.off + i + 1
	if c.Kind != column.Null && c.Kind != column.String {
		return r.fail(i, mismatch(c.Mismatch(column.String)))
	}
	at := len(c.Text)
	text, j := d.unescape(c.Text, i+1)
	switch {
	case j < 0:
		return failed
	case isLossy(text[at:], d.src[start:d.off+j-1]):
		return r.failAt(start-1, errText)
	case uint64(len(text)) > math.MaxUint32:
		return r.failAt(start-1, column.ErrTextTooLong)
	}
	c.Accepts(column.String)
	c.Text = text
	c.Ends = append(c.Ends, uint32(len(text)))
	c.Rows++
	return j
}

func (r *columnReader) anyNumber(c *column.Column, i int) int {
	d := r.d
	start := d.off + i
	text, j := d.number(i)
	if j < 0 {
		return failed
	}
	j = d.guard(j)
	if isWhole(text) {
		v, err := strconv.ParseInt(mem.String(text), 10, 64)
		if err != nil {
			return r.failAt(start, fmt.Errorf("json: %s is beyond the range of int64 and cannot be stored; send it as a float, with an exponent, or as a string", brief(text)))
		}
		if !c.AcceptsInt64(v) {
			return r.failAt(start, mismatch(c.MismatchInt64(v)))
		}
		c.AppendInt64(v)
		return j
	}
	f, ok := decimal.ParseFloat64(text)
	if !ok {
		return r.failAt(start, fmt.Errorf("json: %s is beyond the range of float64", brief(text)))
	}
	if !c.Accepts(column.Float64) {
		return r.failAt(start, mismatch(c.Mismatch(column.Float64)))
	}
	c.AppendFloat64(f)
	return j
}

// isWhole reports whether the text of a number contains neither a fraction nor an exponent.
func isWhole(number []byte) bool {
	for _, c := range number {
		if c != '-' && c-'0' > 9 {
			return false
		}
	}
	return true
}

// brief returns the text of a number for an error text. It truncates long numbers.
func brief(number []byte) string {
	if len(number) <= 40 {
		return string(number)
	}
	return string(number[:40]) + "…"
}

// column reads the array at i into c, which must be empty. If the argument `most` is positive, it
// is the maximum number of cells.
func (r *columnReader) column(c *column.Column, i, most int) int {
	d := r.d
	if mem.Load8(d.b, i) != '[' {
		return r.fail(i, fmt.Errorf("json: %s instead of an array of cells", r.what(i)))
	}
	start := d.off + i
	i = d.enter(i, ']')
	for i >= 0 {
		if most > 0 && c.Rows >= most {
			return r.failAt(start, column.TooManyRows(most))
		}
		if i = r.cell(c, i); i < 0 {
			r.path.Index(c.Rows)
			return failed
		}
		if i = d.next(i, ']'); i >= 0 {
			i = d.run(c, i, most)
		}
	}
	if i == failed {
		return failed
	}
	return ^i
}

// run reads consecutive cells of c's kind. It is fastest if the cells are separated only by commas.
// It returns the position of the first element that it does not read. At the end of the array, it
// returns ^position, where position is after the array. On error, it returns failed. If the
// argument `most` is positive, run stops when c contains `most` cells.
func (d *decoder) run(c *column.Column, i, most int) int {
	left := math.MaxInt
	if most > 0 {
		left = most - c.Rows
	}
	for ; left > 0 && i >= 0; left-- {
		var j int
		switch c.Kind {
		case column.Int64:
			var v int64
			if v, j = d.int(i); j < 0 {
				return i
			}
			c.Ints = append(c.Ints, v)
			c.Rows++
		case column.Float64:
			if j = d.floatCell(c, i); j < 0 {
				return ^j
			}
		case column.String:
			if j = d.textCell(c, i); j < 0 {
				return i
			}
		default:
			return i
		}
		if d.comma(j) {
			i = j + 1
			continue
		}
		i = d.next(j, ']')
	}
	return i
}
