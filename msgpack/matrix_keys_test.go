package msgpack_test

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/msgpack"
)

// UniqueKeys gives the same result in every position of a map. The maps have two pairs, whose keys
// are two encodings of the same key or of different keys. They are skipped, kept raw, decoded
// without a type, read by a method, or decoded into a struct or a map of each key type.
func TestMatrixKeys(t *testing.T) {
	matrix.Probes(t, matrixFormat(), true, keyProbes())
}

// keyClass contains keys that fit the same types. The encodings in one group are all the same key.
type keyClass struct {
	name   string
	groups [][][]byte
}

// keyClasses returns the encodings of keys.
func keyClasses() []keyClass {
	ints := keyClass{name: "int"}
	for _, v := range []int64{1, -1, 100, 200, -200, 40_000, -40_000, 1 << 31, -1 << 31, 1 << 33, math.MaxInt64, math.MinInt64} {
		ints.groups = append(ints.groups, intForms(v))
	}
	ints.groups = append(ints.groups, [][]byte{msgpwire.AppendCode64(nil, msgpwire.Uint64, 1<<63)}, [][]byte{msgpwire.AppendCode64(nil, msgpwire.Uint64, math.MaxUint64)})
	floats := keyClass{name: "float"}
	for _, f := range []float64{1.5, -1.5, math.Inf(1), math.NaN(), 1, 1e300} {
		forms := [][]byte{msgpwire.AppendFloat64(nil, f)}
		if float64(float32(f)) == f || f != f {
			forms = append(forms, float32Form(f))
		}
		floats.groups = append(floats.groups, forms)
	}
	floats.groups = append(floats.groups, [][]byte{msgpwire.AppendFloat64(nil, 0), float32Form(0), msgpwire.AppendFloat64(nil, math.Copysign(0, -1)), float32Form(math.Copysign(0, -1))})
	texts := keyClass{name: "text", groups: [][][]byte{textForms("a"), textForms("b"), append(textForms(""), []byte{msgpwire.Nil}), textForms("a longer key than sixteen bytes"), textForms("a longer key than sixteen bytez")}}
	other := keyClass{name: "other", groups: [][][]byte{
		{{msgpwire.True}}, {{msgpwire.False}},
		{{0x91, 1}, {0x91, 0xcc, 1}, {0xdc, 0, 1, 1}, {0xdd, 0, 0, 0, 1, 0xd3, 0, 0, 0, 0, 0, 0, 0, 1}}, {{0x91, 0xa1, 'a'}, {0x91, 0xd9, 1, 'a'}},
		{{0x82, 1, 2, 3, 4}, {0x82, 3, 4, 1, 2}, {0xde, 0, 2, 1, 0xcc, 2, 3, 4}},
		{{0xd4, 5, 1}, {0xc7, 1, 5, 1}}, {{0xc7, 0, 5}},
	}}
	return []keyClass{ints, floats, texts, other}
}

// intForms returns all encodings of v.
func intForms(v int64) (forms [][]byte) {
	if v >= -32 && v <= 127 {
		forms = append(forms, []byte{byte(v)})
	}
	for size := 1; size <= 8; size *= 2 {
		code := byte(map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[size])
		shift := 64 - 8*size
		if v<<shift>>shift == v {
			forms = append(forms, wideForm(msgpwire.Int8+code, size, uint64(v)))
		}
		if v >= 0 && uint64(v)<<shift>>shift == uint64(v) {
			forms = append(forms, wideForm(msgpwire.Uint8+code, size, uint64(v)))
		}
	}
	return forms
}

// wideForm returns a code and the low bytes of v.
func wideForm(code byte, size int, v uint64) []byte {
	b := []byte{code}
	for k := size - 1; k >= 0; k-- {
		b = append(b, byte(v>>(8*k)))
	}
	return b
}

func float32Form(f float64) []byte {
	return wideForm(msgpwire.Float32, 4, uint64(math.Float32bits(float32(f))))
}

// textForms returns all encodings of s, as str and as bin.
func textForms(s string) (forms [][]byte) {
	n := byte(len(s))
	if len(s) < 32 {
		forms = append(forms, append([]byte{msgpwire.Fixstr | n}, s...))
	}
	for _, code := range []byte{msgpwire.Str8, msgpwire.Bin8} {
		forms = append(forms, append([]byte{code, n}, s...), append([]byte{code + 1, 0, n}, s...), append([]byte{code + 2, 0, 0, 0, n}, s...))
	}
	return forms
}

// pairs returns pairs of encodings. Each encoding is paired with the next one of its group, so each
// occurs once as the first and once as the second key. The first encoding of each group is also
// paired with that of the next group.
func (c *keyClass) pairs() (pairs [][2][]byte) {
	for g, forms := range c.groups {
		for k := range forms {
			pairs = append(pairs, [2][]byte{forms[k], forms[(k+1)%len(forms)]})
		}
		pairs = append(pairs, [2][]byte{forms[0], c.groups[(g+1)%len(c.groups)][0]})
	}
	return pairs
}

// keyPlace is a position in which a map may occur.
type keyPlace struct {
	typ     reflect.Type
	classes string              // classes of keys that fit
	in      func([]byte) []byte // adds the bytes around the map
}

type (
	keyedField struct {
		A int            `msgpack:"zz"`
		R msgpack.Raw    `msgpack:"raw"`
		M map[any]string `msgpack:"map"`
	}
	keyedMethod struct{ raw string }
)

// UnmarshalMsgpack gets bytes that the decoder has skipped.
func (k *keyedMethod) UnmarshalMsgpack(b []byte) error { k.raw = string(b); return nil }

