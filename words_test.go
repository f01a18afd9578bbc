package slipstream

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// idioms are words that readers stumble over, and what to write instead. The list grows by what
// reviews find.
var idioms = map[string]string{
	"whoever":    "the caller, the sender, the operator …",
	"anew":       "again, re-…",
	"of late":    "recently",
	"at hand":    "current, buffered, available",
	"in hand":    "current, in flight",
	"becomes of": "the action for, the outcome of",
	"became of":  "the outcome of",
}

// TestPlainWords looks for idioms in documentation, code and comments. Tests and results of
// benchmarks are not searched.
func TestPlainWords(t *testing.T) {
	var all []string
	for idiom := range idioms {
		all = append(all, idiom)
	}
	slices.Sort(all)
	found := regexp.MustCompile(`\b(` + strings.Join(all, "|") + `)\b`)
	read := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if strings.HasPrefix(entry.Name(), ".") && name != "." || slices.Contains([]string{"testdata", "results", "tmp", "pkg"}, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".rb", ".c", ".h"}, filepath.Ext(name)) ||
			strings.HasSuffix(name, "_test.go") || name == filepath.Join("bench", "RESULTS.md") {
			return nil
		}
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		read++
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for number := 1; lines.Scan(); number++ {
			for _, idiom := range found.FindAllString(lines.Text(), -1) {
				t.Errorf("%s:%d: %q; write: %s", name, number, idiom, idioms[idiom])
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 400 {
		t.Errorf("%d files were read", read)
	}
}
