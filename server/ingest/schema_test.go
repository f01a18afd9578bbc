package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// newSchemaRig returns a rig with a schema registry.
func newSchemaRig(t testing.TB, o Options, change ...func(*table.Options)) *rig {
	t.Helper()
	path := filepath.Join(t.TempDir(), "schemas.json")
	o.Schemas = opened(t, path)
	r := newRig(t, o, change...)
	r.schemas = path
	return r
}

func opened(t testing.TB, path string) *registry.Schemas {
	t.Helper()
	s, err := registry.Open(disk.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill replaces the registry by one with the given notations of the schema s.
func (r *rig) fill(notations ...string) {
	r.t.Helper()
	file := map[string]any{"version": 1, "schemas": []any{map[string]any{"name": "s", "versions": notations}}}
	path := filepath.Join(r.t.TempDir(), "schemas.json")
	if err := disk.WriteFile(disk.OS, path, toJSON(r.t, file)); err != nil {
		r.t.Fatal(err)
	}
	r.h.schemas = opened(r.t, path)
}

// long returns a notation of n bytes.
func long(n int) string {
	const field = 255 + len(" u8, ") // the longest name
	var b strings.Builder
	b.WriteString("{")
	for i := 0; n-b.Len() > 2*field; i++ {
		fmt.Fprintf(&b, "n%0254d u8, ", i)
	}
	left := n - b.Len() - len(" u8, ") - len(" u8}")
	fmt.Fprintf(&b, "%s u8, %s u8}", strings.Repeat("a", left/2), strings.Repeat("b", left-left/2))
	return b.String()
}

func (r *rig) put(name, definition string) *httptest.ResponseRecorder {
	return r.do("PUT", "/v1/schemas/"+name, []byte(definition), "Content-Type", "application/json")
}

// register registers the schema of a notation, and returns the Content-Type of bodies that use the
// schema.
func (r *rig) register(name, notation string) (contentType string) {
	r.t.Helper()
	s := shapeOf(r.t, notation)
	w := r.put(name, string(toJSON(r.t, s)))
	if w.Code != 200 {
		wantStatus(r.t, w, 201)
	}
	return codedBy(name, s)
}

func shapeOf(t testing.TB, notation string) *schema.Shape {
	t.Helper()
	s, err := schema.ParseShape(notation)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func codedBy(name string, s *schema.Shape) (contentType string) {
	sum := s.NamedFingerprint()
	return fmt.Sprintf("application/x-slipstream-schema; schema=%s; fingerprint=%x", name, sum)
}

type (
	position struct{ Lat, Lon float32 }
	reading  struct {
		Time  time.Time `wire:"time"`
		Host  string    `wire:"str8"`
		OK    bool
		I     int8
		U     uint64
		Big   int32 `wire:"i32be"`
		Load  float64
		Spare struct{} `wire:"-"`
		Note  *string  `wire:"opt(str16)"`
		At    position
		Home  *position
	}
	readings struct {
		Time []time.Time `wire:"list32(time)"`
		Host []string    `wire:"list32(str8)"`
		OK   []bool      `wire:"list32(bool)"`
		I    []int8      `wire:"list32(i8)"`
		U    []uint64    `wire:"list32(u64)"`
		Big  []int32     `wire:"list32(i32be)"`
		Load []float64   `wire:"list32(f64)"`
		Note []*string   `wire:"list32(opt(str16))"`
	}
)

// coded returns n rows in both forms of a body, and as they should land.
func coded(t testing.TB, n int) (rows, columns []byte, byRow, byColumn map[string][]row) {
	one, err := schema.Derive[reading]()
	if err != nil {
		t.Fatal(err)
	}
	all, err := schema.Derive[readings]()
	if err != nil {
		t.Fatal(err)
	}
	var lists readings
	byRow, byColumn = map[string][]row{}, map[string][]row{}
	for i := range n {
		note := strings.Repeat("ü", i)
		r := reading{
			Time: time.UnixMicro(t0 + int64(i)), Host: fmt.Sprint("web-", i), OK: i%2 == 0, I: int8(-i), U: math.MaxInt64 - uint64(i), Big: int32(i) - 3,
			Load: float64(i) / 4, At: position{1.5, float32(i)},
		}
		want := row{"Time": t0 + int64(i), "Host": r.Host, "OK": r.OK, "I": int64(r.I), "U": int64(r.U), "Big": int64(r.Big), "Load": r.Load, "time": t0 + int64(i)}
		delete(want, "Time")
		if i%3 > 0 {
			r.Note, want["Note"] = &note, note
		}
		byColumn["db.t"] = append(byColumn["db.t"], maps.Clone(want))
		want["At.Lat"], want["At.Lon"] = 1.5, float64(i)
		if i%4 == 0 {
			r.Home, want["Home.Lat"], want["Home.Lon"] = &position{-1, 2}, -1.0, 2.0
		}
		byRow["db.t"] = append(byRow["db.t"], want)
		if rows, err = one.Append(rows, &r); err != nil {
			t.Fatal(err)
		}
		lists.Time, lists.Host, lists.OK, lists.I = append(lists.Time, r.Time), append(lists.Host, r.Host), append(lists.OK, r.OK), append(lists.I, r.I)
		lists.U, lists.Big, lists.Load, lists.Note = append(lists.U, r.U), append(lists.Big, r.Big), append(lists.Load, r.Load), append(lists.Note, r.Note)
	}
	if columns, err = all.Append(nil, &lists); err != nil {
		t.Fatal(err)
	}
	return rows, columns, byRow, byColumn
}

const (
	codedRows    = "{time time, Host str8, OK bool, I i8, U u64, Big i32be, Load f64, Note opt(str16), At {Lat f32, Lon f32}, Home opt({Lat f32, Lon f32})}"
	codedColumns = "{time list32(time), Host list32(str8), OK list32(bool), I list32(i8), U list32(u64), Big list32(i32be), Load list32(f64), Note list32(opt(str16))}"
)

// Both forms of a body give the same rows when they land directly and when they are replayed from
// the log.
func TestSchemaShapes(t *testing.T) {
	rows, columns, byRow, byColumn := coded(t, 9)
	for name, c := range map[string]struct {
		notation string
		body     []byte
		want     map[string][]row
	}{"rows": {codedRows, rows, byRow}, "columns": {codedColumns, columns, byColumn}} {
		for _, query := range []string{"", "?partial=true", "?durability=async", "?time_unit=us&durability=sync"} {
			for squeezed, header := range map[string][]string{string(c.body): nil, string(testkit.Gzipped(c.body)): {"Content-Encoding", "gzip"}, string(testkit.Zstded(c.body)): {"Content-Encoding", "zstd"}} {
				t.Run(fmt.Sprint(name, query, header), func(t *testing.T) {
					r := newSchemaRig(t, Options{})
					contentType := r.register("s", c.notation)
					wantStatus(t, r.write(contentType, query, []byte(squeezed), header...), 204)
					wantRows(t, r.landed(), c.want)
					wantStatus(t, r.write(contentType, query, []byte(squeezed), header...), 204)
					wantStatus(t, r.do("DELETE", "/v1/schemas/s", nil), 204) // the log can be decoded without the registry
					wantRows(t, r.replayed(), c.want)
				})
			}
		}
	}
}

// Times may be numbers. Rows without a time get the time of receipt.
func TestSchemaTimes(t *testing.T) {
	r := newSchemaRig(t, Options{})
	for _, c := range []struct{ notation, body, query string }{
		{"{time u32, v u8}", "\x00\xf1\x53\x65\x07", ""},
		{"{time f64, v u8}", "\x00\x00\x00\x40\xfc\x54\xd9\x41\x07", "?time_unit=s"},
		{"{time list8(opt(u32)), v list8(u8)}", "\x01\x01\x00\xf1\x53\x65\x01\x07", ""},
	} {
		wantStatus(t, r.write(r.register("s"+fmt.Sprint(len(c.body)), c.notation), c.query, []byte(c.body)), 204)
		wantRows(t, r.landed(), map[string][]row{"db.t": {{"time": t0, "v": int64(7)}}})
	}
	wantStatus(t, r.write(r.register("none", "{v u8}"), "", []byte("\x07\x08")), 204)
	wantRows(t, r.landed(), map[string][]row{"db.t": {{"time": r.now.Load(), "v": int64(7)}, {"time": r.now.Load(), "v": int64(8)}}})
	wantStatus(t, r.write(r.register("none", "{v u8}"), "", []byte("\x07\x08")), 204)
	wantRows(t, r.replayed(), map[string][]row{"db.t": {{"time": r.now.Load(), "v": int64(7)}, {"time": r.now.Load(), "v": int64(8)}}})
}

// An invalid body is rejected as a whole, and the error contains the position.
func TestSchemaErrors(t *testing.T) {
	r := newSchemaRig(t, Options{Limits: Limits{Limits: rows.Limits{Rows: 4}}})
	const rows, lists = "{time u32, host str8, ok bool, n u64}", "{time list8(u32), n list8(u64)}"
	const good = "\x01\x00\x00\x00\x01a\x01\x07\x00\x00\x00\x00\x00\x00\x00"
	const cut = ": the body ends inside this value, or a length is wrong: the body is truncated, or was written with another schema"
	const beyond = ": a number beyond the range of int64 cannot be stored; send it as a float or a string"
	for _, c := range []struct {
		notation, body, query string
		text                  string
		field                 string
		row, offset           int
	}{
		{rows, "", "", "the body is empty", "", -1, -1},
		{rows, good + good[:9], "", `row 1: column "n"` + cut, "n", 1, 22},
		{rows, good + good[:9], "?partial=true", `row 1: column "n"` + cut, "n", 1, 22},
		{rows, good + "\x01\x00\x00\x00\xffa\x01\x07\x00\x00\x00\x00\x00\x00\x00", "", `row 1: column "host"` + cut, "host", 1, 19},
		{rows, good[:6] + "\x02" + good[7:], "", `row 0: column "ok": a bool that is neither 0 nor 1`, "ok", 0, 6},
		{rows, good[:6] + "\x02" + good[7:], "?partial=true", `row 0: column "ok": a bool that is neither 0 nor 1`, "ok", 0, 6},
		{rows, good + good[:14] + "\x80", "", `row 1: column "n"` + beyond, "n", 1, 22},
		{rows, good[:5] + "\xff" + good[6:], "", `row 0: column "host": a string is not UTF-8: send UTF-8`, "host", 0, 4},
		{rows, strings.Repeat(good, 5), "", "row 4: more than 4 rows in one batch; send smaller batches", "", 4, 60},
		{rows, strings.Repeat(good, 5), "?partial=true", "more than 4 rows in one request: split it", "", -1, -1},
		{"{a u8, [b u8]}", "\x01\x02\x03", "", "row 0: the input continues after a message that must be the only one", "", 0, 2},
		{lists, "\x01\x01\x00\x00\x00\x01\x07\x00\x00\x00\x00\x00\x00", "", `column "n"` + cut, "n", -1, 5},
		{lists, "\x01\x01\x00\x00\x00\x01\x07\x00\x00\x00\x00\x00\x00", "?partial=true", `column "n"` + cut, "n", -1, 5},
		{lists, "\x01\x01\x00\x00\x00\x01\x07\x00\x00\x00\x00\x00\x00\x80", "", `row 0: column "n"` + beyond, "n", 0, 6},
		{lists, "\x01\x01\x00\x00\x00\x00", "", `column "n": the column has 0 rows, but "time" has 1: give all columns the same number of rows`, "n", -1, 5},
		{"{skip2, [n list8(u8)]}", "\x00\x00", "", "the body has no rows: send at least one", "", -1, -1},
		{"{skip2, [n list8(u8)]}", "\x00\x00", "?partial=true", "the body has no rows: send at least one", "", -1, -1},
		{lists, "\x00\x00", "", "the body has no rows: send at least one", "", -1, -1},
		{lists, "\x00\x00\x00", "", "the input continues after a message that must be the only one", "", -1, 2},
		{lists, "\x05" + strings.Repeat("\x01\x00\x00\x00", 5), "", `column "time": more than 4 rows in one batch; send smaller batches`, "time", -1, 0},
		{"{time opt(u32), n u8}", "\x01\x01\x00\x00\x00\x07\x00\x07", "", "row 1: time is missing: give every row a time, or omit the column to use the time of receipt", "time", 1, -1},
	} {
		name := "s" + registry.Hex(shapeOf(t, c.notation).NamedFingerprint())
		p := wantProblem(t, r.write(r.register(name, c.notation), c.query, []byte(c.body)), 400, c.text)
		if p.Field != c.field {
			t.Errorf("%s: field %q, want %q", c.text, p.Field, c.field)
		}
		if p.Row == nil && c.row >= 0 || p.Row != nil && *p.Row != c.row {
			t.Errorf("%s: row %v, want %d", c.text, p.Row, c.row)
		}
		if p.Offset == nil && c.offset >= 0 || p.Offset != nil && *p.Offset != int64(c.offset) {
			t.Errorf("%s: offset %v, want %d", c.text, p.Offset, c.offset)
		}
	}
	r.h.limits.Cells = 3
	wantProblem(t, r.write(r.register("s", lists), "", []byte("\x02"+good[:4]+good[:4]+"\x02"+good[7:]+good[7:])), 400, `column "time": 2 rows of 2 columns are more than 3 cells; send smaller batches`)
	if got := r.landed(); len(got) > 0 {
		t.Errorf("%v landed of what was refused", got)
	}
	if s := r.store.Stats(); s.Buffered != 0 || r.h.Stats().InFlight != 0 {
		t.Errorf("%d bytes are still held, %d in flight", s.Buffered, r.h.Stats().InFlight)
	}
}

// A partial request stores and rejects the expected rows, directly and after a replay from the log.
func TestSchemaPartial(t *testing.T) {
	const beyond = `column "n": a number beyond the range of int64 cannot be stored; send it as a float or a string`
	const text = `column "s": a string is not UTF-8: send UTF-8`
	numbers := func(high ...byte) (s string) {
		for _, b := range high {
			s += string([]byte{1, 0, 0, 0, 0, 0, 0, b})
		}
		return s
	}
	one := func(n byte, s string) string { return "\x00\xf1\x53\x65" + numbers(n) + "\x01" + s }
	for _, c := range []struct{ notation, body string }{
		{"{time u32, n u64, s str8}", one(0x80, "a") + one(0, "a") + one(0, "\xff") + one(0, "b") + one(0xff, "c")},
		{"{time list8(u32), n list8(u64), s list8(str8)}",
			"\x05" + strings.Repeat("\x00\xf1\x53\x65", 5) + "\x05" + numbers(0x80, 0, 0, 0, 0xff) + "\x05\x01a\x01a\x01\xff\x01b\x01c"},
	} {
		r := newSchemaRig(t, Options{})
		contentType := r.register("s", c.notation)
		for _, out := range []func() map[string][]row{r.landed, r.replayed} {
			got := reply(t, r.write(contentType, "?partial=true", []byte(c.body)))
			if want := []rows.Rejection{{Row: 0, Field: "n", Reason: beyond}, {Row: 2, Field: "s", Reason: text}, {Row: 4, Field: "n", Reason: beyond}}; got.Rows != 2 || !slices.Equal(got.Rejected, want) {
				t.Fatalf("%s: %+v", c.notation, got)
			}
			wantRows(t, out(), map[string][]row{"db.t": {{"time": t0, "n": int64(1), "s": "a"}, {"time": t0, "n": int64(1), "s": "b"}}})
		}
		wantStatus(t, r.v1(dict{"time", list{t0}, "n", list{1}}, "?partial=true"), 204)
	}
}

// Rows that do not fit the table are rejected one by one.
func TestSchemaPartialCatalog(t *testing.T) {
	r := newSchemaRig(t, Options{})
	wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{"text"}}, ""), 204)
	contentType := r.register("s", "{time u32, v opt(u8)}")
	body := []byte("\x00\xf1\x53\x65\x01\x07" + "\x00\xf1\x53\x65\x00")
	const conflict = `column "v" contains string values, so it cannot store int64 values: convert the values, or use another column name`
	wantProblem(t, r.write(contentType, "", body), 400, "table db.t: "+conflict)
	if got := reply(t, r.write(contentType, "?partial=true", body)); got.Rows != 1 || !slices.Equal(got.Rejected, []rows.Rejection{{Row: 0, Field: "v", Reason: conflict}}) {
		t.Errorf("%+v", got)
	}
	wantRows(t, r.landed(), map[string][]row{"db.t": {{"time": t0, "v": "text"}, {"time": t0}}})
}

