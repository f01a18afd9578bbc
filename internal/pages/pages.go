// Package pages reads the tables and code blocks of Markdown pages, so that tests can check each
// row and block against the code. Only tests import it.
package pages

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A Page is a Markdown page of the documentation, whose table rows and code blocks are checked. A
// test reads the page, checks its sections one by one, and calls Done at the end. The test fails if
// a row or block is added, changed or removed:
//
//	page := pages.Read(t, "docs/migrate-json.md")
//	page.Rows(t, "What is different", map[string]func(*testing.T, pages.Row){"short strings": …})
//	page.Blocks(t, "Check it", map[string]func(*testing.T, pages.Block){"before, err := …": …})
//	page.Done(t)
//
// The first cell identifies a row, and the first line identifies a block. The file docs/rows.sum
// contains a checksum of each checked row. So the test also fails if another cell of the row
// changes.
type Page struct {
	name     string
	sections []*section
}

type section struct {
	heading       string
	prose         string // lines outside tables, blocks and headings
	rows          []Row
	blocks        []Block
	rowsChecked   bool
	blocksChecked bool
}

// A Row is a row of a table. The header row, which contains the names of the columns, is not a Row.
type Row struct {
	Where string   // page and line
	Head  []string // names of the columns
	Cells []string

	pin bool // compare the row's checksum
}

// Code returns the texts between backquotes in cell i. It replaces \| by |, as in Markdown tables.
func (r Row) Code(i int) []string {
	var all []string
	for _, m := range codeSpan.FindAllStringSubmatch(r.Cells[i], -1) {
		all = append(all, m[1])
	}
	return all
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// A Block is a code block. The field Language contains the text after the first fence.
type Block struct {
	Where, Language, Text string
}

// Root returns the root directory of this module. It can be called in any directory of the module.
func Root(t testing.TB) string {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.work")); missing == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("the test runs outside of the repository: ", err)
	return ""
}

// Read reads a page. The name of the page is relative to the root of the repository.
func Read(t testing.TB, name string) *Page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return parsePage(name, string(text)).pin()
}

// pin marks the rows for comparison with the file of checksums.
func (p *Page) pin() *Page {
	for _, s := range p.sections {
		for i := range s.rows {
			s.rows[i].pin = true
		}
	}
	return p
}

func parsePage(name, text string) *Page {
	p := &Page{name: name}
	s := &section{}
	p.sections = append(p.sections, s)
	var block *Block
	var head []string // header of the table that contains the line
	for i, line := range strings.Split(text, "\n") {
		where := fmt.Sprintf("%s:%d", name, i+1)
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && block == nil:
			block = &Block{Where: where, Language: fence}
		case isFence:
			s.blocks, block = append(s.blocks, *block), nil
		case block != nil:
			block.Text += line + "\n"
		case strings.HasPrefix(line, "#"):
			s = &section{heading: strings.TrimSpace(strings.TrimLeft(line, "#"))}
			p.sections = append(p.sections, s)
		}
		cells, isRow := cellsOf(line)
		switch {
		case block == nil && !isRow && !isFence && !strings.HasPrefix(line, "#"):
			s.prose += line + "\n"
			head = nil
		case !isRow || block != nil:
			head = nil
		case head == nil:
			head = cells
		case strings.Trim(strings.Join(cells, ""), "-: ") != "":
			s.rows = append(s.rows, Row{Where: where, Head: head, Cells: cells})
		}
	}
	return p
}

// cellsOf splits a line of a table. A bar after a backslash is part of a cell.
func cellsOf(line string) (cells []string, ok bool) {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
		return nil, false
	}
	const bar = "\x00"
	for cell := range strings.SplitSeq(strings.ReplaceAll(line[1:len(line)-1], `\|`, bar), "|") {
		cells = append(cells, strings.ReplaceAll(strings.TrimSpace(cell), bar, "|"))
	}
	return cells, true
}

func (p *Page) section(t *testing.T, heading string) *section {
	t.Helper()
	for _, s := range p.sections {
		if s.heading == heading {
			return s
		}
	}
	t.Fatalf("%s has no section %q", p.name, heading)
	return nil
}

// Rows runs the check of each row of a section, as a subtest. The test fails if a row has no check,
// or if a check has no row. A check may be nil if no test can verify the row, for example if the
// row contains benchmark figures.
func (p *Page) Rows(t *testing.T, heading string, checks map[string]func(*testing.T, Row)) {
	t.Helper()
	s := p.section(t, heading)
	s.rowsChecked = true
	run(t, p.name+", "+heading, s.rows, func(r Row) (string, string) { return r.Cells[0], r.Where }, checks)
}

