package ingest

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// At level debug, each rejection is logged. At level info, one line a minute for each outcome
// contains the last rejection and the number of rejections.
func TestRefusalsAreLogged(t *testing.T) {
	for level, each := range map[slog.Level]int{slog.LevelDebug: 1, slog.LevelInfo: 0} {
		synctest.Test(t, func(t *testing.T) {
			var text bytes.Buffer
			h := New(Options{Guard: guardOf(t, "secret"), Logger: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: level}))})
			send := func(n int, method, url, token string) {
				for range n {
					r := httptest.NewRequest(method, url, strings.NewReader("{}"))
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("Authorization", "Bearer "+token)
					h.ServeHTTP(httptest.NewRecorder(), r)
				}
			}
			send(100, "POST", "/v1/write/db/t", "guessed")
			send(1, "GET", "/v1/tables", "guessed")
			send(100, "POST", "/v1/write/db/t", "secret") // the service is not ready
			time.Sleep(summaryInterval)
			send(1, "GET", "/v1/tables", "guessed")
			if got := strings.Count(text.String(), `msg="request refused"`); got != 202*each {
				t.Errorf("at %v: %d refusals", level, got)
			}
			var lines []string
			for line := range strings.Lines(text.String()) {
				if strings.Contains(line, "level=INFO") {
					lines = append(lines, line)
				}
			}
			want := []struct{ outcome, path, times string }{
				{"outcome=unauthorized", "path=/v1/write/db/t", "times=1"}, {"outcome=not_ready", "path=/v1/write/db/t", "times=1"},
				{"outcome=unauthorized", "path=/v1/tables", "times=101"},
			}
			if len(lines) != len(want) {
				t.Fatalf("at %v: %d lines:\n%s", level, len(lines), text.String())
			}
			for i, w := range want {
				for _, part := range []string{`msg="requests refused; last one shown"`, w.outcome, w.path, w.times + "\n", "client=192.0.2.1:1234", "error="} {
					if !strings.Contains(lines[i], part) {
						t.Errorf("at %v: %s is not in %s", level, part, lines[i])
					}
				}
			}
			if strings.Contains(text.String(), "guessed") || strings.Contains(text.String(), "secret") {
				t.Error("the log has tokens")
			}
		})
	}
}

// Latencies are counted by route and format. Paths and formats that clients invent add no labels.
func TestLatencies(t *testing.T) {
	r := newRig(t, Options{Metrics: http.NotFoundHandler()})
	r.v1([]any{map[string]any{"time": 1, "v": 1}}, "")
	r.write("application/json", "?durability=async", []byte(`[{"time":1,"v":1}]`))
	r.write("application/json", "", []byte(`[`))
	r.write("text/made-up", "", []byte(`[`))
	r.arc(map[string]any{"m": "cpu", "t": 1, "h": "a", "fields": map[string]any{"v": 0.5}})
	for _, url := range []string{"/v1/tables", "/v1/tables", "/made/up", "/health", "/metrics"} {
		r.do("GET", url, nil)
	}
	r.do("DELETE", "/v1/tables", nil)
	got := make(map[[2]string]uint64)
	for _, l := range r.h.Stats().Latencies {
		got[[2]string{l.Route, l.Format}] = l.Count
		if l.Buckets[30] != l.Count || l.Sum <= 0 {
			t.Errorf("%+v", l)
		}
	}
	want := map[[2]string]uint64{
		{"/v1/write/{db}/{table}", "msgpack"}: 1, {"/v1/write/{db}/{table}", "json"}: 2, {"/v1/write/{db}/{table}", ""}: 1,
		{"/api/v1/write/msgpack", "arc"}: 1, {"/v1/tables", ""}: 2, {"/health", ""}: 1, {"/metrics", ""}: 1,
	}
	for key, n := range want {
		if got[key] != n {
			t.Errorf("%v: %d, want %d", key, got[key], n)
		}
		delete(got, key)
	}
	if len(got) > 0 {
		t.Errorf("beyond these: %v", got)
	}
}
