package decimal

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// TestParseTexts checks numbers that parsers often get wrong.
func TestParseTexts(t *testing.T) {
	c := checker{t: t}
	zeros := strings.Repeat("0", 400)
	for _, s := range []string{
		"0", "-0", "0.0", "-0.0e10", "0e-5", "1", "-1", "10", "0.1", "0.5", "0.25", "1.5", "1e0", "1e5", "1E5", "1e+5", "1e-5", "-1.5e-5",
		"1234567890123456789", "12345678901234567890", "18446744073709551615", "18446744073709551616", "123456789012345678901234567890",
		"9999999999999999999", "99999999999999999999", "0.1234567890123456789", "0.12345678901234567890123456789",
		"9007199254740992", "9007199254740993", "9007199254740993.0", "9007199254740993.00000000000000000000000000001", "9007199254740994.9999",
		"4503599627370496.5", "4503599627370497.5", "4503599627370497.49999999999999999999999", "4503599627370497.500000000000000000000000001",
		"0." + zeros + "1e401", "0." + zeros + "123456789012345678901e401", "1" + zeros + "e-400", "1" + zeros, "0." + zeros + "1", zeros[:19] + "1", // the last text is not valid JSON
		"0.000000000000000000000000001", "0.0000000000000000000000000012345678901234567", "0.00000000000000000000000000123456789012345678901",
		"1e308", "1e309", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "179769313486231580793e289", "1e400", "-1e400",
		"1.797693134862315807e308", "1.7976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447573027006985557136695962284291481986083493647529271907416844436551070434271155969950809304288017790417449779e308",
		"2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308", "5e-324", "4.9e-324", "2.5e-324", "2.4e-324", "2.4703282292062328e-324", "2.4703282292062327e-324", "1e-323", "1e-400", "1e-999999999999", "1e999999999999", "0e999999999999",
		"18446744073709551615e-343", "18446744073709551615e-342", "1e-342", "1e324", "1e325", "123e-345",
		"3.4028235e38", "3.4028236e38", "3.40282356779733661637e38", "3.40282356779733661638e38", "1e39", "1e-45", "7e-46", "7.006492321624085e-46", "7.0064923216240853546186479164495e-46", "7.0064923216240853546186479164496e-46", "1.1754943e-38",
		"16777217", "16777217.0000000000000000000000001", "16777219", "1.00000017881393421514957253748434595763683319091796875", "1.00000017881393432617187499", "1.00000017881393432617187501", "8388608.5", "8388609.5",
		"123456789.123456789", "0.3333333333333333", "100000000000000016777215", "100000000000000016777216",
	} {
		c.parse([]byte(s))
		c.parse([]byte("-" + strings.TrimPrefix(s, "-")))
	}
}

// The parsers report numbers that are out of range. Numbers that are too small become zero.
func TestParseRange(t *testing.T) {
	for _, s := range []string{"1e309", "-1e309", "1.7976931348623159e308", "1e400", "1e99999999999999999999", strings.Repeat("9", 400)} {
		if f, ok := ParseFloat64([]byte(s)); ok || !math.IsInf(f, 0) || math.Signbit(f) != (s[0] == '-') {
			t.Errorf("%.20s: %v, %v", s, f, ok)
		}
	}
	for _, s := range []string{"1e-400", "-1e-400", "1e-99999999999999999999", "0e99999999999999999999", "-0." + strings.Repeat("0", 400) + "1"} {
		if f, ok := ParseFloat64([]byte(s)); !ok || f != 0 || math.Signbit(f) != (s[0] == '-') {
			t.Errorf("%.20s: %v, %v", s, f, ok)
		}
	}
	if f, ok := Float64(math.MaxUint64, math.MaxInt, false); ok || !math.IsInf(f, 1) {
		t.Error(f, ok)
	}
	if f, ok := Float64(math.MaxUint64, math.MinInt, true); !ok || f != 0 || !math.Signbit(f) {
		t.Error(f, ok)
	}
	if f, ok := Float32(1, 39, true); ok || !math.IsInf(float64(f), -1) {
		t.Error(f, ok)
	}
	if f, ok := Float32(0, math.MaxInt, true); !ok || f != 0 || !math.Signbit(float64(f)) {
		t.Error(f, ok)
	}
}

