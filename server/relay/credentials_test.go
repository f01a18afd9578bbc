package relay

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/series"
)

func authorized(authorization string) *http.Request {
	r := &http.Request{Header: make(http.Header)}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	return r
}

func basic(pair string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(pair)) }

func TestAuthenticate(t *testing.T) {
	r := rulesOf(t, `{"credentials": [
		{"name": "bearer", "token": "u:p", "tenants": ["a"]},
		{"name": "basic", "user": "u", "password": "q:r", "tenants": ["a"]},
		{"name": "new password", "user": "u", "password": "s", "tenants": ["a"]},
		{"name": "common", "certificate": "cn", "tenants": ["a"]},
		{"name": "dns", "certificate": "agent.example.org", "tenants": ["a"]},
		{"name": "uri", "certificate": "spiffe://example.org/ns/agent", "tenants": ["a"]}]}`)
	uri, _ := url.Parse("spiffe://example.org/ns/agent")
	leaf := func(c x509.Certificate) *tls.ConnectionState {
		return &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{&c, {Subject: pkix.Name{CommonName: "cn"}}}}}
	}
	named := leaf(x509.Certificate{Subject: pkix.Name{CommonName: "cn"}})
	unverified := &tls.ConnectionState{PeerCertificates: named.VerifiedChains[0]}
	for _, c := range []struct {
		header string
		state  *tls.ConnectionState
		want   string
	}{
		{"", nil, ""},
		{"Bearer u:p", nil, "bearer"},
		{"bEARER  u:p ", nil, "bearer"},
		{"Bearer u:P", nil, ""},
		{"Bearer", nil, ""},
		{"Bearer ", nil, ""},
		{"Token u:p", nil, ""},
		{"u:p", nil, ""},
		{basic("u:p"), nil, ""},
		{"Bearer u:q:r", nil, ""},
		{basic("u:q:r"), nil, "basic"},
		{basic("u:s"), nil, "new password"},
		{basic("u"), nil, ""},
		{basic(""), nil, ""},
		{"Basic !", nil, ""},
		{"Bearer " + strings.Repeat("x", 1<<20), nil, ""},
		{basic(strings.Repeat("x", 1<<20)), nil, ""},
		{strings.Repeat(" ", 1<<20), nil, ""},
		{"", named, "common"},
		{"", unverified, ""},
		{"", leaf(x509.Certificate{DNSNames: []string{"x", "agent.example.org"}}), "dns"},
		{"", leaf(x509.Certificate{URIs: []*url.URL{uri}}), "uri"},
		{"", leaf(x509.Certificate{}), ""},
		{"", &tls.ConnectionState{}, ""},
		{"Bearer wrong", named, ""},
		{"Bearer u:p", named, "bearer"},
	} {
		q := authorized(c.header)
		q.TLS = c.state
		one, ok := r.authenticate(q)
		if ok != (c.want != "") || ok && one.name != c.want || !ok && one != nil {
			t.Errorf("%.40q: %+v, want %q", c.header, one, c.want)
		}
	}
}

func TestAllows(t *testing.T) {
	r := rulesOf(t, `{"credentials": [{"name": "a", "token": "t", "tenants": ["team-a", "team-b*", "x*y"]}, {"name": "b", "token": "u", "tenants": ["*"]}]}`)
	for tenant, want := range map[string]bool{
		"team-a": true, "team-b": true, "team-bcd": true, "x*y": true,
		"": false, "team-": false, "team-aa": false, "Team-a": false, "xzy": false, strings.Repeat("t", 1<<20): false,
	} {
		if got := r.list[0].allows([]byte(tenant)); got != want {
			t.Errorf("%.40q: %v", tenant, got)
		}
		if !r.list[1].allows([]byte(tenant)) {
			t.Errorf("%.40q is not allowed by *", tenant)
		}
	}
	tenant := []byte("team-a")
	if allocs := testing.AllocsPerRun(100, func() { r.list[0].allows(tenant) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Options.Admit decides if the rules define no credentials. It is not called before the relay is
// ready.
func TestAdmit(t *testing.T) {
	guard := access.NewGuard(nil)
	tokens := &access.Tokens{}
	for _, line := range []string{"writer rights=write", "reader rights=read"} {
		if err := tokens.Add(line, "the test"); err != nil {
			t.Fatal(err)
		}
	}
	guard.Set(tokens)
	landed := 0
	r, err := New(Options{
		Land: func([]series.Part) series.Result { landed++; return series.Result{} },
		Admit: func(r *http.Request) *access.Refusal {
			_, denied := guard.Admit(r, access.Write, access.Database(series.Database))
			return denied
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	send := func(token string, status int, challenge string) {
		t.Helper()
		body := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{{
			Labels:  []remotewrite.Label{{Name: "__name__", Value: "up"}, {Name: "__tenant__", Value: "a"}},
			Samples: []remotewrite.Sample{{Value: 1, Timestamp: 1}},
		}}}))
		req := httptest.NewRequest("POST", "/api/v1/push", bytes.NewReader(body))
		req.Header.Set("Content-Type", "application/x-protobuf")
		req.Header.Set("Content-Encoding", "snappy")
		req.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		if w.Code != status || w.Header().Get("WWW-Authenticate") != challenge {
			t.Errorf("%q: %d %s %s", token, w.Code, w.Header().Get("WWW-Authenticate"), w.Body)
		}
	}
	for _, token := range []string{"writer", "reader", "unknown", ""} {
		send(token, 503, "")
	}
	if n := guard.Refused(); n != [access.Reasons]int64{} {
		t.Errorf("before it is ready the relay refuses tokens: %v", n)
	}
	if err := r.Open(); err != nil {
		t.Fatal(err)
	}
	send("writer", 204, "")
	send("reader", 403, access.InsufficientScope)
	send("unknown", 401, access.Challenge+`, Basic realm="slipstream"`)
	send("", 401, access.Challenge+`, Basic realm="slipstream"`)
	if n := guard.Refused(); landed != 1 || n != [access.Reasons]int64{access.NoToken: 1, access.UnknownToken: 1, access.LacksRight: 1} {
		t.Errorf("%d landed; %v", landed, n)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCredentials(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{
		"credentials": [{"name": "a", "token": "secret", "tenants": ["a", "limited"]}],
		"tenants": {"limited": {"series_per_request": 1}}}`)})
	send := func(authorization string, series ...remotewrite.Series) reply {
		return r.sendRequest(t, remotewrite.V1, &remotewrite.Request{Series: series}, "Authorization", authorization)
	}
	send("", of("a", 1)).want(t, 401)
	send("Bearer wrong", of("a", 1)).want(t, 401)
	send("Basic c2VjcmV0", of("a", 1)).want(t, 401)
	send("Bearer secret", of("a", 1)).want(t, 204)
	send("Bearer secret", of("a", 2), of("b", 1)).want(t, 400, "tenant b", "not valid for this tenant")
	send("Bearer secret", of("a", 3), of("limited", 1), of("limited", 2)).want(t, 400, "tenant limited", "exceed the maximum of 1")
	if got := s.got(); len(got["a"]) != 3 || len(got) != 1 {
		t.Errorf("%q", got)
	}
}