// Blocks is like Rows, for the code blocks of a section.
func (p *Page) Blocks(t *testing.T, heading string, checks map[string]func(*testing.T, Block)) {
	t.Helper()
	s := p.section(t, heading)
	s.blocksChecked = true
	run(t, p.name+", "+heading, s.blocks, func(b Block) (string, string) { return firstLine(b.Text), b.Where }, checks)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

func run[T any](t *testing.T, section string, parts []T, key func(T) (name, where string), checks map[string]func(*testing.T, T)) {
	t.Helper()
	seen := make(map[string]bool)
	for _, part := range parts {
		name, where := key(part)
		check, known := checks[name]
		if !known || seen[name] {
			t.Errorf("%s: %q has no check of its own", where, name)
			continue
		}
		if seen[name] = true; check == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if row, is := any(part).(Row); is && row.pin {
				pinned(t, row.Where, row.line(), t.Name())
			}
			check(t, part)
		})
	}
	for name := range checks {
		if !seen[name] {
			t.Errorf("%s: there is a check for %q, which the section does not contain", section, name)
		}
	}
}

// Skip excludes the rows and blocks of sections from the checks. The argument `reason` explains
// why: another test checks them, or no test can verify them.
func (p *Page) Skip(t *testing.T, reason string, headings ...string) {
	t.Helper()
	for _, heading := range headings {
		s := p.section(t, heading)
		if len(s.rows) == 0 && len(s.blocks) == 0 || s.rowsChecked && s.blocksChecked {
			t.Errorf("%s, %s: the section has no unchecked rows or blocks to skip (%s)", p.name, heading, reason)
		}
		s.rowsChecked, s.blocksChecked = true, true
	}
}

// Pin is like Skip, but compares checksums. The test fails for new and changed rows and blocks,
// until their checksums are written. Pin is used for sections that no test reads row by row. Before
// you write the checksums, verify that the tests named in the argument `reason` still check the
// rows and blocks.
func (p *Page) Pin(t *testing.T, reason string, headings ...string) {
	t.Helper()
	p.Skip(t, reason, headings...)
	for _, heading := range headings {
		s := p.section(t, heading)
		for _, row := range s.rows {
			pinned(t, row.Where, row.line(), reason)
		}
		for _, block := range s.blocks {
			pinned(t, block.Where, block.line(), reason)
		}
	}
}

// Done fails if a section has rows or blocks that were not checked.
func (p *Page) Done(t *testing.T) {
	t.Helper()
	for _, s := range p.sections {
		if len(s.rows) > 0 && !s.rowsChecked {
			t.Errorf("%s: no test checks the rows of %q", s.rows[0].Where, s.heading)
		}
		if len(s.blocks) > 0 && !s.blocksChecked {
			t.Errorf("%s: no test checks the code blocks of %q", s.blocks[0].Where, s.heading)
		}
	}
}

// A Program contains the code that is needed to make a program from a piece of code.
type Program struct {
	Imports []string // imports in addition to the imports of the code itself
	Declare string   // declarations of the package
	Before  string   // statements of main before the code, or before Check if the code declares the package
	Check   string   // statements after the code, which print its results

	Environment []string // environment of the compiler and of the program, as KEY=value
}

// Source returns a program that contains the given code. The code consists of optional imports,
// followed by declarations or by statements.
func (p Program) Source(code string) (string, error) {
	imports, rest := cutImports(code)
	for _, path := range p.Imports {
		if path = fmt.Sprintf("%q", path); !slices.Contains(imports, path) {
			imports = append(imports, path)
		}
	}
	head := "package main\n\nimport (\n\t" + strings.Join(imports, "\n\t") + "\n)\n\n" + p.Declare + "\n"
	declared := head + rest + "\nfunc main() {\n" + p.Before + "\n" + p.Check + "\n}\n"
	if _, err := parser.ParseFile(token.NewFileSet(), "page.go", declared, 0); err == nil {
		return declared, nil
	}
	stated := head + "func main() {\n" + p.Before + "\n" + rest + "\n" + p.Check + "\n}\n"
	_, err := parser.ParseFile(token.NewFileSet(), "page.go", stated, 0)
	return stated, err
}

// cutImports removes the imports at the start of the code, and returns them. Each returned import
// has the form of an entry in a list of imports.
func cutImports(code string) (imports []string, rest string) {
	const head = "package p\n"
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, "", head+code, parser.ImportsOnly)
	end := len(head)
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			end = set.Position(g.End()).Offset
		}
	}
	for _, s := range file.Imports {
		text := s.Path.Value
		if s.Name != nil {
			text = s.Name.Name + " " + text
		}
		imports = append(imports, text)
	}
	return imports, (head + code)[end:]
}

// RunGo compiles the code as a program that requires this module. It runs the program, and returns
// the program's output. An error fails the test.
func RunGo(t *testing.T, code string, p Program) string {
	t.Helper()
	source, err := p.Source(code)
	if err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	dir := t.TempDir()
	module := "module page\n\ngo 1.26.0\n\nrequire github.com/slipstream-go/slipstream v0.0.0\n\nreplace github.com/slipstream-go/slipstream => " + Root(t) + "\n"
	for name, text := range map[string]string{"go.mod": module, "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "run", ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	c.Env = append(c.Env, p.Environment...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\nin\n%s", err, out, source)
	}
	return string(out)
}

// WantRun is like RunGo, but also fails the test if the output differs from the argument `want`.
func WantRun(t *testing.T, code string, p Program, want string) {
	t.Helper()
	if got := RunGo(t, code, p); got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
}
