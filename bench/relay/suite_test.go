package relay

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// measure runs the suite's case with that name on a relay, for a short time.
func measure(t *testing.T, p program, name string) (*harness.Result, error) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	dir := t.TempDir()
	r, err := harness.Measure(t.Context(), suite(p), harness.Options{
		Rounds: 1, Slot: time.Millisecond, Load: loadShare * 500 * time.Millisecond, Dir: dir,
		Only: func(c harness.Case) bool { return c.Name == name },
	})
	if left, globErr := filepath.Glob(filepath.Join(dir, ".cache", "*")); globErr != nil || len(left) > 0 {
		t.Errorf("left behind: %q, error %v", left, globErr)
	}
	return r, err
}

func figure(t *testing.T, r *harness.Result, name string) harness.Figure {
	t.Helper()
	i := slices.IndexFunc(r.Rows[0].Figures, func(f harness.Figure) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no figure is called %q: %+v", name, r.Rows[0].Figures)
	}
	return r.Rows[0].Figures[i]
}

const mainCase = "2000 series × 10 tenants"

func TestCases(t *testing.T) {
	for _, name := range []string{mainCase, "100 series × 1 tenant", "zstd, " + mainCase, "2.0, " + mainCase, "queue, " + mainCase} {
		r, err := measure(t, fake(sound), name)
		if err != nil {
			t.Fatal(err)
		}
		for zero, want := range map[string]float64{lost: 0, misrouted: 0, "delivered again": 0, "sent again": 0, gcShare: 2.5} {
			if f := figure(t, r, zero); f.Value != want || f.Missing {
				t.Errorf("%s: %s is %v, missing: %v; want %v", name, zero, f.Value, f.Missing, want)
			}
		}
		for _, more := range []string{"requests", "series", "uncompressed", relayCPU, "floor", byFloor, relayCPU + " by series", "peak memory",
			"sink CPU", "p50", "p99", "p99.9"} {
			if f := figure(t, r, more); !(f.Value > 0) {
				t.Errorf("%s: %s is %v, missing: %v; want more than 0", name, more, f.Value, f.Missing)
			}
		}
		if name == mainCase {
			if f := figure(t, r, cortexName); f.Value != 14.6 || f.Bar != nil {
				t.Errorf("quoted: %+v", f)
			}
			if n := len(r.Rows[0].Bars); n != 5 {
				t.Errorf("%d bars", n)
			}
		}
	}
}

// Lost or misrouted series make a bar short. They do not fail the run.
func TestBarsAreShort(t *testing.T) {
	for behaviour, name := range map[string]string{loses: lost, mixes: misrouted} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel() // most of it is waiting for series that do not arrive
			r, err := measure(t, fake(behaviour), "100 series × 10 tenants")
			if err != nil {
				t.Fatal(err)
			}
			if f := figure(t, r, name); !(f.Value > 0) {
				t.Errorf("%s is %v", name, f.Value)
			}
			i := slices.IndexFunc(r.Rows[0].Bars, func(v harness.Verdict) bool { return strings.HasPrefix(v.Bar, name) })
			if i < 0 || r.Rows[0].Bars[i].Holds {
				t.Errorf("bars %+v", r.Rows[0].Bars)
			}
		})
	}
}

func TestSentAgain(t *testing.T) {
	r, err := measure(t, fake(repeats), "100 series × 10 tenants")
	if err != nil {
		t.Fatal(err)
	}
	if lacks, again := figure(t, r, lost), figure(t, r, "delivered again"); lacks.Value != 0 || again.Value != 100 {
		t.Errorf("lacking %v, again %v series; want 0 and 100", lacks.Value, again.Value)
	}
}

func TestTrialFails(t *testing.T) {
	for behaviour, want := range map[string][]string{
		refuses: {"the sender gave no report", "not today"},
		dies:    {"the relay ended before it was ready", "no such target"},
		crashes: {"exit status 1"},
	} {
		_, err := measure(t, fake(behaviour), "100 series × 1 tenant")
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("a relay that %s: error %v lacks %q", behaviour, err, w)
			}
		}
	}
}

// An interrupted run stops all three programs, and leaves no files.
func TestCancel(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	if _, _, err := ours().binaries(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	dir := t.TempDir()
	_, err := runTrial(ctx, fake(sound), harness.Options{Dir: dir, Load: time.Hour}, scenario{series: 100, tenants: 2})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that time is up", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".cache", "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Only cases in which cortex-tenant was measured quote its figure. The relay is started with the
// right arguments.
func TestSuite(t *testing.T) {
	for _, s := range cases {
		if s.cortex > 0 && (s.version != 0 || s.compress != "" || s.queue) {
			t.Errorf("%s: cortex-tenant was not measured so", s.size())
		}
	}
	args := slipstream.relay("slipstream", "127.0.0.1:1", "d", "http://127.0.0.1:2/api/v1/push", scenario{queue: true, remove: true}).Args
	if want := []string{"serve", "--listen=127.0.0.1:1", "--data=d", "--relay.target=http://127.0.0.1:2/api/v1/push",
		"--relay.tenant-label=__tenant__", "--relay.tenant-remove", "--relay.queue=d/queue"}; !slices.Equal(args, want) {
		t.Errorf("the relay is started with %q", args)
	}
}

// The real relay, built and started as in the benchmark, delivers all acknowledged series to the
// sink, also through the queue.
func TestSlipstream(t *testing.T) {
	for _, name := range []string{mainCase, "2.0, " + mainCase, "queue, " + mainCase} {
		p := ours()
		r, err := measure(t, p, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, zero := range []string{lost, misrouted, "delivered again"} {
			if f := figure(t, r, zero); f.Value != 0 || f.Missing {
				t.Errorf("%s: %s is %v, missing: %v", name, zero, f.Value, f.Missing)
			}
		}
		for _, more := range []string{"series", relayCPU, byFloor} {
			if f := figure(t, r, more); !(f.Value > 0) {
				t.Errorf("%s: %s is %v, missing: %v; want more than 0", name, more, f.Value, f.Missing)
			}
		}
	}
}

// Series that are queued during an outage of the target are delivered once when the target is back.
func TestOutage(t *testing.T) {
	p := ours()
	r, err := measure(t, p, outageCase)
	if err != nil {
		t.Fatal(err)
	}
	for _, zero := range []string{lost, "delivered again"} {
		if f := figure(t, r, zero); f.Value != 0 || f.Missing {
			t.Errorf("%s is %v, missing: %v", zero, f.Value, f.Missing)
		}
	}
	for _, more := range []string{"waiting", drainTime, "until the first post", "posts"} {
		if f := figure(t, r, more); !(f.Value > 0) {
			t.Errorf("%s is %v, missing: %v; want more than 0", more, f.Value, f.Missing)
		}
	}
}
