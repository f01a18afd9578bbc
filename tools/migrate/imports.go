package migrate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
)

// change is a replaced import.
type change struct {
	line     int
	old, new string // import paths as written in the file
}

// note is a place in a file that a person has to check.
type note struct {
	line int
	text string
}

// result contains the outcome for a file.
type result struct {
	src     []byte // the file with the changes
	changes []change
	notes   []note
}

// rewrite replaces the import paths in a Go file. It returns an error if the file cannot be parsed.
func rewrite(name string, src []byte) (result, error) {
	if !bytes.Contains(src, []byte("/msgpack")) {
		return result{src: src}, nil
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return result{}, err
	}
	at := positions{files.File(file.FileStart)}

	r := result{src: src}
	names := map[string]origin{} // of the imports that change
	var after []byte
	done := 0
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return result{}, fmt.Errorf("%s:%d: %w", name, at.line(spec.Pos()), err)
		}
		from, ok := parseOrigin(importPath)
		if !ok {
			continue
		}
		line := at.line(spec.Pos())
		to, as, ok := from.moved()
		if !ok {
			r.notes = append(r.notes, note{line, from.path + " has no counterpart in Slipstream: its import stays"})
			continue
		}
		if ast.IsGenerated(file) {
			r.notes = append(r.notes, note{line, "the file is generated, and imports " + from.path + ": change and run its generator"})
			continue
		}
		local := from.name()
		quote := spec.Path.Value[:1]
		literal := quote + to + quote
		if spec.Name != nil {
			local = spec.Name.Name
		} else if as != "" {
			literal = as + " " + literal
		}
		names[local] = from
		r.changes = append(r.changes, change{line, spec.Path.Value, literal})
		after = append(append(after, src[done:at.offset(spec.Path.Pos())]...), literal...)
		done = at.offset(spec.Path.End())
	}
	if len(r.changes) == 0 {
		return r, nil
	}
	r.src = append(after, src[done:]...)
	if formatted, err := format.Source(src); err == nil && bytes.Equal(formatted, src) {
		if r.src, err = format.Source(r.src); err != nil {
			return result{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	r.notes = append(r.notes, notes(file, at, names)...)
	slices.SortStableFunc(r.notes, func(a, b note) int { return a.line - b.line })
	return r, nil
}

// positions returns offsets and lines in the file itself. It ignores line directives.
type positions struct{ *token.File }

func (p positions) offset(pos token.Pos) int { return p.Offset(pos) }

func (p positions) line(pos token.Pos) int { return p.PositionFor(pos, false).Line }
