package json

// Rows. The keys of one are mostly those of the row before, in the same order and written the same,
// so each is first compared, byte for byte, with the one that is due; only what is something else
// is read as a string and looked up.

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// writtenKey is how the name of a column is written: n bytes after the opening quote, the closing
// one included, of which the first 8 are word under mask, and which stand in the input at start.
// Equal bytes are equal names, with escapes or without.
//
// The zero writtenKey, and one whose name has not come yet, is that of 8 zeros, which are no JSON.
type writtenKey struct {
	word, mask uint64
	start, n   int
}

const (
	longestKey = 128 // that is remembered: so much can be read from a guarded position
	keysAhead  = 4   // how many keys that are due are compared: rows may lack some
)

// cells reads the object at i as the cells of a row, which it leaves open.
func (r *columnReader) cells(i int) int {
	d, b := r.d, r.b
	if mem.Load8(d.b, i) != '{' {
		return r.fail(i, fmt.Errorf("json: %s instead of a row: a row is an object", r.what(i)))
	}
	i = d.enter(i, '}')
	next := 0
	for i >= 0 {
		start := d.off + i
		var c *column.Column
		k, j := r.expected(i, next)
		if k >= 0 {
			c = b.Columns[k]
		} else if c, k, j = r.findColumn(i, next); j < 0 {
			return failed
		}
		if c.Rows != b.Rows {
			r.path.Field(c.Name)
			return r.failAt(start, errColumnTwice)
		}
		next = k + 1
		if i = d.colon(j); i < 0 {
			return failed
		}
		if i = r.cell(c, i); i < 0 {
			r.path.Field(c.Name)
			return failed
		}
		i = d.next(i, '}')
	}
	if i == failed {
		return failed
	}
	return ^i
}

// closeRow ends the row that stands in the input at start.
func (r *columnReader) closeRow(start int) bool {
	if err := r.b.CloseRow(); err != nil {
		r.failAt(start, err)
		return false
	}
	return true
}

// rows reads the array of rows at i.
func (r *columnReader) rows(i int) int {
	d := r.d
	i = d.enter(i, ']')
	for k := 0; i >= 0; k++ {
		start := d.off + i
		if i = r.cells(i); i < 0 || !r.closeRow(start) {
			r.path.Index(k)
			return failed
		}
		i = d.next(i, ']')
	}
	if i == failed {
		return failed
	}
	return ^i
}

// expected is the column whose key stands at i, if it is one of those that are due from column next
// on, and the position after the key; else -1.
func (r *columnReader) expected(i, next int) (k, after int) {
	d := r.d
	if mem.Load8(d.b, i) != '"' {
		return -1, 0
	}
	w := mem.Load64(d.b, i+1)
	for k := next; k < len(r.keys) && k < next+keysAhead; k++ {
		key := &r.keys[k]
		if (w^key.word)&key.mask != 0 {
			continue
		}
		if n := i + 1 + key.n; key.n <= 8 || n <= d.end && string(d.b[i+9:n]) == string(d.src[key.start+8:key.start+key.n]) {
			return k, n
		}
	}
	return -1, 0
}

// findColumn is the column whose key stands at i, made if there is none, its number, if that is
// easily told, else that before next, and the position after the key.
func (r *columnReader) findColumn(i, next int) (c *column.Column, k, after int) {
	d, b := r.d, r.b
	start := d.off + i + 1
	had := len(b.Columns)
	c, j := r.newColumn(i)
	if j < 0 {
		return nil, 0, failed
	}
	k = -1
	if len(b.Columns) > had {
		k = had
	} else {
		for m := next; m < had && m < next+2*keysAhead; m++ {
			if b.Columns[m] == c {
				k = m
				break
			}
		}
	}
	if k < 0 {
		return c, next - 1, j
	}
	if n := d.off + j - start; n <= longestKey {
		r.remember(k, start, n)
	}
	return c, k, j
}

// newColumn is findColumn without a number.
func (r *columnReader) newColumn(i int) (c *column.Column, after int) {
	d := r.d
	if mem.Load8(d.b, i) != '"' {
		return nil, failed
	}
	start := d.off + i + 1
	name, j := d.key(i + 1)
	if j < 0 {
		return nil, failed
	}
	if isLossy(name, d.src[start:d.off+j-1]) {
		return nil, r.failAt(start-1, errName)
	}
	c, err := r.b.Column(name)
	if err != nil {
		return nil, r.failAt(start-1, err)
	}
	return c, d.guard(j)
}

// remember notes how the name of column k is written: n bytes of the input from start on.
func (r *columnReader) remember(k, start, n int) {
	for len(r.keys) <= k {
		r.keys = append(r.keys, writtenKey{mask: ^uint64(0)})
	}
	var first [8]byte
	copy(first[:], r.d.src[start:start+n])
	r.keys[k] = writtenKey{word: mem.Load64(first[:], 0), mask: ^uint64(0) >> (64 - 8*uint(min(n, 8))), start: start, n: n}
}

var (
	errName = errors.New("json: a name is not UTF-8")
	errText = errors.New("json: a string is not UTF-8")
)

var replacement = []byte("\uFFFD")

// isLossy reports whether text has replacements for what raw, the string between its quotes, holds:
// bytes that are not UTF-8, or lone halves of surrogate pairs.
func isLossy(text, raw []byte) bool {
	if !bytes.Contains(text, replacement) {
		return false
	}
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\' && raw[i+1] == 'u':
			u := hex4(raw, i+2)
			if i += 6; u&^0x7ff != 0xd800 {
				continue
			}
			if u >= 0xdc00 || i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' || hex4(raw, i+2)&^0x3ff != 0xdc00 {
				return true
			}
			i += 6
		case c == '\\':
			i += 2
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && n == 1 {
				return true
			}
			i += n
		}
	}
	return false
}
