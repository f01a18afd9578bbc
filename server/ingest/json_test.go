package ingest

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/testkit"
)

const (
	asMessagePack = "application/msgpack"
	asJSON        = "application/json"
	asLines       = "application/x-ndjson"
)

// Each form of a JSON body gives the same rows when they land directly and when they are replayed
// from the log.
func TestJSONShapes(t *testing.T) {
	want := map[string][]row{"db.t": {{"time": t0, "host": "a é", "v": 1.0, "ok": true}, {"time": t1, "v": 2.5}}}
	for name, c := range map[string]struct{ contentType, body string }{
		"columns":         {asJSON, `{"time":[%d,%d],"host":["a \u00e9",null],"v":[1,2.5],"ok":[true,null]}`},
		"columns, blanks": {asJSON, " {\r\n\t\"time\" : [ %d ,\n %d ] ,\n \"host\":[\"a \u00e9\" , null], \"v\":[1,25e-1],\"ok\":[true,null]\n}\n"},
		"rows":            {asJSON, `[{"time":%d,"host":"a é","v":1,"ok":true},{"v":2.5,"time":%d}]`},
		"rows, blanks":    {"application/json; charset=utf-8", "\n[ {\"time\" :%d, \"host\":\"a é\",\"v\":1,\n\"ok\":true} ,\n{\"v\":2.5,\"time\":%d}\n]"},
		"lines":           {asLines, "{\"time\":%d,\"host\":\"a é\",\"v\":1,\"ok\":true}\n{\"v\":2.5,\"time\":%d}\n"},
		"lines, blanks":   {"application/ndjson", "\n \r\n {\"time\":%d, \"host\":\"a é\",\"v\":1,\"ok\":true} \r\n\t\n{\"v\":2.5,\"\\u0074ime\" : %d}"},
		"lines, jsonl":    {"application/jsonl;charset=UTF-8", "{\"time\":%d,\"host\":\"a é\",\"v\":1,\"ok\":true}\r\n{\"v\":2.5,\"time\":%d}"},
		"another case":    {"Application/JSON", `{"time":[%d,%d],"host":["a é",null],"v":[1,2.5],"ok":[true,null]}`},
	} {
		body := fmt.Appendf(nil, c.body, t0, t1)
		for _, query := range []string{"", "?partial=true", "?durability=async", "?time_unit=us&durability=sync"} {
			for squeezed, header := range map[string][]string{string(body): nil, string(testkit.Gzipped(body)): {"Content-Encoding", "gzip"}, string(testkit.Zstded(body)): {"Content-Encoding", "zstd"}} {
				if header != nil && query == "?durability=async" {
					continue // the other combinations suffice
				}
				t.Run(fmt.Sprint(name, query, header), func(t *testing.T) {
					r := newRig(t, Options{})
					wantStatus(t, r.write(c.contentType, query, []byte(squeezed), header...), 204)
					wantRows(t, r.landed(), want)
					wantStatus(t, r.write(c.contentType, query, []byte(squeezed), header...), 204)
					wantRows(t, r.replayed(), want)
				})
			}
		}
	}
}

