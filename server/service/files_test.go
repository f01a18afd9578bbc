package service

import (
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/query"
)

// land runs the service on a directory until a batch has landed, and returns the names of its
// Parquet files.
func land(t *testing.T, dir string, first int64, args ...string) (names []string) {
	t.Helper()
	c := start(t, dir, args...)
	if status, text := write(t, c.url, &sender{}, first); status != http.StatusNoContent {
		t.Fatal(status, text)
	}
	c.stop()
	err := query.EachFile(dir, func(path string) error {
		names = append(names, filepath.Base(path))
		return nil
	})
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names
}

// prefixes returns the node names with which the file names begin.
func prefixes(names []string) map[string]bool {
	nodes := make(map[string]bool)
	for _, name := range names {
		node, _, _ := strings.Cut(name, "-")
		nodes[node] = true
	}
	return nodes
}

// Two services can write their files to the same directory, because each has its own node name and
// keeps it.
func TestNodeNames(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	first := prefixes(land(t, one, 0))
	other := prefixes(land(t, two, 0))
	for node := range first {
		if len(first) != 1 || other[node] || !nodeID.MatchString(node) {
			t.Errorf("%v and %v", first, other)
		}
	}
	if again := prefixes(land(t, one, perBatch)); len(again) != 1 {
		t.Errorf("a service has the names %v", again)
	}
	if named := prefixes(land(t, two, perBatch, "--node=east")); !named["east"] || len(named) != 2 {
		t.Errorf("%v, with --node=east", named)
	}
	if err := os.WriteFile(filepath.Join(one, "node"), []byte("../x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := nodeOf(disk.OS, one); err == nil || !strings.Contains(err.Error(), "set --node") {
		t.Error(err)
	}
}

// By default, only the owner may read the files and directories that the service creates.
// --file-mode changes this for each kind of file and directory.
func TestFileModes(t *testing.T) {
	kinds := []string{
		".", "lock", "node", "schemas.json", "catalog.json", "catalog.N.journal", "aside", "wal", "wal/N.wal", "wal/first", "wal/lock", "wal/reserve",
		"queue", "queue/N.wal", "queue/first", "queue/lock", "queue/reserve",
		"tables", "tables/default", "tables/default/even", "tables/default/even/utc_date=N-N-N", "tables/default/even/utc_date=N-N-N/utc_hour=N",
		"tables/default/even/utc_date=N-N-N/utc_hour=N/*.parquet",
	}
	number := regexp.MustCompile("[0-9]+")
	for mode, want := range map[string][2]fs.FileMode{"": {0o600, 0o700}, "0640": {0o640, 0o750}, "0644": {0o644, 0o755}} {
		dir := filepath.Join(t.TempDir(), "data")
		args := []string{"--wal-reserve=1MiB", "--relay.target=http://127.0.0.1:1", "--relay.queue=" + filepath.Join(dir, "queue")}
		if mode != "" {
			args = append(args, "--file-mode="+mode)
		}
		made := make(map[string]bool)
		look := func() {
			t.Helper()
			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				var info fs.FileInfo
				if err == nil {
					info, err = d.Info()
				}
				if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
					return nil
				} else if err != nil {
					return err
				}
				kind, _ := filepath.Rel(dir, path)
				if filepath.Ext(path) == ".parquet" {
					kind = filepath.Join(filepath.Dir(kind), "*.parquet")
				}
				made[number.ReplaceAllString(kind, "N")] = true
				if got := info.Mode().Perm(); d.IsDir() && got != want[1] || !d.IsDir() && got != want[0] {
					t.Errorf("--file-mode=%s: %s has %v", mode, path, got)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		c := start(t, dir, args...)
		send := func(method, path, body string) {
			t.Helper()
			if got, text := as(t, "", method, c.url+path, []byte(body), "Content-Type", "application/x-ndjson"); got != http.StatusNoContent {
				t.Fatalf("%s %s: %d: %s", method, path, got, text)
			}
		}
		if status, text, err := register(http.DefaultClient, c.url); status != http.StatusCreated {
			t.Fatal(status, text, err)
		}
		if status, text := push(t, http.DefaultClient, c.url, "", seriesFor("a")); status != http.StatusNoContent { // stays in the queue, because the target does not respond
			t.Fatal(status, text)
		}
		if status, text := write(t, c.url, &sender{}, 0); status != http.StatusNoContent {
			t.Fatal(status, text)
		}
		send("POST", "/v1/write/default/even", `{"time":1700000000,"v":1}`)
		send("POST", "/-/flush", "")
		look()
		send("POST", "/v1/write/default/even", `{"time":1700000000,"v":1.5}`) // makes the service rewrite the file
		send("POST", "/-/flush", "")
		send("DELETE", "/v1/tables/default/odd/columns/id?files=rewrite", "")
		look()
		c.stop()
		look()
		for _, kind := range kinds {
			if !made[kind] {
				t.Errorf("the service did not make %s, but %v", kind, slices.Sorted(maps.Keys(made)))
			}
		}
	}
}
