package growth

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

const (
	factor   = 4         // between two sizes
	most     = 6         // times the cost that 4n may have
	doubtful = 12        // times the CPU time that 4n may have if a larger input does not confirm it
	confirms = 2         // larger sizes that confirm a growth
	worse    = 9         // times the cost that they must have for that; see check
	slack    = 128 << 10 // bytes that any call may allocate
	attempts = 12
	enough   = 5 // cases that fail end the short form: a quadratic cost takes long to measure

	leastSize = 1 << 10
	largest   = 16 << 20
	repeated  = 16 << 10 // smaller inputs are repeated

	// grain is a CPU time that is not worth a comparison: interrupts and page faults are of this
	// order.
	grain = 100 * time.Microsecond
	// least is a CPU time that says whether a cost grows at all.
	least = 5 * time.Microsecond
	// brief is a CPU time after which the next size takes too long to be asked.
	brief = 400 * time.Millisecond
	// uncached is a size of input from which what is made of it leaves the caches, and leap the
	// times that the CPU time may grow there, once, if no larger input confirms it. Go's own map of
	// strings, made with its size, takes 16 times as long for 262,144 entries as for 65,536, 20
	// times beside programs that use the caches too, and then 5 to 10 times as long for four times
	// as many.
	uncached = 1 << 20
	leap     = 25
	// patience is the CPU time after which a growth beyond the bound is not measured again: noise
	// does not last for seconds, and a verdict must come before the time of the test is up.
	patience = 2 * time.Second
	// fast is the CPU time of a byte below which the short form goes on with larger inputs. Text is
	// copied in a fraction of a nanosecond a byte, so a part that grows with the square of the
	// length shows only where texts are long, and these take no time.
	fast = 1.0 // nanoseconds
	// dear is how many times the cost of a byte of the first size a byte may cost, where calls take
	// longer than noticeable. Caches and steps make it five times in all, so a call that costs as
	// much needs no confirmation, which takes 16 times as long. Nor does a growth of more than
	// doubtful times that confirms another.
	dear       = 10
	noticeable = 100 * time.Millisecond
	// memoryLimit starts the collector, which otherwise rests.
	memoryLimit = 768 << 20
)

// shortSizes are the sizes n of the short form. The first one finds most faults, before they take
// long.
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
		idle(t, works)
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
	idle(t, works)
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

// idle fails for each call whose cost grows with no family: it returns before it reads its input,
// and measures nothing.
func idle(t *testing.T, works map[string]bool) {
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // not all families have run
	}
	for name, does := range works {
		if !does && hasClock {
			t.Errorf("%s: the cost grows with no family, so the call may do nothing", name)
		}
	}
}

// ascend checks the case at the sizes, up to the first that fails: a larger one would fail too, and
// take long. It notes in works whether the cost of its call grows at all.
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

// quiet lets the collector rest until the function that it returns is called.
func quiet() (restore func()) {
	percent := debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(memoryLimit)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}

// cost is what a call takes.
type cost struct {
	time  time.Duration
	alloc int
}

// measure runs f some times. The cost is that of all of them.
func measure(f func(), times int) cost {
	runtime.LockOSThread() // whose clock is read
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

// seen is what the comparison of two sizes shows besides faults.
type seen struct {
	grows   bool    // the cost grows at all
	perByte float64 // nanoseconds for a byte of the larger input
}

// check compares the costs of n and 4n bytes. The error says what grows too much. base is what a
// byte of a much smaller input takes, in nanoseconds, or 0.
//
// What no longer fits into a cache slows down from one size to the next, two or three times in all,
// and more beside other programs. Buffers grow in steps, pools hold those of up to some size, and
// errors begin where a limit is. Such steps come once, and a fault goes on growing. So a growth
// counts only if the next sizes confirm it; one of CPU time of more than doubtful times needs one
// size, or none where the calls are long, and long calls that grow worse times confirm what came
// before. Where caches end, the next size is asked even so, unless the calls take as long as
// patience or grow leap times. If a + bn is the cost of a byte, then 4n costs more than 6 times as
// much as n if bn is more than a/5, and at the next sizes more than 9 and 13 times. How much is
// allocated for a byte is bounded at each size.
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
		// Where there is no larger size, or it would take too long, the growth itself must be
		// large.
		if c.Most > 0 && factor*factor*n > c.Most || b.time > brief && !mayLeap {
			return s, c.judge(n, times, a, b, bound, certainly)
		}
		n, certainly = factor*n, worse
		if leapt {
			certainly = doubtful
		}
	}
}

// compare measures n and 4n bytes until their costs are as they should be, or attempts are spent.
// Costs may grow bound times.
func (c Case) compare(n int, bound float64) (a, b cost, times int, err error) {
	small, large := c.Prepare(n), c.Prepare(factor*n)
	times = max(1, repeated/n) // small inputs are repeated, so that the clock is fine enough
	var spent time.Duration
	for i := range attempts {
		if i > 0 {
			runtime.GC() // so that both find memory that was in use before
		}
		x, y := measure(small, times), measure(large, times)
		spent += x.time + y.time
		if i == 0 {
			a, b = x, y
		} else {
			// Pools, and hints of what was needed last, make some calls allocate less than others
			// of the same size.
			a, b = cost{min(a.time, x.time), max(a.alloc, x.alloc)}, cost{min(b.time, y.time), min(b.alloc, y.alloc)}
		}
		// Of a small cost the first measure is often that of cold caches, and hides that the cost
		// grows.
		if err = c.judge(n, times, a, b, bound, bound); err == nil && (i >= 2 || grows(a, b)) || spent > patience {
			break
		}
	}
	return a, b, times, err
}

// grows reports whether the cost b of 4n bytes is more than a, that of n.
func grows(a, b cost) bool {
	return b.time >= 2*max(a.time, least) || b.alloc >= 2*max(a.alloc, leastSize)
}

// judge returns an error if b, the cost of 4n bytes, is too much beside a, that of n. Allocation
// may grow bound times, and CPU time slower times.
func (c Case) judge(n, times int, a, b cost, bound, slower float64) error {
	wrong := c.tooMuch(n, times, b)
	// A quarter of what the call may allocate is not worth a comparison.
	if float64(b.alloc) > bound*max(float64(a.alloc), float64(times)*(c.Alloc*float64(n)+slack)/4) {
		wrong += fmt.Sprintf("; allocation grows %.1f times, from %d KB to %d KB", ratio(b.alloc, a.alloc), a.alloc>>10, b.alloc>>10)
	}
	// What takes about all of the memory is slow by the collector's work and the system's.
	fits := b.alloc/times < memoryLimit/2
	if hasClock && !c.OnlyAlloc && fits && float64(b.time) > slower*float64(max(a.time, grain)) {
		wrong += fmt.Sprintf("; CPU time grows %.1f times, from %v to %v", ratio(b.time, a.time), a.time, b.time)
	}
	if wrong == "" {
		return nil
	}
	return fmt.Errorf("from %d to %d KB of input (%d times)%s", n>>10, factor*n>>10, times, wrong)
}

// tooMuch says that more is allocated for 4n bytes than may be, or nothing.
func (c Case) tooMuch(n, times int, b cost) string {
	if bytes, bound := float64(b.alloc)/float64(times), c.Alloc*float64(factor*n)+slack; bytes > bound {
		return fmt.Sprintf("; it allocates %.0f KB, %.1f times its size, and may %g times", bytes/1024, bytes/float64(factor*n), c.Alloc)
	}
	return ""
}

func ratio[N time.Duration | int](b, a N) float64 { return float64(b) / max(float64(a), 1) }
