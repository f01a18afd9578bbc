package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/table"
)

// needs contains the requirements of each route: a right, and the databases on which the token must
// have it. "db" is the database of the request. A route that is missing here fails the test.
var needs = map[string]struct {
	right     access.Right
	databases string // db, all or own
}{
	"POST /v1/write/{db}/{table}": {access.Write, "db"},
	"POST /api/v1/write/msgpack":  {access.Write, "db"},
	"GET /v1/tables":              {access.Read, "own"},

	"DELETE /v1/tables/{db}/{table}":                  {access.Administer, "db"},
	"DELETE /v1/tables/{db}/{table}/columns/{column}": {access.Administer, "db"},
	"PUT /v1/tables/{db}/{table}/columns/{column}":    {access.Administer, "db"},

	"GET /v1/schemas":           {access.Read, "all"},
	"GET /v1/schemas/{name}":    {access.Read, "all"},
	"GET /metrics":              {access.Read, "all"},
	"PUT /v1/schemas/{name}":    {access.Administer, "all"},
	"DELETE /v1/schemas/{name}": {access.Administer, "all"},
	"POST /-/flush":             {access.Administer, "all"},
}

// openToAll contains the routes that require no token.
var openToAll = []string{"GET /health", "GET /ready", "GET /alive"}

// holders returns tokens with every set of rights: for all databases, for db, for a prefix of db,
// and for other databases.
func holders() (lines []string) {
	for _, databases := range []string{"", " db=*", " db=db", " db=x,d*", " db=other,db2"} {
		lines = append(lines, fmt.Sprintf("t%d%s", len(lines), databases))
		for _, rights := range []string{"write", "read", "administer", "write,read", "write,administer", "read,administer"} {
			lines = append(lines, fmt.Sprintf("t%d%s rights=%s", len(lines), databases, rights))
		}
	}
	return lines
}

// body is a request body that fails the test if a rejected request reads it.
type body struct {
	io.Reader
	t    *testing.T
	what string
}

func (b body) Read(p []byte) (int, error) {
	if b.Reader == nil {
		b.t.Errorf("%s: the body was read", b.what)
		return 0, io.EOF
	}
	return b.Reader.Read(p)
}