// The same rows give the same responses and the same stored rows as MessagePack, JSON and NDJSON.
// This holds with and without partial=true, directly and after a replay.
func TestJSONAsMessagePack(t *testing.T) {
	bodies := map[string]list{
		"mixed numbers":    {dict{"time", t0, "v", 1}, dict{"time", t1, "v", 2.5}, dict{"time", t2, "v", 3}},
		"floats that are":  {dict{"time", t0, "v", 0.5}, dict{"time", t1, "v", -1e300}, dict{"time", t2, "v", 1}},
		"edge values":      {dict{"time", t0, "v", int64(math.MaxInt64), "s", ""}, dict{"time", t1, "v", int64(math.MinInt64), "s", "héllo 世界 \U0001F600 \n\x00\\"}, dict{"time", t2, "v", 0, "s", strings.Repeat("x", 70_000)}},
		"nulls":            {dict{"time", t0, "v", nil, "w", nil}, dict{"time", t1, "v", true}, dict{"time", t2}},
		"sparse":           {dict{"time", t0, "a", 1}, dict{"time", t1, "b", "x"}, dict{"c", false, "time", t2}},
		"seconds":          {dict{"time", 1_700_000_000, "v", 1}, dict{"time", 1_700_000_000.5, "v", 1}},
		"two units":        {dict{"time", 1_700_000_000, "v", 1}, dict{"time", t0, "v", 1}},
		"time is text":     {dict{"time", "2023-11-14T22:13:20Z"}},
		"time out of all":  {dict{"time", int64(math.MinInt64)}},
		"a time missing":   {dict{"time", t0, "v", 1}, dict{"v", 2}, dict{"time", nil, "v", 3}},
		"a time too late":  {dict{"v", 1}, dict{"time", t0, "v", 2}},
		"kinds":            {dict{"time", t0, "v", 1}, dict{"time", t1, "v", "x"}, dict{"time", t2, "v", true}},
		"nested":           {dict{"time", t0, "v", list{1}}, dict{"time", t1, "v", dict{"a", 1}}, dict{"time", t2, "v", 1}},
		"twice":            {dict{"time", t0, "v", 1, "v", 2}, dict{"time", t1, "v", 3}},
		"twins":            {dict{"time", t0, "v", 1}, dict{"time", t1, "V", 3}},
		"names":            {dict{"time", t0, "a\nb", 1}, dict{"time", t1, "", 3}, dict{"time", t2, strings.Repeat("n", 129), 3}, dict{"time", t2, "date", 3}},
		"no rows are rows": {5, "x", nil, list{}, dict{"time", t0, "v", 1}, true},
		"nothing in them":  {dict{}, dict{}},
		"no rows":          {},
	}
	for name, sent := range bodies {
		for _, query := range []string{"", "?partial=true", "?time_unit=s", "?partial=true&time_unit=us"} {
			t.Run(name+query, func(t *testing.T) {
				want := newRig(t, Options{})
				first := want.v1(sent, query)
				wantLanded, wantNow := want.landed(), want.now.Load()
				var wantReport report
				if first.Code == 200 {
					wantReport = reply(t, first)
				}
				r := newRig(t, Options{})
				for _, c := range []struct {
					contentType string
					body        []byte
				}{{asJSON, toJSON(t, sent)}, {asLines, toLines(t, sent)}} {
					if name == "no rows" && c.contentType == asLines {
						continue // the body is empty
					}
					for _, out := range []func() map[string][]row{r.landed, r.replayed} {
						w := r.write(c.contentType, query, c.body)
						if w.Code != first.Code {
							t.Fatalf("%s: %d %s\nMessagePack: %d %s", c.contentType, w.Code, w.Body, first.Code, first.Body)
						}
						if w.Code == 200 {
							got := reply(t, w)
							same := func(a, b rows.Rejection) bool {
								return a.Row == b.Row && (a.Line == a.Row+1) == (c.contentType == asLines)
							}
							if got.Rows != wantReport.Rows || !slices.EqualFunc(got.Rejected, wantReport.Rejected, same) {
								t.Fatalf("%s: %+v, want %+v", c.contentType, got, wantReport)
							}
						}
						landed := out()
						for _, rows := range landed {
							for _, row := range rows {
								if row["time"] == r.now.Load() {
									row["time"] = wantNow
								}
							}
						}
						wantRows(t, landed, wantLanded)
					}
				}
			})
		}
	}
}

