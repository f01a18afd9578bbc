package remotewrite

import (
	"math"
	"testing"

	v1 "github.com/prometheus/prometheus/prompb"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// nearly returns a histogram that is valid, or has one fault.
func (r random) nearly() v1.Histogram {
	h := v1.Histogram{Schema: int32(r.IntN(13) - 4), Sum: r.NormFloat64(), Timestamp: 1, ZeroThreshold: 1e-9}
	isFloat, custom := r.IntN(2) == 0, r.IntN(4) == 0
	total := uint64(0)
	side := func() (spans []v1.BucketSpan, deltas []int64, counts []float64) {
		last := int64(0)
		for range r.IntN(3) {
			n := r.IntN(4)
			spans = append(spans, v1.BucketSpan{Offset: int32(r.IntN(5)), Length: uint32(n)})
			for range n {
				count := int64(r.IntN(10))
				total += uint64(count)
				if isFloat {
					counts = append(counts, float64(count))
				} else {
					deltas = append(deltas, count-last)
				}
				last = count
			}
		}
		return spans, deltas, counts
	}
	h.PositiveSpans, h.PositiveDeltas, h.PositiveCounts = side()
	if custom {
		h.Schema, h.ZeroThreshold = -53, 0
		buckets := 0
		for _, s := range h.PositiveSpans {
			buckets += int(s.Offset) + int(s.Length)
		}
		for i := range buckets {
			h.CustomValues = append(h.CustomValues, float64(i))
		}
	} else {
		h.NegativeSpans, h.NegativeDeltas, h.NegativeCounts = side()
	}
	zero := uint64(0)
	if !custom {
		zero = uint64(r.IntN(3))
	}
	total += zero
	if r.IntN(5) == 0 {
		h.Sum = math.NaN()
		total += uint64(r.IntN(3))
	}
	switch r.IntN(8) {
	case 0:
		total += uint64(r.IntN(3))
	case 1:
		total -= min(total, uint64(r.IntN(3)))
	case 2:
		if n := len(h.PositiveSpans); n > 0 {
			h.PositiveSpans[r.IntN(n)].Offset = -1
		}
	case 3:
		if n := len(h.PositiveSpans); n > 0 {
			h.PositiveSpans[r.IntN(n)].Length++
		}
	case 4:
		if n := len(h.PositiveDeltas); n > 0 {
			h.PositiveDeltas[r.IntN(n)] -= 10
		} else if n := len(h.PositiveCounts); n > 0 {
			h.PositiveCounts[r.IntN(n)] = -1
		}
	}
	if isFloat {
		h.Count = &v1.Histogram_CountFloat{CountFloat: float64(total)}
		h.ZeroCount = &v1.Histogram_ZeroCountFloat{ZeroCountFloat: float64(zero)}
	} else {
		h.Count = &v1.Histogram_CountInt{CountInt: total}
		h.ZeroCount = &v1.Histogram_ZeroCountInt{ZeroCountInt: zero}
	}
	return h
}

// Check rejects exactly the histograms that Prometheus rejects.
func TestCheckOfHistograms(t *testing.T) {
	r := newRandom(1)
	fit, unfit := 0, 0
	for range 20_000 {
		h := r.nearly()
		body, err := (&v1.WriteRequest{Timeseries: []v1.TimeSeries{{Histograms: []v1.Histogram{h}}}}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		var theirs error
		if h.IsFloatHistogram() {
			theirs = h.ToFloatHistogram().Validate()
		} else {
			theirs = h.ToIntHistogram().Validate()
		}
		var s remotewrite.Scanner
		s.Reset(body, remotewrite.V1)
		for v := range s.Series {
			for view := range v.Histograms {
				if ours := view.Check(); (ours != nil) != (theirs != nil) {
					t.Fatalf("ours: %v, theirs: %v: %+v", ours, theirs, h)
				}
			}
		}
		if theirs == nil {
			fit++
		} else {
			unfit++
		}
	}
	if fit < 5000 || unfit < 2000 {
		t.Errorf("%d histograms fit, %d do not", fit, unfit)
	}
}
