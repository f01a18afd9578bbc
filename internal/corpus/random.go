package corpus

import (
	"math"
	"math/rand/v2"
	"reflect"
	"time"
)

// New returns a source of random values. The seed determines the values.
func New(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15)) }

// Fill sets v, which must be settable, to a random value. Deeper values have fewer elements.
func Fill(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(Int(r))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(Int(r)))
	case reflect.Float32:
		v.SetFloat(float64(float32(Float(r))))
	case reflect.Float64:
		v.SetFloat(Float(r))
	case reflect.String:
		v.SetString(String(r))
	case reflect.Slice:
		if r.IntN(8) == 0 {
			return
		}
		n := length(r, depth)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			Fill(r, v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			Fill(r, v.Index(i), depth+1)
		}
	case reflect.Map:
		if r.IntN(8) == 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range length(r, depth) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			Fill(r, key, depth+1)
			Fill(r, value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Pointer:
		if depth > 3 || r.IntN(3) == 0 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		Fill(r, v.Elem(), depth+1)
	case reflect.Interface:
		if x := Any(r, depth); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(r.Int64N(1<<35)-1<<33, r.Int64N(1e9))))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				Fill(r, v.Field(i), depth)
			}
		}
	}
}

func length(r *rand.Rand, depth int) int {
	if depth > 3 {
		return r.IntN(2)
	}
	if r.IntN(16) == 0 {
		return 15 + r.IntN(3) // near the maximum lengths of short encodings
	}
	return r.IntN(5)
}

// Int returns a random int. All bit widths are equally likely, and many values are the smallest or
// largest of their width.
func Int(r *rand.Rand) int64 {
	v := int64(r.Uint64() >> r.IntN(64))
	if r.IntN(3) == 0 {
		v = 1<<r.IntN(64) + int64(r.IntN(3)) - 1
	}
	if r.IntN(2) == 0 {
		return -v
	}
	return v
}

// Float returns a random float64. It is never NaN, so that it equals itself.
func Float(r *rand.Rand) float64 {
	switch r.IntN(8) {
	case 0:
		return float64(Int(r))
	case 1:
		return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64}[r.IntN(6)]
	}
	return math.Round(r.NormFloat64()*1e4) / 100
}

// String returns a random string. In some cases, its length is near a length at which the encoded
// form changes.
func String(r *rand.Rand) string {
	n := r.IntN(20)
	switch r.IntN(24) {
	case 0:
		n = 30 + r.IntN(4)
	case 1:
		n = 254 + r.IntN(4)
	case 2:
		n = 0
	}
	b := make([]rune, n)
	for i := range b {
		b[i] = rune('a' + r.IntN(26))
		if r.IntN(40) == 0 {
			b[i] = []rune{'é', '世', '😀', 0, '"'}[r.IntN(5)]
		}
	}
	return string(b)
}

// Any returns a random value of one of the types that a decoder stores in a target of type any.
func Any(r *rand.Rand, depth int) any {
	kinds := 12
	if depth > 3 {
		kinds = 10
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return Int(r)
	case 3:
		return uint64(Int(r))
	case 4:
		return int32(Int(r))
	case 5:
		return uint8(Int(r))
	case 6, 7:
		return Float(r)
	case 8:
		return float32(Float(r))
	case 9:
		return String(r)
	case 10:
		list := make([]any, length(r, depth))
		for i := range list {
			list[i] = Any(r, depth+1)
		}
		return list
	}
	m := make(map[string]any)
	for range length(r, depth) {
		m[String(r)] = Any(r, depth+1)
	}
	return m
}