func TestSchemaHeads(t *testing.T) {
	r := newSchemaRig(t, Options{})
	good := r.register("cpu", "{time u32, host str8, n u8}")
	body := []byte("\x01\x00\x00\x00\x01a\x07")
	wantStatus(t, r.write(good, "", body), 204)
	const media = "application/x-slipstream-schema"
	sum := registry.Hex(shapeOf(t, "{time u32, host str8, n u8}").NamedFingerprint())
	wantStatus(t, r.write(`Application/X-Slipstream-Schema;fingerprint="`+sum+`";schema="cpu"`, "", body), 204)

	const plain = " letters, digits, _ or - and begins with a letter"
	const is = ": must be the 16 hex digits, in lower case, of the schema's NamedFingerprint, which GET /v1/schemas/cpu returns"
	for _, c := range []struct {
		contentType string
		status      int
		text        string
	}{
		{media, 400, "the schema name is empty: use 1 to 128 letters, digits, _ or -, beginning with a letter"},
		{media + "; schema=" + strings.Repeat("a", 129), 400, `schema "` + strings.Repeat("a", 128) + `…": a name has 1 to 128` + plain},
		{media + "; schema=cpu", 400, `Content-Type: fingerprint=""` + is},
		{media + "; schema=cpu; fingerprint=0123", 400, `Content-Type: fingerprint="0123"` + is},
		{media + "; schema=cpu; fingerprint=0123456789ABCDEF", 400, `Content-Type: fingerprint="0123456789ABCDEF"` + is},
		{media + "; schema=mem; fingerprint=" + sum, 404, `there is no schema "mem": register it by PUT /v1/schemas/mem`},
	} {
		wantProblem(t, r.write(c.contentType, "", body), c.status, c.text)
	}
	without := newRig(t, Options{})
	wantProblem(t, without.write(good, "", body), 404, `there is no schema "cpu": register it by PUT /v1/schemas/cpu`)
	wantProblem(t, without.put("cpu", "{}"), 404, "there is no endpoint at /v1/schemas/cpu: write to /v1/write/{db}/{table} or /api/v1/write/msgpack")
}

