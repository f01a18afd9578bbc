package parco_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	. "github.com/slipstream-go/slipstream/parco"
)

// These models contain the field types that do not occur in the models numbers, texts and lists.
type (
	widths struct {
		F1  float32
		F2  int16
		F3  int64
		F4  uint
		F5  uint32
		F6  byte
		F8  uint16 // after skipped bytes
		F9  string
		F10 []byte
		F11 time.Time
		F12 float32
		F13 int16
		F14 *string
	}
	parts struct {
		F1 triple
		F2 note
		F3 notePair
		F4 uint8
		F5 *uint64
	}
	tree struct { // refers to itself, also through an option at the end
		F1 []tree
		F2 uint8
		F3 *tree
	}
	triple   []uint16
	notePair []note
)

func widthsBuilder() ModelBuilder[widths] {
	b := Builder[widths](nil)
	b = b.Float32(le, func(m *widths) float32 { return m.F1 }, func(m *widths, v float32) { m.F1 = v })
	b = b.Int16(le, func(m *widths) int16 { return m.F2 }, func(m *widths, v int16) { m.F2 = v })
	b = b.Int64(be, func(m *widths) int64 { return m.F3 }, func(m *widths, v int64) { m.F3 = v })
	b = b.UInt(le, func(m *widths) uint { return m.F4 }, func(m *widths, v uint) { m.F4 = v })
	b = b.UInt32(be, func(m *widths) uint32 { return m.F5 }, func(m *widths, v uint32) { m.F5 = v })
	b = b.Byte(func(m *widths) byte { return m.F6 }, func(m *widths, v byte) { m.F6 = v })
	b = b.Skip(3)
	b = b.UInt16(be, func(m *widths) uint16 { return m.F8 }, func(m *widths, v uint16) { m.F8 = v })
	b = b.Text(le, func(m *widths) string { return m.F9 }, func(m *widths, v string) { m.F9 = v })
	b = b.Blob(UInt16HeaderBE(), func(m *widths) []byte { return m.F10 }, func(m *widths, v []byte) { m.F10 = v })
	b = b.Time(false, func(m *widths) time.Time { return m.F11 }, func(m *widths, v time.Time) { m.F11 = v })
	b = b.Float32(be, func(m *widths) float32 { return m.F12 }, func(m *widths, v float32) { m.F12 = v })
	b = b.Int16(be, func(m *widths) int16 { return m.F13 }, func(m *widths, v int16) { m.F13 = v })
	b = b.Option(OptionField(Varchar(), func(m *widths, v *string) { m.F14 = v }, func(m *widths) *string { return m.F14 }))
	return b
}

func partsBuilder() ModelBuilder[parts] {
	one := noteBuilder()
	notes := Struct(one)
	b := Builder[parts](nil)
	b = b.Array(ArrayField(3, UInt16(le), func(m *parts, v SliceView[uint16]) { m.F1 = triple(v) }, func(m *parts) SliceView[uint16] { return SliceView[uint16](m.F1) }))
	b = b.Struct(StructField(func(m *parts) note { return m.F2 }, func(m *parts, v note) { m.F2 = v }, one))
	b = b.Array(ArrayField(2, notes, func(m *parts, v SliceView[note]) { m.F3 = notePair(v) }, func(m *parts) SliceView[note] { return SliceView[note](m.F3) }))
	b = b.UInt8(func(m *parts) uint8 { return m.F4 }, func(m *parts, v uint8) { m.F4 = v })
	b = b.Option(OptionField(UInt64(be), func(m *parts, v *uint64) { m.F5 = v }, func(m *parts) *uint64 { return m.F5 }))
	return b
}

func treeBuilder() ModelBuilder[tree] {
	b := Builder[tree](nil)
	b = b.Slice(SliceField(UInt8Header(), Struct(b), func(m *tree, v SliceView[tree]) { m.F1 = v }, func(m *tree) SliceView[tree] { return m.F1 }))
	b = b.UInt8(func(m *tree) uint8 { return m.F2 }, func(m *tree, v uint8) { m.F2 = v })
	return b.Option(OptionField(Struct(b), func(m *tree, v *tree) { m.F3 = v }, func(m *tree) *tree { return m.F3 }))
}

// oneOfTwo is the value that a registry reads: one of two messages, selected by ID.
type oneOfTwo struct {
	ID     int
	Note   note
	Widths widths
}

