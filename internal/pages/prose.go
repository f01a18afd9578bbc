package pages

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ReadComment reads the package comment of a Go file as a page. The name of the file is relative to
// the root of the repository. In a package comment, headings begin with "# ", and code blocks are
// indented.
func ReadComment(t testing.TB, name string) *Page {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(Root(t), name), nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	// text is the comment as Markdown. Blank lines do not divide a code block.
	var text strings.Builder
	fenced, blanks := false, 0
	fence := func() { text.WriteString("```\n"); fenced = !fenced }
	for line := range strings.Lines(file.Doc.Text()) {
		code, isCode := strings.CutPrefix(line, "\t")
		switch {
		case line == "\n" && fenced:
			blanks++
			continue
		case isCode != fenced:
			fence()
		}
		if fenced {
			text.WriteString(strings.Repeat("\n", blanks))
		}
		blanks = 0
		text.WriteString(code)
	}
	if fenced {
		fence()
	}
	return parsePage(name, text.String())
}

var sentenceEnd = regexp.MustCompile(`([.!?:])\s+`)

// sentences splits prose at the ends of sentences and paragraphs. The prose must not contain
// tables, lists and code.
func sentences(prose string) (all []string) {
	for paragraph := range strings.SplitSeq(prose, "\n\n") {
		paragraph = strings.Join(strings.Fields(paragraph), " ")
		for s := range strings.SplitSeq(sentenceEnd.ReplaceAllString(paragraph, "$1\n"), "\n") {
			if s != "" {
				all = append(all, s)
			}
		}
	}
	return all
}

// Sentences is like Rows, for those sentences of a section that are outside tables and code blocks.
// The argument of a check is the sentence.
func (p *Page) Sentences(t *testing.T, heading string, checks map[string]func(*testing.T, string)) {
	t.Helper()
	s := p.section(t, heading)
	same := func(sentence string) (string, string) { return sentence, p.name + ", " + heading }
	run(t, p.name+", "+heading, sentences(s.prose), same, checks)
}

// Lines returns the nonblank lines of a block.
func (b Block) Lines() (lines []string) {
	for line := range strings.Lines(b.Text) {
		if line = strings.TrimRight(line, "\n"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
