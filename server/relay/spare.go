package relay

import "sync/atomic"

// spare is a budget for repeated posts. It allows 100 repeated posts at first, and one more for
// every ten posts that are not repeats. Without this limit, a target that is down could double the
// load of the other targets.
type spare struct{ tenths atomic.Int64 }

const (
	spareAtOnce = 1000 // maximum budget, in tenths of a post
	spareCost   = 10
)

func (s *spare) earn() {
	if n := s.tenths.Load(); n < 0 {
		s.tenths.CompareAndSwap(n, n+1)
	}
}

// take reports whether a post may be repeated. If so, it reduces the budget.
func (s *spare) take() bool {
	if s.tenths.Add(-spareCost) < -spareAtOnce {
		s.tenths.Add(spareCost)
		return false
	}
	return true
}