// Each route is called with tokens of every set of rights and databases. A rejected request changes
// nothing; a permitted request succeeds.
func TestEveryRouteDemandsItsRight(t *testing.T) {
	lines := holders()
	dir := t.TempDir()
	sink, err := parquet.New(filepath.Join(dir, "tables"), parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := newSchemaRig(t, Options{Guard: guardOf(t, lines...), Metrics: http.NotFoundHandler()}, func(o *table.Options) { o.Dir, o.Sink = dir, sink })
	r.dir = dir
	const definition = `{"fields":[{"name":"a","type":"u8"}]}`
	queries := map[string]string{"DELETE /v1/tables/{db}/{table}": "?files=delete", "DELETE " + columnPath: "?files=rewrite"}
	send := func(route, token string, b io.Reader) *httptest.ResponseRecorder {
		method, path, _ := strings.Cut(route, " ")
		req := httptest.NewRequest(method, strings.NewReplacer("{db}", "db", "{table}", "t", "{name}", "s", "{column}", "v").Replace(path)+queries[route], b)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Arc-Database", "db")
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		r.h.ServeHTTP(w, req)
		return w
	}
	bodies := map[string]string{
		"POST /v1/write/{db}/{table}": `[{"time":1,"v":1}]`, "PUT /v1/schemas/{name}": definition, "PUT " + columnPath: `{"type": "string"}`,
		"POST /api/v1/write/msgpack": string(pack(t, map[string]any{"m": "t", "t": 1, "fields": map[string]any{"v": 1}})),
	}
	seen := 0
	for _, rt := range r.h.routes(true) {
		route := rt.method + " " + rt.path
		if slices.Contains(openToAll, route) {
			for _, token := range []string{"", "unknown", "t0"} {
				wantStatus(t, send(route, token, nil), 200)
			}
			continue
		}
		need, ok := needs[route]
		if !ok {
			t.Errorf("%s: which right it needs is not known here", route)
			continue
		}
		seen++
		for _, line := range append([]string{"", "unknown"}, lines...) {
			token, rest, _ := strings.Cut(line, " ")
			databases, rights, _ := strings.Cut(rest, "rights=")
			databases = strings.TrimSpace(databases)
			all := databases == "" || databases == "db=*"
			has := strings.Contains(","+rights+",", ","+need.right.String()+",") || rights == ""
			reaches := all || need.databases == "own" || need.databases == "db" && !strings.Contains(databases, "other")
			what := fmt.Sprintf("%s with %q", route, line)
			before := r.state()
			if line != "" && line != "unknown" && has && reaches {
				r.h.schemas.Put("s", r.versionOf(definition)) // an earlier request may have removed it, and the table too
				send("POST /v1/write/{db}/{table}", "t0", strings.NewReader(bodies["POST /v1/write/{db}/{table}"]))
				if w := send(route, token, body{strings.NewReader(bodies[route]), t, what}); w.Code/100 != 2 && route != "GET /metrics" || w.Code == 401 || w.Code == 403 {
					t.Errorf("%s: %d %s", what, w.Code, w.Body)
				}
				continue
			}
			status, challenge, text := 403, access.InsufficientScope, ""
			switch {
			case line == "", line == "unknown":
				status, challenge, text = 401, access.Challenge, "no valid token: send a token of the service as Authorization: Bearer TOKEN"
			case !has:
				text = fmt.Sprintf("the token lacks the right to %v: send a token that has it", need.right)
			case need.databases == "all":
				text = "the request concerns all databases, but the token is only for some: send a token for all databases"
			default:
				text = `the token is not for the database "db": send a token for it, or name a database of the token`
			}
			if rt.method == "GET" {
				if w := send("HEAD "+rt.path, token, nil); w.Code != status {
					t.Errorf("HEAD of %s: %d", what, w.Code)
				}
			}
			w := send(route, token, body{nil, t, what})
			wantProblem(t, w, status, text)
			if got := w.Header().Get("WWW-Authenticate"); got != challenge {
				t.Errorf("%s: WWW-Authenticate %s", what, got)
			}
			if got := r.state(); got != before {
				t.Errorf("%s: the state is %s, before %s", what, got, before)
			}
			clients := reflect.ValueOf(r.h.flight).Elem().FieldByName("clients").Len() // above 0 if a request was not released
			if st := r.h.Stats(); st.InFlight != 0 || clients != 0 {
				t.Errorf("%s: %d bytes in flight, %d clients", what, st.InFlight, clients)
			}
		}
	}
	if seen != len(needs) {
		t.Errorf("%d routes that demand a right, want %d", seen, len(needs))
	}
}

// state returns everything that requests can change: tables, schemas and the log.
func (r *rig) state() string {
	return fmt.Sprint(r.trace(), r.h.schemas.Versions("s"), r.store.Log().Records)
}

// versionOf returns the version that a schema definition describes.
func (r *rig) versionOf(definition string) *registry.Version {
	r.t.Helper()
	req := httptest.NewRequest("PUT", "/v1/schemas/s", strings.NewReader(definition))
	req.Header.Set("Content-Type", "application/json")
	v, err := r.h.readVersion(req)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// If a route has no demand, or an inconsistent one, creating the handler panics.
func TestRoutesMustDemand(t *testing.T) {
	for _, d := range []demand{{}, {right: access.Read}, {of: allDatabases}, {right: access.Read, open: true}, {right: access.Read, of: ownDatabases, open: true}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is served", d)
				}
			}()
			New(Options{}).serve([]route{{"GET", "/new", d, simple(http.NotFound)}}, "")
		}()
	}
}

// Without a token for a database, a request leaves no trace of the database. It creates no table
// and no label of a metric, and counts only as a rejection.
func TestRefusedDatabaseLeavesNoTrace(t *testing.T) {
	r := newRig(t, Options{Guard: guardOf(t, "mine db=mine", "all")})
	for _, header := range [][]string{{"Authorization", "Bearer mine"}, {"Authorization", "Bearer guess"}, nil} {
		r.v1(dict{"v", list{1}}, "?durability=async&partial=true", header...)
		r.arc(dict{"m", "t", "columns", dict{"v", list{1}}}, append(header, "X-Arc-Database", "db")...)
		r.arc(dict{"m", "t", "columns", dict{"v", list{1}}}, header...) // for the database default
	}
	st := r.h.Stats()
	if st.Outcomes[refusal.Forbidden] != 3 || st.Outcomes[refusal.Unauthorized] != 6 || st.Rows != 0 || st.Bytes != 0 || st.InFlight != 0 {
		t.Errorf("%+v", st)
	}
	for i, n := range st.Outcomes {
		if n != 0 && refusal.Outcome(i) != refusal.Forbidden && refusal.Outcome(i) != refusal.Unauthorized {
			t.Errorf("%v: %d", refusal.Outcome(i), n)
		}
	}
	for _, l := range st.Latencies {
		if l.Format != "" {
			t.Errorf("a refused request has the label %q", l.Format)
		}
	}
	if records := r.store.Log().Records; records != 0 {
		t.Errorf("%d records in the log", records)
	}
	if got := r.h.guard.Refused(); got != [access.Reasons]int64{access.OtherDatabase: 3, access.UnknownToken: 3, access.NoToken: 3} {
		t.Errorf("refusals %v", got)
	}
	wantStatus(t, r.arc(dict{"m", "t", "columns", dict{"v", list{1}}}, "Authorization", "Bearer mine", "X-Arc-Database", "mine"), 204)
	wantStatus(t, r.v1(dict{"v", list{1}}, "", "X-Api-Key", "all"), 204)
	if got := len(r.landed()); got != 2 {
		t.Errorf("%d tables", got)
	}
}

