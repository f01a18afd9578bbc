package series

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// The bounds of schema 8, which include the bounds of all lower schemas, are the floats nearest to
// the exact roots of powers of two. For this, two midpoints are raised to the power of 256. The
// midpoint between a bound and the next lower float must give less than the power of two. The
// midpoint between the bound and the next higher float must give more.
func TestBounds(t *testing.T) {
	power := func(a, b float64) *big.Float { // the midpoint of a and b, to the power of 256
		p := new(big.Float).SetPrec(54 * 256).SetFloat64(a)
		p.Add(p, big.NewFloat(b)).Quo(p, big.NewFloat(2))
		for range maxSchema {
			p.Mul(p, p)
		}
		return p
	}
	for i := range int64(1 << maxSchema) {
		got := bound(maxSchema, i)
		want := new(big.Float).SetMantExp(big.NewFloat(1), int(i))
		if power(math.Nextafter(got, 0), got).Cmp(want) >= 0 || power(got, math.Nextafter(got, 4)).Cmp(want) <= 0 {
			t.Errorf("bound %d is %v", i, got)
		}
	}
	for _, c := range []struct {
		schema int32
		index  int64
		want   float64
	}{
		{0, 0, 1}, {0, 1, 2}, {0, -1, 0.5}, {3, 8, 2}, {3, -8, 0.5}, {8, 256 * 10, 1024},
		{-1, 1, 4}, {-4, 1, 65536}, {-4, -1, 1.0 / 65536},
		{0, 1023, math.Ldexp(1, 1023)}, {0, 1024, math.MaxFloat64}, {0, 1025, math.Inf(1)}, {8, 256 * 1024, math.MaxFloat64}, {8, 256*1024 + 1, math.Inf(1)},
		{-4, 64, math.MaxFloat64}, {-4, 65, math.Inf(1)}, {0, -1074, math.SmallestNonzeroFloat64}, {0, -1075, 0},
		{8, math.MaxInt64, math.Inf(1)}, {-4, math.MaxInt64, math.Inf(1)}, {-4, math.MinInt64, 0}, {8, math.MinInt64, 0},
	} {
		if got := bound(c.schema, c.index); got != c.want {
			t.Errorf("bound %d of schema %d is %v, want %v", c.index, c.schema, got, c.want)
		}
	}
}

func TestBuckets(t *testing.T) {
	span := func(offset int32, length uint32) remotewrite.BucketSpan {
		return remotewrite.BucketSpan{Offset: offset, Length: length}
	}
	type spans = []remotewrite.BucketSpan
	for name, c := range map[string]struct {
		h    remotewrite.Histogram
		want string
	}{
		"none": {remotewrite.Histogram{Count: remotewrite.IntCount(0)}, `[]`},
		"both signs": {remotewrite.Histogram{
			Count: remotewrite.IntCount(15), ZeroCount: remotewrite.IntCount(2), ZeroThreshold: 0.25,
			Positive: remotewrite.Buckets{Spans: spans{span(1, 2), span(1, 1)}, Deltas: []int64{3, -1, 4}},
			Negative: remotewrite.Buckets{Spans: spans{span(0, 2)}, Deltas: []int64{1, 0}},
		}, `[{"lower":-2,"upper":-1,"count":1},{"lower":-1,"upper":-0.5,"count":1},{"lower":-0.25,"upper":0.25,"count":2},` +
			`{"lower":1,"upper":2,"count":3},{"lower":2,"upper":4,"count":2},{"lower":8,"upper":16,"count":6}]`},
		"floats": {remotewrite.Histogram{
			Count: remotewrite.FloatCount(1.5), ZeroCount: remotewrite.FloatCount(0.5), Schema: 1,
			Positive: remotewrite.Buckets{Spans: spans{span(2, 1), span(2045, 2)}, Counts: []float64{1, math.NaN(), 1e21}},
		}, `[{"lower":0,"upper":0,"count":0.5},{"lower":1.4142135623730951,"upper":2,"count":1},` +
			`{"lower":1.2711610061536464e+308,"upper":1.7976931348623157e+308,"count":"NaN"},{"lower":1.7976931348623157e+308,"upper":"Infinity","count":1e+21}]`},
		"custom": {remotewrite.Histogram{
			Count: remotewrite.IntCount(6), Schema: customSchema, CustomValues: []float64{0.5, 1},
			Positive: remotewrite.Buckets{Spans: spans{span(0, 4)}, Deltas: []int64{1, 1, 1, 1}},
		}, `[{"lower":"-Infinity","upper":0.5,"count":1},{"lower":0.5,"upper":1,"count":2},{"lower":1,"upper":"Infinity","count":3},{"lower":null,"upper":null,"count":4}]`},
		"unknown schema": {remotewrite.Histogram{
			Count: remotewrite.IntCount(6), Schema: 9,
			Positive: remotewrite.Buckets{Spans: spans{span(0, 1)}, Deltas: []int64{1}},
		}, `[{"lower":null,"upper":null,"count":1}]`},
		"fewer spans than counts": {remotewrite.Histogram{
			Count:    remotewrite.IntCount(6),
			Positive: remotewrite.Buckets{Spans: spans{span(0, 0), span(1, 1), span(5, 0)}, Deltas: []int64{1, -3}},
		}, `[{"lower":1,"upper":2,"count":1},{"lower":null,"upper":null,"count":-2}]`},
		"spans without end": {remotewrite.Histogram{
			Positive: remotewrite.Buckets{Spans: spans{span(math.MaxInt32, math.MaxUint32), span(math.MinInt32, math.MaxUint32)}, Deltas: []int64{1}},
		}, `[{"lower":"Infinity","upper":"Infinity","count":1}]`},
	} {
		var s remotewrite.Scanner
		s.Reset(remotewrite.Append(nil, remotewrite.V2, &remotewrite.Request{Series: []remotewrite.Series{{Histograms: []remotewrite.Histogram{c.h}}}}), remotewrite.V2)
		for v := range s.Series {
			for h := range v.Histograms {
				got := new(buckets).append(nil, h, math.MaxInt64)
				if string(got) != c.want || !json.Valid(got) {
					t.Errorf("%s\n got %s\nwant %s", name, got, c.want)
				}
			}
		}
	}
}