// Each invalid JSON body gets the expected error text.
func TestJSONErrors(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Limits: rows.Limits{Rows: 100, Columns: 30}}})
	const types = ": a column has one type, or ints and floats"
	const single = ": a column is an array, and a single row is sent as an array of one object"
	const beyond = " is beyond the range of int64 and cannot be stored; send it as a float, with an exponent, or as a string"
	const missing = "time is missing: give every row a time, or omit the column to use the time of receipt"
	wide := dict{}
	for i := range 31 {
		wide = append(wide, fmt.Sprint("c", i), list{1})
	}
	many := "[" + strings.Repeat("{},", 100) + "{}]"
	wantStatus(t, r.write(asJSON, "", []byte(`{"time":[1700000000],"old":[1]}`)), 204)
	for _, c := range []struct {
		name, contentType, body string
		text, field             string
		row, line, offset       int // row and offset: below 0: none; line 0: none
	}{
		{"empty", asJSON, "", "the body is empty", "", -1, 0, -1},
		{"blank", asJSON, " \n", "not valid JSON: unexpected end of JSON input", "", -1, 0, 2},
		{"cut", asJSON, `{"time":[1,2`, `column "time": not valid JSON: unexpected end of JSON input`, "time", -1, 0, 12},
		{"cut, rows", asJSON, `[{"time":1},{"time":`, `row 1: column "time": not valid JSON: unexpected end of JSON input`, "time", 1, 0, 20},
		{"not JSON", asJSON, "time=1", "not valid JSON: invalid character 'i' in literal true (expecting 'r')", "", -1, 0, 1},
		{"MessagePack", asJSON, "\x81\xa1v\x91\x01", "not valid JSON: invalid character '\\u0081' looking for beginning of value", "", -1, 0, 0},
		{"lines in one body", asJSON, "{\"v\":[1]}\n{\"v\":[2]}", "not valid JSON: invalid character '{' after top-level value", "", -1, 0, 10},
		{"number", asJSON, "5", "the body is a number: send an array of objects, or an object of columns", "", -1, 0, 0},
		{"null", asJSON, " null", "the body is null: send an array of objects, or an object of columns", "", -1, 0, 1},
		{"one row", asJSON, `{"time":1}`, `column "time": a number instead of an array of cells` + single, "time", -1, 0, 8},
		{"no columns", asJSON, `{}`, "the body has no rows: send at least one", "", -1, 0, -1},
		{"no rows", asJSON, `[]`, "the body has no rows: send at least one", "", -1, 0, -1},
		{"empty columns", asJSON, `{"v":[]}`, "the body has no rows: send at least one", "", -1, 0, -1},
		{"row is a number", asJSON, `[{"v":1},5]`, "row 1: a number instead of a row: a row is an object", "", 1, 0, 9},
		{"kinds", asJSON, `{"v":[1,"x"]}`, `row 1: column "v": a string in a column of int64` + types, "v", 1, 0, 8},
		{"kinds, rows", asJSON, `[{"v":1},{"v":true}]`, `row 1: column "v": a bool in a column of int64` + types, "v", 1, 0, 14},
		{"kinds, before what is no JSON", asJSON, `[{"v":1},{"v":true},{]`, "not valid JSON: invalid character ']' looking for beginning of object key string", "", -1, 0, 21},
		{"lengths", asJSON, `{"time":[1,2],"v":[1]}`, `column "v": the column has 1 rows, but "time" has 2: give all columns the same number of rows`, "v", -1, 0, 18},
		{"column twice", asJSON, `{"v":[1],"v":[2]}`, `column "v": the column is repeated: send it once`, "v", -1, 0, 9},
		{"column twice, rows", asJSON, `[{"v":1,"v":2}]`, `row 0: column "v": the column is repeated: send it once`, "v", 0, 0, 8},
		{"array in a cell", asJSON, `{"v":[[1]]}`, `row 0: column "v": a column cannot hold arrays or objects`, "v", 0, 0, 6},
		{"object in a cell", asJSON, `[{"v":{"a":1}}]`, `row 0: column "v": a column cannot hold arrays or objects`, "v", 0, 0, 6},
		{"uint64", asJSON, `{"v":[1,18446744073709551615]}`, `row 1: column "v": 18446744073709551615` + beyond, "v", 1, 0, 8},
		{"float", asJSON, `{"v":[1,1e400]}`, `row 1: column "v": 1e400 is beyond the range of float64`, "v", 1, 0, 8},
		{"too many rows", asJSON, `{"v":[` + strings.Repeat("1,", 100) + "1]}", `column "v": more than 100 rows in one batch; send smaller batches`, "v", -1, 0, 5},
		{"too many rows, rows", asJSON, many, "row 100: more than 100 rows in one batch; send smaller batches", "", 100, 0, 301},
		{"too many columns", asJSON, string(toJSON(t, wide)), "more than 30 columns in one table: send fewer", "", -1, 0, 291},
		{"not UTF-8", asJSON, "{\"s\":[\"ok\",\"a\xff\"]}", `row 1: column "s": a string is not UTF-8: send UTF-8`, "s", 1, 0, 11},
		{"half a pair", asJSON, `{"s":["ok","a\ud83d"]}`, `row 1: column "s": a string is not UTF-8: send UTF-8`, "s", 1, 0, 11},
		{"name not UTF-8", asJSON, "[{\"a\xff\":1}]", "row 0: a name is not UTF-8: send UTF-8", "", 0, 0, 2},
		{"name with a control character", asJSON, `{"a\nb":[1]}`, `column "a\nb": a column name must not have control characters`, "a\nb", -1, 0, -1},
		{"time is null", asJSON, `{"time":[1,null]}`, "row 1: " + missing, "time", 1, 0, -1},
		{"time is missing in a row", asJSON, `[{"time":1},{"v":1}]`, "row 1: " + missing, "time", 1, 0, -1},
		{"time is text", asJSON, `{"time":["2020"]}`, `row 0: time "2020" is not RFC 3339: send a string such as 2006-01-02T15:04:05Z or 2006-01-02T15:04:05.123+07:00, or the number of s, ms, us or ns since 1970`, "time", 0, 0, -1},
		{"catalog", asJSON, `{"time":[1700000000],"old":["x"]}`, `table db.t: column "old" contains int64 values, so it cannot store string values: convert the values, or use another column name`, "old", -1, 0, -1},

		{"line: cut", asLines, "{\"v\":1}\n\n{\"v\":2", "line 3: not valid JSON: unexpected end of JSON input", "", 1, 3, 15},
		{"line: over two", asLines, "{\"v\":1}\n{\"v\":\n2}", "line 2: not valid JSON: unexpected end of JSON input", "", 1, 2, 13},
		{"line: two on one", asLines, "{\"v\":1} {\"v\":2}", "line 1: not valid JSON: invalid character '{' after top-level value", "", 0, 1, 8},
		{"line: commas between", asLines, "{\"v\":1},\n{\"v\":2}", "line 1: not valid JSON: invalid character ',' after top-level value", "", 0, 1, 7},
		{"line: array", asLines, "{\"v\":1}\r\n\r\n [{\"v\":1}]", "line 3: an array instead of a row: a row is an object", "", 1, 3, 12},
		{"line: kinds", asLines, "\n{\"v\":1}\n{\"v\":\"x\"}\n]", `line 3: column "v": a string in a column of int64` + types, "v", 1, 3, 14},
		{"line: not UTF-8", asLines, "{\"s\":\"\xff\"}", `line 1: column "s": a string is not UTF-8: send UTF-8`, "s", 0, 1, 5},
		{"line: time is missing", asLines, "{\"time\":1}\n\n{\"v\":1}", "line 3: " + missing, "time", 1, 3, -1},
		{"line: units", asLines, "{\"time\":1}\n \n\n{\"time\":1700000000000}", "line 4: time 1700000000000 looks like milliseconds, but earlier times look like seconds: set the unit with ?time_unit=s, ms, us or ns", "time", 1, 4, -1},
		{"line: too many", asLines, strings.Repeat("{}\n\n", 101), "line 201: more than 100 rows in one batch; send smaller batches", "", 100, 201, 400},
		{"line: none", asLines, "\n\n \r\n", "the body has no rows: send at least one", "", -1, 0, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := wantProblem(t, r.write(c.contentType, "", []byte(c.body)), 400, c.text)
			if p.Field != c.field || p.Line != c.line {
				t.Errorf("field %q, line %d, want %q, %d", p.Field, p.Line, c.field, c.line)
			}
			if p.Row == nil && c.row >= 0 || p.Row != nil && *p.Row != c.row {
				t.Errorf("row %v, want %d", p.Row, c.row)
			}
			if p.Offset == nil && c.offset >= 0 || p.Offset != nil && *p.Offset != int64(c.offset) {
				t.Errorf("offset %v, want %d", p.Offset, c.offset)
			}
		})
	}
	if got := len(r.landed()["db.t"]); got != 1 {
		t.Errorf("%d rows landed beside what was refused, want 1", got)
	}
	if s := r.store.Stats(); s.Buffered != 0 || r.h.Stats().InFlight != 0 {
		t.Errorf("%d bytes are still held, %d in flight", s.Buffered, r.h.Stats().InFlight)
	}
}

