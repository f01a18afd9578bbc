package ingest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/server/rows"
)

func reply(t *testing.T, w *httptest.ResponseRecorder) report {
	t.Helper()
	wantStatus(t, w, 200)
	var r report
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

const arcPartial = "/api/v1/write/msgpack?partial=true"

// A partial request stores and rejects the expected rows, directly and after a replay from the log.
func TestPartial(t *testing.T) {
	const wrongInt = ": a column has one type, or ints and floats"
	tooLate := int64(math.MaxInt64)
	for _, c := range []struct {
		name     string
		arc      bool
		body     any
		rejected []rows.Rejection
		want     map[string][]row
	}{
		{"rows", false, list{
			dict{"time", t0, "v", 1},
			dict{"time", t1, "v", "x"},
			dict{"time", t2, "v", 2, "s", "\xff"},
			5,
			dict{"time", t2, "v", list{1}},
			dict{"time", t2, "v", 2.5, "s", "ok"},
			dict{"time", nil},
			dict{"v", 1},
			dict{"time", 1_700_000_000, "v", 1},
			dict{"time", t2, "\n", 1},
			dict{"time", t2, "V", 1},
			dict{"time", t2, 1, 1},
			dict{"time", t2, "v", uint64(math.MaxUint64)},
			dict{"time", t2, "v", 1, "v", 2},
			dict{"time", "now"},
			dict{"time", tooLate},
		}, []rows.Rejection{
			{Row: 1, Field: "v", Reason: `column "v": a string in a column of int64` + wrongInt},
			{Row: 2, Field: "s", Reason: `column "s": a string is not UTF-8: send UTF-8`},
			{Row: 3, Reason: "got an int, want a map with column names as keys"},
			{Row: 4, Field: "v", Reason: `column "v": a column cannot hold an array, a map, a bin, or an ext that is not a timestamp`},
			{Row: 6, Field: "time", Reason: "time is missing: give every row a time, or omit the column to use the time of receipt"},
			{Row: 7, Field: "time", Reason: "time is missing: give every row a time, or omit the column to use the time of receipt"},
			{Row: 8, Field: "time", Reason: "time 1700000000 looks like seconds, but earlier times look like microseconds: set the unit with ?time_unit=s, ms, us or ns"},
			{Row: 9, Field: "\n", Reason: `column "\n": a column name must not have control characters`},
			{Row: 11, Reason: "got an int, want a name: names are strings"},
			{Row: 12, Field: "v", Reason: `column "v": a uint64 beyond the range of int64 cannot be stored; send it as a float or a string`},
			{Row: 13, Field: "v", Reason: `column "v": the column is repeated: send it once`},
			{Row: 14, Field: "time", Reason: `column "time": a string in a column of int64` + wrongInt},
			{Row: 15, Field: "time", Reason: "time 9223372036854775807 looks like nanoseconds, but earlier times look like microseconds: set the unit with ?time_unit=s, ms, us or ns"},
		}, map[string][]row{"db.t": {{"time": t0, "v": 1.0}, {"time": t2, "v": 2.5, "s": "ok"}, {"time": t2, "V_2": int64(1)}}}},

		{"a rejected row gives no column its type", false, list{dict{"time", t0, "v", "x", "w", list{}}, dict{"time", t1, "v", 1}, dict{"time", t2, "w", true, "Host", 1}},
			[]rows.Rejection{{Row: 0, Field: "w", Reason: `column "w": a column cannot hold an array, a map, a bin, or an ext that is not a timestamp`}},
			map[string][]row{"db.t": {{"time": t1, "v": int64(1)}, {"time": t2, "w": true, "Host": int64(1)}}}},

		{"times after none", false, list{dict{"v", "x", "time", nil}, dict{"time", t0, "v", "y"}},
			[]rows.Rejection{{Row: 1, Field: "time", Reason: "this row has a time, but earlier rows have none: give every row a time, or none"}}, nil},

		{"columns", false, dict{
			"time", list{t0, t1, nil, t2, 1, t2 + 1},
			"v", list{1, "x", 3, 4, 5, 6.5},
			"s", list{"a", "b", "c", "\xff", "e", nil}},
			[]rows.Rejection{
				{Row: 1, Field: "v", Reason: `column "v": a string in a column of int64` + wrongInt},
				{Row: 2, Field: "time", Reason: "time is missing: give every row a time, or omit the column to use the time of receipt"},
				{Row: 3, Field: "s", Reason: `column "s": a string is not UTF-8: send UTF-8`},
				{Row: 4, Field: "time", Reason: "time 1 looks like seconds, but earlier times look like microseconds: set the unit with ?time_unit=s, ms, us or ns"},
			},
			map[string][]row{"db.t": {{"time": t0, "v": 1.0, "s": "a"}, {"time": t2 + 1, "v": 6.5}}}},

		{"arc", true, list{
			dict{"m", "a", "t", t0, "fields", dict{"v", 1}},
			dict{"m", "", "t", t0, "fields", dict{"v", 1}},
			dict{"t", t0, "fields", dict{"v", 1}},
			dict{"m", "a", "t", t1, "fields", dict{"v", "x"}},
			5,
			dict{1, 2},
			dict{"m", "b", "columns", dict{"time", list{t0, t1}, "v", list{1, true}}},
			dict{"m", "a", "t", t1, "tags", dict{"v", "x"}, "fields", dict{}},
			dict{"m", "b", "columns", dict{"time", list{t1, t2}, "v", list{"s", 2}}},
			dict{"m", "a", "t", t2, "fields", dict{"v", 3}},
			dict{"m", "a", "t", t2},
		}, []rows.Rejection{
			{Row: 1, Field: "table", Reason: `table "": a table name has 1 to 128 bytes`},
			{Row: 2, Field: "m", Reason: `the key "m" is missing: its value is the name of the table`},
			{Row: 3, Field: "v", Reason: `column "v": a string in a column of int64` + wrongInt},
			{Row: 4, Reason: `got an int, want a map with the keys "m" and "columns" (or "fields")`},
			{Row: 5, Reason: "got an int, want a name: names are strings"},
			{Row: 7, Field: "v", Reason: `column "v": a bool in a column of int64` + wrongInt},
			{Row: 8, Field: "v", Reason: `column "v": a tag cannot be stored in a column of int64: give the tag another name`},
			{Row: 9, Field: "v", Reason: `column "v" contains int64 values, so it cannot store string values: convert the values, or use another column name`},
			{Row: 12, Field: "fields", Reason: `the keys "columns", "fields" and "f" are missing: a row has at least one of them, and a batch must not contain a batch`},
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			send := func(r *rig) report {
				if c.arc {
					return reply(t, r.do("POST", arcPartial, pack(t, c.body)))
				}
				return reply(t, r.v1(c.body, "?partial=true"))
			}
			r := newRig(t, Options{})
			got := send(r)
			for i := range max(len(got.Rejected), len(c.rejected)) {
				switch {
				case i >= len(got.Rejected):
					t.Errorf("not rejected: %v", c.rejected[i])
				case i >= len(c.rejected):
					t.Errorf("rejected too: %v", got.Rejected[i])
				case got.Rejected[i] != c.rejected[i]:
					t.Errorf("rejected\n got %v\nwant %v", got.Rejected[i], c.rejected[i])
				}
			}
			landed := r.landed()
			if c.want != nil {
				wantRows(t, landed, c.want)
			}
			n := 0
			for _, rows := range landed {
				n += len(rows)
			}
			if n != got.Rows {
				t.Errorf("%d rows landed, the reply says %d", n, got.Rows)
			}
			now := r.now.Load()
			send(r)
			replayed := r.replayed()
			for _, rows := range replayed { // the second request has another time of receipt
				for _, row := range rows {
					if row["time"] == r.now.Load() {
						row["time"] = now
					}
				}
			}
			wantRows(t, replayed, landed)
		})
	}
}

// A partial request also rejects rows that do not fit the catalog. A value with the catalog's type
// is stored even if an earlier value has a wrong type.
func TestPartialAgainstCatalog(t *testing.T) {
	for name, body := range map[string]any{
		"rows":    list{dict{"time", t0, "v", "x", "n", 1}, dict{"time", t1, "v", 1}, dict{"time", t2, "v", true}, dict{"time", t2, "n", 2}},
		"columns": dict{"time", list{t0, t1, t2, t2}, "v", list{"x", 1, true, nil}, "n", list{1, nil, nil, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{5}}, ""), 204)
			r.landed()
			for _, out := range []func() map[string][]row{r.landed, r.replayed} {
				got := reply(t, r.v1(body, "?partial=true"))
				want := []rows.Rejection{
					{Row: 0, Field: "v", Reason: `column "v" contains int64 values, so it cannot store string values: convert the values, or use another column name`},
					{Row: 2, Field: "v", Reason: `column "v": a bool in a column of int64: a column has one type, or ints and floats`},
				}
				if got.Rows != 2 || !slices.Equal(got.Rejected, want) {
					t.Errorf("%+v", got)
				}
				wantRows(t, out(), map[string][]row{"db.t": {{"time": t1, "v": int64(1)}, {"time": t2, "n": int64(2)}}})
			}
		})
	}
}

