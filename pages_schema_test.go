package slipstream

import (
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/pages"
)

const pet = "type Pet struct {\n\tName string\n\tAge uint8\n}\n"

func TestPagesFromParco(t *testing.T) {
	page := pages.Read(t, "docs/from-parco.md")
	page.Blocks(t, "From Parco", map[string]func(*testing.T, pages.Block){
		`import "github.com/slipstream-go/slipstream/parco" // was: github.com/sonirico/parco`: func(t *testing.T, b pages.Block) {
			pages.WantRun(t, b.Text, pages.Program{Imports: []string{"fmt"}, Check: "fmt.Print(parco.UInt8Header() != nil)"}, "true")
		},
	})
	page.Blocks(t, "Going on to schema", map[string]func(*testing.T, pages.Block){
		"// parco": func(t *testing.T, b pages.Block) {
			before, after, ok := strings.Cut(b.Text, "// schema: the same bytes\n")
			if !ok {
				t.Fatal(b.Text)
			}
			theirs := pages.RunGo(t, before, pages.Program{Imports: []string{"bytes", "fmt", module + "/parco"}, Declare: pet,
				Check: "var b bytes.Buffer\nerr := pets.Compiler().Compile(Pet{\"Rex\", 7}, &b)\nfmt.Printf(\"%x %v\", b.Bytes(), err)"})
			pages.WantRun(t, after, pages.Program{Imports: []string{"fmt", module + "/schema"}, Declare: pet,
				Check: "b, err := pets.Marshal(&Pet{\"Rex\", 7})\nfmt.Printf(\"%x %v\", b, err)"}, theirs)
			shape := pages.RunGo(t, before, pages.Program{Imports: []string{"fmt", module + "/parco"}, Declare: pet, Check: "fmt.Print(pets.Schema())"})
			if !strings.HasPrefix(shape, "{#1 str8, #2 u8} ") { // a schema, and not an error
				t.Error(shape)
			}
		},
	})
	page.Rows(t, "What it costs, what it gains", map[string]func(*testing.T, pages.Row){
		"write into a reused buffer, 0 allocations": figures, "read into a new value": figures, "read into a reused value": figures,
	})
	page.Skip(t, "TestPagesFromParco of parco has them", "What to look at", "Going on to schema")
	page.Done(t)
}

func TestPagesFromProtobuf(t *testing.T) {
	page := pages.Read(t, "docs/from-protobuf.md")
	page.Blocks(t, "The same message in both", map[string]func(*testing.T, pages.Block){
		`syntax = "proto3";`: nil,
		"type (": func(t *testing.T, b pages.Block) {
			pages.WantRun(t, b.Text, pages.Program{Imports: []string{"fmt", "reflect", "time", module + "/schema"}, Check: `
	note := "soon"
	o := Order{ID: 7, At: time.Unix(1700000000, 0).UTC(), State: Paid, Items: []Item{{"a", 2, 350}}, Labels: map[string]string{"k": "v"}, Receipt: []byte{1}, Note: &note}
	data, err := orders.Marshal(&o)
	if err != nil {
		panic(err)
	}
	var back Order
	err = orders.Unmarshal(data, &back)
	fmt.Print(err, " ", reflect.DeepEqual(o, back))`}, "<nil> true")
		},
	})
	page.Skip(t, "figures", "The verdict")
	page.Blocks(t, "The same change in both", map[string]func(*testing.T, pages.Block){
		"r := schema.NewRegistry(schema.U8) // one byte before each message": func(t *testing.T, b pages.Block) {
			code := strings.Replace(b.Text, "…", "seen = *o; return nil", 1)
			code = strings.Replace(code, "…", "new.ID = uint64(old.ID); return nil", 1)
			pages.WantRun(t, code, pages.Program{
				Imports: []string{"errors", "fmt", module + "/schema"},
				Declare: "type Order struct{ ID uint64 }\ntype OrderV1 struct{ ID uint8 }\n" +
					"var orders = schema.Struct(schema.F(\"id\", func(o *Order) *uint64 { return &o.ID }, schema.U64))\n" +
					"var ordersV1 = schema.Struct(schema.F(\"id\", func(o *OrderV1) *uint8 { return &o.ID }, schema.U8))\n",
				Before: "var seen Order",
				Check:  "_, err1 := r.Dispatch([]byte{1, 7})\nfmt.Print(err, err1, seen)\n_, err2 := r.Dispatch([]byte{2, 9, 0, 0, 0, 0, 0, 0, 0})\nfmt.Print(err2, seen)",
			}, "<nil> <nil> {7}<nil> {9}")
		},
	})
	page.Blocks(t, "Moving a service", map[string]func(*testing.T, pages.Block){
		"func read(b []byte) error {": func(t *testing.T, b pages.Block) {
			pages.WantRun(t, b.Text, pages.Program{
				Imports: []string{"fmt", module + "/schema"},
				Declare: "var models = schema.NewRegistry(schema.U8)\n" +
					"func readProtobuf(b []byte) error { fmt.Printf(\"protobuf %x, \", b); return nil }\n",
				Check: `	numbers, err := schema.Of(schema.U8)
	for _, id := range []uint8{0, 7} {
		if err == nil {
			err = schema.Register(models, id, numbers, func(n *uint8) error { fmt.Print("model ", id, " ", *n, ", "); return nil })
		}
	}
	fmt.Print(err, ", ")
	for _, b := range []string{"\x00\x09", "\x07\x0a", "\x08\x01", "\xff", ""} {
		fmt.Print(read([]byte(b)), ", ")
	}
	fmt.Print(read([]byte{3, 1}) != nil)`,
			}, "<nil>, model 0 9, <nil>, model 7 10, <nil>, protobuf 0801, <nil>, protobuf ff, <nil>, protobuf , <nil>, true")
		},
	})
	page.Pin(t, "TestPagesFromProtobuf of bench/schema has them, with Google's library", "Moving a service")
	page.Skip(t, "TestPagesFromProtobuf of bench/schema has them, with Google's library", "What corresponds", "How large", "The same change in both", "Limits")
	page.Done(t)
}

