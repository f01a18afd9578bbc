package json

// This file decodes numbers. The functions decode eight digits at a time, with arithmetic on one
// word.

import (
	"math"
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// eightDigits returns the number that consists of the eight digits in w. The first digit is in the
// lowest byte. Each byte of w is the value of a digit, not its character.
func eightDigits(w uint64) uint64 {
	w = w*10 + w>>8
	return (w&0x000000ff000000ff*(100+1000000<<32) + w>>16&0x000000ff000000ff*(1+10000<<32)) >> 32
}

// digitsAt returns the number that consists of the digits from b[i] on, and the number of digits.
// It reads up to 16 digits.
func digitsAt(b []byte, i int) (v uint64, n int) {
	w := mem.Load64(b, i) ^ '0'*ones
	if m := nonDigits(w); m != 0 {
		n = bits.TrailingZeros64(m) >> 3
		return firstDigits(w, n), n
	}
	v = eightDigits(w)
	w = mem.Load64(b, i+8) ^ '0'*ones
	m := nonDigits(w)
	if m == 0 {
		return v*1e8 + eightDigits(w), 16
	}
	n = bits.TrailingZeros64(m) >> 3
	return v*powers[n] + firstDigits(w, n), 8 + n
}

// firstDigits returns the number that consists of the first n digits in w. The argument n must be
// less than eight.
func firstDigits(w uint64, n int) uint64 { return eightDigits(w << (56 - uint(n)*8&63) << 8) }

var powers = [...]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// uint reads an integer at i that has no sign and at most 19 digits. It returns the integer, and
// the position after it. If there is no such integer, the position is negative.
func (d *decoder) uint(i int) (uint64, int) {
	b := d.b
	v, n := uint64(mem.Load8(b, i)-'0'), 1
	if v > 9 {
		return 0, failed
	}
	// A number that begins with 0 ends after the 0. If further digits follow, the caller returns an
	// error.
	if mem.Load8(b, i+1)-'0' <= 9 && v != 0 {
		v, n = digitsAt(b, i)
		if n == 16 {
			for ; n < 20; n++ {
				c := uint64(mem.Load8(b, i+n) - '0')
				if c > 9 {
					break
				}
				v = v*10 + c
			}
			if n == 20 {
				return 0, failed
			}
		}
	}
	switch mem.Load8(b, i+n) {
	case '.', 'e', 'E':
		return 0, failed
	}
	return v, i + n
}

// int reads an integer at i that fits an int64. It returns the integer, and the position after it.
// If there is no such integer, the position is negative.
func (d *decoder) int(i int) (int64, int) {
	if mem.Load8(d.b, i) == '-' {
		v, i := d.uint(i + 1)
		if v > 1<<63 {
			return 0, failed
		}
		return -int64(v), i
	}
	v, i := d.uint(i)
	if v > 1<<63-1 {
		return 0, failed
	}
	return int64(v), i
}

// float reads the number at i. It returns the number, and the position after it. If there is no
// number, or the number is out of the range of float64, the position is negative.
func (d *decoder) float(i int) (float64, int) {
	b := d.b
	start := i
	neg := mem.Load8(b, i) == '-'
	if neg {
		i++
	}
	// Read the digits before the point. Usually there are only a few of them.
	first := i
	v := uint64(mem.Load8(b, i) - '0')
	if v > 9 {
		return 0, failed
	}
	i++
	for v != 0 { // a leading 0 is the only digit: see uint
		c := uint64(mem.Load8(b, i) - '0')
		if c > 9 {
			break
		}
		v = v*10 + c
		if i++; i-first > 19 {
			return d.longFloat(start)
		}
	}
	exp := 0
	if mem.Load8(b, i) == '.' {
		i++
		w := mem.Load64(b, i) ^ '0'*ones
		m := nonDigits(w)
		n := bits.TrailingZeros64(m) >> 3
		if m != 0 {
			if n == 0 {
				return 0, failed
			}
			v = v*powers[n] + firstDigits(w, n)
		} else {
			f := eightDigits(w)
			w = mem.Load64(b, i+8) ^ '0'*ones
			m = nonDigits(w)
			n = bits.TrailingZeros64(m) >> 3
			if m != 0 {
				v = (v*1e8+f)*powers[n] + firstDigits(w, n)
				n += 8
			} else {
				// Read up to 7 more digits: the shortest text of a float64 may contain 20 digits
				// after the point.
				f = f*1e8 + eightDigits(w)
				w = mem.Load64(b, i+16) ^ '0'*ones
				m = nonDigits(w)
				n = bits.TrailingZeros64(m) >> 3
				if m == 0 || v == 0 && f >= powers[19-n] {
					return d.longFloat(start)
				}
				v = (v*1e16+f)*powers[n] + firstDigits(w, n)
				n += 16
			}
		}
		if i-first-1+n > 19 && mem.Load8(b, first) != '0' {
			return d.longFloat(start)
		}
		i += n
		exp = -n
	}
	if mem.Load8(b, i)|0x20 == 'e' {
		i++
		minus := false
		switch mem.Load8(b, i) {
		case '-':
			minus = true
			i++
		case '+':
			i++
		}
		e, n := digitsAt(b, i)
		if n == 0 {
			return 0, failed
		}
		if n > 8 {
			return d.longFloat(start)
		}
		i += n
		if minus {
			exp -= int(e)
		} else {
			exp += int(e)
		}
	}
	if exp == 0 && v < 1<<53 {
		if neg {
			if v == 0 {
				return math.Copysign(0, -1), i
			}
			return -float64(v), i
		}
		return float64(v), i
	}
	f, inRange := decimal.Float64(v, exp, neg)
	if !inRange {
		return 0, failed
	}
	return f, i
}

// longFloat reads the numbers that the method `float` does not handle itself, such as numbers with
// many digits.
func (d *decoder) longFloat(i int) (float64, int) {
	text, i := d.number(i)
	if i < 0 {
		return 0, failed
	}
	f, inRange := decimal.ParseFloat64(text)
	if !inRange {
		return 0, failed
	}
	return f, d.guard(i)
}

// number checks the number at i. It returns the text of the number, and the position after it. The
// caller must execute a guard for that position; until then, i remains valid.
func (d *decoder) number(i int) ([]byte, int) {
	start := d.off + i
	i = d.skipNumber(i)
	if i < 0 {
		return nil, failed
	}
	end := d.off + i
	return d.src[start:end:end], i
}

// numberEnd returns the position after the number at s[i]. If there is no number, it returns -1.
func numberEnd(s string, i int) int {
	end, _ := scanNumber(mem.Bytes(s), i)
	return end
}

// scanNumber returns the position after the number at b[i], and the kind of the number. If there is
// no number, the position is -1.
func scanNumber(b []byte, i int) (end int, kind Kind) {
	kind = Uint
	if i < len(b) && b[i] == '-' {
		kind = Int
		i++
	}
	first := i
	i = scanDigits(b, i)
	if i == first || i > first+1 && b[first] == '0' {
		return -1, Undefined
	}
	if i == len(b) || b[i] == ',' {
		return i, kind
	}
	if b[i] == '.' {
		kind = Float
		i++
		first = i
		if i = scanDigits(b, i); i == first {
			return -1, Undefined
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		kind = Float
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first = i
		if i = scanDigits(b, i); i == first {
			return -1, Undefined
		}
	}
	return i, kind
}

// scanDigits returns the position after the digits at b[i]. If there are no digits, it returns i.
func scanDigits(b []byte, i int) int {
	for ; len(b)-i >= 8; i += 8 {
		if m := nonDigits(mem.Load64(b, i) ^ '0'*ones); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}
