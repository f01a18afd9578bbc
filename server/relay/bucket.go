package relay

import (
	"sync/atomic"
	"time"
)

// bucket is a token bucket. Its rate and its burst are arguments of the method take, and may change
// between calls. The zero bucket is full.
//
// It does not store the number of tokens, but the time at which the bucket will be full again. So
// the method take only adds to a single word, even after the limits have changed.
type bucket struct{ full atomic.Int64 } // when the bucket will be full again, as returned by ticks

// longest limits the time that one call of take adds, and keeps sums within an int64.
const longest = float64(24 * time.Hour)

// start is the time zero of the function ticks. Its clock does not jump when the system time is
// set.
var start = time.Now()

func ticks(now time.Time) int64 { return int64(now.Sub(start)) }

// take removes n tokens, if the bucket contains them. Otherwise it returns the time until the
// bucket will contain them, unless other calls remove tokens. If n exceeds the burst, take succeeds
// when the bucket is full, and the missing tokens delay later calls. A rate of zero means that
// there is no limit.
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
