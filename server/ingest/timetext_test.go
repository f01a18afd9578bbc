package ingest

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/server/rows"
)

// Times that are RFC 3339 strings are stored in UTC, rounded down to microseconds, in every format
// with strings.
func TestTimesOfText(t *testing.T) {
	texts := map[string]int64{
		"2023-11-14T22:13:20Z":                t0,
		"2023-11-15T05:13:20.000001+07:00":    t0 + 1,
		"2023-11-14T22:13:20.000001999Z":      t0 + 1,
		"1969-12-31T23:59:59.999999999-00:00": -1,
		"0001-01-01T00:00:00Z":                rows.MinTime,
		"9999-12-31T23:59:59.999999Z":         rows.MaxTime,
	}
	for text, want := range texts {
		for _, query := range []string{"", "?partial=true", "?time_unit=ns"} {
			for name, write := range map[string]func(r *rig) *httptest.ResponseRecorder{
				"JSON columns": func(r *rig) *httptest.ResponseRecorder {
					return r.write(asJSON, query, []byte(`{"time":["`+text+`"],"v":[1]}`))
				},
				"JSON rows": func(r *rig) *httptest.ResponseRecorder {
					return r.write(asJSON, query, []byte(`[{"v":1,"time":"`+text+`"}]`))
				},
				"lines": func(r *rig) *httptest.ResponseRecorder {
					return r.write(asLines, query, []byte(`{"time":"`+text+`","v":1}`))
				},
				"MessagePack columns": func(r *rig) *httptest.ResponseRecorder { return r.v1(dict{"time", list{text}, "v", list{1}}, query) },
				"MessagePack rows":    func(r *rig) *httptest.ResponseRecorder { return r.v1(list{dict{"time", text, "v", 1}}, query) },
			} {
				r := newRig(t, Options{})
				if w := write(r); w.Code/100 != 2 {
					t.Fatalf("%s %s%s: %d %s", name, text, query, w.Code, w.Body)
				}
				if rows := r.replayed()["db.t"]; len(rows) != 1 || rows[0]["time"] != want {
					t.Errorf("%s %s%s: %v, want %d", name, text, query, rows, want)
				}
			}
		}
	}
}

func TestTimesOfTextInEnvelopes(t *testing.T) {
	r := newRig(t, Options{})
	wantStatus(t, r.arc(dict{"m", "a", "t", "2023-11-14T23:13:20+01:00", "f", list{1}}), 204)
	tables := r.replayed()
	if len(tables) != 1 {
		t.Fatalf("%d tables, want 1", len(tables))
	}
	for name, rows := range tables {
		if len(rows) != 1 || rows[0]["time"] != t0 {
			t.Errorf("%s: %v, want %d", name, rows, t0)
		}
	}
}

// In one request, envelopes without t get the time of receipt even if other envelopes have a string
// as t.
func TestTimesOfTextInSomeEnvelopes(t *testing.T) {
	r := newRig(t, Options{})
	wantStatus(t, r.arc(list{
		dict{"m", "a", "f", list{1}},
		dict{"m", "a", "t", "2023-11-14T22:13:20Z", "f", list{2}},
		dict{"m", "a", "f", list{3}},
	}), 204)
	given, received := 0, 0
	for _, rows := range r.replayed() {
		for _, row := range rows {
			if row["time"] == t0 {
				given++
			} else if us, ok := row["time"].(int64); ok && us > t0 {
				received++
			}
		}
	}
	if given != 1 || received != 2 {
		t.Errorf("%d rows of the given time and %d of later ones, want 1 and 2", given, received)
	}
}

func TestTimesOfTextRefused(t *testing.T) {
	for _, text := range []string{"", " ", "2023-11-14", "2023-11-14T22:13:20", "2023-02-30T00:00:00Z", "2023-11-14T24:00:00Z", "0000-12-31T23:59:59Z",
		"9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "1700000000", "2023-11-14T22:13:20Z ", strings.Repeat("9", 1<<16)} {
		r := newRig(t, Options{})
		w := r.v1(dict{"time", list{"2023-11-14T22:13:20Z", text}}, "")
		if w.Code != 400 || !strings.Contains(w.Body.String(), "row 1: time ") || w.Body.Len() > 1000 {
			t.Errorf("%.40q: %d %.400s", text, w.Code, w.Body)
		}
	}
	for _, times := range []string{`1700000000,"2023-11-14T22:13:20Z"`, `"2023-11-14T22:13:20Z",1700000000`} {
		r := newRig(t, Options{})
		if w := r.write(asJSON, "", fmt.Appendf(nil, `{"time":[%s]}`, times)); w.Code != 400 {
			t.Errorf("%s: %d %s", times, w.Code, w.Body)
		}
	}
}
