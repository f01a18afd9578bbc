package decimal

import (
	"math"
	"os"
	"strconv"
	"testing"
)

// TestFloatTexts checks the layout of the texts.
func TestFloatTexts(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "1": 1, "-1": -1, "10": 10, "0.1": 0.1, "-0.25": -0.25, "0.5": 0.5, "123.456": 123.456, "3.141592653589793": math.Pi,
		"0.000001": 1e-6, "9.999999999999997e-7": math.Nextafter(1e-6, 0), "1e-7": 1e-7, "1.5e-9": 1.5e-9, "1e-10": 1e-10,
		"1e+21": 1e21, "999999999999999900000": math.Nextafter(1e21, 0), "100000000000000000000": 1e20, "1e+100": 1e100, "1e-100": 1e-100,
		"9007199254740991": 1<<53 - 1, "9007199254740992": 1 << 53, "9007199254740994": 1<<53 + 2, "12345678901234567000": 12345678901234567890,
		"5e-324": math.SmallestNonzeroFloat64, "1e-323": 1e-323, "2.2250738585072014e-308": 0x1p-1022, "2.225073858507201e-308": 0x1p-1022 - 0x1p-1074,
		"1.7976931348623157e+308": math.MaxFloat64, "123456789.12345679": 123456789.12345679, "4503599627370495.5": 1<<52 - 0.5,
		"-0": math.Copysign(0, -1), "0.0000012345678901234567": 0.0000012345678901234567,
	} {
		if got := string(AppendFloat64(nil, f)); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
	for want, f := range map[string]float32{
		"0": 0, "1": 1, "-1": -1, "0.1": 0.1, "0.5": 0.5, "3.1415927": math.Pi, "0.000001": 1e-6, "1e-7": 1e-7, "9.999999e-7": math.Nextafter32(1e-6, 0),
		"1e+21": 1e21, "999999950000000000000": math.Nextafter32(1e21, 0), "16777216": 1 << 24, "16777218": 1<<24 + 2, "8388607.5": 1<<23 - 0.5,
		"8388609": 1<<23 + 1, "1e-45": math.SmallestNonzeroFloat32, "3e-45": 3e-45, "1.1754944e-38": 0x1p-126, "1.1754942e-38": 0x1p-126 - 0x1p-149,
		"3.4028235e+38": math.MaxFloat32, "33554432": 1 << 25, "-0": float32(math.Copysign(0, -1)), "0.0000012345679": 1.2345679e-6,
	} {
		if got := string(AppendFloat32(nil, f)); got != want {
			t.Errorf("float32 %v: %s, want %s", f, got, want)
		}
	}
}

// TestFloatsBesidePowers checks floats next to powers of two, where the spacing of floats changes,
// and next to powers of ten, where the number of digits changes.
func TestFloatsBesidePowers(t *testing.T) {
	c := checker{t: t}
	for e := -1074; e <= 1023; e++ {
		beside(math.Ldexp(1, e), 5, c.put64)
		beside(math.Ldexp(3, e), 2, c.put64)
	}
	for e := -324; e <= 308; e++ {
		for d := 1; d < 10; d++ {
			f, _ := strconv.ParseFloat(strconv.Itoa(d)+"e"+strconv.Itoa(e), 64)
			beside(f, 20, c.put64)
		}
	}
	beside(math.Ldexp(8887055249355788, 664), 20, c.put64) // of all floats, the nearest to a quarter of a unit
	beside(1<<53, 2000, c.put64)
	beside(1<<52, 2000, c.put64)
	beside(math.MaxFloat64, 2000, c.put64)
	beside(math.SmallestNonzeroFloat64, 2000, c.put64)
	beside(0x1p-1022, 2000, c.put64)
	beside(1e21, 2000, c.put64)
	beside(1e-6, 2000, c.put64)

	for e := -149; e <= 127; e++ {
		beside32(float32(math.Ldexp(1, e)), 40, c.put32)
		beside32(float32(math.Ldexp(3, e)), 40, c.put32)
	}
	for e := -45; e <= 38; e++ {
		for d := 1; d < 10; d++ {
			f, _ := strconv.ParseFloat(strconv.Itoa(d)+"e"+strconv.Itoa(e), 32)
			beside32(float32(f), 40, c.put32)
		}
	}
}

// TestFloatsOnTheEdge checks floats whose exact text has few digits, and floats whose midpoint to a
// neighbour has such a text. For these floats, the result depends on whether a decimal is below or
// above a midpoint. They are large whole numbers that end in zeros, and halves and quarters near
// 2⁵¹.
func TestFloatsOnTheEdge(t *testing.T) {
	c, r := checker{t: t}, random()
	for range some(20_000) {
		ten := 1.0
		for range 24 {
			f := float64(r.Uint64()>>(11+r.UintN(50))) * ten
			beside(f, 1, c.put64)
			beside32(float32(f), 1, c.put32)
			ten *= 10
		}
		beside(math.Ldexp(float64(r.Uint64()>>11), -int(r.UintN(60))), 1, c.put64)
		beside32(float32(math.Ldexp(float64(r.Uint32()>>8), -int(r.UintN(40)))), 1, c.put32)
	}
	for e := -30; e <= 30; e++ { // the decimals halfway between two floats
		for range some(400) {
			f := math.Ldexp(float64(r.Uint64()>>11|1<<52), e)
			middle := strconv.AppendFloat(nil, f, 'e', -1, 64)
			c.parse(middle)
			c.put64(f)
		}
	}
}

