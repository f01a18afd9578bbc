package pages

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestSentences(t *testing.T) {
	p := parsePage("page.md", "# A\n\nOne. Two\nlines!\n\n| a | b |\n|---|---|\n| c. d | e |\n\n```\ncode. code\n```\nLast: it\n\nNo end\n# B\nOther.\n")
	if got, want := sentences(p.sections[1].prose), []string{"One.", "Two lines!", "Last:", "it", "No end"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestReadComment(t *testing.T) {
	const comment = "// Package x is one.\n//\n// # Rows\n//\n//\ta b\n//\n//\t\tc\n//\n// After. It\n// ends.\n//\n//\td\npackage x\n"
	name, err := filepath.Rel(Root(t), filepath.Join(t.TempDir(), "doc.go"))
	if err == nil {
		err = os.WriteFile(filepath.Join(Root(t), name), []byte(comment), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := ReadComment(t, name)
	s := p.section(t, "Rows")
	if len(s.blocks) != 2 || s.blocks[0].Text != "a b\n\n\tc\n" || s.blocks[1].Text != "d\n" {
		t.Errorf("%+v", s.blocks)
	}
	if got, want := sentences(s.prose), []string{"After.", "It ends."}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if got := s.blocks[0].Lines(); !reflect.DeepEqual(got, []string{"a b", "\tc"}) {
		t.Errorf("%q", got)
	}
}
