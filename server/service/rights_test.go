package service

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/server/relay"
)

// Remote Write requires the right to write to the database metrics, on each of its paths. This
// holds whether the series land or are sent to a target. If the rules define credentials, these
// replace the tokens.
func TestRightsOfRemoteWrite(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	writeText(t, tokens, "all\nseries db=metrics rights=write\nany rights=write\nrows db=logs,metrics2\nreader rights=read\nadmin db=* rights=administer,read\n")
	rules := filepath.Join(t.TempDir(), "rules.json")
	writeText(t, rules, `{"credentials": [{"name": "p", "token": "of-the-rules", "tenants": ["*"]}]}`)
	to := newTarget(t)
	for _, c := range []struct {
		name  string
		flags []string
		want  map[string]int
	}{
		{"landing", nil, map[string]int{"all": 204, "series": 204, "any": 204, "rows": 403, "reader": 403, "admin": 403, "guess": 401, "": 401}},
		{"target", []string{"--relay.target=" + to.URL}, map[string]int{"all": 204, "series": 204, "any": 204, "rows": 403, "reader": 403, "admin": 403, "guess": 401, "": 401}},
		{"rules", []string{"--relay.rules=" + rules}, map[string]int{"of-the-rules": 204, "all": 401, "series": 401, "rows": 401, "": 401}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, stop := run(t, settings(t, append(c.flags, "--token-file="+tokens)...))
			allowed := 0
			for _, path := range relay.Paths {
				for token, want := range c.want {
					status, text := as(t, token, "POST", s.URL()+path, seriesFor("tenant-"+token), "Content-Type", "application/x-protobuf", "Content-Encoding", "snappy")
					if status != want {
						t.Errorf("%s, %q: %d, want %d: %s", path, token, status, want, text)
					}
					switch {
					case status == 204:
						allowed++
					case status == 403 && token == "rows" && !strings.Contains(text, `the token is not for the database "metrics"`),
						status == 403 && token != "rows" && !strings.Contains(text, "the token lacks the right to write"):
						t.Errorf("%s, %q: %s", path, token, text)
					}
				}
			}
			_, text := as(t, "all", "GET", s.URL()+"/metrics", nil)
			for _, token := range []string{"rows", "reader", "admin", "guess"} {
				if strings.Contains(text, "tenant-"+token) {
					t.Errorf("the metrics tell of the tenant of %s", token)
				}
			}
			if c.name != "rules" {
				for _, want := range []string{
					`slipstream_access_refusals_total{reason="right"} 6`, `slipstream_access_refusals_total{reason="database"} 3`,
					`slipstream_access_refusals_total{reason="unknown_token"} 3`, `slipstream_access_refusals_total{reason="no_token"} 3`,
					`slipstream_relay_requests_total{outcome="forbidden"} 9`,
				} {
					if !strings.Contains(text, want) {
						t.Errorf("the metrics have no %s", want)
					}
				}
			}
			if _, text := as(t, "all", "GET", s.URL()+"/v1/tables", nil); strings.Contains(text, "tenant-rows") || strings.Contains(text, "tenant-reader") {
				t.Errorf("a refused request has made a table: %s", text)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
			if allowed == 0 {
				t.Error("nothing was allowed")
			}
		})
	}
	if to.got("tenant-all") == 0 || to.got("tenant-rows")+to.got("tenant-reader")+to.got("tenant-admin") != 0 {
		t.Errorf("the target got %v", to.posts)
	}
}

// Each token has access only to the endpoints that its rights permit.
func TestRightsOfExposure(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	writeText(t, tokens, "all\nreader rights=read\nwriter rights=write\nmine db=mine\n")
	s, stop := run(t, settings(t, "--token-file="+tokens))
	for _, c := range []struct {
		path string
		want map[string]int
	}{
		{"/metrics", map[string]int{"all": 200, "reader": 200, "writer": 403, "mine": 403, "guess": 401, "": 401}},
		{"/v1/tables", map[string]int{"all": 200, "reader": 200, "writer": 403, "mine": 200, "guess": 401, "": 401}},
		{"/ready", map[string]int{"all": 200, "reader": 200, "writer": 200, "mine": 200, "guess": 200, "": 200}},
		{"/health", map[string]int{"mine": 200, "": 200}},
		{"/alive", map[string]int{"mine": 200, "": 200}},
		{"/nowhere", map[string]int{"mine": 404, "": 404}},
	} {
		for token, want := range c.want {
			if status, text := as(t, token, "GET", s.URL()+c.path, nil); status != want {
				t.Errorf("%s, %q: %d, want %d: %s", c.path, token, status, want, text)
			}
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// lines is a log that can be read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A change of the token file applies to the next request. An invalid or missing file changes
// nothing. The log and a metric report it, without any text from the file.
func TestRightsReload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	writeText(t, file, "alpha\n")
	var log lines
	s, stop := runLogged(t, settings(t, "--token-file="+file), slog.NewTextHandler(&log, nil))
	write := s.URL() + "/v1/write/db/t"
	row := func(token string) int {
		status, _ := as(t, token, "POST", write, []byte(`[{"time":1,"v":1}]`), "Content-Type", "application/json")
		return status
	}
	for _, step := range []struct {
		text   string
		want   map[string]int // status of a write to db
		broken bool
	}{
		{"alpha\n", map[string]int{"alpha": 204, "beta": 401}, false},
		{"alpha rights=read\nbeta db=db\n", map[string]int{"alpha": 403, "beta": 204}, false},
		{"alpha rights=write db=d*\nbeta db=other\n", map[string]int{"alpha": 204, "beta": 403}, false},
		{"alpha\nbeta\ngamma hidden\n", map[string]int{"alpha": 204, "beta": 403, "gamma": 401}, true},
		{"alpha rights=none\n", map[string]int{"alpha": 204, "beta": 403}, true},
		{"alpha\nalpha db=x\n", map[string]int{"alpha": 204, "beta": 403}, true},
		{"", map[string]int{"alpha": 204, "beta": 403, "": 401}, true},
		{"gone", map[string]int{"alpha": 204, "beta": 403, "": 401}, true},
		{"beta\n", map[string]int{"alpha": 401, "beta": 204}, false},
	} {
		if writeText(t, file, step.text); step.text == "gone" {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		s.Reload()
		for token, want := range step.want {
			if got := row(token); got != want {
				t.Errorf("%q, %q: %d, want %d", step.text, token, got, want)
			}
		}
		if st := s.watcher.Stats(); (st.Failed == 1) != step.broken {
			t.Errorf("%q: %+v", step.text, st)
		}
	}
	text := log.String() // contains the first error of each second
	if !strings.Contains(text, "level=ERROR") || !strings.Contains(text, "what=tokens") || !strings.Contains(text, file+": line 3: unknown word after the token; only db=… and rights=… are allowed") {
		t.Errorf("the log says %s", text)
	}
	for _, secret := range []string{"alpha", "beta", "gamma", "hidden"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