// TestRandomFloats checks random bits, uniform numbers and short decimals.
func TestRandomFloats(t *testing.T) {
	c, r := checker{t: t}, random()
	for range some(800_000) {
		c.put64(math.Float64frombits(r.Uint64()))
		c.put64(r.Float64() * 1000)
		c.put64(float64(r.Uint64()>>r.UintN(64)) / math.Pow10(r.IntN(20)))
		c.put64(math.Float64frombits(r.Uint64() >> (12 + r.UintN(52)))) // subnormal
	}
	for digits := 1; digits <= 17; digits++ {
		for e := -330; e <= 300; e++ {
			s := strconv.AppendUint(nil, r.Uint64N(uint64(math.Pow10(digits))), 10)
			s = strconv.AppendInt(append(s, 'e'), int64(e), 10)
			f, _ := strconv.ParseFloat(string(s), 64)
			c.put64(f)
			c.put32(float32(f))
		}
	}
}

// AppendFloat32 writes the number tied32 like the running version of Go.
func TestTied(t *testing.T) {
	c := checker{t: t}
	c.put32(0x1p-12)
	c.put32(-0x1p-12)
}

// TestFloat32s checks a sample of all float32 values, or all of them with SLIPSTREAM_ALL_FLOATS=1,
// which takes some minutes. Each value is also parsed back, and written with both signs.
func TestFloat32s(t *testing.T) {
	step := uint32(8008/some(8) - 1)
	if os.Getenv("SLIPSTREAM_ALL_FLOATS") != "" {
		step = 1
	}
	c := checker{t: t}
	for u := uint32(0); u < math.Float32bits(float32(math.Inf(1))); u += step {
		f := math.Float32frombits(u)
		want := appendText(c.want[:0], float64(f), 32)
		got := AppendFloat32(c.got[:0], f)
		if string(got) != string(want) {
			c.complain("%x: %s, want %s", u, got, want)
		}
		if back, ok := ParseFloat32(got); !ok || back != f {
			c.complain("%x: %s is parsed as %v", u, got, back)
		}
		if got := AppendFloat32(c.got[:0], -f); u != 0 && (got[0] != '-' || string(got[1:]) != string(want)) {
			c.complain("%x with the sign: %s, want -%s", u, got, want)
		}
	}
}

// The Put functions write only within FloatRoom or IntRoom bytes from index n.
func TestRoom(t *testing.T) {
	r := random()
	floats := []float64{0, -1, -0.0000012345678901234567, -123456.78901234567, -1.2345678901234567e-300, -123456789012345680000, -1e20, -5e-324, math.Pi}
	for range 1000 {
		floats = append(floats, math.Float64frombits(r.Uint64()&^(1<<62)), -r.Float64()*math.Pow10(r.IntN(20)-3))
	}
	const before, after = 3, 5
	whole := make([]byte, before+FloatRoom+after)
	check := func(room int, want string, put func(b []byte, n int) int) {
		t.Helper()
		for i := range whole {
			whole[i] = '~'
		}
		n := put(whole[:0:before+room], before)
		if got := string(whole[before:n]); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		for i, c := range whole {
			if (i < before || i >= before+room) && c != '~' {
				t.Fatalf("%s: byte %d of a room of %d was written", want, i-before, room)
			}
		}
	}
	for _, f := range floats {
		check(FloatRoom, string(appendText(nil, f, 64)), func(b []byte, n int) int { return PutFloat64(b, n, f) })
		if g := float32(f); g-g == 0 {
			check(FloatRoom, string(appendText(nil, float64(g), 32)), func(b []byte, n int) int { return PutFloat32(b, n, g) })
		}
		v := int64(math.Float64bits(f) >> r.UintN(64))
		check(IntRoom, strconv.FormatInt(v, 10), func(b []byte, n int) int { return PutInt(b, n, v) })
		check(IntRoom, strconv.FormatUint(uint64(v), 10), func(b []byte, n int) int { return PutUint(b, n, uint64(v)) })
	}
}

// Append keeps the bytes before its result.
func TestAppendGrows(t *testing.T) {
	for room := range FloatRoom + 2 {
		b := append(make([]byte, 0, 3+room), "abc"...)
		if got := string(AppendFloat64(b, -1.5e-300)); got != "abc-1.5e-300" {
			t.Errorf("with room for %d: %s", room, got)
		}
		if got := string(AppendFloat32(b, -1.5e-30)); got != "abc-1.5e-30" {
			t.Errorf("with room for %d: %s", room, got)
		}
		if got := string(AppendInt(b, math.MinInt64)); got != "abc-9223372036854775808" {
			t.Errorf("with room for %d: %s", room, got)
		}
		if got := string(AppendUint(b, math.MaxUint64)); got != "abc18446744073709551615" {
			t.Errorf("with room for %d: %s", room, got)
		}
	}
}
