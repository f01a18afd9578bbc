package remotewrite

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// valueOf copies all fields of h.
func valueOf(h HistogramView) Histogram {
	buckets := func(k BucketsView) Buckets {
		return Buckets{slices.Collect(k.Spans), slices.Collect(k.Deltas), slices.Collect(k.Counts)}
	}
	return Histogram{
		Count: h.Count, ZeroCount: h.ZeroCount, Sum: h.Sum, ZeroThreshold: h.ZeroThreshold, Schema: h.Schema, ResetHint: h.ResetHint,
		Negative: buckets(h.Negative()), Positive: buckets(h.Positive()), CustomValues: slices.Collect(h.CustomValues),
		Timestamp: h.Timestamp, StartTimestamp: h.StartTimestamp,
	}
}

// checkHistograms checks that the histogram views of a body equal the histograms in r, bit by bit.
func checkHistograms(t *testing.T, body []byte, version Version, r *Request) {
	t.Helper()
	var s Scanner
	s.Reset(body, version)
	i := 0
	for v := range s.Series {
		n := 0
		for h := range v.Histograms {
			got, want := valueOf(h), &r.Series[i].Histograms[n]
			if n++; !bytes.Equal(appendHistogram(nil, 1, &got, V2), appendHistogram(nil, 1, want, V2)) {
				t.Fatalf("version %d, % x: a view of\n%+v, not\n%+v", version, body, got, *want)
			}
		}
		if n != len(r.Series[i].Histograms) {
			t.Fatalf("version %d, % x: %d views of %d histograms", version, body, n, len(r.Series[i].Histograms))
		}
		i++
	}
}

// randomHistogram returns the fields of a histogram in forms that a parser must accept. They are in
// any order, and some are repeated or unknown. Lists are packed, unpacked, or split into several
// fields.
func randomHistogram(r *rand.Rand) []byte {
	var fields [][]byte
	number := func() uint64 { return r.Uint64() >> r.IntN(64) }
	float := func() float64 {
		return []float64{0, 1, math.Copysign(0, -1), math.NaN(), math.Float64frombits(StaleNaN), math.Float64frombits(r.Uint64())}[r.IntN(6)]
	}
	some := func(n int, field func() []byte) {
		for range r.IntN(n + 1) {
			fields = append(fields, field())
		}
	}
	for _, n := range []int{1, 4, 6, 14, 15, 17, 18} {
		some(2, func() []byte { return pbInt(n, number()) })
	}
	for _, n := range []int{2, 3, 5, 7, 19} {
		some(2, func() []byte { return pbDouble(n, float()) })
	}
	for _, n := range []int{8, 11} {
		some(4, func() []byte { return pbBytes(n, pbInt(1+r.IntN(3), number()), pbInt(2, number())) })
	}
	for _, n := range []int{9, 12} {
		some(3, func() []byte { return pbInt(n, number()) })
		some(2, func() []byte { return pbPacked(n, slices.Repeat([]uint64{number(), number()}, r.IntN(40))...) })
	}
	for _, n := range []int{10, 13, 16} {
		some(3, func() []byte { return pbDouble(n, float()) })
		some(2, func() []byte {
			return pbBytes(n, pbDouble(0, float())[1:], slices.Repeat(pbDouble(0, float())[1:], r.IntN(20)))
		})
	}
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return slices.Concat(fields...)
}

// Views and decoded values of random histograms are equal.
func TestHistogramView(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var decoded Request
	for range 3000 {
		for version, field := range map[Version]int{V1: 4, V2: 3} {
			number := 1
			if version == V2 {
				number = 5
			}
			series := pbBytes(number, pbBytes(field, randomHistogram(r)), pbSample(1, now), pbBytes(field, randomHistogram(r)))
			body := append(series, pbBytes(number)...)
			if err := DecodeView(body, version, &decoded); err != nil {
				t.Fatalf("version %d, % x: %+v", version, body, err)
			}
			checkHistograms(t, body, version, &decoded)
		}
	}
}

// A loop over a part of a histogram may end early.
func TestHistogramViewBreak(t *testing.T) {
	histogram := pbBytes(4, pbBytes(8, pbInt(1, 2)), pbBytes(8, pbInt(1, 4)), pbPacked(9, 2, 4), pbDouble(10, 1), pbDouble(10, 2), pbDouble(16, 1), pbDouble(16, 2))
	var s Scanner
	s.Reset(pbBytes(1, histogram, histogram), V1)
	var got []any
	for v := range s.Series {
		for h := range v.Histograms {
			for x := range h.Negative().Spans {
				got = append(got, x)
				break
			}
			for x := range h.Negative().Deltas {
				got = append(got, x)
				break
			}
			for x := range h.Negative().Counts {
				got = append(got, x)
				break
			}
			for x := range h.CustomValues {
				got = append(got, x)
				break
			}
			break
		}
	}
	if fmt.Sprint(got...) != fmt.Sprint(BucketSpan{Offset: 1}, int64(1), 1.0, 1.0) {
		t.Errorf("%v", got)
	}
}
