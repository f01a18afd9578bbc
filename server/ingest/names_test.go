package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/table"
)

// Names that senders take from elsewhere are taken, with what comes beside them in a batch, and every reader can tell them apart.
func TestNamesOfSenders(t *testing.T) {
	dir := t.TempDir()
	r := newFileRig(t, dir)
	tables := []string{"cpu", "Cpu", "CPU", "net.if-stat", "_internal", ".hidden", "con", "CON", "nul.x", "a/b", "..", "a b", "é", "e\u0301", "x=1", "~63on",
		strings.Repeat("é", 64), strings.Repeat("é", 63) + "ê", "a:b", "-x", "COM1", "t.", "t"}
	names := []string{"date", "hour", "Date", "v", "V", "V_2", "TIME", "net.in-octets", "utc_date", "UTC_hour", "v_2"}
	var batch list
	for i, m := range tables {
		columns := dict{"time", list{t0}, "table", list{i}}
		for n, name := range names {
			columns = append(columns, name, list{n})
		}
		batch = append(batch, dict{"m", m, "columns", columns})
	}
	wantStatus(t, r.arc(batch), 204)
	wantStatus(t, r.do("POST", "/-/flush", nil), 204)

	dirs, err := os.ReadDir(filepath.Join(dir, "tables", "default"))
	if err != nil {
		t.Fatal(err)
	}
	folded := make(map[string]bool)
	found := make(map[int64]string)
	for _, d := range dirs {
		if name := strings.ToLower(d.Name()); folded[name] || name != d.Name() || strings.ContainsAny(name[:1], "_.") || strings.HasSuffix(name, ".") || len(name) > 255 {
			t.Errorf("directory %q is not one of its own on every file system, or is hidden", d.Name())
		} else {
			folded[name] = true
		}
		files, err := filepath.Glob(filepath.Join(dir, "tables", "default", strings.ReplaceAll(d.Name(), "[", "\\["), "utc_date=2023-11-14", "utc_hour=22", "*.parquet"))
		if err != nil || len(files) != 1 {
			t.Fatalf("directory %q: files %v, %v", d.Name(), files, err)
		}
		b, err := parquet.Read(files[0])
		if err != nil {
			t.Fatal(err)
		}
		meta, err := parquet.Meta(files[0])
		if err != nil {
			t.Fatal(err)
		}
		id := b.Find("table").Ints[0]
		if found[id] != "" || meta["slipstream.table"] != tables[id] {
			t.Errorf("table %q is in %q and %q, whose file says %q", tables[id], found[id], d.Name(), meta["slipstream.table"])
		}
		found[id] = d.Name()
		seen := map[string]bool{"utc_date": true, "utc_hour": true}
		values := make(map[string]int64)
		for _, c := range b.Columns {
			if name := strings.ToLower(c.Name); seen[name] {
				t.Errorf("%q: column %q is hidden by another one", tables[id], c.Name)
			} else {
				seen[name] = true
			}
			original := c.Name
			if as := meta["slipstream.column."+c.Name]; as != "" {
				original = as
			}
			values[original] = c.Ints[0]
		}
		for n, name := range names {
			if v, ok := values[name]; !ok || v != int64(n) {
				t.Errorf("%q: column %q is %d, %v; want %d", tables[id], name, v, ok, n)
			}
		}
	}
	if len(found) != len(tables) {
		t.Errorf("%d directories for %d tables", len(found), len(tables))
	}
	for name, want := range map[string]string{"cpu": "cpu", "Cpu": "~43pu", "con": "~63on", "net.if-stat": "net.if-stat", "_internal": "~5finternal"} {
		for id, d := range found {
			if tables[id] == name && d != want {
				t.Errorf("table %q is in the directory %q, want %q", name, d, want)
			}
		}
	}
	types := func() string {
		return r.catalog(func(info table.TableInfo) string { return fmt.Sprintln(info.Name, info.Columns) })
	}
	before := types()
	r.store.Close(t.Context())
	r = newFileRig(t, dir)
	wantStatus(t, r.arc(batch), 204)
	if after := types(); after != before || before == "" {
		t.Errorf("after a restart the catalog is another one\nbefore %s\nafter %s", before, after)
	}
}