// The error for an unknown fingerprint contains the newest known one. If the client also sends its
// notation, the error contains the first field that differs.
func TestSchemaMismatch(t *testing.T) {
	r := newSchemaRig(t, Options{})
	const notation = "{time u32, age u8, at {x f64, y f64}, [z u8]}"
	r.register("cpu", notation)
	there := registry.Hex(shapeOf(t, notation).NamedFingerprint())
	for _, c := range []struct{ yours, has, where, field string }{
		{"{time u32, age u16, at {x f64, y f64}, [z u8]}", "age u16", "age u8", "age"},
		{"{time u32, years u8, at {x f64, y f64}, [z u8]}", "years u8", "age u8", "years"},
		{"{time u32, age u8, at {x f64, y f32}, [z u8]}", "at.y f32", "at.y f64", "at.y"},
		{"{time u32, age u8, at {x f64}, [z u8]}", "no further field", "at.y f64", "at.y"},
		{"{time u32, age u8, at {x f64, y f64}, z u8}", "z u8", "[z u8]", "z"},
		{"{time u32, age u8, at {x f64, y f64}, [z u8, q bool]}", "[q bool]", "no further field", "q"},
		{"{time u32, skip1, age u8}", "skip1", "age u8", ""},
		{"{time u32, age u8, at.x f64}", "at.x f64", "at {x f64, y f64}", "at.x"},
	} {
		s := shapeOf(t, c.yours)
		sum := registry.Hex(s.NamedFingerprint())
		p := wantProblem(t, r.write(codedBy("cpu", s), "", []byte("\x01"), "Slipstream-Schema", c.yours), 409,
			`schema "cpu" has no version with the fingerprint `+sum+"; the newest version has "+there+": your schema has "+c.has+", the newest version "+c.where+
				": use the newest version, or register yours by PUT /v1/schemas/cpu")
		if p.Field != c.field {
			t.Errorf("%s: field %q, want %q", c.yours, p.Field, c.field)
		}
	}
	head := func(sum string) string {
		return `schema "cpu" has no version with the fingerprint ` + sum + "; the newest version has " + there
	}
	other := shapeOf(t, "{a u8}")
	sum := registry.Hex(other.NamedFingerprint())
	wantProblem(t, r.write(codedBy("cpu", other), "", nil), 409, head(sum)+" and is "+notation+
		": send your schema in the header Slipstream-Schema to see which field differs, or register it by PUT /v1/schemas/cpu")
	wantProblem(t, r.write(codedBy("cpu", other), "", nil, "Slipstream-Schema", "{b u8}"), 409, head(sum)+
		"; the schema in the header Slipstream-Schema has the NamedFingerprint "+registry.Hex(shapeOf(t, "{b u8}").NamedFingerprint())+": send this fingerprint")
	w := r.write(codedBy("cpu", other), "", nil, "Slipstream-Schema", "{b u8")
	if !strings.Contains(w.Body.String(), "the header Slipstream-Schema is not a valid schema: ") || w.Code != 409 {
		t.Error(w.Code, w.Body)
	}
	nameless := registry.Hex(shapeOf(t, notation).Fingerprint())
	wantProblem(t, r.write("application/x-slipstream-schema; schema=cpu; fingerprint="+nameless, "", nil), 409,
		head(nameless)+"; the request contains the fingerprint of that version without names: send its NamedFingerprint")
	if n := r.h.Stats().Outcomes[refusal.Mismatch]; n == 0 {
		t.Error("mismatches are not counted")
	}
}

