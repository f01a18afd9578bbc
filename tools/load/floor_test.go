package load

import (
	"os"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
)

// On a busy machine, the kernel may count no CPU time for a turn. The turn then continues until the
// kernel has counted some.
func TestFloorIsMoreThanNothing(t *testing.T) {
	packing, err := newPacking("snappy")
	if err != nil {
		t.Fatal(err)
	}
	f := &floor{
		own: process{procFS(), os.Getpid()}, turn: time.Nanosecond, packing: packing,
		bodies: []*request{{body: s2.EncodeSnappy(nil, make([]byte, 1000))}},
	}
	if _, err := f.own.cpuSeconds(); err != nil {
		t.Skip("needs /proc")
	}
	if err := f.measure(t.Context()); err != nil || f.least == nil || !(*f.least > 0) {
		t.Errorf("%v, %v", f.least, err)
	}
}
