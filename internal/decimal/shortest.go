package decimal

import (
	"math"
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// This file finds the shortest digits of a float c·2^q.
//
// All numbers within the distance h = ½·2^q are nearer to the float than to its neighbours. The
// result is one of these numbers, with the fewest digits. The numbers are expressed in units of
// 10ᵏ. The exponent k is chosen so that 2^q is at least a tenth of a unit and less than one unit.
// Then the numbers form the interval
//
//	m+f - h < … < m+f + h,  m whole,  0 ≤ f < 1,  1/20 ≤ h < 1/2
//
// At most one of these numbers is whole: m if f < h, or m+1 if 1-f < h. A whole number is the
// result, without its trailing zeros. If no number is whole, the result needs tenths: the tenth
// that is nearest to m+f is no farther away than h.
//
// So one product is enough: the product of c and the 128 bits of 10⁻ᵏ. Its upper part is m, its
// lower part is f, and h depends only on the power. Giulietti computes one product for m+f, and one
// product for each end of the interval. Jeon observed that h needs no product.
//
// The computed numbers have a tiny error. The code in careful.go handles the floats for which the
// result could depend on this error. It also handles powers of two. Their interval is not
// symmetric, because the neighbour below is nearer. For all other floats, no branch depends on the
// values of digits, because a processor cannot predict such a branch.
//
// For each size of float, one function contains all of this code. When the layout of the digits was
// a separate function, the conversion took 7 % longer.

// unit returns the unit 10ᵏ for floats with the given biased exponent, in the form of the index of
// 10⁻ᵏ in powers. Expressed in this unit, 2^q is a fraction with 128 bits after the point. These
// bits are the entry in the table, shifted right by the result `shift`, which is from 0 to 3.
func unit(biased, bias int) (index, shift int) {
	// -k is ⌊-q·log₁₀2⌋, or one less if q is 0, because the product is then whole. In this form,
	// the compiler can prove that the index is within bounds.
	index = (bias*315653 - 1 - firstPower<<20 - biased*315653) >> 20
	return index, bias - biased - 1 - log2of10(index+firstPower)
}

// PutFloat64 writes f at b[n:] in the same form as AppendFloat64. FloatRoom bytes must be available
// there. It returns the offset after f.
func PutFloat64(b []byte, n int, f float64) int {
	u := math.Float64bits(f)
	mem.Store8(b, n, '-') // overwritten if f is not negative
	n += int(u >> 63)
	c := u<<11 | 1<<63
	biased := int(u>>52) & 0x7ff
	if e := uint(biased - 1023); e < 52 {
		if u<<((e+12)&63) == 0 { // no bits after the point
			return PutUint(b, n, c>>((63-e)&63))
		}
	} else if biased == 0 || u<<12 == 0 {
		return careful64(b, n, f)
	}
	index, shift := unit(biased, 1075)
	power := &powers[index]
	c >>= uint(8+shift) & 63 // eight times as large as for a product whose upper half is m
	hi, lo := bits.Mul64(c, power.hi)
	mid, _ := bits.Mul64(c, power.lo)
	lo, carry := bits.Add64(lo, mid, 0)
	hi, _ = bits.Add64(hi, 0, carry)
	m, f64 := hi>>3, hi<<61|lo>>3 // f in 2⁻⁶⁴
	h := power.hi >> (uint(8+shift) & 63) << 7

	// The error of f64 is less than 2, of tenths less than 6, and of h less than 130.
	toM, below := bits.Sub64(f64, h, 0)
	toNext, above := bits.Add64(f64, h, 0)
	below, above = -below, -above // as masks
	tenths := f64>>5*5 + 1<<57    // with 58 bits after the point, rounded
	if toM+256 <= 512 || toNext+256 <= 512 || tenths<<6+512 <= 1024 {
		return careful64(b, n, f)
	}
	m -= above
	last := tenths >> 58 &^ (below | above)
	point := 16 - firstPower - index
	if more := m*10 + last; m < 1e15 {
		m, last = more, 0
		point--
	}

	// m has 16 digits, last is the seventeenth.
	high := m / 1e8
	low := m - high*1e8
	w1, w2, end := eight(high), uint64(0), 0
	if low != 0 {
		w2 = eight(low)
		end = 8 + significant(w2)
	} else {
		end = significant(w1)
	}
	if last != 0 {
		end = 17
	}
	if uint(point-1) < 8 { // as in layout; f is not whole here
		mem.Store64(b, n, w1+zeros)
		mem.Store64(b, n+point+1, (w1+zeros)>>(uint(point)*8&63))
		mem.Store8(b, n+point, '.')
		mem.Store64(b, n+9, w2+zeros)
		mem.Store8(b, n+17, byte(last+'0'))
		return n + end + 1
	}
	if uint(point+5) < 6 {
		mem.Store64(b, n, zeroPoint)
		n += 2 - point
		mem.Store64(b, n, w1+zeros)
		mem.Store64(b, n+8, w2+zeros)
		mem.Store8(b, n+16, byte(last+'0'))
		return n + end
	}
	return layout(b, n, w1+zeros, w2+zeros, byte(last+'0'), end, point)
}

// PutFloat32 writes f at b[n:] in the same form as AppendFloat32. FloatRoom bytes must be available
// there. It returns the offset after f. It works like PutFloat64, but computes 9 digits instead of
// 17. For 9 digits, 64 bits of the power of ten are enough.
func PutFloat32(b []byte, n int, f float32) int {
	u := uint64(math.Float32bits(f))
	mem.Store8(b, n, '-')
	n += int(u >> 31)
	c := u&(1<<23-1) | 1<<23
	biased := int(u>>23) & 0xff
	if e := uint(biased - 127); e < 24 {
		if c<<((e+40)&63)<<1 == 0 {
			return PutUint(b, n, c>>((23-e)&63))
		}
	} else if biased == 0 || u<<41 == 0 {
		return careful32(b, n, f)
	}
	index, shift := unit(biased, 150)
	power := powers[index].hi >> (uint(shift) & 63)
	m, f64 := bits.Mul64(c, power)
	h := power >> 1

	// The error of f64 is less than 2²⁵, of tenths less than 2²³, and of h less than 2.
	toM, below := bits.Sub64(f64, h, 0)
	toNext, above := bits.Add64(f64, h, 0)
	below, above = -below, -above
	tenths := f64>>5*5 + 1<<57
	if toM+1<<26 <= 1<<27 || toNext+1<<26 <= 1<<27 || tenths<<6+1<<30 <= 1<<31 {
		return careful32(b, n, f)
	}
	last := tenths >> 58 &^ (below | above)
	w := eight(m - above)
	skip := leadingZeros(w) // 0 to 16
	point := 8 - firstPower - index - skip>>3
	w = w>>(uint(skip)&63) | last<<1<<(uint(63-skip)&63) // no part of last if skip is 0
	end := significant(w)
	if skip != 0 {
		last = 0
	}
	if last != 0 {
		end = 9
	}
	if uint(point-1) < 7 { // f is not whole here
		mem.Store64(b, n, w+zeros)
		mem.Store64(b, n+point+1, (w+zeros)>>(uint(point)*8&63))
		mem.Store8(b, n+point, '.')
		mem.Store8(b, n+9, byte(last+'0'))
		return n + end + 1
	}
	if uint(point+5) < 6 {
		mem.Store64(b, n, zeroPoint)
		n += 2 - point
		mem.Store64(b, n, w+zeros)
		mem.Store8(b, n+8, byte(last+'0'))
		return n + end
	}
	return layout(b, n, w+zeros, last+zeros, '0', end, point)
}
