package growth

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	factor   = 4         // ratio of two sizes
	most     = 6         // maximum growth of the cost from n to 4n
	doubtful = 12        // the same for CPU time, if no larger input can confirm the growth
	confirms = 2         // number of larger sizes that confirm a growth
	worse    = 9         // minimum growth that confirms an earlier growth; see check
	slack    = 128 << 10 // bytes that every call may allocate in addition to Case.Alloc
	attempts = 12
	enough   = 5 // number of failed cases after which the short test ends, because measuring quadratic costs takes long

	leastSize = 1 << 10
	largest   = 16 << 20
	repeated  = 16 << 10 // calls with inputs smaller than this are repeated

	// The constant grain is the CPU time below which a comparison is useless, because interrupts
	// and page faults take about as long.
	grain = 100 * time.Microsecond
	// least is the smallest CPU time that shows whether a cost grows at all.
	least = 5 * time.Microsecond
	// brief is the CPU time above which the next size would take too long to be measured.
	brief = 400 * time.Millisecond
	// uncached is the input size above which the data made from the input no longer fits into the
	// caches. At this size, a growth of the CPU time by a factor of up to `leap` is permitted once,
	// if no larger input confirms the growth. An example is a Go map of strings that is made with
	// its final size. A map of 262,144 entries takes 16 times as long as a map of 65,536 entries.
	// If other programs also use the caches, it takes 20 times as long. For larger maps, four times
	// as many entries take 5 to 10 times as long.
	uncached = 1 << 20
	leap     = 25
	// patience is the CPU time after which a growth that exceeds the limit is not measured again.
	// Noise does not last for seconds, and the check must end before the test's timeout.
	patience = 2 * time.Second
	// fast is the CPU time per byte below which the short test continues with larger inputs.
	// Copying text takes a fraction of a nanosecond per byte. So a quadratic part of the cost is
	// visible only for long texts, and measuring long texts takes little time.
	fast = 1.0 // nanoseconds
	// The constant dear is the maximum cost per byte, relative to the cost per byte at the first
	// size. It applies to calls that take longer than `noticeable`. In total, caches and steps
	// increase the cost per byte by a factor of five. So if a call exceeds this maximum, no
	// confirmation is needed. A confirmation would take 16 times as long as the call. Likewise, a
	// growth by a factor of more than `doubtful` that confirms an earlier growth needs no further
	// confirmation.
	dear       = 10
	noticeable = 100 * time.Millisecond
	// memoryLimit is the memory use at which the garbage collector starts. Below this limit, it
	// does not run.
	memoryLimit = 768 << 20
)

// shortSizes contains the sizes n of the short test. At the first size, most faults are found while
// calls are still short.
var shortSizes = []int{8 << 10, 128 << 10}

// long returns the duration in SLIPSTREAM_LONG, or 0 in the short test.
func long(t testing.TB) time.Duration {
	text := os.Getenv("SLIPSTREAM_LONG")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.Fatalf("SLIPSTREAM_LONG=%q is no duration", text)
	}
	return d
}

// Check asserts that the costs of the cases grow linearly. It runs the test t in another process,
// because it measures the allocation of the process, and calls the garbage collector many times.
func Check(t *testing.T, cases []Case) {
	if raced || testing.Short() {
		t.Skip("the race detector and the tag invariants have costs of their own, and -short has no time")
	}
	if !Apart(t) {
		return
	}
	names := map[string]bool{}
	for _, c := range cases {
		if names[c.Name] {
			t.Fatalf("two cases are named %s", c.Name)
		}
		names[c.Name] = true
	}
	defer quiet()()
	works := map[string]bool{}
	limit := long(t)
	if limit == 0 {
		wrong := 0
		for _, c := range cases {
			if !c.Long && !t.Run(c.Name, func(t *testing.T) { c.ascend(t, shortSizes, works) }) {
				if wrong++; wrong == enough {
					t.Fatalf("%d cases fail, the others have not run", wrong)
				}
			}
		}
		idle(t, cases, works)
		return
	}
	end := time.Now().Add(limit)
	failed := make([]bool, len(cases))
	for n := leastSize; n <= largest/factor; n *= factor {
		for _, i := range rand.Perm(len(cases)) {
			if time.Now().After(end) {
				t.Logf("the time is up at %d KB", n>>10)
				return
			}
			if !failed[i] { // a larger size would fail too, and take long
				failed[i] = !t.Run(fmt.Sprintf("%s/%d_KB", cases[i].Name, n>>10), func(t *testing.T) { cases[i].ascend(t, []int{n}, works) })
			}
		}
	}
	idle(t, cases, works)
	if t.Failed() {
		return
	}
	for time.Now().Before(end) {
		// Small inputs are as likely as large ones.
		n := leastSize << rand.IntN(12)
		c, n := cases[rand.IntN(len(cases))], n+rand.IntN(n)
		t.Run(fmt.Sprintf("%s/%d", c.Name, n), func(t *testing.T) { c.ascend(t, []int{n}, works) })
	}
}

