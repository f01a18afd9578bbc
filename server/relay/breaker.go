package relay

import (
	"sync"
	"time"
)

// A breaker keeps requests from a target, or a tenant at a target, that fails.
//
//	closed     all may go. Five failures in a row open it: a success forgets those before.
//	open       none may go for a while: 1 s, and twice as long after each probe that fails, up to 30 s.
//	half-open  one may go, the probe. Its success closes the breaker.
//
// The zero breaker is closed.
type breaker struct {
	mu       sync.Mutex
	failures int
	pause    time.Duration
	until    time.Time // none may go before; while a probe is out, when it is given up
	probing  bool
}

const (
	breakerFailures = 5
	breakerPause    = time.Second
	breakerLongest  = 30 * time.Second
)

// allow reports whether a request may go, and if not, when to ask again. One that may go ends with
// done or cancel.
func (b *breaker) allow(now time.Time) (ok bool, after time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < breakerFailures {
		return true, 0
	}
	if wait := b.until.Sub(now); wait > 0 {
		if b.probing { // which may succeed any moment
			wait = min(wait, breakerPause)
		}
		return false, wait
	}
	b.probing, b.until = true, now.Add(breakerLongest)
	return true, 0
}

// done says how a request went. One that was refused for what it holds went well: the target is
// there.
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
		return // it had gone before the breaker opened, and is no news
	}
	b.probing = false
	b.pause = min(max(2*b.pause, breakerPause), breakerLongest)
	b.until = now.Add(b.pause)
}

// cancel says that a request ended before it was known how it went. If it was the probe, the next
// one is.
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
