package json

// This file skips values that are only checked for validity: unknown fields, values that do not
// fit, raw messages, arguments of methods, and whole documents in Valid.

import (
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// Valid reports whether data is a valid JSON encoding. Like encoding/json's Valid, it does not
// check UTF-8.
func Valid(data []byte) bool {
	d := decoders.Get().(*decoder)
	ok := d.check(data, oneValue) != failed
	d.release()
	return ok
}

// skip returns the position after the value at i. If the value is not valid, it returns failed. Its
// labels are the states of a machine; nest contains the closing brackets of the open containers:
//
//	label   reads                                           continues at
//	value   a scalar                                        next
//	        { or [, which opens a container                 first
//	first   the closing bracket of an empty container       next
//	        white space                                     key in an object, value in an array
//	key     a string and a colon                            value
//	next    nothing, if all containers have been closed     the caller
//	        a comma                                         key in an object, value in an array
//	        the closing bracket of the container            next
//	        white space                                     next
func (d *decoder) skip(i int) int {
	b := d.b
	depth := d.depth
	nest := &d.nest
value:
	if i > d.lim {
		i = d.nearIn(i, depth, atValue)
		b = d.b
	}
	switch c := mem.Load8(b, i); c {
	case '"':
		i++
		if m := quotes(mem.Load64(b, i)); m == 0 {
			i = d.skipString(i + 8)
		} else if i += bits.TrailingZeros64(m) >> 3; mem.Load8(b, i) == '"' {
			i++
			break
		} else {
			i = d.skipLong(i)
		}
		if i < 0 {
			return failed
		}
		b = d.b
	case '{':
		if depth++; depth > maxDepth {
			return failed
		}
		nest[depth] = '}'
		goto first
	case '[':
		if depth++; depth > maxDepth {
			return failed
		}
		nest[depth] = ']'
		goto first
	case 't', 'f', 'n':
		if i = literal(b, i); i < 0 {
			return failed
		}
	default:
		if i = d.skipNumber(i); i < 0 {
			return failed
		}
		b = d.b
	}
next:
	if i > d.lim {
		i = d.nearIn(i, depth, atNext)
		b = d.b
	}
	if depth == d.depth {
		return i
	}
	switch c := mem.Load8(b, i); {
	case c == ',':
		i++
		if c := mem.Load8(b, i); c <= ' ' {
			if c == '\n' {
				i = line(b, i)
			}
			if mem.Load8(b, i) <= ' ' {
				i = d.blanks(i)
				b = d.b
			}
		}
		if nest[depth] == ']' {
			goto value
		}
		goto key
	case c == nest[depth]:
		i++
		depth--
		goto next
	case c == '\n':
		i = line(b, i)
		goto next
	case c <= ' ':
		at := d.off + i
		i = d.blanks(i)
		b = d.b
		if d.off+i == at {
			return failed
		}
		goto next
	}
	return failed
first:
	i++
	if c := mem.Load8(b, i); c <= ' ' {
		if c == '\n' {
			i = line(b, i)
		}
		if mem.Load8(b, i) <= ' ' {
			i = d.blanks(i)
			b = d.b
		}
	}
	if mem.Load8(b, i) == nest[depth] {
		i++
		depth--
		goto next
	}
	if nest[depth] == ']' {
		goto value
	}
key: // i is only a few bytes after the last guard
	if mem.Load8(b, i) != '"' {
		return failed
	}
	i++
	if m := quotes(mem.Load64(b, i)); m != 0 {
		i = leap(i, bits.TrailingZeros64(m)>>3)
	} else if m := quotes(mem.Load64(b, i+8)); m != 0 {
		i = leap(i+8, bits.TrailingZeros64(m)>>3)
	} else {
		i += 16
	}
	if mem.Load8(b, i) == '"' {
		i++
	} else if i = d.skipString(i); i < 0 {
		return failed
	} else {
		b = d.b
	}
	if mem.Load8(b, i) != ':' {
		i = d.blanks(i)
		b = d.b
		if mem.Load8(b, i) != ':' {
			return failed
		}
	}
	i++
	if mem.Load8(b, i) == ' ' {
		i++
	}
	if mem.Load8(b, i) <= ' ' {
		i = d.blanks(i)
		b = d.b
	}
	goto value
}

// literal returns the position after true, false or null at i. If there is no such literal, it
// returns failed.
func literal(b []byte, i int) int {
	switch w := mem.Load32(b, i); w {
	case 't' | 'r'<<8 | 'u'<<16 | 'e'<<24, 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24:
		return i + 4
	case 'f' | 'a'<<8 | 'l'<<16 | 's'<<24:
		if mem.Load8(b, i+4) == 'e' {
			return i + 5
		}
	}
	return failed
}

// leap returns i+n. The argument n must be less than 8. The function branches on n, so that the
// processor can predict the length of a key, and need not wait for the bytes of the key. The
// lengths of string values are not predictable.
func leap(i, n int) int {
	switch n {
	case 1:
		return i + 1
	case 2:
		return i + 2
	case 3:
		return i + 3
	case 4:
		return i + 4
	case 5:
		return i + 5
	case 6:
		return i + 6
	case 7:
		return i + 7
	}
	return i
}

// quotes marks the quotes, backslashes and control characters in w. The lowest mark is exact, but
// higher marks may be wrong.
func quotes(w uint64) uint64 {
	return (((w ^ 2*ones) - 0x21*ones) | ((w ^ '\\'*ones) - ones)) &^ w & highs
}

// skipString returns the position after the closing quote of the string whose text begins at i.
func (d *decoder) skipString(i int) int {
	b := d.b
	for stop := i + 32; i < stop; i += 8 {
		if m := quotes(mem.Load64(b, i)); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			if mem.Load8(b, i) == '"' {
				return i + 1
			}
			return d.skipLong(i)
		}
	}
	return d.skipLong(i)
}

