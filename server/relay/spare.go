package relay

import "sync/atomic"

// spare bounds posts that are sent again: one for each ten that are not, and some to begin with.
// Otherwise a target that is down would double the load of the others.
type spare struct{ tenths atomic.Int64 }

const (
	spareAtOnce = 1000 // in tenths
	spareCost   = 10
)

func (s *spare) earn() {
	if n := s.tenths.Load(); n < 0 {
		s.tenths.CompareAndSwap(n, n+1)
	}
}

// take reports whether a post may be sent again.
func (s *spare) take() bool {
	if s.tenths.Add(-spareCost) < -spareAtOnce {
		s.tenths.Add(spareCost)
		return false
	}
	return true
}
