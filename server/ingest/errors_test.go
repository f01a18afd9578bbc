package ingest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/rows"
)

// Each invalid request gets the expected error text.
func TestErrors(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Limits: rows.Limits{Rows: 100, Columns: 30, Tables: 10}}})
	const cut = "the body ends in the middle of a value, or a length in it is wrong: it was cut short, or is not MessagePack"
	const cells = "a column cannot hold an array, a map, a bin, or an ext that is not a timestamp"
	const types = ": a column has one type, or ints and floats"
	const once = `: the row contains it twice, in "t", "h", "tags" or "fields" ("t" is the column "time", and "h" is the column "host"): send it once`
	tooMany := make(list, 101)
	for i := range tooMany {
		tooMany[i] = dict{}
	}
	wide := dict{}
	for i := range 31 {
		wide = append(wide, fmt.Sprint("c", i), list{1})
	}
	tables := list{}
	for i := range 11 {
		tables = append(tables, dict{"m", fmt.Sprint("t", i), "f", list{1}})
	}
	wantStatus(t, r.v1(dict{"time", list{t0}, "old", list{1}}, ""), 204)

	for _, c := range []struct {
		name   string
		body   any // string: sent as it is
		query  string
		text   string
		field  string
		row    int // below 0: no row in the error
		offset int
	}{
		{"empty", "", "", "the body is empty", "", -1, -1},
		{"cut in an array", "\x82\xa4time\x91", "", cut, "", -1, 7},
		{"cut in a map", "\x82", "", cut, "", -1, 1},
		{"cut in a string", "\x81\xa1a\x91\xaaabc", "", cut, "", -1, 4},
		{"claims rows", "\xdd\xff\xff\xff\xff", "", cut, "", -1, 5},
		{"claims cells", "\x81\xa1a\xdd\xff\xff\xff\xff\x01", "", cut, "", -1, 8},
		{"goes on", "\x81\xa1v\x91\x01\x05", "", "the body contains 1 more bytes after its value: send one value per request", "", -1, 5},
		{"unused code", "\xc1", "", "the body is the unused code c1: send an array of maps, or a map of columns", "", -1, 0},
		{"int", 5, "", "the body is an int: send an array of maps, or a map of columns", "", -1, 0},
		{"name is an int", "\x81\x01\x91\x01", "", "got an int, want a name: names are strings", "", -1, 1},
		{"name is an int, rows", "\x91\x81\x01\x01", "", "row 0: got an int, want a name: names are strings", "", 0, 2},
		{"one row", dict{"time", 1}, "", `column "time": an int instead of an array of cells: a column is an array, and a single row is sent as an array of one map`, "time", -1, 6},
		{"no columns", dict{}, "", "the body has no rows: send at least one", "", -1, -1},
		{"no rows", list{}, "", "the body has no rows: send at least one", "", -1, -1},
		{"empty columns", dict{"time", list{}}, "", "the body has no rows: send at least one", "", -1, -1},
		{"row is an int", list{5}, "", "row 0: got an int, want a map with column names as keys", "", 0, 1},
		{"kinds", dict{"time", list{1, 2}, "v", list{1, "x"}}, "", `row 1: column "v": a string in a column of int64` + types, "v", 1, 13},
		{"kinds, rows", list{dict{"v", 1}, dict{"v", true}}, "", `row 1: column "v": a bool in a column of int64` + types, "v", 1, 8},
		{"lengths", dict{"time", list{1, 2}, "v", list{1}}, "", `column "v": the column has 1 rows, but "time" has 2: give all columns the same number of rows`, "v", -1, 11},
		{"column twice", dict{"v", list{1}, "v", list{2}}, "", `column "v": the column is repeated: send it once`, "v", -1, 5},
		{"column twice, rows", list{dict{"v", 1, "v", 2}}, "", `row 0: column "v": the column is repeated: send it once`, "v", 0, 5},
		{"array in a cell", dict{"v", list{list{1}}}, "", `row 0: column "v": ` + cells, "v", 0, 4},
		{"map in a cell", list{dict{"v", dict{}}}, "", `row 0: column "v": ` + cells, "v", 0, 4},
		{"bin in a cell", dict{"v", list{[]byte("x")}}, "", `row 0: column "v": ` + cells, "v", 0, 4},
		{"unused code in a cell", "\x81\xa1a\x91\xc1", "", `row 0: column "a": ` + cells, "a", 0, 4},
		{"uint64", dict{"v", list{1, uint64(math.MaxUint64)}}, "", `row 1: column "v": a uint64 beyond the range of int64 cannot be stored; send it as a float or a string`, "v", 1, 5},
		{"too many rows", dict{"v", tooMany}, "", `column "v": more than 100 rows in one batch; send smaller batches`, "v", -1, 3},
		{"too many rows, rows", tooMany, "", "row 100: more than 100 rows in one batch; send smaller batches", "", 100, 104},
		{"too many columns", wide, "", "more than 30 columns in one table: send fewer", "", -1, 173},
		{"not UTF-8", dict{"s", list{"ok", "a\xff"}}, "", `row 1: column "s": a string is not UTF-8: send UTF-8`, "s", 1, 7},
		{"a rune in two cells", dict{"s", list{"\xc3", "\xa9"}}, "", `row 0: column "s": a string is not UTF-8: send UTF-8`, "s", 0, 4},
		{"not UTF-8, rows", list{dict{"s", "x"}, dict{"s", "\xc3"}}, "", `row 1: column "s": a string is not UTF-8: send UTF-8`, "s", 1, 9},
		{"name with a control character", dict{"a\nb", list{1}}, "", `column "a\nb": a column name must not have control characters`, "a\nb", -1, -1},
		{"name not UTF-8", dict{"a\xff", list{1}}, "", "a name is not UTF-8: send UTF-8", "", -1, 1},
		{"empty name", dict{"", list{1}}, "", `column "": a column name has 1 to 128 bytes`, "", -1, -1},
		{"long name", dict{strings.Repeat("x", 129), list{1}}, "", `column "` + strings.Repeat("x", 128) + `…": a column name has 1 to 128 bytes`, strings.Repeat("x", 128) + "…", -1, -1},
		{"time is nil", dict{"time", list{1, nil}}, "", "row 1: time is missing: give every row a time, or omit the column to use the time of receipt", "time", 1, -1},
		{"times are nil", dict{"time", list{nil}}, "", "row 0: time is missing: give every row a time, or omit the column to use the time of receipt", "time", 0, -1},
		{"time is missing in a row", list{dict{"time", 1}, dict{"v", 1}}, "", "row 1: time is missing: give every row a time, or omit the column to use the time of receipt", "time", 1, -1},
		{"time is text", dict{"time", list{"2020"}}, "", `row 0: time "2020" is not RFC 3339: send a string such as 2006-01-02T15:04:05Z or 2006-01-02T15:04:05.123+07:00, or the number of s, ms, us or ns since 1970`, "time", 0, -1},
		{"time is a bool", dict{"time", list{true}}, "", "row 0: time has the type bool: send the number of s, ms, us or ns since 1970 (ints or floats), RFC 3339 strings, or MessagePack's timestamp ext", "time", 0, -1},
		{"time is NaN", dict{"time", list{1.5, math.NaN()}}, "", "row 1: time NaN: must be a finite number", "time", 1, -1},
		{"units", dict{"time", list{1700000000, int64(1700000000000)}}, "", "row 1: time 1700000000000 looks like milliseconds, but earlier times look like seconds: set the unit with ?time_unit=s, ms, us or ns", "time", 1, -1},
		{"units of floats", dict{"time", list{1700000000.5, int64(1700000000000)}}, "", "row 1: time 1700000000000 looks like milliseconds, but earlier times look like seconds: set the unit with ?time_unit=s, ms, us or ns", "time", 1, -1},
		{"time out of range", dict{"time", list{9e11}}, "?time_unit=s", "row 0: time 900000000000 in seconds is not in the years 1 to 9999: check the value, or set the unit with ?time_unit=s, ms, us or ns", "time", 0, -1},
		{"ext out of range", dict{"time", list{time.Date(10001, 1, 1, 0, 0, 0, 0, time.UTC)}}, "", "row 0: time 253433923200000000 in microseconds is not in the years 1 to 9999: check the value, or set the unit with ?time_unit=s, ms, us or ns", "time", 0, -1},
		{"time_unit", dict{}, "?time_unit=h", `time_unit="h": use s, ms, us, ns or auto`, "time_unit", -1, -1},
		{"durability", dict{}, "?durability=x", `durability="x": use sync or async`, "durability", -1, -1},
		{"partial", dict{}, "?partial=x", `partial="x": use true or false`, "partial", -1, -1},
		{"catalog", dict{"time", list{t0}, "old", list{"x"}}, "", `table db.t: column "old" contains int64 values, so it cannot store string values: convert the values, or use another column name`, "old", -1, -1},

		{"arc: int", 5, "arc", `the body is an int: send a map with the keys "m" and "columns" (or "fields"), a map with the key "batch", or an array of such maps`, "", -1, 0},
		{"arc: item is an int", list{5}, "arc", `row 0: got an int, want a map with the keys "m" and "columns" (or "fields")`, "", 0, 1},
		{"arc: no m", dict{"columns", dict{"v", list{1}}}, "arc", `row 0: the key "m" is missing: its value is the name of the table`, "m", 0, -1},
		{"arc: m is nil", dict{"m", nil, "fields", dict{"v", 1}}, "arc", `row 0: the key "m" is missing: its value is the name of the table`, "m", 0, -1},
		{"arc: m is a bool", dict{"m", true, "fields", dict{"v", 1}}, "arc", `row 0: the value of "m" is a bool: it must be a string or an int`, "m", 0, 3},
		{"arc: m has a control character", dict{"m", "a\nb", "fields", dict{"v", 1}}, "arc", `row 0: table "a\nb": a table name must not have control characters`, "table", 0, -1},
		{"arc: m is empty", list{dict{"m", "a", "f", list{1}}, dict{"m", "", "f", list{1}}}, "arc", `row 1: table "": a table name has 1 to 128 bytes`, "table", 1, -1},
		{"arc: m twice", dict{"m", "a", "m", "b", "f", list{1}}, "arc", `row 0: the key "m" is repeated: send it once`, "m", 0, 7},
		{"arc: no rows", dict{"m", "a"}, "arc", `row 0: the keys "columns", "fields" and "f" are missing: a row has at least one of them, and a batch must not contain a batch`, "fields", 0, -1},
		{"arc: nested batch", dict{"batch", list{dict{"batch", list{}}}}, "arc", `row 0: the keys "columns", "fields" and "f" are missing: a row has at least one of them, and a batch must not contain a batch`, "fields", 0, -1},
		{"arc: empty batch", dict{"batch", list{}}, "arc", "the body has no rows: send at least one", "", -1, -1},
		{"arc: batch and more", dict{"batch", list{}, "m", "a"}, "arc", `the key "batch" is combined with keys of other rows: put these rows into the batch`, "batch", -1, 7},
		{"arc: fields and columns", dict{"fields", dict{}, "columns", dict{"v", list{1}}, "m", "a"}, "arc", `row 0: the key "columns" is combined with "t", "h", "f", "fields" or "tags": put these values into the columns`, "columns", 0, 17},
		{"arc: batch and columns in an item", list{dict{"m", "a", "columns", dict{"v", list{1}}, "batch", list{}}}, "arc", `the key "batch" is combined with keys of other rows: put these rows into the batch`, "batch", -1, 25},
		{"arc: cut after columns", "\x83\xa1m\xa1a\xa7columns\x81\xa1v\x91\x01", "arc", "the body ends where a value should begin: it was cut short", "", -1, 18},
		{"arc: columns and fields", dict{"m", "a", "columns", dict{"v", list{1}}, "fields", dict{}}, "arc", `the key "columns" is combined with "t", "h", "f", "fields" or "tags": put these values into the columns`, "columns", -1, 13},
		{"arc: tag and field", list{dict{"m", "a", "tags", dict{"v", "x"}, "fields", dict{"v", 1}}}, "arc", `row 0: column "v"` + once, "v", 0, -1},
		{"arc: h and tag", dict{"m", "a", "h", "x", "tags", dict{"host", "x"}, "f", list{1}}, "arc", `row 0: column "host"` + once, "host", 0, -1},
		{"arc: t and field", dict{"m", "a", "t", 1, "fields", dict{"time", 1}}, "arc", `row 0: column "time"` + once, "time", 0, -1},
		{"arc: fields is an array", dict{"m", "a", "fields", list{1}}, "arc", `row 0: the value of "fields" is an array: it must be a map from names to values`, "fields", 0, 12},
		{"arc: tags is an int", dict{"m", "a", "tags", 5, "f", list{1}}, "arc", `row 0: the value of "tags" is an int: it must be a map from names to values`, "tags", 0, 10},
		{"arc: tag is a float", dict{"m", "a", "tags", dict{"x", 1.5}, "f", list{1}}, "arc", `row 0: the value of "x" is a float: it must be a string or an int`, "x", 0, 13},
		{"arc: f is an int", dict{"m", "a", "f", 5}, "arc", `row 0: the value of "f" is an int: it must be an array of values`, "f", 0, 7},
		{"arc: columns is an array", dict{"m", "a", "columns", list{1}}, "arc", "got an array, want a map with column names as keys", "", -1, 13},
		{"arc: h is a bool", dict{"m", "a", "h", true, "f", list{1}}, "arc", `row 0: the value of "host" is a bool: it must be a string or an int`, "host", 0, 7},
		{"arc: t is text", dict{"m", "a", "t", "now", "f", list{1}}, "arc", `row 0: time "now" is not RFC 3339: send a string such as 2006-01-02T15:04:05Z or 2006-01-02T15:04:05.123+07:00, or the number of s, ms, us or ns since 1970`, "time", 0, -1},
		{"arc: a tag where a field was", list{dict{"m", "a", "fields", dict{"x", 1}}, dict{"m", "a", "tags", dict{"x", "y"}, "f", list{1}}}, "arc", `row 1: column "x": a tag cannot be stored in a column of int64: give the tag another name`, "x", 1, -1},
		{"arc: units", list{dict{"m", "a", "t", 1, "f", list{1}}, dict{"m", "b", "t", 1, "f", list{1}}, dict{"m", "a", "t", t0, "f", list{1}}}, "arc", "row 2: time 1700000000000000 looks like microseconds, but earlier times look like seconds: set the unit with ?time_unit=s, ms, us or ns", "time", 2, -1},
		{"arc: kinds of two items", list{dict{"m", "a", "columns", dict{"x", list{1}}}, dict{"m", "a", "columns", dict{"x", list{"s"}}}}, "arc", `row 1: column "x": string here, but int64 in earlier rows` + types, "x", 1, -1},
		{"arc: an integer that no float is, after floats", list{dict{"m", "a", "columns", dict{"x", list{1.5}}}, dict{"m", "a", "columns", dict{"x", list{int64(1<<53 + 1)}}}}, "arc", `row 1: column "x": an integer cannot be stored exactly as a float64, and earlier rows contain floats`, "x", 1, -1},
		{"arc: a float, after an integer that none is", list{dict{"m", "a", "columns", dict{"x", list{int64(1<<53 + 1)}}}, dict{"m", "a", "columns", dict{"x", list{1.5}}}}, "arc", `row 1: column "x": a float64 in a column of int64, whose row 0 is 9007199254740993, which float64 cannot represent exactly`, "x", 1, -1},
		{"arc: kinds in the second item", list{dict{"m", "a", "columns", dict{"x", list{1}}}, dict{"m", "a", "columns", dict{"x", list{1, true}}}}, "arc", `row 2: column "x": a bool in a column of int64` + types, "x", 2, 37},
		{"arc: too many tables", tables, "arc", "row 10: more than 10 tables in one request: split it", "", 10, -1},
		{"arc: too many rows", tooMany, "arc", "more than 100 rows in one request: split it", "", -1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, query := "/v1/write/db/t", c.query
			if query == "arc" {
				url, query = "/api/v1/write/msgpack", ""
			}
			body, ok := c.body.(string)
			if !ok {
				body = string(pack(t, c.body))
			}
			w := r.do("POST", url+query, []byte(body), "Content-Type", "application/msgpack")
			p := wantProblem(t, w, 400, c.text)
			if p.Field != c.field {
				t.Errorf("field %q, want %q", p.Field, c.field)
			}
			if p.Row == nil && c.row >= 0 || p.Row != nil && *p.Row != c.row {
				t.Errorf("row %v, want %d", w.Body, c.row)
			}
			if p.Offset == nil && c.offset >= 0 || p.Offset != nil && *p.Offset != int64(c.offset) {
				t.Errorf("offset %v, want %d", w.Body, c.offset)
			}
		})
	}
	if got := len(r.landed()["db.t"]); got != 1 {
		t.Errorf("%d rows landed beside what was refused, want 1", got)
	}
	if s := r.store.Stats(); s.Buffered != 0 || r.h.Stats().InFlight != 0 {
		t.Errorf("%d bytes are still held, %d in flight", s.Buffered, r.h.Stats().InFlight)
	}
	if n := r.store.Log().Records; n > 3 { // the valid request, its intent, and the note that it landed
		t.Errorf("%d records in the log: something was written before it was checked", n)
	}
}

