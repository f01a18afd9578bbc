package json_test

// These tests check docs/migrate-json.md against encoding/json and this package. The tests of the
// rows about segmentio are in bench/differential.

import (
	"bytes"
	"context"
	std "encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/json"
)

const importPath = "github.com/slipstream-go/slipstream/json"

func TestPagesMigrateJSON(t *testing.T) {
	if json.OnV2 {
		t.Skip("the page compares with encoding/json of Go 1.26; its rows about GOEXPERIMENT=jsonv2 run with that in every build")
	}
	page := pages.Read(t, "docs/migrate-json.md")
	page.Blocks(t, "From encoding/json", map[string]func(*testing.T, pages.Block){
		`import "github.com/slipstream-go/slipstream/json" // was: encoding/json`: func(t *testing.T, b pages.Block) {
			const program = "b, err := json.Marshal(map[string]int{\"b\": 1, \"a\": 2})\nfmt.Println(string(b), err, json.Unmarshal([]byte(\"{]\"), new(any)))"
			theirs := pages.RunGo(t, `import "encoding/json"`, pages.Program{Imports: []string{"fmt"}, Check: program})
			pages.WantRun(t, b.Text, pages.Program{Imports: []string{"fmt"}, Check: program}, theirs)
		},
	})
	page.Rows(t, "What is different", map[string]func(*testing.T, pages.Row){
		"capacity of decoded slices":                                pageCapacity,
		"short strings":                                             pageStrings,
		"a `RawMessage` that is decoded again":                      pageRaw,
		"a target whose pointers form a cycle":                      pageCircle,
		"a writer that writes part of a value and returns no error": pageShortWrite,
		"a tagged, embedded, unexported struct pointer that is nil": pageEmbedded,
		"the types `Decoder` and `Encoder`":                         pageTypes,
		"the `go` line of your go.mod":                              pageGoLine,
	})
	page.Blocks(t, "What is different", map[string]func(*testing.T, pages.Block){"godebug default=go1.21": pageGodebug})
	page.Rows(t, "Go 1.27, and GOEXPERIMENT=jsonv2", map[string]func(*testing.T, pages.Row){
		"`Buffered` after a value":                            pageBuffered,
		"an `any` that holds a pointer to itself, in Marshal": pageSelf,
	})
	page.Rows(t, "Worth turning on", map[string]func(*testing.T, pages.Row){
		"input from outside": func(t *testing.T, r pages.Row) {
			runRow(t, r, "var v struct{ A int }\ndata := []byte(`{\"a\":1}{}`)", "_, err := %s", "fmt.Print(v, err)", "{0} <nil>")
			runRow(t, r, "var v struct{ A int }\ndata := []byte(`{\"A\":1,\"A\":2}`)", "_, err := %s", "fmt.Print(err != nil)", "true")
		},
		"integers beyond 2⁵³ in an `any`": func(t *testing.T, r pages.Row) {
			for _, flag := range r.Code(1) {
				got := pages.RunGo(t, "", pages.Program{Imports: []string{"fmt", importPath},
					Check: "var v any\n_, err := json.Parse([]byte(`9007199254740993`), &v, " + flag + ")\nfmt.Printf(\"%v %v\", v, err)"})
				if got != "9007199254740993 <nil>" {
					t.Errorf("%s: %s", flag, got)
				}
			}
			if n := len(r.Code(1)); n != 3 {
				t.Errorf("%d flags", n)
			}
		},
		"your own buffer": func(t *testing.T, r pages.Row) {
			runRow(t, r, "v := \"<\"\nbuf := make([]byte, 0, 64)\nvar err error\nfirst := &buf[:1][0]", "%s", "fmt.Print(string(buf), err, first == &buf[0])", `"\u003c"<nil> true`)
		},
		"input that outlives the result": func(t *testing.T, r pages.Row) {
			pages.WantRun(t, "", pages.Program{Imports: []string{"fmt", importPath}, Before: "data := []byte(`[\"abc\"]`)\nvar v []string",
				Check: "json.Parse(data, &v, " + r.Code(1)[0] + ")\ndata[2] = 'X'\nfmt.Print(v)"}, "[Xbc]")
		},
		"one value of a document": func(t *testing.T, r pages.Row) {
			runRow(t, r, "data := []byte(`{\"issues\":[{\"owner\":\"ann\"}]}`)", "%s", "fmt.Print(string(owner), err)", `"ann"<nil>`)
		},
		"NDJSON": func(t *testing.T, r pages.Row) {
			code := strings.Replace(r.Code(1)[0], "…", "fmt.Print(row, err)", 1)
			pages.WantRun(t, code, pages.Program{Imports: []string{"fmt", "strings", importPath}, Declare: "type Row struct{ A int }",
				Before: "r := strings.NewReader(\"{\\\"A\\\":1}\\n{\\\"A\\\":2}\\n\")"}, "{1} <nil>{2} <nil>")
		},
		"tokens": func(t *testing.T, r pages.Row) {
			code := strings.Replace(r.Code(1)[0], "…", "fmt.Print(string(t.Value), \" \")", 1)
			pages.WantRun(t, code, pages.Program{Imports: []string{"fmt", importPath}, Before: "data := []byte(`[1,\"a\"]`)"}, "[ 1 , \"a\" ] ")
		},
	})
	page.Skip(t, "TestPagesMigrateJSON of bench/differential has them", "From segmentio/encoding/json", "What an invalid document costs")
	page.Done(t)
}

