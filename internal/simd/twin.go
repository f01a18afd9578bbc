package simd

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// The twins of the kernels: eight bytes at a time, and UTF-8 by the standard library. They are in
// use where there is no kernel, and for what a kernel leaves.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// view is the n bytes at p as a slice, of which the words can be loaded on any machine.
func view(p mem.Raw, n int) []byte {
	s := mem.Slice{Data: p, Len: n, Cap: n}
	return *mem.RawAt[[]byte](mem.RawTo(&s), 0)
}

// stopBits has the high bit of each byte of w set that is a stop byte. Only the first one can be
// relied on: above it, bytes may be set that are none. The quote is 0x22, and 0x20 after the
// exclusive or, whereby one subtraction finds it together with the control characters. Bytes of
// 0x80 and above never borrow.
func stopBits(w uint64) uint64 {
	return (((w ^ 0x02*ones) - 0x21*ones) | ((w ^ '\\'*ones) - ones)) &^ w & highs
}

// htmlBits has the high bit of each byte of w set that is <, > or &. As with stopBits, only the
// first one can be relied on. < and > differ in one bit.
func htmlBits(w uint64) uint64 {
	return (((w&^(0x02*ones) ^ '<'*ones) - ones) | ((w ^ '&'*ones) - ones)) &^ w & highs
}

func isStop(c byte) bool { return c < ' ' || c == '"' || c == '\\' }
func isHTML(c byte) bool { return c == '<' || c == '>' || c == '&' }

func copyStringTwin(dst, src mem.Raw, n int) (k int, valid bool) {
	d, s := view(dst, n), view(src, n)
	var seen uint64 // the bytes so far, or-ed
	for ; k <= n-8; k += 8 {
		w := mem.Load64(s, k)
		mem.Store64(d, k, w)
		if stop := stopBits(w); stop != 0 {
			first := bits.TrailingZeros64(stop) &^ 7
			seen |= w & (1<<(first&63) - 1)
			k += first >> 3
			return k, seen&highs == 0 || utf8.Valid(s[:k])
		}
		seen |= w
	}
	for ; k < n && !isStop(s[k]); k++ {
		d[k] = s[k]
		seen |= uint64(s[k])
	}
	return k, seen&highs == 0 || utf8.Valid(s[:k])
}

func findStopTwin(src mem.Raw, n int) (k int) {
	s := view(src, n)
	for ; k <= n-8; k += 8 {
		if stop := stopBits(mem.Load64(s, k)); stop != 0 {
			return k + bits.TrailingZeros64(stop)>>3
		}
	}
	for k < n && !isStop(s[k]) {
		k++
	}
	return k
}

func copyPlainTwin(dst, src mem.Raw, n int, html bool) (k int, plain bool) {
	d, s := view(dst, n), view(src, n)
	var alsoHTML uint64 // all ones if html
	if html {
		alsoHTML = ^alsoHTML
	}
	var seen uint64 // the bytes so far, or-ed
	for ; k <= n-8; k += 8 {
		w := mem.Load64(s, k)
		mem.Store64(d, k, w)
		if stop := stopBits(w) | htmlBits(w)&alsoHTML; stop != 0 {
			first := bits.TrailingZeros64(stop) &^ 7
			seen |= w & (1<<(first&63) - 1)
			k += first >> 3
			return k, seen&highs == 0 || isPlain(s[:k])
		}
		seen |= w
	}
	for ; k < n && !isStop(s[k]) && !(html && isHTML(s[k])); k++ {
		d[k] = s[k]
		seen |= uint64(s[k])
	}
	return k, seen&highs == 0 || isPlain(s[:k])
}

// isPlain reports whether s is UTF-8 and free of U+2028 and U+2029, which are E2 80 A8 and E2 80
// A9.
func isPlain(s []byte) bool {
	if !utf8.Valid(s) {
		return false
	}
	for {
		i := bytes.IndexByte(s, 0xe2)
		if i < 0 {
			return true
		}
		if s[i+1] == 0x80 && s[i+2]|1 == 0xa9 {
			return false
		}
		s = s[i+3:]
	}
}

func blanksTwin(src mem.Raw, n int) (k int) {
	s := view(src, n)
	for {
		for k <= n-8 && mem.Load64(s, k) == ' '*ones {
			k += 8
		}
		// Something other than eight spaces: some of them, and perhaps a new line.
		for last := min(k+8, n); ; k++ {
			if k == last {
				break
			}
			if c := s[k]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return k
			}
		}
		if k == n {
			return k
		}
	}
}

// packTwin copies runs of bytes, as pieces of one length: the last of a run has more than belongs
// to it, and the next run takes that place. Not so at the end, nor where that place is still to be
// read.
func packTwin(dst, src mem.Raw, keep []uint64) (n int) {
	d, s := view(dst, BlockSize*len(keep)), view(src, BlockSize*len(keep))
	apart := uintptr(src) - uintptr(dst)
	for b, bit := range keep {
		for at := b * BlockSize; bit != 0; {
			zeros := bits.TrailingZeros64(bit)
			at, bit = at+zeros, bit>>(zeros&63)
			run := bits.TrailingZeros64(^bit)
			if at+run > len(s)-mem.BlockSize || apart+uintptr(at-n) < mem.BlockSize {
				copy(d[n:], s[at:at+run])
			} else {
				for i := 0; i < run; i += mem.BlockSize {
					mem.StoreBlock(d, n+i, mem.RawAt[mem.Block](src, uintptr(at+i)))
				}
			}
			n, at, bit = n+run, at+run, bit>>uint(run)
		}
	}
	return n
}

// classes has for each byte the lowest bit of a lane for each mask that it belongs to: five lanes
// of eight bits, in the order of Marks. Eight entries, each shifted by its place, make eight bits
// of all masks.
var classes = func() (t [256]uint64) {
	const quote, backslash, control, op, blank = 1, 1 << 8, 1 << 16, 1 << 24, 1 << 32
	for c := range 0x20 {
		t[c] = control
	}
	t['"'] = quote
	t['\\'] = backslash
	for _, c := range "{}[]:," {
		t[c] = op
	}
	for _, c := range " \t\n\r" {
		t[c] |= blank
	}
	return t
}()

func markBlocksTwin(rows []Marks, src mem.Raw) {
	s := view(src, BlockSize*len(rows))
	for r := range rows {
		var m Marks
		for i := 0; i < BlockSize; i += 8 {
			w := mem.Load64(s, i)
			lanes := classes[byte(w)] | classes[byte(w>>8)]<<1 | classes[byte(w>>16)]<<2 | classes[byte(w>>24)]<<3 |
				classes[byte(w>>32)]<<4 | classes[byte(w>>40)]<<5 | classes[byte(w>>48)]<<6 | classes[byte(w>>56)]<<7
			m.Quote |= lanes & 0xff << (i & 63)
			m.Backslash |= lanes >> 8 & 0xff << (i & 63)
			m.Control |= lanes >> 16 & 0xff << (i & 63)
			m.Op |= lanes >> 24 & 0xff << (i & 63)
			m.Blank |= lanes >> 32 & 0xff << (i & 63)
		}
		rows[r] = m
		s = s[BlockSize:]
	}
}