// A partial request stores and rejects the expected rows, directly and after a replay from the log.
func TestJSONPartial(t *testing.T) {
	const types = ": a column has one type, or ints and floats"
	const missing = "time is missing: give every row a time, or omit the column to use the time of receipt"
	two := map[string][]row{"db.t": {{"time": t0, "v": 1.0}, {"time": t2, "v": 2.5, "s": "ok"}}}
	for _, c := range []struct {
		name, contentType, body string
		rejected                []rows.Rejection
		want                    map[string][]row
	}{
		{"rows", asJSON, fmt.Sprintf(`[{"time":%d,"v":1}, {"time":1,"v":"x"} ,5,{"time":%d,"v":[1,{"a":"]"}]},{"time":%[2]d,"s":"\ud800"},
			{"v":3}, {"time":%[2]d,"v":99999999999999999999},{"time":%[3]d,"v":2.5,"s":"ok"},"",{"v":1,"v":2}]`, t0, t1, t2),
			[]rows.Rejection{
				{Row: 1, Field: "v", Reason: `column "v": a string in a column of int64` + types},
				{Row: 2, Reason: "a number instead of a row: a row is an object"},
				{Row: 3, Field: "v", Reason: `column "v": a column cannot hold arrays or objects`},
				{Row: 4, Field: "s", Reason: `column "s": a string is not UTF-8: send UTF-8`},
				{Row: 5, Field: "time", Reason: missing},
				{Row: 6, Field: "v", Reason: `column "v": 99999999999999999999 is beyond the range of int64 and cannot be stored; send it as a float, with an exponent, or as a string`},
				{Row: 8, Reason: "a string instead of a row: a row is an object"},
				{Row: 9, Field: "v", Reason: `column "v": the column is repeated: send it once`},
			}, two},
		{"columns", asJSON, fmt.Sprintf(`{ "time" : [%d, 1,null ,%d,%d ] , "v":[1,"x",3,4,2.5], "\u0073":[null,"a","b","\ud800","ok"]}`, t0, t1, t2),
			[]rows.Rejection{
				{Row: 1, Field: "v", Reason: `column "v": a string in a column of int64` + types},
				{Row: 2, Field: "time", Reason: missing},
				{Row: 3, Field: "s", Reason: `column "s": a string is not UTF-8: send UTF-8`},
			}, two},
		{"lines", asLines, fmt.Sprintf("\n{\"time\":%d,\"v\":1}\r\n\n{\"time\":1,\"v\":\"x\"}\n{\"time\":\n1}\n{} {}\n[]\n{\"time\":%d,\"v\":2.5,\"s\":\"ok\"}\n{\"time\":", t0, t2),
			[]rows.Rejection{
				{Row: 1, Line: 4, Field: "v", Reason: `column "v": a string in a column of int64` + types},
				{Row: 2, Line: 5, Field: "time", Reason: `column "time": not valid JSON: unexpected end of JSON input`},
				{Row: 3, Line: 6, Reason: "not valid JSON: invalid character '}' after top-level value"},
				{Row: 4, Line: 7, Reason: "not valid JSON: invalid character '{' after top-level value"},
				{Row: 5, Line: 8, Reason: "an array instead of a row: a row is an object"},
				{Row: 7, Line: 10, Field: "time", Reason: `column "time": not valid JSON: unexpected end of JSON input`},
			}, two},
		{"nothing taken", asLines, "x\ny", []rows.Rejection{
			{Row: 0, Line: 1, Reason: "not valid JSON: invalid character 'x' looking for beginning of value"},
			{Row: 1, Line: 2, Reason: "not valid JSON: invalid character 'y' looking for beginning of value"},
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Options{})
			for _, out := range []func() map[string][]row{r.landed, r.replayed} {
				got := reply(t, r.write(c.contentType, "?partial=true", []byte(c.body)))
				if !slices.Equal(got.Rejected, c.rejected) || got.Rows != len(c.want["db.t"]) {
					t.Errorf("%d rows, rejected\n got %+v\nwant %+v", got.Rows, got.Rejected, c.rejected)
				}
				wantRows(t, out(), c.want)
			}
		})
	}
}

