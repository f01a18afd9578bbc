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
	fail(3) // those that had gone before count no more
	allow(false, time.Second)
	for _, pause := range []time.Duration{2, 4, 8, 16, 30, 30} {
		_, wait := b.allow(now)
		now = now.Add(wait)
		allow(true, 0)
		allow(false, time.Second) // one probe, whose answer may come any moment
		fail(1)
		fail(1)
		allow(false, pause*time.Second)
	}
	now = now.Add(30 * time.Second)
	allow(true, 0)
	b.cancel(now)
	allow(true, 0) // another probe at once
	now = now.Add(30 * time.Second)
	allow(true, 0) // and another: the last is lost
	b.done(now, true)
	allow(true, 0)
	allow(true, 0)
	b.cancel(now)
	fail(5)
	allow(false, time.Second) // from the beginning
	b.done(now, true)         // one that had gone before: the target is there
	allow(true, 0)
}

// However many ask, one is the probe.
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
