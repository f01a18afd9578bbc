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

// TestMatrixInts decodes ints at the edges of each type, and beyond them, in each form: alone, in a
// map, and in arrays, where runs of ints of one form are read several at a time. With StrictInts
// those beyond are refused.
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
					if testing.Short() && (at+k+i)%5 != 0 && k < len(forms)-2 { // the last two are beyond most types
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

// edgeForms are the encodings of ints within a type and beyond it.
func edgeForms(of reflect.Type) (forms [][]byte) {
	bits := of.Bits()
	var values []int64
	if reflect.Zero(of).CanInt() {
		for _, v := range []int64{math.MaxInt64 >> (64 - bits), math.MinInt64 >> (64 - bits)} {
			values = append(values, v, v+1, v-1) // of 64 bits, the other end
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

// intPlace is where an int may stand.
type intPlace struct {
	typ     reflect.Type
	message func(form []byte) []byte
}

func intPlaces(of reflect.Type) []intPlace {
	around := func(before string) func([]byte) []byte {
		return func(form []byte) []byte { return append([]byte(before), form...) }
	}
	// run puts the int among others of one form: the one that a run begins with, one in its middle,
	// and its last.
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
	if of.Kind() == reflect.Uint8 { // which is a []byte
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

// TestMatrixLengths decodes arrays that are shorter and longer than what they are decoded into,
// which holds values: structs, whose missing fields become zero, and Go arrays.
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

// lengthTypes are what arrays of a certain length fit, and those elements.
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

// TestMatrixOwned decodes texts of lengths about those at which they get their memory in another
// way, several in one message: with OwnStrings each has its own.
func TestMatrixOwned(t *testing.T) {
	lengths := []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000}
	matrix.Probes(t, matrixFormat(), false, func(yield func(matrix.Probe) bool) {
		for _, n := range lengths {
			text := slices.Repeat([]byte{'t'}, n)
			for _, of := range []reflect.Type{reflect.TypeFor[[]byte](), reflect.TypeFor[string](), reflect.TypeFor[Bytes](), reflect.TypeFor[Word](), reflect.TypeFor[any]()} {
				// A short one before each, so that memory that is shared does not begin where
				// memory of one's own might.
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
