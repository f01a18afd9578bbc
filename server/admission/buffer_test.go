package admission

import (
	"runtime"
	"testing"
)

// NewBuffer returns a buffer with at least the requested capacity, whatever buffers were freed
// before.
func TestBufferCapacity(t *testing.T) {
	for n := 1; n < 2*keptBuffer; n += n/7 + 1 {
		(&Buffer{make([]byte, n)}).Free()
		for _, want := range []int{n - 1, n, n + 1} {
			b := NewBuffer(want)
			if len(b.B) != 0 || cap(b.B) < want || want <= keptBuffer && cap(b.B) > 4*max(want, leastBuffer) {
				t.Fatalf("a buffer of %d bytes has %d and a capacity of %d", want, len(b.B), cap(b.B))
			}
			b.Free()
		}
	}
	(*Buffer)(nil).Free()
	runtime.GC() // no other test gets the buffers of unusual capacities
	runtime.GC()
}