// The code blocks in the package comments of schema, parco and json run correctly.
func TestPagesPackageComments(t *testing.T) {
	type checks = map[string]func(*testing.T, pages.Block)
	pages.ReadComment(t, "schema/doc.go").Blocks(t, "", checks{
		"var pets = schema.Struct(": func(t *testing.T, b pages.Block) {
			declared, statements, ok := strings.Cut(b.Text, "\nb, err = ")
			if !ok {
				t.Fatal(b.Text)
			}
			pages.WantRun(t, declared, pages.Program{
				Imports: []string{"fmt", module + "/schema"}, Declare: pet,
				Before: "var b []byte\nvar err error\npet := Pet{\"cat\", 3}\nb, err = " + statements,
				Check:  "fmt.Printf(\"%x %v %v %v\", b, pet, rest, err)",
			}, "0363617403 {cat 3} [] <nil>")
		},
	})
	pages.ReadComment(t, "parco/doc.go").Blocks(t, "", checks{
		"b := parco.Builder(parco.ObjectFactory[Animal]()).": func(t *testing.T, b pages.Block) {
			model, calls, ok := strings.Cut(b.Text, "\n\n")
			write, read, two := strings.Cut(calls, "\n")
			if !ok || !two {
				t.Fatal(b.Text)
			}
			pages.WantRun(t, model+"\nvar r, w bytes.Buffer\n"+strings.ReplaceAll("{\nanimal := Animal{\"cat\", 3}\n"+write+"\nr = w\nfmt.Printf(\"%x %v \", w.Bytes(), err)\n}\n", ", w)", ", &w)")+strings.ReplaceAll(read, "(r)", "(&r)"), pages.Program{
				Imports: []string{"bytes", "fmt", module + "/parco"}, Declare: "type Animal struct {\n\tSpecie string\n\tAge uint8\n}\n",
				Check: "fmt.Print(animal, err)",
			}, "0363617403 <nil> {cat 3} <nil>")
		},
	})
	comment := pages.ReadComment(t, "json/doc.go")
	comment.Blocks(t, "", checks{
		`import "github.com/slipstream-go/slipstream/json" // was: encoding/json`: func(t *testing.T, b pages.Block) {
			pages.WantRun(t, b.Text, pages.Program{Imports: []string{"fmt"}, Check: "fmt.Print(json.Valid([]byte(`{}`)))"}, "true")
		},
	})
	comment.Blocks(t, "Beyond encoding/json", checks{
		"Append, Parse                marshal after what is in a buffer; decode the first value of one; with flags for each call": func(t *testing.T, b pages.Block) {
			names := exported(t, "json")
			for _, line := range b.Lines() {
				listed, _, _ := strings.Cut(line, "  ")
				for name := range strings.SplitSeq(listed, ", ") {
					if !names[name] {
						t.Errorf("%s: there is no %s", b.Where, name)
					}
				}
			}
		},
	})
}

// exported returns the exported names that a package declares, including methods and fields.
func exported(t *testing.T, dir string) map[string]bool {
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(dir + "/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), f.Name(), text, 0); err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			for name := range strings.SplitSeq(string(m[1]), ",") {
				names[strings.TrimSpace(name)] = true
			}
		}
	}
	return names
}

// declared matches the names of functions and methods, and names at the beginning of a line, as in
// a list of constants.
var declared = regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var |const |\t)((?:[A-Z]\w*(?:, )?)+)`)

var called = regexp.MustCompile(`^(?:[a-z]\w*\.)?([A-Z]\w*)`)

// known checks that the names in the code of a cell are among names.
func known(t *testing.T, r pages.Row, cell int, names map[string]bool) {
	t.Helper()
	for _, code := range r.Code(cell) {
		if m := called.FindStringSubmatch(code); m != nil && !names[m[1]] {
			t.Errorf("%s: there is no %s", r.Where, m[1])
		}
	}
}