// A partial request is rejected as a whole if the error does not belong to single rows.
func TestJSONPartialWhole(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Limits: rows.Limits{Rows: 10}}})
	const single = ": a column is an array, and a single row is sent as an array of one object"
	for _, c := range []struct{ contentType, body, text string }{
		{asJSON, `[{"v":1},{"v":]`, "not valid JSON: invalid character ']' looking for beginning of value"},
		{asJSON, `{"v":[1,"x"`, "not valid JSON: unexpected end of JSON input"},
		{asJSON, `5`, "the body is a number: send an array of objects, or an object of columns"},
		{asJSON, ` `, "not valid JSON: unexpected end of JSON input"},
		{asJSON, `[]`, "the body has no rows: send at least one"},
		{asJSON, `{"v":[]}`, "the body has no rows: send at least one"},
		{asJSON, `{"t":[1], "v" : {"a":[]}}`, `column "v": an object instead of an array of cells` + single},
		{asJSON, `{"t":[1,2],"v":[1]}`, `column "v": the column has 1 rows, but "t" has 2: give all columns the same number of rows`},
		{asJSON, `{"v":[1],"v":[1]}`, `column "v": the column is repeated: send it once`},
		{asJSON, "[" + strings.Repeat("1,", 10) + "1]", "more than 10 rows in one request: split it"},
		{asJSON, `{"v":[` + strings.Repeat("1,", 10) + "1]}", "more than 10 rows in one request: split it"},
		{asLines, strings.Repeat("x\n", 11), "more than 10 rows in one request: split it"},
	} {
		wantProblem(t, r.write(c.contentType, "?partial=true", []byte(c.body)), 400, c.text)
	}
	p := wantProblem(t, r.write(asJSON, "?partial=1", []byte(`{"t":[1], "v" : 7}`)), 400, `column "v": a number instead of an array of cells`+single)
	if p.Offset == nil || *p.Offset != 16 {
		t.Errorf("offset %v", p.Offset)
	}
	if got := r.landed(); got != nil {
		t.Errorf("landed: %v", got)
	}
}

