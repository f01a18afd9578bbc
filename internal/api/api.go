package api

import (
	"cmp"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Exported lists the exported identifiers of the packages that match the patterns. The patterns
// have the syntax of go list, and are resolved in the module in dir. The variables in the argument
// `env` are added to the environment of the go command. The returned lines are sorted.
func Exported(dir string, env []string, patterns ...string) ([]string, error) {
	built, err := build(dir, env, patterns)
	if err != nil {
		return nil, err
	}
	imports := importerOf(token.NewFileSet(), built)
	var lines []string
	for _, p := range built {
		if !p.wanted {
			continue
		}
		pkg, err := imports.Import(p.path)
		if err != nil {
			return nil, err
		}
		for _, name := range pkg.Scope().Names() {
			if object := pkg.Scope().Lookup(name); object.Exported() {
				lines = append(lines, describe(object)...)
			}
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// Importer returns an importer for the packages that match the patterns, and for their
// dependencies. The patterns have the syntax of go list, and are resolved in the module in dir.
func Importer(set *token.FileSet, dir string, patterns ...string) (types.Importer, error) {
	built, err := build(dir, nil, patterns)
	if err != nil {
		return nil, err
	}
	return importerOf(set, built), nil
}

func importerOf(set *token.FileSet, built []pkg) types.Importer {
	objects := make(map[string]string, len(built))
	for _, p := range built {
		objects[p.path] = p.object
	}
	return importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(objects[path]) })
}

type pkg struct {
	path   string
	object string // the file with the export data of the package
	wanted bool   // whether the package matches the patterns; otherwise it is only a dependency
}

func build(dir string, env, patterns []string) ([]pkg, error) {
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}|{{.Export}}|{{.DepOnly}}", "--"}, patterns...)...)
	list.Dir = dir
	list.Env = append(os.Environ(), env...)
	out, err := list.Output()
	if err != nil {
		if failed := new(exec.ExitError); errors.As(err, &failed) {
			err = fmt.Errorf("%w\n%s", err, failed.Stderr)
		}
		return nil, fmt.Errorf("api: go list in %s: %w", cmp.Or(dir, "."), err)
	}
	var built []pkg
	for line := range strings.Lines(string(out)) {
		part := strings.Split(strings.TrimSpace(line), "|")
		built = append(built, pkg{path: part[0], object: part[1], wanted: part[2] == "false"})
	}
	return built, nil
}

// describe returns the lines for one object. For a type, the lines include its methods and exported
// fields.
func describe(object types.Object) []string {
	head := "pkg " + object.Pkg().Name() + ", "
	switch object := object.(type) {
	case *types.Func:
		return []string{head + "func " + object.Name() + signature(object)}
	case *types.Var:
		return []string{head + "var " + object.Name() + " " + text(object.Type())}
	case *types.Const:
		return []string{head + "const " + object.Name() + " " + text(object.Type()) + " = " + object.Val().ExactString()}
	}
	var lines []string
	kind := ""
	switch t := object.Type().Underlying().(type) {
	case *types.Struct:
		kind = "struct"
		for field := range t.Fields() {
			if field.Exported() {
				lines = append(lines, head+"type "+object.Name()+" struct, "+field.Name()+" "+text(field.Type()))
			}
		}
	case *types.Interface:
		kind = "interface"
	default:
		kind = text(t)
	}
	lines = append(lines, head+"type "+object.Name()+" "+kind)
	of := object.Type()
	if !types.IsInterface(of) {
		of = types.NewPointer(of)
	}
	for method := range types.NewMethodSet(of).Methods() {
		if !method.Obj().Exported() {
			continue
		}
		f := method.Obj().(*types.Func)
		receiver := object.Name()
		if _, pointer := f.Signature().Recv().Type().(*types.Pointer); pointer {
			receiver = "*" + receiver
		}
		lines = append(lines, head+"method ("+receiver+") "+f.Name()+signature(f))
	}
	return lines
}

func signature(f *types.Func) string { return strings.TrimPrefix(text(f.Signature()), "func") }

func text(t types.Type) string {
	s := types.TypeString(bare(t), func(p *types.Package) string { return p.Name() })
	return strings.NewReplacer("interface{}", "any", "uint8", "byte").Replace(s)
}

// bare returns t without parameter names. It replaces aliases by the types that they denote, and
// unexported named types by their underlying types.
func bare(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if object := t.Obj(); object.Pkg() != nil && !object.Exported() {
			return bare(t.Underlying())
		}
		return t
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, nameless(t.Params()), nameless(t.Results()), t.Variadic())
	case *types.Pointer:
		return types.NewPointer(bare(t.Elem()))
	case *types.Slice:
		return types.NewSlice(bare(t.Elem()))
	case *types.Map:
		return types.NewMap(bare(t.Key()), bare(t.Elem()))
	default:
		return t
	}
}

func nameless(names *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range names.Variables() {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", bare(v.Type())))
	}
	return types.NewTuple(vars...)
}
