package relay

import (
	"sync/atomic"
	"time"
)

// bucket is a token bucket for a rate that may be another one each time. The zero bucket is full.
//
// It keeps no tokens but the time at which it would be full again, so that taking is one addition
// to one word, whatever has become of the limits.
type bucket struct{ full atomic.Int64 } // on the clock of ticks

// longest bounds what one taking costs, and keeps sums within an int64.
const longest = float64(24 * time.Hour)

// start is when the clock of ticks began. That clock does not jump when the machine's is set.
var start = time.Now()

func ticks(now time.Time) int64 { return int64(now.Sub(start)) }

// take takes n tokens, if they are there. What is more than the burst passes when the bucket is
// full, and is owed. If they are not there, they will be after a while, unless others take them. A
// rate of zero is no limit.
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
