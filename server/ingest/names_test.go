package ingest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/table"
)

// Table and column names that senders take from other systems are accepted, together with the rest
// of their batch. Every reader can distinguish them.
func TestNamesOfSenders(t *testing.T) {
	dir := t.TempDir()
	r := newFileRig(t, dir)
	tables := []string{"cpu", "Cpu", "CPU", "net.if-stat", "_internal", ".hidden", "con", "CON", "nul.x", "a/b", "..", "a b", "é", "e\u0301", "x=1", "~63on",
		strings.Repeat("é", 64), strings.Repeat("é", 63) + "ê", "a:b", "-x", "COM1", "t.", "t"}
	valid := []string{"date", "hour", "Date", "v", "V", "V_2", "TIME", "net.in-octets", "utc_date", "UTC_hour", "v_2"}
	var batch list
	for i, m := range tables {
		columns := dict{"time", list{t0}, "table", list{i}}
		for n, name := range valid {
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
		b, _, err := parquet.Read(disk.OS, files[0])
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
		for n, name := range valid {
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

// Each database has its own directory, however similar the names are. The URL and the header select
// the same database.
func TestNamesOfDatabases(t *testing.T) {
	dir := t.TempDir()
	r := newFileRig(t, dir)
	valid := []string{"t", "T", "CON", "con", "Con", "nul", "com1", "lpt9.x", "a.b", "a-b", "a_b", "x.", "0", "9a", strings.Repeat("d", names.MaxDatabase), strings.Repeat("D", names.MaxDatabase)}
	for i, name := range valid {
		wantStatus(t, r.do("POST", "/v1/write/"+name+"/m", pack(t, dict{"time", list{t0}, "n", list{i}}), "Content-Type", asMessagePack), 204)
		wantStatus(t, r.arc(dict{"m", "m", "columns", dict{"time", list{t0}, "n", list{i}}}, "X-Arc-Database", name), 204)
	}
	r.flush()
	found := make(map[string]int) // rows, by lower-case path, as on a case-insensitive file system
	owner := make(map[string]int64)
	eachFile(t, filepath.Join(dir, "tables"), func(path string, b *column.Batch) {
		meta, err := parquet.Meta(filepath.Join(dir, "tables", path))
		if err != nil {
			t.Fatal(err)
		}
		database := strings.ToLower(strings.Split(path, "/")[0])
		for _, n := range b.Find("n").Ints {
			found[database]++
			if had, ok := owner[database]; ok && had != n || meta["slipstream.db"] != valid[n] {
				t.Errorf("directory %q has rows of %q and %q; its file says %q", database, valid[had], valid[n], meta["slipstream.db"])
			}
			owner[database] = n
		}
	})
	for database, rows := range found {
		if device, _, _ := strings.Cut(database, "."); rows != 2 || strings.ContainsAny(database[:1], "._-") || strings.HasSuffix(database, ".") || slices.Contains([]string{"con", "nul", "com1", "lpt9"}, device) {
			t.Errorf("directory %q has %d rows", database, rows)
		}
	}
	if len(found) != len(valid) {
		t.Errorf("%d directories for %d databases", len(found), len(valid))
	}
	for _, name := range []string{"..", ".", ".x", "-x", "_x", "a/b", "a\x00b", "a b", "é", strings.Repeat("d", names.MaxDatabase+1), strings.Repeat("d", 255)} {
		w := r.arc(dict{"m", "m", "columns", dict{"time", list{t0}}}, "X-Arc-Database", name)
		var p refusal.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); w.Code != 400 || err != nil || p.Field != "database" {
			t.Errorf("database %q: %d %s", name, w.Code, w.Body)
		}
		url := "/v1/write/" + escaped(name) + "/m"
		if w := r.do("POST", url, pack(t, dict{"time", list{t0}}), "Content-Type", asMessagePack); w.Code/100 == 2 {
			t.Errorf("database %q in a URL: %d %s", name, w.Code, w.Body)
		}
	}
	r.flush()
	if entries, err := os.ReadDir(filepath.Join(dir, "tables")); err != nil || len(entries) != len(valid) {
		t.Errorf("%d directories, %v, after the names that are none", len(entries), err)
	}
}

// escaped returns a name with each byte escaped as in a URL.
func escaped(name string) (s string) {
	for i := range len(name) {
		s += fmt.Sprintf("%%%02X", name[i])
	}
	return s
}

// A table name may be in the URL or in the body. Both write to the same table.
func TestNamesInURLs(t *testing.T) {
	r := newRig(t, Options{})
	valid := []string{"..", ".", "a/b", "a b", "a?b", "a#b", "a%b", "x=1", "é", "CON", "T", "t", ".hidden", "a\\b", strings.Repeat("é", names.Max/2)}
	for _, name := range valid {
		wantStatus(t, r.do("POST", "/v1/write/db/"+escaped(name), pack(t, dict{"time", list{t0}, "v", list{1}}), "Content-Type", asMessagePack), 204)
		wantStatus(t, r.arc(dict{"m", name, "columns", dict{"time", list{t0}, "v", list{1}}}, "X-Arc-Database", "db"), 204)
	}
	landed := r.landed()
	for _, name := range valid {
		if n := len(landed["db."+name]); n != 2 {
			t.Errorf("table %q has %d rows", name, n)
		}
	}
	if len(landed) != len(valid) {
		t.Errorf("%d tables for %d names", len(landed), len(valid))
	}
	for _, name := range []string{"a\x00b", "a\nb", "\x7f", "\u0085", "\xff", strings.Repeat("n", names.Max+1), strings.Repeat("n", 255)} {
		if w := r.do("POST", "/v1/write/db/"+escaped(name), pack(t, dict{"time", list{t0}}), "Content-Type", asMessagePack); w.Code/100 != 4 && w.Code/100 != 3 {
			t.Errorf("table %q: %d %s", name, w.Code, w.Body)
		}
	}
	if landed := r.landed(); len(landed) > 0 {
		t.Errorf("%v landed", landed)
	}
}

// A column may have any name that engines can show, in each form of each format. With partial=true,
// a row with any other column name is rejected, with the name as its field, and the other rows are
// stored. Without partial=true, the request is rejected, and the error contains the name as its
// field.
func TestNamesOfColumns(t *testing.T) {
	taken := []string{"date", "hour", "Date", "utc_date", "UTC_HOUR", "a.b", "a-b", "a b", "..", ".", "CON", "nul", "T", "t", "é", "e\u0301", "a/b", "x=1", "'", `"`, "\\", "$", strings.Repeat("n", names.Max)}
	refused := []string{"", "\x00", "a\x00b", "a\nb", "\x7f", "\u0085", "\ufffd", strings.Repeat("n", names.Max+1), strings.Repeat("é", 255)}
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			for _, name := range taken {
				r := newRig(t, Options{})
				wantStatus(t, r.do("POST", f.url, f.body(t, []dict{{"time", t0, name, 7}}), "Content-Type", f.contentType), 204)
				for _, rows := range r.landed() {
					found := 0
					for as, v := range rows[0] {
						if v == int64(7) && strings.HasPrefix(as, name) {
							found++
						}
					}
					if len(rows) != 1 || found != 1 {
						t.Errorf("column %q landed as %v", name, rows)
					}
				}
			}
			for _, name := range refused {
				r := newRig(t, Options{})
				rows := []dict{{"time", t0, "v", 1, name, nil}, {"time", t0, "v", 2, name, 7}, {"time", t0, "v", 3, name, nil}}
				w := r.do("POST", f.url, f.body(t, rows), "Content-Type", f.contentType)
				var p refusal.Problem
				if err := json.Unmarshal(w.Body.Bytes(), &p); w.Code != 400 || err != nil || p.Field != refusal.Clip(name) {
					t.Errorf("column %q: %d %s", name, w.Code, w.Body)
				}
				got := reply(t, r.do("POST", f.url+"?partial=true", f.body(t, rows), "Content-Type", f.contentType))
				if len(got.Rejected) != 1 || got.Rejected[0].Row != 1 || got.Rejected[0].Field != refusal.Clip(name) || got.Rows != 2 {
					t.Errorf("column %q: %+v", name, got)
				}
				for _, rows := range r.landed() {
					if len(rows) != 2 {
						t.Errorf("column %q: %v landed", name, rows)
					}
				}
			}
		})
	}
}
