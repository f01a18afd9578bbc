package json

// This file decodes strings. The text of a short string is copied directly into a chunk of memory
// that several strings share. It is copied word by word while the decoder searches for the end of
// the text.

import (
	"math/bits"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stops marks the bytes of w at which plain text ends: quotes, backslashes, control characters, and
// bytes that are not ASCII. The lowest mark is exact, but higher marks may be wrong.
func stops(w uint64) uint64 {
	// Flipping the second bit turns a quote into a space. It turns no other printable character
	// into a byte that is less than a space.
	return (((w ^ 2*ones) - 0x21*ones) | ((w ^ '\\'*ones) - ones) | w) & highs
}

// ownText is the minimum length of strings that are allocated separately.
const ownText = 1 << 10

// string reads the string whose text begins at i, after the opening quote. It returns the text and
// the position after the closing quote.
func (d *decoder) string(i int) (string, int) {
	if d.flags&DontCopyString != 0 {
		return d.viewString(i)
	}
	b := d.b
	room := d.text.Room(40)
	for k := 0; k < 32; k += 8 {
		w := mem.Load64(b, i+k)
		mem.Store64(room, k, w)
		if m := stops(w); m != 0 {
			n := k + bits.TrailingZeros64(m)>>3
			if mem.Load8(b, i+n) != '"' {
				break
			}
			if n == 0 {
				return "", i + 1
			}
			d.text.Take(n)
			return mem.String(room[:n:n]), i + n + 1
		}
	}
	return d.longString(i)
}

// longString reads strings that are long or not plain.
func (d *decoder) longString(i int) (string, int) {
	room := d.text.Room(ownText)
	n := min(len(room), d.end-i)
	if n <= 0 {
		return "", failed
	}
	k, valid := simd.CopyString(mem.From(room, 0), mem.From(d.b, i), n)
	if k == n {
		return d.hugeString(i, k)
	}
	if valid && mem.Load8(d.b, i+k) == '"' {
		d.text.Take(k)
		return mem.String(room[:k:k]), d.guard(i + k + 1)
	}
	return d.escapedString(i)
}

// hugeString reads a string that is too long for a chunk. The first k bytes of the string are
// plain.
func (d *decoder) hugeString(i, k int) (string, int) {
	end := d.findQuote(i, k)
	if end < 0 {
		return "", failed
	}
	if mem.Load8(d.b, end) == '"' {
		text := make([]byte, end-i)
		if _, valid := simd.CopyString(mem.From(text, 0), mem.From(d.b, i), len(text)); valid {
			return mem.String(text), d.guard(end + 1)
		}
	}
	return d.escapedString(i)
}

// escapedString reads a string with escapes, or with bytes that are not UTF-8.
func (d *decoder) escapedString(i int) (string, int) {
	text, i := d.unescape(d.scratch[:0], i)
	d.scratch = text[:0]
	return d.keep(text), i
}

// findQuote returns the position of the first quote, backslash or control character at or after
// i+k. If there is none before the end of the input, it returns failed.
func (d *decoder) findQuote(i, k int) int {
	i += k
	if i >= d.end {
		return failed
	}
	i += simd.FindStop(mem.From(d.b, i), d.end-i)
	if i >= d.end {
		return failed
	}
	return i
}

// keep returns a copy of text as a string.
func (d *decoder) keep(text []byte) string {
	n := len(text)
	switch {
	case n >= ownText:
		return string(text)
	case n == 0:
		return ""
	}
	room := d.text.Room(n)
	copy(room, text)
	d.text.Take(n)
	return mem.String(room[:n:n])
}

// viewString is like the method string, but does not copy. The result refers to the input, unless
// the text contains escapes or invalid UTF-8.
func (d *decoder) viewString(i int) (string, int) {
	end := d.findQuote(i, 0)
	if end < 0 {
		return "", failed
	}
	if mem.Load8(d.b, end) == '"' {
		text := d.src[d.off+i : d.off+end : d.off+end]
		if utf8.Valid(text) {
			return mem.String(text), d.guard(end + 1)
		}
	}
	return d.escapedString(i)
}
