package parquet

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/column"
)

// predicates.py compares an engine's answers from files with its answers from memory; see the
// comment in the script.
//
//go:embed testdata/predicates.py
var predicates string

// special returns batches with the values that readers and writers of bounds treat differently:
// NaN, infinities, signed zeros, extreme integers, and texts that are longer than a bound.
func special() map[string]*column.Batch {
	batches := map[string]*column.Batch{}
	negativeZero := math.Copysign(0, -1)
	for name, floats := range map[string]func(i int) float64{
		"one NaN in 100":        func(i int) float64 { return []float64{float64(i), math.NaN()}[b2i(i%100 == 99)] },
		"NaN in the first page": func(i int) float64 { return []float64{float64(i), math.NaN()}[b2i(i == 5)] },
		"NaN in the last page":  func(i int) float64 { return []float64{float64(i), math.NaN()}[b2i(i == 3*pageRows-1)] },
		"a page of NaN":         func(i int) float64 { return []float64{float64(i), math.NaN()}[b2i(i/pageRows == 1)] },
		"NaN alone":             func(int) float64 { return math.NaN() },
		"zeros":                 func(i int) float64 { return []float64{0, negativeZero}[i%2] },
		"negative zero alone":   func(int) float64 { return negativeZero },
		"infinities":            func(i int) float64 { return []float64{math.Inf(1), math.Inf(-1), float64(i)}[i%3] },
		"numbers":               func(i int) float64 { return float64(i) },
	} {
		var b builder
		for i := range 3 * pageRows {
			cells := map[string]any{
				"f":    floats(i),
				"i":    []int64{int64(i), math.MaxInt64, math.MinInt64}[b2i(i%1000 == 7)+b2i(i%1001 == 8)],
				"s":    []string{"a", strings.Repeat("prefix", 12+i%3), strings.Repeat("\U0010ffff", i%25), ""}[i%4],
				"b":    i/pageRows == 1,
				"some": []any{nil, math.NaN(), float64(i)}[i%3],
			}
			if i%5 == 0 {
				delete(cells, "i")
			}
			b.row(int64(i), cells)
		}
		batches[name] = &b.Batch
	}
	return batches
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Engines skip pages and row groups by bounds. Each predicate has the same answer from a file as
// from memory.
func TestPredicates(t *testing.T) {
	interpreter := python(t, "pyarrow", "duckdb")
	s := newSink(t, Options{})
	var paths []string
	for name, b := range special() {
		paths = append(paths, land(t, s, fmt.Sprintf("db/t/utc_date=2026-11-21/utc_hour=09/%s.parquet", name), b))
	}
	for engine := range engineTypes {
		t.Run(engine, func(t *testing.T) {
			var got struct {
				Compared  int
				Different []string
			}
			runPython(t, &got, interpreter, predicates, append([]string{engine}, paths...)...)
			for _, text := range got.Different {
				t.Error(text)
			}
			if got.Compared < 100*len(paths) {
				t.Errorf("only %d predicates were compared", got.Compared)
			}
		})
	}
}
