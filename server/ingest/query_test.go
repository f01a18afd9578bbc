package ingest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/server/refusal"
)

// Unknown parameters in a URL are rejected, and the error lists the known ones. Otherwise a
// misspelt parameter would be ignored silently.
func TestUnknownParameters(t *testing.T) {
	r := newRig(t, Options{})
	for _, c := range []struct {
		method, url, want, field string
	}{
		{"POST", "/v1/write/db/t?durabilty=async", `unknown parameter "durabilty": the parameters are batch_id, durability, partial, time_unit`, "durabilty"},
		{"POST", "/api/v1/write/msgpack?db=x&precision=ms", `unknown parameter "db": the parameters are batch_id, durability, partial, time_unit`, "db"},
		{"POST", "/v1/write/db/t?partial=true&Partial=true", `unknown parameter "Partial": the parameters are batch_id, durability, partial, time_unit`, "Partial"},
		{"POST", "/v1/write/db/t?partial=true&partial=false", `parameter "partial" occurs 2 times`, "partial"},
		{"POST", "/v1/write/db/t?partial=true;durability=async", "the parameters cannot be read", ""},
		{"POST", "/v1/write/db/t?partial=%zz", "the parameters cannot be read", ""},
		{"POST", "/-/flush?table=t", `unknown parameter "table": this endpoint has no parameters`, "table"},
		{"GET", "/v1/tables?db=x", `unknown parameter "db": this endpoint has no parameters`, "db"},
	} {
		q := httptest.NewRequest(c.method, c.url, strings.NewReader(`{"time":1,"v":1}`))
		q.Header.Set("Content-Type", "application/x-ndjson")
		w := httptest.NewRecorder()
		r.h.ServeHTTP(w, q)
		var p refusal.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Errorf("%s: %d %s", c.url, w.Code, w.Body)
		}
		if w.Code != http.StatusBadRequest || !strings.Contains(p.Error, c.want) || p.Field != c.field {
			t.Errorf("%s: %d %s", c.url, w.Code, w.Body)
		}
	}
	for _, url := range []string{"/v1/write/db/t?durability=sync&partial=false&time_unit=s", "/v1/write/db/t?", "/v1/write/db/t?durability="} {
		q := httptest.NewRequest("POST", url, strings.NewReader(`{"time":1,"v":1}`))
		q.Header.Set("Content-Type", "application/x-ndjson")
		w := httptest.NewRecorder()
		if r.h.ServeHTTP(w, q); w.Code != http.StatusNoContent {
			t.Errorf("%s: %d %s", url, w.Code, w.Body)
		}
	}
	for _, url := range []string{"/health?x=1", "/ready?x=1"} { // a probe may add a parameter to bypass caches
		w := httptest.NewRecorder()
		if r.h.ServeHTTP(w, httptest.NewRequest("GET", url, nil)); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", url, w.Code, w.Body)
		}
	}
}

// Each route rejects unknown parameters and changes nothing. The routes for probes and scrapers
// ignore unknown parameters.
func TestEveryRouteRefusesUnknownParameters(t *testing.T) {
	r := newSchemaRig(t, Options{Metrics: http.NotFoundHandler()})
	r.register("s", "{v u8}")
	wantStatus(t, r.v1(list{dict{"time", t0, "v", 1}}, ""), http.StatusNoContent)
	r.landed()
	bodies := map[string]string{
		"POST /v1/write/{db}/{table}": `[{"time":1,"v":1}]`, "PUT /v1/schemas/{name}": `{"fields":[{"name":"w","type":"u8"}]}`, "PUT " + columnPath: `{"type": "string"}`,
		"POST /api/v1/write/msgpack": string(pack(t, dict{"m", "t", "t", 1, "fields", dict{"v", 1}})),
	}
	known := map[string]string{"DELETE /v1/tables/{db}/{table}": "files=keep&", "DELETE " + columnPath: "files=keep&"}
	for _, rt := range r.h.routes(true) {
		route := rt.method + " " + rt.path
		path := strings.NewReplacer("{db}", "db", "{table}", "t", "{name}", "s", "{column}", "v").Replace(rt.path)
		before := r.state()
		w := r.do(rt.method, path+"?"+known[route]+"x=1", []byte(bodies[route]), "Content-Type", "application/json")
		if slices.Contains(openToAll, route) || route == "GET /metrics" {
			if w.Code == http.StatusBadRequest {
				t.Errorf("%s: %d %s", route, w.Code, w.Body)
			}
			continue
		}
		var p refusal.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); w.Code != http.StatusBadRequest || err != nil || p.Field != "x" {
			t.Errorf("%s: %d %s", route, w.Code, w.Body)
		}
		if after := r.state(); after != before {
			t.Errorf("%s: the state is %s, before %s", route, after, before)
		}
	}
}