// The list of tables contains only tables of the token's databases.
func TestTablesOfTheToken(t *testing.T) {
	r := newRig(t, Options{Guard: guardOf(t, "all", "one db=a", "two rights=read db=b,none", "some db=team-*", "none db=none")})
	for _, db := range []string{"a", "b", "team-a", "team-b"} {
		wantStatus(t, r.arc(dict{"m", "t", "columns", dict{"v", list{1}}}, "X-Api-Key", "all", "X-Arc-Database", db), 204)
	}
	for token, want := range map[string]string{"all": "a b team-a team-b", "one": "a", "two": "b", "some": "team-a team-b", "none": ""} {
		w := r.do("GET", "/v1/tables", nil, "X-Api-Key", token)
		wantStatus(t, w, 200)
		var tables []tableStatus
		if err := json.Unmarshal(w.Body.Bytes(), &tables); err != nil || tables == nil {
			t.Fatal(w.Body, err)
		}
		var got []string
		for _, one := range tables {
			got = append(got, one.DB)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s sees %q", token, got)
		}
	}
}

// A sender that may not read all databases gets no table, path or schema of others. This holds for
// /ready, for responses to rows, and for guessed names of schemas.
func TestAnswersNameNothingOfOthers(t *testing.T) {
	r := newSchemaRig(t, Options{Guard: guardOf(t, "all", "mine db=mine", "reader rights=read", "writer rights=write")})
	r.do("PUT", "/v1/schemas/hidden", []byte(`{"fields":[{"name":"salary","type":"u8"}]}`), "Content-Type", "application/json", "X-Api-Key", "all")
	coded := func(token, schema string) *httptest.ResponseRecorder {
		return r.do("POST", "/v1/write/mine/t", []byte{1}, "X-Api-Key", token, "Content-Type", "application/x-slipstream-schema; schema="+schema+"; fingerprint=0123456789abcdef",
			"Slipstream-Schema", "[{a u8}]")
	}
	const unseen = "there is no schema %q with the fingerprint 0123456789abcdef: an administrator of all databases must register it"
	for _, name := range []string{"hidden", "nothing"} { // the sender cannot tell whether the schema exists
		if p := wantProblem(t, coded("mine", name), 404, fmt.Sprintf(unseen, name)); p.Field != "schema" {
			t.Errorf("%+v", p)
		}
	}
	wantProblem(t, coded("writer", "hidden"), 404, fmt.Sprintf(unseen, "hidden"))
	if w := coded("all", "hidden"); w.Code != 409 || !strings.Contains(w.Body.String(), "the newest version has") {
		t.Errorf("%d %s", w.Code, w.Body)
	}

	for token, sees := range map[string]bool{"all": true, "reader": true, "mine": false, "writer": false, "unknown": false, "": false} {
		req := httptest.NewRequest("GET", "/ready", nil)
		req.Header.Set("X-Api-Key", token)
		if got := r.h.seesAll(req); got != sees {
			t.Errorf("%q sees the details of /ready: %v", token, got)
		}
	}
	if n := r.h.guard.Refused(); n != [access.Reasons]int64{} {
		t.Errorf("/ready counts refusals: %v", n)
	}
}

// If rows of one database do not land, they fill the memory that all databases share. Senders to
// other databases are told that rows do not land, but not whose rows.
func TestFailingSinkOfAnother(t *testing.T) {
	r := newRig(t, Options{Guard: guardOf(t, "all", "mine db=mine", "writer rights=write")}, func(o *table.Options) { o.MaxBuffered, o.SealRows = 256<<10, 1 })
	release := make(chan struct{})
	r.sink.land = func(ctx context.Context) error {
		select {
		case <-release:
			return nil
		default:
			return errors.New("no space for others_rows")
		}
	}
	send := func(token, database string) *httptest.ResponseRecorder {
		return r.arc(dict{"m", "others_rows", "columns", dict{"v", list{strings.Repeat("x", 30_000)}}}, "X-Api-Key", token, "X-Arc-Database", database)
	}
	for n := 0; send("all", fmt.Sprint("other", n)).Code == 204; n++ { // several tables, because each may use only a share of the memory
		if n > 100 {
			t.Fatal("the memory does not fill up")
		}
	}
	for r.store.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	for _, token := range []string{"mine", "writer"} {
		wantProblem(t, send(token, "mine"), 503, "writing rows to files fails at present: nothing was stored, retry later")
		if w := r.do("GET", "/ready", nil, "X-Api-Key", token); w.Code != 503 || strings.Contains(w.Body.String(), "others_rows") {
			t.Errorf("/ready tells %s %s", token, w.Body)
		}
	}
	if w := send("all", "mine"); w.Code != 503 || !strings.Contains(w.Body.String(), "others_rows") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := r.do("GET", "/ready", nil, "X-Api-Key", "all"); !strings.Contains(w.Body.String(), "others_rows") {
		t.Errorf("/ready: %s", w.Body)
	}
	close(release)
	r.landed()
}
