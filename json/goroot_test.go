package json_test

// Go's own tests of encoding/json, run against this package. None of them is kept here: they are
// those of the Go that runs.
//
//	go list encoding/json    which test files this Go has for its experiments, and where
//	gorootFile.reshape       edits a file so that its lines keep their numbers: imports, and literals with hidden fields
//	go test -overlay         lays the files into testdata/goroot, beside shim.go: this package under the names they use
//	gorootRun.judge          every test that a file declares must pass, and gorootCounts in all; else its output is shown
//
// What cannot hold stands in gorootSkips with its reason. SLIPSTREAM_REQUIRE_GOROOT=1 makes it a
// failure that the Go command or its tests are not there. With GOEXPERIMENT=jsonv2, they are the
// tests that expect what Go 1.27 does.

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// gorootSkips are the tests that are not asked for; a name may be that of a subtest. Without a name
// it is the whole file, which is not compiled either. A skip of a test that is gone, or that
// passes, is a failure.
var gorootSkips = []struct{ file, name, reason string }{
	{"bench_test.go", "", "no tests: benchmarks that reset the field cache of encoding/json and import internal packages"},
	{"v2_bench_test.go", "", "no tests: benchmarks that import internal packages"},
	{"tags_test.go", "", "one test, of parseTag, whose result no public function shows"},
	{"v2_diff_test.go", "TestTimeDurations", "skips itself"},
}

// gorootCounts are how many tests of a file, with subtests and seeds, must have passed: nine tenths
// of those of Go 1.26.8.
var gorootCounts = map[string]int{
	"decode_test.go": 300, "v2_decode_test.go": 300,
	"encode_test.go": 120, "v2_encode_test.go": 120,
	"example_marshaling_test.go": 1, "v2_example_marshaling_test.go": 1,
	"example_test.go": 10, "v2_example_test.go": 10,
	"example_text_marshaling_test.go": 1, "v2_example_text_marshaling_test.go": 1,
	"fuzz_test.go": 4, "v2_fuzz_test.go": 4,
	"scanner_test.go": 24, "v2_scanner_test.go": 24,
	"stream_test.go": 36, "v2_stream_test.go": 36,
	"tagkey_test.go": 15, "v2_tagkey_test.go": 15,
	"fold_test.go":    24,
	"number_test.go":  1,
	"v2_diff_test.go": 54,
}

// gorootEdits stand in for what the shim cannot offer.
var gorootEdits = []struct{ file, old, new string }{
	{"fold_test.go", "string(foldName(x)) == string(foldName(y))", "sameField(x, y)"},
}

// gorootLiterals are the types with a field that only encoding/json can name: the shim has a
// constructor with these parameters.
var gorootLiterals = map[string]struct {
	constructor string
	parameters  []string
}{
	"SyntaxError":    {"syntaxError", []string{"msg", "Offset"}},
	"MarshalerError": {"marshalerError", []string{"Type", "Err", "sourceFunc"}},
}

const gorootShim = "testdata/goroot"

// gorootImports are where the files find a package.
var gorootImports = map[string]string{
	"encoding/json":                   "github.com/slipstream-go/slipstream/json",
	"encoding/json/internal/jsontest": "github.com/slipstream-go/slipstream/json/" + gorootShim + "/jsontest",
}

// gorootSupport is what they need of the second one.
const gorootSupport = "jsontest/testcase.go"

func TestGoroot(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and runs a second test program")
	}
	var complaints bytes.Buffer
	goCommand := func(arg ...string) ([]byte, error) {
		complaints.Reset()
		run := exec.Command("go", arg...)
		run.Stderr = &complaints
		return run.Output()
	}

	var std struct {
		Dir                       string
		TestGoFiles, XTestGoFiles []string
	}
	if out, err := goCommand("list", "-json=Dir,TestGoFiles,XTestGoFiles", "encoding/json"); err != nil {
		gorootMissing(t, "go list encoding/json: %v\n%s", err, &complaints)
	} else if err := json.Unmarshal(out, &std); err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(std.TestGoFiles, std.XTestGoFiles)
	if len(names) == 0 {
		gorootMissing(t, "%s has no tests", std.Dir)
	}
	if _, err := os.ReadDir(gorootShim); err != nil { // go test caches no result past a change of what it sees read
		gorootMissing(t, "%v", err)
	}
	checkGorootTables(t, std.Dir)

	laid := map[string][]byte{}
	declared := map[string][]string{}
	for _, name := range names {
		if !gorootSkipped(name, "") {
			file := readGorootFile(t, std.Dir, name)
			laid[name] = file.reshape(t)
			declared[name] = file.tests()
		}
	}
	if support, err := os.ReadFile(filepath.Join(std.Dir, "internal", gorootSupport)); err == nil {
		laid[gorootSupport] = support
	}

	// The inner run is built as the outer one is.
	overlay := layGorootFiles(t, laid)
	out, err := goCommand("test", "-json", "-count=1", "-vet=off", "-timeout=5m", "-tags="+gorootTags(), "-overlay="+overlay, "./"+gorootShim)
	run := readGorootRun(t, out)
	if len(run.order) == 0 {
		t.Fatalf("no test ran: %v\n%s%s", err, strings.ReplaceAll(run.rest.String(), filepath.Dir(overlay), std.Dir), &complaints)
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		t.Run(name, func(t *testing.T) { run.judge(t, name, declared[name]) })
	}
	if ends := slices.Collect(maps.Values(run.end)); err != nil && !slices.Contains(ends, "fail") && !t.Failed() {
		t.Errorf("each test passed, but: %v\n%s%s", err, &run.rest, &complaints)
	}
}

