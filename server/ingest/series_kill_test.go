package ingest

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// The test binary is the process that TestSeriesKill kills, if these say where its data are and which request is the next.
const killedDir, killedNext = "INGEST_TEST_KILLED_DIR", "INGEST_TEST_KILLED_NEXT"

// untilKilled runs this test in a process of its own, which works in dir and counts from next, and kills it at the line that comes after so many.
// It gives how many there were; the pipe holds what was acknowledged before the kill. Each must be one that said takes.
func untilKilled(t *testing.T, dir string, next, lines int, said func(line string) bool) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), killedDir+"="+dir, fmt.Sprintf("%s=%d", killedNext, next))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for scanner := bufio.NewScanner(out); scanner.Scan(); n++ {
		if !said(scanner.Text()) {
			t.Fatalf("the process says %q", scanner.Text())
		}
		if n == lines {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	return n
}

// Of each request two tenants get samples, over some hours, and one of them exemplars: so many rows have its number for a value.
const killedRows = 3 + 3 + 2

// A process is killed while it appends requests and lands them. Of each that it has acknowledged all rows are in the files,
// once; of any other either all or none.
func TestSeriesKill(t *testing.T) {
	if dir := os.Getenv(killedDir); dir != "" {
		appendSeriesForEver(dir, os.Getenv(killedNext))
	}
	if testing.Short() {
		t.Skip("it takes some restarts")
	}
	dir := t.TempDir()
	acknowledged := make(map[int]bool)
	for round := range 6 {
		n := untilKilled(t, dir, round*1_000_000, 200+150*round, func(line string) bool {
			var id int
			_, err := fmt.Sscan(line, &id)
			acknowledged[id] = true
			return err == nil
		})
		if n < 200 {
			t.Fatalf("the process ended by itself after %d requests", n)
		}
	}
	store, _, err := openKilled(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	landed := make(map[int]int)
	err = filepath.WalkDir(filepath.Join(dir, "tables"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		return parquet.Scan(path, func(b *column.Batch) error {
			if values := b.Find("value"); values != nil { // not in metadata
				for _, id := range values.Floats {
					landed[int(id)]++
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
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
		WAL: wal.Options{SegmentBytes: segment, OnCommit: h.Committed, OnFail: h.Failed},
	})
	if err == nil {
		h.Open(store)
	}
	return store, h, err
}

func appendSeriesForEver(dir, next string) {
	fail := func(err error) {
		fmt.Println(err)
		os.Exit(1)
	}
	_, h, err := openKilled(dir, 1<<20)
	if err != nil {
		fail(err)
	}
	var ids atomic.Int64
	if first, err := strconv.ParseInt(next, 10, 64); err != nil {
		fail(err)
	} else {
		ids.Store(first)
	}
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
				parts := []Series{{"team-a", version, one}, {fmt.Sprint(id % 5), version, remotewrite.Append(nil, version, r)}}
				if status, _, err := h.AppendSeries(parts); status != 204 {
					fail(err)
				}
				fmt.Println(id)
			}
		})
	}
	senders.Wait()
}