// modelIDs contains the IDs of note and widths.
var modelIDs = [2]int{3, 200}

// fillModel sets times that can be encoded, arrays of their fixed length, and registered IDs.
func fillModel(r *rand.Rand, v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case interface{ fill(r *rand.Rand) }:
		p.fill(r)
	case *time.Time:
		*p = time.Unix(0, int64(r.Uint64())).UTC()
	case *triple:
		*p = triple{uint16(r.Uint32()), uint16(r.Uint32()), 0}
	case *notePair:
		text, n := fmt.Sprint(r.Uint32()), r.Uint64()
		*p = notePair{{uint8(r.Uint32()), &text, nil}, {1, nil, &n}}
	case *int:
		*p = int(r.Uint64())
		if r.IntN(2) == 0 {
			*p = modelIDs[r.IntN(2)]
		}
	default:
		return false
	}
	return true
}

// registryKind returns the kind for messages of a registry: the ID as a header, then the model.
func registryKind() matrix.Kind {
	k := matrix.Kind{Name: "registry", Type: reflect.TypeFor[oneOfTwo]()}
	k.Data = func() (*matrix.Subject, error) {
		noteModel, err := modelOf("note", noteNotation, noteBuilder())
		if err != nil {
			return nil, err
		}
		widthsModel, err := modelOf("widths", widthsNotation, widthsBuilder())
		if err != nil {
			return nil, err
		}
		models := MultiBuilder(UInt8Header()).MustRegister(modelIDs[0], noteBuilder()).MustRegister(modelIDs[1], widthsBuilder())
		put := func(target reflect.Value, r io.Reader) error {
			id, item, err := models.Parse(r)
			if err != nil {
				return err
			}
			v := oneOfTwo{ID: id}
			switch x := item.(type) {
			case note:
				v.Note = x
			case widths:
				v.Widths = x
			}
			*target.Interface().(*oneOfTwo) = v
			return nil
		}
		return &matrix.Subject{
			Encode: func(v reflect.Value) ([]byte, error) {
				m := v.Addr().Interface().(*oneOfTwo)
				var w bytes.Buffer
				var item any = m.Note
				if m.ID == modelIDs[1] {
					item = m.Widths
				}
				err := models.CompileAny(m.ID, item, &w)
				return w.Bytes(), err
			},
			Oracle: func(b []byte, target reflect.Value) (n int, err error) {
				v := oneOfTwo{}
				switch {
				case len(b) == 0:
					return 0, io.EOF
				case int(b[0]) == modelIDs[0]:
					n, err = noteModel.Decode(b[1:], reflect.ValueOf(&v.Note), modelOptions)
				case int(b[0]) == modelIDs[1]:
					n, err = widthsModel.Decode(b[1:], reflect.ValueOf(&v.Widths), modelOptions)
				default:
					return 0, errors.New("no such model")
				}
				if err == nil {
					v.ID = int(b[0])
					*target.Interface().(*oneOfTwo) = v
				}
				return n + 1, err
			},
			Ways: []matrix.Way{
				{Name: "a registry's Parse of a bytes.Buffer", Bytes: func(b []byte, target reflect.Value) (int, error) {
					r := bytes.NewBuffer(b)
					err := put(target, r)
					return len(b) - r.Len(), err
				}},
				{Name: "a registry's Parse", Exact: true, Stream: func(r io.Reader) func(reflect.Value) error {
					return func(target reflect.Value) error { return put(target, r) }
				}},
			},
		}, nil
	}
	return k
}

// The models of the matrix call every method of ModelBuilder that adds a field.
func TestMatrixModels(t *testing.T) {
	called := make(map[string]bool)
	for _, name := range []string{"matrix_test.go", "matrix_models_test.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasSuffix(f.Name.Name, "Builder") {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if method, ok := call.Fun.(*ast.SelectorExpr); ok {
						called[method.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	b := reflect.TypeFor[ModelBuilder[note]]()
	fields := 0
	for i := range b.NumMethod() {
		m := b.Method(i)
		if m.Type.NumOut() != 1 || m.Type.Out(0) != b {
			continue
		}
		if fields++; !called[m.Name] {
			t.Errorf("no model of the matrix has a field by %s", m.Name)
		}
	}
	if fields < 20 {
		t.Errorf("a ModelBuilder has %d methods that add a field", fields)
	}
}
