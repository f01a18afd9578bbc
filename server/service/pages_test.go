package service

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/msgpack"
)

// Tests that run the commands of README, docs/service.md and docs/ingest-schema.md against a
// service.

const root = "github.com/slipstream-go/slipstream"

// shell runs a block of commands in a directory, and returns their output. It replaces
// localhost:8080 by the address of the service.
func shell(t *testing.T, c *child, dir string, b pages.Block) string {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl: ", err)
	}
	address := strings.TrimPrefix(c.url, "http://")
	text := strings.ReplaceAll(b.Text, "localhost:8080", address)
	if text == b.Text {
		t.Fatalf("%s: it does not talk to the service", b.Where)
	}
	sh := exec.Command("bash", "-e", "-o", "pipefail", "-c", strings.ReplaceAll(text, "curl ", "curl -sS "))
	sh.Dir = dir
	out, err := sh.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", b.Where, err, out)
	}
	return string(out)
}

// The example of README works. The first command of the block writes a row. The second one uses
// DuckDB, so the tests of package parquet run it.
func TestPagesReadme(t *testing.T) {
	page := pages.Read(t, "README.md")
	page.Blocks(t, "The service", map[string]func(*testing.T, pages.Block){
		"curl -i -X POST localhost:8080/v1/write/prod/cpu -H 'Content-Type: application/json' -d '[{\"time\": 1700000000, \"host\": \"a\", \"load\": 0.5}]'": func(t *testing.T, b pages.Block) {
			dir := t.TempDir()
			c := start(t, filepath.Join(dir, "data"))
			b.Text, _, _ = strings.Cut(b.Text, "duckdb ")
			if out := shell(t, c, dir, b); !strings.Contains(out, "204 No Content") {
				t.Error(out)
			}
			c.stop()
		},
	})
	page.Skip(t, "the root module's tests have them", "Slipstream", "Start", "MessagePack", "JSON", "Schema as code", "Ruby", "Install")
	page.Done(t)
}

func TestPagesService(t *testing.T) {
	page := pages.Read(t, "docs/service.md")
	dir := t.TempDir()
	c := start(t, filepath.Join(dir, "data"))
	rows, err := msgpack.Marshal([]map[string]any{{"time": 1700000000, "host": "a", "load": 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "rows.msgpack"), rows, 0o600); err != nil {
		t.Fatal(err)
	}
	page.Blocks(t, "The service: rows over HTTP into Parquet", map[string]func(*testing.T, pages.Block){
		"curl -i -X POST localhost:8080/v1/write/prod/cpu -H 'Content-Type: application/json' -d '[{\"time\": 1700000000, \"host\": \"a\", \"load\": 0.5}]'": func(t *testing.T, b pages.Block) {
			if out := shell(t, c, dir, b); strings.Count(out, "204 No Content") != 2 {
				t.Error(out)
			}
		},
	})
	page.Rows(t, "Endpoints", map[string]func(*testing.T, pages.Row){
		"write":                      nil, // the block above, and ingest's tests
		"write, as Arc's clients do": nil, // ingest's tests
		"look": func(t *testing.T, r pages.Row) {
			paths := strings.Split(strings.TrimPrefix(r.Code(1)[0], "GET "), ", ")
			for _, path := range append(paths, r.Code(1)[1:]...) {
				wantOK(t, "GET", c.url+path)
			}
		},
		"land now": func(t *testing.T, r pages.Row) {
			method, path, _ := strings.Cut(r.Code(1)[0], " ")
			wantOK(t, method, c.url+path)
			files, err := filepath.Glob(filepath.Join(dir, "data/tables/prod/cpu/*/*/*.parquet"))
			if err != nil || len(files) == 0 {
				t.Errorf("no row has landed: %v", err)
			}
		},
	})
	page.Skip(t, "the tests of parquet run such a query", "Query")
	page.Skip(t, "figures", "Speed")
	page.Done(t)
	c.stop()
}

func wantOK(t *testing.T, method, url string) {
	t.Helper()
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if text, err := io.ReadAll(reply.Body); err != nil || reply.StatusCode >= 300 {
		t.Errorf("%s %s: %s: %s, %v", method, url, reply.Status, text, err)
	}
}

func TestPagesIngestSchema(t *testing.T) {
	page := pages.Read(t, "docs/ingest-schema.md")
	dir := t.TempDir()
	c := start(t, filepath.Join(dir, "data"))
	page.Blocks(t, "With curl", map[string]func(*testing.T, pages.Block){
		`curl -X PUT localhost:8080/v1/schemas/cpu -H 'Content-Type: application/json' -d '{"fields": [`: func(t *testing.T, b pages.Block) {
			if out := shell(t, c, dir, b); !strings.Contains(out, `"fingerprint":"2090ebf1f20b9f1d"`) {
				t.Error(out)
			}
		},
		`printf '\0\361\123\145\0\0\0\0\005web-1\0\0\0\0\0\0\340\077' | curl -i -X POST localhost:8080/v1/write/prod/cpu --data-binary @- \`: func(t *testing.T, b pages.Block) {
			if out := shell(t, c, dir, b); !strings.Contains(out, "204 No Content") {
				t.Error(out)
			}
		},
	})
	page.Blocks(t, "With Go", map[string]func(*testing.T, pages.Block){
		"type Batch struct {": func(t *testing.T, b pages.Block) {
			declared, statements, ok := strings.Cut(b.Text, "\ndefinition, err := ")
			if !ok {
				t.Fatal(b.Text)
			}
			out := pages.RunGo(t, declared, pages.Program{
				Imports: []string{"encoding/json", "fmt", root + "/schema"},
				Before:  "batch := Batch{[]int64{1700000000}, []string{\"web-1\"}, []float64{0.5}}\ndefinition, err := " + statements,
				Check:   "if err != nil {\n\tpanic(err)\n}\nfmt.Printf(\"%s\\n%s\\n%s\", definition, contentType, body)",
			})
			parts := strings.SplitN(out, "\n", 3)
			send := func(method, path, contentType, body string) *http.Response {
				request, err := http.NewRequest(method, c.url+path, bytes.NewReader([]byte(body)))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Content-Type", contentType)
				reply, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				reply.Body.Close()
				return reply
			}
			send("DELETE", "/v1/schemas/cpu", "", "") // rows remain
			if reply := send("PUT", "/v1/schemas/cpu", "application/json", parts[0]); reply.StatusCode != http.StatusCreated {
				t.Errorf("%s: %s", parts[0], reply.Status)
			}
			if reply := send("POST", "/v1/write/prod/cpu", parts[1], parts[2]); reply.StatusCode != http.StatusNoContent {
				t.Errorf("%s: %s", parts[1], reply.Status)
			}
		},
	})
	page.Skip(t, "TestPagesIngestSchema of ingest has them", "When the schema changes", "When it is refused")
	page.Done(t)
	c.stop()
}
