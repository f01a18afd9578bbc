package relay

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestBucket(t *testing.T) {
	var b bucket
	now := time.Now()
	take := func(n int, rate float64, burst int, ok bool, after time.Duration) {
		t.Helper()
		if got, wait := b.take(n, rate, burst, now); got != ok || wait != after {
			t.Fatalf("%v %v, want %v %v", got, wait, ok, after)
		}
	}
	take(70, 10, 100, true, 0)
	take(40, 10, 100, false, time.Second)
	take(30, 10, 100, true, 0)
	take(1, 10, 100, false, 100*time.Millisecond)
	take(0, 10, 100, true, 0)
	take(1000, 0, 0, true, 0) // without a limit, no tokens are taken
	now = now.Add(time.Second)
	take(11, 10, 100, false, 100*time.Millisecond)
	take(10, 10, 100, true, 0)
	// A request for more than the burst passes when the bucket is full, but not earlier.
	now = now.Add(time.Hour)
	take(1, 10, 100, true, 0)
	take(500, 10, 100, false, 100*time.Millisecond)
	now = now.Add(100 * time.Millisecond)
	take(500, 10, 100, true, 0)
	take(1, 10, 100, false, 40*time.Second+100*time.Millisecond)
	// If the limit changes, the time until the bucket is full again stays the same.
	take(1, 1000, 10, false, 50*time.Second-9*time.Millisecond)
	now = now.Add(50 * time.Second)
	take(10, 1000, 10, true, 0)
	take(1, 1000, 10, false, time.Millisecond)
	// A clock that goes backwards does not fill the bucket.
	now = now.Add(-time.Minute)
	take(1, 1000, 10, false, time.Minute+time.Millisecond)
}

func TestBucketExtremes(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		n     int
		rate  float64
		burst int
	}{{math.MaxInt, 1e-300, math.MaxInt}, {math.MaxInt, 1e300, 1}, {1, math.SmallestNonzeroFloat64, 0}, {math.MaxInt, 1, 0}} {
		var b bucket
		for range 3 {
			b.take(c.n, c.rate, c.burst, now)
		}
		if ok, after := b.take(c.n, c.rate, c.burst, now); after < 0 || ok != (after == 0) || after > 48*time.Hour {
			t.Errorf("%+v: %v %v", c, ok, after)
		}
		if ok, _ := b.take(c.n, c.rate, c.burst, now.Add(72*time.Hour)); !ok {
			t.Errorf("%+v: not full after three days", c)
		}
	}
}

// However many goroutines take tokens concurrently, the total matches the rate.
func TestBucketConcurrent(t *testing.T) {
	var b bucket
	var taken atomic.Int64
	var wg sync.WaitGroup
	now := time.Now()
	for range 8 {
		wg.Go(func() {
			for i := range 5000 {
				if ok, _ := b.take(3, 1000, 600, now.Add(time.Duration(i)*time.Millisecond)); ok {
					taken.Add(3)
				}
			}
		})
	}
	wg.Wait()
	if n := taken.Load(); n < 5400 || n > 5600 {
		t.Errorf("%d were taken: 600 and 1000 a second for 5 s", n)
	}
}
