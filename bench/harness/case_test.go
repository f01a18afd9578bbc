package harness

import "testing"

func row(group, name string, allocs float64, sides ...Measured) Row {
	return Row{Group: group, Name: name, Sides: append([]Measured{{Label: Ours, Ns: 100, Ratio: 1, Allocs: allocs}}, sides...)}
}

func side(label string, ratio float64) Measured {
	return Measured{Rival: label, Label: label, Ns: 100 * ratio, Ratio: ratio, Low: ratio, High: ratio}
}

func TestBar(t *testing.T) {
	r := row("g", "n", 2.005, side("v5", 3.29), side("msgp", 1.3))
	r.Bytes = 250
	for _, c := range []struct {
		bar   Bar
		text  string
		got   float64
		unit  string
		holds bool
	}{
		{Faster("v5", 3.3), "≥ 3.3× v5", 3.29, "", false},
		{Faster("v5", 3.29), "≥ 3.29× v5", 3.29, "", true},
		{Faster("msgp", 1.2), "≥ 1.2× msgp", 1.3, "", true},
		{Faster(BestRival, 1.3), "≥ 1.3× the best rival", 1.3, "", true},
		{Faster(BestRival, 1.4), "≥ 1.4× the best rival", 1.3, "", false},
		{Throughput(2.5), "≥ 2.5 GB/s", 2.5, "GB/s", true},
		{Throughput(2.6), "≥ 2.6 GB/s", 2.5, "GB/s", false},
		{Allocs(2), "≤ 2 allocs", 2.005, "", true},
		{Allocs(1), "≤ 1 allocs", 2.005, "", false},
		{Allocs(0), "≤ 0 allocs", 2.005, "", false},
	} {
		want := Verdict{Bar: c.text, Got: c.got, Unit: c.unit, Holds: c.holds}
		if got := c.bar.judge(&r); got != want {
			t.Errorf("%+v judged as %+v, want %+v", c.bar, got, want)
		}
	}
}

func TestMean(t *testing.T) {
	m := Mean{Name: "all", Against: "msgp", AtLeast: 2}
	suite := Suite{Means: []Mean{m}, Cases: []Case{
		{Group: "a", Name: "x", Means: []string{"all"}},
		{Group: "b", Name: "x"}, // has the same name, and is not in the mean
		{Group: "b", Name: "y", Means: []string{"all"}},
		{Group: "b", Name: "z", Means: []string{"all"}}, // not measured
	}}
	rows := []Row{
		row("a", "x", 0, side("msgp", 2), side("v5", 100)),
		row("b", "x", 0, side("msgp", 50)),
		row("b", "y", 0, side("msgp", 8)),
	}
	got, ok := m.judge(suite, rows)
	if !ok || !near(got.Got, 4) || !got.Holds || len(got.Rows) != 2 {
		t.Errorf("mean %+v, %v; want 4 over x and y", got, ok)
	}
	m.AtLeast = 4.1
	if got, _ := m.judge(suite, rows); got.Holds {
		t.Error("a mean of 4 passes a bar of 4.1")
	}
	if _, ok := m.judge(suite, nil); ok {
		t.Error("a mean over nothing has a verdict")
	}
}

// Each row counts with its own best rival. A row with only marked rivals does not count.
func TestMeanAgainstTheBestRival(t *testing.T) {
	m := Mean{Name: "all", Against: BestRival, AtLeast: 2}
	suite := Suite{Means: []Mean{m}, Cases: []Case{
		{Name: "x", Means: []string{"all"}}, {Name: "y", Means: []string{"all"}}, {Name: "z", Means: []string{"all"}},
	}}
	marked := side("v5", 0.1)
	marked.Mark = "does less"
	rows := []Row{
		row("", "x", 0, side("msgp", 2), side("v5", 100)),
		row("", "y", 0, side("msgp", 80), side("v5", 8)),
		row("", "z", 0, marked),
	}
	got, ok := m.judge(suite, rows)
	if !ok || !near(got.Got, 4) || !got.Holds || len(got.Rows) != 2 || got.Bar != "≥ 2× the best rival" {
		t.Errorf("mean %+v, %v; want 4 over x and y", got, ok)
	}
}

func TestBestLeavesMarkedSidesOut(t *testing.T) {
	marked := side("fast", 0.5)
	marked.Mark = "aliases its input"
	r := row("g", "n", 0, side("slow", 3), marked, side("quick", 1.5))
	if best := r.Best(); best == nil || best.Label != "quick" {
		t.Errorf("best is %+v, want quick", best)
	}
	alone := row("g", "n", 0, marked)
	if best := alone.Best(); best != nil {
		t.Errorf("best is %+v, want none", best)
	}
}

func TestLabel(t *testing.T) {
	for want, s := range map[string]Side{
		"slipstream":         {},
		"slipstream columns": {How: "columns"},
		"v5":                 {Rival: "v5"},
		"v5 low-level loop":  {Rival: "v5", How: "low-level loop"},
	} {
		if got := s.Label(); got != want {
			t.Errorf("label %q, want %q", got, want)
		}
	}
}
