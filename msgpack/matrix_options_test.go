package msgpack_test

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// Ints at and beyond the limits of each type decode correctly from each encoding: alone, in a map,
// and in arrays. In arrays, the decoder reads several ints of the same encoding at once. With
// StrictInts, ints beyond the limits are rejected.
func TestMatrixInts(t *testing.T) {
	matrix.Probes(t, matrixFormat(), true, intProbes())
}

func intProbes() iter.Seq[matrix.Probe] {
	return func(yield func(matrix.Probe) bool) {
		for at, of := range []reflect.Type{
			reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[Number](),
			reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
		} {
			places := intPlaces(of)
			forms := edgeForms(of)
			for k, form := range forms {
				for i, place := range places {
					if testing.Short() && (at+k+i)%5 != 0 && k < len(forms)-2 { // the last two exceed most types
						continue
					}
					m := place.message(form)
					option := "StrictInts"
					if (k+i)%4 == 0 {
						option = ""
					}
					if !yield(matrix.Probe{Name: fmt.Sprintf("%v: %x", place.typ, m), Kind: typed(place.typ), Message: m, Option: option}) {
						return
					}
				}
			}
		}
	}
}

// edgeForms returns encodings of ints at and beyond the limits of a type.
func edgeForms(of reflect.Type) (forms [][]byte) {
	bits := of.Bits()
	var values []int64
	if reflect.Zero(of).CanInt() {
		for _, v := range []int64{math.MaxInt64 >> (64 - bits), math.MinInt64 >> (64 - bits)} {
			values = append(values, v, v+1, v-1) // with 64 bits, v+1 or v-1 wraps to the other limit
		}
	} else {
		most := int64(uint64(math.MaxUint64) >> (64 - bits))
		values = []int64{0, -1, most, most + 1, math.MinInt64}
	}
	for _, v := range values {
		all := intForms(v)
		forms = append(forms, all[0], all[len(all)-1])
	}
	return append(forms, msgpwire.AppendCode64(nil, msgpwire.Uint64, 1<<63), msgpwire.AppendCode64(nil, msgpwire.Uint64, math.MaxUint64))
}

// intPlace is a position in which an int may occur.
type intPlace struct {
	typ     reflect.Type
	message func(form []byte) []byte
}

func intPlaces(of reflect.Type) []intPlace {
	around := func(before string) func([]byte) []byte {
		return func(form []byte) []byte { return append([]byte(before), form...) }
	}
	// run places the int in an array of ints with one encoding: as the first, as one in the middle,
	// or as the last.
	run := func(n, at int, other ...byte) func([]byte) []byte {
		return func(form []byte) []byte {
			m := msgpwire.AppendArrayLen(nil, n)
			for k := range n {
				if k == at {
					m = append(m, form...)
				} else {
					m = append(m, other...)
				}
			}
			return m
		}
	}
	wide := msgpwire.AppendCode64(nil, msgpwire.Int64, 1)
	wider := msgpwire.AppendCode64(nil, msgpwire.Uint64, 1)
	list := reflect.SliceOf(of)
	if of.Kind() == reflect.Uint8 { // a slice would be a []byte
		list = reflect.ArrayOf(2, reflect.PointerTo(of))
		run = func(_, at int, other ...byte) func([]byte) []byte {
			return func(form []byte) []byte { return append(append([]byte{0x92}, form...), other...) }
		}
	}
	places := []intPlace{
		{of, around("")}, {reflect.PointerTo(of), around("")},
		{reflect.StructOf([]reflect.StructField{{Name: "F", Type: of}}), around("\x81\xa1F")},
		{reflect.StructOf([]reflect.StructField{{Name: "F", Type: of}}), around("\x91")},
		{reflect.MapOf(reflect.TypeFor[string](), of), around("\x81\xa1k")},
		{reflect.MapOf(of, reflect.TypeFor[*int]()), func(form []byte) []byte { return append(append([]byte{0x81}, form...), msgpwire.Nil) }},
		{list, run(1, 0)}, {list, run(9, 4, wide...)}, {list, run(4, 3, wider...)}, {list, run(8, 0, wider...)}, {list, run(5, 4, wide...)}, {list, run(3, 1, 7)},
	}
	if of.Kind() != reflect.Uint8 {
		places = append(places, intPlace{reflect.ArrayOf(3, of), run(3, 2, wide...)}, intPlace{reflect.SliceOf(list), func(form []byte) []byte {
			return append([]byte{0x91}, run(6, 1, wider...)(form)...)
		}})
	}
	return places
}

