// Package latency implements histograms of request latencies.
package latency

import (
	"sync/atomic"
	"time"
)

// bounds contains the upper bounds of the buckets, in seconds.
var bounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// Histogram is a histogram of durations. The zero Histogram is empty. Its methods may be called
// from many goroutines.
type Histogram struct {
	counts [len(bounds) + 1]atomic.Int64
	sum    atomic.Int64 // nanoseconds
}

// Observe adds a duration to the histogram.
func (h *Histogram) Observe(d time.Duration) {
	i, s := 0, d.Seconds()
	for i < len(bounds) && s > bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(int64(d))
}

// Snapshot is a copy of the state of a histogram.
type Snapshot struct {
	Buckets map[float64]uint64 // cumulative, by upper bound in seconds
	Count   uint64
	Sum     time.Duration
}

// Read returns the current state of the histogram.
func (h *Histogram) Read() Snapshot {
	out := Snapshot{Buckets: make(map[float64]uint64, len(bounds)), Sum: time.Duration(h.sum.Load())}
	for i := range h.counts {
		out.Count += uint64(h.counts[i].Load())
		if i < len(bounds) {
			out.Buckets[bounds[i]] = out.Count
		}
	}
	return out
}
