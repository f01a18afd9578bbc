package relay

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// paths is a target that keeps the paths of posts exactly as they were sent.
type paths struct {
	mu   sync.Mutex
	list []string
}

func (p *paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, r.RequestURI)
	w.WriteHeader(http.StatusNoContent)
}

func (p *paths) got() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.list
	p.list = nil
	slices.Sort(list)
	return list
}

// The URL of a target can contain the tenant in its path, as a VictoriaMetrics cluster requires.
func TestTenantInPath(t *testing.T) {
	p := new(paths)
	server := (*network)(nil).serve(t, p)
	r := newRig(t, Options{
		Targets: []string{server.URL + "/insert%2fx/{tenant}/prometheus/api/v1/write"},
		Rules:   rulesFile(t, `{"tenants": {"team-a": {"as": "12:3"}, "team-b": {"as": "7"}}}`),
	})
	r.send(t, remotewrite.V1, of("team-a", 1), of("team-b", 1), of("a!-_.*'()b", 1), of("4:5", 1)).want(t, 204)
	want := []string{
		"/insert%2fx/12:3/prometheus/api/v1/write", "/insert%2fx/4:5/prometheus/api/v1/write", "/insert%2fx/7/prometheus/api/v1/write",
		"/insert%2fx/a%21-_.%2A%27%28%29b/prometheus/api/v1/write",
	}
	if got := p.got(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	// Tenants that could leave their path segment do not reach the target.
	for _, tenant := range []string{"..", ".", "a/b", "../x", "%2e%2e", "a?b", "a#b", "a%2fb", "a\\b", "a b", "1:2:3", ":", "..:", ".:.", "é", "a\x00"} {
		r.send(t, remotewrite.V1, of(tenant, 1), of("good", 1)).want(t, 400)
		if got := p.got(); !slices.Equal(got, []string{"/insert%2fx/good/prometheus/api/v1/write"}) {
			t.Errorf("%q: got %q", tenant, got)
		}
	}
}

func TestTargetURLs(t *testing.T) {
	for url, want := range map[string]string{
		"http://{tenant}.mimir/push":              "parse",
		"http://mimir/push?tenant={tenant}":       "{tenant} is allowed in the path only",
		"http://mimir/{tenants}/push":             "brace",
		"http://mimir/push#{tenant}":              "in the path only",
		"http://mimir/insert/{tenant}/prometheus": "",
	} {
		_, err := New(Options{Targets: []string{url}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", url, err)
		}
	}
	// A colon in a tenant ID is only allowed if the target's URL contains the tenant.
	rules := rulesFile(t, `{"tenants": {"a": {"as": "12:3"}}}`)
	if _, err := New(Options{Targets: []string{"http://mimir/push"}, Rules: rules}); err == nil || !strings.Contains(err.Error(), `tenants["a"]`) {
		t.Error(err)
	}
	if _, err := New(Options{Targets: []string{"http://vm/{tenant}/push"}, Rules: rules}); err != nil {
		t.Error(err)
	}
}
