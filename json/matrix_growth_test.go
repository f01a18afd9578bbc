package json_test

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/json"
)

// Arrays decode correctly into a slice that covers a part of a larger array, and the rest of the
// larger array stays unchanged. Some arrays fit the slice's capacity, others do not. Many elements
// do not set all of their target, so stale contents of new elements are detected. A second array is
// decoded into a nil slice, so data that the decoder kept from the first array is detected too.
func TestMatrixGrowth(t *testing.T) {
	if json.OnV2 {
		t.Skip("the oracle is that of Go 1.26; the differential tests run against both")
	}
	f := matrixFormat()
	matrix.Probes(t, f, true, growthProbes(&f))
}

type (
	point  struct{ X, Y int }
	modest struct {
		A int
		T string
		M map[string]int
		P *point
		S []int
		Z any
	}
)

// growthElements contains elements for each type. Null, empty elements and elements with few
// members leave parts of the target unchanged.
var growthElements = map[reflect.Type][]string{
	reflect.TypeFor[int64]():           {"1", "null", "2"},
	reflect.TypeFor[float64]():         {"1.5", "null"},
	reflect.TypeFor[bool]():            {"true", "null"},
	reflect.TypeFor[point]():           {`{"X":1,"Y":2}`, "{}", `{"Y":3}`, "null"},
	reflect.TypeFor[[2]uint8]():        {"[1,2]", "null", "[3]"},
	reflect.TypeFor[string]():          {`"a"`, "null", `""`},
	reflect.TypeFor[*int]():            {"1", "2", "null"},
	reflect.TypeFor[[]byte]():          {`"YWI="`, `""`, "null"},
	reflect.TypeFor[[][]int]():         {"[[1],[]]", "[[1,2,3]]", "[]"},
	reflect.TypeFor[any]():             {"1", "null", `{"a":[]}`},
	reflect.TypeFor[map[string]int]():  {"{}", `{"k":1}`, "null"},
	reflect.TypeFor[json.RawMessage](): {"1", "null", "[ ]"},
	reflect.TypeFor[modest]():          {"{}", `{"M":{"k":1}}`, `{"P":{}}`, `{"A":1,"S":[1]}`, `{"Z":true}`, "null"},
	reflect.TypeFor[*modest]():         {"{}", `{"M":{"k":1}}`, `{"P":{"X":1}}`, "null"},
}

// Elements without pointers are collected in temporary memory until their number is known.
// mostElements need so much of it that the decoder releases it. So it grows again for manyElements.
const (
	mostElements = 2500
	manyElements = 300
)

func growthProbes(f *matrix.Format) iter.Seq[matrix.Probe] {
	return func(yield func(matrix.Probe) bool) {
		for at, elem := range matrix.Sorted(growthElements) {
			list := func(n, from int) string {
				var all []string
				for k := range n {
					all = append(all, growthElements[elem][(k+from)%len(growthElements[elem])])
				}
				return "[" + strings.Join(all, ",") + "]"
			}
			slice := reflect.SliceOf(elem)
			k := wrapped(reflect.StructOf([]reflect.StructField{{Name: "F", Type: slice}, {Name: "G", Type: slice}}))
			growths := append(matrix.Growths(), matrix.Growth{}, matrix.Growth{Want: 1})
			if elem == reflect.TypeFor[point]() || !testing.Short() {
				growths = append(growths, matrix.Growth{Want: mostElements}, matrix.Growth{Want: manyElements})
			}
			for count, g := range growths {
				if testing.Short() && (count+at)%4 != 0 && g.Want < manyElements {
					continue
				}
				p := matrix.Probe{
					Name: fmt.Sprintf("%v: %+v", slice, g), Kind: k,
					Message: fmt.Appendf(nil, `{"F":%s,"G":%s}`+"\n", list(g.Want, count), list(1+count%4, count+1)),
					Target:  func(v reflect.Value) []reflect.Value { return f.Part(uint64(count), v.Field(0), g) },
				}
				if g.Want >= manyElements { // decode into a nil slice
					p.Target = nil
				}
				if count%5 == 0 && g.Want < manyElements { // decoding fails after some elements are in new memory
					p.Message = p.Message[:2*len(p.Message)/3]
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}