// A Tail allows a new column in a schema whose form is columns.
func TestSchemaTail(t *testing.T) {
	r := newSchemaRig(t, Options{})
	old := r.register("cpu", "{time list8(u32), a list8(u8)}")
	fresh := r.register("cpu", "{time list8(u32), a list8(u8), [b list8(f32)]}")
	const body = "\x01\x00\xf1\x53\x65\x01\x07"
	want := row{"time": t0, "a": int64(7)}
	wantStatus(t, r.write(old, "", []byte(body)), 204)
	wantStatus(t, r.write(fresh, "", []byte(body)), 204)
	wantStatus(t, r.write(fresh, "?partial=true", []byte(body)), 204)
	wantStatus(t, r.write(fresh, "", []byte(body+"\x01\x00\x00\x00\x3f")), 204)
	wantRows(t, r.landed(), map[string][]row{"db.t": {want, want, want, {"time": t0, "a": int64(7), "b": 0.5}}})
}

// Rows without the list `time`, which is in the Tail, get the time of receipt. This also holds if
// rows are checked one by one, and after a replay from the log.
func TestSchemaTailTime(t *testing.T) {
	r := newSchemaRig(t, Options{})
	contentType := r.register("cpu", "{s list8(str8), [time list8(u32)]}")
	for _, out := range []func() map[string][]row{r.landed, r.replayed} {
		wantStatus(t, r.write(contentType, "", []byte("\x01\x01a")), 204)
		wantStatus(t, r.write(contentType, "?partial=true", []byte("\x01\x01b")), 204)
		if got := reply(t, r.write(contentType, "?partial=true", []byte("\x02\x01\xff\x01c"))); got.Rows != 1 || len(got.Rejected) != 1 || got.Rejected[0].Row != 0 {
			t.Errorf("%+v", got)
		}
		rows := out()["db.t"]
		for i, s := range []string{"a", "b", "c"} {
			if len(rows) != 3 || rows[i]["s"] != s || rows[i]["time"].(int64) < t0 {
				t.Fatal(rows)
			}
		}
	}
}

