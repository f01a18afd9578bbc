package json

// Compact, and the compaction of the JSON that methods return to Marshal.
//
// Most short input is minified already, so short input is first checked for this, byte by byte
// (compact_minified.go). The decoder checks all other input. In valid JSON, all white space outside
// of strings can be removed, and removing it requires no other knowledge of JSON. It is removed
// from one block of 64 bytes at a time. A few words with one bit for each byte describe a block.
// The bits of the bytes to keep are computed from these words without a branch:
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

// Compact appends src to dst without insignificant white space. If src is not valid JSON, Compact
// leaves dst unchanged and returns encoding/json's error.
func Compact(dst *bytes.Buffer, src []byte) error {
	dst.Grow(len(src))
	if b, ok := appendCompact(dst.AvailableBuffer(), src, false); ok {
		dst.Write(b)
		return nil
	}
	return json.Compact(dst, src)
}

// longRaw is the length of JSON from which it pays to get a decoder from the pool, and to search
// for characters to escape before escaping.
const longRaw = 256

// appendCompact appends src as Compact does. If html is set, it also escapes src as HTMLEscape
// does. If src is not valid JSON, it appends nothing and returns false.
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

// hasLineEnd reports whether s contains U+2028 or U+2029, which end a line in JavaScript but not in
// JSON.
func hasLineEnd(s []byte) bool {
	return bytes.IndexByte(s, 0xe2) >= 0 && (bytes.Contains(s, []byte("\u2028")) || bytes.Contains(s, []byte("\u2029")))
}

// appendTrusted is appendCompact, with html set, for JSON that the caller declares valid. If src is
// not valid, it is escaped but not compacted.
func appendTrusted(b, src []byte) []byte {
	b, ok := appendCompact(b, src, true)
	if !ok {
		b = appendHTMLEscaped(b, mem.String(src))
	}
	return b
}

// keepAtOnce is the number of blocks that are examined before they are copied.
const keepAtOnce = 16

var blankBlock = strings.Repeat(" ", simd.BlockSize)

// appendKept appends src, which must be valid JSON, without the white space outside of strings.
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

// keeper contains the state that is carried from one block to the next.
type keeper struct {
	text    uint64 // all ones if the next block begins in a string
	escaped uint64 // 1 if the first byte of the next block is escaped
}

// all sets in keep the bits of the bytes to keep, one word for each block of rows. It reports
// whether all bytes are kept.
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
		quote ^= quote << 1 // each bit becomes the parity of the bits up to and including it
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

// escapedBy marks the bytes of a block that a backslash escapes. The first byte of the block is
// escaped if first is 1. The first byte of the next block is escaped if next is 1.
//
// Of the bytes that follow the backslashes of a run, every other byte is escaped. If the run begins
// at an even position, these are the bytes at odd positions; otherwise they are the bytes at even
// positions. Adding 1 at the beginning of each run with an odd position clears the run.
func escapedBy(backslash, first uint64) (marked, next uint64) {
	const evens = 0x5555555555555555
	backslash &^= first
	follows := backslash<<1 | first
	even, next := bits.Add64(backslash, backslash&^follows&^evens, 0)
	return follows & (even<<1 ^ evens), next
}
