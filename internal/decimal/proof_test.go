package decimal

import (
	"math/big"
	"math/bits"
	"testing"
)

// That 128 bits of a power are enough rests on numbers that no random test would find: those whose
// product with a power of ten comes nearest to a point where the outcome changes. They are computed
// here for each power, in the manner of the proofs in the papers.

// power10 is 10ᵉ·2^s as a fraction.
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

// nearest gives how near a multiple x·a, 1 ≤ x ≤ most, comes to a multiple of m without being one;
// from below or from above.
//
// The multiples that come nearer than all before are found as in Euclid's algorithm: of the nearest
// from above, x·a = low mod m, and the nearest from below, y·a = -high mod m, the farther one can
// only be bettered by adding the other's multiplier to it.
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
			return low // all are multiples of it
		case 1:
			near, far, by, at = high, low, y, x
		}
		// So often can near be taken from far, without reaching 0; so often can by be added to at.
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

// TestNearestByTrying holds nearest against trying all.
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

// firstMultiple is the least x of which x·a is a multiple of m.
func firstMultiple(a, m *big.Int) *big.Int {
	return new(big.Int).Div(m, new(big.Int).GCD(nil, nil, a, m))
}

// TestNothingIsNear shows what eisel.go relies on: the product of up to 64 bits and a power of ten
// is a multiple of 2⁷³, in units of lo, or at least 1 away from any. Multiples of 2⁷³ are where the
// bits of a float64 and of its half are cut off, if hi begins with a zero. If it begins with a one,
// or for a float32 or a subnormal, it is multiples of more, which are among these.
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

// TestQuartersAreRight shows what careful.go relies on. The product of a power and quarters is less
// than 1/16 of lo too small or too large, then cut off. Four times a float c·2^q and its middles
// must be, in units of lo, multiples of 2⁶⁴, or more than 1/16 away from any, lest they come out on
// its other side; more than 17/16 where they can be multiples, lest they come out as one.
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
		// A power of two, of a float64 and of a float32, with a nearer neighbour below.
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

// TestLogarithms holds the logarithms, and the units that follow from them, against the powers
// themselves.
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
			// 1/10 ≤ 2^q/10ᵏ < 1, and its first bit is where shift says
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

// TestPowers holds each entry of the table against the power.
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