// A body is decoded with the version whose fingerprint it contains, whether or not this version is
// the newest.
func TestSchemaVersions(t *testing.T) {
	r := newSchemaRig(t, Options{})
	old := r.register("cpu", "{time u32, a u8, skip2}")
	swapped := r.register("cpu", "{time u32, a u8, b u8, skip1}")
	renamed := r.register("cpu", "{time u32, b u8, a u8, skip1}")
	for _, contentType := range []string{old, swapped, renamed} {
		wantStatus(t, r.write(contentType, "", []byte("\x00\xf1\x53\x65\x07\x08\x00")), 204)
	}
	want := map[string][]row{"db.t": {{"time": t0, "a": int64(7)}, {"time": t0, "a": int64(7), "b": int64(8)}, {"time": t0, "b": int64(7), "a": int64(8)}}}
	wantRows(t, r.landed(), want)

	reopened := opened(t, r.schemas)
	if a, b := reopened.Versions("cpu"), r.h.schemas.Versions("cpu"); !slices.EqualFunc(a, b, func(a, b *registry.Version) bool { return a.Notation == b.Notation && a.Fingerprint == b.Fingerprint }) || len(a) != 3 {
		t.Errorf("%v, want %v", a, b)
	}
	r.h.schemas = reopened
	wantStatus(t, r.write(old, "", []byte("\x00\xf1\x53\x65\x07\x08\x00")), 204)
}