// idle reports an error for each call whose cost does not grow in any family. Such a call returns
// before it reads its input, so its cases measure nothing.
func idle(t *testing.T, cases []Case, works map[string]bool) {
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // not all families have run
	}
	for name, does := range works {
		if does || !hasClock || slices.ContainsFunc(cases, func(c Case) bool { return cmp.Or(c.call, c.Name) == name && c.grows() }) {
			continue
		}
		t.Errorf("%s: the cost does not grow with any family, so the call may do nothing", name)
	}
}

// grows reports whether the cost of the case grows from a small input to an input that is at least
// 16 times as large. On a busy machine, cold caches make the fixed cost of a call look larger than
// it is. This can hide the growth from n to 4n.
func (c Case) grows() bool {
	const n = factor * leastSize
	more := largest / factor / factor
	if c.Most > 0 {
		more = c.Most
	}
	small, large := c.Prepare(n), c.Prepare(more)
	a, b := measure(small, 1), measure(large, 1)
	// One measurement is not enough: an interrupt can add more than a call costs that does nothing.
	for range attempts {
		x, y := measure(small, 1), measure(large, 1)
		a, b = cost{min(a.time, x.time), min(a.alloc, x.alloc)}, cost{min(b.time, y.time), min(b.alloc, y.alloc)}
	}
	return grows(a, b)
}

