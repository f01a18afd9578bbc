package ingest

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// killedRows is the number of rows of one request. The request contains 3 samples each for two
// tenants, over some hours, and 2 exemplars for one of them. The value of each row is the number of
// the request.
const killedRows = 3 + 3 + 2

// Processes that append requests and land them are killed, one after the other. All rows of an
// acknowledged request are in the files exactly once. Of any other request, either all rows are in
// the files or none.
func TestSeriesKill(t *testing.T) {
	testkit.Killed(appendSeriesForEver)
	if testing.Short() {
		t.Skip("it takes some restarts")
	}
	dir := t.TempDir()
	acknowledged := make(map[int]bool)
	for round := range 6 {
		testkit.Kill(t, dir, round*1_000_000, 200+150*round, func(line string) bool {
			var id int
			_, err := fmt.Sscan(line, &id)
			acknowledged[id] = true
			return err == nil
		})
	}
	store, _, err := openKilled(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	landed := make(map[int]int)
	eachFile(t, filepath.Join(dir, "tables"), func(_ string, b *column.Batch) {
		if values := b.Find("value"); values != nil { // missing in metadata
			for _, id := range values.Floats {
				landed[int(id)]++
			}
		}
	})
	for id, n := range landed {
		if n != killedRows {
			t.Errorf("request %d, acknowledged: %v, has %d rows", id, acknowledged[id], n)
		}
	}
	for id := range acknowledged {
		if landed[id] == 0 {
			t.Errorf("request %d was acknowledged and has not landed", id)
		}
	}
	t.Logf("%d requests acknowledged, %d landed", len(acknowledged), len(landed))
}

func openKilled(dir string, segment int64) (*table.Store, *Handler, error) {
	h := New(Options{Batches: NewBatches(time.Hour)})
	sink, err := parquet.New(filepath.Join(dir, "tables"), parquet.Options{})
	if err != nil {
		return nil, nil, err
	}
	store, err := table.Open(table.Options{
		Dir: dir, Sink: sink, Pool: h.pool, Decode: Replay(h.pool), Carrier: h.batches, SealAge: 20 * time.Millisecond, SealRows: 500,
		WAL: wal.Options{SegmentBytes: segment},
	})
	if err == nil {
		h.Open(store)
	}
	return store, h, err
}

func appendSeriesForEver(dir string, first int) {
	_, h, err := openKilled(dir, 1<<20)
	if err != nil {
		testkit.Fail(err)
	}
	var ids atomic.Int64
	ids.Store(int64(first))
	var senders sync.WaitGroup
	for sender := range 4 {
		version := remotewrite.V1 + remotewrite.Version(sender%2)
		senders.Go(func() {
			for {
				id := ids.Add(1)
				r := scraped(1, 3)
				s := &r.Series[0]
				for i := range s.Samples {
					s.Samples[i] = remotewrite.Sample{Value: float64(id), Timestamp: time.Now().UnixMilli() + int64(i)*3_600_000}
				}
				one := remotewrite.Append(nil, version, r)
				s.Exemplars = []remotewrite.Exemplar{{Value: float64(id), Timestamp: time.Now().UnixMilli()}, {Value: float64(id), Timestamp: 1}}
				parts := []series.Part{sent("team-a", version, one), sent(fmt.Sprint(id%5), version, remotewrite.Append(nil, version, r))}
				if got := h.AppendSeries(parts); got.Err != nil {
					testkit.Fail(got.Err)
				}
				fmt.Println(id)
			}
		})
	}
	senders.Wait()
}
