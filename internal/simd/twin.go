package simd

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// This file contains the twins of the kernels. A twin processes eight bytes at a time, and checks
// UTF-8 with the standard library. Twins are used on machines without a kernel, and for the bytes
// that a kernel does not process.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// view returns the n bytes at p as a slice. Words can be loaded from the slice on any machine.
func view(p mem.Raw, n int) []byte {
	s := mem.Slice{Data: p, Len: n, Cap: n}
	return *mem.RawAt[[]byte](mem.RawTo(&s), 0)
}

// stopBits returns a word in which the high bit of each stop byte of w is set. Only the lowest set
// bit is reliable: higher bits may be set for bytes that are not stop bytes. The quote is 0x22. The
// exclusive or changes it to 0x20, so that one subtraction finds the quote together with the
// control characters. For bytes of 0x80 and above, the subtraction never borrows.
func stopBits(w uint64) uint64 {
	return (((w ^ 0x02*ones) - 0x21*ones) | ((w ^ '\\'*ones) - ones)) &^ w & highs
}

// htmlBits returns a word in which the high bit of each <, > and & of w is set. As with stopBits,
// only the lowest set bit is reliable. The characters < and > differ in one bit, which is masked
// out.
func htmlBits(w uint64) uint64 {
	return (((w&^(0x02*ones) ^ '<'*ones) - ones) | ((w ^ '&'*ones) - ones)) &^ w & highs
}

func isStop(c byte) bool { return c < ' ' || c == '"' || c == '\\' }
func isHTML(c byte) bool { return c == '<' || c == '>' || c == '&' }

func copyStringTwin(dst, src mem.Raw, n int) (k int, valid bool) {
	d, s := view(dst, n), view(src, n)
	var seen uint64 // bitwise or of the bytes so far
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
	var seen uint64 // bitwise or of the bytes so far
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

// isPlain reports whether s is valid UTF-8 and contains neither U+2028 nor U+2029. Their encodings
// are E2 80 A8 and E2 80 A9.
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
		// The next eight bytes are not all spaces: they may begin with some spaces and a newline.
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

// packTwin copies runs of bytes in pieces of mem.BlockSize bytes. The last piece of a run may
// contain bytes that do not belong to the run; the next run overwrites them. At the end of src, or
// if a piece could overwrite bytes that have not been read yet, packTwin copies only the bytes of
// the run.
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

// classes contains a word for each value of a byte. The word consists of five lanes of eight bits,
// one lane per mask, in the order of the fields of Marks. The lowest bit of a lane is set if the
// byte belongs to that mask. The words of eight consecutive bytes, each shifted by the byte's
// index, together form eight bits of each mask.
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
