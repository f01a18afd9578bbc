package slipstream

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fuzzed lists the packages whose fuzz targets pass bytes to the codecs. internal/simd uses its own
// guarded memory (TestGuardPages).
var fuzzed = []string{"msgpack", "json", "schema", "remotewrite", "transcode", "iso8601", "internal/decimal"}

// unguarded lists parameters of fuzz targets that need no guarded pages, with the reason.
var unguarded = map[string]string{
	"json.FuzzStream.in":     "the Decoder sees copies, by way of a reader",
	"schema.FuzzShape.text":  "text of a schema, which no unsafe code reads",
	"schema.FuzzDerive.tag":  "a tag, which no unsafe code reads",
	"msgpack.FuzzQuery.path": "a path, which no unsafe code reads",
}

// Each fuzz target passes bytes and text to a codec in guarded memory. With the tag invariants,
// guarded memory is on pages that cannot be written, and ends before a page that cannot be read.
func TestFuzzInputsAreGuarded(t *testing.T) {
	targets, used := 0, make(map[string]bool)
	for _, dir := range fuzzed {
		files, err := filepath.Glob(dir + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		functions := make(map[string]*ast.FuncDecl)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
					functions[f.Name.Name] = f
				}
			}
		}
		for name, f := range functions {
			if !strings.HasPrefix(name, "Fuzz") {
				continue
			}
			targets++
			for _, param := range unguardedInputs(f, functions) {
				id := dir + "." + name + "." + param
				if used[id] = true; unguarded[id] == "" {
					t.Errorf("%s: %s: %s does not go through guard.Test or guard.Text", dir, name, param)
				}
			}
		}
	}
	if targets < 35 {
		t.Errorf("only %d fuzz targets were found", targets)
	}
	for id := range unguarded {
		if !used[id] {
			t.Errorf("%s is excused, and is no parameter in plain memory", id)
		}
	}
}

// unguardedInputs returns the fuzzed parameters of f that are bytes or text, but not guarded.
func unguardedInputs(f *ast.FuncDecl, functions map[string]*ast.FuncDecl) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || selected(call.Fun) != "Fuzz" {
			return true
		}
		typ, body := (*ast.FuncType)(nil), (*ast.BlockStmt)(nil)
		switch x := call.Args[0].(type) {
		case *ast.FuncLit:
			typ, body = x.Type, x.Body
		case *ast.Ident:
			typ, body = functions[x.Name].Type, functions[x.Name].Body
		}
		for _, list := range typ.Params.List {
			for _, p := range list.Names {
				if isText(list.Type) && !guards(body, p.Name) {
					names = append(names, p.Name)
				}
			}
		}
		return false
	})
	return names
}

// selected returns the name after the dot of a selector.
func selected(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// isText reports whether a type is string or []byte.
func isText(e ast.Expr) bool {
	if a, ok := e.(*ast.ArrayType); ok {
		e = a.Elt
	}
	name, ok := e.(*ast.Ident)
	return ok && slices.Contains([]string{"string", "byte"}, name.Name)
}

// guards reports whether a body passes the parameter to guard.Test or guard.Text.
func guards(body *ast.BlockStmt, param string) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !slices.Contains([]string{"Test", "Text"}, selected(call.Fun)) || len(call.Args) != 2 {
			return true
		}
		from, ok := call.Fun.(*ast.SelectorExpr).X.(*ast.Ident)
		if !ok || !strings.HasPrefix(from.Name, "guard") {
			return true
		}
		ast.Inspect(call.Args[1], func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			found = found || ok && name.Name == param
			return true
		})
		return true
	})
	return found
}
