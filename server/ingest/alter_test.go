package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/table"
)

// newFileRig returns a rig whose rows land in Parquet files below dir.
func newFileRig(t testing.TB, dir string, change ...func(*table.Options)) *rig {
	t.Helper()
	sink, err := parquet.New(filepath.Join(dir, "tables"), parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, Options{}, append([]func(*table.Options){func(o *table.Options) { o.Dir, o.Sink = dir, sink }}, change...)...)
	r.dir = dir
	return r
}

// filed flushes, and returns the rows of all files. The key "kinds" of a row contains the kinds of
// the columns in its file.
func (r *rig) filed(dir string) (rows []row) {
	r.t.Helper()
	r.flush()
	eachFile(r.t, filepath.Join(dir, "tables"), func(_ string, b *column.Batch) {
		var kinds []string
		for _, c := range b.Columns {
			kinds = append(kinds, c.Name+":"+c.Kind.String())
		}
		for i := range b.Rows {
			of := row{"kinds": strings.Join(kinds, " ")}
			for _, c := range b.Columns {
				if v := cell(c, i); v != nil && c.Name != "time" {
					of[c.Name] = v
				}
			}
			rows = append(rows, of)
		}
	})
	return rows
}

// types returns the columns of db.t in the catalog, for example "time:time v:int64".
func (r *rig) types() string {
	r.t.Helper()
	var all []string
	for _, f := range r.store.Columns(table.Name{DB: "db", Table: "t"}) {
		all = append(all, f.Name+":"+f.Kind.String())
	}
	return strings.Join(all, " ")
}

func asText(t testing.TB, v any) string { return string(toJSON(t, v)) }

