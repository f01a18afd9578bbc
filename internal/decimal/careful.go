package decimal

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// careful64 is like PutFloat64 for any finite f, but does not write the sign.
//
//go:noinline
func careful64(b []byte, n int, f float64) int {
	u := math.Float64bits(f)
	fraction, biased := u&(1<<52-1), int(u>>52)&0x7ff
	return careful(b, n, fraction, biased, 52, 1075)
}

// tied32 represents 2⁻¹², 0.000244140625. It is the only float32 that lies in the middle between
// two shortest decimals and whose neighbour below is nearer than its neighbour above. Giulietti's
// algorithm chooses the even decimal, which ends in 62. Go 1.26 chooses the other decimal, because
// it checks for this case at the exponent 2⁻²⁵, which belongs to the corresponding float64.
// careful32 writes the same decimal as the running version of Go.
const tied32 = (127 - 12) << 23

// careful32 is like PutFloat32 for any finite f, but does not write the sign.
//
//go:noinline
func careful32(b []byte, n int, f float32) int {
	u := math.Float32bits(f) &^ (1 << 31)
	if u == tied32 {
		return len(strconv.AppendFloat(b[:n], 0x1p-12, 'f', -1, 32))
	}
	fraction, biased := uint64(u&(1<<23-1)), int(u>>23)&0xff
	return careful(b, n, fraction, biased, 23, 150)
}

// careful writes the float with the given fields. The argument `width` is the number of bits in the
// format's fraction, and `bias` is the bias of the format's exponent.
func careful(b []byte, n int, fraction uint64, biased, width, bias int) int {
	if fraction == 0 && biased == 0 {
		mem.Store8(b, n, '0')
		return n + 1
	}
	c, q := fraction|1<<(width&63), biased-bias
	if biased == 0 {
		c, q = fraction, 1-bias
	}
	d, k := shortest(c, q, fraction == 0 && biased > 1)
	point := 17 + k
	for d < 1e16 {
		d *= 10
		point--
	}
	m := d / 10
	high := m / 1e8
	w1, w2 := eight(high), eight(m-high*1e8)
	end := significant(w1)
	if w2 != 0 {
		end = 8 + significant(w2)
	}
	if d != m*10 {
		end = 17
	}
	return layout(b, n, w1+zeros, w2+zeros, byte(d-m*10+'0'), end, point)
}

// shortest returns the shortest digits of c·2^q as digits·10ᵏ, perhaps with trailing zeros. If
// nearer is true, the neighbour below is only half as far away as the neighbour above.
//
// This is Giulietti's algorithm. The unit 10ᵏ is at most 2^q, or at most ¾·2^q if nearer is true.
// Ten units are more than 2^q or ¾·2^q. So the interval of numbers that round to c·2^q contains a
// whole number of units, and at most one multiple of ten units.
func shortest(c uint64, q int, nearer bool) (digits uint64, k int) {
	k = log10of2(q)
	left := 4*c - 2
	if nearer {
		k = log10of3over4(q)
		left = 4*c - 1
	}
	power := &powers[-k-firstPower]
	shift := uint(q+log2of10(-k)+1) & 63 // 1 to 4

	// The following numbers are in quarters of a unit. The two ends of the interval belong to it if
	// c is even.
	odd, broken := c&1, uint64(0)
	if -k < firstExact || -k > lastExact {
		broken = 1
	}
	lower := quarters(power, left<<shift, broken) + odd
	x := quarters(power, 4*c<<shift, broken)
	upper := quarters(power, (4*c+2)<<shift, broken) - odd

	units := x >> 2
	tens := units / 10 * 10
	switch {
	case lower <= 4*tens:
		return tens, k
	case 4*(tens+10) <= upper:
		return tens + 10, k
	}
	in, nextIn := lower <= 4*units, 4*(units+1) <= upper
	half := 4*units + 2
	if in && (!nextIn || x < half || x == half && units&1 == 0) {
		return units, k
	}
	return units + 1, k
}

// quarters returns c·power·2⁻¹²⁸ as a whole number. If the product is not whole, quarters returns
// the odd one of the two adjacent whole numbers. Comparing this number with any even number gives
// the same result as comparing the product with that even number. If broken is 1, the product
// cannot be whole.
func quarters(power *power, c, broken uint64) uint64 {
	hi, lo := bits.Mul64(c, power.hi)
	mid, _ := bits.Mul64(c, power.lo)
	lo, carry := bits.Add64(lo, mid, 0)
	if lo != 0 {
		broken = 1
	}
	return hi + carry | broken
}
