package json

// This file encodes strings.
//
// Most strings are short and plain. putShort checks all bytes of such a string, and then copies the
// string as overlapping words. Other strings are copied as runs of plain text by simd.CopyPlain,
// which uses the widest registers of the machine. Each byte that ends a run is replaced by its
// entry in the table escapes. If escapes are close together, putWords is used: it looks up the
// entry of every byte.

import (
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// short is the maximum length of text that putShort copies as words.
const short = 32

// textRoom is the space that the text of a string needs in addition to its length. It is used for
// bytes that are stored after the end of the text, and for a word of escapes.
const textRoom = 48

// appendText appends s as a JSON string.
func appendText(b []byte, s string, html bool) []byte {
	n := len(b)
	if cap(b)-n < len(s)+textRoom {
		b = mem.GrowRoom(b, len(s)+textRoom)
	}
	b = b[:cap(b)]
	mem.Store8(b, n, '"')
	n++
	end := -1
	if len(s) <= short {
		end = putShort(b, n, s, html)
	}
	if end < 0 {
		b, end = putEscaped(b, n, s, html)
	}
	mem.Store8(b, end, '"')
	return b[:end+1]
}

// putString writes s as a JSON string.
func (e *encoder) putString(n int, s string) int {
	b := e.room(n, len(s)+textRoom)
	mem.Store8(b, n, '"')
	n++
	end := -1
	if len(s) <= short {
		end = putShort(b, n, s, e.html)
	}
	if end < 0 {
		b, end = putEscaped(b, n, s, e.html)
		e.b = b
	}
	mem.Store8(b, end, '"')
	return end + 1
}

// putEscaped writes the text of s, and reserves space for another `more` bytes after the text. The
// string s may contain any bytes.
func (e *encoder) putEscaped(n int, s string, more int) int {
	e.b, n = putEscaped(e.b, n, s, e.html)
	e.room(n, more)
	return n
}

// putShort writes the text of s to b[n:], and returns the end of the text. The length of s is at
// most 32 bytes (the constant short). If s contains a byte that is not ASCII or needs an escape,
// putShort returns -1. The caller must have reserved space for s and one more word.
func putShort(b []byte, n int, s string, html bool) int {
	src, size := mem.Bytes(s), len(s)
	switch {
	case size > 16:
		v, w, x, y := mem.Load64(src, 0), mem.Load64(src, 8), mem.Load64(src, size-16), mem.Load64(src, size-8)
		if special(v, html)|special(w, html)|special(x, html)|special(y, html) != 0 {
			return -1
		}
		mem.Store64(b, n, v)
		mem.Store64(b, n+8, w)
		n += size
		mem.Store64(b, n-16, x)
		mem.Store64(b, n-8, y)
		return n
	case size >= 8:
		v, w := mem.Load64(src, 0), mem.Load64(src, size-8)
		if special(v, html)|special(w, html) != 0 {
			return -1
		}
		mem.Store64(b, n, v)
		n += size
		mem.Store64(b, n-8, w)
		return n
	case size >= 4:
		v, w := mem.Load32(src, 0), mem.Load32(src, size-4)
		if special(uint64(v)|uint64(w)<<32, html) != 0 {
			return -1
		}
		mem.Store32(b, n, v)
		n += size
		mem.Store32(b, n-4, w)
		return n
	case size > 0:
		middle, last := 8*(size>>1), 8*(size-1)
		v := uint64(mem.Load8(src, 0)) | uint64(mem.Load8(src, size>>1))<<(middle&63) | uint64(mem.Load8(src, size-1))<<(last&63)
		if special(v|spaces<<(8*size&63), html) != 0 {
			return -1
		}
		mem.Store32(b, n, uint32(v))
		return n + size
	}
	return n
}

// special searches the eight bytes of w for a byte that is not ASCII or needs an escape. If there
// is no such byte, it returns 0. Otherwise, the lowest set bit of the result is the high bit of the
// first such byte.
//
// A quote and a space differ in one bit. After this bit is flipped, only quotes and control
// characters are less than '!'. If html is true, the bit in which & differs from a quote is cleared
// first, so that & is found like a quote. The characters < and > differ in one bit.
func special(w uint64, html bool) uint64 {
	controls, backslash := (w^2*ones)-'!'*ones, (w^'\\'*ones)-ones
	if html {
		controls = ((w &^ (4 * ones)) ^ 2*ones) - '!'*ones
		angles := ((w | 2*ones) ^ '>'*ones) - ones
		return (controls | backslash | angles | w) & highs
	}
	return (controls | backslash | w) & highs
}

// escapes contains the output for each ASCII byte, which is the byte itself or its escape. The
// highest byte of an entry contains the length of the output. The second table is used with HTML
// escaping. The entries of bytes that are not ASCII have the length 0.
var escapes = func() (t [2][256]uint64) {
	const digits = "0123456789abcdef"
	enter := func(table int, c byte, text string) {
		t[table][c] = uint64(len(text)) << 56
		for i := range len(text) {
			t[table][c] |= uint64(text[i]) << (8 * i)
		}
	}
	for c := range byte(utf8.RuneSelf) {
		enter(0, c, string(rune(c)))
	}
	for c := range byte(' ') {
		enter(0, c, `\u00`+digits[c>>4:c>>4+1]+digits[c&15:c&15+1])
	}
	for c, letter := range map[byte]string{'"': `"`, '\\': `\`, '\b': "b", '\f': "f", '\n': "n", '\r': "r", '\t': "t"} {
		enter(0, c, `\`+letter)
	}
	t[1] = t[0]
	for _, c := range []byte("<>&") {
		enter(1, c, `\u00`+digits[c>>4:c>>4+1]+digits[c&15:c&15+1])
	}
	return t
}()

// putEscaped writes the text of s to b[n:], and returns b and the end of the text. The string s may
// contain any bytes. putEscaped may move b to larger memory. After the text, b has space for at
// least a quote.
func putEscaped(b []byte, n int, s string, html bool) ([]byte, int) {
	src := mem.Bytes(s)
	near := false // whether the next escape is probably near
	switch {
	case len(src) > short:
		near = escapes[1][src[0]]>>56 > 1
	case len(src) >= 8:
		near = (mem.Load64(src, 0)|mem.Load64(src, len(src)-8))&highs == 0 // short ASCII text contains an escape
	}
	for i := 0; ; {
		// The rest of src may be plain. In this case, it is copied in one step.
		if rest := len(src) - i; len(b)-n < rest+textRoom {
			b = mem.GrowRoom(b[:n], rest+rest>>3+textRoom)
			b = b[:cap(b)]
		}
		if i == len(src) {
			return b, n
		}
		if near {
			if n, i = putWords(b, n, src, i, html); i == len(src) {
				continue
			}
		}
		k, plain := simd.CopyPlain(mem.From(b, n), mem.From(src, i), len(src)-i, html)
		if plain {
			n += k
		} else {
			b = appendUnruly(b[:n], s[i:i+k])
			n = len(b)
			if rest := len(src) - i - k; cap(b)-n < rest+textRoom {
				b = mem.GrowRoom(b, rest+textRoom)
			}
			b = b[:cap(b)]
		}
		if i += k; i < len(src) {
			n = putByte(b, n, escapes[1][src[i]])
			i++
			near = k < 8 && len(src) >= 8
		}
	}
}

// putWords writes src[i:] to b[n:], and returns the new n and i. It looks up each byte in the table
// instead of searching for characters to escape. So its speed does not depend on the number of
// escapes. It stops at a word that is not ASCII, and after two words without an escape. It also
// stops when the space in b is less than the length of the rest of src plus textRoom. The length of
// src must be at least 8 bytes.
func putWords(b []byte, n int, src []byte, i int, html bool) (int, int) {
	t := &escapes[0]
	if html {
		t = &escapes[1]
	}
	for plain := 0; plain < 2 && i < len(src) && len(b)-n >= len(src)-i+textRoom; plain++ {
		size := min(len(src)-i, 8)
		w := uint64(0)
		if size == 8 {
			w = mem.Load64(src, i)
		} else {
			w = mem.Load64(src, len(src)-8) >> (8 * (8 - size) & 63)
		}
		if w&highs != 0 {
			break
		}
		w |= highs << (8 * size) // bytes beyond src have entries of length 0
		end := n + size
		n = putByte(b, n, t[byte(w)])
		n = putByte(b, n, t[byte(w>>8)])
		n = putByte(b, n, t[byte(w>>16)])
		n = putByte(b, n, t[byte(w>>24)])
		n = putByte(b, n, t[byte(w>>32)])
		n = putByte(b, n, t[byte(w>>40)])
		n = putByte(b, n, t[byte(w>>48)])
		n = putByte(b, n, t[byte(w>>56)])
		if n > end {
			plain = -1
		}
		i += size
	}
	return n, i
}

// putByte writes the text of an entry of the table escapes, and returns the end of the text.
func putByte(b []byte, n int, entry uint64) int {
	mem.Store64(b, n, entry)
	return n + int(entry>>56)
}

// appendUnruly appends a run of text that is not valid UTF-8, or contains U+2028 or U+2029, which
// JavaScript treats as ends of lines.
func appendUnruly(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		escape := ""
		switch {
		case c == utf8.RuneError && size == 1:
			escape = badText
		case c == '\u2028':
			escape = `\u2028`
		case c == '\u2029':
			escape = `\u2029`
		}
		if escape != "" {
			b = append(append(b, s[start:i]...), escape...)
			start = i + size
		}
		i += size
	}
	return append(b, s[start:]...)
}
