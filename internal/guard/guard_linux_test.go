package guard

import (
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"
)

// faults reports whether f accesses protected memory.
func faults(f func()) (did bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { did = recover() != nil }()
	f()
	return false
}

var sink byte

// The bytes next to an input are protected at the guarded edge, for inputs of many lengths.
func TestInputFaults(t *testing.T) {
	for _, n := range []int{0, 1, 7, 4095, 4096, 4097, 70000} {
		want := slices.Repeat([]byte{0xa5}, n)
		for _, c := range []struct {
			name  string
			input func([]byte) ([]byte, *Region)
			edge  int // index of the nearest unreadable byte
		}{{"Input", Input, n}, {"InputFirst", InputFirst, -1}} {
			got, r := c.input(want)
			if !slices.Equal(got, want) || cap(got) != n {
				t.Errorf("%s of %d bytes: %d bytes, capacity %d, or others", c.name, n, len(got), cap(got))
			}
			at := func(i int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(got)), i)) }
			if !faults(func() { sink = *at(c.edge) }) {
				t.Errorf("%s of %d bytes: byte %d can be read", c.name, n, c.edge)
			}
			if n > 0 && !faults(func() { *at(n - 1) = 1 }) {
				t.Errorf("%s of %d bytes can be written", c.name, n)
			}
			r.Free()
		}
	}
}

// A region can be made read-only and writable again.
func TestRegion(t *testing.T) {
	r := NewRegion(10)
	defer r.Free()
	b := r.Last(10)
	b[0] = 1
	r.ReadOnly()
	if !faults(func() { b[0] = 2 }) || b[0] != 1 {
		t.Error("a region that is read-only can be written")
	}
	r.Writable()
	if b[0] = 3; r.First(1)[0] != 0 || b[0] != 3 {
		t.Error("a region cannot be written again")
	}
}
