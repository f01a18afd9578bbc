package decimal

import (
	"math"
	"strconv"
	"testing"
)

// The benchmarks measure many numbers, so that the CPU cannot predict branches from earlier rounds.
const many = 1 << 14

var floats = map[string]func() float64{
	"coordinates": func() float64 { // with 15 to 17 digits
		f, _ := strconv.ParseFloat(strconv.FormatFloat(dice.Float64()*110-60, 'f', 14, 64), 64)
		return f
	},
	"unit":      func() float64 { return dice.Float64() },
	"prices":    func() float64 { return float64(dice.IntN(100_000)) / 100 },
	"whole":     func() float64 { return float64(dice.IntN(100_000)) },
	"bits":      func() float64 { return math.Float64frombits(dice.Uint64() &^ (1 << 62)) },
	"half to 0": func() float64 { return math.Ldexp(1, -1-dice.IntN(4)) },
}

var ints = map[string]func() uint64{
	"1 digit":        func() uint64 { return dice.Uint64N(10) },
	"1 to 3 digits":  func() uint64 { return dice.Uint64N(tens[1+dice.IntN(3)]) },
	"1 to 7 digits":  func() uint64 { return dice.Uint64N(tens[1+dice.IntN(6)]) },
	"seconds":        func() uint64 { return 1_700_000_000 + dice.Uint64N(1e7) },
	"milliseconds":   func() uint64 { return 1_700_000_000_000 + dice.Uint64N(1e10) },
	"64 bits":        func() uint64 { return dice.Uint64() },
	"any width":      func() uint64 { return dice.Uint64() >> dice.UintN(64) },
	"4 to 5 digits":  func() uint64 { return 5000 + dice.Uint64N(10_000) },
	"8 or 9 digits":  func() uint64 { return 50_000_000 + dice.Uint64N(100_000_000) },
	"nothing but 42": func() uint64 { return 42 },
}

var dice = random()

func fill[T any](one func() T) []T {
	all := make([]T, many)
	for i := range all {
		all[i] = one()
	}
	return all
}

// measure processes the numbers in parts whose text fits into the first-level cache.
func measure[T any](b *testing.B, name string, all []T, each func(room []byte, part []T)) {
	const part = 512
	room := make([]byte, part*FloatRoom)
	b.Run(name, func(b *testing.B) {
		for i := 0; i < b.N; i += part {
			at := i % many
			each(room, all[at:at+part])
		}
	})
}

func BenchmarkPutFloat64(b *testing.B) {
	for name, one := range floats {
		all := fill(one)
		measure(b, name+"/ours", all, func(room []byte, part []float64) {
			n := 0
			for _, f := range part {
				n = PutFloat64(room, n, f)
			}
		})
		measure(b, name+"/strconv", all, func(room []byte, part []float64) {
			room = room[:0]
			for _, f := range part {
				room = appendText(room, f, 64)
			}
		})
	}
}

func BenchmarkPutFloat32(b *testing.B) {
	for name, one := range floats {
		all := fill(one)
		measure(b, name+"/ours", all, func(room []byte, part []float64) {
			n := 0
			for _, f := range part {
				n = PutFloat32(room, n, float32(f))
			}
		})
		measure(b, name+"/strconv", all, func(room []byte, part []float64) {
			room = room[:0]
			for _, f := range part {
				room = appendText(room, float64(float32(f)), 32)
			}
		})
	}
}

func BenchmarkPutUint(b *testing.B) {
	for name, one := range ints {
		all := fill(one)
		measure(b, name+"/ours", all, func(room []byte, part []uint64) {
			n := 0
			for _, v := range part {
				n = PutUint(room, n, v)
			}
		})
		measure(b, name+"/strconv", all, func(room []byte, part []uint64) {
			room = room[:0]
			for _, v := range part {
				room = strconv.AppendUint(room, v, 10)
			}
		})
	}
}

func BenchmarkParseFloat64(b *testing.B) {
	var sum float64
	for name, one := range floats {
		texts := fill(func() []byte { return AppendFloat64(nil, one()) })
		read := fill(func() text { return read(AppendFloat64(nil, one())) })
		measure(b, name+"/ours", texts, func(_ []byte, part [][]byte) {
			for _, s := range part {
				f, _ := ParseFloat64(s)
				sum += f
			}
		})
		measure(b, name+"/digits known", read, func(_ []byte, part []text) {
			for i := range part {
				f, _ := Float64(part[i].man, int(part[i].exp), part[i].neg)
				sum += f
			}
		})
		measure(b, name+"/strconv", texts, func(_ []byte, part [][]byte) {
			for _, s := range part {
				f, _ := strconv.ParseFloat(string(s), 64)
				sum += f
			}
		})
	}
}
