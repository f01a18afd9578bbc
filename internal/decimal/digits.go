package decimal

import "math/bits"

// zeros consists of eight bytes '0'. The sum of zeros and a word whose bytes have the values 0 to 9
// is the text of these digits.
const zeros = 0x3030303030303030

// eight returns the eight digits of v, one digit per byte, with the first digit in the lowest byte.
// v must be less than 10⁸. Each step splits every lane into a quotient and a remainder. The first
// step replaces v = 10⁴·q + r by q + r<<32, which equals v<<32 - q·(10⁴<<32 - 1). The next steps do
// the same with 10² and 10. To compute a quotient, the lane is multiplied by a reciprocal that is
// rounded up. The result is exact, because a lane has only few bits.
func eight(v uint64) uint64 {
	q := v * 109951163 >> 40
	v = v<<32 - q*(10000<<32-1)
	q = v * 10486 >> 20 & 0x0000007f0000007f
	v = v<<16 - q*(100<<16-1)
	q = v * 103 >> 10 & 0x000f000f000f000f
	return v<<8 - q*(10<<8-1)
}

// pairs contains the numbers below 100 as text with two digits. The first digit is in the lower
// byte.
var pairs = func() (t [100]uint16) {
	for i := range t {
		t[i] = uint16('0'+i/10) | uint16('0'+i%10)<<8
	}
	return t
}()

// leadingZeros returns the number of bits of w that belong to leading zeros. w must be a result of
// the function `eight`. The last digit never counts as a leading zero.
func leadingZeros(w uint64) int { return bits.TrailingZeros64(w|1<<56) &^ 7 }

// trimmed returns the text of w without leading zeros, and the length of the text. w must be a
// result of the function `eight`.
func trimmed(w uint64) (text uint64, length int) {
	skip := leadingZeros(w)
	return (w + zeros) >> (uint(skip) & 63), 8 - skip>>3
}

// significant returns the number of digits in w up to the last digit that is not zero. w must be a
// result of the function `eight`.
func significant(w uint64) int { return (bits.Len64(w) + 7) >> 3 }
