package load

import (
	"math/bits"
	"time"
)

// histogram counts durations in buckets whose width grows with the value, like HDR histograms. Each
// value below 128 ns has its own bucket. Above that, each range from a power of two to the next is
// divided into 128 buckets of equal width. The middle of a bucket differs by at most 0.4 % from any
// value in the bucket.
//
//	value    0 … 127   128 … 255   256, 257 | 258, 259 | …   512 … 515 | …
//	bucket   0 … 127   128 … 255   256      | 257      | …   384       | …
type histogram struct {
	counts [(64 - precision) << precision]int64
	total  int64
	max    time.Duration
}

const precision = 7

func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	h.counts[bucket(uint64(d))]++
	h.total++
	h.max = max(h.max, d)
}

func bucket(v uint64) int {
	shift := max(0, bits.Len64(v)-precision-1)
	return shift<<precision + int(v>>shift)
}

// middle returns the value in the middle of a bucket.
func middle(bucket int) time.Duration {
	shift := max(0, bucket>>precision-1)
	least := uint64(bucket-shift<<precision) << shift
	return time.Duration(least + (1<<shift)/2)
}

func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
	h.max = max(h.max, o.max)
}

// quantile returns the q-quantile of the durations, where q is between 0 and 1. It returns 0 if
// there are no durations.
func (h *histogram) quantile(q float64) time.Duration {
	if h.total == 0 {
		return 0
	}
	// The rank counts from 1; at least one value is at or below every quantile.
	rank := max(1, int64(q*float64(h.total)+0.5))
	for i, n := range h.counts {
		if rank -= n; rank <= 0 {
			return min(middle(i), h.max)
		}
	}
	return h.max
}
