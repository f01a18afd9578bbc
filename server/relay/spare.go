package relay

import "sync/atomic"

// spare is a budget for repeated posts. A post is repeated at a second target when the first target
// fails. The budget allows 100 repeated posts at first, and one more for every ten first posts.
// Without this limit, a target that is down could double the load of the other targets.
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

// take reports whether the budget allows a repeated post. If it does, take reduces the budget.
func (s *spare) take() bool {
	if s.tenths.Add(-spareCost) < -spareAtOnce {
		s.tenths.Add(spareCost)
		return false
	}
	return true
}
