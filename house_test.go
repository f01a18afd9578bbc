package slipstream

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/slipstream-go/slipstream"

// imports lists, for each package, the packages of this repository that it may import. A package
// without an entry may import none of them.
var imports = map[string][]string{
	"msgpack":           {"column", "internal/buffer", "internal/mem", "internal/msgpwire", "internal/plan", "internal/wire", "msgpack/msgpcode"},
	"json":              {"column", "internal/buffer", "internal/decimal", "internal/mem", "internal/plan", "internal/simd", "internal/wire", "iso8601"},
	"schema":            {"column", "internal/jsonfault", "internal/mem", "internal/wire"},
	"parco":             {"internal/mem", "internal/wire", "schema"},
	"remotewrite":       {"internal/buffer", "internal/mem", "internal/wire"},
	"internal/simd":     {"internal/mem"},
	"internal/decimal":  {"internal/mem"},
	"iso8601":           {"internal/mem"},
	"transcode":         {"internal/buffer", "internal/decimal", "internal/mem", "internal/msgpwire", "internal/wire", "iso8601", "json", "msgpack"},
	"internal/buffer":   {"internal/mem"},
	"internal/plan":     {"internal/mem"},
	"internal/wire":     {"internal/mem"},
	"internal/msgpwire": {"internal/wire"},
	"internal/corpus":   {"internal/guard"},
	"internal/guard":    {"internal/mem"},
	"internal/growth":   {"internal/api"},

	"internal/corpus/matrix": {"internal/corpus", "internal/guard", "internal/mem"},
	"internal/corpus/sheet":  {"column", "internal/corpus", "internal/guard"},

	"server/disk":           {},
	"server/disk/faulty":    {"server/disk"},
	"server/memnet":         {},
	"server/testkit":        {},
	"server/latency":        {},
	"server/sim":            {"column", "server/disk", "server/disk/faulty", "server/parquet", "server/queue", "server/table", "server/wal"},
	"server/access":         {},
	"server/admission":      {},
	"server/series":         {"column", "json", "remotewrite", "server/names", "server/refusal", "server/rows"},
	"server/wal":            {"server/disk"},
	"server/queue":          {"server/wal"},
	"server/table":          {"column", "server/disk", "server/wal"},
	"server/parquet":        {"column", "server/disk", "server/table"},
	"server/names":          {"column", "server/refusal"},
	"server/refusal":        {"server/access", "server/admission", "server/table"},
	"server/registry":       {"schema", "server/disk", "server/names", "server/refusal"},
	"server/rows":           {"column", "iso8601", "json", "msgpack", "msgpack/msgpcode", "schema", "server/names", "server/refusal", "server/table"},
	"server/ingest":         {"column", "schema", "server/access", "server/admission", "server/latency", "server/names", "server/refusal", "server/registry", "server/rows", "server/series", "server/table", "server/wal"},
	"server/relay":          {"internal/jsonfault", "remotewrite", "server/access", "server/admission", "server/latency", "server/queue", "server/series"},
	"server/metrics":        {"server/access", "server/ingest", "server/queue", "server/refusal", "server/relay", "server/table", "server/wal", "server/watch"},
	"server/config":         {"internal/jsonfault", "server/access", "server/parquet", "server/relay"},
	"server/query":          {"column", "server/parquet"},
	"server/program":        {},
	"server/throttle":       {},
	"server/watch":          {},
	"server/service":        {"msgpack", "server/access", "server/admission", "server/config", "server/disk", "server/ingest", "server/metrics", "server/parquet", "server/query", "server/queue", "server/registry", "server/relay", "server/rows", "server/series", "server/table", "server/throttle", "server/wal", "server/watch"},
	"server/cmd/slipstream": {"server/config", "server/program", "server/service"},

	"tools/load":        {"column", "msgpack", "remotewrite", "schema"},
	"tools/migrate":     {},
	"tools/evolve":      {"schema"},
	"tools/cmd/slipctl": {"server/program", "server/query", "server/queue", "server/wal", "tools/evolve", "tools/load", "tools/migrate"},

	"bench/msgpack":      {"bench/harness", "column", "msgpack"},
	"bench/json":         {"bench/harness", "bench/json/corpus", "json", "transcode"},
	"bench/json/purego":  {"bench/harness", "bench/json"},
	"bench/json/shapes":  {"bench/json/corpus"},
	"bench/iso8601":      {"bench/harness", "iso8601"},
	"bench/remotewrite":  {"bench/harness", "bench/remotewrite/vtpb1", "bench/remotewrite/vtpb2", "remotewrite"},
	"bench/schema":       {"bench/harness", "bench/schema/flat", "bench/schema/pb", "internal/mem", "json", "msgpack", "parco", "schema"},
	"bench/child":        {},
	"bench/ingest":       {"bench/child", "bench/harness", "column", "msgpack", "server/parquet", "tools/load"},
	"bench/relay":        {"bench/child", "bench/harness", "remotewrite", "tools/load"},
	"bench/cmd/bench":    {"bench/harness", "bench/ingest", "bench/iso8601", "bench/json", "bench/msgpack", "bench/relay", "bench/remotewrite", "bench/schema"},
	"bench/differential": {"bench/json/corpus", "internal/api", "internal/corpus", "json", "msgpack"},

	"bench/differential/remotewrite": {"remotewrite"},
}