// An integer that a float64 cannot represent is never rounded. If a column contains such an
// integer, floats for it are rejected. Such an integer is also rejected for a column of floats.
// Both hold even if the integer and the floats are in different bodies.
func TestIntegersOfTheCatalogAreNotRounded(t *testing.T) {
	const big int64 = 1<<53 + 1
	const float = `column "n" contains integers that float64 cannot represent exactly, so it cannot store 2.5: send integers, or use another column name`
	const integer = `column "f" contains float64 values, so it cannot store 9007199254740993, which float64 cannot represent exactly: send it as a string, or use another column name`
	r := newRig(t, Options{})
	wantStatus(t, r.v1(list{dict{"time", t0, "n", big, "f", 0.5}}, ""), 204)
	first := row{"time": t0, "n": big, "f": 0.5}
	wantRows(t, r.replayed(), map[string][]row{"db.t": {first}})
	for _, body := range []any{
		list{dict{"time", t1, "n", 1}, dict{"time", t2, "n", 2.5}},
		dict{"time", list{t1, t2}, "n", list{1, 2.5}},
	} {
		p := wantProblem(t, r.v1(body, ""), 400, "row 1: table db.t: "+float)
		if p.Field != "n" || p.Row == nil || *p.Row != 1 {
			t.Errorf("%+v", p)
		}
	}
	wantProblem(t, r.v1(list{dict{"time", t1, "f", 1}, dict{"time", t2, "f", big}}, ""), 400, "row 1: table db.t: "+integer)

	// The row number in an error is the number in the body, not in the table.
	one := func(table string, v any) dict {
		return dict{"m", table, "columns", dict{"time", list{t1}, "n", list{v}}}
	}
	wantStatus(t, r.arc(one("cpu", big)), 204)
	wantProblem(t, r.arc(dict{"batch", list{one("cpu", nil), one("mem", 1), one("mem", 2), one("cpu", 2.5)}}), 400,
		"row 3: table default.cpu: "+float)
	r.landed()

	got := reply(t, r.v1(list{dict{"time", t1, "n", 2.5}, dict{"time", t1, "n", 3, "f", 4}, dict{"time", t2, "f", big}}, "?partial=true"))
	want := []rows.Rejection{{Row: 0, Field: "n", Reason: float}, {Row: 2, Field: "f", Reason: integer}}
	if got.Rows != 1 || !slices.Equal(got.Rejected, want) {
		t.Errorf("%+v", got)
	}
	wantRows(t, r.replayed(), map[string][]row{"db.t": {{"time": t1, "n": int64(3), "f": 4.0}}})
}

