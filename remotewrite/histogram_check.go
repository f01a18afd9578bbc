package remotewrite

import (
	"errors"
	"math"
	"math/bits"
)

// customBounds is the schema of histograms with custom bucket bounds.
const customBounds = -53

// Errors of [HistogramView.Check].
var (
	ErrHistogramCount   = errors.New("remotewrite: the count of a histogram is not the sum of its buckets")
	ErrHistogramBuckets = errors.New("remotewrite: the spans and the counts of a histogram have different numbers of buckets")
	ErrHistogramOffset  = errors.New("remotewrite: a span of a histogram begins before the end of the previous span")
	ErrHistogramValue   = errors.New("remotewrite: a count of a histogram is negative")
	ErrHistogramCustom  = errors.New("remotewrite: the custom bounds of a histogram are invalid: wrong schema, not ascending, too few, or together with negative buckets or a zero bucket")
)

// Check returns an error if stores reject the histogram. It makes the same checks as Prometheus.
// The number of buckets in the spans must equal the number of counts, and no count may be negative.
// In an integer histogram, the sum of the bucket counts must equal the histogram's count. If the
// sum of the observations is NaN, the sum of the bucket counts may be less than the count, because
// no bucket contains NaN observations. For a float histogram, Check does not add up counts, because
// they are rounded. Unknown schemas are accepted. Check does not allocate.
func (h HistogramView) Check() error {
	if h.Schema == customBounds {
		if err := h.checkCustom(); err != nil {
			return err
		}
	} else {
		for range h.CustomValues {
			return ErrHistogramCustom
		}
	}
	negative, err := h.Negative().check()
	if err != nil {
		return err
	}
	positive, err := h.Positive().check()
	if err != nil {
		return err
	}
	count, ok := h.Count.Int()
	if f, isFloat := h.Count.Float(); isFloat {
		zero, _ := h.ZeroCount.Float()
		if f < 0 || zero < 0 {
			return ErrHistogramValue
		}
		return nil
	} else if !ok && h.Count != (Count{}) {
		return nil
	}
	zero, _ := h.ZeroCount.Int()
	sum, over1 := bits.Add64(negative, positive, 0)
	sum, over2 := bits.Add64(sum, zero, 0)
	if over1+over2 > 0 || sum > count || sum < count && !math.IsNaN(h.Sum) {
		return ErrHistogramCount
	}
	return nil
}

// checkCustom makes the checks that apply only to histograms with custom bucket bounds.
func (h HistogramView) checkCustom() error {
	for range h.Negative().Spans {
		return ErrHistogramCustom
	}
	zeroInt, _ := h.ZeroCount.Int()
	zeroFloat, _ := h.ZeroCount.Float()
	if zeroInt != 0 || zeroFloat != 0 || h.ZeroThreshold != 0 {
		return ErrHistogramCustom
	}
	last, bounds := math.Inf(-1), uint64(0)
	for bound := range h.CustomValues {
		if math.IsNaN(bound) || bounds > 0 && bound <= last {
			return ErrHistogramCustom
		}
		last = bound
		bounds++
	}
	if math.IsInf(last, 1) { // the last bucket has no bound
		return ErrHistogramCustom
	}
	reach := uint64(0)
	for s := range h.Positive().Spans {
		if s.Offset < 0 {
			return ErrHistogramOffset
		}
		reach += uint64(s.Offset) + uint64(s.Length)
	}
	if reach > bounds+1 {
		return ErrHistogramCustom
	}
	return nil
}

// check returns the sum of the bucket counts in an integer histogram. It returns an error if stores
// reject the buckets.
func (k BucketsView) check() (sum uint64, err error) {
	buckets, spans := uint64(0), 0
	for s := range k.Spans {
		if spans++; spans > 1 && s.Offset < 0 {
			return 0, ErrHistogramOffset
		}
		buckets += uint64(s.Length)
	}
	counts, at := uint64(0), int64(0)
	for d := range k.Deltas {
		counts++
		if at += d; at < 0 {
			return 0, ErrHistogramValue
		}
		var over uint64
		if sum, over = bits.Add64(sum, uint64(at), 0); over > 0 {
			return 0, ErrHistogramCount
		}
	}
	for c := range k.Counts {
		counts++
		if c < 0 {
			return 0, ErrHistogramValue
		}
	}
	if counts != buckets {
		return 0, ErrHistogramBuckets
	}
	return sum, nil
}
