package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/table"
)

// A partial request stores its valid rows, whatever is wrong with the others. This includes errors
// that only the catalog reveals, and errors of a whole item of a batch. A replay from the log
// returns the same rows.
func TestPartialRejectsRowsAlone(t *testing.T) {
	const hour = 3600_000_000
	const big int64 = 1<<53 + 1
	good := columns("a", "v", 1)
	item := func(m any, all dict) dict { return dict{"m", m, "columns", all} }
	for _, c := range []struct {
		name     string
		items    list
		rejected []string // "row field: part of the reason"
		rows     int
	}{
		{"a table too many", list{good, columns("b"), columns("c"), columns("d"), good}, []string{"3 table: the maximum number of tables"}, 4},
		{"a column too many", list{good, columns("a", "w", 1, "x", 2), columns("a", "w", 1), columns("a", "y", 2), good}, []string{"1 x: the maximum of 3 columns", "3 y: the maximum of 3 columns"}, 3},
		{"a column too many, in rows", list{good, dict{"m", "a", "t", t0, "fields", dict{"w", 1, "x", 2}}, good}, []string{"1 x: the maximum of 3 columns"}, 2},
		{"an hour too many", list{item("a", dict{"time", list{t0, t0 + hour, t0 + 2*hour, t0 + 3*hour, t0 + hour}})}, []string{"3 time: 3 different hours"}, 4},
		{"an hour too many, over items", list{columns("a"), item("a", dict{"time", list{t0 + hour, t0 + 2*hour}}), item("a", dict{"time", list{t0 + 3*hour, t0}})},
			[]string{"3 time: 3 different hours"}, 4},
		{"a type that the catalog does not have", list{good, columns("old", "s", 1), columns("old", "s", "x")}, []string{`1 s: contains string values, so it cannot store int64 values`}, 2},
		{"rows and columns of a new table", list{good, dict{"m", "a", "t", t0, "fields", dict{"v", "x"}}, dict{"m", "a", "t", t0, "fields", dict{"v", 2}}},
			[]string{"1 v: contains int64 values, so it cannot store string values"}, 2},
		{"an int after a float that would round it, in another form", list{columns("a", "v", 0.5), dict{"m", "a", "t", t0, "fields", dict{"v", big}}},
			[]string{"1 v: cannot store 9007199254740993"}, 1},
		{"a float after an int that it would round, in another item", list{columns("a", "v", big), columns("a", "v", 0.5), columns("a", "v", 2)},
			[]string{"1 v: cannot store 0.5"}, 2},
		{"an int after a float that would round it, in another item", list{columns("a", "v", 0.5), columns("a", "v", big), columns("a", "v", 2)},
			[]string{"1 v: cannot store 9007199254740993"}, 2},
		{"an item without a name", list{good, dict{"columns", dict{"time", list{t0, t0}}}, good}, []string{`1 m: the key "m" is missing`, `2 m: the key "m" is missing`}, 2},
		{"an item with a name that is none", list{good, item("a\nb", dict{"time", list{t0, t0}}), good}, []string{"1 table: control characters", "2 table: control characters"}, 2},
		{"an item whose m is a map", list{good, item(dict{}, dict{"time", list{t0}}), good}, []string{"1 m: it must be a string or an int"}, 2},
		{"an item whose columns are none", list{good, dict{"m", "a", "columns", 5}, good}, []string{"1 : want a map with column names as keys"}, 2},
		{"an item with a column that is none", list{good, item("a", dict{"time", list{t0, t0}, "v", 5}), good}, []string{"1 v: a column is an array", "2 v: a column is an array"}, 2},
		{"an item with columns of different lengths", list{good, item("a", dict{"time", list{t0}, "v", list{1, 2, 3}}), good},
			[]string{"1 v: give all columns the same", "2 v: give all columns the same", "3 v: give all columns the same"}, 2},
		{"an item with a column twice", list{good, item("a", dict{"time", list{t0}, "time", list{t0}}), good}, []string{"1 time: send it once"}, 2},
		{"an item of columns with the parts of a row", list{good, dict{"m", "a", "columns", dict{"time", list{t0, t0}}, "t", t0}, good},
			[]string{"1 columns: put these values into the columns", "2 columns: put these values into the columns"}, 2},
		{"an item with columns twice", list{good, dict{"m", "a", "columns", dict{"time", list{t0}}, "columns", dict{"time", list{t0}}}, good},
			[]string{"1 columns: send it once"}, 2},
		{"a column whose name has a control character", list{good, item("a", dict{"time", list{t0, t0}, "x\n", list{nil, 1}}), good}, []string{"2 x\n: control characters"}, 3},
		{"an item without rows and a name", list{good, item("", dict{"time", list{}}), columns("old", "s", 1), good}, []string{"1 columns: no rows", "2 s: contains string values"}, 2},
		{"an item with a column twice and no rows", list{good, item("a", dict{"x", list{}, "x", list{}})}, []string{"1 columns: no rows"}, 1},
		{"nothing that is right", list{columns("old", "s", 1), 5}, []string{"0 s: contains string values", "1 : want a map"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Options{}, func(o *table.Options) { o.MaxTables, o.MaxColumns, o.MaxHours = 4, 3, 3 })
			wantStatus(t, r.arc(columns("old", "s", "x")), 204)
			r.landed()
			for _, out := range []func() map[string][]row{r.landed, r.replayed} {
				got := reply(t, r.do("POST", arcPartial, pack(t, c.items)))
				for i, have := range got.Rejected {
					text := fmt.Sprintf("%d %s: ", have.Row, have.Field)
					if i >= len(c.rejected) || !strings.HasPrefix(c.rejected[i], text) || !strings.Contains(have.Reason, c.rejected[i][len(text):]) {
						t.Errorf("rejected %+v, want %q", have, c.rejected)
					}
				}
				if len(got.Rejected) != len(c.rejected) || got.Rows != c.rows {
					t.Errorf("%d rejected and %d rows, want %d and %d", len(got.Rejected), got.Rows, len(c.rejected), c.rows)
				}
				n := 0
				for _, rows := range out() {
					n += len(rows)
				}
				if n != c.rows {
					t.Errorf("%d rows landed, want %d", n, c.rows)
				}
			}
		})
	}
}

