package ingest

import (
	"bytes"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
)

const (
	t0 = int64(1_700_000_000_000_000) // microseconds
	t1 = t0 + 1_000_000
	t2 = t0 + 2_000_000
)

// Each form of a body gives the same rows when they land directly and when they are replayed from
// the log.
func TestShapes(t *testing.T) {
	columns := dict{"time", list{t0, t1}, "host", list{"a", "b"}, "v", list{1, 2.5}, "ok", list{true, nil}}
	columnRows := []row{{"time": t0, "host": "a", "v": 1.0, "ok": true}, {"time": t1, "host": "b", "v": 2.5}}
	for name, c := range map[string]struct {
		body any
		want map[string][]row
	}{
		"columnar":             {dict{"m", "cpu", "columns", columns}, map[string][]row{"default.cpu": columnRows}},
		"columnar, m last":     {dict{"columns", columns, "m", "cpu"}, map[string][]row{"default.cpu": columnRows}},
		"columnar, other keys": {dict{"x", dict{"y", list{1, nil}}, "m", "cpu", "z", nil, "columns", columns}, map[string][]row{"default.cpu": columnRows}},
		"columnar, m int":      {dict{"m", 7, "columns", columns}, map[string][]row{"default.measurement_7": columnRows}},
		"columnar in an array": {list{dict{"m", "cpu", "columns", columns}}, map[string][]row{"default.cpu": columnRows}},
		"columnar, seconds":    {dict{"m", "cpu", "columns", dict{"time", list{1_700_000_000, 1_700_000_001}, "v", list{1, 2}}}, map[string][]row{"default.cpu": {{"time": t0, "v": int64(1)}, {"time": t1, "v": int64(2)}}}},
		"columnar, time ext":   {dict{"m", "cpu", "columns", dict{"time", list{time.UnixMicro(t0), time.UnixMicro(t1)}, "v", list{1, 2}}}, map[string][]row{"default.cpu": {{"time": t0, "v": int64(1)}, {"time": t1, "v": int64(2)}}}},
		"columnar, all null": {dict{"m", "cpu", "columns", dict{"time", list{t0}, "v", list{1}, "n", list{nil}}},
			map[string][]row{"default.cpu": {{"time": t0, "v": int64(1)}}}},
		"row": {dict{"m", "cpu", "t", t0, "h", "a", "tags", dict{"dc", "x", "rack", 7}, "fields", dict{"v", 0.5, "n", 3, "s", "text", "b", false}},
			map[string][]row{"default.cpu": {{"time": t0, "host": "a", "dc": "x", "rack": "7", "v": 0.5, "n": int64(3), "s": "text", "b": false}}}},
		"row, keys in another order": {dict{"fields", dict{"v", 1}, "h", "a", "x", 1, "t", t0, "m", "cpu"},
			map[string][]row{"default.cpu": {{"time": t0, "host": "a", "v": int64(1)}}}},
		"row, ints for names":  {dict{"m", 3, "t", t0, "h", 4, "fields", dict{"v", 1}}, map[string][]row{"default.measurement_3": {{"time": t0, "host": "host_4", "v": int64(1)}}}},
		"row, fields by place": {dict{"m", "cpu", "t", t0, "f", list{0.5, nil, "x"}}, map[string][]row{"default.cpu": {{"time": t0, "field_0": 0.5, "field_2": "x"}}}},
		"row, own host tag":    {dict{"m", "cpu", "t", t0, "tags", dict{"host", "mine"}, "fields", dict{"v", 1}}, map[string][]row{"default.cpu": {{"time": t0, "host": "mine", "v": int64(1)}}}},
		"row, float seconds":   {dict{"m", "cpu", "t", 1_700_000_000.25, "fields", dict{"v", 1}}, map[string][]row{"default.cpu": {{"time": t0 + 250_000, "v": int64(1)}}}},
		"row, nil parts":       {dict{"m", "cpu", "t", t0, "h", nil, "tags", nil, "fields", dict{"v", 1}}, map[string][]row{"default.cpu": {{"time": t0, "v": int64(1)}}}},
		"batch": {dict{"batch", list{
			dict{"m", "cpu", "t", t0, "fields", dict{"v", 1}},
			dict{"m", "mem", "columns", dict{"time", list{t0}, "used", list{5}}},
			dict{"m", "cpu", "t", t1, "fields", dict{"w", "x"}},
			dict{"m", "mem", "columns", dict{"time", list{t1 / 1000, t2 / 1000}, "free", list{6.5, 7}}},
			dict{"m", "cpu", "columns", dict{"time", list{t2}, "v", list{3}}},
		}}, map[string][]row{
			"default.cpu": {{"time": t0, "v": int64(1)}, {"time": t1, "w": "x"}, {"time": t2, "v": int64(3)}},
			"default.mem": {{"time": t0, "used": int64(5)}, {"time": t1, "free": 6.5}, {"time": t2, "free": 7.0}},
		}},
		"array of rows": {list{dict{"m", "cpu", "t", t0, "fields", dict{"v", 1}}, dict{"m", "cpu", "t", t1, "fields", dict{"v", 2.5}}},
			map[string][]row{"default.cpu": {{"time": t0, "v": 1.0}, {"time": t1, "v": 2.5}}}},
		"edge values": {dict{"m", "cpu", "columns", dict{"time", list{t0, t1, t2}, "i", list{int64(math.MinInt64), int64(math.MaxInt64), 0}, "f", list{math.Inf(1), math.Copysign(0, -1), -math.MaxFloat64},
			"s", list{"", "héllo 世界", strings.Repeat("x", 70_000)}}},
			map[string][]row{"default.cpu": {
				{"time": t0, "i": int64(math.MinInt64), "f": math.Inf(1), "s": ""},
				{"time": t1, "i": int64(math.MaxInt64), "f": math.Copysign(0, -1), "s": "héllo 世界"},
				{"time": t2, "i": int64(0), "f": -math.MaxFloat64, "s": strings.Repeat("x", 70_000)}}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			wantStatus(t, r.arc(c.body), 204)
			wantRows(t, r.landed(), c.want)
			wantStatus(t, r.arc(c.body), 204)
			wantRows(t, r.replayed(), c.want)
		})
	}
}