func TestNames(t *testing.T) {
	r := newRig(t, Options{})
	body := pack(t, dict{"v", list{1}})
	const plain = " letters, digits, _ - or . and begins with a letter or digit"
	for _, c := range []struct{ path, text string }{
		{"/v1/write/_db/t", `database "_db": a name has 1 to 64` + plain},
		{"/v1/write/" + strings.Repeat("d", 65) + "/t", `database "` + strings.Repeat("d", 65) + `": a name has 1 to 64` + plain},
		{"/v1/write/d%C3%A9/t", `database "dé": a name has 1 to 64` + plain},
		{"/v1/write/db/" + strings.Repeat("t", 200), `table "` + strings.Repeat("t", 128) + `…": a table name has 1 to 128 bytes`},
		{"/v1/write/db/%00", `table "\x00": a table name must not have control characters`},
		{"/v1/write/db/%FF", `table "\xff": a table name must be UTF-8 without control characters`},
	} {
		wantProblem(t, r.do("POST", c.path, body, "Content-Type", "application/msgpack"), 400, c.text)
	}
	wantProblem(t, r.arc(dict{"m", "t", "f", list{1}}, "X-Arc-Database", "../etc"), 400, `database "../etc": a name has 1 to 64`+plain)
	for _, path := range []string{strings.Repeat("d", 64) + "/" + strings.Repeat("T", 128), "a-b_9/X", "1.db/net.if-x", "db/t%2Fx", "db/..%2F..", "db/_t", "db/%C3%A9 ="} {
		wantStatus(t, r.do("POST", "/v1/write/"+strings.ReplaceAll(path, " ", "%20"), body, "Content-Type", "application/msgpack"), 204)
	}
}

