package remotewrite

import "math"

// Version is the version of the protocol. It determines the messages in a body.
type Version uint8

const (
	V1 Version = 1 // prometheus.WriteRequest
	V2 Version = 2 // io.prometheus.write.v2.Request
)

// Request is a request of either version. [Decode] fills a Request, and [Append] encodes it.
//
// Some fields exist only in one version. For the other version, Decode leaves them empty, and
// Append omits them.
//
// A Request owns the memory of all its slices. Decode reuses this memory, so slices are valid until
// the next call of Decode. Append may be called concurrently for the same Request, but Decode must
// not.
type Request struct {
	Series   []Series
	Metadata []Metadata // metadata of metric families (version 1)

	memory memory
}

// Series is a metric with its labels and its data.
type Series struct {
	Labels     []Label // sorted by name, if the sender follows the protocol
	Samples    []Sample
	Exemplars  []Exemplar
	Histograms []Histogram
	Metadata   Metadata // version 2
}

// Label is a name and a value.
type Label struct{ Name, Value string }

// Sample is a value with a timestamp. Timestamps are in milliseconds since 1970.
type Sample struct {
	Value          float64 // the bits of a NaN are kept (see StaleNaN)
	Timestamp      int64
	StartTimestamp int64 // version 2
}

// StaleNaN is the bit pattern of a stale marker. A stale marker is a sample value, or a histogram
// sum, that marks the end of a series. Use math.Float64bits to distinguish it from other NaNs.
const StaleNaN uint64 = 0x7ff0000000000002

// Exemplar is an example of an observation, such as a trace.
type Exemplar struct {
	Labels    []Label
	Value     float64
	Timestamp int64 // milliseconds
}

// Histogram is a native histogram.
type Histogram struct {
	Count              Count
	ZeroCount          Count // observations within ±ZeroThreshold
	Sum                float64
	ZeroThreshold      float64
	Schema             int32
	ResetHint          ResetHint
	Negative, Positive Buckets
	CustomValues       []float64 // the upper bounds of the buckets in a histogram with schema -53
	Timestamp          int64     // milliseconds
	StartTimestamp     int64     // version 2
}

// Buckets contains the buckets for values of one sign. An integer histogram has Deltas, and a float
// histogram has Counts.
type Buckets struct {
	Spans  []BucketSpan
	Deltas []int64 // the first count, and then each count minus the previous count
	Counts []float64
}

// BucketSpan is a sequence of adjacent buckets.
type BucketSpan struct {
	Offset int32 // number of omitted buckets after the previous span; for the first span, the index of its first bucket
	Length uint32
}

// Count is the number of observations in a histogram. It is an integer or a float; the zero value
// is neither. A Count keeps the bits of a NaN.
type Count struct {
	kind countKind
	bits uint64
}

type countKind uint8

const (
	countNone countKind = iota
	countInt
	countFloat
)

// IntCount returns a Count for an integer histogram.
func IntCount(n uint64) Count { return Count{countInt, n} }

// FloatCount returns a Count for a float histogram.
func FloatCount(f float64) Count { return Count{countFloat, math.Float64bits(f)} }

// Int returns the count as an integer, and reports whether it is an integer.
func (c Count) Int() (n uint64, ok bool) {
	if c.kind != countInt {
		return 0, false
	}
	return c.bits, true
}

// Float returns the count as a float, and reports whether it is a float.
func (c Count) Float() (f float64, ok bool) {
	if c.kind != countFloat {
		return 0, false
	}
	return math.Float64frombits(c.bits), true
}

// ResetHint indicates whether a histogram was reset after the previous histogram.
type ResetHint int32

const (
	ResetHintUnknown ResetHint = iota
	ResetHintYes
	ResetHintNo
	ResetHintGauge
)

// Metadata describes a metric.
type Metadata struct {
	Type             MetricType
	MetricFamilyName string // version 1
	Help             string
	Unit             string
}

// MetricType is the type of a metric. The numbers are the same in both versions.
type MetricType int32

const (
	MetricTypeUnknown MetricType = iota
	MetricTypeCounter
	MetricTypeGauge
	MetricTypeHistogram
	MetricTypeGaugeHistogram
	MetricTypeSummary
	MetricTypeInfo
	MetricTypeStateset
)
