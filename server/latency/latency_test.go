package latency

import (
	"maps"
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	var h Histogram
	for _, d := range []time.Duration{0, time.Millisecond, time.Millisecond + 1, 30 * time.Second, time.Hour} {
		h.Observe(d)
	}
	want := make(map[float64]uint64)
	for _, bound := range bounds {
		want[bound] = 3
	}
	want[0.001], want[30] = 2, 4
	if got := h.Read(); got.Count != 5 || got.Sum != time.Hour+30*time.Second+2*time.Millisecond+1 || !maps.Equal(got.Buckets, want) {
		t.Errorf("%+v", got)
	}
}