// runRow runs the code of a row, formatted by statement, between before and check.
func runRow(t *testing.T, r pages.Row, before, statement, check, want string) {
	t.Helper()
	code := fmt.Sprintf(statement, r.Code(1)[0])
	pages.WantRun(t, code, pages.Program{Imports: []string{"fmt", importPath}, Before: before, Check: check}, want)
}

func pageCapacity(t *testing.T, _ pages.Row) {
	type number int // no other test decodes slices of this type
	for _, n := range []int{100, 1000, 30000} {
		data := []byte("[" + strings.Repeat("1,", n-1) + "1]")
		var theirs, first, second []number
		grown := []number(nil)
		for range n {
			grown = append(grown, 1)
		}
		if err := std.Unmarshal(data, &theirs); err != nil || cap(theirs) < len(theirs)*101/100 {
			t.Errorf("encoding/json: %d for %d, %v", cap(theirs), n, err)
		}
		if json.Unmarshal(data, &first) != nil || json.Unmarshal(data, &second) != nil || cap(second) > n+n/4 || cap(second) > cap(grown) {
			t.Errorf("%d for %d, append gives %d", cap(second), n, cap(grown))
		}
	}
}

func pageStrings(t *testing.T, r pages.Row) {
	data := []byte(`["` + strings.Repeat(`abc","`, 999) + `"]`)
	count := func(unmarshal func([]byte, any) error) float64 {
		return testing.AllocsPerRun(20, func() {
			var v []string
			if err := unmarshal(data, &v); err != nil || len(v) != 1000 {
				t.Fatal(err)
			}
		})
	}
	if n := count(std.Unmarshal); n < 999 {
		t.Errorf("encoding/json: %v allocations for 999 strings", n)
	}
	if n := count(json.Unmarshal); n > 20 {
		t.Errorf("%v allocations", n)
	}
	if !strings.Contains(r.Cells[2], "4 KB") {
		t.Errorf("%s: the chunk is 4 KB", r.Where)
	}
}

// inProcess runs only this test in a new process, with variable set, until it ends or the limit is
// reached.
func inProcess(t *testing.T, variable string, limit time.Duration) (out string, ended bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), variable+"=1")
	b, _ := c.CombinedOutput()
	return string(b), ctx.Err() == nil
}