// gorootMissing ends the test: there is nothing to run.
func gorootMissing(t *testing.T, format string, arg ...any) {
	if os.Getenv("SLIPSTREAM_REQUIRE_GOROOT") != "" {
		t.Fatalf(format, arg...)
	}
	t.Skipf(format, arg...)
}

// gorootSkipped reports whether the table skips the test, or with no name the file.
func gorootSkipped(file, name string) bool {
	return slices.ContainsFunc(gorootSkips, func(s struct{ file, name, reason string }) bool { return s.file == file && s.name == name })
}

// checkGorootTables prints the skips, and finds entries of the tables for files and tests that Go
// does not have, for whichever experiment.
func checkGorootTables(t *testing.T, dir string) {
	for _, skip := range gorootSkips {
		t.Logf("skipped: %s: %s", filepath.Join(skip.file, skip.name), skip.reason)
		root, _, _ := strings.Cut(skip.name, "/")
		if tests := readGorootFile(t, dir, skip.file).tests(); root != "" && !slices.Contains(tests, root) {
			t.Errorf("gorootSkips names %s, which is not in %s", root, skip.file)
		}
	}
	for name := range gorootCounts {
		readGorootFile(t, dir, name)
	}
}

// gorootTags are the build tags of this test.
func gorootTags() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "-tags" {
				return setting.Value
			}
		}
	}
	return ""
}

// layGorootFiles writes the files, and an overlay that tells the go command to see them beside the
// shim. It is the overlay's name.
func layGorootFiles(t *testing.T, files map[string][]byte) string {
	shim, err := filepath.Abs(gorootShim)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		name = filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	replace := map[string]string{}
	for name, text := range files {
		replace[filepath.Join(shim, name)] = write(name, text)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	return write("overlay.json", overlay)
}

// gorootFile is a test file of Go.
type gorootFile struct {
	name   string
	text   []byte
	syntax *ast.File
	base   int // where the file begins in the positions of its syntax
}

func readGorootFile(t *testing.T, dir, name string) gorootFile {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return gorootFile{name, text, syntax, set.File(syntax.FileStart).Base()}
}

// tests are the names of what go test runs of the file: tests, fuzz targets, and the examples whose
// output it checks.
func (f gorootFile) tests() (names []string) {
	for _, decl := range f.syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && (strings.HasPrefix(fn.Name.Name, "Test") || strings.HasPrefix(fn.Name.Name, "Fuzz")) {
			names = append(names, fn.Name.Name)
		}
	}
	for _, example := range doc.Examples(f.syntax) {
		if example.Output != "" || example.EmptyOutput {
			names = append(names, "Example"+example.Name)
		}
	}
	return names
}

// gorootChange puts text in the place of a part of a file.
type gorootChange struct {
	start, end token.Pos
	text       string
}

// reshape makes the file one that compiles beside the shim. No line moves.
func (f gorootFile) reshape(t *testing.T) []byte {
	var changes []gorootChange
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			if path, err := strconv.Unquote(n.Path.Value); err == nil && gorootImports[path] != "" {
				changes = append(changes, gorootChange{n.Path.Pos(), n.Path.End(), strconv.Quote(gorootImports[path])})
			}
		case *ast.UnaryExpr:
			if literal, ok := n.X.(*ast.CompositeLit); ok {
				changes = append(changes, f.construct(t, n.Pos(), literal)...)
			}
		}
		return true
	})
	slices.SortFunc(changes, func(a, b gorootChange) int { return int(a.start - b.start) })

	var out []byte
	done := 0
	for _, c := range changes {
		out = append(append(out, f.text[done:int(c.start)-f.base]...), c.text...)
		done = int(c.end) - f.base
	}
	out = append(out, f.text[done:]...)
	for _, e := range gorootEdits {
		if e.file == f.name {
			if !bytes.Contains(out, []byte(e.old)) {
				t.Fatalf("gorootEdits: %s has no %s", f.name, e.old)
			}
			out = bytes.ReplaceAll(out, []byte(e.old), []byte(e.new))
		}
	}
	return out
}

