package remotewrite

import "math"

// Version is that of the protocol: it tells which messages a body is made of.
type Version uint8

const (
	V1 Version = 1 // prometheus.WriteRequest
	V2 Version = 2 // io.prometheus.write.v2.Request
)

// Request is a request of either version as plain values. [Decode] fills it, [Append] writes it.
//
// What is of one version only says so: Decode of the other leaves it empty, and Append of the other
// leaves it out.
//
// A Request that is decoded into owns the memory of its slices, all of them, and uses it again for
// the next request: they are good until then. It is for one goroutine, save that any number may
// Append it.
type Request struct {
	Series   []Series
	Metadata []Metadata // of families of metrics: version 1

	memory memory
}

// Series is a metric with its labels, and what was seen of it.
type Series struct {
	Labels     []Label // sorted by name, if the sender follows the rules
	Samples    []Sample
	Exemplars  []Exemplar
	Histograms []Histogram
	Metadata   Metadata // version 2
}

// Label is a name and a value.
type Label struct{ Name, Value string }

// Sample is a value at a time. Both times are in milliseconds since 1970.
type Sample struct {
	Value          float64 // keeps the bits of a NaN: see StaleNaN
	Timestamp      int64
	StartTimestamp int64 // version 2
}

// StaleNaN is the bits of the value of a sample, or the sum of a histogram, after which its series
// ends. It is a NaN of its own, which only [math.Float64bits] tells from others.
const StaleNaN uint64 = 0x7ff0000000000002

// Exemplar is an example of what was counted, such as a trace.
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
	CustomValues       []float64 // the upper bounds of the buckets of schema -53
	Timestamp          int64     // milliseconds
	StartTimestamp     int64     // version 2
}

// Buckets are those of one sign. Their counts are Deltas in a histogram of integers, Counts in one
// of floats.
type Buckets struct {
	Spans  []BucketSpan
	Deltas []int64 // each from the one before, the first from 0
	Counts []float64
}

// BucketSpan is a run of buckets.
type BucketSpan struct {
	Offset int32 // buckets left out since the span before; of the first span, where it begins
	Length uint32
}

// Count is the number of observations of a histogram, an integer or a float; the zero value is
// neither. It keeps the bits of a NaN.
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

// IntCount is n, in a histogram of integers.
func IntCount(n uint64) Count { return Count{countInt, n} }

// FloatCount is f, in a histogram of floats.
func FloatCount(f float64) Count { return Count{countFloat, math.Float64bits(f)} }

// Int is the integer, and whether it is one.
func (c Count) Int() (n uint64, ok bool) {
	if c.kind != countInt {
		return 0, false
	}
	return c.bits, true
}

// Float is the float, and whether it is one.
func (c Count) Float() (f float64, ok bool) {
	if c.kind != countFloat {
		return 0, false
	}
	return math.Float64frombits(c.bits), true
}

// ResetHint tells whether a histogram starts over after the one before it.
type ResetHint int32

const (
	ResetHintUnknown ResetHint = iota
	ResetHintYes
	ResetHintNo
	ResetHintGauge
)

// Metadata is what is known of a metric.
type Metadata struct {
	Type             MetricType
	MetricFamilyName string // version 1
	Help             string
	Unit             string
}

// MetricType is the same in both versions.
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
