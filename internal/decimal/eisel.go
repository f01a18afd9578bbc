package decimal

import (
	"math"
	"math/bits"
)

// Digits and a power of ten into the nearest float, after Eisel and Lemire.
//
// The digits w, shifted until their first bit is set, times the 128 bits of 10ᵉ, are a number of
// 191 or 192 bits, of which the upper 128 are computed:
//
//	hi                                                   lo
//	┌ 53 bits of the float ┬ half ┬ 9 or 10 bits ┐ ┌ 64 bits ┐
//
// Since the power is only as exact as 128 bits allow, these may be off by less than 1 in lo, before
// the rest is cut off. They are cut off after the half, and what is left is rounded; this could go
// wrong if w·10ᵉ itself were on the other side of such a cut. It never is, for any w of 64 bits and
// any power in the table: w·10ᵉ lies on a cut, or at least 1 away from all. Mushtak and Lemire
// proved that no fallback is needed; TestNothingIsNear shows it for our table.
//
// On a cut, w·10ᵉ may be in the middle between two floats. Then lo is 0; and where w·10ᵉ can be on
// a cut, the power is so exact that lo is not 0 beside it.

// Float64 is the float64 nearest to man·10^exp10, the even one of two, and negative if neg. It is
// ±Inf and false if that is out of range; what is too small is 0 and in range.
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
	c := hi >> ((9 + top) & 63) // and the bit of the half
	if lo == 0 && c&3 == 1 && c<<((9+top)&63) == hi && exp10 >= firstExact && exp10 <= lastExact {
		c-- // in the middle: to the even one below
	}
	// The first bit of c adds one to the exponent; so does rounding up to the next power of two.
	u := uint64(biased-1)<<52 + (c+c&1)>>1
	return math.Float64frombits(u | sign), true
}

// Float32 is the float32 nearest to man·10^exp10, as Float64. It is not rounded twice, as a
// converted float64 would be.
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

// product is the upper 128 bits of man, shifted left until its first bit is set, times the power;
// and by how much it was shifted.
func product(man uint64, power *power) (hi, lo uint64, lead int) {
	lead = bits.LeadingZeros64(man)
	man <<= uint(lead) & 63
	hi, lo = bits.Mul64(man, power.hi)
	mid, _ := bits.Mul64(man, power.lo)
	lo, carry := bits.Add64(lo, mid, 0)
	hi, _ = bits.Add64(hi, 0, carry)
	return hi, lo, lead
}

// outside is the bits of what needs no product: 0, what is so small, or what is so large.
//
//go:noinline
func outside(man uint64, exp10 int, inf uint64) (u uint64, inRange bool) {
	if man == 0 || exp10 < 0 {
		return 0, true
	}
	return inf, false
}

// edge rounds to a float of any biased exponent, of a format whose fraction is so many bits wide
// and whose infinity has the exponent inf. Nothing that comes here lies in the middle between two
// floats: that is possible from 10⁻²⁷ to 10²³, to 10¹⁰ for a float32, and 64 bits times these are
// no subnormal numbers, nor as large as the largest.
//
//go:noinline
func edge(hi uint64, biased, width, inf int) (u uint64, inRange bool) {
	drop := 63 - width - 1 + int(hi>>63) // bits of hi
	if biased < 1 {
		drop += 1 - biased
		biased = 1
	}
	if drop > 64 {
		return 0, true // below half of the least
	}
	c := hi >> uint(drop)
	c += hi << uint(64-drop) >> 63 // the half
	u = uint64(biased-1)<<uint(width) + c
	if limit := uint64(inf) << uint(width); u >= limit {
		return limit, false
	}
	return u, true
}