// A partial request rejects rows that do not fit the catalog.
func TestJSONPartialAgainstCatalog(t *testing.T) {
	rows := list{dict{"time", t0, "v", "x", "n", 1}, dict{"time", t1, "v", 1}, dict{"time", t2, "v", true}, dict{"time", t2, "n", 2}}
	for contentType, body := range map[string][]byte{asJSON: toJSON(t, rows), asLines: toLines(t, rows)} {
		r := newRig(t, Options{})
		wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{5}}, ""), 204)
		r.landed()
		for _, out := range []func() map[string][]row{r.landed, r.replayed} {
			got := reply(t, r.write(contentType, "?partial=true", body))
			if got.Rows != 2 || len(got.Rejected) != 2 || got.Rejected[0].Row != 0 || got.Rejected[1].Row != 2 {
				t.Errorf("%s: %+v", contentType, got)
			}
			wantRows(t, out(), map[string][]row{"db.t": {{"time": t1, "v": int64(1)}, {"time": t2, "n": int64(2)}}})
		}
	}
}

// Rows without a time get the time of receipt, which is in the log.
func TestJSONTimeOfReceipt(t *testing.T) {
	for _, c := range []struct{ contentType, body string }{{asJSON, `{"v":[1,2]}`}, {asJSON, `[{"v":1},{"v":2}]`}, {asLines, "{\"v\":1}\n{\"v\":2}"}} {
		for _, query := range []string{"", "?partial=1", "?durability=async"} {
			r := newRig(t, Options{})
			before := time.Now().UnixMicro()
			for _, out := range []func() map[string][]row{r.landed, r.replayed} {
				wantStatus(t, r.write(c.contentType, query, []byte(c.body)), 204)
				got := out()
				if r.now.Load() < before || r.now.Load() > time.Now().UnixMicro() {
					t.Errorf("received at %d, sent at %d", r.now.Load(), before)
				}
				wantRows(t, got, map[string][]row{"db.t": {{"time": r.now.Load(), "v": int64(1)}, {"time": r.now.Load(), "v": int64(2)}}})
			}
		}
	}
}

