package json

// This file contains Compact, and the function that compacts JSON returned by MarshalJSON methods.
//
// Most short input is already minified, so short input is first checked byte by byte to find out
// whether it is minified (compact_minified.go). The decoder checks whether all other input is
// valid. In valid JSON, all white space outside strings can be removed, without further parsing.
// The code processes one block of 64 bytes at a time. A few words with one bit per byte describe a
// block. From these words, a word is computed without branches that marks the bytes to keep:
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

// longRaw is the minimum length of JSON for which two things are worth their cost: getting a
// decoder from the pool, and searching for characters to escape before escaping.
const longRaw = 256

// appendCompact appends src to b without insignificant white space, like Compact. If html is true,
// it also escapes src, like HTMLEscape. If src is not valid JSON, it appends nothing and returns
// false.
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

// hasLineEnd reports whether s contains U+2028 or U+2029. These characters end a line in
// JavaScript, but not in JSON.
func hasLineEnd(s []byte) bool {
	return bytes.IndexByte(s, 0xe2) >= 0 && (bytes.Contains(s, []byte("\u2028")) || bytes.Contains(s, []byte("\u2029")))
}

// appendTrusted is like appendCompact with HTML escaping, but for JSON that the caller declares
// valid. If src is not valid nevertheless, it is escaped but not compacted.
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

// appendKept appends src to b, except the white space outside strings. The argument src must be
// valid JSON.
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

// keeper contains the state that passes from one block to the next.
type keeper struct {
	text    uint64 // all ones if the next block begins in a string
	escaped uint64 // 1 if the first byte of the next block is escaped
}

// all computes which bytes to keep. For each block in `rows`, it stores one word in `keep`. A set
// bit in this word marks a byte to keep. It reports whether all bytes are kept.
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

// escapedBy returns a word that marks the bytes of a block that are escaped by a backslash. If the
// argument `first` is 1, the first byte of the block is escaped. If the result `next` is 1, the
// first byte of the next block is escaped.
//
// In a run of backslashes, every second byte is escaped, starting with the second backslash. The
// byte after the run continues this pattern. If the run begins at an even position, the escaped
// bytes are at odd positions; otherwise, they are at even positions. Adding 1 at the beginning of
// each run that begins at an odd position clears the run.
func escapedBy(backslash, first uint64) (marked, next uint64) {
	const evens = 0x5555555555555555
	backslash &^= first
	follows := backslash<<1 | first
	even, next := bits.Add64(backslash, backslash&^follows&^evens, 0)
	return follows & (even<<1 ^ evens), next
}
