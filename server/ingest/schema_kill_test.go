package ingest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// Processes that register and delete schemas are killed, one after the other. Acknowledged changes
// are still there after the next start.
func TestSchemasKill(t *testing.T) {
	testkit.Killed(registerForEver)
	if testing.Short() {
		t.Skip("it takes some restarts")
	}
	path := filepath.Join(t.TempDir(), "schemas.json")
	said := make(map[string]string) // last acknowledged change, by schema
	for round := range 6 {
		testkit.Kill(t, path, round*1_000, 30+20*round, func(line string) bool {
			name, what, ok := strings.Cut(line, " ")
			said[name] = what
			return ok
		})
		schemas, err := registry.Open(disk.OS, path)
		if err != nil {
			t.Fatal(err)
		}
		for name, what := range said {
			versions := schemas.Versions(name)
			switch {
			case what == "deleting", what == "deleted" && len(versions) == 0:
			case what == "deleted" || len(versions) == 0 || versions[0].Notation != what:
				t.Errorf("round %d: %s was acknowledged as %s, and is %v", round, name, what, versions)
			}
		}
	}
	t.Logf("%d schemas", len(said))
}

func registerForEver(path string, first int) {
	schemas, err := registry.Open(disk.OS, path)
	if err != nil {
		testkit.Fail(err)
	}
	h := New(Options{Schemas: schemas})
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
					testkit.Fail(w.Body)
				}
				fmt.Printf("%s {c%d u8}\n", name, id)
				if id%3 == 0 {
					fmt.Println(name, "deleting")
					if w := do("DELETE", name, ""); w.Code != http.StatusNoContent {
						testkit.Fail(w.Body)
					}
					fmt.Println(name, "deleted")
				}
			}
		})
	}
	clients.Wait()
}
