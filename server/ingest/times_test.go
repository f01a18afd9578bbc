package ingest

import (
	"fmt"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/rows"
)

func TestUnits(t *testing.T) {
	const s = int64(1_700_000_000)
	for _, c := range []struct {
		unit  string
		times list
		want  []int64
	}{
		{"", list{s, s + 1}, []int64{t0, t1}},
		{"", list{s * 1e3, s*1e3 + 1}, []int64{t0, t0 + 1000}},
		{"", list{s * 1e6, s*1e6 + 1}, []int64{t0, t0 + 1}},
		{"auto", list{s * 1e9, s*1e9 + 1999}, []int64{t0, t0 + 1}},
		{"", list{0, -1}, []int64{0, -1e6}},
		{"", list{int64(9_999_999_999), int64(-9_999_999_999)}, []int64{9_999_999_999e6, -9_999_999_999e6}},
		{"", list{int64(10_000_000_000)}, []int64{10_000_000_000e3}},
		{"", list{-s * 1e3, int64(-1_700_000_000_001)}, []int64{-t0, -t0 - 1000}},
		{"", list{float64(s) + 0.25}, []int64{t0 + 250_000}},
		{"", list{float64(s)*1e3 + 0.5}, []int64{t0 + 500}},
		{"", list{s, float64(s) + 0.5}, []int64{t0, t0 + 500_000}},
		{"s", list{1, int64(10_000_000_001)}, []int64{1e6, 10_000_000_001e6}},
		{"ms", list{1, s * 1e3, -1}, []int64{1e3, t0, -1e3}},
		{"us", list{1, t0}, []int64{1, t0}},
		{"us", list{1.4, 2.6}, []int64{1, 3}},
		{"ns", list{1, 999, 1000, -1, -1000, -1001}, []int64{0, 0, 1, -1, -1, -2}},
		{"ns", list{int64(math.MinInt64), int64(math.MaxInt64)}, []int64{-9223372036854776, 9223372036854775}},
		{"s", list{int64(-62135596800), int64(253402300799)}, []int64{rows.MinTime, 253402300799_000_000}},
		{"us", list{int64(rows.MinTime), int64(rows.MaxTime)}, []int64{rows.MinTime, rows.MaxTime}},
		{"s", list{time.UnixMicro(t0), time.UnixMicro(t1)}, []int64{t0, t1}}, // an ext contains its own unit
	} {
		t.Run(fmt.Sprint(c.unit, c.times), func(t *testing.T) {
			r := newRig(t, Options{})
			query := ""
			if c.unit != "" {
				query = "?time_unit=" + c.unit
			}
			ids := make(list, len(c.times))
			for i := range ids {
				ids[i] = i
			}
			wantStatus(t, r.v1(dict{"time", c.times, "id", ids}, query), 204)
			rows := r.replayed()["db.t"]
			if len(rows) != len(c.want) {
				t.Fatalf("%d rows", len(rows))
			}
			for _, row := range rows {
				if id := row["id"].(int64); row["time"] != c.want[id] {
					t.Errorf("time %d: %v, want %d", id, row["time"], c.want[id])
				}
			}
		})
	}
}

func TestTimesOutOfRange(t *testing.T) {
	r := newRig(t, Options{})
	for _, c := range []struct {
		unit string
		time any
	}{
		{"s", int64(-62135596801)}, {"s", int64(253402300800)}, {"s", int64(math.MaxInt64)}, {"s", int64(math.MinInt64)}, {"s", 1e300}, {"s", -1e300},
		{"ms", int64(-62135596800_001)}, {"ms", int64(253402300800_000)}, {"us", int64(rows.MinTime - 1)}, {"us", int64(rows.MaxTime + 1)},
		{"ns", 1e19}, {"auto", 1e19}, {"auto", math.Inf(1)}, {"auto", math.Inf(-1)}, {"us", 1e18},
	} {
		w := r.v1(dict{"time", list{c.time}}, "?time_unit="+c.unit)
		if w.Code != 400 || !strings.Contains(w.Body.String(), "row 0: time ") {
			t.Errorf("%v %s: %d %s", c.time, c.unit, w.Code, w.Body)
		}
	}
}

// If no row has a time, all get the time of receipt, whether time is missing or null. This holds in
// every format, partial or not. In contrast, a column time without any time is an error.
func TestTimesOfNone(t *testing.T) {
	const missing = "time is missing: give every row a time, or omit the column to use the time of receipt"
	for _, query := range []string{"", "?partial=true"} {
		r := newSchemaRig(t, Options{})
		for name, write := range map[string]func() *httptest.ResponseRecorder{
			"MessagePack": func() *httptest.ResponseRecorder { return r.v1(list{dict{"time", nil, "v", 7}, dict{"v", 7}}, query) },
			"JSON": func() *httptest.ResponseRecorder {
				return r.write(asJSON, query, []byte(`[{"time":null,"v":7},{"v":7}]`))
			},
			"NDJSON": func() *httptest.ResponseRecorder {
				return r.write(asLines, query, []byte("{\"time\":null,\"v\":7}\n{\"v\":7}\n"))
			},
			"Schema": func() *httptest.ResponseRecorder {
				return r.write(r.register("opt", "{time opt(time), v u8}"), query, []byte("\x00\x07\x00\x07"))
			},
		} {
			for _, out := range []func() map[string][]row{r.landed, r.replayed} {
				if w := write(); w.Code != 204 {
					t.Errorf("%s%s: %d %s", name, query, w.Code, w.Body)
					continue
				}
				want := row{"time": r.now.Load(), "v": int64(7)}
				wantRows(t, out(), map[string][]row{"db.t": {want, want}})
			}
		}
		wantStatus(t, r.write(r.register("tail", "{v u8, [time u32]}"), query, []byte("\x07")), 204)
		wantRows(t, r.landed(), map[string][]row{"db.t": {{"time": r.now.Load(), "v": int64(7)}}})

		for name, w := range map[string]*httptest.ResponseRecorder{
			"MessagePack": r.v1(dict{"time", list{nil}, "v", list{7}}, query),
			"JSON":        r.write(asJSON, query, []byte(`{"time":[null],"v":[7]}`)),
			"Schema":      r.write(r.register("lists", "{time list8(opt(time)), v list8(u8)}"), query, []byte("\x01\x00\x01\x07")),
		} {
			if query == "" {
				wantProblem(t, w, 400, "row 0: "+missing)
			} else if got := reply(t, w); got.Rows != 0 || !slices.Equal(got.Rejected, []rows.Rejection{{Row: 0, Field: "time", Reason: missing}}) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}
