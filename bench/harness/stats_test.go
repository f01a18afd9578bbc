package harness

import (
	"math"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		sorted []float64
		q      float64
		want   float64
	}{
		{[]float64{7}, 0.5, 7},
		{[]float64{1, 2, 3}, 0.5, 2},
		{[]float64{1, 2, 3, 4}, 0.5, 2.5},
		{[]float64{1, 2, 3, 4, 5}, 0.25, 2},
		{[]float64{1, 2, 3, 4, 5}, 0.75, 4},
		{[]float64{1, 9}, 1, 9},
		{[]float64{1, 9}, 0, 1},
	} {
		if got := quantile(c.sorted, c.q); !near(got, c.want) {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.sorted, c.q, got, c.want)
		}
	}
}

// The machine runs at half its speed in the last two rounds. The times double, and the ratio
// remains the same.
func TestRatiosComparePerRound(t *testing.T) {
	ours := []float64{10, 10, 10, 20, 20}
	rival := []float64{30, 30, 31, 60, 60}
	got := ratios(rival, ours)
	if !near(got.low, 3) || !near(got.median, 3) || !near(got.high, 3) {
		t.Errorf("ratios = %+v, want 3 throughout", got)
	}
}

// The ratio is not the quotient of the minimum times, so one lucky round on our side does not
// change it.
func TestRatioIsNotOfTheLeastTimes(t *testing.T) {
	got := ratios([]float64{20, 20, 20}, []float64{10, 2, 10})
	if !near(got.median, 2) {
		t.Errorf("median = %v, want 2", got.median)
	}
}

func TestRatiosLeaveTheirInputAlone(t *testing.T) {
	ours, rival := []float64{3, 1, 2}, []float64{3, 2, 1}
	ratios(rival, ours)
	if ours[0] != 3 || rival[0] != 3 || rival[2] != 1 {
		t.Errorf("the times were reordered: %v, %v", ours, rival)
	}
}

func TestGeomean(t *testing.T) {
	if got := geomean([]float64{0.5, 2}); !near(got, 1) {
		t.Errorf("geomean(0.5, 2) = %v, want 1", got)
	}
	if got := geomean([]float64{2, 4, 8}); !near(got, 4) {
		t.Errorf("geomean(2, 4, 8) = %v, want 4", got)
	}
}
