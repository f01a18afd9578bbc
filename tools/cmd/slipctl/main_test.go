package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/queue"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// newLog writes a log with a record, and returns its directory.
func newLog(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wal")
	l, err := wal.Open(dir, wal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.Start()
	if err := l.Append(&wal.Record{Type: 1, DB: "db", Table: "t", Payload: []byte("payload")}, nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// newQueue writes a queue with two requests, and returns its directory.
func newQueue(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "queue")
	down := func(context.Context, string, []*queue.Item) queue.Verdict {
		return queue.Verdict{Err: errors.New("down")}
	}
	q, err := queue.Open(dir, queue.Options{Deliver: down})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Put([]queue.Item{
		{Tenant: "team-a", Note: [4]uint32{3, 5}, Body: []byte("body")}, {Tenant: "team-b\x00cortex:9009", Note: [4]uint32{1, 1}, Body: []byte("body")},
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Close(ctx); err != nil {
		t.Fatal(err)
	}
	return dir
}

// newTable writes a Parquet file with a row, and returns the directory of the tables.
func newTable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := parquet.New(dir, parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Land(t.Context(), &table.File{
		Path:    "db/t/utc_date=2026-11-27/utc_hour=09/x.parquet",
		Columns: []table.Field{{Name: "time", Kind: column.Time}}, Rows: 1,
		Meta: map[string]string{"slipstream.db": "db", "slipstream.table": "t"},
		Gather: func(_, _, _ int, dst *column.Column) error {
			dst.Reset()
			dst.Accepts(column.Time)
			dst.AppendTime(time.Date(2026, 11, 27, 9, 30, 0, 0, time.UTC).UnixMicro())
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Each command runs, and its exit status reports whether it has succeeded.
func TestCommands(t *testing.T) {
	program := filepath.Join(t.TempDir(), "slipctl")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log, tables, queued, none := newLog(t), newTable(t), newQueue(t), filepath.Join(t.TempDir(), "none")
	damaged := newLog(t)
	if err := os.Remove(filepath.Join(damaged, "00000001.wal")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"version"}, 0, "slipctl "},
		{[]string{"query", tables}, 0, "2026-11-27T09:30:00.000Z"},
		{[]string{"query", none}, 1, "no Parquet files in "},
		{[]string{"wal", "check", log}, 0, "1 segments"},
		{[]string{"wal", "repair", log}, 0, "1 segments"},
		{[]string{"wal", "check", damaged}, 1, "`slipctl wal repair " + damaged + "` keeps all readable records"},
		{[]string{"wal", "check", none}, 2, "none"},
		{[]string{"queue", "show", queued}, 0, "team-a  any          1         3       5        4      20"},
		{[]string{"queue", "show", queued}, 0, "team-b  cortex:9009  1         1       1        4      20"},
		{[]string{"queue", "show", damaged}, 1, "the queue is damaged"},
		{[]string{"queue", "show", none}, 2, "none"},
		{[]string{"load", "--url=http://127.0.0.1:1"}, 1, "nothing answers"},
		{[]string{"schema", "show", none}, 2, "none"},
		{[]string{"migrate", "msgpack", none}, 1, "none"},
		{[]string{"serve"}, 2, "serve"},
		{nil, 2, "load"},
	} {
		cmd := exec.Command(program, c.args...)
		out, _ := cmd.CombinedOutput()
		if status := cmd.ProcessState.ExitCode(); status != c.status || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: status %d, want %d and %q\n%s", c.args, status, c.status, c.want, out)
		}
	}
}
