package ingest

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A process is killed while it registers schemas and deletes some. What it has acknowledged is so after the next start.
func TestSchemasKill(t *testing.T) {
	if dir := os.Getenv(killedDir); dir != "" {
		registerForEver(dir, os.Getenv(killedNext))
	}
	if testing.Short() {
		t.Skip("it takes some restarts")
	}
	path := filepath.Join(t.TempDir(), "schemas.json")
	said := make(map[string]string) // what was acknowledged last, by schema
	for round := range 6 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSchemasKill$")
		cmd.Env = append(os.Environ(), killedDir+"="+path, fmt.Sprintf("%s=%d", killedNext, round*1_000))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		n := 0
		for lines := bufio.NewScanner(out); lines.Scan(); n++ { // the pipe holds what was acknowledged before the kill
			name, what, ok := strings.Cut(lines.Text(), " ")
			if !ok {
				t.Fatalf("the process says %q", lines.Text())
			}
			if said[name] = what; n == 30+20*round {
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
		if n < 30 {
			t.Fatalf("the process ended by itself after %d requests", n)
		}
		schemas, err := OpenSchemas(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, what := range said {
			versions := schemas.versions(name)
			switch {
			case what == "deleting", what == "deleted" && len(versions) == 0:
			case what == "deleted" || len(versions) == 0 || versions[0].notation != what:
				t.Errorf("round %d: %s was acknowledged as %s, and is %v", round, name, what, versions)
			}
		}
	}
	t.Logf("%d schemas", len(said))
}

func registerForEver(path, next string) {
	fail := func(text any) {
		fmt.Println(text)
		os.Exit(1)
	}
	schemas, err := OpenSchemas(path)
	if err != nil {
		fail(err)
	}
	h := New(Options{Schemas: schemas})
	first, err := strconv.Atoi(next)
	if err != nil {
		fail(err)
	}
	do := func(method, name, definition string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/v1/schemas/"+name, strings.NewReader(definition))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	var ids atomic.Int64
	ids.Store(int64(first))
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			for {
				id := ids.Add(1)
				name := fmt.Sprint("s", id)
				if w := do("PUT", name, fmt.Sprintf(`{"fields":[{"name":"c%d","type":"u8"}]}`, id)); w.Code != http.StatusCreated {
					fail(w.Body)
				}
				fmt.Printf("%s {c%d u8}\n", name, id)
				if id%3 == 0 {
					fmt.Println(name, "deleting")
					if w := do("DELETE", name, ""); w.Code != http.StatusNoContent {
						fail(w.Body)
					}
					fmt.Println(name, "deleted")
				}
			}
		})
	}
	clients.Wait()
}
