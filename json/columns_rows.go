package json

// This file decodes rows. A row usually contains the same keys as the previous row, in the same
// order and with the same encoding. So each key is first compared, byte for byte, with the next
// expected key. If the key differs, it is read as a string and looked up.

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// writtenKey is the encoded name of a column. It consists of n bytes in the input, from the offset
// `start` on: the bytes after the opening quote, including the closing quote. The field `word`
// contains the first 8 of these bytes. The field `mask` selects the bytes of `word` that belong to
// the encoded name. Equal bytes mean equal names, even if the names contain escapes.
//
// If the name of a column has not been read yet, `word` is 0, and `mask` selects all 8 bytes. No
// valid JSON contains 8 zero bytes.
type writtenKey struct {
	word, mask uint64
	start, n   int
}

const (
	longestKey = 128 // maximum length of a key that is remembered; this many bytes can be read from a guarded position
	keysAhead  = 4   // maximum number of expected keys that are compared, because a row may lack some keys
)

// cells reads the members of the object at i as the cells of a row. It does not close the row.
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

// closeRow closes the row that begins at the input offset `start`. On error, it returns false.
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

// expected compares the key at i with the keys of a few columns, starting with the column whose
// index is `next`. It returns the index of the matching column, and the position after the key. If
// no column matches, the index is -1.
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

// findColumn returns the column for the key at i, and the position after the key. If the column
// does not exist, findColumn creates it. The result k is the index of the column if the column is
// new, or if it is one of the next few columns. Otherwise, k is `next`-1.
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

// newColumn is like findColumn, but does not return the index of the column.
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

// remember stores the encoded name of column k. The name consists of n bytes of the input, from the
// offset `start` on.
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

// isLossy reports whether text contains replacement characters for invalid parts of the encoded
// string. The argument `raw` is the encoded string without quotes. Invalid parts are bytes that are
// not UTF-8, and unpaired surrogates.
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