// A partial request accepts some bodies that other requests do not. If it rejects none of their
// rows, a replay from the log must return all rows.
func TestPartialLenient(t *testing.T) {
	for name, body := range map[string]any{
		"a name that is no name, without a value": list{dict{"v", 1}, dict{"v", 2, "a\nb", nil}},
		"names but for case, without a value":     list{dict{"v", 1}, dict{"V", nil}},
		"times that are nil":                      list{dict{"v", 1, "time", nil}, dict{"v", 2}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			wantStatus(t, r.v1(body, "?partial=true"), 204)
			if n := len(r.replayed()["db.t"]); n != 2 {
				t.Errorf("%d rows", n)
			}
		})
	}
}

func TestPartialNothingTaken(t *testing.T) {
	r := newRig(t, Options{})
	got := reply(t, r.v1(list{1, 2}, "?partial=true"))
	if got.Rows != 0 || len(got.Rejected) != 2 {
		t.Errorf("%+v", got)
	}
	if n := r.store.Log().Records; n != 0 {
		t.Errorf("%d records in the log", n)
	}
}

// An error that concerns the body as a whole rejects the request, not single rows.
func TestPartialWhole(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Limits: rows.Limits{Rows: 10}}})
	w := r.v1(dict{"time", list{t0, t1}, "v", list{1}}, "?partial=true")
	wantProblem(t, w, 400, `column "v": the column has 1 rows, but "time" has 2: give all columns the same number of rows`)
	w = r.v1(dict{"v", list{1}, "v", list{1}}, "?partial=true")
	wantProblem(t, w, 400, `column "v": the column is repeated: send it once`)
	w = r.v1(make(list, 11), "?partial=true")
	wantProblem(t, w, 400, "more than 10 rows in one request: split it")
	body := pack(t, list{dict{"time", t0}, dict{"time", t1}})
	w = r.do("POST", "/v1/write/db/t?partial=true", body[:len(body)-2], "Content-Type", "application/msgpack")
	wantProblem(t, w, 400, "the body ends in the middle of a value, or a length in it is wrong: it was cut short, or is not MessagePack")
	if got := r.landed(); got != nil {
		t.Errorf("landed: %v", got)
	}
}

