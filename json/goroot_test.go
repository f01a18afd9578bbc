package json_test

// This file runs Go's own tests of encoding/json against this package. The repository contains no
// copy of them: they come from the installed Go.
//
//	go list encoding/json    lists the test files of this Go for its experiments, and their directory
//	gorootFile.reshape       edits imports and literals with hidden fields in a file; lines keep their numbers
//	go test -overlay         adds the files to testdata/goroot, beside shim.go, which declares the names that they use
//	gorootRun.judge          requires that each declared test passes, and at least gorootCounts tests in all; otherwise it shows the output
//
// gorootSkips lists the tests that cannot pass, with the reason. With SLIPSTREAM_REQUIRE_GOROOT=1,
// a missing Go command or missing tests are a failure. With GOEXPERIMENT=jsonv2, the tests are
// those that expect the behaviour of Go 1.27.

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

// gorootSkips lists the tests that are skipped. A name may be that of a subtest. An entry without a
// name skips the whole file, which is then not compiled either. An entry for a test that no longer
// exists, or that passes, is a failure.
var gorootSkips = []struct{ file, name, reason string }{
	{"bench_test.go", "", "no tests: benchmarks that reset the field cache of encoding/json and import internal packages"},
	{"v2_bench_test.go", "", "no tests: benchmarks that import internal packages"},
	{"tags_test.go", "", "one test, of parseTag, whose result no public function shows"},
	{"v2_diff_test.go", "TestTimeDurations", "skips itself"},
}

// gorootCounts contains the minimum number of tests of a file that must pass, with subtests and
// seeds: nine tenths of the number in Go 1.26.8.
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

// gorootEdits replaces code that the shim cannot support.
var gorootEdits = []struct{ file, old, new string }{
	{"fold_test.go", "string(foldName(x)) == string(foldName(y))", "sameField(x, y)"},
}

// gorootLiterals lists the types with a field that only encoding/json can name. The shim contains a
// constructor for each, with these parameters.
var gorootLiterals = map[string]struct {
	constructor string
	parameters  []string
}{
	"SyntaxError":    {"syntaxError", []string{"msg", "Offset"}},
	"MarshalerError": {"marshalerError", []string{"Type", "Err", "sourceFunc"}},
}

const gorootShim = "testdata/goroot"

// gorootImports maps the import paths in the files to the packages that replace them.
var gorootImports = map[string]string{
	"encoding/json":                   "github.com/slipstream-go/slipstream/json",
	"encoding/json/internal/jsontest": "github.com/slipstream-go/slipstream/json/" + gorootShim + "/jsontest",
}

// gorootSupport is the file of the second package that the tests need.
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
	if _, err := os.ReadDir(gorootShim); err != nil { // makes go test rerun this test when the directory changes
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

	// Build the inner run with the same tags as the outer run.
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

// gorootMissing ends the test, because Go or its tests are not installed.
func gorootMissing(t *testing.T, format string, arg ...any) {
	if os.Getenv("SLIPSTREAM_REQUIRE_GOROOT") != "" {
		t.Fatalf(format, arg...)
	}
	t.Skipf(format, arg...)
}

// gorootSkipped reports whether gorootSkips contains the test, or the whole file if name is empty.
func gorootSkipped(file, name string) bool {
	return slices.ContainsFunc(gorootSkips, func(s struct{ file, name, reason string }) bool { return s.file == file && s.name == name })
}

// checkGorootTables prints the skips. It reports entries of the tables for files and tests that do
// not exist in Go, with any experiment.
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

// gorootTags returns the build tags of this test.
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

// layGorootFiles writes the files and an overlay that places them beside the shim. It returns the
// name of the overlay.
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
	base   int // position of the start of the file in syntax
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

// tests returns the names of the functions that go test runs from the file: tests, fuzz targets,
// and examples with output.
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

// gorootChange replaces a part of a file by text.
type gorootChange struct {
	start, end token.Pos
	text       string
}

// reshape returns the file in a form that compiles beside the shim. No line moves.
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

// construct replaces a pointer to a literal with a hidden field by a call: &SyntaxError{msg: "…",
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

// gorootRun is the parsed output of go test -json.
type gorootRun struct {
	order  []string                    // the tests in the order of their starts
	end    map[string]string           // result of each test: pass, fail, skip, or missing
	output map[string]*strings.Builder // output of each test
	rest   strings.Builder             // output of the compiler, and of the test program outside of tests
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

// judge fails unless each declared test of the file ran and passed, or is skipped.
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

// text returns the output of the test without go test's markers, truncated if it is long.
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