func TestSchemas(t *testing.T) {
	r := newSchemaRig(t, Options{Limits: Limits{Limits: rows.Limits{Columns: 20}}})
	const definition = `{"fields": [{"name": "time", "type": "u32"}, {"name": "at", "fields": [{"name": "x", "type": "opt", "of": {"type": "f32"}}]}, {"type": "skip3"}]}`
	const notation = "{time u32, at {x opt(f32)}, skip3}"
	sum := registry.Hex(shapeOf(t, notation).NamedFingerprint())
	want := schemaStatus{
		Name: "cpu", Fingerprint: sum, Notation: notation, Form: "rows", Columns: []columnStatus{{Name: "time", Type: "int64"}, {Name: "at.x", Type: "float64"}},
		Schema: shapeOf(t, notation), Versions: []versionStatus{{sum, notation}},
	}
	wantSchema := func(w *httptest.ResponseRecorder, status int, want schemaStatus) {
		t.Helper()
		wantStatus(t, w, status)
		if text := toJSON(t, want); !bytes.Equal(bytes.TrimSpace(w.Body.Bytes()), text) {
			t.Errorf("%s, want %s", w.Body, text)
		}
	}
	wantSchema(r.put("cpu", definition), 201, want)
	wantSchema(r.put("cpu", definition), 200, want)
	wantSchema(r.do("GET", "/v1/schemas/cpu", nil), 200, want)

	const newer = "{time u32, at {x opt(f32)}, n u8, skip2}"
	later := want
	later.Notation, later.Fingerprint, later.Schema = newer, registry.Hex(shapeOf(t, newer).NamedFingerprint()), shapeOf(t, newer)
	later.Columns = append(slices.Clone(want.Columns), columnStatus{Name: "n", Type: "int64"})
	later.Versions = append(slices.Clone(want.Versions), versionStatus{later.Fingerprint, newer})
	wantSchema(r.put("cpu", string(toJSON(t, shapeOf(t, newer)))), 201, later)
	earlier := want
	earlier.Versions = later.Versions
	wantSchema(r.put("cpu", definition), 200, earlier) // an older version: the response must describe it, not the newest one
	wantSchema(r.do("GET", "/v1/schemas/cpu", nil), 200, later)
	lists := r.put("a-b", string(toJSON(t, shapeOf(t, "{v list8(str8)}"))))
	if wantStatus(t, lists, 201); !strings.Contains(lists.Body.String(), `"form":"columns"`) {
		t.Error(lists.Body)
	}
	w := r.do("GET", "/v1/schemas", nil)
	wantStatus(t, w, 200)
	listed := registry.Hex(shapeOf(t, "{v list8(str8)}").NamedFingerprint())
	if text := toJSON(t, []schemaSummary{{"a-b", listed, []string{listed}}, {"cpu", later.Fingerprint, []string{sum, later.Fingerprint}}}); !bytes.Equal(bytes.TrimSpace(w.Body.Bytes()), text) {
		t.Errorf("%s, want %s", w.Body, text)
	}

	p := wantProblem(t, r.put("cpu", string(toJSON(t, shapeOf(t, "{time u32, at {x opt(f64)}, n u8, skip2}")))), 409,
		`schema "cpu" cannot read messages of the registered version: the new version has at.x (f64), the registered one at.x (f32): register it under another name, or delete the registered schema`)
	if p.Field != "at.x" {
		t.Errorf("field %q", p.Field)
	}

	const plain = " letters, digits, _ or - and begins with a letter"
	for _, c := range []struct {
		name, definition string
		status           int
		text             string
	}{
		{"1", definition, 400, `schema "1": a name has 1 to 128` + plain},
		{"a%0Ab", definition, 400, `schema "a\nb": a name has 1 to 128` + plain},
		{"x", "", 400, "the body is not a valid schema: unexpected end of JSON input"},
		{"x", "{}x", 400, "the body is not a valid schema: invalid character 'x' after top-level value"},
		{"x", `{"fields": [{"name": "a"}]}`, 400, `the body is not a valid schema: message.a: "" is no type`},
		{"x", `{"fields": [{"name": "a", "type": "u8"}, {"name": "b", "type": "list8", "of": {"type": "u8"}}]}`, 400,
			`field "b": a list cannot be stored in a column: lists can be columns only if every field is a list`},
		{"x", `{"fields": []}`, 400, "the schema cannot be used for a table: no field can be a column"},
		{"x", `{"type": "u8"}`, 400, "the schema cannot be used for a table: a message must be a struct: its fields name the columns"},
		{"x", `{"fields": [{"name": "a\n", "type": "u8"}]}`, 400, `column "a\n": a column name must not have control characters`},
		{"x", `{"fields": [{"name": "time", "type": "opt", "of": {"type": "str8"}}]}`, 400, `field "time" has the type string: use an integer, a float or a time`},
		{"x", `[]`, 400, "the body is not a valid schema: got an array, want an object"},
		{"x", `{"fields": [{"name": 5}]}`, 400, "the body is not a valid schema: fields.name: got a number, want a string"},
		{"x", `{"fields": [` + strings.Repeat(" ", registry.MaxDefinition) + `]}`, 413, "the schema has more than 131072 bytes"},
	} {
		wantProblem(t, r.put(c.name, c.definition), c.status, c.text)
	}
	var wide []string
	for i := range 20 { // the column time is the 21st
		wide = append(wide, fmt.Sprintf(`{"name": "c%d", "type": "u8"}`, i))
	}
	wantProblem(t, r.put("x", `{"fields": [`+strings.Join(wide, ",")+`]}`), 400, "the schema has 21 columns including time, but a table in a request may have at most 20")
	wantProblem(t, r.do("PUT", "/v1/schemas/x", []byte(definition)), 415, `Content-Type "": send a schema as application/json`)
	w = r.do("POST", "/v1/schemas/x", nil)
	wantProblem(t, w, 405, "the method POST is not allowed here: use DELETE, GET, HEAD, PUT")
	if got := w.Header().Get("Allow"); got != "DELETE, GET, HEAD, PUT" {
		t.Errorf("Allow %q", got)
	}
	wantProblem(t, r.do("PUT", "/v1/schemas", nil), 405, "the method PUT is not allowed here: use GET, HEAD")

	for _, method := range []string{"GET", "DELETE"} {
		wantProblem(t, r.do(method, "/v1/schemas/x", nil), 404, `there is no schema "x": register it by PUT /v1/schemas/x`)
		wantProblem(t, r.do(method, "/v1/schemas/a%0Ab", nil), 400, `schema "a\nb": a name has 1 to 128`+plain)
	}
	wantStatus(t, r.do("DELETE", "/v1/schemas/cpu", nil), 204)
	wantProblem(t, r.do("GET", "/v1/schemas/cpu", nil), 404, `there is no schema "cpu": register it by PUT /v1/schemas/cpu`)
	wantSchema(r.put("cpu", definition), 201, want)
}

