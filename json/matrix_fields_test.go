package json_test

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/json"
)

// Structs with many fields decode correctly, though the names of the fields are similar. All values
// differ, so a value in the wrong field is detected.
func TestMatrixFields(t *testing.T) {
	if json.OnV2 {
		t.Skip("the oracle is that of Go 1.26; the differential tests run against both")
	}
	f := matrixFormat()
	matrix.Probes(t, f, false, manyFieldProbes(&f))
}

func manyFieldProbes(f *matrix.Format) iter.Seq[matrix.Probe] {
	return func(yield func(matrix.Probe) bool) {
		lists := matrix.Names()
		turn := 0
		for _, what := range slices.Sorted(maps.Keys(lists)) {
			names := lists[what]
			k := wrapped(matrix.Struct(names, func(k int, name string) string {
				if k%3 == 0 { // some fields have options
					name += ",omitempty"
				}
				return fmt.Sprintf("json:%q", name)
			}))
			for i, keys := range matrix.Members(corpus.New(uint64(len(names))), names) {
				if turn++; testing.Short() && turn%4 != 0 && i > 1 {
					continue
				}
				b := []byte("{")
				for n, key := range keys {
					b = fmt.Appendf(b, "%q:%d,", key, n+1)
				}
				b[len(b)-1] = '}'
				p := matrix.Probe{
					Name: fmt.Sprintf("%s, %d", what, i), Kind: k, Message: append(b, '\n'),
					Option: []string{"", "DisallowUnknownFields", "DontMatchCaseInsensitiveStructFields", "", "RejectDuplicateNames"}[turn%5],
					Target: func(v reflect.Value) []reflect.Value {
						f.Filled(uint64(i), v)
						return nil
					},
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}
