package pages

import (
	"reflect"
	"strings"
	"testing"
)

const page = "# Title\n\n```go\nfirst()\n```\n\n## Differences\n\n| | a | b |\n|---|:--|---|\n| one | `x\\|y` or `z` | 2 |\n| two | 3 | |\n\ntext | with | bars\n" +
	"\n| other | table |\n|---|---|\n| three | x |\n\n```\n| no | row |\n```\n### Empty\n"

func TestParsePage(t *testing.T) {
	p := parsePage("page.md", page)
	var got []string
	for _, s := range p.sections {
		for _, r := range s.rows {
			got = append(got, s.heading+"/"+strings.Join(r.Head, ";")+"/"+strings.Join(r.Cells, ";")+"/"+r.Where)
		}
		for _, b := range s.blocks {
			got = append(got, s.heading+"/"+b.Language+"/"+b.Text+"/"+b.Where)
		}
	}
	want := []string{
		"Title/go/first()\n/page.md:3", "Differences/;a;b/one;`x|y` or `z`;2/page.md:11", "Differences/;a;b/two;3;/page.md:12",
		"Differences/other;table/three;x/page.md:18", "Differences//| no | row |\n/page.md:20",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if code := p.sections[2].rows[0].Code(1); !reflect.DeepEqual(code, []string{"x|y", "z"}) {
		t.Errorf("%q", code)
	}
}

// A page fails for a row or block without a check, and for a check without a row or block.
func TestPageNeedsChecks(t *testing.T) {
	ok := func(*testing.T, Row) {}
	for name, c := range map[string]struct {
		failed bool
		run    func(t *testing.T, p *Page)
	}{
		"all": {false, func(t *testing.T, p *Page) {
			p.Rows(t, "Differences", map[string]func(*testing.T, Row){"one": ok, "two": ok, "three": ok})
			p.Blocks(t, "Differences", map[string]func(*testing.T, Block){"| no | row |": func(*testing.T, Block) {}})
			p.Skip(t, "a reason", "Title")
			p.Done(t)
		}},
		"a row without a check": {true, func(t *testing.T, p *Page) {
			p.Rows(t, "Differences", map[string]func(*testing.T, Row){"one": ok, "two": ok})
		}},
		"a check without a row": {true, func(t *testing.T, p *Page) {
			p.Rows(t, "Differences", map[string]func(*testing.T, Row){"one": ok, "two": ok, "three": ok, "four": ok})
		}},
		"a block without a check": {true, func(t *testing.T, p *Page) { p.Blocks(t, "Title", nil) }},
		"a section without a test": {true, func(t *testing.T, p *Page) {
			p.Skip(t, "a reason", "Title")
			p.Done(t)
		}},
		"nothing to skip": {true, func(t *testing.T, p *Page) { p.Skip(t, "a reason", "Empty") }},
	} {
		if failed := !outside(func(t *testing.T) { c.run(t, parsePage("page.md", page)) }); failed != c.failed {
			t.Errorf("%s: failed is %v", name, failed)
		}
	}
}

// A row with an unknown checksum fails, even if its check passes.
func TestRowThatWasChanged(t *testing.T) {
	if writing() {
		t.Skip("sums are written")
	}
	p := parsePage("page.md", page).pin()
	ok := func(*testing.T, Row) {}
	if outside(func(t *testing.T) {
		p.Rows(t, "Differences", map[string]func(*testing.T, Row){"one": ok, "two": ok, "three": ok})
	}) {
		t.Error("it passed")
	}
	for _, heading := range []string{"Title", "Differences"} { // a section with a block only, and a section with rows
		if outside(func(t *testing.T) { p.Pin(t, "a reason", heading) }) {
			t.Errorf("%s: what is pinned passed", heading)
		}
		p = parsePage("page.md", page).pin()
	}
	r := Row{Where: "docs/x.md:7", Cells: []string{"a", "b"}}
	other := Row{Where: "docs/x.md:9", Cells: []string{"a", "c"}}
	if r.line() == other.line() || !strings.HasPrefix(r.line(), "docs/x.md ") || !strings.HasSuffix(r.line(), " a") {
		t.Error(r.line(), other.line())
	}
}

// outside runs f as a separate test, and reports whether it passed.
func outside(f func(*testing.T)) bool {
	return testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "page", F: f}})
}

func TestProgramSource(t *testing.T) {
	for _, c := range []struct {
		code string
		p    Program
		want string
	}{
		{"x := 1\n", Program{Imports: []string{"fmt"}, Check: "fmt.Print(x)"}, "1"},
		{"import \"fmt\"\n\nvar x = fmt.Sprint(2)\n", Program{Imports: []string{"fmt"}, Check: "fmt.Print(x)"}, "2"},
		{"import f \"fmt\" // was: fmt\n\ntype t struct{ A int }\nx := t{3}\n", Program{Check: "f.Print(x)"}, "{3}"},
		{"x = 4\n", Program{Imports: []string{"fmt"}, Declare: "var x int", Before: "x--", Check: "fmt.Print(x)"}, "4"},
	} {
		if got := RunGo(t, c.code, c.p); got != c.want {
			t.Errorf("%s prints %q, want %q", c.code, got, c.want)
		}
	}
}