// The registration of a schema succeeds even if another client deletes the schema at the same time.
func TestSchemasDeletedMeanwhile(t *testing.T) {
	r := newSchemaRig(t, Options{})
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			for range 50 {
				if w := r.put("x", `{"fields":[{"name":"a","type":"u8"}]}`); w.Code != 200 && w.Code != 201 {
					t.Error(w.Code, w.Body)
				}
				r.do("DELETE", "/v1/schemas/x", nil)
			}
		})
	}
	senders.Wait()
}

func TestSchemaTokens(t *testing.T) {
	r := newSchemaRig(t, Options{Guard: guardOf(t, "secret")})
	for _, c := range []struct{ method, path string }{{"GET", ""}, {"GET", "/a"}, {"PUT", "/a"}, {"DELETE", "/a"}} {
		wantStatus(t, r.do(c.method, "/v1/schemas"+c.path, nil), 401)
	}
	wantStatus(t, r.do("PUT", "/v1/schemas/a", []byte(`{"fields":[{"name":"a","type":"u8"}]}`), "Content-Type", "application/json", "Authorization", "Bearer secret"), 201)
}

func TestSchemasLimit(t *testing.T) {
	full := newSchemaRig(t, Options{Flight: admission.NewBudget(registry.MaxDefinition)})
	held := full.h.flight.Of("")
	if err := held.Take(1); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, full.put("x", `{"fields":[{"name":"a","type":"u8"}]}`), 429,
		"all memory for requests is in use: retry later")
	held.Release()
	wantStatus(t, full.put("x", `{"fields":[{"name":"a","type":"u8"}]}`), 201)
	if full.h.flight.Used() != 0 {
		t.Error("bytes are still held")
	}

	r := newSchemaRig(t, Options{})
	r.fill(slices.Repeat([]string{"{a u8}"}, registry.MaxVersions)...)
	wantProblem(t, r.put("x", `{"fields":[{"name":"a","type":"u8"}]}`), 400,
		`schema "x": all schemas together already have the maximum of 1000 versions: delete a schema`)

	half := long((registry.MaxNotations - len("{a u8}")) / 2)
	r.fill(half, half)
	wantStatus(t, r.put("x", `{"fields":[{"name":"a","type":"u8"}]}`), 201) // reaches the limit exactly
	wantProblem(t, r.put("y", `{"fields":[{"name":"a","type":"u8"}]}`), 400,
		`schema "y": the notations of all schemas would have more than 4194304 bytes: delete a schema`)
	wantStatus(t, r.put("x", `{"fields":[{"name":"a","type":"u8"}]}`), 200)
}

// If the file of the registry cannot be written, nothing is registered.
func TestSchemasFile(t *testing.T) {
	r := newSchemaRig(t, Options{})
	r.register("y", "{a u8}")
	r.register("y", "{a u8, [b u8]}")
	var log bytes.Buffer
	r.h.log = slog.New(slog.NewTextHandler(&log, nil))
	if err := os.RemoveAll(filepath.Dir(r.schemas)); err != nil { // so the file cannot be written
		t.Fatal(err)
	}
	w := r.put("x", `{"fields":[{"name":"a","type":"u8"}]}`)
	if wantStatus(t, w, 500); !strings.Contains(w.Body.String(), "the disk failed while the schemas were written") {
		t.Error(w.Body)
	}
	if text := log.String(); !strings.Contains(text, `level=ERROR msg="writing the schema registry failed" schema=x error="the disk failed`) {
		t.Errorf("the log says %q", text)
	}
	wantStatus(t, r.do("GET", "/v1/schemas/x", nil), 404)
	wantStatus(t, r.do("DELETE", "/v1/schemas/y", nil), 500)
	if s := r.h.Stats(); s.Versions != 2 || s.Unsaved != 2 {
		t.Errorf("%d versions, %d changes could not be written", s.Versions, s.Unsaved)
	}
}

// The notation of the schema is appended to a body without copying the body, whether or not the
// length of the body is known in advance.
func TestSchemaRoom(t *testing.T) {
	v, err := registry.NewVersion(shapeOf(t, codedRows))
	if err != nil {
		t.Fatal(err)
	}
	h := New(Options{})
	for _, n := range []int{1, 4095, 4096, 65535, 65536, 65537, 131071, 1 << 20} {
		for _, length := range []int{n, -1} {
			sent := bytes.Repeat([]byte("b"), n)
			r := httptest.NewRequest("POST", "/", bytes.NewReader(sent))
			r.ContentLength = int64(length)
			q := &request{handler: h, held: h.flight.Of("")}
			q.schema = v
			if err := q.readBody(httptest.NewRecorder(), r); err != nil {
				t.Fatal(err)
			}
			payload := appendSchema(q.body.B, v.Notation)
			if &payload[0] != &q.body.B[0] {
				t.Errorf("%d bytes of length %d: a copy was made", n, length)
			}
			if body, _, err := cutSchema(payload, nil); err != nil || !bytes.Equal(body, sent) {
				t.Errorf("%d bytes of length %d: %d are in the log, %v", n, length, len(body), err)
			}
			if held := q.held.Bytes(); held != int64(cap(q.body.B)) {
				t.Errorf("%d bytes of length %d: %d are held for a buffer of %d", n, length, held, cap(q.body.B))
			}
		}
	}
}

