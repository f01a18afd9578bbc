package relay

import (
	"sync"
	"time"
)

// A breaker is a circuit breaker for a target, or for a tenant at a target. It stops requests after
// repeated failures.
//
//	closed     all requests pass. Five consecutive failures open the breaker.
//	open       no request passes for 1 s. Each failed probe doubles this pause, up to 30 s.
//	half-open  one request passes, the probe. Its success closes the breaker.
//
// The zero breaker is closed.
type breaker struct {
	mu       sync.Mutex
	failures int
	pause    time.Duration
	until    time.Time // no request passes before this time; while probing, the time limit of the probe
	probing  bool
}

const (
	breakerFailures = 5
	breakerPause    = time.Second
	breakerLongest  = 30 * time.Second
)

// allow reports whether a request may pass. If not, after is the time to wait before the next call
// of allow. A request that passes must end with done or cancel.
func (b *breaker) allow(now time.Time) (ok bool, after time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < breakerFailures {
		return true, 0
	}
	if wait := b.until.Sub(now); wait > 0 {
		if b.probing { // the probe may succeed at any moment
			wait = min(wait, breakerPause)
		}
		return false, wait
	}
	b.probing, b.until = true, now.Add(breakerLongest)
	return true, 0
}

// done records the outcome of a request. A request that the target rejected because of its content
// counts as a success: the target is available.
func (b *breaker) done(now time.Time, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok {
		b.failures, b.pause, b.probing = 0, 0, false
		return
	}
	if b.failures < breakerFailures {
		if b.failures++; b.failures < breakerFailures {
			return
		}
	} else if !b.probing {
		return // the request began before the breaker opened
	}
	b.probing = false
	b.pause = min(max(2*b.pause, breakerPause), breakerLongest)
	b.until = now.Add(b.pause)
}

// cancel records that a request ended without an outcome. If it was the probe, the next request is
// the probe.
func (b *breaker) cancel(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.probing {
		b.probing, b.until = false, now
	}
}

// open reports whether the breaker is open or half-open.
func (b *breaker) open() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failures >= breakerFailures
}
