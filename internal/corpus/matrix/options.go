package matrix

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The functions below return the names of a package's options. They read the names from the
// package's code, so that a new option cannot be forgotten.

// FieldNames returns the field names of the struct type t, whose fields are options.
func FieldNames(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		names = append(names, t.Field(i).Name)
	}
	return names
}

// FieldsSet returns the names of the nonzero fields of a struct.
func FieldsSet(options any) (names []string) {
	v := reflect.ValueOf(options)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

// ConstantNames returns the names of the exported constants of a flag type, in the package in the
// current directory. The argument `typ` is the name of the flag type. ConstantNames omits constants
// that combine other constants, because these are declared without the type.
func ConstantNames(t *testing.T, typ string) (names []string) {
	declarations(t, func(d ast.Decl) {
		list, ok := d.(*ast.GenDecl)
		if !ok || list.Tok != token.CONST {
			return
		}
		of := ""
		for _, spec := range list.Specs {
			s := spec.(*ast.ValueSpec)
			if name, typed := s.Type.(*ast.Ident); typed {
				of = name.Name
			} else if len(s.Values) > 0 {
				of = ""
			}
			for _, name := range s.Names {
				if of == typ && name.IsExported() {
					names = append(names, name.Name)
				}
			}
		}
	})
	return names
}

// FuncNames returns the names of the exported functions that are options, in the package in the
// current directory. A function is an option if its result has the type that `typ` names, or if its
// only parameter is a pointer to the type that `argument` names.
func FuncNames(t *testing.T, typ, argument string) (names []string) {
	declarations(t, func(d ast.Decl) {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !f.Name.IsExported() {
			return
		}
		if r := f.Type.Results; r != nil && len(r.List) == 1 {
			if name, ok := r.List[0].Type.(*ast.Ident); ok && name.Name == typ {
				names = append(names, f.Name.Name)
			}
		}
		if p := f.Type.Params; len(p.List) == 1 && f.Type.Results == nil {
			if to, ok := p.List[0].Type.(*ast.StarExpr); ok {
				if name, ok := to.X.(*ast.Ident); ok && name.Name == argument {
					names = append(names, f.Name.Name)
				}
			}
		}
	})
	return names
}

// declarations calls the function `each` with every declaration of the package in the current
// directory.
func declarations(t *testing.T, each func(ast.Decl)) {
	found := false
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			found = true
			each(d)
		}
	}
	if !found {
		t.Fatal("the package declares nothing")
	}
}
