package decimal

import (
	"math/big"
	"math/bits"
	"testing"
)

// These tests prove that 128 bits of each power of ten are enough. The proof depends on numbers
// that no random test would find. Their product with a power of ten is the nearest to a point where
// the result changes. The tests compute these numbers for each power, like the proofs in the
// papers.

// power10 returns 10ᵉ·2^s as a fraction.
func power10(e, s int) (num, den *big.Int) {
	num, den = big.NewInt(1), big.NewInt(1)
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
	if e >= 0 {
		num.Mul(num, ten)
	} else {
		den.Mul(den, ten)
	}
	if s >= 0 {
		num.Lsh(num, uint(s))
	} else {
		den.Lsh(den, uint(-s))
	}
	gcd := new(big.Int).GCD(nil, nil, num, den)
	return num.Div(num, gcd), den.Div(den, gcd)
}

// nearest returns the smallest distance, other than 0, between a multiple of m and a number x·a
// with 1 ≤ x ≤ most. x·a can be below or above the multiple.
//
// The search for ever smaller distances works like Euclid's algorithm. x·a = low mod m is the
// nearest from above so far, and y·a = -high mod m is the nearest from below. Only by adding the
// multiplier of the nearer one to the multiplier of the farther one can the search find a smaller
// distance.
func nearest(a, m, most *big.Int) *big.Int {
	low, high := new(big.Int).Mod(a, m), new(big.Int).Set(m)
	if low.Sign() == 0 {
		return high // all are multiples
	}
	x, y := big.NewInt(1), big.NewInt(0)
	times, room := new(big.Int), new(big.Int)
	for {
		near, far, by, at := low, high, x, y
		switch low.Cmp(high) {
		case 0:
			return low // all distances are multiples of low
		case 1:
			near, far, by, at = high, low, y, x
		}
		// times is the number of times that near can be subtracted from far without reaching 0. It
		// is limited to the number of times that the multiplier `by` can be added to the multiplier
		// `at` without exceeding `most`.
		times.Sub(far, big.NewInt(1)).Div(times, near)
		if room.Sub(most, at).Sign() <= 0 {
			return near
		}
		if room.Div(room, by).Cmp(times) < 0 {
			times.Set(room)
		}
		if times.Sign() == 0 {
			return near
		}
		far.Sub(far, room.Mul(times, near))
		at.Add(at, room.Mul(times, by))
	}
}

// nearest returns the same distance as a search through all x.
func TestNearestByTrying(t *testing.T) {
	for m := int64(1); m < 60; m++ {
		for a := int64(1); a < 80; a += 3 {
			want := m
			for x := int64(1); x < 70; x++ {
				if r := x * a % m; r != 0 {
					want = min(want, r, m-r)
				}
				if got := nearest(big.NewInt(a), big.NewInt(m), big.NewInt(x)); got.Int64() != want {
					t.Fatalf("up to %d times %d comes as near as %d to multiples of %d, not %v", x, a, want, m, got)
				}
			}
		}
	}
}

// firstMultiple returns the smallest x for which x·a is a multiple of m.
func firstMultiple(a, m *big.Int) *big.Int {
	return new(big.Int).Div(m, new(big.Int).GCD(nil, nil, a, m))
}

// TestNothingIsNear proves the assumption of eisel.go. Consider the product of a number of up to 64
// bits and a power of ten, in units of lo. It is a multiple of 2⁷³, or at least 1 away from all
// multiples. If hi begins with a zero, the multiples of 2⁷³ are the cuts after a float64 and after
// its bit "half". If hi begins with a one, or for a float32 or a subnormal, the cuts are multiples
// of a larger power of two. These are also multiples of 2⁷³.
func TestNothingIsNear(t *testing.T) {
	most := new(big.Int).SetUint64(1<<64 - 1)
	for e := firstPower; e <= lastPower; e++ {
		num, den := power10(e, 63-log2of10(e))
		cut := new(big.Int).Lsh(den, 73)
		if near := nearest(num, cut, most); near.Cmp(den) < 0 {
			t.Errorf("10^%d: something is as near as %v/%v", e, near, den)
		}
		if x := firstMultiple(num, cut); x.Cmp(most) <= 0 && (e < firstExact || e > lastExact) {
			t.Errorf("10^%d: %v times it is a multiple", e, x)
		}
	}
}

