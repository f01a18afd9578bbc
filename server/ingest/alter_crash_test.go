package ingest

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/table"
)

// The process or the machine crashes at each disk call of an alteration in turn. After the next
// start, the catalog contains either the old or the new types. Each row exists once, with its old
// or its new cell, or is already removed with its table. Repeating the request completes the
// alteration. The result is the same after another start.
func TestAlterationIsInterrupted(t *testing.T) {
	const column = "/v1/tables/db/t/columns/v"
	const old = "time:time id:int64 v:int64"
	for _, c := range []struct {
		name, method, url, body string
		types                   string // after the alteration
		cells                   func(v int64) string
		next                    any // v of a row that is written after the alteration
	}{
		{"drop the table", "DELETE", "/v1/tables/db/t?files=delete", "", "", nil, "text"},
		{"drop the table and keep its files", "DELETE", "/v1/tables/db/t?files=keep", "", "", func(v int64) string { return fmt.Sprint(v) }, "text"},
		{"drop a column", "DELETE", column + "?files=rewrite", "", "time:time id:int64", func(int64) string { return "none" }, "text"},
		{"drop a column and keep it in files", "DELETE", column + "?files=keep", "", "time:time id:int64", func(v int64) string { return fmt.Sprint(v) }, "text"},
		{"another type", "PUT", column, `{"type":"string"}`, "time:time id:int64 v:string", func(v int64) string { return fmt.Sprintf("%q", fmt.Sprint(v)) }, "text"},
	} {
		for _, end := range []string{"process", "machine"} {
			t.Run(c.name+", "+end, func(t *testing.T) {
				interrupted := 0
				for call := 1; ; call++ {
					completed := false
					synctest.Test(t, func(t *testing.T) {
						d := faulty.New(uint64(call), faulty.Options{})
						if err := disk.MkdirAll(d, "/data"); err != nil {
							t.Fatal(err)
						}
						r := newDiskRig(t, d)
						for id := range int64(3) {
							wantStatus(t, r.v1(list{dict{"time", t0 + id*3600_000_000, "id", id, "v", id * 7}}, ""), http.StatusNoContent)
							if id == 1 { // the third row has not landed when the alteration starts
								r.flush()
							}
						}
						d.CrashAt(call)
						completed = r.do(c.method, c.url, []byte(c.body)).Code == http.StatusNoContent
						if end == "machine" {
							d = d.Crash()
						} else {
							d = d.Kill()
						}
						r.abandon()

						r = newDiskRig(t, d)
						r.flush()
						types, cells := r.types(), cellsOf(t, d)
						if types != old && types != c.types || completed && types != c.types {
							t.Fatalf("call %d, completed %v: catalog %q", call, completed, types)
						}
						for id := range int64(3) {
							got := cells[id]
							before := fmt.Sprint(id * 7)
							gone := c.cells == nil && len(got) == 0
							if !gone && (len(got) != 1 || got[0] != before && (c.cells == nil || got[0] != c.cells(id*7))) {
								t.Fatalf("call %d: row %d is there as %q", call, id, got)
							}
						}
						if types == old {
							wantStatus(t, r.do(c.method, c.url, []byte(c.body)), http.StatusNoContent)
						}
						for _, when := range []string{"then", "after another start"} {
							if types := r.types(); types != c.types {
								t.Fatalf("call %d, %s: catalog %q, want %q", call, when, types, c.types)
							}
							cells := cellsOf(t, d)
							for id := range int64(3) {
								if got := cells[id]; c.cells == nil && len(got) > 0 || c.cells != nil && !slices.Equal(got, []string{c.cells(id * 7)}) {
									t.Fatalf("call %d, %s: row %d is there as %q", call, when, id, got)
								}
							}
							if when == "then" {
								d = d.Kill()
								r.abandon()
								r = newDiskRig(t, d)
								r.flush()
							}
						}
						wantStatus(t, r.v1(list{dict{"time", t0, "id", 9, "v", c.next}}, ""), http.StatusNoContent)
						r.flush()
						if got := cellsOf(t, d)[9]; !slices.Equal(got, []string{`"text"`}) {
							t.Fatalf("call %d: a row after it is there as %q", call, got)
						}
					})
					if t.Failed() {
						return
					}
					if completed {
						break
					}
					interrupted++
				}
				if interrupted < 5 {
					t.Errorf("only %d calls of the disk", interrupted)
				}
			})
		}
	}
}

// newDiskRig returns a rig whose log, catalog and files are on a disk in memory, below /data.
func newDiskRig(t *testing.T, d *faulty.Disk) *rig {
	t.Helper()
	sink, err := parquet.New("/data/tables", parquet.Options{Disk: d})
	if err != nil {
		t.Fatal(err)
	}
	return newRig(t, Options{}, func(o *table.Options) { o.Dir, o.Sink, o.WAL.Disk = "/data", sink, d })
}

// abandon ends a rig whose disk has crashed.
func (r *rig) abandon() {
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	r.store.Close(stopped)
}

// cellsOf returns the cells of the column v in all files below /data/tables. The keys of the result
// are the cells of the column id. Cells are texts: strings are quoted, and "none" means that the
// file lacks the column.
func cellsOf(t *testing.T, d *faulty.Disk) map[int64][]string {
	t.Helper()
	cells := make(map[int64][]string)
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := d.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if e.IsDir() {
				walk(name)
			} else if !strings.HasPrefix(e.Name(), ".") {
				b, _, err := parquet.Read(d, name)
				if err != nil {
					t.Fatal(err)
				}
				v := b.Find("v")
				for i, id := range b.Find("id").Ints {
					text := "none"
					switch {
					case v == nil:
					case v.Kind == column.String:
						text = fmt.Sprintf("%q", v.StringAt(i))
					default:
						text = fmt.Sprint(cell(v, i))
					}
					cells[id] = append(cells[id], text)
				}
			}
		}
	}
	walk("/data/tables")
	return cells
}