// An alteration changes the catalog, and files that have landed, as requested. Both stay as they
// are after a restart. Rows that are written later must match the changed catalog.
func TestAlterations(t *testing.T) {
	const column = "/v1/tables/db/t/columns/v"
	for _, c := range []struct {
		name        string
		v           list // of the rows before the alteration
		method, url string
		body        string
		status      int
		types       string
		rows        []row // expected rows in files after the alteration
		after       any   // v of a row that is sent afterwards
		afterStatus int
	}{
		{"drop the table", list{"oops"}, "DELETE", "/v1/tables/db/t?files=delete", "", 204, "", nil, 1, 204},
		{"drop the table and keep its files", list{"oops"}, "DELETE", "/v1/tables/db/t?files=keep", "", 204, "",
			[]row{{"kinds": "time:time v:string", "v": "oops"}}, 1, 204},
		{"drop the table, and do not say what of its files", list{"oops"}, "DELETE", "/v1/tables/db/t", "", 400, "time:time v:string",
			[]row{{"kinds": "time:time v:string", "v": "oops"}}, 1, 400},
		{"drop a column", list{"oops"}, "DELETE", column + "?files=rewrite", "", 204, "time:time", []row{{"kinds": "time:time"}}, 1, 204},
		{"drop a column and keep it in files", list{"oops"}, "DELETE", column + "?files=keep", "", 204, "time:time",
			[]row{{"kinds": "time:time v:string", "v": "oops"}}, 1, 204},
		{"drop a column that is not there", list{"oops"}, "DELETE", "/v1/tables/db/t/columns/w?files=keep", "", 404, "time:time v:string",
			[]row{{"kinds": "time:time v:string", "v": "oops"}}, 1, 400},
		{"drop the time", list{"oops"}, "DELETE", "/v1/tables/db/t/columns/time?files=keep", "", 400, "time:time v:string",
			[]row{{"kinds": "time:time v:string", "v": "oops"}}, 1, 400},
		{"drop another table", list{"oops"}, "DELETE", "/v1/tables/db/u?files=delete", "", 404, "time:time v:string",
			[]row{{"kinds": "time:time v:string", "v": "oops"}}, 1, 400},
		{"text to ints", list{"7", nil, "-1"}, "PUT", column, `{"type":"int64"}`, 204, "time:time v:int64",
			[]row{{"kinds": "time:time v:int64", "v": int64(7)}, {"kinds": "time:time v:int64"}, {"kinds": "time:time v:int64", "v": int64(-1)}}, 1, 204},
		{"text to ints, and one is none", list{"7", "x"}, "PUT", column, `{"type":"int64"}`, 409, "time:time v:string",
			[]row{{"kinds": "time:time v:string", "v": "7"}, {"kinds": "time:time v:string", "v": "x"}}, "y", 204},
		{"ints to text", list{7, int64(1<<53 + 1)}, "PUT", column, `{"type":"string"}`, 204, "time:time v:string",
			[]row{{"kinds": "time:time v:string", "v": "7"}, {"kinds": "time:time v:string", "v": "9007199254740993"}}, "x", 204},
		{"ints to floats", list{7}, "PUT", column, `{"type":"float64"}`, 204, "time:time v:float64",
			[]row{{"kinds": "time:time v:float64", "v": 7.0}}, 0.5, 204},
		{"an int that a float would round", list{int64(1<<53 + 1)}, "PUT", column, `{"type":"float64"}`, 409, "time:time v:int64",
			[]row{{"kinds": "time:time v:int64", "v": int64(1<<53 + 1)}}, 1, 204},
		{"whole floats to ints", list{7.0, -2.0}, "PUT", column, `{"type":"int64"}`, 204, "time:time v:int64",
			[]row{{"kinds": "time:time v:int64", "v": int64(7)}, {"kinds": "time:time v:int64", "v": int64(-2)}}, 1, 204},
		{"bools to ints", list{true, false}, "PUT", column, `{"type":"int64"}`, 204, "time:time v:int64",
			[]row{{"kinds": "time:time v:int64", "v": int64(1)}, {"kinds": "time:time v:int64", "v": int64(0)}}, 2, 204},
		{"text to times", list{"2023-11-14T22:13:20.000001Z"}, "PUT", column, `{"type":"time"}`, 204, "time:time v:time",
			[]row{{"kinds": "time:time v:time", "v": t0 + 1}}, nil, 204},
		{"text to times, more exact than those", list{"2023-11-14T22:13:20.0000001Z"}, "PUT", column, `{"type":"time"}`, 409, "time:time v:string",
			[]row{{"kinds": "time:time v:string", "v": "2023-11-14T22:13:20.0000001Z"}}, nil, 204},
		{"an unknown type", list{7}, "PUT", column, `{"type":"decimal"}`, 400, "time:time v:int64", []row{{"kinds": "time:time v:int64", "v": int64(7)}}, 1, 204},
		{"a body that is none", list{7}, "PUT", column, `{`, 400, "time:time v:int64", []row{{"kinds": "time:time v:int64", "v": int64(7)}}, 1, 204},
		{"a method", list{7}, "POST", column, ``, 405, "time:time v:int64", []row{{"kinds": "time:time v:int64", "v": int64(7)}}, 1, 204},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			r := newFileRig(t, dir)
			times := make(list, len(c.v))
			for i := range times {
				times[i] = t0 + int64(i)
			}
			// The first row has landed, and the others have not.
			wantStatus(t, r.v1(dict{"time", times[:1], "v", c.v[:1]}, ""), 204)
			r.flush()
			if len(times) > 1 {
				wantStatus(t, r.v1(dict{"time", times[1:], "v", c.v[1:]}, ""), 204)
			}
			w := r.do(c.method, c.url, []byte(c.body))
			wantStatus(t, w, c.status)
			if w.Code >= 400 && !json.Valid(w.Body.Bytes()) {
				t.Errorf("answer %q", w.Body)
			}
			for _, when := range []string{"at once", "after a restart"} {
				if got := r.types(); got != c.types {
					t.Errorf("%s: catalog %q, want %q", when, got, c.types)
				}
				if got := r.filed(dir); asText(t, got) != asText(t, c.rows) {
					t.Errorf("%s: rows\n got %v\nwant %v", when, got, c.rows)
				}
				if when == "at once" {
					if err := r.store.Close(context.Background()); err != nil {
						t.Fatal(err)
					}
					r = newFileRig(t, dir)
				}
			}
			wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{c.after}}, ""), c.afterStatus)
			before := r.types()
			if err := r.store.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			if r = newFileRig(t, dir); r.types() != before {
				t.Errorf("after a second restart: catalog %q, want %q", r.types(), before)
			}
		})
	}
}

