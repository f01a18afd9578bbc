package harness

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func nothing() error { return nil }

// keep holds the memory that a side of the tests allocates, so that it is allocated on the heap.
var keep []byte

// tiny returns a suite with one case of two sides, after change has modified them.
func tiny(change func(*Case, []Side)) Suite {
	sides := []Side{
		{Run: nothing, Check: nothing},
		{Rival: "other", Run: func() error {
			keep = make([]byte, 64)
			return nil
		}, Check: nothing},
	}
	c := Case{Group: "group", Name: "case", Sides: func() ([]Side, error) { return sides, nil }}
	if change != nil {
		change(&c, sides)
	}
	return Suite{Name: "suite", Title: "Suite", Rivals: []Rival{{Name: "other", Module: "example.com/other"}}, Cases: []Case{c}}
}

var brief = Options{Rounds: 3, Slot: 20 * time.Microsecond, Load: time.Millisecond}

func TestTurnRotatesAndTurnsRound(t *testing.T) {
	const n = 5
	first := map[int]bool{}
	followers := map[[2]int]bool{}
	for round := range 2 * n {
		var order []int
		for place := range n {
			order = append(order, turn(round, place, n))
		}
		first[order[0]] = true
		for i := 1; i < n; i++ {
			followers[[2]int{order[i-1], order[i]}] = true
		}
		slices.Sort(order)
		if !slices.Equal(order, []int{0, 1, 2, 3, 4}) {
			t.Errorf("round %d is not a permutation: %v", round, order)
		}
	}
	if len(first) != n {
		t.Errorf("only %d sides ever come first", len(first))
	}
	for i := range n {
		before, after := [2]int{i, (i + 1) % n}, [2]int{(i + 1) % n, i}
		if !followers[before] || !followers[after] {
			t.Errorf("sides %d and %d meet in one order only", i, (i+1)%n)
		}
	}
}

func TestMeasure(t *testing.T) {
	var rows int
	o := brief
	o.Row = func(*Row) { rows++ }
	r, err := Measure(t.Context(), tiny(func(c *Case, _ []Side) { c.Bars = []Bar{Allocs(0)} }), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 1 || rows != 1 {
		t.Fatalf("%d rows, %d reported, want 1", len(r.Rows), rows)
	}
	row := r.Rows[0]
	ours, other := row.Sides[0], row.Sides[1]
	if ours.Label != Ours || other.Label != "other" {
		t.Errorf("labels are %q and %q", ours.Label, other.Label)
	}
	if ours.Ratio != 1 || ours.Ns <= 0 || other.Ratio <= 0 || other.Low > other.Ratio || other.High < other.Ratio {
		t.Errorf("times and ratios do not hang together: %+v, %+v", ours, other)
	}
	if ours.Allocs > allocNoise || other.Allocs < 1 || other.Allocs > 1+allocNoise || other.Bytes < 64 {
		t.Errorf("allocations: %v, and %v of %v bytes; want 0, and 1 of 64", ours.Allocs, other.Allocs, other.Bytes)
	}
	if len(row.Bars) != 1 || !row.Bars[0].Holds {
		t.Errorf("bars: %+v", row.Bars)
	}
}

func TestVersions(t *testing.T) {
	got := versions([]Rival{{"encoding/json", Std, ""}, {"other", "example.com/other", ""}, {"quoted", "example.com/quoted", "v7"}})
	want := []Version{{"encoding/json", Std, runtime.Version()}, {"other", "example.com/other", "unknown version"}, {"quoted", "example.com/quoted", "v7"}}
	if !slices.Equal(got, want) {
		t.Errorf("versions %v, want %v", got, want)
	}
}

func TestMeasureOnly(t *testing.T) {
	o := brief
	o.Only = func(Case) bool { return false }
	r, err := Measure(t.Context(), tiny(nil), o)
	if err != nil || len(r.Rows) != 0 {
		t.Errorf("%d rows, error %v; want none", len(r.Rows), err)
	}
}

func TestMeasureFails(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		change func(*Case, []Side)
		want   string
	}{
		{"our value is wrong", func(_ *Case, s []Side) { s[0].Check = func() error { return broken } }, "slipstream is wrong: broken"},
		{"a rival's value is wrong", func(_ *Case, s []Side) { s[1].Check = func() error { return broken } }, "other is wrong: broken"},
		{"a side fails while timed", func(_ *Case, s []Side) { s[1].Run = func() error { return broken } }, "other: broken"},
		{"no input", func(c *Case, _ []Side) { c.Sides = func() ([]Side, error) { return nil, broken } }, "building the input: broken"},
		{"no sides", func(c *Case, _ []Side) { c.Sides = func() ([]Side, error) { return nil, nil } }, "no sides"},
		{"ours is not first", func(_ *Case, s []Side) { s[0].Rival = "other" }, "must be ours"},
		{"ours twice", func(_ *Case, s []Side) { s[1].Rival, s[1].How = "", "slowly" }, "must be marked"},
		{"two sides of one label", func(_ *Case, s []Side) { s[1].Rival, s[1].Mark = "", "the same" }, "two sides"},
		{"an unknown rival", func(_ *Case, s []Side) { s[1].Rival = "stranger" }, `does not list the rival "stranger"`},
		{"a side without a check", func(_ *Case, s []Side) { s[1].Check = nil }, "lacks Run or Check"},
		{"a bar against nobody", func(c *Case, _ []Side) { c.Bars = []Bar{Faster("nobody", 2)} }, "names a side"},
		{"a bar against the best of none", func(c *Case, s []Side) {
			s[1].Mark, c.Bars = "does less", []Bar{Faster(BestRival, 2)}
		}, "names a side"},
		{"a throughput of nothing", func(c *Case, _ []Side) { c.Bars = []Bar{Throughput(1)} }, "no Bytes"},
		{"a mean that is not there", func(c *Case, _ []Side) { c.Means = []string{"none"} }, `no mean "none"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Measure(t.Context(), tiny(c.change), brief)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestMeasureRefusesNoRounds(t *testing.T) {
	for _, o := range []Options{
		{Rounds: 0, Slot: time.Millisecond, Load: time.Second}, {Rounds: 3, Load: time.Second}, {Rounds: 3, Slot: time.Millisecond},
	} {
		if _, err := Measure(t.Context(), tiny(nil), o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestTwoCasesOfOneName(t *testing.T) {
	suite := tiny(nil)
	suite.Cases = append(suite.Cases, suite.Cases[0])
	if _, err := Measure(t.Context(), suite, brief); err == nil {
		t.Error("two cases of one name were accepted")
	}
}

func TestCheckReportsEveryCase(t *testing.T) {
	suite := tiny(func(_ *Case, s []Side) { s[0].Check = func() error { return errors.New("broken") } })
	again := suite.Cases[0]
	again.Name = "another"
	sides, _ := again.Sides()
	again.Sides = func() ([]Side, error) {
		return []Side{{Run: nothing, Check: func() error { return errors.New("odd") }}, sides[1]}, nil
	}
	suite.Cases = append(suite.Cases, again)
	err := Check(suite)
	if err == nil || !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), "odd") {
		t.Errorf("error %v, want both", err)
	}
	if err := Check(tiny(nil)); err != nil {
		t.Errorf("a sound suite: %v", err)
	}
}
