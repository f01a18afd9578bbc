package ingest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// measure runs the suite's cases with that name on a service, for a short time.
func measure(t *testing.T, p program, name, dir string) (*harness.Result, error) {
	t.Helper()
	return harness.Measure(t.Context(), suite(p), harness.Options{
		Rounds: 1, Slot: time.Millisecond, Load: time.Second, Dir: dir,
		Only: func(c harness.Case) bool { return c.Name == name },
	})
}

const mainCase = "12 workers × 1000 rows"

func figure(t *testing.T, r *harness.Result, name string) harness.Figure {
	t.Helper()
	i := slices.IndexFunc(r.Rows[0].Figures, func(f harness.Figure) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no figure is called %q: %+v", name, r.Rows[0].Figures)
	}
	return r.Rows[0].Figures[i]
}

func TestMainCase(t *testing.T) {
	dir := t.TempDir()
	r, err := measure(t, fake(sound), mainCase, dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{unlanded: 0, "in doubt": 0, "log": 50, "rows a sync": 1000, "Parquet": 20, "Parquet files": 1} {
		if f := figure(t, r, name); f.Value != want || f.Missing {
			t.Errorf("%s is %v, missing: %v; want %v", name, f.Value, f.Missing, want)
		}
	}
	for _, name := range []string{"acknowledged", "landed", "p50", latency99, "p99.9", peakMemory, "a sync of this disk", "syncs of the log",
		"v5 into `any`", "slipstream into `any`", "slipstream into columns"} {
		if f := figure(t, r, name); !(f.Value > 0) {
			t.Errorf("%s is %v, want more than 0", name, f.Value)
		}
	}
	for _, name := range []string{degradation, growth} {
		if f := figure(t, r, name); !f.Missing {
			t.Errorf("%s is %v after so short a run, want it missing", name, f.Value)
		}
	}
	var bars []string
	for _, v := range r.Rows[0].Bars {
		bars = append(bars, strings.Fields(v.Bar)[0])
	}
	if want := []string{"acknowledged", "service", "p99", "peak", "memory", "degradation"}; !slices.Equal(bars, want) {
		t.Errorf("bars on %q, want %q", bars, want)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".cache", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, error %v", left, err)
	}
}

func TestMode(t *testing.T) {
	r, err := measure(t, fake(sound), "100 rows a request", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if f := figure(t, r, unlanded); f.Value != 0 || len(r.Rows[0].Bars) > 0 {
		t.Errorf("%v rows have not landed, %d bars; want none", f.Value, len(r.Rows[0].Bars))
	}
	if f := figure(t, r, "rows a sync"); f.Value != 100 {
		t.Errorf("%v rows a request, want 100", f.Value)
	}
}

// Each mode differs from the main case in one setting only. Otherwise the columns of their table
// could not be compared.
func TestModesDifferFromTheMainCaseInOneThing(t *testing.T) {
	for _, m := range modes {
		base, changed := workload(time.Second), workload(time.Second)
		m.change(&changed)
		var differ []string
		a, b := reflect.ValueOf(base), reflect.ValueOf(changed)
		for i := range a.NumField() {
			if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
				differ = append(differ, a.Type().Field(i).Name)
			}
		}
		if len(differ) != 1 {
			t.Errorf("%s differs in %q", m.name, differ)
		}
	}
}

// Rows that are lost or stored twice make a bar short. They do not fail the run.
func TestRowsThatDoNotLandOnce(t *testing.T) {
	for behaviour, want := range map[string]float64{loses: 1000, doubles: -1000} {
		r, err := measure(t, fake(behaviour), mainCase, t.TempDir())
		if err != nil {
			t.Errorf("a service that %s: %v", behaviour, err)
			continue
		}
		if f := figure(t, r, unlanded); f.Value != want || r.Rows[0].Bars[0].Holds {
			t.Errorf("a service that %s: %v rows, bar %+v; want %v, and short", behaviour, f.Value, r.Rows[0].Bars[0], want)
		}
	}
}

func TestTrialFails(t *testing.T) {
	for behaviour, want := range map[string][]string{
		refuses: {"answered 400: the time is out of joint"},
		dies:    {"ended before it was ready", "exit status 1", "no room on the disk"},
		crashes: {"exit status 1"},
		unclean: {"exit status 3"},
	} {
		dir := t.TempDir()
		_, err := measure(t, fake(behaviour), mainCase, dir)
		if err == nil {
			t.Errorf("a service that %s gave no error", behaviour)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("a service that %s: error %q lacks %q", behaviour, err, w)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".cache", "ingest-*")); len(left) > 0 {
			t.Errorf("a service that %s: left behind: %q", behaviour, left)
		}
	}
}

// An interrupted run stops the service, and leaves no files.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 800*time.Millisecond)
	defer cancel()
	dir := t.TempDir()
	_, err := runTrial(ctx, fake(sound), harness.Options{Dir: dir}, workload(time.Hour))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that time is up", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".cache", "ingest-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// The files of the real service, built and started as in the benchmark, contain all acknowledged
// rows.
func TestSlipstream(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the service")
	}
	r, err := measure(t, slipstream, mainCase, "..")
	if err != nil {
		t.Fatal(err)
	}
	if f := figure(t, r, unlanded); f.Value != 0 {
		t.Errorf("acknowledged − landed is %v rows", f.Value)
	}
	for _, name := range []string{"acknowledged", "landed", "log", "syncs of the log", "Parquet", "Parquet files", peakMemory} {
		if f := figure(t, r, name); !(f.Value > 0) {
			t.Errorf("%s is %v, missing: %v; want more than 0", name, f.Value, f.Missing)
		}
	}
}

func TestParseCounters(t *testing.T) {
	c, err := parseCounters([]byte("# HELP a_total Things.\n# TYPE a_total counter\na_total 1.5e+06\nb{x=\"y z\"} 3\n\nc 7\n"))
	if err != nil || len(c) != 2 || c["a_total"] != 1.5e6 || c["c"] != 7 {
		t.Errorf("read %v, error %v; want a_total and c", c, err)
	}
	if _, err := parseCounters([]byte("a_total many\n")); err == nil || !strings.Contains(err.Error(), "a_total") {
		t.Errorf("error %v, want one that names a_total", err)
	}
}

// A decoder returns an error for a body that the load does not send, so that it does not appear to
// be fast.
func TestDecodersWantRows(t *testing.T) {
	for _, d := range newDecoders() {
		for _, body := range [][]byte{nil, {0x80}, {0xc1}, []byte("\x82\xa1m\xa3cpu\xa7columns\x80")} {
			if err := d.measure([][]byte{body}, time.Millisecond); err == nil {
				t.Errorf("%s took % x for a body", d.name, body)
			}
		}
	}
}

func TestCountLandedSkipsOthers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".a.parquet.tmp", ".b.parquet", "_c.parquet", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("no Parquet"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := countLanded(dir); err != nil || got != (landed{}) {
		t.Errorf("counted %+v, error %v; want nothing", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "d.parquet"), []byte("no Parquet"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := countLanded(dir); err == nil || !strings.Contains(err.Error(), "d.parquet") {
		t.Errorf("error %v, want one that names d.parquet", err)
	}
}
