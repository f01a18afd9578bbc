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

// TestMatrixGrowth decodes arrays into slices of a part of an array, the rest of which is somebody
// else's: arrays that fit the slice's room, and arrays that do not. Many elements leave a part of
// their target as it is, so that what a new one held shows; and a second array follows, into a
// slice that is nil, so that what the decoder kept of the first shows, too.
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

// growthElements are elements by their type. Null, the empty ones and those with few members leave
// what is there.
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

// In what memory elements without pointers are gathered until they are counted: the first number of
// them takes so much that it is given back, so that for the second it grows again.
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
				if g.Want >= manyElements { // into a slice that is nil
					p.Target = nil
				}
				if count%5 == 0 && g.Want < manyElements { // it fails when some elements are in new memory
					p.Message = p.Message[:2*len(p.Message)/3]
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}
