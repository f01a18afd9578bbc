package rows

import (
	"math"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/column"
)

// The fast check of a column must not accept a column that the slow check rejects.
func TestFastTimes(t *testing.T) {
	edges := []int64{0, 1, -1, 9_999_999_999, 10_000_000_000, -9_999_999_999, -10_000_000_000, 9_999_999_999_999, 10_000_000_000_000,
		9_999_999_999_999_999, 10_000_000_000_000_000, -10_000_000_000_000_000, math.MaxInt64, math.MinInt64,
		MinTime, MinTime - 1, MaxTime, MaxTime + 1, 253402300800, 253402300800_000, 1_760_000_000_000_000}
	for unit := Auto; unit <= Nanoseconds; unit++ {
		for _, a := range edges {
			for _, b := range edges {
				c := &column.Column{Name: "time", Kind: column.Int64, Rows: 2, Ints: []int64{a, b}}
				fast, slow := withinOneUnit(c, unit), checkTimes(c, unit)
				if fast && slow != nil {
					t.Errorf("%v %v: %d, %d: %v", unit, fast, a, b, slow)
				}
				if a >= 0 && b >= 0 && !fast && slow == nil {
					t.Errorf("%v: %d, %d take the slow road", unit, a, b)
				}
			}
		}
	}
}

// Lines are numbered as in a text editor.
func TestRowLines(t *testing.T) {
	body := []byte("\n a\r\n\n\t\r\nb\nc")
	var got []int
	for line, at := range rowLines(body) {
		got = append(got, line, at)
	}
	if !slices.Equal(got, []int{2, 2, 5, 9, 6, 11}) || lineOf(body, 0) != 2 || lineOf(body, 2) != 6 || lineOf(body, 3) != 0 {
		t.Error(got)
	}
}

// Limits that are 0 or negative are set to their defaults.
func TestLimits(t *testing.T) {
	got, want := Limits{Rows: -1, Columns: 7}, Limits{Columns: 7}
	got.SetDefaults()
	want.SetDefaults()
	if got != want || got.Rows != 1<<20 || got.Columns != 7 || got.Tables != 1000 || got.Cells != 32<<20 {
		t.Errorf("%+v", got)
	}
}