func TestTableShapes(t *testing.T) {
	want := map[string][]row{"db.t": {{"time": t0, "host": "a", "v": 1.0}, {"time": t1, "v": 2.5}}}
	for name, body := range map[string]any{
		"columns": dict{"time", list{t0, t1}, "host", list{"a", nil}, "v", list{1, 2.5}},
		"rows":    list{dict{"time", t0, "host", "a", "v", 1}, dict{"v", 2.5, "time", t1}},
	} {
		for _, query := range []string{"", "?partial=true", "?durability=async", "?time_unit=us&durability=sync"} {
			t.Run(name+query, func(t *testing.T) {
				r := newRig(t, Options{})
				wantStatus(t, r.v1(body, query), 204)
				wantRows(t, r.landed(), want)
				wantStatus(t, r.v1(body, query), 204)
				wantRows(t, r.replayed(), want)
			})
		}
	}
}

// Rows without a time get the time of receipt. The log contains it, so it is the same after a
// restart.
func TestTimeOfReceipt(t *testing.T) {
	for name, c := range map[string]struct {
		send func(r *rig) int
		want func(now int64) map[string][]row
	}{
		"columns": {func(r *rig) int { return r.v1(dict{"v", list{1, 2}}, "").Code },
			func(now int64) map[string][]row {
				return map[string][]row{"db.t": {{"time": now, "v": int64(1)}, {"time": now, "v": int64(2)}}}
			}},
		"rows": {func(r *rig) int { return r.v1(list{dict{"v", 1}}, "").Code },
			func(now int64) map[string][]row { return map[string][]row{"db.t": {{"time": now, "v": int64(1)}}} }},
		"arc, some": {func(r *rig) int {
			return r.arc(list{dict{"m", "t", "fields", dict{"v", 1}}, dict{"m", "t", "t", t0 / 1_000_000, "fields", dict{"v", 2}}, dict{"m", "t", "t", nil, "fields", dict{"v", 3}}}).Code
		}, func(now int64) map[string][]row {
			return map[string][]row{"default.t": {{"time": t0, "v": int64(2)}, {"time": now, "v": int64(1)}, {"time": now, "v": int64(3)}}}
		}},
		"arc, none, partial": {func(r *rig) int {
			return r.do("POST", "/api/v1/write/msgpack?partial=1", pack(t, list{dict{"m", "t", "fields", dict{"v", 1}}})).Code
		}, func(now int64) map[string][]row {
			return map[string][]row{"default.t": {{"time": now, "v": int64(1)}}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			before := time.Now().UnixMicro()
			if code := c.send(r); code != 204 {
				t.Fatal(code)
			}
			got := r.landed()
			if r.now.Load() < before || r.now.Load() > time.Now().UnixMicro() {
				t.Errorf("received at %d, sent at %d", r.now.Load(), before)
			}
			wantRows(t, got, c.want(r.now.Load()))
			c.send(r)
			wantRows(t, r.replayed(), c.want(r.now.Load()))
		})
	}
}

func TestCompression(t *testing.T) {
	plain := pack(t, dict{"m", "t", "columns", dict{"time", list{t0}, "v", list{1}}})
	table := pack(t, dict{"time", list{t0}, "v", list{1}})
	for name, c := range map[string]struct {
		squeeze func([]byte) []byte
		header  string
	}{
		"gzip": {testkit.Gzipped, "gzip"}, "zstd": {testkit.Zstded, "zstd"}, "identity": {bytes.Clone, "identity"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			want := []row{{"time": t0, "v": int64(1)}}
			for range 2 { // the second round reuses pooled memory
				wantStatus(t, r.do("POST", "/api/v1/write/msgpack", c.squeeze(plain), "X-Arc-Database", "other"), 204)
				wantStatus(t, r.do("POST", "/v1/write/db/t", c.squeeze(table), "Content-Type", "application/x-msgpack; v=1", "Content-Encoding", c.header), 204)
				wantRows(t, r.replayed(), map[string][]row{"other.t": want, "db.t": want})
			}
		})
	}
}

