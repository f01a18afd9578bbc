//go:build !invariants

package ingest

import (
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// A request allocates for the names of its tables, for each metadata that it has not had before,
// and for names of columns where two batches have changed places. (With the tag invariants, a
// Scanner makes a copy of each series.)
func TestSeriesAllocations(t *testing.T) {
	for version, most := range map[remotewrite.Version]float64{remotewrite.V1: 1, remotewrite.V2: 2 + 20 + 8} {
		for _, samples := range []int{1, 10} {
			decode := seriesDecoder(t, version, remotewrite.Append(nil, version, scraped(1000, samples)))
			decode()
			if n := testing.AllocsPerRun(20, decode); n > most {
				t.Errorf("V%d, %d samples: %v allocations, want at most %v", version, samples, n, most)
			}
		}
	}
}
