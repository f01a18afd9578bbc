package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/server/table"
)

// A partial request takes the rows that are right, whatever is wrong with the others: also what only the catalog knows, and what is
// wrong with a whole item of a batch. Read back from the log, the same rows are taken.
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
		{"a table too many", list{good, columns("b"), columns("c"), columns("d"), good}, []string{"3 table: as many tables as there may be"}, 4},
		{"a column too many", list{good, columns("a", "w", 1, "x", 2), columns("a", "w", 1), columns("a", "y", 2), good}, []string{"1 x: one more than the 3", "3 y: one more than the 3"}, 3},
		{"a column too many, in rows", list{good, dict{"m", "a", "t", t0, "fields", dict{"w", 1, "x", 2}}, good}, []string{"1 x: one more than the 3"}, 2},
		{"an hour too many", list{item("a", dict{"time", list{t0, t0 + hour, t0 + 2*hour, t0 + 3*hour, t0 + hour}})}, []string{"3 time: 3 different hours"}, 4},
		{"an hour too many, over items", list{columns("a"), item("a", dict{"time", list{t0 + hour, t0 + 2*hour}}), item("a", dict{"time", list{t0 + 3*hour, t0}})},
			[]string{"3 time: 3 different hours"}, 4},
		{"a type that the catalog does not have", list{good, columns("old", "s", 1), columns("old", "s", "x")}, []string{`1 s: holds string and cannot take int64`}, 2},
		{"rows and columns of a new table", list{good, dict{"m", "a", "t", t0, "fields", dict{"v", "x"}}, dict{"m", "a", "t", t0, "fields", dict{"v", 2}}},
			[]string{"1 v: holds int64 and cannot take string"}, 2},
		{"an int behind a float that would round it, in another form", list{columns("a", "v", 0.5), dict{"m", "a", "t", t0, "fields", dict{"v", big}}},
			[]string{"1 v: cannot take 9007199254740993"}, 1},
		{"a float behind an int that it would round, in another item", list{columns("a", "v", big), columns("a", "v", 0.5), columns("a", "v", 2)},
			[]string{"1 v: cannot take 0.5"}, 2},
		{"an int behind a float that would round it, in another item", list{columns("a", "v", 0.5), columns("a", "v", big), columns("a", "v", 2)},
			[]string{"1 v: cannot take 9007199254740993"}, 2},
		{"an item without a name", list{good, dict{"columns", dict{"time", list{t0, t0}}}, good}, []string{"1 m: m is missing", "2 m: m is missing"}, 2},
		{"an item with a name that is none", list{good, item("a\nb", dict{"time", list{t0, t0}}), good}, []string{"1 table: control characters", "2 table: control characters"}, 2},
		{"an item whose m is a map", list{good, item(dict{}, dict{"time", list{t0}}), good}, []string{"1 m: it must be a string or an int"}, 2},
		{"an item whose columns are none", list{good, dict{"m", "a", "columns", 5}, good}, []string{"1 : where a map from column names must be"}, 2},
		{"an item with a column that is none", list{good, item("a", dict{"time", list{t0, t0}, "v", 5}), good}, []string{"1 v: a column is an array", "2 v: a column is an array"}, 2},
		{"an item with columns of different lengths", list{good, item("a", dict{"time", list{t0}, "v", list{1, 2, 3}}), good},
			[]string{"1 v: give all columns as many", "2 v: give all columns as many", "3 v: give all columns as many"}, 2},
		{"an item with a column twice", list{good, item("a", dict{"time", list{t0}, "time", list{t0}}), good}, []string{"1 time: send it once"}, 2},
		{"an item of columns with the parts of a row", list{good, dict{"m", "a", "columns", dict{"time", list{t0, t0}}, "t", t0}, good},
			[]string{"1 columns: put those into columns", "2 columns: put those into columns"}, 2},
		{"an item with columns twice", list{good, dict{"m", "a", "columns", dict{"time", list{t0}}, "columns", dict{"time", list{t0}}}, good},
			[]string{"1 columns: send it once"}, 2},
		{"a column whose name has a control character", list{good, item("a", dict{"time", list{t0, t0}, "x\n", list{nil, 1}}), good}, []string{"2 x\n: control characters"}, 3},
		{"an item without rows and a name", list{good, item("", dict{"time", list{}}), columns("old", "s", 1), good}, []string{"1 columns: no rows", "2 s: holds string"}, 2},
		{"an item with a column twice and no rows", list{good, item("a", dict{"x", list{}, "x", list{}})}, []string{"1 columns: no rows"}, 1},
		{"nothing that is right", list{columns("old", "s", 1), 5}, []string{"0 s: holds string", "1 : must be"}, 0},
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

// Every rejection that is about a value names its column, in each format.
func TestRejectionsNameTheField(t *testing.T) {
	for _, c := range []struct {
		contentType string
		body        func(rows list) []byte
	}{
		{"application/msgpack", func(rows list) []byte { return pack(t, rows) }},
		{asJSON, func(rows list) []byte { return toJSON(t, rows) }},
		{asLines, func(rows list) []byte { return toLines(t, rows) }},
	} {
		r := newRig(t, Options{})
		got := reply(t, r.write(c.contentType, "?partial=true", c.body(list{
			dict{"time", t0, "v", 1}, dict{"time", t0, "v", "x"}, dict{"time", t0, "w", list{}}, dict{"time", "x"}, dict{"time", t0, "\n", 1}, dict{"v", 1},
		})))
		var fields []string
		for _, rejected := range got.Rejected {
			fields = append(fields, fmt.Sprint(rejected.Row, rejected.Field))
		}
		if want := []string{"1v", "2w", "3time", "4\n", "5time"}; !slices.Equal(fields, want) {
			t.Errorf("%s: %q, want %q", c.contentType, fields, want)
		}
	}
}
