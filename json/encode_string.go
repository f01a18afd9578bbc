package json

// Strings on their way out.
//
// Most are short and plain. Those are copied as words that overlap, after one look at all of them
// (putShort). The others go by runs of plain text, for which simd.CopyPlain has the machine's
// widest registers, and an entry of escapes for the byte that ends a run. Where escapes stand close
// together, each byte has its entry (putWords).

import (
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// short is the length up to which text is put as words.
const short = 32

// textRoom is what the text of a string wants besides its length: what is stored beyond it, and a
// word of escapes.
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

// putEscaped writes the text of s, whatever is in it, and asks for more room after it.
func (e *encoder) putEscaped(n int, s string, more int) int {
	e.b, n = putEscaped(e.b, n, s, e.html)
	e.room(n, more)
	return n
}

// putShort writes the text of s, which is short, at b[n:] and gives where it ends; or it gives -1,
// when there is something other than plain ASCII in it. The caller has made sure of room for s and
// a word.
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

// special is not 0 if one of the eight bytes of w is not plain ASCII: it has the high bit of the
// first such byte set, and none below.
//
// A control character and a quote are below '!' once the bit is turned in which the quote differs
// from a space, and & with html, once the bit is cleared in which it differs from a quote. < and >
// differ in one bit.
func special(w uint64, html bool) uint64 {
	controls, backslash := (w^2*ones)-'!'*ones, (w^'\\'*ones)-ones
	if html {
		controls = ((w &^ (4 * ones)) ^ 2*ones) - '!'*ones
		angles := ((w | 2*ones) ^ '>'*ones) - ones
		return (controls | backslash | angles | w) & highs
	}
	return (controls | backslash | w) & highs
}

// escapes are what stands for each byte of ASCII, with the length of it in the highest byte: itself
// or an escape. The second table is for HTML. For other bytes there is nothing, of length 0.
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

// putEscaped writes the text of s, whatever is in it, at b[n:], and gives where it ends. It may
// move b. There will be room for a quote and more after it.
func putEscaped(b []byte, n int, s string, html bool) ([]byte, int) {
	src := mem.Bytes(s)
	near := false // the next escape, it seems
	switch {
	case len(src) > short:
		near = escapes[1][src[0]]>>56 > 1
	case len(src) >= 8:
		near = (mem.Load64(src, 0)|mem.Load64(src, len(src)-8))&highs == 0 // short text has one
	}
	for i := 0; ; {
		// What is left may be plain to its end.
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

// putWords writes src[i:] at b[n:] and gives where both end. It does not ask where the escapes are:
// it goes from byte to byte, each of which has its entry in the table, so that it takes as long for
// many as for few. It stops at a word that is not ASCII, after two without an escape, and when
// there is less room than for the rest of src and textRoom. src has 8 bytes or more.
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
		w |= highs << (8 * size) // what is not there takes no room
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

// putByte writes an entry of escapes.
func putByte(b []byte, n int, entry uint64) int {
	mem.Store64(b, n, entry)
	return n + int(entry>>56)
}

// appendUnruly appends a run of text that is not valid UTF-8, or has one of the characters that
// JavaScript ends a line with.
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
