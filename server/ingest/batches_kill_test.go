package ingest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// keyed sends the batch with this number and its key. Batches are large, so that the log fills and
// releases segments.
func keyed(h *Handler, id int64, durability string) *httptest.ResponseRecorder {
	pad := strings.Repeat("x", 4<<10)
	body := fmt.Sprintf("{\"time\":%d,\"value\":%d,\"pad\":%q}\n{\"time\":%d,\"value\":%d}\n", 1_700_000_000+id, id, pad, 1_700_003_600+id, id)
	r := httptest.NewRequest("POST", "/v1/write/db/t?durability="+durability, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-ndjson")
	r.Header.Set(keyHeader, fmt.Sprint(id))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const (
	keyedSenders = 4
	keyedSegment = 4 << 20 // allows some 12,000 keys
)

// durabilityOf returns the durability of a batch. Every other batch is async: it does not wait for
// the disk. The next batch of its sender does. When the next batch is acknowledged, both are
// stored, because the log keeps them in order.
func durabilityOf(id int64) string { return []string{"sync", "async"}[id%2] }

// Processes that store and land batches are killed, one after the other. Then every batch that was
// sent is sent again, including batches that an earlier process acknowledged. Each batch has landed
// exactly once.
func TestKeysKill(t *testing.T) {
	testkit.Killed(storeForEver)
	if testing.Short() {
		t.Skip("it takes some restarts")
	}
	dir := t.TempDir()
	sent := make(map[int64]bool) // whether the batch was acknowledged
	for round := range 6 {
		next := int64(round * 1_000_000)
		last := next
		testkit.Kill(t, dir, int(next), 150+150*round, func(line string) bool {
			var id int64
			_, err := fmt.Sscan(line, &id)
			if err != nil {
				return false
			}
			sent[id] = true
			last = max(last, id)
			return true
		})
		for id := next + 1; id <= last+2*keyedSenders; id++ { // batches that were in progress at the kill may be stored or not
			if !sent[id] {
				sent[id] = false
			}
		}
	}
	store, h, err := openKilled(dir, keyedSegment)
	if err != nil {
		t.Fatal(err)
	}
	late := 0
	for id, acknowledged := range sent {
		w := keyed(h, id, durabilityOf(id))
		if w.Code != http.StatusNoContent {
			t.Fatalf("batch %d: %d %s", id, w.Code, w.Body)
		}
		if stored := again(w); acknowledged && !stored {
			t.Errorf("batch %d was acknowledged, and is stored again", id)
		} else if !stored {
			late++
		}
	}
	if err := store.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	landed := make(map[int64]int)
	eachFile(t, filepath.Join(dir, "tables"), func(_ string, b *column.Batch) {
		for _, id := range b.Find("value").Ints {
			landed[id]++
		}
	})
	for id := range sent {
		if landed[id] != 2 {
			t.Errorf("batch %d, acknowledged: %v, has %d rows, want 2", id, sent[id], landed[id])
		}
	}
	if first, err := os.Stat(filepath.Join(dir, "wal", "00000001.wal")); err == nil {
		t.Errorf("the first segment of the log is there, with %d bytes: no key had to be carried", first.Size())
	}
	t.Logf("%d batches, %d of them not stored before", len(sent), late)
}

func storeForEver(dir string, first int) {
	_, h, err := openKilled(dir, keyedSegment)
	if err != nil {
		testkit.Fail(err)
	}
	var ids atomic.Int64
	ids.Store(int64(first / 2))
	var senders sync.WaitGroup
	for range keyedSenders {
		senders.Go(func() {
			for {
				pair := 2 * ids.Add(1)
				for _, id := range []int64{pair - 1, pair - 1, pair, pair} { // each batch is repeated at once
					if w := keyed(h, id, durabilityOf(id)); w.Code != http.StatusNoContent {
						testkit.Fail(w.Body)
					}
				}
				fmt.Printf("%d\n%d\n", pair-1, pair)
			}
		})
	}
	senders.Wait()
}
