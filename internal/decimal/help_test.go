package decimal

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// some returns n, or n/8 in builds and on machines where a test would take too long.
func some(n int) int {
	if testing.Short() || raceEnabled || mem.Checked || bits.UintSize == 32 {
		return n / 8
	}
	return n
}

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// appendText appends f in the format of encoding/json. It is a copy of floatEncoder in encode.go of
// encoding/json.
func appendText(b []byte, f float64, size int) []byte {
	abs := math.Abs(f)
	format := byte('f')
	if abs != 0 {
		if size == 64 && (abs < 1e-6 || abs >= 1e21) || size == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			format = 'e'
		}
	}
	b = strconv.AppendFloat(b, f, format, -1, size)
	if n := len(b); format == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 becomes e-9
		b = b[:n-1]
	}
	return b
}

// checker compares texts with the texts that strconv returns, and reports the first few
// differences.
type checker struct {
	t         *testing.T
	bad       int
	got, want [64]byte
}

func (c *checker) complain(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf(format, args...)
	if c.bad++; c.bad == 10 {
		c.t.FailNow()
	}
}

// put64 checks the text of f and of -f, with the fast path and with the careful path.
func (c *checker) put64(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return
	}
	want := appendText(c.want[:0], f, 64)
	if got := AppendFloat64(c.got[:0], f); string(got) != string(want) {
		c.complain("%x: %s, want %s", math.Float64bits(f), got, want)
	}
	if want[0] != '-' {
		if got := c.got[:careful64(c.got[:0], 0, f)]; string(got) != string(want) {
			c.complain("%x, carefully: %s, want %s", math.Float64bits(f), got, want)
		}
	}
}

func (c *checker) put32(f float32) {
	if f-f != 0 {
		return
	}
	want := appendText(c.want[:0], float64(f), 32)
	if got := AppendFloat32(c.got[:0], f); string(got) != string(want) {
		c.complain("%x: %s, want %s", math.Float32bits(f), got, want)
	}
	if want[0] != '-' {
		if got := c.got[:careful32(c.got[:0], 0, f)]; string(got) != string(want) {
			c.complain("%x, carefully: %s, want %s", math.Float32bits(f), got, want)
		}
	}
}

// parse checks the value of the number in s.
func (c *checker) parse(s []byte) {
	want, err := strconv.ParseFloat(mem.String(s), 64)
	if got, ok := ParseFloat64(s); math.Float64bits(got) != math.Float64bits(want) || ok != (err == nil) {
		c.complain("%s: %v, %v, want %v, %v", s, got, ok, want, err)
	}
	want, err = strconv.ParseFloat(mem.String(s), 32)
	if got, ok := ParseFloat32(s); math.Float32bits(got) != math.Float32bits(float32(want)) || ok != (err == nil) {
		c.complain("%s: %v, %v, want %v, %v as float32", s, got, ok, want, err)
	}
}

// beside calls do with f, and with its neighbours up to the given number of steps away.
func beside(f float64, steps int, do func(float64)) {
	for n := -steps; n <= steps; n++ {
		do(math.Float64frombits(math.Float64bits(f) + uint64(n)))
	}
}

func beside32(f float32, steps int, do func(float32)) {
	for n := -steps; n <= steps; n++ {
		do(math.Float32frombits(math.Float32bits(f) + uint32(n)))
	}
}