// construct makes a call of a pointer to a literal with a hidden field: &SyntaxError{msg: "…",
// Offset: 1} becomes syntaxError("…", 1).
func (f gorootFile) construct(t *testing.T, start token.Pos, literal *ast.CompositeLit) []gorootChange {
	name, _ := literal.Type.(*ast.Ident)
	if name == nil || gorootLiterals[name.Name].constructor == "" {
		return nil
	}
	to := gorootLiterals[name.Name]
	if len(literal.Elts) != len(to.parameters) {
		t.Fatalf("%s: a literal %s with %d fields: its constructor has %d parameters", f.name, name.Name, len(literal.Elts), len(to.parameters))
	}
	changes := []gorootChange{{start, literal.Lbrace + 1, to.constructor + "("}, {literal.Rbrace, literal.Rbrace + 1, ")"}}
	for i, element := range literal.Elts {
		if field, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := field.Key.(*ast.Ident); !ok || key.Name != to.parameters[i] {
				t.Fatalf("%s: a literal %s has its fields in another order than the constructor's parameters", f.name, name.Name)
			}
			changes = append(changes, gorootChange{field.Pos(), field.Value.Pos(), ""})
		}
	}
	return changes
}

// gorootRun is what go test -json told.
type gorootRun struct {
	order  []string                    // the tests as they began
	end    map[string]string           // how each ended: pass, fail, skip, or not at all
	output map[string]*strings.Builder // what each printed
	rest   strings.Builder             // what the compiler printed, and the test program outside of tests
}

func readGorootRun(t *testing.T, told []byte) *gorootRun {
	run := &gorootRun{end: map[string]string{}, output: map[string]*strings.Builder{}}
	for events := json.NewDecoder(bytes.NewReader(told)); ; {
		var event struct{ Action, Test, Output string }
		if err := events.Decode(&event); errors.Is(err, io.EOF) {
			return run
		} else if err != nil {
			t.Fatalf("go test -json: %v\n%s", err, told)
		}
		switch event.Action {
		case "build-output":
			run.rest.WriteString(event.Output)
		case "run":
			run.order = append(run.order, event.Test)
			run.output[event.Test] = new(strings.Builder)
			run.end[event.Test] = "no end"
		case "output":
			out := run.output[event.Test]
			if out == nil {
				out = &run.rest
			}
			out.WriteString(event.Output)
		case "pass", "fail", "skip":
			if event.Test != "" {
				run.end[event.Test] = event.Action
			}
		}
	}
}

// judge fails unless each of the tests that the file declares ran and passed, or is to be skipped.
func (r *gorootRun) judge(t *testing.T, file string, declared []string) {
	passed, failed := 0, 0
	for _, name := range r.order {
		if root, _, _ := strings.Cut(name, "/"); !slices.Contains(declared, root) {
			continue
		}
		skipped := gorootSkipped(file, name)
		switch end, text := r.end[name], r.text(name); {
		case end == "pass" && skipped:
			t.Errorf("%s passes: gorootSkips need not name it", name)
		case end == "pass":
			passed++
		case skipped, text == "" && r.failedWithin(name):
		case failed < 10:
			failed++
			t.Errorf("%s: %s%s", end, name, text)
		default:
			t.Errorf("%s: %s", end, name)
		}
	}
	absent := slices.Clone(declared)
	for _, skip := range gorootSkips {
		if skip.file == file {
			absent = append(absent, skip.name)
		}
	}
	absent = slices.DeleteFunc(absent, func(name string) bool { return r.end[name] != "" })
	if len(absent) > 0 {
		t.Errorf("did not run: %s", strings.Join(absent, ", "))
	}
	t.Logf("%d passed", passed)
	if want := gorootCounts[file]; passed < want && !t.Failed() {
		t.Errorf("%d or more should have", want)
	}
}

// failedWithin reports whether a subtest of the test failed.
func (r *gorootRun) failedWithin(name string) bool {
	return slices.ContainsFunc(r.order, func(n string) bool { return strings.HasPrefix(n, name+"/") && r.end[n] == "fail" })
}

// text is what the test printed, without the marks of go test, and cut off when it is long.
func (r *gorootRun) text(name string) (text string) {
	lines := 0
	for line := range strings.Lines(r.output[name].String()) {
		mark := strings.TrimLeft(line, " ")
		if strings.HasPrefix(mark, "=== ") || strings.HasPrefix(mark, "--- FAIL: ") || strings.HasPrefix(mark, "--- SKIP: ") {
			continue
		}
		if lines++; lines > 30 {
			return text + "\n    …"
		}
		text += "\n" + strings.TrimSuffix(line, "\n")
	}
	return text
}
