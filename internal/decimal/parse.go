package decimal

import (
	"math/bits"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// ParseFloat64 returns the float64 nearest to the number s. The caller must have checked that s is
// a number according to the grammar of JSON. If the result is out of range, ParseFloat64 returns
// ±Inf and false. For a number that is too small, the result is 0, which is in range.
func ParseFloat64(s []byte) (f float64, inRange bool) {
	t := read(s)
	f, inRange = Float64(t.man, t.exp10(), t.neg)
	if t.cut {
		if next, _ := Float64(t.man+1, t.exp10(), t.neg); f != next {
			f, err := strconv.ParseFloat(mem.String(s), 64)
			return f, err == nil
		}
	}
	return f, inRange
}

// ParseFloat32 returns the float32 nearest to the number s, by the same rules as ParseFloat64. It
// rounds only once.
func ParseFloat32(s []byte) (f float32, inRange bool) {
	t := read(s)
	f, inRange = Float32(t.man, t.exp10(), t.neg)
	if t.cut {
		if next, _ := Float32(t.man+1, t.exp10(), t.neg); f != next {
			f, err := strconv.ParseFloat(mem.String(s), 32)
			return float32(f), err == nil
		}
	}
	return f, inRange
}

// text is a parsed number with the value man·10^exp. If digits were cut off, the number is at least
// man·10^exp and at most (man+1)·10^exp.
type text struct {
	man uint64
	exp int64
	neg bool
	cut bool
}

// exp10 returns exp, limited to ±2²⁰. Any exponent outside these limits is out of range.
func (t *text) exp10() int { return int(min(max(t.exp, -1<<20), 1<<20)) }

// manDigits is the number of digits that always fit into a uint64.
const manDigits = 19

// read parses the number s. If s is not a number, the result is meaningless, but read does not read
// outside of s.
func read(s []byte) (t text) {
	i := 0
	if len(s) > 0 && s[0] == '-' {
		t.neg = true
		i = 1
	}
	first := i
	t.man, i = readDigits(s, i, 0)
	digits := i - first
	if i < len(s) && s[i] == '.' {
		point := i + 1
		t.man, i = readDigits(s, point, t.man)
		digits += i - point
		t.exp = int64(point - i)
	}
	last := i
	if i < len(s) && s[i]|0x20 == 'e' {
		t.exp += readExponent(s[i+1:])
	}
	if digits > manDigits {
		t.cutTo19(s[first:last], digits)
	}
	return t
}

// cutTo19 parses s again if s contains too many digits for man after the leading zeros. s consists
// of digits and possibly a point. The argument `digits` is the number of digits.
//
//go:noinline
func (t *text) cutTo19(s []byte, digits int) {
	i := 0
	for ; i < len(s) && (s[i] == '0' || s[i] == '.'); i++ {
		if s[i] == '0' {
			digits--
		}
	}
	if digits <= manDigits {
		return
	}
	t.cut = true
	t.exp += int64(digits - manDigits)
	t.man = 0
	for n := 0; n < manDigits; i++ {
		if s[i] != '.' {
			t.man = t.man*10 + uint64(s[i]-'0')
			n++
		}
	}
}

// readExponent parses the digits of s, after an optional sign.
func readExponent(s []byte) (e int64) {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	for _, c := range s {
		if e < 1<<40 { // no text has so many digits
			e = e*10 + int64(c-'0')
		}
	}
	if neg {
		return -e
	}
	return e
}

// readDigits reads the digits at s[i:] and appends them to the decimal digits of the number man. It
// returns the resulting number and the index after the digits. If there are too many digits, the
// number overflows.
func readDigits(s []byte, i int, man uint64) (uint64, int) {
	for i+8 <= len(s) {
		w := mem.Load64(s, i)
		n := digitsOf(w)
		if n < 8 {
			return man*tens[n] + valueOf(w, n), i + n
		}
		man = man*1e8 + valueOf8(w-zeros)
		i += 8
	}
	if len(s) < 8 {
		for ; i < len(s) && s[i]-'0' < 10; i++ {
			man = man*10 + uint64(s[i]-'0')
		}
		return man, i
	}
	if i == len(s) {
		return man, i
	}
	// Fewer than 8 bytes are left. They are the upper bytes of the last word of s. The shift moves
	// them down, and zero bytes follow them.
	w := mem.Load64(s, len(s)-8) >> (uint(8-(len(s)-i)) * 8 & 63)
	n := digitsOf(w)
	return man*tens[n] + valueOf(w, n), i + n
}

var tens = [8]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

// digitsOf returns the number of digits in w before the first byte that is not a digit, starting
// with the lowest byte. Carries from that byte into higher bytes do not affect the result.
func digitsOf(w uint64) int {
	return bits.TrailingZeros64(((w+0x4646464646464646)|(w-zeros))&0x8080808080808080) >> 3
}

// valueOf returns the number that the first n digits of w form. n must be less than 8.
func valueOf(w uint64, n int) uint64 {
	return valueOf8((w - zeros) << 1 << (uint(63-n*8) & 63)) // with zeros before the digits
}

// valueOf8 returns the number that the eight bytes of w form as decimal digits. The bytes have the
// values 0 to 9, and the first digit is in the lowest byte. First, valueOf8 combines the digits to
// four pairs. Then it multiplies each pair by its power of 100, and adds the products in the upper
// half of the word.
func valueOf8(w uint64) uint64 {
	w = w*10 + w>>8
	return (w&0x000000ff000000ff*(1000000<<32|100) + w>>16&0x000000ff000000ff*(10000<<32|1)) >> 32
}
