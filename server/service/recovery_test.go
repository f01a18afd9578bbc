package service

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fetch gets a URL, with a token unless it is empty.
func fetch(t *testing.T, url, token string) string {
	t.Helper()
	_, text := as(t, token, "GET", url, nil)
	return text
}

// After a kill, rows in the log cannot land and exceed the memory. /ready and /metrics report the
// reason, but paths and tables only to requests with a token. SIGTERM ends the service. All rows
// land once the cause is removed.
func TestRecoveryThatCannotLand(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SLIPSTREAM_TOKEN", "secret")
	c := start(t, dir, "--seal-age=1h")
	s := &sender{}
	for first := range int64(40) {
		r, err := http.NewRequest("POST", c.url+"/api/v1/write/msgpack", strings.NewReader(string(arcBatch(t, first*perBatch))))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNoContent {
			t.Fatal(resp.Status)
		}
		s.acknowledged = append(s.acknowledged, first*perBatch)
	}
	c.cmd.Process.Kill()
	c.end()
	walls := []string{filepath.Join(dir, "tables", "default"), filepath.Join(dir, "aside", "default")} // files in place of the database's directories
	for _, wall := range walls {
		if err := os.MkdirAll(filepath.Dir(wall), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(wall, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	c = startUntil(t, "listening", dir, "--max-buffered=8KiB")
	waitFor(t, "/ready to say why", func() bool { return strings.Contains(fetch(t, c.url+"/ready", ""), "cannot be written to files") })
	for token, want := range map[string]bool{"": false, "wrong": false, "secret": true} {
		text := fetch(t, c.url+"/ready", token)
		if !strings.Contains(text, "recovering: rows in the log cannot be written to files") {
			t.Errorf("%q: %s", token, text)
		}
		if strings.Contains(text, "default") != want || strings.Contains(text, "tables") != want {
			t.Errorf("%q: %s", token, text)
		}
	}
	metrics := fetch(t, c.url+"/metrics", "secret")
	for _, want := range []string{`slipstream_table_land_failing{db="default",table="even"} 1`, "slipstream_ready 0", "slipstream_rows_pending "} {
		if !strings.Contains(metrics, want) {
			t.Errorf("%s is not among the metrics", want)
		}
	}
	c.cmd.Process.Signal(syscall.SIGTERM)
	if err := c.end(); err == nil || !strings.Contains(c.stderr.String(), "recovery was interrupted") {
		t.Errorf("after SIGTERM: %v\n%s", err, c.stderr)
	}
	c = start(t, dir) // with memory for all rows, the service takes requests although these two tables do not land
	c.cmd.Process.Kill()
	c.end()
	for _, wall := range walls {
		if err := os.Remove(wall); err != nil {
			t.Fatal(err)
		}
	}
	start(t, dir, "--max-buffered=8KiB").stop()
	wantIDs(t, idsOf(t, dir), []*sender{s})
}
