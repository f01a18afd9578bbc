package decimal

import (
	"math"
	"testing"
)

// No function allocates if the buffer has enough capacity.
func TestAllocations(t *testing.T) {
	room := make([]byte, 0, FloatRoom)
	short, long := []byte("-65.613616999999977"), []byte("0.1000000000000000055511151231257827021181583404541015625")
	for name, run := range map[string]func(){
		"AppendFloat64":             func() { AppendFloat64(room, -65.613616999999977) },
		"AppendFloat64, exponent":   func() { AppendFloat64(room, math.SmallestNonzeroFloat64) },
		"AppendFloat32":             func() { AppendFloat32(room, 1.0/3) },
		"AppendFloat32, tied":       func() { AppendFloat32(room, -1.0/4096) },
		"AppendInt":                 func() { AppendInt(room, math.MinInt64) },
		"AppendUint":                func() { AppendUint(room, math.MaxUint64) },
		"PutFloat64":                func() { PutFloat64(room, 0, 0.5) },
		"PutInt":                    func() { PutInt(room, 0, -1) },
		"Float64":                   func() { Float64(65613616999999977, -15, true) },
		"ParseFloat64":              func() { ParseFloat64(short) },
		"ParseFloat32":              func() { ParseFloat32(short) },
		"ParseFloat64, many digits": func() { ParseFloat64(long) },
	} {
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