// TestQuartersAreRight proves the assumption of careful.go. The error of the computed product of a
// power and a number of quarters is less than 1/16 of lo. The product is then cut off. Let v be
// four times a float c·2^q, or four times one of its midpoints, in units of lo. Then v must be a
// multiple of 2⁶⁴, or more than 1/16 away from every multiple. Otherwise the multiple could lie
// between the exact and the computed product. For powers with which v can be a multiple, other
// values of v must be more than 17/16 away. Otherwise their product could look like a multiple.
func TestQuartersAreRight(t *testing.T) {
	most := big.NewInt(1<<54 + 1) // pairs of quarters
	check := func(q, k int, near, den *big.Int) {
		far := int64(1)
		if -k >= firstExact && -k <= lastExact {
			far = 17
		}
		if new(big.Int).Lsh(near, 4).Cmp(new(big.Int).Mul(den, big.NewInt(far))) <= 0 {
			ratio, _ := new(big.Rat).SetFrac(near, den).Float64()
			t.Errorf("2^%d in 10^%d: something is as near as %v", q, k, ratio)
		}
		if shift := q + log2of10(-k) + 1; shift < 1 || shift > 4 {
			t.Errorf("2^%d in 10^%d: shift %d", q, k, shift)
		}
	}
	for q := -1074; q <= 971; q++ {
		k := log10of2(q)
		num, den := power10(-k, q+65)
		cut := new(big.Int).Lsh(den, 64)
		check(q, k, nearest(num, cut, most), den)
		if x := firstMultiple(num, cut); x.Cmp(most) <= 0 && (-k < firstExact || -k > lastExact) {
			t.Errorf("2^%d in 10^%d: %v of it are a multiple", q, k, x)
		}
		// This is a power of two, of a float64 or a float32, whose neighbour below is nearer than
		// the one above.
		k = log10of3over4(q)
		num, den = power10(-k, q+64)
		cut = new(big.Int).Lsh(den, 64)
		for _, quarters := range []int64{1<<54 - 1, 1 << 54, 1<<54 + 2, 1<<25 - 1, 1 << 25, 1<<25 + 2} {
			r := new(big.Int).Mul(num, big.NewInt(quarters))
			if r.Mod(r, cut).Sign() == 0 {
				if -k < firstExact || -k > lastExact {
					t.Errorf("2^%d in 10^%d: %d quarters are a multiple", q, k, quarters)
				}
				continue
			}
			check(q, k, r, den)
			check(q, k, r.Sub(cut, r), den)
		}
	}
}

// The logarithms, and the units derived from them, are consistent with the powers themselves.
func TestLogarithms(t *testing.T) {
	one := big.NewRat(1, 1)
	fraction := func(num, den *big.Int) *big.Rat { return new(big.Rat).SetFrac(num, den) }
	for e := -642; e <= 642; e++ {
		// 1 ≤ 10ᵉ/2ˡ < 2
		if r := fraction(power10(e, -log2of10(e))); r.Cmp(one) < 0 || r.Cmp(big.NewRat(2, 1)) >= 0 {
			t.Errorf("log2 of 10^%d", e)
		}
	}
	for e := -1334; e <= 1334; e++ {
		// 1 ≤ 2ᵉ/10ˡ < 10
		if r := fraction(power10(-log10of2(e), e)); r.Cmp(one) < 0 || r.Cmp(big.NewRat(10, 1)) >= 0 {
			t.Errorf("log10 of 2^%d", e)
		}
		if r := fraction(power10(-log10of3over4(e), e)); r.Cmp(big.NewRat(4, 3)) < 0 || r.Cmp(big.NewRat(40, 3)) >= 0 {
			t.Errorf("log10 of ¾·2^%d", e)
		}
	}
	for _, format := range []struct{ bias, most int }{{1075, 2046}, {150, 254}} {
		for biased := 1; biased <= format.most; biased++ {
			index, shift := unit(biased, format.bias)
			if index < 0 || index >= len(powers) || shift < 0 || shift > 3 {
				t.Fatalf("2^%d: power %d, shift %d", biased-format.bias, index, shift)
			}
			// 1/10 ≤ 2^q/10ᵏ < 1, and shift gives the position of the first bit of this fraction
			r := fraction(power10(index+firstPower, biased-format.bias))
			if r.Cmp(big.NewRat(1, 10)) < 0 || r.Cmp(one) >= 0 {
				t.Errorf("2^%d: the unit is 10^%d", biased-format.bias, -index-firstPower)
			}
			r.Mul(r, big.NewRat(1<<(1+shift), 1))
			if r.Cmp(one) < 0 || r.Cmp(big.NewRat(2, 1)) >= 0 {
				t.Errorf("2^%d: shift %d", biased-format.bias, shift)
			}
		}
	}
}

// Each entry of the table equals its power of ten.
func TestPowers(t *testing.T) {
	for e := firstPower; e <= lastPower; e++ {
		num, den := power10(e, 127-log2of10(e))
		want, rest := new(big.Int).QuoRem(num, den, new(big.Int))
		if e < 0 && rest.Sign() != 0 {
			want.Add(want, big.NewInt(1))
		}
		if exact := rest.Sign() == 0; exact != (e >= 0 && e <= lastExact) {
			t.Errorf("10^%d is exact: %v", e, exact)
		}
		g := powers[e-firstPower]
		got := new(big.Int).SetUint64(g.hi)
		got.Lsh(got, 64).Or(got, new(big.Int).SetUint64(g.lo))
		if got.Cmp(want) != 0 || bits.Len64(g.hi) != 64 {
			t.Errorf("10^%d is %x, want %x", e, got, want)
		}
	}
}
