package decimal

import (
	"math"
	"math/bits"
)

// This file converts digits and a power of ten to the nearest float, with the algorithm of Eisel
// and Lemire.
//
// The digits w are shifted left until their first bit is set. The product of these digits and the
// 128 bits of 10ᵉ has 191 or 192 bits. Its upper 128 bits are computed:
//
//	hi                                                   lo
//	┌ 53 bits of the float ┬ half ┬ 9 or 10 bits ┐ ┌ 64 bits ┐
//
// The power is only as exact as 128 bits allow. So before its lower bits are cut off, the product
// has an error of less than 1 in the last bit of lo. The product is cut off after the bit "half",
// and the rest is rounded. The result would be wrong if one of these two cuts lay between the
// computed product and the exact number w·10ᵉ. This never happens if w has 64 bits and the power is
// in the table: the number w·10ᵉ lies either on a cut, or at least 1 away from all cuts. Mushtak
// and Lemire proved that no fallback is needed; TestNothingIsNear shows this for the table.
//
// If w·10ᵉ lies on a cut, it may be in the middle between two floats. In this case, lo is 0. For
// exponents at which w·10ᵉ can lie on a cut, the power is so exact that lo is not 0 if w·10ᵉ lies
// next to a cut.

// Float64 returns the float64 nearest to man·10^exp10, negated if neg is true. If two floats are
// equally near, it returns the even one. If the result is out of range, it returns ±Inf and false.
// For a number that is too small, the result is 0, which is in range.
func Float64(man uint64, exp10 int, neg bool) (f float64, inRange bool) {
	sign := uint64(0)
	if neg {
		sign = 1 << 63
	}
	index := uint(exp10 - firstPower)
	if index >= uint(len(powers)) || man == 0 {
		u, ok := outside(man, exp10, 0x7ff<<52)
		return math.Float64frombits(u | sign), ok
	}
	hi, lo, lead := product(man, &powers[index])
	top := hi >> 63
	biased := log2of10(exp10) + 1086 + int(top) - lead
	if uint(biased-1) >= 2045 { // subnormal, or maybe Inf after rounding
		u, ok := edge(hi, biased, 52, 0x7ff)
		return math.Float64frombits(u | sign), ok
	}
	c := hi >> ((9 + top) & 63) // the bits of the float and the bit "half"
	if lo == 0 && c&3 == 1 && c<<((9+top)&63) == hi && exp10 >= firstExact && exp10 <= lastExact {
		c-- // in the middle: round down to the even float
	}
	// The first bit of c adds one to the exponent; so does rounding up to the next power of two.
	u := uint64(biased-1)<<52 + (c+c&1)>>1
	return math.Float64frombits(u | sign), true
}

// Float32 returns the float32 nearest to man·10^exp10, by the same rules as Float64. It rounds only
// once. A conversion from a float64 would round twice.
func Float32(man uint64, exp10 int, neg bool) (f float32, inRange bool) {
	sign := uint32(0)
	if neg {
		sign = 1 << 31
	}
	index := uint(exp10 - firstPower)
	if index >= uint(len(powers)) || man == 0 {
		u, ok := outside(man, exp10, 0xff<<23)
		return math.Float32frombits(uint32(u) | sign), ok
	}
	hi, lo, lead := product(man, &powers[index])
	top := hi >> 63
	biased := log2of10(exp10) + 190 + int(top) - lead
	if uint(biased-1) >= 253 {
		u, ok := edge(hi, biased, 23, 0xff)
		return math.Float32frombits(uint32(u) | sign), ok
	}
	c := hi >> ((38 + top) & 63)
	if lo == 0 && c&3 == 1 && c<<((38+top)&63) == hi && exp10 >= firstExact && exp10 <= lastExact {
		c--
	}
	u := uint32(biased-1)<<23 + uint32((c+c&1)>>1)
	return math.Float32frombits(u | sign), true
}

// product shifts the number `man` left until its first bit is set. It multiplies the shifted number
// by the power, and returns the upper 128 bits of the product. The result `lead` is the number of
// bits by which it has shifted.
func product(man uint64, power *power) (hi, lo uint64, lead int) {
	lead = bits.LeadingZeros64(man)
	man <<= uint(lead) & 63
	hi, lo = bits.Mul64(man, power.hi)
	mid, _ := bits.Mul64(man, power.lo)
	lo, carry := bits.Add64(lo, mid, 0)
	hi, _ = bits.Add64(hi, 0, carry)
	return hi, lo, lead
}

// outside returns the bits of a result that needs no product. The result is 0 if man is 0 or the
// number is far too small. Otherwise it is infinity.
//
//go:noinline
func outside(man uint64, exp10 int, inf uint64) (u uint64, inRange bool) {
	if man == 0 || exp10 < 0 {
		return 0, true
	}
	return inf, false
}

// edge rounds hi to a float with any biased exponent. The argument `width` is the number of bits in
// the format's fraction, and `inf` is the exponent of infinity in the format. The number never lies
// in the middle between two floats. The middle is possible only with powers from 10⁻²⁷ to 10²³ (to
// 10¹⁰ for a float32). The products of these powers and a 64-bit number are neither subnormal nor
// as large as the largest float.
//
//go:noinline
func edge(hi uint64, biased, width, inf int) (u uint64, inRange bool) {
	drop := 63 - width - 1 + int(hi>>63) // number of low bits of hi to drop
	if biased < 1 {
		drop += 1 - biased
		biased = 1
	}
	if drop > 64 {
		return 0, true // below half of the smallest float
	}
	c := hi >> uint(drop)
	c += hi << uint(64-drop) >> 63 // round according to the bit "half"
	u = uint64(biased-1)<<uint(width) + c
	if limit := uint64(inf) << uint(width); u >= limit {
		return limit, false
	}
	return u, true
}