// A record whose schema is damaged gives an error.
func TestSchemaRecords(t *testing.T) {
	replay := Replay(table.NewPool(1 << 20))
	for payload, want := range map[string]string{
		"":                          "ingest: the schema after the body is damaged",
		"\x05\x00\x00\x00":          "ingest: the schema after the body is damaged",
		"{a u9\x05\x00\x00\x00":     "ingest: the schema after the body: ",
		"{a blob8}\x09\x00\x00\x00": "ingest: the schema after the body: schema: a: a blob cannot be stored",
		"{a u8}\x06\x00\x00\x00":    "ingest: the body has no rows",
	} {
		_, err := replay(&wal.Record{Codec: codec{format: rows.Schema}.bits(), Payload: []byte(payload), DB: "db", Table: "t"})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", payload, err, want)
		}
	}
}

// Each record in the log is decoded with its own schema. If consecutive records have the same
// schema, it is parsed only once.
func TestSchemaReplay(t *testing.T) {
	pool := table.NewPool(1 << 20)
	replay := Replay(pool)
	record := func(notation, body string) *wal.Record {
		return &wal.Record{Codec: codec{format: rows.Schema}.bits(), Payload: appendSchema([]byte(body), notation), DB: "db", Table: "t"}
	}
	first := func(r *wal.Record) (column string) {
		writes, err := replay(r)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Put(writes[0].Batch)
		return writes[0].Batch.Columns[0].Name
	}
	for _, name := range []string{"a", "a", "b", "a", "b", "b"} {
		if got := first(record("{"+name+" u8}", "\x07")); got != name {
			t.Errorf("a record of %s was read as one of %s", name, got)
		}
	}
	var columns []string
	for i := range 50 {
		columns = append(columns, fmt.Sprintf("c%d u8", i))
	}
	wide := record("{"+strings.Join(columns, ", ")+"}", strings.Repeat("\x07", len(columns)))
	if n := testing.AllocsPerRun(20, func() { first(wide) }); n > 20 {
		t.Errorf("%v allocations for a schema that is known", n)
	}
}

// FuzzSchema decodes arbitrary bytes with several schemas, with and without partial=true. Nothing
// panics, accepted rows are valid, and a replay from the log returns the same rows.
func FuzzSchema(f *testing.F) {
	notations := []string{codedRows, codedColumns, "{a u8}", "{a opt({b opt(u64), c str8}), skip1}", "{a list8(opt(u64)), b list16be(str8)}", "{a u8, [b str8, c opt(bool)]}", "{skip1, [a list8(u8), skip2, b list8(bool)]}"}
	inRows, inColumns, _, _ := coded(f, 5)
	for flags := range uint8(4) {
		f.Add(inRows, uint8(0), flags)
		f.Add(inColumns, uint8(1), flags)
		f.Add([]byte("\x01\x00\x01a\x00"), uint8(3), flags)
		f.Add([]byte("\x02\x00\x01\x00\x00\x00\x00\x00\x00\x00\x80\x00\x02\x00\x01\xff"), uint8(4), flags)
	}
	var versions []*registry.Version
	for _, notation := range notations {
		v, err := registry.NewVersion(shapeOf(f, notation))
		if err != nil {
			f.Fatal(err)
		}
		versions = append(versions, v)
	}
	pool := table.NewPool(1 << 20)
	h := New(Options{Limits: Limits{Decompressed: 1 << 20, Limits: rows.Limits{Rows: 1000, Columns: 100}}, Pool: pool})
	f.Fuzz(func(t *testing.T, body []byte, which, flags uint8) {
		q := &request{handler: h, held: h.flight.Own(), body: &admission.Buffer{B: body}, partial: flags&1 != 0}
		q.schema = versions[int(which)%len(versions)]
		q.job.Schema = q.schema.Columns
		q.codec = codec{format: rows.Schema, unit: rows.Unit(flags >> 1 & 3)}
		checkFuzzed(t, pool, q, appendSchema(bytes.Clone(body), q.schema.Notation))
	})
}

// FuzzSchemaPut registers arbitrary bytes. The error of a rejected schema has one line; an accepted
// schema is still there after a restart.
func FuzzSchemaPut(f *testing.F) {
	for _, notation := range []string{codedRows, codedColumns, "{a u8, [b opt(str8)]}"} {
		f.Add(toJSON(f, shapeOf(f, notation)))
	}
	f.Add([]byte(`{"fields": [{"name": "a", "type": "map8"}]}`))
	path := filepath.Join(f.TempDir(), "schemas.json")
	r := &rig{t: f, h: New(Options{Schemas: registry.New(disk.OS, path)})}
	f.Fuzz(func(t *testing.T, definition []byte) {
		r.h.schemas = registry.New(disk.OS, path)
		w := r.put("x", string(definition))
		var p refusal.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 201 && (w.Code >= 500 || p.Error == "" || len(p.Error) > 2000 || strings.Contains(p.Error, "\n")) {
			t.Fatal(w.Code, w.Body)
		}
		if w.Code != 201 {
			return
		}
		again, err := registry.Open(disk.OS, path)
		if err != nil || again.Versions("x")[0].Fingerprint != r.h.schemas.Versions("x")[0].Fingerprint {
			t.Fatal(err)
		}
	})
}
