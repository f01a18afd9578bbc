package ingest

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/registry"
)

// The tables of docs/ingest-schema.md agree with the responses of the routes and with
// schema.Compat.
func TestPagesIngestSchema(t *testing.T) {
	page := pages.Read(t, "docs/ingest-schema.md")
	type checks = map[string]func(*testing.T, pages.Row)
	page.Rows(t, "When the schema changes", checks{
		"add a column to a schema of lists": func(t *testing.T, r pages.Row) {
			tail, notation := r.Code(1)[0], r.Code(1)[1]
			if tail != "Tail" {
				t.Errorf("%s: %s", r.Where, tail)
			}
			s := newSchemaRig(t, Options{})
			old, fresh := s.register("cpu", "{time list32(i64)}"), s.follows("cpu", "{time list32(i64)}", notation, true)
			s.follows("cpu", notation, strings.NewReplacer("[", "", "]", "").Replace(notation), false) // the same schema without the Tail
			const times = "\x01\x00\x00\x00\x00\xf1\x53\x65\x00\x00\x00\x00"
			wantStatus(t, s.write(old, "", []byte(times)), 204)
			wantStatus(t, s.write(fresh, "", []byte(times)), 204)
			wantStatus(t, s.write(fresh, "", []byte(times+"\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\xe0\x3f")), 204)
			wantRows(t, s.landed(), map[string][]row{"db.t": {{"time": t0}, {"time": t0}, {"time": t0, "load": 0.5}}})
		},
		"add a column to a schema of rows": func(t *testing.T, r pages.Row) {
			n, err := strconv.Atoi(regexp.MustCompile(`^Skip\((\d+)\)$`).FindStringSubmatch(r.Code(1)[0])[1])
			if err != nil || n != 8 {
				t.Fatal(r.Code(1)[0], err)
			}
			const grown, after = "{time u32, a u8, load f64}", "\x00\xf1\x53\x65\x07\x00\x00\x00\x00\x00\x00\xe0\x3f"
			s := newSchemaRig(t, Options{})
			s.register("roomy", fmt.Sprintf("{time u32, a u8, skip%d}", n))
			fresh := s.follows("roomy", fmt.Sprintf("{time u32, a u8, skip%d}", n), grown, true)
			wantStatus(t, s.write(fresh, "", []byte(after)), 204)
			s.register("tight", "{time u32, a u8}")
			s.follows("tight", "{time u32, a u8}", grown, false)
			s.follows("other", "", grown, true)
			wantRows(t, s.landed(), map[string][]row{"db.t": {{"time": t0, "a": int64(7), "load": 0.5}}})
		},
		"rename a column": func(t *testing.T, r pages.Row) {
			s := newSchemaRig(t, Options{})
			old, fresh := s.register("cpu", "{time u32, a u8}"), s.follows("cpu", "{time u32, a u8}", "{time u32, b u8}", true)
			wantStatus(t, s.write(old, "", []byte("\x00\xf1\x53\x65\x07")), 204)
			wantStatus(t, s.write(fresh, "", []byte("\x00\xf1\x53\x65\x08")), 204)
			wantRows(t, s.landed(), map[string][]row{"db.t": {{"time": t0, "a": int64(7)}, {"time": t0, "b": int64(8)}}})
		},
		"change a type": func(t *testing.T, r pages.Row) {
			s := newSchemaRig(t, Options{})
			wantStatus(t, s.write(s.register("cpu", "{time u32, a u8}"), "", []byte("\x00\xf1\x53\x65\x07")), 204)
			for notation, c := range map[string]struct {
				a      string
				status int
			}{
				"{time u32, a u16}":  {"\x08\x00", 204}, // fits the type of the column
				"{time u32, a str8}": {"\x01x", 400},
				"{time u32, b str8}": {"\x01x", 204},
			} {
				name := "s" + registry.Hex(shapeOf(t, notation).NamedFingerprint())
				s.follows("cpu", "{time u32, a u8}", notation, false)
				wantStatus(t, s.write(s.follows(name, "", notation, true), "", []byte("\x00\xf1\x53\x65"+c.a)), c.status)
			}
			s.flush()
		},
		"start again": func(t *testing.T, r pages.Row) {
			s := newSchemaRig(t, Options{})
			wantStatus(t, s.write(s.register("cpu", "{time u32, a u8}"), "", []byte("\x00\xf1\x53\x65\x07")), 204)
			s.follows("cpu", "{time u32, a u8}", "{time u32, b f64}", false)
			method, path, _ := strings.Cut(r.Code(1)[0], " ")
			wantStatus(t, s.do(method, path, nil), 204)
			fresh := s.follows("cpu", "", "{time u32, b f64}", true)
			wantStatus(t, s.write(fresh, "", []byte("\x00\xf1\x53\x65\x00\x00\x00\x00\x00\x00\xe0\x3f")), 204)
			wantRows(t, s.landed(), map[string][]row{"db.t": {{"time": t0, "a": int64(7)}, {"time": t0, "b": 0.5}}})
		},
	})
	page.Rows(t, "When it is refused", checks{
		"400 to `PUT`": func(t *testing.T, r pages.Row) {
			s := newSchemaRig(t, Options{})
			s.refuses(r, s.put("x", `{"fields": [{"name": "a", "type": "u9"}]}`), "the body is not a valid schema", "")
			s.refuses(r, s.put("x", `{"fields": [{"name": "a", "type": "blob8"}]}`), "a blob cannot be stored", "a")
			most := regexp.MustCompile(`(\d+) versions of schemas, or (\d+) MiB`).FindStringSubmatch(r.Cells[1])
			if most == nil || most[1] != fmt.Sprint(registry.MaxVersions) || most[2] != fmt.Sprint(registry.MaxNotations>>20) {
				t.Fatalf("%s: %q", r.Where, most)
			}
			for _, c := range []struct {
				known []string
				text  string
			}{
				{slices.Repeat([]string{"{a u8}"}, registry.MaxVersions), "the maximum of 1000 versions"},
				{[]string{long(registry.MaxNotations)}, "would have more than 4194304 bytes"},
			} {
				s.fill(c.known...)
				s.refuses(r, s.put("x", `{"fields": [{"name": "a", "type": "u8"}]}`), c.text, "")
				wantStatus(t, s.do("DELETE", "/v1/schemas/s", nil), 204)
				wantStatus(t, s.put("x", `{"fields": [{"name": "a", "type": "u8"}]}`), 201)
			}
		},
		"409 to `PUT`": func(t *testing.T, r pages.Row) {
			s := newSchemaRig(t, Options{})
			s.register("cpu", "{time u32, skip4, b u8, c u8}")
			s.follows("cpu", "{time u32, skip4, b u8, c u8}", "{time u32, a f32, b u8, c u8}", true)
			// Only the newest version counts; the older one could read a.
			s.refuses(r, s.put("cpu", string(toJSON(t, shapeOf(t, "{time u32, a i32, b u8, c u16}")))), "the new version has a (i32), the registered one a (f32)", "a")
		},
		"403 to `PUT`": func(t *testing.T, r pages.Row) {
			s := newSchemaRig(t, Options{Guard: guardOf(t, "all", "mine db=mine", "writer rights=write")})
			put := func(token string) *httptest.ResponseRecorder {
				return s.do("PUT", "/v1/schemas/x", []byte(`{"fields": [{"name": "a", "type": "u8"}]}`), "Content-Type", "application/json", "X-Api-Key", token)
			}
			s.refuses(r, put("mine"), "", "")
			s.refuses(r, put("writer"), "", "")
			wantStatus(t, put("all"), 201)
		},
		"404 to `POST`": func(t *testing.T, r pages.Row) {
			s := newSchemaRig(t, Options{Guard: guardOf(t, "all", "mine db=db")})
			of := shapeOf(t, "{time u32, a u8}")
			post := func(token string, shape *schema.Shape, name string) *httptest.ResponseRecorder {
				return s.write(codedBy(name, shape), "", []byte("\x00\xf1\x53\x65\x07"), "X-Api-Key", token)
			}
			s.refuses(r, post("all", of, "cpu"), `there is no schema "cpu"`, "schema")
			wantStatus(t, s.do("PUT", "/v1/schemas/cpu", toJSON(t, of), "Content-Type", "application/json", "X-Api-Key", "all"), 201)
			wantStatus(t, post("mine", of, "cpu"), 204)
			s.refuses(r, post("mine", shapeOf(t, "{b u8}"), "cpu"), `there is no schema "cpu" with the fingerprint`, "schema")
			wantStatus(t, post("all", shapeOf(t, "{b u8}"), "cpu"), 409)
		},
		"409 to `POST`": func(t *testing.T, r pages.Row) {
			s := newSchemaRig(t, Options{})
			s.register("cpu", "{time u32, a u8}")
			yours := shapeOf(t, "{time u32, a u16}")
			s.refuses(r, s.write(codedBy("cpu", yours), "", nil), "has no version with the fingerprint", "fingerprint")
			if header := r.Code(1)[1]; header != "Slipstream-Schema" {
				t.Errorf("%s: %s", r.Where, header)
			} else {
				s.refuses(r, s.write(codedBy("cpu", yours), "", nil, header, yours.String()), "your schema has a u16, the newest version a u8", "a")
			}
		},
		"400 to `POST`": func(t *testing.T, r pages.Row) {
			s := newSchemaRig(t, Options{})
			w := s.write(s.register("cpu", "{time u32, ok bool}"), "", []byte("\x00\xf1\x53\x65\x01\x00\xf1\x53\x65\x02"))
			if p := s.refuses(r, w, "neither 0 nor 1", "ok"); p.Row == nil || *p.Row != 1 || p.Offset == nil || *p.Offset != 9 {
				t.Errorf("%+v", p)
			}
		},
	})
	page.Skip(t, "TestPagesIngestSchema of service has them", "With curl", "With Go")
	page.Done(t)
}

