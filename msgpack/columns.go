package msgpack

// This file decodes batches of records into typed columns (package column). A batch has one of two
// encoded forms:
//
//	columns   {"time": [1, 2, 3], "host": ["a", "b", "c"]}
//	rows      [{"time": 1, "host": "a"}, {"time": 2, "host": "b"}]
//
// The first value other than nil determines the kind of a column. If a float follows ints, the ints
// become floats, unless one of them would be rounded. Text must be UTF-8, even without StrictUTF8,
// because it is written to files and responses that contain only UTF-8. The loops in run.go read
// runs of cells with the same code, such as columns of numbers. The function appendCell reads all
// other cells, one by one.

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// DecodeColumns reads a map of arrays into b. Each key is the name of a column, and the arrays must
// have the same length. The batch b must be empty. A cell may be nil, a bool, an int, a float, a
// str or a timestamp ext. Ints become int64. DecodeColumns returns an error for an int that does
// not fit int64, and for an int that would be rounded in a column of floats. It also returns an
// error for a string or name that is not UTF-8, with or without [DecodeOptions.StrictUTF8]. The
// path of an error contains the column and the index of the cell. After an error, b contains the
// cells that precede the error, and b.Reset removes them. The batch does not refer to the input.
func (d *Decoder) DecodeColumns(b *column.Batch) error {
	if b.Rows > 0 || len(b.Columns) > 0 {
		return errors.New("msgpack: DecodeColumns needs an empty batch")
	}
	mark := d.begin()
	return d.end(mark, d.readColumns(b, mark))
}

// DecodeRows reads an array of maps, and adds each map to b as a row. If a map lacks a key, the
// cell is null. After an error, b.Undo removes the incomplete row; the rows before it remain in b.
func (d *Decoder) DecodeRows(b *column.Batch) error {
	mark := d.begin()
	n, i := d.arrayLen(mark)
	if i >= 0 && !d.claim(i, n, 1) {
		i = -1
	}
	for k := 0; k < n && i >= 0; k++ {
		if d.depth+2 > d.limits.depth {
			i = d.tooDeep(i)
			break
		}
		if i = d.readRow(b, i); i < 0 {
			d.path.Index(k)
		}
	}
	return d.end(mark, i)
}

// DecodeRow reads a map, and adds it to b as a row. After an error, b.Undo removes the incomplete
// row.
func (d *Decoder) DecodeRow(b *column.Batch) error {
	mark := d.begin()
	return d.end(mark, d.readRow(b, mark))
}

// DecodeColumn reads an array into c. It empties c first, and reuses the memory of c. After an
// error, c contains the elements that precede the error.
func (d *Decoder) DecodeColumn(c *column.Column) error {
	mark := d.begin()
	c.Reset()
	return d.end(mark, d.readColumn(c, mark, 0))
}

// DecodeCell reads a value, and adds it to c. After an error, c is unchanged.
func (d *Decoder) DecodeCell(c *column.Column) error {
	mark := d.begin()
	return d.end(mark, d.appendCell(c, mark))
}

var errColumnTwice = errors.New("msgpack: the column is repeated")

func (d *Decoder) readColumns(b *column.Batch, i int) int {
	n, i := d.mapLen(i)
	if i < 0 || !d.claim(i, n, 2) {
		return -1
	}
	for range n {
		name, next := d.readText(i)
		if next < 0 {
			return -1
		}
		had := len(b.Columns)
		c, err := b.Column(name)
		if err != nil {
			return d.fail(i, err)
		}
		if len(b.Columns) == had {
			d.path.Field(c.Name)
			return d.fail(i, errColumnTwice)
		}
		if d.depth+2 > d.limits.depth {
			return d.tooDeep(next)
		}
		if i = d.readColumn(c, next, b.MaxRows); i < 0 {
			d.path.Field(c.Name)
			return -1
		}
		if c.Rows != b.Columns[0].Rows {
			d.path.Field(c.Name)
			return d.fail(next, fmt.Errorf("msgpack: the column has %d rows, but %q has %d", c.Rows, b.Columns[0].Name, b.Columns[0].Rows))
		}
	}
	if len(b.Columns) > 0 {
		b.Rows = b.Columns[0].Rows
	}
	return i
}

// readColumn reads an array into c, which must be empty. If the argument `most` is positive, it is
// the maximum number of cells.
func (d *Decoder) readColumn(c *column.Column, i, most int) int {
	n, next := d.arrayLen(i)
	if next < 0 || !d.claim(next, n, 1) {
		return -1
	}
	if most > 0 && n > most {
		return d.fail(i, column.TooManyRows(most))
	}
	i = next
	for c.Rows < n {
		if d.r == nil && d.flags&careful == 0 {
			if k, next := d.readCells(c, n-c.Rows, i); k > 0 {
				if c.Kind == column.String {
					next = d.checkText(c, c.Rows-k, i, next)
				}
				if i = next; i < 0 {
					return -1
				}
				continue
			}
		}
		if i = d.appendCell(c, i); i < 0 {
			d.path.Index(c.Rows)
			return -1
		}
	}
	return i
}