// ascend checks the case at each size, up to the first size that fails. A larger size would fail,
// too, and take long. If the cost of the call grows at all, ascend records this in the map `works`.
func (c Case) ascend(t *testing.T, sizes []int, works map[string]bool) {
	var base float64 // nanoseconds for a byte at the first size
	for _, n := range sizes {
		if base > 0 && base < fast {
			n *= factor
		}
		if c.Most > 0 {
			n = min(n, c.Most/factor)
		}
		seen, err := c.check(n, base)
		if base == 0 {
			base = seen.perByte
		}
		name := cmp.Or(c.call, c.Name)
		works[name] = works[name] || seen.grows || c.constant
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// quiet turns off the garbage collector below memoryLimit, until the returned function is called.
func quiet() (restore func()) {
	percent := debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(memoryLimit)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}

// cost is the CPU time and the allocated bytes of one or more calls.
type cost struct {
	time  time.Duration
	alloc int
}

// measure runs f the given number of times, and returns the total cost.
func measure(f func(), times int) cost {
	runtime.LockOSThread() // threadTime reads the clock of this thread
	defer runtime.UnlockOSThread()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := threadTime()
	for range times {
		f()
	}
	spent := threadTime() - start
	runtime.ReadMemStats(&after)
	return cost{spent, int(after.TotalAlloc - before.TotalAlloc)}
}

// seen contains the results of a comparison of two sizes, except the error.
type seen struct {
	grows   bool    // whether the cost grows at all
	perByte float64 // nanoseconds per byte of the larger input
}

// check compares the costs of n and 4n bytes. The error describes the cost that grows too much. The
// argument `base` is the CPU time per byte for a much smaller input, in nanoseconds, or 0 if no
// smaller input was measured.
//
// Some costs grow in steps. When the data no longer fits into a cache, a call becomes slower from
// one size to the next. This happens two or three times in total, and more often if other programs
// run. Buffers also grow in steps, pools keep buffers only up to some size, and errors begin at a
// limit. Such a step occurs once, but a faulty cost continues to grow. So a growth is an error only
// if the next sizes confirm it.
//
// If the CPU time grows by a factor of more than `doubtful`, one confirmation is enough. If the
// calls are long, no confirmation is needed. Long calls confirm an earlier growth if their CPU time
// grows by a factor of more than `worse`. At sizes that exceed the caches, the next size is always
// measured, with two exceptions: the calls take longer than `patience`, or their time grows by a
// factor of more than `leap`.
//
// If the cost per byte is a + bn, and bn is more than a/5, then 4n bytes cost more than 6 times as
// much as n bytes. At the next two sizes, the factor is more than 9 and more than 13. The
// allocation per byte is limited at each size.
func (c Case) check(n int, base float64) (s seen, err error) {
	bound, certainly, leapt := float64(most), float64(doubtful), false
	for i := 0; ; i++ {
		a, b, times, err := c.compare(n, bound)
		s.grows = s.grows || grows(a, b)
		s.perByte = float64(b.time) / float64(factor*n*times)
		rises := float64(b.time) / float64(max(a.time, grain))
		mayLeap := factor*n >= uncached && b.time <= patience && !leapt
		if mayLeap {
			certainly, leapt = leap, rises > doubtful
		}
		certain := b.time > brief && rises > certainly ||
			b.time > noticeable && (base > 0 && s.perByte > dear*base || i > 0 && rises > max(certainly, doubtful))
		if err == nil || c.tooMuch(n, times, b) != "" || certain && !c.OnlyAlloc || i == confirms {
			return s, err
		}
		bound = worse
		if !mayLeap {
			certainly = worse
		}
		// If there is no larger size, or it would take too long, this growth alone must be large.
		if c.Most > 0 && factor*factor*n > c.Most || b.time > brief && !mayLeap {
			return s, c.judge(n, times, a, b, bound, certainly)
		}
		n, certainly = factor*n, worse
		if leapt {
			certainly = doubtful
		}
	}
}

// compare measures n and 4n bytes until the growth of the costs is permitted, or until all attempts
// are used. The argument `bound` is the permitted factor.
func (c Case) compare(n int, bound float64) (a, b cost, times int, err error) {
	small, large := c.Prepare(n), c.Prepare(factor*n)
	times = max(1, repeated/n) // small inputs are repeated, so that the clock is fine enough
	var spent time.Duration
	for i := range attempts {
		if i > 0 {
			runtime.GC() // so that both calls find memory that was in use before
		}
		x, y := measure(small, times), measure(large, times)
		spent += x.time + y.time
		if i == 0 {
			a, b = x, y
		} else {
			// Pools, and estimates from earlier calls, make some calls allocate less than others of
			// the same size.
			a, b = cost{min(a.time, x.time), max(a.alloc, x.alloc)}, cost{min(b.time, y.time), min(b.alloc, y.alloc)}
		}
		// The first measurement of a small cost is often too high, because the caches do not
		// contain the data yet. This hides that the cost grows.
		if err = c.judge(n, times, a, b, bound, bound); err == nil && (i >= 2 || grows(a, b)) || spent > patience {
			break
		}
	}
	return a, b, times, err
}

// grows reports whether b is clearly more than a. The arguments a and b are the costs of n and 4n
// bytes.
func grows(a, b cost) bool {
	return b.time >= 2*max(a.time, least) || b.alloc >= 2*max(a.alloc, leastSize)
}

// judge returns an error if b is too large in comparison with a. The arguments a and b are the
// costs of n and 4n bytes. The argument `bound` is the permitted growth factor of the allocation.
// The argument `slower` is the permitted growth factor of the CPU time.
func (c Case) judge(n, times int, a, b cost, bound, slower float64) error {
	wrong := c.tooMuch(n, times, b)
	// Costs below a quarter of the permitted allocation are not compared.
	if float64(b.alloc) > bound*max(float64(a.alloc), float64(times)*(c.Alloc*float64(n)+slack)/4) {
		wrong += fmt.Sprintf("; allocation grows %.1f times, from %d KB to %d KB", ratio(b.alloc, a.alloc), a.alloc>>10, b.alloc>>10)
	}
	// A call that uses nearly all of the memory is slow because of the garbage collector and the
	// operating system.
	fits := b.alloc/times < memoryLimit/2
	if hasClock && !c.OnlyAlloc && fits && float64(b.time) > slower*float64(max(a.time, grain)) {
		wrong += fmt.Sprintf("; CPU time grows %.1f times, from %v to %v", ratio(b.time, a.time), a.time, b.time)
	}
	if wrong == "" {
		return nil
	}
	return fmt.Errorf("from %d to %d KB of input (%d times)%s", n>>10, factor*n>>10, times, wrong)
}

// tooMuch returns a text if a call with 4n bytes allocates more than permitted, and otherwise an
// empty string.
func (c Case) tooMuch(n, times int, b cost) string {
	if bytes, bound := float64(b.alloc)/float64(times), c.Alloc*float64(factor*n)+slack; bytes > bound {
		return fmt.Sprintf("; it allocates %.0f KB, %.1f times its size, and may %g times", bytes/1024, bytes/float64(factor*n), c.Alloc)
	}
	return ""
}

func ratio[N time.Duration | int](b, a N) float64 { return float64(b) / max(float64(a), 1) }
