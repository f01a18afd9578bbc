package matrix

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// The strings that a format's Fill creates live as long as the constants that contain them. The
// garbage collector does not scan the memory of constants.
func TestConstantsKeepStrings(t *testing.T) {
	type label struct{ Text string }
	var made, freed atomic.Int64
	format := &Format{Fill: func(r *rand.Rand, v reflect.Value) bool {
		if p, is := v.Addr().Interface().(*label); is {
			b := make([]byte, 64)
			made.Add(1)
			runtime.AddCleanup(&b[0], func(*atomic.Int64) { freed.Add(1) }, &freed)
			p.Text = mem.String(b)
			return true
		}
		return false
	}}
	w := &world{f: format, types: newTypes(nil)}
	for seed := range uint64(20) {
		f := &filler{f: format, w: w, r: corpus.New(seed), constants: true}
		w.target = reflect.New(reflect.TypeFor[[]label]())
		f.value(w.target.Elem(), 0)
		w.kept = append(w.kept, w.target)
	}
	if len(w.constants) == 0 {
		t.Fatal("no labels are constants")
	}
	for range 3 {
		runtime.GC()
	}
	if n := freed.Load(); n > 0 {
		t.Errorf("%d of %d strings were freed", n, made.Load())
	}
	w.free()
	runtime.KeepAlive(w)
}