// unsafeFiles lists the files outside internal/mem that may import unsafe.
var unsafeFiles = []string{
	"internal/growth/cpu_linux.go",                                                       // tests only: the address of a struct for a system call
	"bench/remotewrite/vtpb1/vtpb1.pb.go", "bench/remotewrite/vtpb1/vtpb1_vtproto.pb.go", // generated
	"bench/remotewrite/vtpb2/vtpb2.pb.go", "bench/remotewrite/vtpb2/vtpb2_vtproto.pb.go",
	"bench/schema/pb/small.pb.go", "bench/schema/pb/small_vtproto.pb.go",
}

// leaves lists the packages that tests may also import, including the packages below them.
var leaves = []string{"internal/corpus", "internal/growth", "internal/guard", "internal/pages"}

// isLeaf reports whether pkg is one of leaves or below one.
func isLeaf(pkg string) bool {
	return slices.ContainsFunc(leaves, func(leaf string) bool { return pkg == leaf || strings.HasPrefix(pkg, leaf+"/") })
}

type source struct {
	pkg, file string
	imports   []string
	test      bool
}

// inRoot reports whether the file belongs to the root module.
func (s *source) inRoot() bool {
	dir, _, _ := strings.Cut(s.pkg, "/")
	return !slices.Contains([]string{"server", "tools", "bench"}, dir)
}

func sources(t *testing.T) []source {
	var all []source
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != "." || entry.Name() == "testdata" || entry.Name() == "compat") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{pkg: path.Dir(filepath.ToSlash(name)), file: filepath.ToSlash(name), test: strings.HasSuffix(name, "_test.go")}
		for _, imported := range parsed.Imports {
			p, err := strconv.Unquote(imported.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, p)
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d Go files were found", len(all))
	}
	return all
}

// Each import of one package of the repository by another is in the table imports.
func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		for _, p := range s.imports {
			pkg, inside := strings.CutPrefix(p, module+"/")
			if !inside || pkg == s.pkg {
				continue
			}
			// Tests of the service and of the tools may import all packages of the repository
			// except bench, because they build the packages below their own.
			allowed := slices.Contains(imports[s.pkg], pkg) || s.test && (isLeaf(pkg) || (strings.HasPrefix(s.pkg, "server/") || strings.HasPrefix(s.pkg, "tools/")) && !strings.HasPrefix(pkg, "bench"))
			if !allowed {
				t.Errorf("%s imports %s: the table of imports does not allow that", s.file, pkg)
			}
		}
	}
}

// The root module imports only the standard library.
func TestStandardLibraryOnly(t *testing.T) {
	for _, s := range sources(t) {
		if !s.inRoot() {
			continue
		}
		for _, p := range s.imports {
			if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") && !strings.HasPrefix(p, module) {
				t.Errorf("%s imports %s: the root module takes the standard library only", s.file, p)
			}
		}
	}
}

// Only internal/mem imports unsafe, apart from tests and the files in unsafeFiles.
func TestUnsafe(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg != "internal/mem" && slices.Contains(s.imports, "unsafe") && !slices.Contains(unsafeFiles, s.file) && !s.test {
			t.Errorf("%s imports unsafe: only internal/mem may, and the files that house_test.go names", s.file)
		}
	}
}

// The code contains no linknames into the runtime, and no notes about postponed work.
func TestNothingHidden(t *testing.T) {
	for _, s := range sources(t) {
		text, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"//go:" + "linkname", "TO" + "DO", "FIX" + "ME"} {
			if strings.Contains(string(text), word) {
				t.Errorf("%s has %s", s.file, word)
			}
		}
	}
}

// Each package in the table imports exists.
func TestImportsExist(t *testing.T) {
	real := map[string]bool{}
	for _, s := range sources(t) {
		real[s.pkg] = true
	}
	for pkg, to := range imports {
		for _, r := range append([]string{pkg}, to...) {
			if !real[r] {
				t.Errorf("the table of imports names %s, which does not exist", r)
			}
		}
	}
}

// Every package has a package comment.
func TestPackageComments(t *testing.T) {
	documented := map[string]bool{}
	packages := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		packages[s.pkg] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), s.file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Doc != nil {
			documented[s.pkg] = true
		}
	}
	for pkg := range packages {
		if !documented[pkg] {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

// Each path in the map in doc.go exists, and the map names each package.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	words := regexp.MustCompile(`[a-z0-9]+(/[a-z0-9_]+)*(\.(go|md))?`)
	within := regexp.MustCompile(`^(internal|server|bench|docs|msgpack|json|schema|parco|remotewrite)/`)
	for _, word := range words.FindAllString(string(text), -1) {
		named[word] = true
		if !within.MatchString(word) {
			continue
		}
		if _, err := os.Stat(filepath.FromSlash(word)); err != nil {
			t.Errorf("doc.go names %s, which does not exist", word)
		}
	}
	for _, s := range sources(t) {
		top, _, _ := strings.Cut(s.pkg, "/")
		if s.test || s.pkg == "." || top == "bench" || top == "compat" || top == "examples" {
			continue
		}
		if !named[s.pkg] {
			t.Errorf("doc.go does not name the package %s", s.pkg)
		}
	}
}

// TestNoElapsedTime finds tests of the codecs that measure elapsed time, which a busy machine
// changes. They compare CPU time instead, by package growth.
func TestNoElapsedTime(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test || !s.inRoot() || s.file == "house_test.go" {
			continue
		}
		text, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "time.Since(") {
			t.Errorf("%s uses time.Since: use growth.Ratio or growth.Check", s.file)
		}
	}
}
