package decimal

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// careful64 is PutFloat64 for any finite f, without its sign.
//
//go:noinline
func careful64(b []byte, n int, f float64) int {
	u := math.Float64bits(f)
	fraction, biased := u&(1<<52-1), int(u>>52)&0x7ff
	return careful(b, n, fraction, biased, 52, 1075)
}

// tied32 is 2⁻¹², 0.000244140625: the only float32 that lies in the middle of two shortest decimals
// and has a nearer neighbour below. Giulietti's algorithm takes the even one, which ends in 62. Go
// 1.26 takes the other, since it looks for this number at the exponent of its twin among the
// float64s, 2⁻²⁵. We write what the running Go writes.
const tied32 = (127 - 12) << 23

// careful32 is PutFloat32 for any finite f, without its sign.
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

// careful writes the float with the given fields, of a format whose fraction is so many bits wide
// and whose exponent has the bias.
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

// shortest gives the shortest digits of c·2^q as digits·10ᵏ, maybe with zeros at their end. The
// neighbour below is only half as far away as the one above if it is nearer.
//
// This is Giulietti's algorithm: the unit 10ᵏ is at most 2^q (at most ¾·2^q if nearer), and less
// than ten units are as much, so that the interval holds a whole number of units, and at most one
// multiple of ten of them.
func shortest(c uint64, q int, nearer bool) (digits uint64, k int) {
	k = log10of2(q)
	left := 4*c - 2
	if nearer {
		k = log10of3over4(q)
		left = 4*c - 1
	}
	power := &powers[-k-firstPower]
	shift := uint(q+log2of10(-k)+1) & 63 // 1 to 4

	// In quarters of a unit. The ends belong to the interval if c is even.
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

// quarters is c times the power of ten, in 2⁻¹²⁸, as a whole number; or if it is not one, then the
// odd one of those beside it. Such a number compares with all even ones as the product itself does.
// It cannot be whole if broken is 1.
func quarters(power *power, c, broken uint64) uint64 {
	hi, lo := bits.Mul64(c, power.hi)
	mid, _ := bits.Mul64(c, power.lo)
	lo, carry := bits.Add64(lo, mid, 0)
	if lo != 0 {
		broken = 1
	}
	return hi + carry | broken
}
