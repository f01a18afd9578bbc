//go:build !invariants

package mem

import (
	"reflect"
	"testing"
	"unsafe"
)

// TestPlainPlace holds the plain build free of the checks: a place is an address and nothing besides, and touching it allocates nothing.
func TestPlainPlace(t *testing.T) {
	if Guarded || reflect.TypeFor[Pointer]() != reflect.TypeFor[unsafe.Pointer]() {
		t.Errorf("Guarded is %v, Pointer is %v", Guarded, reflect.TypeFor[Pointer]())
	}
	v := [2]uint64{1, 2}
	p := PointerTo(&v)
	b := make([]byte, 8, 16)
	if n := testing.AllocsPerRun(100, func() {
		*At[uint64](Add(Of(RawOf(p), nil), 8), 0) = 3
		View(p, 16)[0] = 4
		Seal(b, 8)
	}); n != 0 || v != [2]uint64{4, 3} {
		t.Errorf("%v allocations, %v", n, v)
	}
}