func keyPlaces() []keyPlace {
	all := "int float text other"
	around := func(before string) func([]byte) []byte {
		return func(m []byte) []byte { return append([]byte(before), m...) }
	}
	places := []keyPlace{
		{reflect.TypeFor[keyedField](), all, around("\x81\xa7unknown")},
		{reflect.TypeFor[keyedField](), all, around("\x81\xa7unknown\x91")},
		{reflect.TypeFor[keyedField](), all, around("\x81\x05")},      // the key is not a string
		{reflect.TypeFor[keyedField](), "int float text", around("")}, // keys that are not strings, and unknown fields
		{reflect.TypeFor[keyedField](), all, around("\x81\xa3raw")},
		{reflect.TypeFor[keyedField](), "int float text", around("\x81\xa3map")},
		{reflect.TypeFor[msgpack.RawMessage](), all, around("")},
		{reflect.TypeFor[[]msgpack.Raw](), all, around("\x91\x81\xc3")},
		{reflect.TypeFor[keyedMethod](), all, around("")},
		{reflect.TypeFor[growing](), all, around("\x94\x01\xa1c\xc0")}, // after the last field of a struct that is an array
		{reflect.TypeFor[any](), "int float text", around("")},
		{reflect.TypeFor[[]any](), "int float text", around("\x92\x01")},
		{reflect.TypeFor[map[any]any](), "int float text", around("")},
		{reflect.TypeFor[map[string]any](), "text", around("")},
		{reflect.TypeFor[map[any]int](), "int float text", around("")},
	}
	for _, key := range []reflect.Type{
		reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[Number](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
	} {
		places = append(places, keyPlace{reflect.MapOf(key, reflect.TypeFor[bool]()), "int", around("")})
	}
	for _, key := range []reflect.Type{reflect.TypeFor[float32](), reflect.TypeFor[float64]()} {
		places = append(places, keyPlace{reflect.MapOf(key, reflect.TypeFor[*int]()), "float int", around("")})
	}
	for _, value := range []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int64](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[[]int](),
	} {
		places = append(places, keyPlace{reflect.MapOf(reflect.TypeFor[string](), value), "text", around("")})
	}
	return append(places, keyPlace{reflect.TypeFor[map[Word]int](), "text", around("")}, keyPlace{reflect.TypeFor[map[int]string](), "int", around("")})
}

// manyForms is a number of pairs. If a class has more pairs, the short form of the test uses only a
// part of them in each place.
const manyForms = 40

func keyProbes() iter.Seq[matrix.Probe] {
	return func(yield func(matrix.Probe) bool) {
		for _, class := range keyClasses() {
			pairs := class.pairs()
			for at, place := range keyPlaces() {
				if !strings.Contains(place.classes, class.name) {
					continue
				}
				for k, pair := range pairs {
					if testing.Short() && len(pairs) > manyForms && (k+at)%3 != 0 {
						continue
					}
					if !yield(keyProbe(place, pair, (k/3+at)%3)) {
						return
					}
				}
			}
		}
		for _, p := range fieldProbes() {
			if !yield(p) {
				return
			}
		}
	}
}

// isText reports whether a key decodes to a string in an any.
func isText(key []byte) bool {
	h, err := (&oracle{b: key}).next()
	return err == nil && (h.kind == 's' || h.kind == 'B' || h.kind == 'n')
}

// keyProbe adds a third pair between or before the two pairs. The third key has another type, if
// the place allows that.
func keyProbe(place keyPlace, pair [2][]byte, third int) matrix.Probe {
	pairs := [][]byte{append(pair[0][:len(pair[0]):len(pair[0])], msgpwire.Nil), append(pair[1][:len(pair[1]):len(pair[1])], msgpwire.Nil)}
	extra := []byte("\xa1x\xc0")
	if !strings.Contains(place.classes, "text") || isText(pair[0]) && place.classes != "text" {
		extra = []byte("\x07\xc0")
	}
	switch third {
	case 1:
		pairs = [][]byte{pairs[0], extra, pairs[1]}
	case 2:
		pairs = [][]byte{extra, pairs[0], pairs[1]}
	}
	m := msgpwire.AppendMapLen(nil, len(pairs))
	for _, p := range pairs {
		m = append(m, p...)
	}
	return matrix.Probe{
		Name: fmt.Sprintf("%v: %x", place.typ, place.in(m)), Kind: typed(place.typ), Message: place.in(m), Option: "UniqueKeys",
	}
}

// aliased is a struct whose fields have several names.
type aliased struct {
	A int    `msgpack:"a,alias:b,alias:another name of the same field"`
	B string `msgpack:"c,alias:d"`
	C []int
}

// fieldProbes returns structs in which one field occurs twice, under two of its names, and structs
// with two different fields.
func fieldProbes() (probes []matrix.Probe) {
	names := []string{"a", "b", "another name of the same field", "c", "d", "C", "unknown", "unknown too"}
	for _, one := range names {
		for _, other := range names {
			for k, form := range textForms(other) {
				if testing.Short() && k%3 != 0 {
					continue
				}
				m := append(append(append([]byte{0x82}, textForms(one)[0]...), msgpwire.Nil), form...)
				probes = append(probes, matrix.Probe{
					Name: fmt.Sprintf("%s and %s, %x", one, other, form), Kind: typed(reflect.TypeFor[aliased]()), Message: append(m, msgpwire.Nil), Option: "UniqueKeys",
				})
			}
		}
	}
	return probes
}
