package decimal

import (
	"math/bits"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// ParseFloat64 is the float64 nearest to the number s, which the caller has checked to be one in
// the grammar of JSON. It is ±Inf and false if that is out of range; what is too small is 0 and in
// range.
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

// ParseFloat32 is the float32 nearest to the number s, as ParseFloat64. It is not rounded twice.
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

// text is man·10^exp; or if digits were cut off, that or more, up to (man+1)·10^exp.
type text struct {
	man uint64
	exp int64
	neg bool
	cut bool
}

// exp10 is exp, or what is as far out of range.
func (t *text) exp10() int { return int(min(max(t.exp, -1<<20), 1<<20)) }

// manDigits is how many digits a uint64 holds, whatever they are.
const manDigits = 19

// read reads a number. Of anything else it gives nothing that makes sense, but it reads within s.
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

// cutTo19 reads so many digits, among which a point may be, once more, if more of them than man can
// hold follow the leading zeros.
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

// readExponent reads the digits of s, after a sign if there is one.
func readExponent(s []byte) (e int64) {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	for _, c := range s {
		if e < 1<<40 { // farther than any text has digits
			e = e*10 + int64(c-'0')
		}
	}
	if neg {
		return -e
	}
	return e
}

// readDigits reads the digits at s[i:] as those that follow man's, and tells where they end. What
// man cannot hold overflows.
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
	// Fewer than 8 bytes are left: the upper ones of the last word of s. What follows them becomes
	// zero bytes.
	w := mem.Load64(s, len(s)-8) >> (uint(8-(len(s)-i)) * 8 & 63)
	n := digitsOf(w)
	return man*tens[n] + valueOf(w, n), i + n
}

var tens = [8]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

// digitsOf is how many of the bytes of w are digits, from the lowest on. Of the bytes that are none
// the lowest is found; what is carried into others from it does not matter.
func digitsOf(w uint64) int {
	return bits.TrailingZeros64(((w+0x4646464646464646)|(w-zeros))&0x8080808080808080) >> 3
}

// valueOf is the number that the first n < 8 digits of w make.
func valueOf(w uint64, n int) uint64 {
	return valueOf8((w - zeros) << 1 << (uint(63-n*8) & 63)) // zeros before them
}

// valueOf8 is the number that eight digits of value 0 to 9 make, the first of which is in the
// lowest byte: pairs of them first, then the four pairs, each times its power of hundred, summed up
// in the upper half.
func valueOf8(w uint64) uint64 {
	w = w*10 + w>>8
	return (w&0x000000ff000000ff*(1000000<<32|100) + w>>16&0x000000ff000000ff*(10000<<32|1)) >> 32
}
