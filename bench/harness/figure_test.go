package harness

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// observed returns a suite with one case. The case returns the figures, or the error.
func observed(figures []Figure, err error) Suite {
	return Suite{Name: "suite", Title: "Suite", Rivals: []Rival{{Name: "other", Module: "example.com/other"}}, Cases: []Case{{
		Group: "group", Name: "case",
		Observe: func(context.Context, Options) ([]Figure, error) { return figures, err },
	}}}
}

func TestFigureAgainstItsBar(t *testing.T) {
	theirs := Figure{Name: "their CPU", Value: 0.36, Unit: "s"}
	for _, c := range []struct {
		figure Figure
		bar    string
		got    string
		holds  bool
	}{
		{Figure{Name: "p99", Value: 19.9, Unit: "ms", Bar: Below(20)}, "p99 < 20 ms", "19.9 ms", true},
		{Figure{Name: "p99", Value: 20, Unit: "ms", Bar: Below(20)}, "p99 < 20 ms", "20 ms", false},
		{Figure{Name: "lost", Unit: "rows", Bar: Exactly(0)}, "lost = 0 rows", "0 rows", true},
		{Figure{Name: "lost", Value: -1, Unit: "rows", Bar: Exactly(0)}, "lost = 0 rows", "-1 rows", false},
		{Figure{Name: "CPU", Value: 0.151, Unit: "s", Bar: BelowFigure(theirs)}, "CPU < 0.360 s (their CPU)", "0.151 s", true},
		{Figure{Name: "CPU", Value: 0.37, Unit: "s", Bar: BelowFigure(theirs)}, "CPU < 0.360 s (their CPU)", "0.370 s", false},
		{Figure{Name: "slope", Unit: "%", Missing: true, Bar: Below(5)}, "slope < 5 %", "not measured", false},
		{Figure{Name: "lost", Unit: "rows", Missing: true, Bar: Exactly(0)}, "lost = 0 rows", "not measured", false},
	} {
		v := c.figure.judge()
		if v.Bar != c.bar || v.reached() != c.got || v.Holds != c.holds {
			t.Errorf("%+v: bar %q, got %q, holds %v; want %q, %q, %v", c.figure, v.Bar, v.reached(), v.Holds, c.bar, c.got, c.holds)
		}
	}
}

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		value      float64
		unit, want string
	}{
		{2, "", "2.00"}, {2, "rows", "2 rows"}, {1234567, "rows", "1234567 rows"}, {-3, "rows", "-3 rows"},
		{2.4123, "MB", "2.41 MB"}, {0.15149, "s", "0.151 s"}, {0.00123, "s", "0.00123 s"}, {0.18, "s", "0.180 s"}, {-12.345, "MB", "-12.3 MB"}, {-0.5, "MB", "-0.500 MB"},
	} {
		if got := amount(c.value, c.unit); got != c.want {
			t.Errorf("%v %s is printed as %q, want %q", c.value, c.unit, got, c.want)
		}
	}
}

