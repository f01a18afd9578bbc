package remotewrite

// This file contains views of histograms. Non-repeated fields are read when a histogram is yielded.
// Repeated fields are read only when a method is called.

// HistogramView is a view of a native histogram. It is valid as long as the SeriesView that
// returned it is valid. Its fields have the same meaning as in [Histogram].
type HistogramView struct {
	raw []byte

	Count          Count
	ZeroCount      Count // observations within ±ZeroThreshold
	Sum            float64
	ZeroThreshold  float64
	Schema         int32
	ResetHint      ResetHint
	Timestamp      int64 // milliseconds
	StartTimestamp int64 // version 2
}

// Histograms yields the native histograms.
func (v *SeriesView) Histograms(yield func(HistogramView) bool) {
	tag, schema := uint32(tagHistogram1), histogram1
	if v.scanner.version == V2 {
		tag, schema = tagHistogram2, histogram2
	}
	v.fields(tag, v.histograms, func(b []byte, i int) bool {
		var h Histogram
		raw := view(b, i, len(b))
		for i < len(b) {
			tag, at, next := readField(b, i)
			h.field(b, tag, at, schema)
			i = next
		}
		return yield(HistogramView{raw, h.Count, h.ZeroCount, h.Sum, h.ZeroThreshold, h.Schema, h.ResetHint, h.Timestamp, h.StartTimestamp})
	})
}

// Raw returns the encoded message of the histogram.
func (h HistogramView) Raw() []byte { return h.raw }

// Negative returns a view of the buckets for negative values.
func (h HistogramView) Negative() BucketsView { return BucketsView{h.raw, 8} }

// Positive returns a view of the buckets for positive values.
func (h HistogramView) Positive() BucketsView { return BucketsView{h.raw, 11} }

// CustomValues yields the upper bounds of the buckets in a histogram with schema -53.
func (h HistogramView) CustomValues(yield func(float64) bool) { floats(h.raw, 16, yield) }

// BucketsView is a view of the buckets for values of one sign. An integer histogram has Deltas, and
// a float histogram has Counts. Each loop over a method's results scans the whole message of the
// histogram.
type BucketsView struct {
	raw    []byte // the histogram
	number uint32 // number of the field with the spans; deltas and counts have the next numbers
}

// Spans yields the sequences of adjacent buckets.
func (k BucketsView) Spans(yield func(BucketSpan) bool) {
	for i := 0; i < len(k.raw); {
		tag, at, next := readField(k.raw, i)
		if tag == k.number<<3|typeBytes {
			var s BucketSpan
			s.decode(k.raw[:next], at) // it has been checked
			if !yield(s) {
				return
			}
		}
		i = next
	}
}

// Deltas yields the counts of an integer histogram: the first count, and then the difference
// between each count and the previous one.
func (k BucketsView) Deltas(yield func(int64) bool) {
	number := k.number + 1
	for i := 0; i < len(k.raw); {
		tag, at, next := readField(k.raw, i)
		if tag>>3 == number {
			for at < next {
				var v uint64
				v, at = readVarint(k.raw, at)
				if !yield(zigzag(v)) {
					return
				}
			}
		}
		i = next
	}
}

// Counts yields the counts of a float histogram.
func (k BucketsView) Counts(yield func(float64) bool) { floats(k.raw, k.number+2, yield) }

// floats yields the numbers in the fields with this field number, packed or not.
func floats(b []byte, number uint32, yield func(float64) bool) {
	for i := 0; i < len(b); {
		tag, at, next := readField(b, i)
		if tag>>3 == number {
			for ; at < next; at += 8 {
				if !yield(readFloat(b, at)) {
					return
				}
			}
		}
		i = next
	}
}
