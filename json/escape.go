package json

// This file contains functions that convert between a string and its JSON encoding.
//
//	write   Escape, AppendEscape      appendString: a JSON string with its quotes (encode_string.go)
//	read    Unescape, AppendUnescape  appendUnquoted: the text between the quotes

import (
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// Escape returns s as a quoted JSON string, in the same form as Marshal: <, > and & are escaped.
func Escape(s string) []byte { return appendString(nil, s, true) }

// AppendEscape appends s to b as a quoted JSON string. Only the flag EscapeHTML has an effect. Each
// byte of s that is not valid UTF-8 becomes \ufffd. AppendEscape may write to all of b's capacity.
func AppendEscape(b []byte, s string, flags AppendFlags) []byte {
	return appendString(b, s, flags&EscapeHTML != 0)
}

// Unescape returns the text of the JSON string at the beginning of s, like [AppendUnescape]. The
// result does not refer to s.
func Unescape(s []byte) []byte {
	s = firstString(s)
	return AppendUnescape(make([]byte, 0, len(s)), s, 0)
}

// AppendUnescape appends to b the text of the JSON string at the beginning of s. The argument s
// begins with the opening quote of the string. Bytes after the string are ignored. If s does not
// begin with a valid string, AppendUnescape returns b unchanged.
//
// The text is the same text that encoding/json decodes. Escapes are resolved. Each unpaired
// surrogate, and each byte that is not valid UTF-8, becomes U+FFFD. Flags have no effect. The
// arguments b and s must not overlap. AppendUnescape may write to all of b's capacity.
func AppendUnescape(b []byte, s []byte, flags ParseFlags) []byte {
	if s = firstString(s); len(s) > 0 && s[0] == '"' {
		if out, end := unescapeText(b, s[1:]); end >= 0 && end < len(s)-1 {
			return out
		}
	}
	return b
}

// longRest is the minimum length of input for which firstString searches for the end of the string.
// Without that search, unescapeText reserves space for the whole input.
const longRest = 256

// firstString returns the JSON string at the beginning of s, without the bytes after the string. If
// s is short, it returns s unchanged.
func firstString(s []byte) []byte {
	if len(s) >= longRest && s[0] == '"' {
		s = s[:max(0, scanText(s, 1))]
	}
	return s
}

// appendString appends s as a JSON string with quotes. It appends the same bytes as encoding/json.
func appendString(b []byte, s string, html bool) []byte { return appendText(b, s, html) }

// appendUnquoted appends the text of s, like AppendUnescape. The argument s contains the bytes
// between the quotes of a JSON string. If s contains a quote, a control character or an invalid
// escape, it appends nothing and returns false.
func appendUnquoted(b, s []byte) (out []byte, ok bool) {
	out, end := unescapeText(b, s)
	if end != len(s) {
		return b, false
	}
	return out, true
}

// unescapeText appends the text of s up to the first quote to b, and returns the position of that
// quote. If there is no quote, the position is len(s). If the text is not valid, the position is
// failed.
func unescapeText(b, s []byte) (out []byte, end int) {
	n := len(s)
	out = slices.Grow(b, n)
	at := len(out)
	out = out[:cap(out)]
	for i := 0; i < n; {
		for n-i >= 8 {
			w := mem.Load64(s, i)
			mem.Store64(out, at, w)
			if m := stops(w); m != 0 {
				k := bits.TrailingZeros64(m) >> 3
				i += k
				at += k
				break
			}
			i += 8
			at += 8
		}
		if i == n {
			break
		}
		switch c := s[i]; {
		case c == '"':
			return out[:at], i
		case c == '\\':
			// A character is never longer than its escape, so there is enough space.
			var k int
			if out, k = unescapeRun(out[:at], s, i); k < 0 {
				return b, failed
			}
			i, at = k, len(out)
			out = out[:cap(out)]
		case c < ' ':
			return b, failed
		case c >= utf8.RuneSelf:
			k, valid := simd.CopyString(mem.From(out, at), mem.From(s, i), n-i)
			if valid {
				at += k
			} else {
				out = appendValid(out[:at], s[i:i+k])
				at = len(out)
				out = slices.Grow(out, n-i-k) // each invalid byte may have become three bytes
				out = out[:cap(out)]
			}
			i += k
		default:
			out[at] = c
			at++
			i++
		}
	}
	return out[:at], n
}

// appendValid appends text to b. It replaces each byte that is not valid UTF-8 by U+FFFD.
func appendValid(b, text []byte) []byte {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		b = utf8.AppendRune(b, r)
		i += size
	}
	return b
}
