package relay

import (
	"sync/atomic"
	"time"
)

// bucket is a token bucket. Its rate and its burst are arguments of the method `take`, and may
// change between calls. The zero bucket is full.
//
// A bucket does not store the number of tokens. It stores the time at which the bucket will be full
// again. So the method `take` changes only one word, even after the rate or the burst has changed.
type bucket struct{ full atomic.Int64 } // when the bucket will be full again, as returned by ticks

// longest is the maximum time by which one call of the method `take` delays the time in a bucket.
// It keeps sums within an int64.
const longest = float64(24 * time.Hour)

// start is the time at which the function `ticks` returns zero. Setting the system time does not
// change the results of `ticks`.
var start = time.Now()

func ticks(now time.Time) int64 { return int64(now.Sub(start)) }

// take removes n tokens if the bucket contains n tokens. Otherwise it removes none, and returns the
// time until the bucket will contain them if no other call removes tokens. If n exceeds the burst,
// take succeeds when the bucket is full; later calls then wait for the missing tokens. A rate of
// zero means that there is no limit.
func (b *bucket) take(n int, rate float64, burst int, now time.Time) (ok bool, after time.Duration) {
	if rate <= 0 || n <= 0 {
		return true, 0
	}
	second := float64(time.Second)
	cost := int64(min(float64(n)/rate*second, longest))
	room := int64(min(float64(burst)/rate*second, longest))
	for t := ticks(now); ; {
		full := b.full.Load()
		owed := max(full-t, 0)
		if short := owed + min(cost, room) - room; short > 0 {
			return false, time.Duration(short)
		}
		if b.full.CompareAndSwap(full, t+owed+cost) {
			return true, 0
		}
	}
}
