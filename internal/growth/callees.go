package growth

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/api"
)

// callees returns the functions and methods of the package in the current directory that its growth
// tests use, with the same names as in [Covers]. It distinguishes methods by the receiver's type,
// because many types have a method Reset.
func callees(t *testing.T) map[string]bool {
	pkg, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	used := map[string]bool{}
	for _, tests := range []struct{ files, others, imports []string }{
		{pkg.TestGoFiles, pkg.GoFiles, slices.Concat(pkg.Imports, pkg.TestImports)},
		{pkg.XTestGoFiles, nil, pkg.XTestImports},
	} {
		if !slices.ContainsFunc(tests.files, isGrowth) {
			continue
		}
		imports, err := api.Importer(set, ".", slices.DeleteFunc(tests.imports, func(path string) bool { return path == "unsafe" })...)
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		for _, name := range slices.Concat(tests.files, tests.others) {
			file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
		// Identifiers that other test files export to an external test are missing here, so their
		// uses are errors. The compiler has checked that there are no other errors.
		config := types.Config{Importer: imports, Error: func(error) {}}
		_, _ = config.Check(pkg.Name, set, files, info)
		for id, object := range info.Uses {
			if f, ok := object.(*types.Func); ok && isGrowth(set.Position(id.Pos()).Filename) && f.Pkg() != nil && f.Pkg().Name() == pkg.Name {
				used[qualified(f, f.Signature().Recv())] = true
			}
		}
		for s, selection := range info.Selections { // calls on a type that embeds the receiver
			if f, ok := selection.Obj().(*types.Func); ok && isGrowth(set.Position(s.Pos()).Filename) {
				used[qualified(f, types.NewVar(0, nil, "", selection.Recv()))] = true
			}
		}
	}
	return used
}

func isGrowth(file string) bool {
	name := filepath.Base(file)
	return strings.HasSuffix(name, "_test.go") && (strings.Contains(name, "growth") || strings.Contains(name, "hostile"))
}

// qualified returns the name of a function, or of a method with its receiver's type.
func qualified(f *types.Func, receiver *types.Var) string {
	if receiver == nil {
		return f.Name()
	}
	of := types.Unalias(receiver.Type())
	if pointer, ok := of.(*types.Pointer); ok {
		of = types.Unalias(pointer.Elem())
	}
	if named, ok := of.(*types.Named); ok {
		return named.Obj().Name() + "." + f.Name()
	}
	return f.Name()
}
