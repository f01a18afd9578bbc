package corpus

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Page is a page of the documentation: a Markdown file, or the package comment of a Go file.
type Page struct {
	Name     string
	Sections []*Section
}

// Section is what stands under a heading. What stands before the first heading has an empty title.
type Section struct {
	Title     string
	Tables    []Table
	Blocks    []Block
	Sentences []string // of the prose outside tables, blocks and lists
}

// Table is a table without its head.
type Table struct{ Rows [][]string }

// Block is a block of code.
type Block struct{ Lang, Text string }

// Lines returns the lines of the block that are not empty.
func (b Block) Lines() []string {
	var lines []string
	for line := range strings.Lines(b.Text) {
		if line = strings.TrimRight(line, "\n"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// ReadPage reads a Markdown file.
func ReadPage(t testing.TB, file string) *Page {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := newPageReader(file)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			if r.fenced = !r.fenced; r.fenced {
				r.open(strings.TrimPrefix(line, "```"))
			}
		case r.fenced:
			r.code(line)
		case strings.HasPrefix(line, "#"):
			r.heading(strings.TrimLeft(line, "# "))
		default:
			r.text(line)
		}
	}
	return r.end(t)
}

// ReadComment reads the package comment of a Go file.
func ReadComment(t testing.TB, file string) *Page {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	r := newPageReader(file)
	for line := range strings.Lines(f.Doc.Text()) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "# "):
			r.heading(line[2:])
		case strings.HasPrefix(line, "\t"):
			if !r.fenced {
				r.fenced = true
				r.open("")
			}
			r.code(line[1:])
		default:
			r.fenced = false
			r.text(line)
		}
	}
	return r.end(t)
}

// Section returns the section with this title.
func (p *Page) Section(t testing.TB, title string) *Section {
	t.Helper()
	for _, s := range p.Sections {
		if s.Title == title {
			return s
		}
	}
	t.Fatalf("%s has no section %q", p.Name, title)
	return nil
}

// Blocks returns the blocks of all sections.
func (p *Page) Blocks() []Block {
	var blocks []Block
	for _, s := range p.Sections {
		blocks = append(blocks, s.Blocks...)
	}
	return blocks
}

type pageReader struct {
	page    *Page
	section *Section
	fenced  bool
	inTable bool
	prose   strings.Builder
}

func newPageReader(name string) *pageReader {
	r := &pageReader{page: &Page{Name: name}}
	r.heading("")
	return r
}

func (r *pageReader) heading(title string) {
	r.paragraph()
	r.section = &Section{Title: title}
	r.page.Sections = append(r.page.Sections, r.section)
}

func (r *pageReader) open(lang string) {
	r.paragraph()
	r.section.Blocks = append(r.section.Blocks, Block{Lang: lang})
}

func (r *pageReader) code(line string) {
	b := &r.section.Blocks[len(r.section.Blocks)-1]
	b.Text += line + "\n"
}

func (r *pageReader) text(line string) {
	if !strings.HasPrefix(line, "|") {
		r.inTable = false
		if line == "" {
			r.paragraph()
			return
		}
		r.prose.WriteString(line + " ")
		return
	}
	r.paragraph()
	if !r.inTable {
		r.inTable = true
		r.section.Tables = append(r.section.Tables, Table{})
		return // the head
	}
	if ruler.MatchString(line) {
		return
	}
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var cells []string
	for _, cell := range strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
	}
	t := &r.section.Tables[len(r.section.Tables)-1]
	t.Rows = append(t.Rows, cells)
}

var (
	ruler     = regexp.MustCompile(`^[|\s:-]+$`)
	sentences = regexp.MustCompile(`([.!?:])\s+`)
)

// paragraph ends the paragraph at hand.
func (r *pageReader) paragraph() {
	text := strings.TrimSpace(r.prose.String())
	r.prose.Reset()
	if text == "" {
		return
	}
	for _, s := range strings.Split(sentences.ReplaceAllString(text, "$1\x00"), "\x00") {
		r.section.Sentences = append(r.section.Sentences, s)
	}
}

func (r *pageReader) end(t testing.TB) *Page {
	t.Helper()
	r.paragraph()
	if r.fenced && strings.HasSuffix(r.page.Name, ".md") {
		t.Fatalf("%s: a block of code is not closed", r.page.Name)
	}
	return r.page
}

// Registered compares what a page has with the assertions that are registered for it, by their keys. A key without an assertion
// fails the test, and so does an assertion without a key, so that neither changes without the other.
func Registered[T any](t testing.TB, page string, keys []string, asserted map[string]T) {
	t.Helper()
	seen := make(map[string]bool, len(keys))
	for _, key := range keys {
		if seen[key] {
			t.Errorf("%s has %q twice", page, key)
		}
		seen[key] = true
		if _, ok := asserted[key]; !ok {
			t.Errorf("%s: no assertion for %q", page, key)
		}
	}
	for key := range asserted {
		if !seen[key] {
			t.Errorf("%s does not have %q, which is asserted", page, key)
		}
	}
}

// RunGo runs a program of one file as go run does in the module at dir, and returns what it prints.
func RunGo(t testing.TB, dir, program string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", "run", file)
	run.Dir = dir
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, &stderr, program)
	}
	return string(out)
}