// readCells reads up to n consecutive cells of the first cell's type. It returns their number and
// the offset after them. The input must be complete. Each cell has at least one byte, so the size
// of the input limits the memory that readCells allocates.
func (d *Decoder) readCells(c *column.Column, n, i int) (k, next int) {
	if i >= len(d.b) {
		return 0, i
	}
	code := d.b[i]
	if c.Kind == column.Null && !takesOn(c, code) {
		return 0, i
	}
	switch c.Kind {
	case column.Int64:
		to := slices.Grow(c.Ints, n)
		k, next = readInt64Run(d.b, i, to[len(to):len(to)+n])
		k, next = beforeBeyond(d.b, i, next, to[len(to):len(to)+k])
		c.Ints = to[:len(to)+k]
	case column.Float64:
		to := slices.Grow(c.Floats, n)
		k, next = readFloat64Run(d.b, i, to[len(to):len(to)+n])
		c.Floats = to[:len(to)+k]
	case column.String:
		k, next = readTextRun(d.b, i, c, n)
	case column.Bool:
		for next = i; k < n && next < len(d.b) && d.b[next]|1 == msgpwire.True; next++ {
			c.Bools = append(c.Bools, d.b[next] == msgpwire.True)
			k++
		}
	}
	c.Rows += k
	return k, next
}

// checkText checks the cells of c from row `from` on, which were read from d.b[i:next]. It returns
// next. If the text of a cell is not UTF-8, checkText records an error for that cell, and removes
// the cell and all cells after it.
func (d *Decoder) checkText(c *column.Column, from, i, next int) int {
	bad := c.InvalidText(from)
	if bad < 0 {
		return next
	}
	for range bad - from {
		i = skip(d.b, i)
	}
	c.Truncate(bad)
	d.path.Index(bad)
	return d.fail(i, errText)
}

// takesOn sets the kind of a column that contains only nulls. The code of the next value determines
// the kind. If no kind corresponds to the code, takesOn returns false.
func takesOn(c *column.Column, code byte) bool {
	switch {
	case code <= msgpwire.FixintMax || code >= msgpwire.Uint8 && code <= msgpwire.Int64 || code >= msgpwire.Negfixint:
		return c.Accepts(column.Int64)
	case code == msgpwire.Float64 || code == msgpwire.Float32:
		return c.Accepts(column.Float64)
	case msgpwire.IsStr(code):
		return c.Accepts(column.String)
	case code == msgpwire.True || code == msgpwire.False:
		return c.Accepts(column.Bool)
	}
	return false
}

// readTextRun appends up to n consecutive strings to c, and stops at a string of 32 bytes or more.
// It returns the number of appended strings and the offset after them.
func readTextRun(b []byte, i int, c *column.Column, n int) (k, next int) {
	text, ends := c.Text, slices.Grow(c.Ends, n)
	ends = ends[:len(ends)+n]
	out := ends[len(c.Ends):]
	if uint64(len(text))+31*uint64(n) > math.MaxUint32 {
		return 0, i
	}
	if room := textRoom(b, i, n); room > cap(text)-len(text) {
		text = slices.Grow(text, room)
	}
	room, at := text[:cap(text)], len(text)
	for readRuns && k < n && i+33 <= len(b) && at+32 <= len(room) {
		size := int(mem.Load8(b, i)) - msgpwire.Fixstr
		if uint(size) > 31 {
			break
		}
		// Copies whole words. The next string overwrites the extra bytes.
		mem.Store64(room, at, mem.Load64(b, i+1))
		mem.Store64(room, at+8, mem.Load64(b, i+9))
		if size > 16 {
			mem.Store64(room, at+16, mem.Load64(b, i+17))
			mem.Store64(room, at+24, mem.Load64(b, i+25))
		}
		at += size
		i += 1 + size
		out[k] = uint32(at)
		k++
	}
	text = room[:at]
	for k < n && i < len(b) { // near the end of the input or of room
		size := int(b[i]) - msgpwire.Fixstr
		if uint(size) > 31 || size >= len(b)-i {
			break
		}
		text = append(text, b[i+1:i+1+size]...)
		i += 1 + size
		out[k] = uint32(len(text))
		k++
	}
	c.Text, c.Ends = text, ends[:len(c.Ends)+k]
	return k, i
}