func TestPartialManyReasons(t *testing.T) {
	r := newRig(t, Options{})
	body := make(list, 3000)
	want := 0
	for i := range body {
		if i%3 == 0 {
			body[i] = dict{"time", t0 + int64(i), "v", i}
			want++
		} else {
			body[i] = fmt.Sprint(i)
		}
	}
	got := reply(t, r.v1(body, "?partial=true&durability=async"))
	if got.Rows != want || len(got.Rejected) != rows.MaxReasons || got.More != 2000-rows.MaxReasons || got.Rejected[999].Row != 1499 {
		t.Errorf("rows %d, reasons %d, more %d, last %v", got.Rows, len(got.Rejected), got.More, got.Rejected[len(got.Rejected)-1])
	}
	if n := len(r.replayed()["db.t"]); n != want {
		t.Errorf("%d rows landed, want %d", n, want)
	}
}

func TestRejectedList(t *testing.T) {
	for _, rows := range [][]int{{0}, {5}, {0, 1, 2, 1000, 1 << 20}} {
		payload := appendRejected([]byte("body"), rows)
		body, got, err := cutRejected(payload)
		if err != nil || string(body) != "body" || !slices.Equal(got, rows) {
			t.Errorf("%v: %q, %v, %v", rows, body, got, err)
		}
	}
	for _, payload := range []string{"", "abc", "\x01\x02\x00\x00\x00", "\xff\xff\xff\xff", "\x80\x01\x00\x00\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x0a\x00\x00\x00"} {
		if _, _, err := cutRejected([]byte(payload)); err == nil {
			t.Errorf("%x is no list", payload)
		}
	}
}
