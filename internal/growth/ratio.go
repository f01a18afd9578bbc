package growth

import (
	"runtime"
	"time"
)

// Ratio returns how many times the CPU time of theirs ours takes, and false where no clock tells.
// Each of them prepares a call and returns it; only the call is measured. They take turns, up to a
// number of rounds, and the least of each counts: what else a machine does makes a call slower, and
// none faster. Ratio returns as soon as the ratio is at most enough.
func Ratio(rounds int, enough float64, ours, theirs func() func()) (ratio float64, ok bool) {
	if !hasClock {
		return 0, false
	}
	runtime.LockOSThread() // whose clock is read
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
