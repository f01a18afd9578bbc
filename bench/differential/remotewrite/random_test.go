// Package remotewrite compares Slipstream's package of this name with the generated code of
// Prometheus, which encodes and decodes the messages of Prometheus.
package remotewrite

import (
	"math"
	"math/rand/v2"
	"strings"

	v1 "github.com/prometheus/prometheus/prompb"
	v2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
)

// random generates messages as senders send them, including the extreme values of every type.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

func pick[T any](r random, from ...T) T { return from[r.IntN(len(from))] }

// some returns a list of up to n elements.
func some[T any](r random, n int, one func() T) (list []T) {
	for range r.IntN(n + 1) {
		list = append(list, one())
	}
	return list
}

// float never returns -0, because the original omits -0 as if it were 0.
func (r random) float() float64 {
	return pick(r, 0, 1, -1.5, math.Inf(1), math.NaN(), math.Float64frombits(0x7ff0000000000002), r.NormFloat64(),
		math.Float64frombits(r.Uint64()))
}

func (r random) int() int64 {
	return pick(r, 0, 1, -1, 127, 128, 1767225600000+r.Int64N(1e9), 1767225600000, -1767225600000, math.MaxInt64, math.MinInt64, int64(r.Uint64()>>r.IntN(64)))
}

func (r random) text() string {
	return pick(r, "", "a", "cluster", "__name__", "service_id", "kube_pod_container_status_last_terminated_reason", "prod-eu-1", "\xff\x00",
		strings.Repeat("long ", 1+r.IntN(60)), "0123456789abcdef"[:r.IntN(17)])
}

func (r random) spans() [][2]int64 {
	return some(r, 3, func() [2]int64 {
		return [2]int64{pick[int64](r, 0, 1, -4, math.MinInt32, math.MaxInt32), pick[int64](r, 0, 1, 200, math.MaxUint32)}
	})
}

func (r random) label() v1.Label { return v1.Label{Name: r.text(), Value: r.text()} }

func (r random) request1() *v1.WriteRequest {
	return &v1.WriteRequest{
		Timeseries: some(r, 5, func() v1.TimeSeries {
			return v1.TimeSeries{
				Labels:  some(r, 14, r.label),
				Samples: some(r, 3, func() v1.Sample { return v1.Sample{Value: r.float(), Timestamp: r.int()} }),
				Exemplars: some(r, 2, func() v1.Exemplar {
					return v1.Exemplar{Labels: some(r, 2, r.label), Value: r.float(), Timestamp: r.int()}
				}),
				Histograms: some(r, 2, r.histogram1),
			}
		}),
		Metadata: some(r, 2, func() v1.MetricMetadata {
			return v1.MetricMetadata{
				Type: v1.MetricMetadata_MetricType(pick(r, 0, 1, 7, 99, -1)), MetricFamilyName: r.text(), Help: r.text(), Unit: r.text(),
			}
		}),
	}
}

func (r random) histogram1() v1.Histogram {
	spans := func() (list []v1.BucketSpan) {
		for _, s := range r.spans() {
			list = append(list, v1.BucketSpan{Offset: int32(s[0]), Length: uint32(s[1])})
		}
		return list
	}
	h := v1.Histogram{
		Sum: r.float(), Schema: pick[int32](r, 0, -4, 8, -53, math.MinInt32, math.MaxInt32), ZeroThreshold: r.float(),
		NegativeSpans: spans(), NegativeDeltas: some(r, 5, r.int), NegativeCounts: some(r, 5, r.float),
		PositiveSpans: spans(), PositiveDeltas: some(r, 20, r.int), PositiveCounts: some(r, 20, r.float),
		ResetHint: v1.Histogram_ResetHint(r.IntN(5)), Timestamp: r.int(), CustomValues: some(r, 5, r.float),
	}
	switch r.IntN(3) {
	case 0:
		h.Count = &v1.Histogram_CountInt{CountInt: uint64(r.int())}
		h.ZeroCount = &v1.Histogram_ZeroCountInt{ZeroCountInt: uint64(r.int())}
	case 1:
		h.Count = &v1.Histogram_CountFloat{CountFloat: r.float()}
		h.ZeroCount = &v1.Histogram_ZeroCountFloat{ZeroCountFloat: r.float()}
	}
	return h
}

// request2 returns a request whose symbols are in the order of their first use, without unused
// ones. Slipstream writes symbols in the same way.
func (r random) request2() *v2.Request {
	table := v2.NewSymbolTable()
	refs := func(n int) (refs []uint32) {
		for range 2 * r.IntN(n+1) {
			refs = append(refs, table.Symbolize(r.text()))
		}
		return refs
	}
	m := &v2.Request{
		Timeseries: some(r, 5, func() (s v2.TimeSeries) {
			s.Metadata = v2.Metadata{
				Type: v2.Metadata_MetricType(pick(r, 0, 1, 7, 99, -1)), HelpRef: table.Symbolize(r.text()), UnitRef: table.Symbolize(r.text()),
			}
			s.LabelsRefs = refs(14)
			s.Samples = some(r, 3, func() v2.Sample {
				return v2.Sample{Value: r.float(), Timestamp: r.int(), StartTimestamp: r.int()}
			})
			s.Exemplars = some(r, 2, func() v2.Exemplar {
				return v2.Exemplar{LabelsRefs: refs(2), Value: r.float(), Timestamp: r.int()}
			})
			s.Histograms = some(r, 2, r.histogram2)
			return s
		}),
	}
	m.Symbols = table.Symbols()
	return m
}

// histogram2 returns a histogram with the encoding of version 1, and one additional field.
func (r random) histogram2() (h v2.Histogram) {
	older := r.histogram1()
	data, err := older.Marshal()
	if err != nil {
		panic(err)
	}
	if err := h.Unmarshal(data); err != nil {
		panic(err)
	}
	h.StartTimestamp = r.int()
	return h
}
