package msgpack_test

import (
	"fmt"
	"iter"
	"reflect"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// Arrays decode correctly into a slice that covers a part of a larger array, and the rest of the
// larger array stays unchanged. Some arrays fit the slice's capacity. Others move before the first
// element or, if memory is allocated in steps, between two elements. Many elements do not set all
// of their target, so stale contents of new elements are detected.
func TestMatrixGrowth(t *testing.T) {
	f := matrixFormat()
	f.Opaque = append(f.Opaque, reflect.TypeFor[ballast]())
	f.Equal = func(a, b any) bool { return a == b }
	matrix.Probes(t, f, true, growthProbes(&f))
}

type (
	// ballast makes a struct so large that a short input gets memory for only a few elements.
	ballast [2560]uint64
	ample   struct {
		T       string
		M       map[string]int
		P       *Inner
		Ballast ballast `msgpack:"-"`
	}
	modest struct {
		A int
		T string
		M map[string]int
		P *Inner
		S []int
		Z any
	}
)

// growthElements contains encoded elements for each type. Empty elements and elements with few
// pairs leave parts of the target unchanged.
var growthElements = map[reflect.Type][]string{
	reflect.TypeFor[int64]():          {"\x01", "\xd3\x00\x00\x00\x00\x00\x00\x00\x02", "\xc0"},
	reflect.TypeFor[float64]():        {"\x01", "\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00", "\xc0"},
	reflect.TypeFor[string]():         {"\xa1a", "\xa0", "\xd9\x01b", "\xc0"},
	reflect.TypeFor[int16]():          {"\x01", "\xc0"},
	reflect.TypeFor[*int]():           {"\x01", "\x02", "\xc0"},
	reflect.TypeFor[[]byte]():         {"\xc4\x02ab", "\xa0", "\xc0"},
	reflect.TypeFor[[2]string]():      {"\x90", "\x91\xa1a", "\xc0"},
	reflect.TypeFor[[][]int]():        {"\x92\x91\x01\x90", "\x91\x93\x01\x02\x03", "\x90"},
	reflect.TypeFor[any]():            {"\x01", "\xc0", "\x81\xa1a\x90"},
	reflect.TypeFor[map[string]int](): {"\x80", "\x81\xa1k\x01", "\xc0"},
	reflect.TypeFor[map[int16]*int](): {"\x80", "\x81\x05\x01"},
	reflect.TypeFor[modest]():         {"\x80", "\x81\xa1M\x81\xa1k\x01", "\x81\xa1P\x80", "\x82\xa1A\x01\xa1S\x91\x01", "\x81\xa1Z\xc3", "\xc0"},
	reflect.TypeFor[*modest]():        {"\x80", "\x81\xa1M\x81\xa1k\x01", "\x81\xa1P\x80", "\xc0"},
	reflect.TypeFor[ample]():          {"\x80", "\x81\xa1M\x81\xa1k\x01", "\x82\xa1P\x80\xa1T\xa1t"},
}

func growthProbes(f *matrix.Format) iter.Seq[matrix.Probe] {
	return func(yield func(matrix.Probe) bool) {
		for at, elem := range matrix.Sorted(growthElements) {
			messages := growthElements[elem]
			slice := reflect.SliceOf(elem)
			for count, g := range matrix.Growths() {
				if testing.Short() && (count+at)%4 != 0 || elem == reflect.TypeFor[ample]() && g.Cap > 2 {
					continue
				}
				m := msgpwire.AppendArrayLen(nil, g.Want)
				for k := range g.Want {
					m = append(m, messages[(k+count)%len(messages)]...)
				}
				p := matrix.Probe{
					Name: fmt.Sprintf("%v: %+v", slice, g), Kind: typed(slice), Message: m,
					Target: func(v reflect.Value) []reflect.Value { return f.Part(uint64(count), v, g) },
				}
				if count%2 == 0 {
					p.Kind = typed(reflect.StructOf([]reflect.StructField{{Name: "F", Type: slice}}))
					p.Message = append([]byte("\x81\xa1F"), m...)
					p.Target = func(v reflect.Value) []reflect.Value { return f.Part(uint64(count), v.Field(0), g) }
				}
				if count%5 == 0 { // decoding fails after some elements are in new memory
					p.Message = p.Message[:2*len(p.Message)/3]
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}