// textRoom estimates the total length of n strings in b[i:] from the lengths of the first strings.
// The result is at most the length of b[i:].
func textRoom(b []byte, i, n int) int {
	start, seen := i, 0
	for ; seen < min(n, 16) && i < len(b) && b[i] >= msgpwire.Fixstr && b[i] <= msgpwire.FixstrMax; seen++ {
		i += 1 + int(b[i]&0x1f)
	}
	if seen == 0 {
		return 0
	}
	return min((i-start)/seen*n+64, len(b)-start)
}

var (
	errBeyondInt64 = errors.New("msgpack: a uint64 beyond the range of int64 cannot be stored; send it as a float or a string")
	errText        = errors.New("msgpack: a string is not UTF-8")
	errNested      = errors.New("msgpack: a column cannot hold an array, a map, a bin, or an ext that is not a timestamp")
)

// mismatch records an error for the cell at i, which does not fit its column. The argument `text`
// is the error text of package column.
func (d *Decoder) mismatch(i int, text string) int { return d.fail(i, errors.New("msgpack: "+text)) }

// appendCell reads one value into c.
func (d *Decoder) appendCell(c *column.Column, i int) int {
	code, ok := d.codeAt(i)
	if !ok {
		return -1
	}
	form := msgpwire.Forms[code].Kind
	switch {
	case code == msgpwire.Nil:
		c.AppendNull()
		return i + 1
	case code == msgpwire.True || code == msgpwire.False:
		if !c.Accepts(column.Bool) {
			return d.mismatch(i, c.Mismatch(column.Bool))
		}
		c.AppendBool(code == msgpwire.True)
		return i + 1
	case code == msgpwire.Float64 || code == msgpwire.Float32:
		v, next := d.readFloat64(i)
		if next < 0 {
			return -1
		}
		if !c.Accepts(column.Float64) {
			return d.mismatch(i, c.Mismatch(column.Float64))
		}
		c.AppendFloat64(v)
		return next
	case form == msgpwire.FormScalar && !msgpwire.IsExt(code):
		v, next := d.readInt(i)
		if next < 0 {
			return -1
		}
		if code == msgpwire.Uint64 && v < 0 {
			return d.fail(i, errBeyondInt64)
		}
		if !c.AcceptsInt64(v) {
			return d.mismatch(i, c.MismatchInt64(v))
		}
		c.AppendInt64(v)
		return next
	case msgpwire.IsStr(code) || d.isInterned(i):
		text, next := d.readText(i)
		if next < 0 {
			return -1
		}
		if !utf8.Valid(text) {
			return d.fail(i, errText)
		}
		if !c.Accepts(column.String) {
			return d.mismatch(i, c.Mismatch(column.String))
		}
		if err := c.AppendString(text); err != nil {
			return d.fail(i, err)
		}
		return next
	case msgpwire.IsExt(code):
		return d.appendTimeCell(c, i)
	}
	return d.fail(i, errNested)
}

// readText returns the bytes of a str, a bin or an interned string.
func (d *Decoder) readText(i int) (text []byte, next int) {
	if d.isInterned(i) {
		s, next := d.readInterned(i)
		return mem.Bytes(s), next
	}
	start, next := d.readBytes(i)
	if next < 0 || d.flags&careful != 0 && !d.allows(i, start, next) {
		return nil, -1
	}
	return d.b[start:next], next
}

func (d *Decoder) appendTimeCell(c *column.Column, i int) int {
	id, n, start := d.extHeader(i)
	if start < 0 || !d.whole(i, start-i, start-i+n) {
		return -1
	}
	if id != msgpwire.ExtTime && id != msgpwire.ExtTimeNode {
		return d.fail(i, errNested)
	}
	t, next := d.timeIn(i, start, n)
	if next < 0 {
		return -1
	}
	if s := t.Unix(); s > math.MaxInt64/1_000_000-1 || s < math.MinInt64/1_000_000+1 {
		return d.fail(i, fmt.Errorf("msgpack: a time of %d seconds since 1970 does not fit an int64 of microseconds", s))
	}
	if !c.Accepts(column.Time) {
		return d.mismatch(i, c.Mismatch(column.Time))
	}
	c.AppendTime(t.UnixMicro())
	return next
}

// readRow reads a map, and stores it in row b.Rows of b.
func (d *Decoder) readRow(b *column.Batch, i int) int {
	n, i := d.mapLen(i)
	if i < 0 || !d.claim(i, n, 2) {
		return -1
	}
	for range n {
		name, next := d.readText(i)
		if next < 0 {
			return -1
		}
		c, err := b.Column(name)
		if err != nil {
			return d.fail(i, err)
		}
		if c.Rows > b.Rows {
			d.path.Field(c.Name)
			return d.fail(i, errColumnTwice)
		}
		if i = d.appendCell(c, next); i < 0 {
			d.path.Field(c.Name)
			return -1
		}
	}
	if err := b.CloseRow(); err != nil {
		return d.fail(i, err)
	}
	return i
}