func TestObserve(t *testing.T) {
	figures := []Figure{
		{Name: "p50", Value: 1, Unit: "ms"},
		{Name: "p99", Value: 30, Unit: "ms", Bar: Below(20)},
		{Name: "lost", Unit: "rows", Bar: Exactly(0)},
		{Name: "slope", Value: math.NaN(), Unit: "%", Bar: Below(5)},
		{Name: "a row", Value: math.Inf(1), Unit: "bytes"},
	}
	want := slices.Clone(figures)
	for i := range want[3:] {
		want[3+i].Value, want[3+i].Missing = 0, true
	}
	var progress strings.Builder
	o := brief
	o.Progress = &progress
	r, err := Measure(t.Context(), observed(figures, nil), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 1 || !reflect.DeepEqual(r.Rows[0].Figures, want) || len(r.Rows[0].Bars) != 3 {
		t.Errorf("rows %+v, want one with figures %+v and three bars", r.Rows, want)
	}
	short := []string{`table "group", case "case": required p99 < 20 ms, measured 30 ms`, `table "group", case "case": required slope < 5 %, not measured`}
	if got := r.Short(); !slices.Equal(got, short) {
		t.Errorf("short: %q, want %q", got, short)
	}
	if !strings.Contains(progress.String(), "group, case") {
		t.Errorf("progress %q does not name the case", progress.String())
	}
	if r.Rounds != 0 || r.Slot != "" || r.Load != "1ms" {
		t.Errorf("%d rounds of %q, load %q; want no rounds, and a load of 1ms", r.Rounds, r.Slot, r.Load)
	}
	if timed, err := Measure(t.Context(), tiny(nil), brief); err != nil || timed.Rounds != brief.Rounds || timed.Load != "" {
		t.Errorf("a timed suite: %+v, error %v; want %d rounds and no load", timed, err, brief.Rounds)
	}
}

func TestObserveFails(t *testing.T) {
	fine := []Figure{{Name: "p50", Unit: "ms"}}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name  string
		ctx   context.Context
		suite Suite
		want  string
	}{
		{"the case fails", t.Context(), observed(nil, errors.New("broken")), "group, case: broken"},
		{"no figures", t.Context(), observed(nil, nil), "no figures"},
		{"two of one name", t.Context(), observed(append(fine, fine...), nil), `two figures are called "p50"`},
		{"a bar of nothing", t.Context(), observed([]Figure{{Name: "p50", Bar: Below(math.NaN())}}, nil), `"p50" is NaN`},
		{"a stranger's", t.Context(), observed([]Figure{{Name: "p50", Rival: "stranger"}}, nil), `"stranger"`},
		{"cancelled", cancelled, observed(fine, nil), "canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Measure(c.ctx, c.suite, brief)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestKindsOfCasesAreApart(t *testing.T) {
	for name, change := range map[string]func(r *Suite){
		"neither": func(r *Suite) { r.Cases[0].Observe = nil },
		"both":    func(r *Suite) { r.Cases[0].Sides = func() ([]Side, error) { return nil, nil } },
		"a bar":   func(r *Suite) { r.Cases[0].Bars = []Bar{Allocs(0)} },
		"a group of both": func(r *Suite) {
			r.Cases = append(r.Cases, Case{Group: "group", Name: "timed", Sides: func() ([]Side, error) { return nil, nil }})
		},
	} {
		suite := observed([]Figure{{Name: "p50"}}, nil)
		if err := suite.validate(); err != nil {
			t.Fatal(err)
		}
		change(&suite)
		if err := suite.validate(); err == nil {
			t.Errorf("%s: was accepted", name)
		}
	}
}

// observation returns a result with all parts that a report of observed cases shows.
func observation() *Result {
	r := sample("ingest")
	r.Rounds, r.Slot, r.Load, r.Means, r.Cover = 0, "", "1m0s", nil, ""
	r.Rows = []Row{
		{Group: "Under load", Name: "sync", Figures: []Figure{
			{Name: "p50", Value: 1.5, Unit: "ms", Chart: true},
			{Name: "p99", Value: 30, Unit: "ms", Chart: true, Bar: Below(20), Note: "a remark."},
			{Name: "lost | gone", Unit: "rows", Bar: Exactly(0)},
			{Name: "v5", Rival: "v5", Value: 0.36, Unit: "s", Chart: true},
			{Name: "slope", Unit: "MB/min", Missing: true, Chart: true},
		}},
		{Group: "Under load", Name: "async", Figures: []Figure{{Name: "p50", Value: 3, Unit: "ms", Chart: true}, {Name: "syncs", Value: 7, Unit: "a s"}}},
	}
	for i := range r.Rows {
		for j := range r.Rows[i].Figures {
			if f := &r.Rows[i].Figures[j]; f.Bar != nil {
				r.Rows[i].Bars = append(r.Rows[i].Bars, f.judge())
			}
		}
	}
	return r
}

func TestFiguresRoundTrip(t *testing.T) {
	dir := t.TempDir()
	want := observation()
	if err := want.Save(dir); err != nil {
		t.Fatal(err)
	}
	if got := load(t, dir, "ingest"); !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v\nsaved %+v", got, want)
	}
}

func TestReportOfFigures(t *testing.T) {
	text := section(observation())
	for _, want := range []string{
		"| load | 1m0s |",
		"![The suite ingest](charts/ingest.svg)",
		"Bars that do not hold: 1\n",
		`- table "Under load", case "sync": required p99 < 20 ms, measured 30 ms`,
		"| figure | unit | sync | async |",
		"| p50 | ms | 1.50 | 3 |",
		"| p99 | ms | **30 short**<br><sub>< 20 ms</sub> |  |",
		`| lost \| gone | rows | **0** ✓<br><sub>= 0 rows</sub> |  |`,
		"| slope | MB/min | not measured |  |",
		"| syncs | a s |  | 7 |",
		"- p99: a remark.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "rounds |") {
		t.Error("the report tells of rounds")
	}
	checkTables(t, text)
}

func TestPrinterOfFigures(t *testing.T) {
	var out strings.Builder
	p := Printer{W: &out}
	r := observation()
	p.Row(&r.Rows[0])
	p.Row(&r.Rows[0])
	if n := strings.Count(out.String(), "a remark."); n != 1 {
		t.Errorf("a note is printed %d times, want once", n)
	}
	for _, want := range []string{"\nUnder load\n  sync\n", "1.50 ms\n", "30 ms | SHORT < 20 ms | a remark.", "0 rows | = 0 rows\n", "not measured"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the lines lack %q:\n%s", want, out.String())
		}
	}
}

func TestChartOfFigures(t *testing.T) {
	bars, text := parseChart(t, Chart(covered(observation())))
	// The page, two colours in the legend, three bars of ms, and one of s.
	if want := 1 + 2 + 3 + 1; bars != want {
		t.Errorf("%d rectangles, want %d", bars, want)
	}
	for _, want := range []string{"The suite ingest", "ms", "sync", "async", "p99", "0.360"} {
		if !strings.Contains(text, want) {
			t.Errorf("the chart lacks %q", want)
		}
	}
	for _, other := range []string{"lost", "slope", "relative", "Under load"} {
		if strings.Contains(text, other) {
			t.Errorf("the chart tells of %q", other)
		}
	}
}

// Medians returns the median of each figure. For the named figures, it returns the worst value. A
// figure that is unknown in one run is unknown.
func TestMedians(t *testing.T) {
	run := func(rows, missing, p99, growthRate float64) []Figure {
		return []Figure{
			{Name: "acknowledged", Value: rows, Note: "a note."}, {Name: "lost", Value: missing},
			{Name: "p99", Value: p99}, {Name: "growth", Value: growthRate}, {Name: "same", Value: 7},
		}
	}
	got := Medians([][]Figure{run(10, 0, 9, 1), run(30, -3, 8, math.NaN()), run(20, 2, 30, 2)}, "lost")
	for i, want := range []float64{20, -3, 9, math.NaN(), 7} {
		if got[i].Value != want && !(math.IsNaN(want) && math.IsNaN(got[i].Value)) {
			t.Errorf("%s: %v, want %v", got[i].Name, got[i].Value, want)
		}
	}
	if note := got[0].Note; note != "The runs measured 10, 30, 20. a note." {
		t.Errorf("note %q", note)
	}
	if note := got[4].Note; note != "" {
		t.Errorf("a figure that never changed has the note %q", note)
	}
}