// TestParseRandom checks numbers with any count of digits, with a point and an exponent anywhere.
// The digits end at every position of the words that the parser reads.
func TestParseRandom(t *testing.T) {
	c, r := checker{t: t}, random()
	var room [128]byte
	for range some(400_000) {
		s := room[:0]
		if r.IntN(4) == 0 {
			s = append(s, '-')
		}
		digits := 1 + r.IntN(24)
		if r.IntN(3) == 0 {
			s = append(s, "0.000000000000000000000000"[:3+r.IntN(22)]...)
		} else {
			s = append(s, byte('1'+r.IntN(9)))
			point := r.IntN(2 * digits)
			for n := range digits {
				if n == point {
					s = append(s, '.')
				}
				s = append(s, byte('0'+r.IntN(10)))
			}
		}
		if bytes.HasSuffix(s, []byte(".")) {
			s = append(s, '7')
		}
		switch r.IntN(4) {
		case 0:
			s = strconv.AppendInt(append(s, 'e'), int64(r.IntN(60)-30), 10)
		case 1:
			s = strconv.AppendInt(append(s, 'e'), int64(r.IntN(700)-370), 10)
		}
		c.parse(s[:len(s):len(s)])
	}
}

// The shortest text of a random float is parsed back to that float. Longer texts are parsed with
// the same result as by strconv.
func TestParseBack(t *testing.T) {
	c, r := checker{t: t}, random()
	var room [1024]byte
	for i := range some(50_000) {
		f := math.Float64frombits(r.Uint64())
		if f-f != 0 {
			continue
		}
		s := AppendFloat64(room[:0], f)
		if back, ok := ParseFloat64(s); !ok || math.Float64bits(back) != math.Float64bits(f) {
			c.complain("%s is parsed as %v", s, back)
		}
		c.parse(strconv.AppendFloat(room[:0], f, 'e', 14+i%10, 64))
		c.parse(strconv.AppendFloat(room[:0], float64(float32(r.NormFloat64())), 'e', 6+i%20, 64))
	}
}

// TestHalfway checks the exact midpoints between floats, and numbers very close to them.
func TestHalfway(t *testing.T) {
	c, r := checker{t: t}, random()
	check := func(mantissa uint64, exp2 int) {
		middle := new(big.Float).SetMantExp(new(big.Float).SetPrec(64).SetUint64(mantissa<<1|1), exp2-1)
		s := middle.Append(nil, 'f', -1)
		exact := bytes.ContainsRune(s, '.')
		if exp2 < 1 {
			s = middle.Append(nil, 'e', 800)
			e := bytes.IndexByte(s, 'e')
			s = append(bytes.TrimRight(s[:e:e], "0"), s[e:]...)
			exact = true
		}
		c.parse(s)
		c.parse(strconv.AppendUint(nil, mantissa, 10))
		if !exact {
			s = append(s, '.')
		}
		for _, tail := range []string{"0000000000000000000000000", "0000000000000000000000001"} {
			if e := bytes.IndexByte(s, 'e'); e >= 0 {
				c.parse([]byte(string(s[:e]) + tail + string(s[e:])))
			} else {
				c.parse(append(s, tail...))
			}
		}
		if e := bytes.IndexByte(s, 'e'); e > 1 && s[e-1] > '0' {
			below := bytes.Clone(s)
			below[e-1]--
			c.parse(below)
		}
	}
	for range some(1600) {
		for exp2 := -60; exp2 < 60; exp2 += 7 {
			check(r.Uint64()>>11|1<<52, exp2+r.IntN(7))
			check(uint64(r.Uint32()>>8|1<<23), exp2+r.IntN(7)) // between float32s
		}
	}
	for range some(160) {
		check(r.Uint64()>>11|1<<52, r.IntN(2000)-1074)
		check(r.Uint64()>>(12+r.UintN(51)), -1074) // subnormal
		check(uint64(r.Uint32()>>8|1<<23), r.IntN(250)-149)
		check(uint64(r.Uint32()>>(9+r.UintN(22))), -149)
	}
}