// Rows that would create more tables than the database's share allows are rejected. The rows before
// them are stored.
func TestRejectedBeyondShareOfTables(t *testing.T) {
	r := newRig(t, Options{}, func(o *table.Options) { o.MaxTables = 4 })
	wantStatus(t, r.do("POST", "/v1/write/other/t", pack(t, list{dict{"time", t0, "v", 1}}), "Content-Type", asMessagePack), 204)
	var items list
	for _, name := range []string{"a", "b", "c", "a"} {
		items = append(items, dict{"m", name, "columns", dict{"time", list{t0}, "v", list{1}}})
	}
	got := reply(t, r.do("POST", arcPartial, pack(t, items)))
	if got.Rows != 3 || len(got.Rejected) != 1 || got.Rejected[0].Row != 2 || !strings.Contains(got.Rejected[0].Reason, "the maximum number of tables") {
		t.Errorf("%+v", got)
	}
}

// To check rows, each table is looked up once, in however many items it occurs.
func TestJudgingLooksUpEachTableOnce(t *testing.T) {
	r := newRig(t, Options{})
	const tables = 50
	var items list
	for i := range 4 * tables {
		items = append(items, dict{"m", fmt.Sprint("t", i%tables), "columns", dict{"time", list{t0}, "v", list{i}}})
	}
	q := &request{handler: r.h, held: r.h.flight.Own(), codec: codec{format: rows.Arc}, body: &admission.Buffer{B: pack(t, items)}, partial: true}
	q.record.DB = "default"
	calls := 0
	q.job.Known = func(name table.Name) table.Bounds {
		calls++
		return r.store.Bounds(name)
	}
	writes, err := q.decode()
	if err != nil || len(writes) != tables || calls != tables {
		t.Errorf("%d look-ups for %d tables, %v", calls, len(writes), err)
	}
	r.h.freeAll(writes)
}

