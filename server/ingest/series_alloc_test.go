//go:build !race && !invariants

package ingest

import (
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// A repeated request allocates only for the names of its tables and for the texts of its metadata.
// It also allocates for column names if the pool gives a table the batch of another table.
//
// This does not hold in two builds. With the tag invariants, a Scanner copies each series. With the
// race detector, a sync.Pool drops some of its values.
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
