package json

import (
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// minified reports whether src is valid JSON without white space between its tokens. Compact would
// not change such JSON. Most JSON returned by MarshalJSON methods is minified. If src is nested
// more than 64 levels deep, which is the number of bits in a word, minified returns false.
func minified(src []byte) bool {
	var nest uint64 // a bit for each level, the lowest bit for the current level: 1 in an object, 0 in an array
	depth, i := 0, 0
value:
	if i >= len(src) {
		return false
	}
	switch c := src[i]; c {
	case '"':
		i = textEnd(src, i+1)
	case '{', '[':
		if depth++; depth > 64 {
			return false
		}
		if i++; i >= len(src) {
			return false
		}
		if src[i] == c+2 { // a closing bracket or brace is the opening one plus 2
			i++
			depth--
			break
		}
		nest = nest<<1 | uint64(c>>5)&1 // bit 5 is set in braces, and not in brackets
		if c == '{' {
			goto key
		}
		goto value
	case 't':
		i = literalEnd(src, i, "true")
	case 'f':
		i = literalEnd(src, i, "false")
	case 'n':
		i = literalEnd(src, i, "null")
	default:
		i = numberEnd(mem.String(src), i)
	}
	if i < 0 {
		return false
	}
	for depth > 0 {
		if i >= len(src) {
			return false
		}
		c := src[i]
		i++
		if c == ',' {
			if nest&1 != 0 {
				goto key
			}
			goto value
		}
		if c != ']'+byte(nest&1)<<5 {
			return false
		}
		depth--
		nest >>= 1
	}
	return i == len(src)
key:
	if i >= len(src) || src[i] != '"' {
		return false
	}
	if i = textEnd(src, i+1); i < 0 || i >= len(src) || src[i] != ':' {
		return false
	}
	i++
	goto value
}

// textEnd returns the position after the closing quote of a string. The text of the string begins
// at i. If the string is not valid, textEnd returns -1.
func textEnd(src []byte, i int) int {
	for {
		start := i
		for len(src)-i >= 8 {
			w := mem.Load64(src, i)
			if found := stops(w) &^ w; found != 0 { // skips bytes that are not ASCII
				i += bits.TrailingZeros64(found) >> 3
				break
			}
			if i += 8; i-start == short && i < len(src) {
				i += simd.FindStop(mem.From(src, i), len(src)-i)
			}
		}
		switch {
		case i >= len(src) || src[i] < ' ':
			return -1
		case src[i] == '"':
			return i + 1
		case src[i] != '\\':
			i++
		default:
			if i = escapeEnd(src, i); i < 0 {
				return -1
			}
		}
	}
}
