package decimal

import "math/bits"

// zeros are eight digits '0': added to eight digits of value 0 to 9 they make text.
const zeros = 0x3030303030303030

// eight spreads v < 10⁸ to its eight digits, one a byte, the first in the lowest. Each step halves
// every lane into a quotient and a remainder: v = 10⁴·q + r becomes q + r<<32, which is v<<32 -
// q·(10⁴<<32 - 1), then likewise for 10² and 10. The quotients are products with a reciprocal
// rounded up, exact for the few bits of a lane.
func eight(v uint64) uint64 {
	q := v * 109951163 >> 40
	v = v<<32 - q*(10000<<32-1)
	q = v * 10486 >> 20 & 0x0000007f0000007f
	v = v<<16 - q*(100<<16-1)
	q = v * 103 >> 10 & 0x000f000f000f000f
	return v<<8 - q*(10<<8-1)
}

// pairs are the numbers below 100 as text of two digits, the first in the lower byte.
var pairs = func() (t [100]uint16) {
	for i := range t {
		t[i] = uint16('0'+i/10) | uint16('0'+i%10)<<8
	}
	return t
}()

// leadingZeros is how many bits of w, made by eight, hold zeros before the first other digit; the
// last digit is none of them.
func leadingZeros(w uint64) int { return bits.TrailingZeros64(w|1<<56) &^ 7 }

// trimmed is the text of w, made by eight, without leading zeros, and how long it is.
func trimmed(w uint64) (text uint64, length int) {
	skip := leadingZeros(w)
	return (w + zeros) >> (uint(skip) & 63), 8 - skip>>3
}

// significant is how many digits of w, made by eight, there are up to the last that is not zero.
func significant(w uint64) int { return (bits.Len64(w) + 7) >> 3 }
