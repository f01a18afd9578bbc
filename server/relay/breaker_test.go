package relay

import (
	"sync"
	"testing"
	"time"
)

func TestBreaker(t *testing.T) {
	var b breaker
	now := time.Now()
	allow := func(ok bool, after time.Duration) {
		t.Helper()
		if got, wait := b.allow(now); got != ok || wait != after {
			t.Fatalf("%v %v, want %v %v", got, wait, ok, after)
		}
	}
	fail := func(n int) {
		for range n {
			b.done(now, false)
		}
	}
	fail(4)
	b.done(now, true)
	fail(4)
	allow(true, 0)
	if b.open() {
		t.Fatal("open after four failures")
	}
	fail(1)
	if !b.open() {
		t.Fatal("closed after five failures")
	}
	fail(3) // failures of requests that passed before the breaker opened do not count
	allow(false, time.Second)
	for _, pause := range []time.Duration{2, 4, 8, 16, 30, 30} {
		_, wait := b.allow(now)
		now = now.Add(wait)
		allow(true, 0)
		allow(false, time.Second) // one probe, which may end at any moment
		fail(1)
		fail(1)
		allow(false, pause*time.Second)
	}
	now = now.Add(30 * time.Second)
	allow(true, 0)
	b.cancel(now)
	allow(true, 0) // the next probe may follow at once
	now = now.Add(30 * time.Second)
	allow(true, 0) // one more probe, because the last one did not end
	b.done(now, true)
	allow(true, 0)
	allow(true, 0)
	b.cancel(now)
	fail(5)
	allow(false, time.Second) // the pause is back at its minimum
	b.done(now, true)         // a request from before succeeds: the target is available
	allow(true, 0)
}

// If several goroutines ask at once, exactly one request is the probe.
func TestBreakerConcurrent(t *testing.T) {
	var b breaker
	now := time.Now()
	for range 5 {
		b.done(now, false)
	}
	now = now.Add(time.Second)
	var mu sync.Mutex
	var wg sync.WaitGroup
	probes := 0
	for range 8 {
		wg.Go(func() {
			if ok, _ := b.allow(now); ok {
				mu.Lock()
				probes++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if probes != 1 {
		t.Errorf("%d probes", probes)
	}
}
