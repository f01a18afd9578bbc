package parquet

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/server/table"
)

func TestCount(t *testing.T) {
	s := newSink(t, Options{})
	var want table.Totals
	for _, path := range []string{"db/t/utc_date=2026-11-21/utc_hour=09/a.parquet", "db/t/utc_date=2026-11-21/utc_hour=10/b.parquet", "db/t/utc_date=2026-11-22/utc_hour=00/c.parquet"} {
		info, err := os.Stat(land(t, s, path, full(3)))
		if err != nil {
			t.Fatal(err)
		}
		want = table.Totals{Rows: want.Rows + 3, Files: want.Files + 1, Bytes: want.Bytes + info.Size()}
	}
	land(t, s, "db/t2/utc_date=2026-11-21/utc_hour=09/other.parquet", full(3))
	half := land(t, s, "db/t/utc_date=2026-11-21/utc_hour=09/half.parquet", full(3))
	for name, text := range map[string]string{".x.parquet.tmp": "x", "notes.txt": "x"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(half), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	except := []string{"db/t/utc_date=2026-11-21/utc_hour=09/half.parquet"}
	if got, err := s.Count(context.Background(), "db/t", except); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, err := s.Count(context.Background(), "db/none", nil); err != nil || got != (table.Totals{}) {
		t.Errorf("a table without files: %+v, %v", got, err)
	}
	if err := os.Truncate(half, 10); err != nil {
		t.Fatal(err)
	}
	want.Files++
	want.Bytes += 10
	if got, err := s.Count(context.Background(), "db/t", nil); err == nil || !strings.Contains(err.Error(), "half.parquet") || got != want {
		t.Errorf("with a damaged file: %+v, %v; want %+v", got, err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Count(ctx, "db/t", nil); err == nil {
		t.Error("it does not end with its context")
	}
}