// slowEditor delays an alteration until the test closes end.
type slowEditor struct {
	table.Editor
	begun, end chan struct{}
}

func (s *slowEditor) RemoveAll(dir string) error {
	close(s.begun)
	<-s.end
	return s.Editor.RemoveAll(dir)
}

// A table that is being altered accepts no rows, but other tables do.
func TestTableIsHeldWhileItIsAltered(t *testing.T) {
	slow := &slowEditor{begun: make(chan struct{}), end: make(chan struct{})}
	r := newFileRig(t, t.TempDir(), func(o *table.Options) {
		slow.Editor = o.Sink.(table.Editor)
		o.Sink = slow
	})
	row := dict{"time", list{t0}, "v", list{1}}
	wantStatus(t, r.v1(row, ""), 204)
	done := make(chan int, 1)
	go func() { done <- r.do("DELETE", "/v1/tables/db/t?files=delete", nil).Code }()
	select {
	case <-slow.begun:
	case status := <-done:
		t.Fatalf("the files are not removed: status %d", status)
	}
	for _, query := range []string{"", "?durability=async", "?partial=true"} {
		w := r.v1(row, query)
		wantProblem(t, w, 503, "nothing was stored: table db.t: being altered; retry later")
		if w.Header().Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	wantStatus(t, r.do("DELETE", "/v1/tables/db/t?files=keep", nil), 503)
	wantStatus(t, r.do("POST", "/v1/write/db/other", pack(t, row), "Content-Type", "application/msgpack"), 204)
	close(slow.end)
	if status := <-done; status != 204 {
		t.Errorf("status %d", status)
	}
	wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{"x"}}, ""), 204)
}

// brokenEditor cannot edit files while broken is set.
type brokenEditor struct {
	table.Editor
	broken atomic.Bool
}

func (b *brokenEditor) RemoveAll(dir string) error {
	if b.broken.Load() {
		return syscall.EIO
	}
	return b.Editor.RemoveAll(dir)
}

// An alteration that fails leaves the catalog unchanged. The table still accepts rows, and the same
// request succeeds later.
func TestAlterationThatFails(t *testing.T) {
	broken := new(brokenEditor)
	r := newFileRig(t, t.TempDir(), func(o *table.Options) {
		broken.Editor = o.Sink.(table.Editor)
		o.Sink = broken
	})
	wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{1}}, ""), 204)
	broken.broken.Store(true)
	before := r.types()
	wantStatus(t, r.do("DELETE", "/v1/tables/db/t?files=delete", nil), 500)
	if got := r.types(); got != before {
		t.Errorf("catalog %q, want %q", got, before)
	}
	wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{1}}, ""), 204)
	broken.broken.Store(false)
	wantStatus(t, r.do("DELETE", "/v1/tables/db/t?files=delete", nil), 204)
}

// If the rows of a table do not land, an alteration of the table fails with the reason. It does not
// block the table forever.
func TestAlterationOfATableThatDoesNotLand(t *testing.T) {
	dir := t.TempDir()
	r := newFileRig(t, dir, func(o *table.Options) { o.Sink = &noLanding{o.Sink.(table.Editor)} })
	t.Cleanup(func() {
		stopped, cancel := context.WithCancel(context.Background())
		cancel()
		r.store.Close(stopped)
	})
	wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{1}}, ""), 204)
	w := r.do("DELETE", "/v1/tables/db/t?files=delete", nil)
	wantStatus(t, w, 500)
	if !strings.Contains(w.Body.String(), "no landing today") {
		t.Errorf("answer %s", w.Body)
	}
	wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{1}}, ""), 204)
}

type noLanding struct{ table.Editor }

func (noLanding) Land(context.Context, *table.File) (int64, error) {
	return 0, errors.New("no landing today")
}