// Rows that each add a column cannot use much memory with few bytes.
func TestJSONSparse(t *testing.T) {
	r := newRig(t, Options{})
	var lines bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&lines, "{\"time\":1,\"c%d\":1}\n", i)
	}
	array := append(bytes.ReplaceAll(bytes.TrimSpace(append([]byte("["), lines.Bytes()...)), []byte("\n"), []byte(",")), ']')
	for _, c := range []struct {
		contentType string
		body        []byte
	}{{asJSON, array}, {asLines, lines.Bytes()}} {
		var text string
		bytes := testkit.Allocated(func() {
			w := r.write(c.contentType, "", c.body)
			text = w.Body.String()
			wantStatus(t, w, http.StatusBadRequest)
		})
		if !strings.Contains(text, "are too sparse: most cells would be null; send fewer columns") || bytes > 16<<20 {
			t.Errorf("%s: %d bytes for a body of %d: %s", c.contentType, bytes, len(c.body), text)
		}
		reply(t, r.write(c.contentType, "?partial=true", c.body))
	}
	if n := r.h.Stats().InFlight; n != 0 {
		t.Errorf("%d bytes in flight", n)
	}
}

// Bodies are limited in size, before and after decompression.
func TestJSONLimits(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Body: 2000, Decompressed: 1 << 20}})
	wantProblem(t, r.write(asJSON, "", bytes.Repeat([]byte(" "), 2001)), 413, "the body has more than 2000 bytes: send smaller batches, or compress them")
	bomb := testkit.Gzipped(slices.Concat([]byte("["), bytes.Repeat([]byte(" "), 1<<20), []byte("]")))
	wantProblem(t, r.write(asJSON, "", bomb, "Content-Encoding", "gzip"), 413,
		fmt.Sprintf("the body of %d bytes decompresses to more than %d bytes: send smaller batches", len(bomb), 1<<20))
	for _, contentType := range []string{asJSON, asLines} {
		for _, query := range []string{"", "?partial=true"} {
			w := r.write(contentType, query, testkit.Gzipped(bytes.Repeat([]byte("["), 1<<20)), "Content-Encoding", "gzip")
			if w.Code != 400 && !(w.Code == 200 && contentType == asLines) || !strings.Contains(w.Body.String(), "not valid JSON: invalid character '[' exceeded max depth") {
				t.Errorf("%s%s: %d %s", contentType, query, w.Code, w.Body)
			}
		}
	}
	if got := r.landed(); got != nil {
		t.Errorf("landed: %v", got)
	}
}

// The codes in the log never change, because every release must read the logs of all earlier
// releases.
func TestCodecs(t *testing.T) {
	for bits, want := range map[uint16]codec{
		0x001: {format: rows.MessagePack},
		0x002: {format: rows.Arc},
		0x003: {format: rows.JSON},
		0x004: {format: rows.NDJSON},
		0x0d1: {format: rows.MessagePack, compression: admission.Gzip, unit: rows.Microseconds},
		0x224: {format: rows.NDJSON, compression: admission.Zstd, rejected: true},
		0x035: {format: series.Format, compression: admission.Snappy},
		0x256: {format: rows.Schema, compression: admission.Gzip, unit: rows.Seconds, rejected: true},
		0x401: {format: rows.MessagePack, keyed: true},
		0x624: {format: rows.NDJSON, compression: admission.Zstd, rejected: true, keyed: true},
	} {
		got, err := codecOf(bits)
		if err != nil || got != want || want.bits() != bits {
			t.Errorf("%#x: %+v, %v; %+v is %#x", bits, got, err, want, want.bits())
		}
	}
	for _, bits := range []uint16{0, 5, 7, 15, 0x015, 0x031, 0x034, 0x036, 0x141, 0x801, 0x8003} {
		if got, err := codecOf(bits); err == nil {
			t.Errorf("%#x: %+v", bits, got)
		}
	}
}
