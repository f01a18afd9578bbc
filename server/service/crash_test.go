package service

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/query"
	"github.com/slipstream-go/slipstream/server/table"
)

// sendTo runs n senders against a service until stop is called.
func sendTo(t *testing.T, url string, ids *atomic.Int64, n int) (senders []*sender, stop func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	next := func() int64 { return ids.Add(perBatch) }
	for range n {
		s := &sender{}
		senders = append(senders, s)
		running.Go(func() { s.run(t, url, next, done) })
	}
	return senders, func() {
		close(done)
		running.Wait()
	}
}

// wantTotals checks that the totals of landed rows in /v1/tables match the files below dir.
func wantTotals(t *testing.T, url, dir string) {
	t.Helper()
	found := make(map[string]table.Totals)
	err := query.EachFile(dir, func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		rows, err := parquet.Rows(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		parts := strings.SplitN(filepath.ToSlash(rel), "/", 3)
		n := found[parts[0]+"."+parts[1]]
		found[parts[0]+"."+parts[1]] = table.Totals{Rows: n.Rows + rows, Files: n.Files + 1, Bytes: n.Bytes + info.Size()}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var listed []struct {
		DB, Table    string
		Rows         struct{ Accepted, Landed, Pending int64 }
		Files, Bytes int64
	}
	if err := json.Unmarshal([]byte(fetch(t, url+"/v1/tables", "")), &listed); err != nil {
		t.Fatal(err)
	}
	for _, l := range listed {
		name := l.DB + "." + l.Table
		if got := (table.Totals{Rows: l.Rows.Landed, Files: l.Files, Bytes: l.Bytes}); got != found[name] || l.Rows.Accepted != l.Rows.Landed+l.Rows.Pending {
			t.Errorf("/v1/tables: %+v; there are %+v", l, found[name])
		}
		delete(found, name)
	}
	if len(found) > 0 {
		t.Errorf("/v1/tables does not list %v", found)
	}
}

// After twenty kills at random moments, the service has every acknowledged row exactly once.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes twenty restarts")
	}
	dir := t.TempDir()
	var ids atomic.Int64
	var senders []*sender
	const kills = 20
	for range kills {
		c := start(t, dir, "--seal-age=30ms", "--seal-rows=2000")
		running, stop := sendTo(t, c.url, &ids, 4)
		senders = append(senders, running...)
		last := ids.Load() + perBatch*rand.Int64N(200)
		waitFor(t, "batches to be sent", func() bool { return ids.Load() > last })
		c.cmd.Process.Kill()
		c.end()
		stop()
	}
	c := start(t, dir)
	if status, text, err := post(http.DefaultClient, c.url+"/-/flush", nil); err != nil || status != http.StatusNoContent {
		t.Fatal(status, text, err)
	}
	rows := wantIDs(t, idsOf(t, filepath.Join(dir, "tables")), senders)
	wantTotals(t, c.url, filepath.Join(dir, "tables"))
	c.stop()
	if again := wantIDs(t, idsOf(t, filepath.Join(dir, "tables")), senders); again != rows || rows < 1000 {
		t.Errorf("%d rows, then %d", rows, again)
	}
	t.Logf("%d rows acknowledged in %d runs", rows, kills)
}

// After a SIGTERM under load, all acknowledged rows have landed when the process ends.
func TestTerminate(t *testing.T) {
	dir := t.TempDir()
	c := start(t, dir, "--seal-age=1h")
	var ids atomic.Int64
	senders, stop := sendTo(t, c.url, &ids, 4)
	waitFor(t, "batches to be sent", func() bool { return ids.Load() > 20*perBatch })
	c.stop()
	stop()
	if rows := wantIDs(t, idsOf(t, filepath.Join(dir, "tables")), senders); rows == 0 {
		t.Error("no row was acknowledged")
	}
}

// Rows that were accepted with durability=async land when the service shuts down normally.
func TestAsync(t *testing.T) {
	dir := t.TempDir()
	c := start(t, dir, "--seal-age=1h")
	s := &sender{}
	for i := range int64(200) {
		status, text, err := post(http.DefaultClient, c.url+"/api/v1/write/msgpack?durability=async", arcBatch(t, i*perBatch))
		if err != nil || status != http.StatusNoContent {
			t.Fatal(status, text, err)
		}
		s.acknowledged = append(s.acknowledged, i*perBatch)
	}
	c.stop()
	wantIDs(t, idsOf(t, filepath.Join(dir, "tables")), []*sender{s})
}

// The second signal ends the service without waiting. No acknowledged row is lost.
func TestSecondSignal(t *testing.T) {
	dir := t.TempDir()
	c := start(t, dir, "--seal-age=1h", "--timeout-drain=1h")
	if status, text, err := post(http.DefaultClient, c.url+"/api/v1/write/msgpack", arcBatch(t, 0)); err != nil || status != http.StatusNoContent {
		t.Fatal(status, text, err)
	}
	c.cmd.Process.Signal(syscall.SIGTERM)
	for status := 0; status != http.StatusServiceUnavailable; {
		resp, err := http.Get(c.url + "/ready")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		status = resp.StatusCode
	}
	if status, text, err := post(http.DefaultClient, c.url+"/api/v1/write/msgpack", arcBatch(t, perBatch)); err != nil || status != http.StatusNoContent {
		t.Fatal("while draining:", status, text, err)
	}
	c.cmd.Process.Signal(syscall.SIGTERM)
	if err := c.end(); err == nil {
		t.Error("the service ended in good order")
	}
	c = start(t, dir)
	c.stop()
	wantIDs(t, idsOf(t, filepath.Join(dir, "tables")), []*sender{{acknowledged: []int64{0, perBatch}}})
}
