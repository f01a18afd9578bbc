package ingest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/table"
)

var waited = regexp.MustCompile(`"oldest_seconds":[^,}]*`)

// trace returns everything that a request can leave behind: /v1/tables, the catalog on disk, and
// the total and the failing tables in the metrics.
func (r *rig) trace() string {
	r.t.Helper()
	// The row and file counts of the catalog are omitted: they are written when a segment is
	// released, possibly after the flush has returned.
	file := r.catalog(func(info table.TableInfo) string { return fmt.Sprintln(info.Name, info.Columns, info.Aside) })
	w := httptest.NewRecorder()
	req := httptest.NewRequest("GET", "/v1/tables", nil)
	all, _ := access.NewGuard(nil).Admit(req, access.Read, access.All)
	r.h.tables(w, req, all)
	wantStatus(r.t, w, 200)
	return fmt.Sprintf("%s%s%d tables, failing %v", waited.ReplaceAll(w.Body.Bytes(), nil), file, r.store.Stats().Tables, r.store.Failing())
}

// catalog returns the tables in the catalog on disk, each converted by text.
func (r *rig) catalog(text func(info table.TableInfo) string) string {
	r.t.Helper()
	infos, err := table.ReadCatalog(disk.OS, r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	var all strings.Builder
	for _, info := range infos {
		all.WriteString(text(info))
	}
	return all.String()
}

// wantNoTrace sends a request that must be rejected, and checks that it leaves nothing behind.
func (r *rig) wantNoTrace(what string, send func() int) {
	r.t.Helper()
	before := r.trace()
	if status := send(); status < 400 {
		r.t.Errorf("%s: status %d, and it should have been refused", what, status)
	}
	if after := r.trace(); after != before {
		r.t.Errorf("%s left a trace:\nbefore %s\nafter  %s", what, before, after)
	}
}

// seriesStatus returns a status for the result of a Remote Write request: 204, or 400 for any
// error.
func seriesStatus(res series.Result) int {
	if res.Err == nil {
		return http.StatusNoContent
	}
	return http.StatusBadRequest
}

// columns returns an Arc envelope with one row.
func columns(m string, cells ...any) dict {
	all := dict{"time", list{t0}}
	for i := 0; i < len(cells); i += 2 {
		all = append(all, cells[i], list{cells[i+1]})
	}
	return dict{"m", m, "columns", all}
}

// samplesAt returns a Remote Write request with one sample.
func samplesAt(ms int64) []byte {
	r := &remotewrite.Request{Series: []remotewrite.Series{{Labels: label("__name__", "up"), Samples: []remotewrite.Sample{{Value: 1, Timestamp: ms}}}}}
	return remotewrite.Append(nil, remotewrite.V1, r)
}

// A rejected request leaves all tables unchanged, whatever its route, its format and the reason.
func TestRefusedRequestLeavesNoTrace(t *testing.T) {
	r := newRig(t, Options{}, func(o *table.Options) { o.MaxTables, o.MaxColumns, o.MaxHours = 3, 4, 5 })
	arc := func(items ...any) func() int { return func() int { return r.arc(items).Code } }
	if status := arc(columns("b", "n", int64(1<<53+1), "s", "x"), columns("c", "f", 0.5))(); status != 204 {
		t.Fatalf("status %d", status)
	}
	write := func(contentType, query string, body []byte) func() int {
		return func() int { return r.write(contentType, query, body).Code }
	}
	first := columns("a", "v", "oops")
	hours := make(list, 6)
	for i := range hours {
		hours[i] = t0 + int64(i)*3600_000_000
	}
	for _, c := range []struct {
		what string
		send func() int
	}{
		{"a type that another table does not have", arc(first, columns("b", "s", 1))},
		{"a new column of a table, and such a type", arc(columns("c", "g", 1), columns("b", "s", 1))},
		{"a wider type of a column, and such a type", arc(columns("c", "f", 1, "g", true), columns("b", "n", "x"))},
		{"a float where an integer would be rounded", arc(first, columns("b", "n", 0.5))},
		{"one table too many", arc(first, columns("d"))},
		{"one column too many", arc(first, columns("b", "x", 1, "y", 1))},
		{"one hour too many", arc(first, dict{"m", "b", "columns", dict{"time", hours}})},
		{"rows and columns of one table that differ", arc(first, dict{"m", "a", "t", t0, "fields", dict{"v", 1}})},
		{"an item that is none", arc(first, 5)},
		{"a name", arc(first, columns("\n"))},
		{"MessagePack", write("application/msgpack", "", pack(t, dict{"time", hours, "v", hours}))},
		{"JSON", write("application/json", "", toJSON(t, dict{"time", hours, "v", hours}))},
		{"NDJSON", write("application/x-ndjson", "", toLines(t, list{dict{"time", t0, "v", 1}, dict{"time", t0, "v", "x"}}))},
		{"a parameter", write("application/json", "?partial=maybe", toJSON(t, dict{"time", list{t0}}))},
		{"a Content-Type", write("text/csv", "", []byte("time,v\n"))},
		{"a body that is cut short", write("application/json", "", []byte(`[{"time":1,"v":1},{"time":`))},
		{"a schema that is not there", write("application/x-slipstream-schema; schema=none; fingerprint=0123456789abcdef", "", []byte("x"))},
		{"no token", func() int {
			r.h.guard = guardOf(t, "secret")
			defer func() { r.h.guard = access.NewGuard(nil) }()
			return r.arc(first).Code
		}},
		{"a client that has gone", func() int {
			body := io.MultiReader(strings.NewReader(string(pack(t, first))), gone{context.Canceled})
			w := httptest.NewRecorder()
			r.h.ServeHTTP(w, httptest.NewRequest("POST", "/api/v1/write/msgpack", body))
			return w.Code
		}},
		{"Remote Write", func() int {
			return seriesStatus(r.h.AppendSeries([]series.Part{sent("one", remotewrite.V1, samplesAt(ms0)), sent("two", remotewrite.V1, samplesAt(1<<60))}))
		}},
		{"Remote Write, one table too many", func() int {
			return seriesStatus(r.h.AppendSeries([]series.Part{sent("one", remotewrite.V1, samplesAt(ms0)), sent("two", remotewrite.V1, samplesAt(ms0))}))
		}},
	} {
		r.wantNoTrace(c.what, c.send)
	}
	if status := arc(columns("a", "v", 1))(); status != 204 {
		t.Errorf("a column that only refused requests have had takes no integer: status %d", status)
	}
	r.landed()
	before := r.trace()
	r.replayed()
	if after := r.trace(); !strings.Contains(after, `"table":"a","columns":[{"name":"time","type":"time"},{"name":"v","type":"int64"}]`) {
		t.Errorf("after a restart:\nbefore %s\nafter %s", before, after)
	}
}

// gone is a body that cannot be read.
type gone struct{ error }

func (g gone) Read([]byte) (int, error) { return 0, g.error }

// Rows leave no trace if the log or the memory is full, if the disk fails, or if the store is
// closed.
func TestRowsThatAreNotLoggedLeaveNoTrace(t *testing.T) {
	first := func(r *rig) func() int { return func() int { return r.arc(list{columns("new", "v", "oops")}).Code } }
	stuck := func(t *testing.T, change func(*table.Options)) *rig {
		r := newRig(t, Options{}, change)
		r.sink.decide(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		stopped, cancel := context.WithCancel(context.Background())
		cancel()
		t.Cleanup(func() { r.store.Close(stopped) })
		return r
	}
	t.Run("memory", func(t *testing.T) {
		r := stuck(t, func(o *table.Options) { o.MaxBuffered = 1 })
		wantStatus(t, r.arc(list{columns("old", "v", 1)}), 204)
		for _, err := os.Stat(filepath.Join(r.dir, "catalog.json")); err != nil; _, err = os.Stat(filepath.Join(r.dir, "catalog.json")) {
			time.Sleep(time.Millisecond) // the memory is full, so the row is about to land; the catalog is written before
		}
		r.wantNoTrace("rows beyond the memory", first(r))
	})
	t.Run("log", func(t *testing.T) {
		r := stuck(t, func(o *table.Options) { o.WAL.MaxBytes = 200 })
		wantStatus(t, r.arc(list{columns("old", "v", 1)}), 204)
		r.wantNoTrace("rows beyond the log's budget", first(r))
	})
	t.Run("closed", func(t *testing.T) {
		r := newRig(t, Options{})
		if err := r.store.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		r.wantNoTrace("rows for a closed store", first(r))
	})
	for name, async := range map[string]string{"sync": "", "async": "?durability=async"} {
		t.Run("disk, "+name, func(t *testing.T) {
			var broken atomic.Bool
			d := faulty.New(1, faulty.Options{Fail: func(c faulty.Call) error {
				if broken.Load() && c.Writes() {
					return syscall.EIO
				}
				return nil
			}})
			if err := disk.MkdirAll(d, "/data"); err != nil {
				t.Fatal(err)
			}
			r := newRig(t, Options{}, func(o *table.Options) { o.Dir, o.WAL.Disk = "/data", d })
			wantStatus(t, r.arc(list{columns("old", "v", 1)}), 204)
			broken.Store(true)
			before := r.trace()
			r.do("POST", "/api/v1/write/msgpack"+async, pack(t, list{columns("new", "v", "oops")}))
			if err := r.store.Close(context.Background()); err == nil {
				t.Error("the disk has failed, and the store has closed without an error")
			}
			if after := r.trace(); after != before {
				t.Errorf("rows that the disk has refused left a trace:\nbefore %s\nafter  %s", before, after)
			}
		})
	}
}

// Random requests are sent, and some of them are rejected. A rejected request leaves no trace.
func TestTraceOfRequestsByChance(t *testing.T) {
	cells := []any{1, int64(1<<53 + 1), 0.5, "x", true, nil, int64(t0), list{}}
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		r := newRig(t, Options{}, func(o *table.Options) { o.MaxTables, o.MaxColumns = 4, 5 })
		refused, taken := 0, 0
		for range 60 {
			var items list
			for range 1 + rnd.IntN(3) {
				var pairs []any
				for range rnd.IntN(3) {
					pairs = append(pairs, string(rune('a'+rnd.IntN(6))), cells[rnd.IntN(len(cells))])
				}
				m := string(rune('p' + rnd.IntN(5)))
				if rnd.IntN(2) == 0 {
					items = append(items, columns(m, pairs...))
				} else {
					items = append(items, dict{"m", m, "t", t0, "fields", dict(pairs)})
				}
			}
			body, query := pack(t, items), []string{"", "?durability=async", "?partial=true"}[rnd.IntN(3)]
			r.landed() // queued rows change the catalog only when they are on disk
			before := r.trace()
			if w := r.do("POST", "/api/v1/write/msgpack"+query, body); w.Code >= 400 {
				refused++
				if after := r.trace(); after != before {
					t.Fatalf("seed %d: %v%s was refused and left a trace: %s\nbefore %s\nafter  %s", seed, items, query, w.Body, before, after)
				}
			} else {
				taken++
			}
		}
		if refused == 0 || taken == 0 {
			t.Errorf("seed %d: %d refused, %d taken: it has shown nothing", seed, refused, taken)
		}
	}
}
