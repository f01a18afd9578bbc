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
	doubtful = 12        // the same for CPU time, if no larger input confirms the growth
	confirms = 2         // number of larger sizes that confirm a growth
	worse    = 9         // minimum growth that counts as a confirmation; see check
	slack    = 128 << 10 // bytes that any call may allocate
	attempts = 12
	enough   = 5 // number of failed cases that end the short form: a quadratic cost takes long to measure

	leastSize = 1 << 10
	largest   = 16 << 20
	repeated  = 16 << 10 // calls with smaller inputs are repeated

	// grain is the CPU time below which a comparison is useless: interrupts and page faults are of
	// this order.
	grain = 100 * time.Microsecond
	// least is the smallest CPU time that shows whether a cost grows at all.
	least = 5 * time.Microsecond
	// brief is the CPU time above which the next size would take too long to be measured.
	brief = 400 * time.Millisecond
	// uncached is the input size from which the data made from the input no longer fits the caches.
	// leap is the growth of the CPU time that is permitted there, once, if no larger input confirms
	// it. A Go map of strings that is made with its final size takes 16 times as long for 262,144
	// entries as for 65,536. If other programs also use the caches, it takes 20 times as long. From
	// there on, four times as many entries take 5 to 10 times as long.
	uncached = 1 << 20
	leap     = 25
	// patience is the CPU time after which a growth beyond the bound is not measured again. Noise
	// does not last for seconds, and the check must end before the test's timeout.
	patience = 2 * time.Second
	// fast is the CPU time per byte below which the short form continues with larger inputs.
	// Copying text takes a fraction of a nanosecond per byte. So a quadratic part of the cost shows
	// only in long texts, and measuring these takes little time.
	fast = 1.0 // nanoseconds
	// dear is the maximum cost of a byte, relative to a byte of the first size, for calls that take
	// longer than noticeable. Caches and steps multiply the cost of a byte by five in all. So a
	// call beyond this maximum needs no confirmation, which would take 16 times as long. Neither
	// does a growth of more than doubtful times that confirms an earlier growth.
	dear       = 10
	noticeable = 100 * time.Millisecond
	// memoryLimit is the memory use at which the garbage collector starts. Below, it does not run.
	memoryLimit = 768 << 20
)

// shortSizes contains the sizes n of the short form. The first size finds most faults, before they
// take long.
var shortSizes = []int{8 << 10, 128 << 10}

// long returns the duration in SLIPSTREAM_LONG, or 0 in the short form.
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

// Check asserts that the costs of the cases grow linearly. It must not run in parallel with other
// tests: it measures the allocation of the process.
func Check(t *testing.T, cases []Case) {
	if raced || testing.Short() {
		t.Skip("the race detector and the tag invariants have costs of their own, and -short has no time")
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

// idle reports an error for each call whose cost grows with no family. Such a call returns before
// it reads its input, and its cases measure nothing.
func idle(t *testing.T, cases []Case, works map[string]bool) {
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // not all families have run
	}
	for name, does := range works {
		if does || !hasClock || slices.ContainsFunc(cases, func(c Case) bool { return cmp.Or(c.call, c.Name) == name && c.grows() }) {
			continue
		}
		t.Errorf("%s: the cost grows with no family, so the call may do nothing", name)
	}
}

// grows reports whether the cost of the case grows from a small input to one that is at least 16
// times as large. On a busy machine, cold caches can hide the growth from n to 4n: the fixed cost
// of a call then looks larger than it is.
func (c Case) grows() bool {
	const n = factor * leastSize
	more := largest / factor / factor
	if c.Most > 0 {
		more = c.Most
	}
	small, large := c.Prepare(n), c.Prepare(more)
	a, b := measure(small, 1), measure(large, 1)
	for range attempts {
		if grows(a, b) {
			return true
		}
		x, y := measure(small, 1), measure(large, 1)
		a, b = cost{min(a.time, x.time), min(a.alloc, x.alloc)}, cost{min(b.time, y.time), min(b.alloc, y.alloc)}
	}
	return grows(a, b)
}

// ascend checks the case at each size, up to the first size that fails: a larger size would fail
// too, and take long. It records in works whether the cost of the call grows at all.
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

// seen contains the results of a comparison of two sizes, other than errors.
type seen struct {
	grows   bool    // whether the cost grows at all
	perByte float64 // nanoseconds for a byte of the larger input
}

// check compares the costs of n and 4n bytes. The error describes the cost that grows too much.
// base is the time per byte of a much smaller input, in nanoseconds, or 0 if there was none.
//
// Some costs grow in steps. Data that no longer fits into a cache makes a call slower from one size
// to the next, two or three times in all, and more if other programs run. Buffers grow in steps,
// pools keep buffers only up to some size, and errors begin at a limit. Such a step occurs once,
// but the growth of a faulty cost continues. So a growth counts only if the next sizes confirm it.
//
// A growth of CPU time of more than doubtful times needs only one confirmation, or none if the
// calls are long. Long calls whose CPU time grows worse times confirm an earlier growth. At sizes
// where the caches end, the next size is measured even so, unless the calls take as long as
// patience or grow leap times.
//
// If the cost of a byte is a + bn and bn is more than a/5, then 4n bytes cost more than 6 times as
// much as n bytes. At the next sizes the growth is more than 9 and 13 times. The allocation per
// byte is limited at each size.
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

// compare measures n and 4n bytes until their costs are within the limits, or all attempts are
// used. bound is the permitted growth of the costs.
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
		// The first measurement of a small cost often includes cold caches, which hide that the
		// cost grows.
		if err = c.judge(n, times, a, b, bound, bound); err == nil && (i >= 2 || grows(a, b)) || spent > patience {
			break
		}
	}
	return a, b, times, err
}

// grows reports whether b, the cost of 4n bytes, is clearly more than a, the cost of n bytes.
func grows(a, b cost) bool {
	return b.time >= 2*max(a.time, least) || b.alloc >= 2*max(a.alloc, leastSize)
}

// judge returns an error if b, the cost of 4n bytes, is too large in comparison with a, the cost of
// n bytes. Allocation may grow bound times, and CPU time may grow slower times.
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

// tooMuch returns a text if 4n bytes allocate more than is permitted, and otherwise an empty
// string.
func (c Case) tooMuch(n, times int, b cost) string {
	if bytes, bound := float64(b.alloc)/float64(times), c.Alloc*float64(factor*n)+slack; bytes > bound {
		return fmt.Sprintf("; it allocates %.0f KB, %.1f times its size, and may %g times", bytes/1024, bytes/float64(factor*n), c.Alloc)
	}
	return ""
}

func ratio[N time.Duration | int](b, a N) float64 { return float64(b) / max(float64(a), 1) }