func pageCircle(t *testing.T, _ pages.Row) {
	var a, b any
	a, b = &b, &a
	if os.Getenv("SLIPSTREAM_CIRCLE") != "" {
		std.Unmarshal([]byte(`1`), &a)
		return
	}
	if err := json.Unmarshal([]byte(`1`), &a); err == nil {
		t.Error("no error")
	}
	// If encoding/json does not end in time on a slow machine, the test passes without proof. It
	// never fails for that reason.
	if out, ended := inProcess(t, "SLIPSTREAM_CIRCLE", time.Second); ended {
		t.Errorf("encoding/json has ended: %s", out)
	}
}

func pageRaw(t *testing.T, _ pages.Row) {
	for i, unmarshal := range []func([]byte, any) error{std.Unmarshal, json.Unmarshal} {
		var raw json.RawMessage
		first := unmarshal([]byte(`[1,2]`), &raw)
		kept := raw
		second := unmarshal([]byte(`"x"`), &raw)
		if want := []string{`"x"2]`, `[1,2]`}[i]; first != nil || second != nil || string(kept) != want {
			t.Errorf("%v, %v: what was kept is %s, want %s", first, second, kept, want)
		}
	}
}

func pageShortWrite(t *testing.T, r pages.Row) {
	theirs, ours := std.NewEncoder(shortWriter{}).Encode("long"), json.NewEncoder(shortWriter{}).Encode("long")
	if theirs != nil || ours != io.ErrShortWrite || r.Code(2)[0] != "io.ErrShortWrite" {
		t.Errorf("%v, %v", theirs, ours)
	}
}

type pageInner struct{ A int }

func pageEmbedded(t *testing.T, _ pages.Row) {
	type tagged struct {
		*pageInner `json:"x"`
	}
	type plain struct{ *pageInner }
	theirs := func() (result any) {
		defer func() { result = recover() }()
		std.Unmarshal([]byte(`{"x":{"A":1}}`), new(tagged))
		return nil
	}()
	if theirs == nil {
		t.Error("encoding/json does not panic")
	}
	want := std.Unmarshal([]byte(`{"A":1}`), new(plain))
	if err := json.Unmarshal([]byte(`{"x":{"A":1}}`), new(tagged)); want == nil || err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
}

func pageTypes(t *testing.T, _ pages.Row) {
	for _, pair := range [][2]reflect.Type{
		{reflect.TypeFor[json.Decoder](), reflect.TypeFor[std.Decoder]()},
		{reflect.TypeFor[json.Encoder](), reflect.TypeFor[std.Encoder]()},
	} {
		if reflect.PointerTo(pair[0]).AssignableTo(reflect.PointerTo(pair[1])) {
			t.Errorf("%v is encoding/json's", pair[0])
		}
	}
	// All other types are aliases.
	for _, pair := range [][2]reflect.Type{
		{reflect.TypeFor[json.RawMessage](), reflect.TypeFor[std.RawMessage]()}, {reflect.TypeFor[json.Number](), reflect.TypeFor[std.Number]()},
		{reflect.TypeFor[json.Delim](), reflect.TypeFor[std.Delim]()}, {reflect.TypeFor[json.Token](), reflect.TypeFor[std.Token]()},
		{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[std.Marshaler]()}, {reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[std.Unmarshaler]()},
		{reflect.TypeFor[json.SyntaxError](), reflect.TypeFor[std.SyntaxError]()}, {reflect.TypeFor[json.UnmarshalTypeError](), reflect.TypeFor[std.UnmarshalTypeError]()},
		{reflect.TypeFor[json.InvalidUnmarshalError](), reflect.TypeFor[std.InvalidUnmarshalError]()}, {reflect.TypeFor[json.MarshalerError](), reflect.TypeFor[std.MarshalerError]()},
		{reflect.TypeFor[json.UnsupportedTypeError](), reflect.TypeFor[std.UnsupportedTypeError]()}, {reflect.TypeFor[json.UnsupportedValueError](), reflect.TypeFor[std.UnsupportedValueError]()},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%v is not encoding/json's", pair[0])
		}
	}
}

