package json

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// Random values of random struct types with random tags are encoded as encoding/json does.
func TestEncodeRandomTypes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	count := 1500
	if testing.Short() {
		count = 150
	}
	for range count {
		typ := randomType(random, 3)
		for range 3 {
			v := reflect.New(typ).Elem()
			randomize(random, v, 4)
			encodesAs(t, typ.String(), v.Interface())
			encodesAs(t, "pointer to "+typ.String(), v.Addr().Interface())
			if t.Failed() {
				return
			}
		}
	}
}

var randomLeaves = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](),
	reflect.TypeFor[any](), reflect.TypeFor[Number](), reflect.TypeFor[RawMessage](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[byValue](), reflect.TypeFor[byPointer](), reflect.TypeFor[textByPointer](), reflect.TypeFor[textInt](), reflect.TypeFor[zeroByPointer](), reflect.TypeFor[embeddedA](), reflect.TypeFor[*recursive](),
}

func randomType(random *rand.Rand, depth int) reflect.Type {
	if depth == 0 {
		return randomLeaves[random.IntN(len(randomLeaves))]
	}
	switch random.IntN(12) {
	case 0:
		return reflect.SliceOf(randomType(random, depth-1))
	case 1:
		return reflect.ArrayOf(random.IntN(4), randomType(random, depth-1))
	case 2:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[uint16](), reflect.TypeFor[namedString](), reflect.TypeFor[textInt]()}
		return reflect.MapOf(keys[random.IntN(len(keys))], randomType(random, depth-1))
	case 3:
		return reflect.PointerTo(randomType(random, depth-1))
	case 4, 5, 6, 7, 8:
		fields := make([]reflect.StructField, random.IntN(12))
		for i := range fields {
			name := fmt.Sprintf("F%d", i)
			tag := ""
			switch random.IntN(5) {
			case 0:
				tag = []string{"name", "n<", "a name of more than thirty-two bytes, less the comma", "-"}[random.IntN(4)]
			case 1:
				tag = fmt.Sprintf("long%060d", i)
			}
			for _, option := range []string{",omitempty", ",omitzero", ",string"} {
				if random.IntN(4) == 0 {
					tag += option
				}
			}
			fields[i] = reflect.StructField{Name: name, Type: randomType(random, depth-1), Tag: reflect.StructTag(fmt.Sprintf("json:%q", tag))}
		}
		return reflect.StructOf(fields)
	}
	return randomLeaves[random.IntN(len(randomLeaves))]
}

// randomize sets v to a random value, or leaves parts of v zero.
func randomize(random *rand.Rand, v reflect.Value, depth int) {
	if random.IntN(4) == 0 || depth < 0 || !v.CanSet() {
		return
	}
	switch v.Type() {
	case reflect.TypeFor[Number]():
		v.SetString([]string{"1", "-2.5", "1e9", "", "bad"}[random.IntN(5)])
		return
	case reflect.TypeFor[RawMessage]():
		v.SetBytes([]byte([]string{`1`, `{"a" : "<"}`, ` [ ] `, ``, `[`}[random.IntN(5)]))
		return
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(random.Int64N(1<<36)-1<<35, random.Int64N(1e9)).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(random.Uint64()) >> random.IntN(64))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(random.Uint64() >> random.IntN(64))
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(random.Uint32())))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(random.Uint64()))
		if random.IntN(3) == 0 {
			v.SetFloat(float64(random.IntN(1000)) / 8)
		}
	case reflect.String:
		v.SetString(randomText(random))
	case reflect.Interface:
		if v.NumMethod() == 0 {
			held := reflect.New(randomType(random, min(depth, 1))).Elem()
			randomize(random, held, depth-1)
			v.Set(held)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		randomize(random, v.Elem(), depth-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(4), 5))
		for i := range v.Len() {
			randomize(random, v.Index(i), depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			randomize(random, v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range random.IntN(14) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			randomize(random, key, 0)
			randomize(random, value, depth-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			randomize(random, v.Field(i), depth-1)
		}
	}
}

// randomText returns text of up to about 80 bytes, mostly plain.
func randomText(random *rand.Rand) string {
	var b []byte
	for range random.IntN(random.IntN(80) + 1) {
		switch random.IntN(40) {
		case 0:
			b = append(b, byte(random.IntN(256)))
		case 1:
			b = append(b, string(rune(random.IntN(0x3000)))...)
		case 2:
			b = append(b, "\"\\<>&\n"[random.IntN(6)])
		default:
			b = append(b, byte(' '+random.IntN(95)))
		}
	}
	return string(b)
}

// Strings of all lengths are encoded as encoding/json does. Each contains one byte or character
// that is not plain, at any position.
func TestEncodeRandomStrings(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	odd := []string{"", "\"", "\\", "<", ">", "&", "\x00", "\n", "\x1f", "\x7f", "é", "日", "😀", "\xff", "\xc3", "\xe2\x80", "\u2028", "\u2029", "\u202a", "\xed\xa0\x80", "\xf4\x90\x80\x80"}
	for size := range 140 {
		for _, o := range odd {
			b := make([]byte, size)
			for i := range b {
				b[i] = byte('a' + i%26)
			}
			at := random.IntN(size + 1)
			s := string(b[:at]) + o + string(b[at:])
			encodesAs(t, fmt.Sprintf("%d bytes with %q at %d", size, o, at), s)
			encodesAs(t, fmt.Sprintf("%d bytes with %q at %d, in a struct", size, o, at), struct{ A, B string }{s, o})
			encodesAs(t, fmt.Sprintf("%d bytes with %q at %d, as a key", size, o, at), map[string]int{s: 1, o: 2})
		}
	}
	for range 3000 {
		s := randomText(random)
		encodesAs(t, fmt.Sprintf("%q", s), []any{s, map[string]string{s: s}})
	}
}