// skipLong is like skipString, but may begin at any position inside the text.
func (d *decoder) skipLong(i int) int {
	b, end := d.b, d.end
	for i < end {
		c := b[i]
		if c >= ' ' && c != '"' && c != '\\' {
			if i += simd.FindStop(mem.From(b, i), end-i); i >= end {
				return failed
			}
			c = b[i]
		}
		switch {
		case c == '"':
			if i++; i > d.lim {
				i = d.near(i)
			}
			return i
		case c != '\\' || i+1 >= end:
			return failed
		case b[i+1] == 'u':
			if hex4(b[:end], i+2) < 0 {
				return failed
			}
			i += 6
		case meanings[b[i+1]] == 0:
			return failed
		default:
			i += 2
		}
	}
	return failed
}

// skipNumber returns the position after the number at i. It executes no guard, so that the caller
// can read the number again. The caller must execute a guard for the result, for numbers of any
// length.
func (d *decoder) skipNumber(i int) int {
	b := d.b
	start := i
	if mem.Load8(b, i) == '-' {
		i++
	}
	switch c := mem.Load8(b, i); {
	case c == '0':
		i++
	case '1' <= c && c <= '9':
		i = digits(b, i+1)
	default:
		return failed
	}
	if mem.Load8(b, i) == '.' {
		i++
		if mem.Load8(b, i)-'0' > 9 {
			return failed
		}
		i = digits(b, i+1)
	}
	if mem.Load8(b, i)|0x20 == 'e' {
		i++
		if c := mem.Load8(b, i); c == '+' || c == '-' {
			i++
		}
		if mem.Load8(b, i)-'0' > 9 {
			return failed
		}
		i = digits(b, i+1)
	}
	if i-start >= someDigits { // digits may have stopped before the last digit
		if i = numberEnd(mem.String(b[:d.end]), start); i < 0 {
			return failed
		}
	}
	return i
}

// someDigits is the maximum number of bytes that the function digits examines.
const someDigits = 32

// digits returns the position of the first byte at or after i that is not a digit, or i+someDigits.
func digits(b []byte, i int) int {
	for stop := i + someDigits; i < stop; i += 8 {
		if m := nonDigits(mem.Load64(b, i) ^ '0'*ones); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	return i
}

// nonDigits marks the bytes of w that are 10 or more, and so are not the value of a digit. The
// lowest mark is exact, but higher marks may be wrong.
func nonDigits(w uint64) uint64 { return ((w + 0x76*ones) | w) & highs }
