package growth

import (
	"runtime"
	"time"
)

// Ratio returns the CPU time of a call from the function `ours` divided by the CPU time of a call
// from the function `theirs`. Ratio returns false on systems without a CPU clock for threads. The
// functions `ours` and `theirs` prepare a call and return it; only the returned call is measured.
// The calls alternate, for at most the given number of rounds. Ratio uses the shortest time of each
// call, because other load makes a call slower, but never faster. Ratio returns as soon as the
// ratio is at most the argument `enough`.
func Ratio(rounds int, enough float64, ours, theirs func() func()) (ratio float64, ok bool) {
	if !hasClock {
		return 0, false
	}
	runtime.LockOSThread() // threadTime reads the clock of this thread
	defer runtime.UnlockOSThread()
	var least [2]time.Duration
	for round := range rounds {
		for i, prepare := range []func() func(){ours, theirs} {
			call := prepare()
			start := threadTime()
			call()
			if spent := max(threadTime()-start, 1); round == 0 || spent < least[i] {
				least[i] = spent
			}
		}
		if ratio = float64(least[0]) / float64(least[1]); ratio <= enough && round > 0 {
			break
		}
	}
	return ratio, true
}