// TestNearest checks digits with powers of ten within and outside the valid range, and random bits.
func TestNearest(t *testing.T) {
	c, r := checker{t: t}, random()
	var room [64]byte
	check := func(man uint64, exp10 int) {
		neg := man&1 != 0
		s := room[:0]
		if neg {
			s = append(s, '-')
		}
		s = strconv.AppendInt(append(strconv.AppendUint(s, man, 10), 'e'), int64(exp10), 10)
		want, err := strconv.ParseFloat(string(s), 64)
		if got, ok := Float64(man, exp10, neg); got != want || math.Signbit(got) != neg || ok != (err == nil) {
			c.complain("%s: %v, %v, want %v, %v", s, got, ok, want, err)
		}
		want, err = strconv.ParseFloat(string(s), 32)
		if got, ok := Float32(man, exp10, neg); got != float32(want) || math.Signbit(float64(got)) != neg || ok != (err == nil) {
			c.complain("%s: %v, %v, want %v, %v as float32", s, got, ok, want, err)
		}
	}
	for exp10 := -370; exp10 <= 340; exp10++ {
		for _, man := range []uint64{0, 1, 2, 3, 5, 1<<53 - 1, 1 << 53, 1<<53 + 1, 1 << 63, 1<<63 + 1, math.MaxUint64, math.MaxUint64 - 1, 1e19, 1e19 - 1} {
			check(man, exp10)
		}
		for range some(100) {
			check(r.Uint64()>>r.UintN(64), exp10)
		}
	}
	for range some(100_000) { // exact midpoints are possible here
		check(r.Uint64()>>r.UintN(64), r.IntN(60)-30)
		check((r.Uint64()>>(10+r.UintN(50))|1)*uint64(math.Pow(5, float64(r.IntN(6)))), -r.IntN(6))
	}
}

// Parsing text that is not a number does not panic, and reads nothing outside the text.
func TestGarbage(t *testing.T) {
	r := random()
	for _, s := range []string{"", "-", ".", "-.", "e", "1e", "1e+", "1.", ".5", "1.2.3", "abc", "--1", "1e5e5", "\x00", "12345678\xff", "1234567890123456789012.", strings.Repeat("9", 30) + "x", "0000000000000000000000000x"} {
		ParseFloat64([]byte(s))
		ParseFloat32([]byte(s))
	}
	for range some(400_000) {
		s := make([]byte, r.IntN(30))
		for i := range s {
			s[i] = "0123456789.-+eE\x00\xff:/ "[r.IntN(20)]
		}
		ParseFloat64(s)
	}
}

// readDigits reads digits that end at any position, in a slice that ends at any position after
// them.
func TestReadDigits(t *testing.T) {
	digits := "1234567890123456789"
	for n := range len(digits) + 1 {
		for at := range 10 {
			for _, tail := range []string{"", ".", "/", ":", "e", "\x00", "\xff", "\xb0", "]      ", ",123456789"} {
				s := strings.Repeat("x", at) + digits[:n] + tail
				b := append(make([]byte, 0, len(s)), s...)
				want, _ := strconv.ParseUint("0"+digits[:n], 10, 64)
				if man, end := readDigits(b, at, 0); man != want || end != at+n {
					t.Fatalf("%q at %d: %d up to %d, want %d up to %d", s, at, man, end, want, at+n)
				}
			}
		}
	}
}

func ExampleParseFloat64() {
	fmt.Println(ParseFloat64([]byte("-12.5e-1")))
	fmt.Println(ParseFloat64([]byte("1e999")))
	// Output:
	// -1.25 true
	// +Inf false
}
