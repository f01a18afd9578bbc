package decimal

//go:generate go run gen.go

// power is a whole number G of 128 bits whose first bit is set. The product of G and some power of
// two is as near to a power of ten as 128 bits allow.
type power struct{ hi, lo uint64 }

// The product of a 64-bit number and 10ᵉ can be a whole number, or a whole number plus one half,
// only if firstExact ≤ e ≤ lastExact. For these exponents, 5⁻ᵉ is a divisor of less than 64 bits,
// or 5ᵉ fits into an entry of the table. If 0 ≤ e ≤ lastExact, the power in the table is exact. If
// e is negative, the power is rounded up. So if the exact product is whole, the computed product is
// slightly too large, and the bits of its fraction are not a long sequence of ones.
const (
	firstExact = -27
	lastExact  = 55
)

// log2of10 returns ⌊log₂ 10ᵉ⌋, for -642 ≤ e ≤ 642. This is the binary exponent of the first bit of
// G.
func log2of10(e int) int { return e * 217706 >> 16 }

// log10of2 returns ⌊log₁₀ 2ᵉ⌋, for -1334 ≤ e ≤ 1334.
func log10of2(e int) int { return e * 315653 >> 20 }

// log10of3over4 returns ⌊log₁₀ ¾·2ᵉ⌋, for -1334 ≤ e ≤ 1334.
func log10of3over4(e int) int { return (e*315653 - 131008) >> 20 }
