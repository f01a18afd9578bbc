package series

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"sync"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// Native histograms are stored in three forms: as columns with the frequently queried values, as
// JSON with the buckets and their bounds, and as the unchanged message. Only the message is exact.

func (r *reader) addHistogram(v *remotewrite.SeriesView, h remotewrite.HistogramView) error {
	t, err := r.row(histograms, v, h.Timestamp)
	if err != nil {
		return err
	}
	t.columns[3].AppendFloat64(countOf(h.Count))
	t.columns[4].AppendFloat64(h.Sum)
	t.columns[5].AppendFloat64(countOf(h.ZeroCount))
	t.columns[6].AppendFloat64(h.ZeroThreshold)
	t.columns[7].AppendInt64(int64(h.Schema))
	left := r.most - r.text
	if r.scratch = r.buckets.append(r.scratch[:0], h, left); int64(len(r.scratch)) > left {
		return r.errTooMuch()
	}
	if err := r.appendText(t.columns[8], r.scratch); err != nil {
		return err
	}
	r.scratch = base64.StdEncoding.AppendEncode(r.scratch[:0], h.Raw())
	if err := r.appendText(t.columns[9], r.scratch); err != nil {
		return err
	}
	return r.close(t, 10, h.StartTimestamp)
}

// countOf returns a count as a float.
func countOf(c remotewrite.Count) float64 {
	if n, ok := c.Int(); ok {
		return float64(n)
	}
	f, _ := c.Float()
	return f
}

// buckets encodes the buckets of a histogram. Its buffers are reused.
type buckets struct {
	schema int32
	floats bool      // the counts are floats
	custom []float64 // upper bounds of the buckets, for schema -53
	spans  []remotewrite.BucketSpan
	list   []bucket // buckets of one sign
	most   int64    // maximum length of the slice `list`; the text for more buckets would be too long
}

// bucket is one bucket of a histogram. It contains the bucket's index among the buckets with the
// same sign, and its count. An integer count is in the field `n`, and a float count in the field
// `f`.
type bucket struct {
	index  int64
	placed bool // a span contains the bucket
	n      int64
	f      float64
}

// append appends the buckets as JSON, in the order of their bounds:
//
//	[{"lower":-2,"upper":-1,"count":3}, …]
//
// The zero bucket is included if its count is not 0. Bounds and counts that are not JSON numbers
// are written as strings: "Infinity", "NaN". Unknown bounds are written as null. If b becomes
// longer than the argument `most`, append stops.
func (k *buckets) append(b []byte, h remotewrite.HistogramView, most int64) []byte {
	const least = int64(len(`{"lower":0,"upper":0,"count":0},`))
	k.schema, k.most = h.Schema, most/least
	_, k.floats = h.Count.Float()
	k.custom = k.custom[:0]
	for f := range h.CustomValues {
		k.custom = append(k.custom, f)
	}
	b = append(b, '[')
	begin := len(b)
	add := func(i *bucket, lower, upper float64, ok bool) {
		switch {
		case int64(len(b)) > most:
			return
		case len(b) > begin:
			b = append(b, ',')
		}
		b = appendNumber(append(b, `{"lower":`...), lower, ok)
		b = appendNumber(append(b, `,"upper":`...), upper, ok)
		if b = append(b, `,"count":`...); k.floats {
			b = appendNumber(b, i.f, true)
		} else {
			b = strconv.AppendInt(b, i.n, 10)
		}
		b = append(b, '}')
	}
	k.spread(h.Negative())
	for i := len(k.list) - 1; i >= 0; i-- {
		lower, upper, ok := k.bounds(&k.list[i])
		add(&k.list[i], 0-upper, 0-lower, ok)
	}
	if zero := countOf(h.ZeroCount); zero != 0 {
		n, _ := h.ZeroCount.Int()
		add(&bucket{n: int64(n), f: zero}, 0-h.ZeroThreshold, h.ZeroThreshold, true)
	}
	k.spread(h.Positive())
	for i := range k.list {
		lower, upper, ok := k.bounds(&k.list[i])
		add(&k.list[i], lower, upper, ok)
	}
	return append(b, ']')
}

// spread fills k.list with the buckets of one sign. If a count belongs to no span, it is invalid,
// and the field `placed` of its bucket is false. Buckets are only created for counts, so the memory
// does not depend on the length of a span.
func (k *buckets) spread(of remotewrite.BucketsView) {
	k.spans, k.list = k.spans[:0], k.list[:0]
	for s := range of.Spans {
		k.spans = append(k.spans, s)
	}
	rest, index, left := k.spans, int64(0), uint32(0)
	add := func(n int64, f float64) bool {
		for left == 0 && len(rest) > 0 {
			index += int64(rest[0].Offset)
			left, rest = rest[0].Length, rest[1:]
		}
		k.list = append(k.list, bucket{index, left > 0, n, f})
		if left > 0 {
			index++
			left--
		}
		return int64(len(k.list)) <= k.most
	}
	if k.floats {
		of.Counts(func(f float64) bool { return add(0, f) })
		return
	}
	n := int64(0)
	of.Deltas(func(delta int64) bool {
		n += delta
		return add(n, 0)
	})
}

// appendNumber appends a bound or a count. If ok is false, it appends null.
func appendNumber(b []byte, f float64, ok bool) []byte {
	switch {
	case !ok:
		return append(b, "null"...)
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

const (
	customSchema         = -53
	minSchema, maxSchema = -4, 8
)

// bounds returns the bounds of a bucket of positive values. The bucket contains its upper bound,
// but not its lower bound. If the bounds are unknown, the result `ok` is false.
func (k *buckets) bounds(i *bucket) (lower, upper float64, ok bool) {
	switch {
	case !i.placed:
		return 0, 0, false
	case k.schema >= minSchema && k.schema <= maxSchema:
		return bound(k.schema, i.index-1), bound(k.schema, i.index), true
	case k.schema != customSchema || i.index < 0 || i.index > int64(len(k.custom)):
		return 0, 0, false
	}
	lower, upper = math.Inf(-1), math.Inf(1)
	if i.index > 0 {
		lower = k.custom[i.index-1]
	}
	if i.index < int64(len(k.custom)) {
		upper = k.custom[i.index]
	}
	return lower, upper, true
}

// bound returns the upper bound of a bucket: two to the power of index / 2^schema. If this value is
// 2^1024, bound returns the largest float instead. So infinity is only in the next bucket.
func bound(schema int32, index int64) float64 {
	index = min(max(index, -1<<20), 1<<20) // outside this range, the bound is 0 or infinity anyway
	if schema < 0 {
		index <<= -schema
		schema = 0
	}
	power, fraction := index>>schema, index&(1<<schema-1)
	if power == 1024 && fraction == 0 {
		return math.MaxFloat64
	}
	return math.Ldexp(roots()[fraction<<(maxSchema-schema)], int(power))
}

// roots returns the powers of two whose exponents are multiples of 1/2^maxSchema, from 0 up to but
// not including 1. They are rounded as in Prometheus, because math.Exp2 rounds differently.
var roots = sync.OnceValue(func() *[1 << maxSchema]float64 {
	roots := new([1 << maxSchema]float64)
	step := big.NewFloat(2).SetPrec(100)
	for range maxSchema {
		step.Sqrt(step)
	}
	for i, root := 0, big.NewFloat(1).SetPrec(100); i < len(roots); i++ {
		roots[i], _ = root.Float64()
		root.Mul(root, step)
	}
	return roots
})
