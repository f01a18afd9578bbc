package corpus

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestReadPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	text := "# Title\nOne. Two\nlines.\n\n## Rows\n\n| a | b |\n|---|---|\n| `x \\| y` | 2 |\n| z | |\n\nAfter: it.\n```go\na := 1 // | no row |\n\nb\n```\n# End\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p := ReadPage(t, file)
	rows := p.Section(t, "Rows")
	if want := (&Section{
		Title:     "Rows",
		Tables:    []Table{{Rows: [][]string{{"`x | y`", "2"}, {"z", ""}}}},
		Blocks:    []Block{{"go", "a := 1 // | no row |\n\nb\n"}},
		Sentences: []string{"After:", "it."},
	}); !reflect.DeepEqual(rows, want) {
		t.Errorf("got  %+v\nwant %+v", rows, want)
	}
	if got, want := p.Section(t, "Title").Sentences, []string{"One.", "Two lines."}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.Blocks()[0].Lines(), []string{"a := 1 // | no row |", "b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadComment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "doc.go")
	if err := os.WriteFile(file, []byte("// Package x is one.\n//\n// # Rows\n//\n//\ta b\n//\n//\tc\n//\n// After.\npackage x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := []*Section{{Sentences: []string{"Package x is one."}}, {Title: "Rows", Blocks: []Block{{"", "a b\n"}, {"", "c\n"}}, Sentences: []string{"After."}}}
	if got := ReadComment(t, file).Sections; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got[1])
	}
}

// recorder counts the errors of a test.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.errors++ }

func TestRegistered(t *testing.T) {
	for want, keys := range map[int][]string{0: {"a", "b"}, 1: {"a"}, 2: {"a", "a"}, 3: {"c"}} {
		r := &recorder{TB: t}
		if Registered(r, "page", keys, map[string]int{"a": 1, "b": 2}); r.errors != want {
			t.Errorf("%q: %d errors, want %d", keys, r.errors, want)
		}
	}
}
