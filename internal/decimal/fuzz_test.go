package decimal

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/slipstream-go/slipstream/internal/guard"
)

func FuzzFloat64(f *testing.F) {
	for _, v := range []float64{0, 1, -0.1, 1e21, 1e-6, math.Pi, math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 1<<53 + 2, 2251799813685248.25} {
		f.Add(math.Float64bits(v))
	}
	f.Fuzz(func(t *testing.T, u uint64) {
		c := checker{t: t}
		c.put64(math.Float64frombits(u))
		c.put32(math.Float32frombits(uint32(u)))
		c.put32(float32(math.Float64frombits(u)))
	})
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?$`)

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "-0.0", "1e23", "123.456", "9007199254740993", "1.7976931348623158e308", "2.4703282292062327e-324", "0.1000000000000000055511151231257827", "100000000000000016777215", "1e", "-"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		s = guard.Test(t, s)
		if !number.Match(s) {
			ParseFloat64(s) // the result is undefined, but there is no panic
			ParseFloat32(s)
			return
		}
		c := checker{t: t}
		c.parse(s)
	})
}

func FuzzNearest(f *testing.F) {
	f.Add(uint64(5), -1)
	f.Add(uint64(math.MaxUint64), 289)
	f.Add(uint64(9007199254740993), 0)
	f.Fuzz(func(t *testing.T, man uint64, exp10 int) {
		c := checker{t: t}
		exp10 %= 400
		s := strconv.AppendInt(append(strconv.AppendUint(nil, man, 10), 'e'), int64(exp10), 10)
		c.parse(s)
		want, err := strconv.ParseFloat(string(s), 64)
		if got, ok := Float64(man, exp10, false); got != want || ok != (err == nil) {
			t.Errorf("%s: %v, %v, want %v, %v", s, got, ok, want, err)
		}
	})
}

func FuzzInt(f *testing.F) {
	f.Add(uint64(0))
	f.Add(uint64(99999999))
	f.Add(uint64(10000000000000000))
	f.Fuzz(func(t *testing.T, v uint64) { checkInt(t, v) })
}
