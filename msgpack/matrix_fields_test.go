package msgpack_test

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// Structs with many fields decode correctly, though the names of the fields are similar. The fast
// loop decodes them, or the careful loop if there are options. All values differ, so a value in the
// wrong field is detected.
func TestMatrixFields(t *testing.T) {
	f := matrixFormat()
	matrix.Probes(t, f, false, manyFieldProbes(&f))
}

func manyFieldProbes(f *matrix.Format) iter.Seq[matrix.Probe] {
	return func(yield func(matrix.Probe) bool) {
		lists := matrix.Names()
		turn := 0
		for _, what := range slices.Sorted(maps.Keys(lists)) {
			names := lists[what]
			typ := matrix.Struct(names, func(_ int, name string) string { return fmt.Sprintf("msgpack:%q", name) })
			for k, keys := range matrix.Members(corpus.New(uint64(len(names))), names) {
				if turn++; testing.Short() && turn%3 != 0 && k > 1 {
					continue
				}
				m := msgpwire.AppendMapLen(nil, len(keys))
				for i, key := range keys {
					m = msgpwire.AppendInt(msgpwire.AppendString(m, key), int64(i+1))
				}
				p := matrix.Probe{
					Name: fmt.Sprintf("%s, %d", what, k), Kind: typed(typ), Message: m, Option: []string{"", "UniqueKeys", "DisallowUnknownFields", ""}[turn%4],
					Target: func(v reflect.Value) []reflect.Value {
						f.Filled(uint64(k), v)
						return nil
					},
				}
				if !yield(p) {
					return
				}
			}
			// Each field occurs twice.
			for k, name := range names {
				if testing.Short() && k != 0 && k != 15 && k != 16 && k != len(names)-1 {
					continue
				}
				m := []byte{0x83}
				for _, key := range []string{name, names[(k+16)%len(names)], name} {
					m = append(msgpwire.AppendString(m, key), 1)
				}
				if !yield(matrix.Probe{Name: fmt.Sprintf("%s: %s twice", what, name), Kind: typed(typ), Message: m, Option: "UniqueKeys"}) {
					return
				}
				m[len(m)-2]++
				if !yield(matrix.Probe{Name: fmt.Sprintf("%s: one like %s", what, name), Kind: typed(typ), Message: m, Option: "UniqueKeys"}) {
					return
				}
			}
		}
	}
}
