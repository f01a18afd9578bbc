package decimal

//go:generate go run gen.go

// power is G, a whole number of 128 bits whose first is set, for which G·2ˢ is as near to a power
// of ten as 128 bits allow.
type power struct{ hi, lo uint64 }

// A product of 64 bits and a power of ten can be a whole number, or one and a half, from
// 10^firstExact to 10^lastExact: there 5⁻ᵉ is a divisor of less than 64 bits, or 5ᵉ fits the table.
// From 10⁰ on the powers are exact then; below they are rounded up, so that what should be whole
// comes out a tiny bit above, not as a long row of ones.
const (
	firstExact = -27
	lastExact  = 55
)

// log2of10 is ⌊log₂ 10ᵉ⌋, for -642 ≤ e ≤ 642: the binary exponent of the first bit of G.
func log2of10(e int) int { return e * 217706 >> 16 }

// log10of2 is ⌊log₁₀ 2ᵉ⌋, for -1334 ≤ e ≤ 1334.
func log10of2(e int) int { return e * 315653 >> 20 }

// log10of3over4 is ⌊log₁₀ ¾·2ᵉ⌋, for the same.
func log10of3over4(e int) int { return (e*315653 - 131008) >> 20 }
