package slipstream

import (
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// idioms maps words that slow readers down to plain words.
var idioms = map[string]string{
	"whoever":    "the caller, the sender, the operator …",
	"anew":       "again, re-…",
	"of late":    "recently",
	"at hand":    "current, buffered, available",
	"in hand":    "current, in flight",
	"becomes of": "the action for, the outcome of",
	"became of":  "the outcome of",
}

// Documentation, code and comments contain no idioms. Tests and benchmark results are not searched.
func TestPlainWords(t *testing.T) {
	var all []string
	for idiom := range idioms {
		all = append(all, idiom)
	}
	slices.Sort(all)
	found := regexp.MustCompile(`\b(` + strings.Join(all, "|") + `)\b`)
	for name, lines := range written(t, ".go", ".md", ".rb", ".c", ".h") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for k, line := range lines {
			for _, idiom := range found.FindAllString(line, -1) {
				t.Errorf("%s:%d: %q; write: %s", name, k+1, idiom, idioms[idiom])
			}
		}
	}
}

// columns is the maximum width of prose in Markdown and in comments.
const columns = 100

// The prose of Markdown pages and Go comments is at most columns wide. Targets of links do not
// count. Tables, code and generated files may be wider.
func TestWidth(t *testing.T) {
	prose := 0
	target := regexp.MustCompile(`\]\([^)]*\)`)
	span := regexp.MustCompile("`[^`]*`")
	wide := func(name string, k int, line string) {
		prose++
		text := strings.ReplaceAll(target.ReplaceAllString(line, "]"), "\t", "    ")
		// A single word or piece of code cannot be wrapped.
		words := strings.Fields(span.ReplaceAllString(strings.TrimLeft(text, "/-*> "), "x"))
		if n := utf8.RuneCountInString(text); n > columns && len(words) > 1 {
			t.Errorf("%s:%d: %d columns, beyond %d: %s", name, k+1, n, columns, line)
		}
	}
	comment := regexp.MustCompile(`^\t*// [^\t|]`)
	drawn := regexp.MustCompile(`\S   *\S|[─│┌└├▶◀▼▲]`)
	for name, lines := range written(t, ".go", ".md") {
		if strings.HasPrefix(lines[0], "// Code generated") {
			continue
		}
		code, output := false, false
		for k, line := range lines {
			switch {
			case filepath.Ext(name) == ".md":
				if strings.HasPrefix(strings.TrimSpace(line), "```") {
					code = !code
				} else if !code && !strings.HasPrefix(strings.TrimSpace(line), "|") && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "[!") {
					wide(name, k, line)
				}
			case comment.MatchString(line):
				text := strings.TrimSpace(line)
				output = output || strings.HasPrefix(text, "// Output:") || strings.HasPrefix(text, "// Unordered output:")
				if !output && !drawn.MatchString(text[3:]) {
					wide(name, k, line)
				}
			default:
				output = false
			}
		}
	}
	if prose < 10000 {
		t.Errorf("%d lines of prose were read", prose)
	}
}

// written returns the lines of the repository's files with these extensions, except for generated
// pages.
func written(t *testing.T, extensions ...string) iter.Seq2[string, []string] {
	names := files(t, extensions...)
	if len(names) < 400 {
		t.Errorf("there are %d files", len(names))
	}
	return func(yield func(string, []string) bool) {
		for _, name := range names {
			if path.Base(name) == "RESULTS.md" {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(name, strings.Split(string(text), "\n")) {
				return
			}
		}
	}
}

// files returns the sorted names of the repository's files with these extensions.
func files(t *testing.T, extensions ...string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch base := entry.Name(); {
		case entry.IsDir() && name != "." && (base[0] == '.' || name == "data" || slices.Contains([]string{"testdata", "tmp", "pkg"}, base)):
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains(extensions, filepath.Ext(name)):
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
