package relay

import (
	"sync"
	"time"
)

// A breaker is a circuit breaker. It belongs to a target, or to a tenant at a target. After
// repeated failures, it stops requests for some time.
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

// allow reports whether a request may pass. If it may not, `after` is the time until allow should
// be called again. If a request passes, the caller must call done or cancel at its end.
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

// done records the outcome of a request. If the target rejected the request because of its content,
// the caller must report a success, because the target is available.
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

// cancel records that a request ended without an outcome. If this request was the probe, the next
// request becomes the probe.
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
