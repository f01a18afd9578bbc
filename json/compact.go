package json

// Compact; and what Marshal makes of the JSON that methods give it.
//
// Short input, most of which is minified already, is read once more byte by byte
// (compact_minified.go). The rest is checked by the decoder. Then white space is all that is in no
// string, and nothing else need be known of JSON to take it out, a block of 64 bytes at a time. A
// block is a few words of a bit for each byte, and what to keep of it comes of them without a
// branch:
//
//	text       { "a\" b" : "c" }
//	backslash  ····#············
//	quote      ··#··#··#···#·#··   the second is escaped
//	in text    ··######····##···   from a quote up to the one that closes it
//	blank      ·#····#··#·#···#·
//	keep       #·########·##·#·#

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// Compact appends src to dst without insignificant white space. If src is not valid JSON, dst is
// unchanged, and the error is that of encoding/json.
func Compact(dst *bytes.Buffer, src []byte) error {
	dst.Grow(len(src))
	if b, ok := appendCompact(dst.AvailableBuffer(), src, false); ok {
		dst.Write(b)
		return nil
	}
	return json.Compact(dst, src)
}

// longRaw is the length from which a decoder is worth fetching, and what has to be escaped is
// looked for beforehand.
const longRaw = 256

// appendCompact appends src as Compact does; with html as HTMLEscape does too. It reports false,
// and appends nothing, if src is not valid JSON.
func appendCompact(b, src []byte, html bool) ([]byte, bool) {
	if len(src) < longRaw && minified(src) {
		if html {
			return appendHTMLEscaped(slices.Grow(b, len(src)), mem.String(src)), true
		}
		return append(b, src...), true
	}
	d := decoders.Get().(*decoder)
	defer d.release()
	switch {
	case d.check(src, oneValue) == failed:
		return b, false
	case html && needsHTML(src):
		d.scratch = appendKept(d.scratch[:0], src)
		return appendHTMLEscaped(slices.Grow(b, len(src)), mem.String(d.scratch)), true
	}
	return appendKept(b, src), true
}

// needsHTML reports whether HTMLEscape would change s.
func needsHTML(s []byte) bool {
	return bytes.IndexByte(s, '<') >= 0 || bytes.IndexByte(s, '>') >= 0 || bytes.IndexByte(s, '&') >= 0 || hasLineEnd(s)
}

// hasLineEnd reports whether one of the characters is in s that end a line in JavaScript, and in
// JSON do not.
func hasLineEnd(s []byte) bool {
	return bytes.IndexByte(s, 0xe2) >= 0 && (bytes.Contains(s, []byte("\u2028")) || bytes.Contains(s, []byte("\u2029")))
}

// appendTrusted is appendCompact for what the caller vouches for: if it is not valid, it is only
// escaped.
func appendTrusted(b, src []byte) []byte {
	b, ok := appendCompact(b, src, true)
	if !ok {
		b = appendHTMLEscaped(b, mem.String(src))
	}
	return b
}

// keepAtOnce is how many blocks are looked at before they are copied.
const keepAtOnce = 16

var blankBlock = strings.Repeat(" ", simd.BlockSize)

// appendKept appends what is to be kept of src, which is valid.
func appendKept(b, src []byte) []byte {
	var rows [keepAtOnce]simd.Marks
	var keep [keepAtOnce]uint64
	var k keeper
	b = slices.Grow(b, len(src))
	for len(src) >= simd.BlockSize {
		n := min(len(src)/simd.BlockSize, keepAtOnce)
		simd.MarkBlocks(rows[:n], mem.From(src, 0))
		if k.all(keep[:n], rows[:n]) {
			b = append(b, src[:n*simd.BlockSize]...)
		} else {
			end := len(b)
			b = b[:end+simd.Pack(mem.From(b[:end+1], end), mem.From(src, 0), keep[:n])]
		}
		src = src[n*simd.BlockSize:]
	}
	if len(src) > 0 {
		var last, out [simd.BlockSize]byte
		copy(last[copy(last[:], src):], blankBlock)
		simd.MarkBlocks(rows[:1], mem.PointerTo(&last))
		k.all(keep[:1], rows[:1])
		b = append(b, out[:simd.Pack(mem.PointerTo(&out), mem.PointerTo(&last), keep[:1])]...)
	}
	return b
}

// keeper is what a block has to know of those before it.
type keeper struct {
	text    uint64 // all ones if it begins in a string
	escaped uint64 // 1 if its first byte is escaped
}

// all marks what to keep of the next blocks, and reports whether that is all of them.
func (k *keeper) all(keep []uint64, rows []simd.Marks) bool {
	text, escaped := k.text, k.escaped
	all := ^uint64(0)
	for i := range rows {
		m := &rows[i]
		quote := m.Quote
		if m.Backslash|escaped != 0 {
			var marked uint64
			marked, escaped = escapedBy(m.Backslash, escaped)
			quote &^= marked
		}
		quote ^= quote << 1 // each bit becomes the parity of those up to it
		quote ^= quote << 2
		quote ^= quote << 4
		quote ^= quote << 8
		quote ^= quote << 16
		quote ^= quote << 32
		text ^= quote
		keep[i] = text | ^m.Blank
		all &= keep[i]
		text = uint64(int64(text) >> 63)
	}
	k.text, k.escaped = text, escaped
	return all == ^uint64(0)
}

// escapedBy marks the bytes that a backslash escapes. The first one is escaped if first is 1, and
// that of the next block if next is.
//
// Of the bytes after the backslashes of a run, every other one is escaped: those at odd places if
// the run begins at an even one, those at even places if not. An addition at their beginnings
// clears the runs of the second kind.
func escapedBy(backslash, first uint64) (marked, next uint64) {
	const evens = 0x5555555555555555
	backslash &^= first
	follows := backslash<<1 | first
	even, next := bits.Add64(backslash, backslash&^follows&^evens, 0)
	return follows & (even<<1 ^ evens), next
}
