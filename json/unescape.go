package json

// This file decodes strings with escapes, or with bytes that are not valid UTF-8.

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// unescape appends the text of a string to dst, with escapes resolved. The argument i is the
// position after the opening quote. unescape returns the position after the closing quote.
//
// Each byte that is not part of valid UTF-8, and each unpaired surrogate, becomes U+FFFD.
func (d *decoder) unescape(dst []byte, i int) ([]byte, int) {
	b, end := d.b, d.end
	for i < end {
		dst = slices.Grow(dst, unescapeRoom)
		switch c := b[i]; {
		case c == '"':
			return dst, d.guard(i + 1)
		case c == '\\':
			if dst, i = unescapeRun(dst, b[:end], i); i < 0 {
				return dst, failed
			}
		case c < ' ':
			return dst, failed
		default:
			room := dst[len(dst):cap(dst)]
			n := wholeRunes(b[i:end], min(len(room), textPiece))
			k, valid := simd.CopyString(mem.From(room, 0), mem.From(b, i), n)
			if valid {
				dst = dst[:len(dst)+k]
			} else {
				dst = appendValid(dst, b[i:i+k])
			}
			i += k
		}
	}
	return dst, failed
}

// textPiece is the maximum length of a piece of text that is copied in one step. A piece that is
// not valid UTF-8 is read a second time. Because pieces are small, the cost of a string is linear
// in its length, regardless of the positions of invalid bytes.
const textPiece = 4 << 10

// wholeRunes returns the length of text[:n] without an incomplete character at the end. Such a
// character continues in text[n:]. If n is larger than len(text), wholeRunes returns len(text).
func wholeRunes(text []byte, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for k := n - 1; k >= max(n-utf8.UTFMax+1, 0); k-- {
		if utf8.RuneStart(text[k]) {
			if !utf8.FullRune(text[k:n]) {
				return k
			}
			break
		}
	}
	return n
}

// unescapeRun reads a run of escapes that begins at b[i]. There must be space in dst for
// unescapeRoom bytes, or for len(b)-i bytes. The latter is sufficient because a character is never
// longer than its escape.
func unescapeRun(dst, b []byte, i int) ([]byte, int) {
	out, n := dst[:cap(dst)], len(dst)
	for range unescapeMost {
		if i+1 >= len(b) || b[i] != '\\' {
			break
		}
		c := b[i+1]
		if c != 'u' {
			if c = meanings[c]; c == 0 {
				return dst, failed
			}
			out[n] = c
			n++
			i += 2
			continue
		}
		r := hex4(b, i+2)
		switch {
		case r < 0:
			return dst, failed
		case r < utf8.RuneSelf:
			out[n] = byte(r)
			n++
		case r < 0x800:
			mem.Store16(out, n, uint16(0x80c0|r>>6|r&0x3f<<8))
			n += 2
		case r&0xf800 != 0xd800:
			mem.Store32(out, n, uint32(0x8080e0|r>>12|r>>6&0x3f<<8|r&0x3f<<16))
			n += 3
		default:
			if i+7 < len(b) && b[i+6] == '\\' && b[i+7] == 'u' {
				if pair := utf16.DecodeRune(r, hex4(b, i+8)); pair != utf8.RuneError {
					n += utf8.EncodeRune(out[n:], pair)
					i += 12
					continue
				}
			}
			n += utf8.EncodeRune(out[n:], utf8.RuneError)
		}
		i += 6
	}
	if i < len(b) && b[i] == '\\' && i+1 == len(b) {
		return dst, failed
	}
	return dst[:n], i
}

// unescapeMost is the maximum number of escapes in a run, and unescapeRoom is the space for the
// output of a run, in bytes.
const (
	unescapeMost = 64
	unescapeRoom = 4*unescapeMost + 8
)

// hex4 returns the value of the four hexadecimal digits at b[i]. If they are not valid, it returns
// a negative number.
func hex4(b []byte, i int) rune {
	if i+4 > len(b) {
		return -1
	}
	h := b[i : i+4 : i+4]
	return hexRunes[0][h[0]] | hexRunes[1][h[1]] | hexRunes[2][h[2]] | hexRunes[3][h[3]]
}

// hexDigits contains the values of the hexadecimal digits. The values of other bytes are negative.
var hexDigits = func() (t [256]int8) {
	for i := range t {
		switch c := byte(i); {
		case '0' <= c && c <= '9':
			t[i] = int8(c - '0')
		case 'a' <= c && c <= 'f':
			t[i] = int8(c - 'a' + 10)
		case 'A' <= c && c <= 'F':
			t[i] = int8(c - 'A' + 10)
		default:
			t[i] = -1
		}
	}
	return t
}()

// hexRunes contains four tables, one for each position in a sequence of four hexadecimal digits.
// Each table contains the value that a byte contributes at its position. For bytes that are not
// digits, the value is negative.
var hexRunes = func() (t [4][256]rune) {
	for i := range t {
		for c, digit := range hexDigits {
			t[i][c] = rune(digit) << (12 - 4*i)
		}
	}
	return t
}()

// meanings contains the character for each byte that may follow a backslash, except u. For other
// bytes, it contains 0.
var meanings = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