func TestHeads(t *testing.T) {
	r := newRig(t, Options{})
	body := pack(t, dict{"v", list{1}})
	const types = " is not supported: use application/msgpack, application/x-msgpack, application/vnd.msgpack, application/json, application/x-ndjson, application/ndjson, application/jsonl, application/x-slipstream-schema"
	wantProblem(t, r.do("POST", "/v1/write/db/t", body), 415, `Content-Type ""`+types)
	wantProblem(t, r.do("POST", "/v1/write/db/t", body, "Content-Type", "text/plain"), 415, `Content-Type "text/plain"`+types)
	wantProblem(t, r.do("POST", "/v1/write/db/t", body, "Content-Type", "application/msgpack", "Content-Encoding", "br"), 415,
		`Content-Encoding "br": use gzip, zstd or identity`)
	wantProblem(t, r.do("POST", "/v1/write/db/t", body, "Content-Type", "application/msgpack", "Content-Encoding", "gzip"), 400,
		"the body is not gzip, or is damaged: unexpected EOF")
	wantProblem(t, r.do("POST", "/v1/write/db/t", body, "Content-Type", "application/msgpack", "Content-Encoding", "zstd"), 400,
		"the body is not zstd, or is damaged: invalid input: magic number mismatch")
	for _, contentType := range rows.MessagePack.ContentTypes {
		wantStatus(t, r.do("POST", "/v1/write/db/t", body, "Content-Type", contentType+"; charset=binary"), 204)
	}
	for _, c := range []struct{ method, path, allow string }{
		{"GET", "/v1/write/db/t", "POST"}, {"PUT", "/api/v1/write/msgpack", "POST"}, {"OPTIONS", "/api/v1/write/msgpack", "POST"},
		{"GET", "/-/flush", "POST"}, {"POST", "/v1/tables", "GET, HEAD"}, {"DELETE", "/ready", "GET, HEAD"}, {"OPTIONS", "/health", "GET, HEAD"},
	} {
		w := r.do(c.method, c.path, nil)
		wantProblem(t, w, 405, "the method "+c.method+" is not allowed here: use "+c.allow)
		if got := w.Header().Get("Allow"); got != c.allow {
			t.Errorf("%s %s: Allow %q", c.method, c.path, got)
		}
	}
	wantProblem(t, r.do("GET", "/nothing", nil), 404, "there is no endpoint at /nothing: write to /v1/write/{db}/{table} or /api/v1/write/msgpack")
}
