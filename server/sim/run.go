package sim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"
)

// Plan describes a test that runs with many seeds.
type Plan struct {
	Seeds int // number of seeds that run by default

	// Life is called once for each run. It simulates the world w from its beginning to its end.
	Life func(w *World)

	// Meets lists the events that must occur when the default seeds run; see [World.Count]. Each
	// event must occur with at least one seed. A name that ends in "*" matches all names with that
	// prefix. Without this list, a test could pass although the intended events never happened.
	Meets []string
}

// Run runs a plan. If SLIPSTREAM_SEED is set, it runs only that seed. If SLIPSTREAM_LONG is set to
// a duration, it runs random seeds for that long. Otherwise it runs the default seeds.
func Run(t *testing.T, p Plan) {
	defer settle()()
	met := make(Counts)
	if text := os.Getenv("SLIPSTREAM_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		p.one(t, seed, met)
		t.Logf("met: %v", met)
		return
	}
	if text := os.Getenv("SLIPSTREAM_LONG"); text != "" {
		long, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for end := time.Now().Add(long); time.Now().Before(end) && !t.Failed(); n++ {
			p.one(t, rand.Uint64(), met)
		}
		t.Logf("%d seeds met: %v", n, met)
		return
	}
	seeds := p.Seeds
	if testing.Short() {
		seeds /= 2
	}
	for seed := range uint64(seeds) {
		p.one(t, seed, met)
	}
	t.Logf("%d seeds met: %v", seeds, met)
	if testing.Short() || t.Failed() {
		return
	}
	for _, name := range p.Meets {
		if met.of(name) == 0 {
			t.Errorf("no seed has met %q", name)
		}
	}
}

// settle makes runs repeatable until the function `done` is called. It makes goroutines run one at
// a time. As a result, goroutines that wake at the same moment run in the same order in every run.
func settle() (done func()) {
	before := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(before) }
}

// one runs a single seed in its own synctest bubble, and returns the digest of the calls to the
// disks.
func (p Plan) one(t *testing.T, seed uint64, met Counts) (digest uint64) {
	t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		synctest.Test(t, func(t *testing.T) {
			defer time.Sleep(time.Hour) // lets goroutines and timers of earlier lives end: the clock stops with this goroutine
			w := newWorld(t, seed)
			w.Met = met
			defer func() { // runs even after Fatal
				if t.Failed() {
					name, _, _ := strings.Cut(t.Name(), "/")
					t.Logf("SLIPSTREAM_SEED=%d go test -run '^%s$'", seed, name)
				}
			}()
			p.Life(w)
			digest = w.Digest()
		})
	})
	return digest
}

// Replays checks that a seed determines the calls to the disks, and the times of these calls. It
// runs each seed twice: first it runs all seeds once, and then it runs all of them again. The calls
// and their times must be the same in both runs of a seed.
//
// The runtime preempts a goroutine that has run for 10 ms. On a busy machine, this can happen to
// any goroutine, so that other goroutines run first. For this reason, the two results may differ
// for up to a fifth of the seeds. Replays runs each of these seeds a few more times, until a run
// repeats an earlier result of the seed. If no run does so, the test fails. If a run depends on
// more than the seed, for example on the order of a map, nearly all seeds differ.
func Replays(t *testing.T, p Plan, seeds ...uint64) {
	if shuffled {
		t.Skip("the race detector has goroutines run in random order")
	}
	defer settle()()
	type outcome struct{ seed, digest uint64 }
	seen, different := make(map[outcome]bool), make(map[uint64]bool)
	repeats := func(seed uint64) bool {
		o := outcome{seed, p.one(t, seed, make(Counts))}
		known := seen[o]
		seen[o], different[o.digest] = true, true
		return known
	}
	for _, seed := range seeds {
		repeats(seed)
	}
	var again []uint64
	for _, seed := range seeds {
		if !repeats(seed) {
			again = append(again, seed)
		}
	}
	if len(again) > len(seeds)/5 {
		t.Errorf("of %d seeds, these had different results in two runs: %d", len(seeds), again)
		return
	}
	for _, seed := range again {
		for tries := 5; !repeats(seed); tries-- {
			if tries == 0 {
				t.Errorf("seed %d had a different result in every run", seed)
				break
			}
		}
	}
	if len(different) < len(seeds) { // the digest does not distinguish the seeds
		t.Errorf("%d seeds have %d digests", len(seeds), len(different))
	}
}
