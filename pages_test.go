package slipstream

import (
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/pages"
)

// figures marks a row of a table of figures, which `make bench` fills. It is nil, because such a
// row is not checked.
var figures func(*testing.T, pages.Row)

// fails is appended to a block of README, so that the program uses the error that the block
// declares.
const fails = "if err != nil {\n\tpanic(err)\n}\n"

// streamsTail reads two messages of README's schema, which contains a Tail, from a stream. It reads
// them once without and once with frames.
const streamsTail = `
fmt.Print(" ", errors.Is(pets.Reader(bytes.NewReader(append(b, b...))).Next(&back), schema.ErrEnd))
var stream bytes.Buffer
framed := pets.Framed()
err = errors.Join(framed.Write(&stream, &pet), framed.Write(&stream, &pet))
in := framed.Reader(&stream)
for range 2 {
	back = Pet{}
	err = errors.Join(err, in.Next(&back))
	fmt.Print(" ", back.Name)
}
fmt.Print(" ", err)
`

func TestPagesReadme(t *testing.T) {
	page := pages.Read(t, "README.md")
	page.Skip(t, "figures of the pages that the rows name", "Slipstream")
	page.Blocks(t, "Start", map[string]func(*testing.T, pages.Block){
		"make demo    # half a minute: the metrics of a process over HTTP into Parquet, and queried": makes,
	})
	page.Skip(t, ".ci/consumers runs its commands", "Install")
	page.Blocks(t, "MessagePack", map[string]func(*testing.T, pages.Block){
		`import "github.com/slipstream-go/slipstream/msgpack" // was: github.com/vmihailenco/msgpack/v5`: reading,
	})
	page.Blocks(t, "JSON", map[string]func(*testing.T, pages.Block){
		`import "github.com/slipstream-go/slipstream/json" // was: encoding/json`: untouched,
	})
	page.Blocks(t, "Schema as code", map[string]func(*testing.T, pages.Block){
		`import "github.com/slipstream-go/slipstream/schema"`: func(t *testing.T, b pages.Block) {
			pages.WantRun(t, b.Text, pages.Program{Imports: []string{"fmt"}, Check: fails + "fmt.Print(back, len(b))"}, "{Rex [1 2]} 13")
		},
	})
	page.Skip(t, "TestPagesReadme of server/service has it", "The service")
	page.Blocks(t, "Ruby", map[string]func(*testing.T, pages.Block){"make ruby    # builds the gem, and runs its specs": makes})
	page.Done(t)
}

// reading runs the MessagePack example.
func reading(t *testing.T, b pages.Block) {
	pages.WantRun(t, b.Text, pages.Program{Imports: []string{"fmt"}, Check: fails + "fmt.Print(reading)"}, "{web-1 0.75}")
}

// untouched decodes an invalid document with the import in the JSON block, and checks that the
// target is unchanged.
func untouched(t *testing.T, b pages.Block) {
	pages.WantRun(t, b.Text, pages.Program{Imports: []string{"fmt"},
		Check: "v := struct{ A int }{1}\nerr := json.Unmarshal([]byte(`{\"A\":2,]`), &v)\nfmt.Print(v, err)"},
		"{1} invalid character ']' looking for beginning of object key string")
}

