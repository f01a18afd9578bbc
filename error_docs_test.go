package slipstream

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// The doc comments of the Error types match wire.Error, of which these types are aliases. For such
// an alias, go doc prints only the comment. So the comment shows the struct and lists the methods.
func TestErrorDocs(t *testing.T) {
	var want []string
	for _, d := range declarations(t, "internal/wire/error.go") {
		switch d := d.(type) {
		case *ast.GenDecl:
			if s, ok := d.Specs[0].(*ast.TypeSpec); ok && s.Name.Name == "Error" {
				for _, f := range s.Type.(*ast.StructType).Fields.List {
					want = append(want, f.Names[0].Name+" "+types.ExprString(f.Type)+" //")
				}
			}
		case *ast.FuncDecl:
			if d.Recv != nil && types.ExprString(d.Recv.List[0].Type) == "*Error" {
				want = append(want, "func (e *Error) "+d.Name.Name+strings.TrimPrefix(types.ExprString(d.Type), "func"))
			}
		}
	}
	if len(want) != 3+4 {
		t.Fatalf("wire.Error has the fields and methods %q", want)
	}
	want = append(want, "%+v")
	for _, file := range []string{"msgpack/stream.go", "json/columns.go", "transcode/errors.go"} {
		doc := ""
		for _, d := range declarations(t, file) {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE && d.Specs[0].(*ast.TypeSpec).Name.Name == "Error" {
				doc = strings.Join(strings.Fields(d.Doc.Text()), " ")
			}
		}
		for _, part := range want {
			if !strings.Contains(doc, part) {
				t.Errorf("%s: the comment of Error lacks %q", file, part)
			}
		}
	}
}

func declarations(t *testing.T, file string) []ast.Decl {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f.Decls
}