// A request gives the same rows, however often earlier requests used its memory.
func TestPooledRequests(t *testing.T) {
	r := newRig(t, Options{})
	for i := range 200 {
		var want map[string][]row
		switch i % 4 {
		case 0:
			wantStatus(t, r.v1(dict{"time", list{t0}, "x", list{i}}, "?time_unit=us"), 204)
			want = map[string][]row{"db.t": {{"time": t0, "x": int64(i)}}}
		case 1:
			wantStatus(t, r.arc(list{dict{"m", "a", "t", t0, "fields", dict{"y", "s"}}, dict{"m", "b", "t", t0, "fields", dict{"z", true}}}), 204)
			want = map[string][]row{"default.a": {{"time": t0, "y": "s"}}, "default.b": {{"time": t0, "z": true}}}
		case 2:
			wantStatus(t, r.v1(list{dict{"time", t0}, 5}, "?partial=1"), 200)
			want = map[string][]row{"db.t": {{"time": t0}}}
		case 3:
			wantStatus(t, r.v1(list{dict{"time", t0}, 5}, ""), 400)
			want = map[string][]row{}
		}
		got := r.landed()
		if got == nil {
			got = map[string][]row{}
		}
		wantRows(t, maps.Clone(got), want)
	}
	if s := r.h.Stats(); s.InFlight != 0 || s.Rows != 50+100+50 || s.Rejected != 50 {
		t.Errorf("%+v", s)
	}
}