func TestPagesMsgpack(t *testing.T) {
	page := pages.Read(t, "docs/msgpack.md")
	page.Blocks(t, "MessagePack in Go", map[string]func(*testing.T, pages.Block){
		`import "github.com/slipstream-go/slipstream/msgpack" // was: github.com/vmihailenco/msgpack/v5`: reading,
	})
	page.Blocks(t, "Columns", map[string]func(*testing.T, pages.Block){
		"var batch column.Batch": func(t *testing.T, b pages.Block) {
			pages.WantRun(t, b.Text, pages.Program{
				Imports: []string{"fmt", "bytes", module + "/column", module + "/msgpack"},
				Before:  `body := bytes.NewReader([]byte("\x82\xa4time\x92\x01\x02\xa4host\x92\xa1a\xa1b"))`,
				Check:   fails + "fmt.Print(times, hosts.Rows)",
			}, "[1 2] 2")
		},
	})
	page.Skip(t, "figures", "Speed")
	page.Rows(t, "Beyond v5", map[string]func(*testing.T, pages.Row){
		"input from outside":                             statement("data, v := []byte{0xa1, 'x'}, any(nil)", "err := %s", "fmt.Print(v, err)", "x<nil>"),
		"bytes to sign or compare":                       statement(`v := map[string]int{"b": 1, "a": 2}`, "b, err := %s", "fmt.Printf(\"%x %v\", b, err)", "82a16102a16201 <nil>"),
		"a part of a value, nothing else decoded":        statement(`data := []byte("\x81\xa4rows\x91\x81\xa4host\xa3web")`, "%s", "fmt.Print(host, err)", "web<nil>"),
		"the values of a path, from a stream or a view":  statement(`d := msgpack.NewDecoder(bytes.NewReader([]byte("\x81\xa5users\x91\x81\xa4name\xa3Ann")))`, "%s", "fmt.Print(names, err)", "[Ann] <nil>"),
		"bytes that are pushed, in pieces of any size":   statement("var v any\npiece := []byte{7}", "%s", "fmt.Print(v, err)", "7 <nil>"),
		"frames: headers in front, bodies by reference":  statement("var buffer msgpack.Buffer\nv, header, conn := 7, []byte(\"head\"), new(bytes.Buffer)", "%s", "fmt.Printf(\"%q\", conn)", `"head\a"`),
		"arrays and streams that do not fit into memory": statement("type Row struct{ A int }\nd := msgpack.NewDecoder(bytes.NewReader([]byte(\"\\x92\\x81\\xa1A\\x01\\x81\\xa1A\\x02\")))", "%s", "", "{1} <nil>{2} <nil>"),
	})
	page.Done(t)
}

func TestPagesJSON(t *testing.T) {
	page := pages.Read(t, "docs/json.md")
	page.Blocks(t, "JSON in Go", map[string]func(*testing.T, pages.Block){
		`import "github.com/slipstream-go/slipstream/json" // was: encoding/json`: untouched,
	})
	page.Skip(t, "figures", "Speed")
	page.Done(t)
}

func TestPagesRemoteWrite(t *testing.T) {
	page := pages.Read(t, "docs/remotewrite.md")
	names := func(t *testing.T, r pages.Row) { known(t, r, 0, exported(t, "remotewrite")) }
	page.Rows(t, "Prometheus Remote Write in Go", map[string]func(*testing.T, pages.Row){
		"`Scanner`": names, "`Splitter`": names, "`Decode`, `Append`": names, // TestAllocations checks what they allocate
	})
	page.Skip(t, "figures", "Speed")
	page.Done(t)
}

func TestPagesSchema(t *testing.T) {
	page := pages.Read(t, "docs/schema.md")
	page.Blocks(t, "Schema as code", map[string]func(*testing.T, pages.Block){
		`import "github.com/slipstream-go/slipstream/schema"`: func(t *testing.T, b pages.Block) {
			pages.WantRun(t, b.Text, pages.Program{
				Imports: []string{"bytes", "errors", "fmt", "time"},
				Check:   fails + "fmt.Print(back.Name, back.Toys, back.Chip, len(b))\n" + streamsTail,
			}, "Rex[1 2] <nil> 22 true Rex Rex <nil>")
			const tail = "A message with a `Tail` does not contain its length. To write such messages to a stream, use\n`Framed`"
			text, err := os.ReadFile("docs/schema.md")
			if _, after, _ := strings.Cut(string(text), b.Text); err != nil || !strings.HasPrefix(strings.TrimLeft(after, "`\n"), tail) {
				t.Errorf("%v: the block is not followed by %q", err, tail)
			}
		},
	})
	page.Skip(t, "figures", "Speed")
	page.Done(t)
}

func TestPagesBench(t *testing.T) {
	page := pages.Read(t, "bench/README.md")
	page.Blocks(t, "The benchmarks", map[string]func(*testing.T, pages.Block){"make bench                    # every suite": makes})
	page.Done(t)
}

// statement returns a check of a row whose second cell is code. The code runs between before and
// check.
func statement(before, form, check, want string) func(*testing.T, pages.Row) {
	return func(t *testing.T, r pages.Row) {
		code, _, _ := strings.Cut(r.Code(1)[0], " //")
		code = strings.Replace(code, "…", "fmt.Print(row, err)", 1)
		pages.WantRun(t, fmt.Sprintf(form, code), pages.Program{
			Imports: []string{"fmt", "bytes", module + "/msgpack"}, Declare: "var _ bytes.Buffer", Before: before, Check: check,
		}, want)
	}
}