// module writes a program with an older Go version in its go.mod, which requires this module. It
// returns a function that runs go commands there and returns their output.
func module(t *testing.T, more string) func(args ...string) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": "package main\n\nimport _ \"" + importPath + "\"\n\nfunc main() {}\n",
		"go.mod":  "module old\n\ngo 1.21\n\nreplace github.com/slipstream-go/slipstream => " + pages.Root(t) + "\n" + more,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(args ...string) string {
		c := exec.Command("go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
}

func goLine(t *testing.T, run func(...string) string) string {
	var m struct{ Go string }
	if err := std.Unmarshal([]byte(run("mod", "edit", "-json")), &m); err != nil {
		t.Fatal(err)
	}
	return m.Go
}

func pageGoLine(t *testing.T, _ pages.Row) {
	ours, err := os.ReadFile(filepath.Join(pages.Root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	run := module(t, "")
	if before := goLine(t, run); before != "1.21" {
		t.Fatal(before)
	}
	run("mod", "tidy")
	if after := goLine(t, run); !bytes.Contains(ours, []byte("\ngo "+after+"\n")) {
		t.Errorf("the go line is %s", after)
	}
}

func pageGodebug(t *testing.T, b pages.Block) {
	const show = "{{.DefaultGODEBUG}}"
	lifted, kept := module(t, ""), module(t, "\n"+b.Text)
	lifted("mod", "tidy")
	kept("mod", "tidy")
	// This setting has changed between Go 1.21 and now.
	if with, without := kept("list", "-f", show, "."), lifted("list", "-f", show, "."); !strings.Contains(with, "httpmuxgo121=1") || strings.Contains(without, "httpmuxgo121=1") {
		t.Errorf("with the line %q, without it %q", with, without)
	}
}

// onV2Program runs statements with GOEXPERIMENT=jsonv2. The statements refer to encoding/json as
// original, and to this package as json.
func onV2Program(t *testing.T, statements string) string {
	return pages.RunGo(t, "", pages.Program{
		Environment: []string{"GOEXPERIMENT=jsonv2"},
		Imports:     []string{"fmt", "io", "os/exec", "os", "runtime/debug", "strings", importPath},
		Declare:     "import original \"encoding/json\"\n\nvar _ = fmt.Sprint\nvar _ io.Reader\nvar _ exec.Cmd\nvar _ = os.Args\nvar _ = debug.SetMaxStack\nvar _ strings.Reader",
		Check:       statements,
	})
}

func pageBuffered(t *testing.T, r pages.Row) {
	got := onV2Program(t, `
	const text = "[1]" + "`+strings.Repeat(" ", 2000)+`"
	theirs, ours := original.NewDecoder(strings.NewReader(text)), json.NewDecoder(strings.NewReader(text))
	var v any
	theirs.Decode(&v)
	ours.Decode(&v)
	a, _ := io.ReadAll(theirs.Buffered())
	b, _ := io.ReadAll(ours.Buffered())
	fmt.Print(3+len(a), " bytes, ", 3+len(b), " bytes")`)
	theirs, ours, _ := strings.Cut(got, ", ")
	if !strings.HasSuffix(r.Cells[1], theirs) || !strings.HasSuffix(r.Cells[2], ours) {
		t.Errorf("%s: %s", r.Where, got)
	}
}

func pageSelf(t *testing.T, _ pages.Row) {
	got := onV2Program(t, `
	var self any
	self = &self
	if len(os.Args) > 1 {
		debug.SetMaxStack(1 << 20)
		original.Marshal(self)
		return
	}
	_, err := json.Marshal(self)
	out, _ := exec.Command(os.Args[0], "crash").CombinedOutput()
	fmt.Print(err, "; ", strings.Contains(string(out), "stack overflow"))`)
	if want := "json: unsupported value: encountered a cycle via *interface {}; true"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