// forms contains all ways to send rows of one table with the same columns. The table is db.t, or
// default.t for Arc's endpoint.
var forms = []struct {
	name, url, contentType string
	body                   func(t *testing.T, rows []dict) []byte
}{
	{"MessagePack rows", "/v1/write/db/t", asMessagePack, func(t *testing.T, rows []dict) []byte { return pack(t, sparse(rows)) }},
	{"MessagePack columns", "/v1/write/db/t", asMessagePack, func(t *testing.T, rows []dict) []byte { return pack(t, turned(rows)) }},
	{"JSON rows", "/v1/write/db/t", asJSON, func(t *testing.T, rows []dict) []byte { return toJSON(t, sparse(rows)) }},
	{"JSON columns", "/v1/write/db/t", asJSON, func(t *testing.T, rows []dict) []byte { return toJSON(t, turned(rows)) }},
	{"lines", "/v1/write/db/t", asLines, func(t *testing.T, rows []dict) []byte { return toLines(t, sparse(rows)) }},
	{"Arc columns", "/api/v1/write/msgpack", "", func(t *testing.T, rows []dict) []byte { return pack(t, dict{"m", "t", "columns", turned(rows)}) }},
	{"Arc rows", "/api/v1/write/msgpack", "", func(t *testing.T, rows []dict) []byte {
		var items list
		for _, one := range sparse(rows) {
			item := dict{"m", "t"}
			if all := one.(dict); len(all) > 0 && all[0] == "time" {
				item, one = append(item, "t", all[1]), all[2:]
			}
			items = append(items, append(item, "fields", one))
		}
		return pack(t, items)
	}},
}

// sparse returns rows without their nils.
func sparse(rows []dict) (all list) {
	for _, r := range rows {
		one := dict{}
		for i := 0; i < len(r); i += 2 {
			if r[i+1] != nil {
				one = append(one, r[i], r[i+1])
			}
		}
		all = append(all, one)
	}
	return all
}

// turned returns rows as columns.
func turned(rows []dict) (all dict) {
	for i := 0; i < len(rows[0]); i += 2 {
		var cells list
		for _, r := range rows {
			cells = append(cells, r[i+1])
		}
		all = append(all, rows[0][i], cells)
	}
	return all
}

// Every rejection contains its row and its column, in each form of each format. The other rows are
// stored.
func TestRejectionsNameTheField(t *testing.T) {
	long := strings.Repeat("n", names.Max+1)
	rows := func() (all []dict) {
		for _, r := range []struct{ time, v, s, n, long, old any }{
			{t0, 1, "a", nil, nil, nil},
			{t0, "x", "a", nil, nil, nil},
			{t0, 1, list{}, nil, nil, nil},
			{"then", 1, "a", nil, nil, nil},
			{nil, 1, "a", nil, nil, nil},
			{1, 1, "a", nil, nil, nil},
			{t0, 1, "a", 1, nil, nil},
			{t0, 1, "a", nil, 1, nil},
			{t0, 1, "a", nil, nil, 1},
			{t0, 2, "b", nil, nil, "text"},
		} {
			all = append(all, dict{"time", r.time, "v", r.v, "s", r.s, "\n", r.n, long, r.long, "old", r.old})
		}
		return all
	}
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			r := newRig(t, Options{})
			for _, url := range []string{"/v1/write/db/t", "/v1/write/default/t"} {
				wantStatus(t, r.do("POST", url, pack(t, dict{"time", list{t0}, "old", list{"text"}}), "Content-Type", asMessagePack), 204)
			}
			r.landed()
			want := []string{"1v", "2s", "3time", "4time", "5time", "6\n", "7" + refusal.Clip(long), "8old"}
			sent := rows()
			if f.name == "Arc rows" { // Arc rows may lack a time
				sent[4][1] = "then"
			}
			got := reply(t, r.do("POST", f.url+"?partial=true", f.body(t, sent), "Content-Type", f.contentType))
			var fields []string
			for _, rejected := range got.Rejected {
				fields = append(fields, fmt.Sprint(rejected.Row, rejected.Field))
				if wantLine := f.name == "lines"; wantLine && rejected.Line != rejected.Row+1 || !wantLine && rejected.Line != 0 {
					t.Errorf("row %d is said to be in line %d", rejected.Row, rejected.Line)
				}
			}
			if !slices.Equal(fields, want) {
				t.Errorf("%q, want %q", fields, want)
			}
			landed := 0
			for _, rows := range r.landed() {
				landed += len(rows)
			}
			if landed != 2 || got.Rows != 2 {
				t.Errorf("%d rows landed, and %d are said to be stored, want 2", landed, got.Rows)
			}
		})
	}
}