// follows registers a schema. If the argument `before` is not empty, it first registers the schema
// with that notation. It checks that both the service and schema.Compat accept or reject the
// schema, as `want` specifies.
func (r *rig) follows(name, before, notation string, want bool) (contentType string) {
	r.t.Helper()
	fresh := shapeOf(r.t, notation)
	status := 201
	if !want {
		status = 409
	}
	wantStatus(r.t, r.put(name, string(toJSON(r.t, fresh))), status)
	if before != "" {
		if v, err := schema.Compat(shapeOf(r.t, before), fresh); (v&schema.NewReadsOld != 0) != want {
			r.t.Errorf("%s → %s: %v, %v", before, notation, v, err)
		}
	}
	return codedBy(name, fresh)
}

// refuses checks three parts of the response: the status at the beginning of the row, an error that
// contains `text`, and the field.
func (r *rig) refuses(of pages.Row, w *httptest.ResponseRecorder, text, field string) refusal.Problem {
	r.t.Helper()
	status, _, _ := strings.Cut(of.Cells[0], " ")
	var p refusal.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		r.t.Fatalf("status %d, body %q: %v", w.Code, w.Body, err)
	}
	if fmt.Sprint(w.Code) != status || !strings.Contains(p.Error, text) || p.Field != field {
		r.t.Errorf("%s: status %d, %+v; want %s, %q, field %q", of.Where, w.Code, p, status, text, field)
	}
	return p
}