// Arrays that are shorter or longer than their target decode correctly into structs and Go arrays
// that already hold values. Missing fields of structs become zero.
func TestMatrixLengths(t *testing.T) {
	f := matrixFormat()
	matrix.Probes(t, f, true, func(yield func(matrix.Probe) bool) {
		elements := []string{"\x01", "\xa1a", "\x81\xa1k\x91\x01", "\x92\xc0\x80", "\xc0", "\xa0"}
		for _, of := range lengthTypes {
			for n := range of.fits + 4 {
				for k, option := range []string{"AnyLength", "", "UniqueKeys"} {
					m := msgpwire.AppendArrayLen(nil, n)
					for i := range n {
						if i < of.fits {
							m = append(m, of.elements[i%len(of.elements)]...)
						} else {
							m = append(m, elements[(i+n)%len(elements)]...)
						}
					}
					if !yield(matrix.Probe{Name: fmt.Sprintf("%v: %d, %s", of.typ, n, option), Kind: typed(of.typ), Message: m, Option: option, Target: func(v reflect.Value) []reflect.Value {
						f.Filled(uint64(n+100*k), v)
						return nil
					}}) {
						return
					}
				}
			}
		}
	})
}

// lengthTypes lists types, the array length that fits each, and suitable elements.
var lengthTypes = []struct {
	typ      reflect.Type
	fits     int
	elements []string
}{
	{reflect.TypeFor[growing](), 3, []string{"\x01", "\xa1a", "\xc0"}},
	{reflect.TypeFor[asArray](), 3, []string{"\x01", "\xc4\x01a", "\xc0"}},
	{reflect.TypeFor[embedding](), 5, []string{"\x01", "\x91\xa1a", "\xa1a", "\xc0", "\x02"}},
	{reflect.TypeFor[modest](), 6, []string{"\x01", "\xa1a", "\x80", "\x80", "\x91\x01", "\x01"}},
	{reflect.TypeFor[[2]int](), 2, []string{"\x01"}},
	{reflect.TypeFor[[3]string](), 3, []string{"\xa1a"}},
	{reflect.TypeFor[[4]*modest](), 4, []string{"\x80"}},
	{reflect.TypeFor[[1][]any](), 1, []string{"\x91\x01"}},
	{reflect.TypeFor[[2]map[string]int](), 2, []string{"\x80"}},
	{reflect.TypeFor[[]asArray](), 1, []string{"\x94\x01\xc4\x01a\xc0\x05"}},
}

// With OwnStrings, each string gets its own memory. The test decodes several texts in one message,
// with lengths near those at which the allocation of their memory changes.
func TestMatrixOwned(t *testing.T) {
	lengths := []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000}
	matrix.Probes(t, matrixFormat(), false, func(yield func(matrix.Probe) bool) {
		for _, n := range lengths {
			text := slices.Repeat([]byte{'t'}, n)
			for _, of := range []reflect.Type{reflect.TypeFor[[]byte](), reflect.TypeFor[string](), reflect.TypeFor[Bytes](), reflect.TypeFor[Word](), reflect.TypeFor[any]()} {
				// A short text precedes each text, so that shared memory does not begin where
				// separate memory could.
				m := []byte{0x94, 0xc4, 1, 'a'}
				for _, before := range []string{"", "\xc4\x01b", ""} {
					m = append(append(append(m, before...), msgpwire.Bin16, byte(n>>8), byte(n)), text...)
					if before != "" {
						m[0]++
					}
				}
				for _, option := range []string{"OwnStrings", ""} {
					if option == "" && testing.Short() {
						continue
					}
					p := matrix.Probe{Name: fmt.Sprintf("%v of %d bytes, %s", of, n, option), Kind: typed(reflect.SliceOf(of)), Message: m, Option: option}
					if !yield(p) {
						return
					}
					p.Name += ", in a struct"
					p.Kind = typed(reflect.StructOf([]reflect.StructField{{Name: "A", Type: of}, {Name: "B", Type: of}, {Name: "C", Type: of}, {Name: "D", Type: of}, {Name: "E", Type: of}}))
					if !yield(p) {
						return
					}
				}
			}
		}
	})
}