// makes checks that the Makefile contains each target in a block.
func makes(t *testing.T, b pages.Block) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := regexp.MustCompile(`(?m)^make ([a-z-]+)`).FindAllStringSubmatch(b.Text, -1)
	if len(targets) == 0 {
		t.Error("no targets")
	}
	for _, m := range targets {
		if !regexp.MustCompile(`(?m)^` + m[1] + `:`).Match(text) {
			t.Errorf("%s: the Makefile has no target %s", b.Where, m[1])
		}
	}
}

func TestPagesContributing(t *testing.T) {
	page := pages.Read(t, "CONTRIBUTING.md")
	page.Blocks(t, "Ten minutes to the first green test", map[string]func(*testing.T, pages.Block){"git clone https://github.com/slipstream-go/slipstream && cd slipstream": makes})
	page.Blocks(t, "Checks before a pull request", map[string]func(*testing.T, pages.Block){"make check    # gofmt, go vet, golangci-lint, other architectures": makes})
	page.Skip(t, ".ci/consumers runs the command", "Releasing")
	page.Rows(t, "Where things are", map[string]func(*testing.T, pages.Row){
		"`.` (codecs)": func(t *testing.T, r pages.Row) {
			text, err := os.ReadFile("go.mod")
			if err != nil || strings.Contains(string(text), "require") {
				t.Errorf("%s: go.mod requires a module (%v)", r.Where, err)
			}
		},
		"`server`": hasModule,
		"`tools`": func(t *testing.T, r pages.Row) {
			hasModule(t, r)
			reached := map[string]bool{}
			var reach func(pkg string)
			reach = func(pkg string) {
				for _, p := range imports[pkg] {
					if !reached[p] {
						reached[p] = true
						reach(p)
					}
				}
			}
			reach("tools/cmd/slipctl")
			if !reached["server/wal"] || !reached["server/table"] || reached["server/ingest"] || reached["server/relay"] {
				t.Errorf("%s: slipctl imports %v", r.Where, slices.Sorted(maps.Keys(reached)))
			}
		},
		"`bench`, `bench/peers`": hasModule,
		"`compat/…`":             func(t *testing.T, r pages.Row) { hasModules(t, r, "compat/vmihailenco", "compat/basekick") },
	})
	page.Done(t)
}

// hasModule checks that each directory in a row contains a module.
func hasModule(t *testing.T, r pages.Row) { hasModules(t, r, r.Code(0)...) }

func hasModules(t *testing.T, r pages.Row, directories ...string) {
	for _, d := range directories {
		if _, err := os.Stat(path.Join(d, "go.mod")); err != nil {
			t.Errorf("%s: %v", r.Where, err)
		}
	}
}

// A test reads each page, except for pages of prose. docs/rows.sum contains no rows that have been
// removed from the pages.
func TestPagesAreKnown(t *testing.T) {
	tested := map[string]string{ // the module that contains the test
		"docs/from-parco.md": ".", "docs/from-protobuf.md": ".", "docs/migrate-json.md": "json, bench", "docs/migrate-msgpack.md": "bench",
		"docs/ingest-schema.md": "server", "docs/relay.md": "server", "docs/relay-operations.md": "server", "docs/from-cortex-tenant.md": "server",
		"docs/service.md": "server",
		"README.md":       "., server", "docs/msgpack.md": ".", "docs/json.md": ".", "docs/remotewrite.md": ".", "docs/schema.md": ".",
		"bench/README.md": ".", "ruby/README.md": "ruby", // examples/readme.rb runs the blocks of ruby/README.md
		"CONTRIBUTING.md":       ".",
		"SECURITY.md":           "", // prose
		"docs/decisions.md":     "", // prose, like the pages in docs/decisions
		"bench/RESULTS.md":      "", // written by `make bench-report`
		"ruby/bench/RESULTS.md": "",
		"CHANGELOG.md":          "", // prose
		"ruby/CHANGELOG.md":     "",
	}
	var read []*pages.Page
	for _, name := range files(t, ".md") {
		if path.Dir(name) == "docs/decisions" {
			continue
		}
		if _, known := tested[name]; !known {
			t.Errorf("%s has no test of its rows and blocks", name)
		}
		read = append(read, pages.Read(t, name))
	}
	if len(read) != len(tested) {
		t.Errorf("%d pages of %d", len(read), len(tested))
	}
	for _, line := range pages.Stale(t, append(read, pages.ReadComment(t, "msgpack/doc.go"))...) {
		t.Errorf("docs/rows.sum: no page has this row any more: %s", line)
	}
}
