package growth

import (
	"slices"
	"strings"
	"testing"
)

// sink keeps results alive, so that the compiler cannot drop the work.
var sink any

// work takes some nanoseconds for each of n steps.
func work(n int) {
	x := uint64(n) | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 {
		panic("a xorshift never gets to zero")
	}
}

func each(f func(n int)) func(int) func() {
	return func(n int) func() { return func() { f(n) } }
}

// A large fixed cost can hide the growth between n and 4n. It cannot hide the growth between a
// small input and a large one.
func TestGrows(t *testing.T) {
	if raced || !hasClock {
		t.Skip("the race detector and the tag invariants have costs of their own")
	}
	defer quiet()()
	for _, test := range []struct {
		name string
		f    func(n int)
		want bool
	}{
		{"nothing", func(int) {}, false},
		{"constant", func(int) { work(1 << 20) }, false},
		{"linear", func(n int) { work(20 * n) }, true},
		{"linear after a fixed part", func(n int) { work(1<<19 + 20*n) }, true},
	} {
		c := Case{Name: test.name, Prepare: func(n int) func() { return func() { test.f(n) } }}
		if got := c.grows(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// The measurement returns the correct verdict for functions whose growth is known.
func TestVerdicts(t *testing.T) {
	if raced {
		t.Skip("the race detector and the tag invariants have costs of their own")
	}
	defer quiet()()
	constant := []string{"nothing", "constant"}
	short := []string{"constant", "linear", "quadratic", "quadratic allocation", "much allocation"} // one of each verdict
	for _, test := range []struct {
		name string
		f    func(n int)
		want string // part of the error; "" means no error
		os   bool   // only on systems with a clock
	}{
		{"nothing", func(int) {}, "", false},
		{"constant", func(int) { work(1 << 20) }, "", false},
		{"linear", func(n int) { work(20 * n) }, "", false},
		{"linear, tiny", func(n int) { work(n / 64) }, "", false},
		{"n log n", func(n int) {
			list := make([]int, n/8)
			for i := range list {
				list[i] = i * 0x3779b1 & 0xffffff
			}
			slices.Sort(list)
		}, "", false},
		{"quadratic", func(n int) { work(n / 32 * (n / 32)) }, "CPU time grows ", true},
		{"quadratic after a linear part", func(n int) { work(10*n + n/16*(n/64)) }, "CPU time grows ", true},
		{"quadratic copies", func(n int) {
			list := make([]byte, n)
			for i := 0; i < n; i += 128 {
				copy(list, list[i:])
			}
		}, "CPU time grows ", true},
		{"linear allocation", func(n int) {
			for range n / 1024 {
				sink = make([]byte, 2048)
			}
		}, "", false},
		{"quadratic allocation", func(n int) {
			for range n / 4096 {
				sink = make([]byte, n/8)
			}
		}, "allocation grows 16", false},
		{"a step of allocation", func(n int) {
			if n > 256<<10 {
				sink = make([]byte, 3*n)
			}
		}, "", false},
		{"quadratic allocation that begins small", func(n int) {
			for range n / 1024 {
				sink = make([]byte, n/64)
			}
		}, "times its size, and may 3 times", false},
		{"much allocation", func(n int) {
			for range n / 1024 {
				sink = make([]byte, 4096)
			}
		}, "4.0 times its size, and may 3 times", false},
		{"a step where caches end, of a long call", func(n int) {
			if work(100 * n); n >= uncached {
				work(400 * n)
			}
		}, "", false},
		{"two steps of long calls", func(n int) {
			if work(100 * n); n >= uncached {
				work(400 * n)
			}
			if n >= 4*uncached {
				work(2000 * n)
			}
		}, "CPU time grows ", true},
		{"quadratic after a long linear part", func(n int) { work(120*n + n/50*(n/50)) }, "CPU time grows ", true},
	} {
		if testing.Short() && !slices.Contains(short, test.name) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			c, n := Case{Prepare: each(test.f), Alloc: 3}, 128<<10
			if strings.Contains(test.name, "long ") {
				if n = uncached / factor; long(t) == 0 {
					t.Skip("it takes 20 s, so it waits for SLIPSTREAM_LONG")
				}
			}
			seen, err := c.check(n, 0)
			if slices.Contains(constant, test.name) {
				// On a busy machine, one of two equal costs may be measured as twice as high. A
				// case must not fail in this situation.
				for range attempts {
					if seen.grows {
						seen, err = c.check(n, 0)
					}
				}
			}
			if grows := seen.grows; hasClock && grows == slices.Contains(constant, test.name) {
				t.Errorf("it grows: %t", grows)
			}
			switch {
			case test.os && !hasClock:
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	sink = nil
}

// CheckHeld returns the correct verdict for functions that hold a known part of their input.
func TestHeldVerdicts(t *testing.T) {
	if raced {
		t.Skip("the race detector empties pools at random, and the tag invariants allocates")
	}
	pool := newPool()
	small := func(int) any { return make([]byte, heldSmall) }
	for _, test := range []struct {
		name  string
		start func(large, small int) func(int) any
		want  string
	}{
		{"nothing", func(int, int) func(int) any { return small }, ""},
		{"a buffer that stays", func(int, int) func(int) any {
			var buf []byte
			return func(n int) any {
				if n > len(buf) {
					buf = make([]byte, n)
				}
				return n
			}
		}, "KB stay in use"},
		{"a buffer that goes", func(int, int) func(int) any {
			return func(n int) any { return len(make([]byte, n)) }
		}, ""},
		{"a pool that keeps all", func(int, int) func(int) any {
			return func(n int) any { return pool.use(n, heldShort) }
		}, "KB stay in use"},
		{"a pool that keeps little", func(int, int) func(int) any {
			return func(n int) any { return pool.use(n, 4096) }
		}, ""},
		{"results that are small", func(int, int) func(int) any {
			return func(int) any { return make([]byte, 2*heldSmall) }
		}, ""},
		{"results that pin", func(int, int) func(int) any {
			return func(int) any { return make([]byte, 64<<10)[:1] }
		}, "(small results kept: true)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Held{Start: test.start, Kept: 3}.check(heldShort)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// CheckForgets returns the correct verdict for a function that keeps its argument and for one that
// does not.
func TestForgets(t *testing.T) {
	if raced {
		t.Skip("the race detector empties pools at random, and the tag invariants keeps memory of its own")
	}
	pool := newPool()
	for name, kept := range map[string]bool{"kept": true, "forgotten": false} {
		memory := refersTo(func() *byte {
			b := make([]byte, 100)
			if pool.keep(b); !kept {
				pool.keep(nil)
			}
			return &b[0]
		})
		if memory != kept {
			t.Errorf("%s: it is referred to: %t", name, memory)
		}
	}
}
