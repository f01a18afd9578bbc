package load

import (
	"context"
	"runtime"
	"time"

	"github.com/klauspost/compress/s2"
)

// floor measures the minimum work of any relay: decompressing the bodies, and compressing them
// again with snappy.
type floor struct {
	own     process
	turn    time.Duration
	packing *packing
	bodies  []*request
	least   *float64 // CPU seconds per GB of uncompressed bodies, the minimum over all turns; nil if they cannot be measured
}

// floorTurn is the maximum duration of a turn: a hundred ticks of the kernel's clock for CPU times.
const floorTurn = time.Second

// measure runs one turn. During the call, nothing else may run in this process.
func (f *floor) measure(ctx context.Context) error {
	runtime.GC() // garbage from the preparation must not be collected during the turn
	before, err := f.own.cpuSeconds()
	if err != nil {
		return nil // there is no /proc here
	}
	var plain, packed []byte
	var done int64
	after := before
	for begin, i := time.Now(), 0; after == before || time.Since(begin) < f.turn; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if plain, err = f.packing.unpack(plain, f.bodies[i%len(f.bodies)].body); err != nil {
			return err
		}
		packed = s2.EncodeSnappy(packed[:cap(packed)], plain)
		done += int64(len(plain))
		if time.Since(begin) < f.turn {
			continue
		}
		if after, err = f.own.cpuSeconds(); err != nil { // on a busy machine a turn may pass without a tick
			return nil
		}
	}
	if perGB := (after - before) / float64(done) * 1e9; f.least == nil || perGB < *f.least {
		f.least = &perGB
	}
	return nil
}
