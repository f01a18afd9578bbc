package schema

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/internal/corpus/schemaoracle"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// TestMatrix decodes every kind of value into every kind of target, from every source, with every
// exported function.
func TestMatrix(t *testing.T) {
	f := matrixFormat()
	f.Options = matrix.FuncNames(t, "Option", "options")
	matrix.Run(t, f)
}

// matrixFormat returns the format of schemas, without the names of the options.
func matrixFormat() matrix.Format {
	return matrix.Format{
		Leaves:    matrixLeaves(),
		Wraps:     matrixWraps,
		Struct:    func(r *rand.Rand, fields []matrix.Kind) matrix.Kind { return matrixStruct(r, fields, false) },
		Root:      func(r *rand.Rand, fields []matrix.Kind) matrix.Kind { return matrixStruct(r, fields, r.IntN(6) == 0) },
		Turn:      matrixTurn,
		Subject:   matrixSubject,
		Fill:      matrixFill,
		Text:      randomText,
		Opaque:    []reflect.Type{reflect.TypeFor[coin]()},
		Spare:     true,
		Tangled:   true,
		ViewsUsed: true,
		Elsewhere: map[string]string{"SortMaps": "it is of writing: TestOrderOfMaps"},
	}
}

// kindOf returns the matrix.Kind for n.
func kindOf(name string, n *node) matrix.Kind { return matrix.Kind{Name: name, Type: n.typ, Data: n} }

func nodeOf(k matrix.Kind) *node { return k.Data.(*node) }

// coin is encoded by functions, as its length followed by its text.
type coin struct{ text string }

var coinType = Custom("coin", 1,
	func(dst []byte, c *coin) ([]byte, error) {
		if len(c.text) > math.MaxUint8 {
			return dst, ErrOverflow
		}
		return append(append(dst, byte(len(c.text))), c.text...), nil
	},
	func(r io.Reader, c *coin) error { return readCoin(r, c) })

func readCoin(r io.Reader, c *coin) error {
	var size [1]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	b := make([]byte, size[0])
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	c.text = string(b)
	return nil
}

// matrixLeaves returns the kinds without parts, and some recursive kinds.
func matrixLeaves() []matrix.Kind {
	var all []matrix.Kind
	for _, notation := range []string{
		"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64", "bool", "u16be", "i32be", "u64be", "f32be", "f64be",
		"time", "timezone", "str8", "str16", "str16be", "str32", "stri64be", "stri8", "blob8", "blob16be", "blobi32", "blob64",
	} {
		all = append(all, kindOf(notation, mustSchema(notation).n))
	}
	return append(all,
		kindOf("int as i32", As[int](I32).n),
		kindOf("int as i32be", As[int](I32BE).n),
		kindOf("uint8 as i64", As[uint8](I64).n),
		kindOf("int16 as u8", As[int16](U8).n),
		kindOf("coin", coinType.n),
		kindOf("endless", derivedSchema(reflect.TypeFor[endless]()).n))
}

var matrixKeys = []*node{Str8.n, Str(H16BE).n, Str32.n, U8.n, I32.n, U64BE.n, Bool.n, Array[[2]uint16](U16).n}

func matrixHeader(r *rand.Rand) Header {
	if r.IntN(2) == 0 {
		return H8
	}
	return Header(r.IntN(int(headers)))
}

// matrixWraps wrap a kind in a list, array, map or option.
var matrixWraps = []func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool){
	func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		h := matrixHeader(r)
		return kindOf("list"+h.String()+"("+k.Name+")", listNode(h, nodeOf(k))), true
	},
	func(_ *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		n := &node{kind: kindOpt, typ: reflect.PointerTo(k.Type), elem: nodeOf(k), newElem: func() mem.Raw { return mem.NewAt(k.Type) }}
		return kindOf("opt("+k.Name+")", n.opens()), true
	},
	func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		n := r.IntN(6)
		if r.IntN(8) == 0 {
			n += 20
		}
		return kindOf(fmt.Sprintf("array%d(%s)", n, k.Name), (&node{kind: kindArray, typ: reflect.ArrayOf(n, k.Type), count: n, elem: nodeOf(k)}).opens()), true
	},
	func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		n := listNode(H8, nodeOf(k))
		n.kind, n.slice, n.count = kindArray, true, r.IntN(4)
		return kindOf(fmt.Sprintf("fixed%d(%s)", n.count, k.Name), n), true
	},
	func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		h, key := matrixHeader(r), matrixKeys[r.IntN(len(matrixKeys))]
		n := h.node(kindMap)
		n.typ, n.key, n.elem = reflect.MapOf(key.typ, k.Type), key, nodeOf(k)
		n.mapOf = reflectMap(n.typ)
		return kindOf(fmt.Sprintf("map%v(%v,%s)", h, key.typ, k.Name), n.opens()), true
	},
}

func listNode(h Header, elem *node) *node {
	n := h.node(kindList)
	n.typ, n.elem = reflect.SliceOf(elem.typ), elem
	n.newElems = func(count int) mem.Raw { return reflect.MakeSlice(n.typ, count, count).UnsafePointer() }
	return n.opens()
}

// matrixTurn returns k in another notation, as a later version of a schema could define it for the
// same Go struct. A []byte becomes a blob, list or array, of bytes or of larger integers. Headers
// change, and computed fields become fields in memory.
func matrixTurn(r *rand.Rand, k matrix.Kind) matrix.Kind {
	n := turned(r, nodeOf(k))
	return kindOf(pieceOf(n).String(), n)
}

func turned(r *rand.Rand, n *node) *node {
	if n.typ == reflect.TypeFor[endless]() {
		return n // its parts refer to the node
	}
	if n.typ == reflect.TypeFor[[]byte]() {
		n = turnedBytes(r)
	}
	to := *n
	switch n.kind {
	case kindString, kindBlob, kindList, kindMap:
		to.header = matrixHeader(r)
	}
	if n.elem != nil {
		to.elem = turned(r, n.elem)
	}
	if n.key != nil {
		to.key = turned(r, n.key)
	}
	to.fields = slices.Clone(n.fields)
	for i, f := range n.fields {
		if f.n == nil {
			continue
		}
		to.fields[i].n = turned(r, f.n)
		if name, computed := strings.CutPrefix(f.name, "get"); computed {
			in, _ := n.typ.FieldByName(name)
			to.fields[i].name, to.fields[i].get, to.fields[i].off = name, nil, in.Offset
		}
	}
	return &to
}

// turnedBytes returns a random notation for []byte.
func turnedBytes(r *rand.Rand) *node {
	elems := []*node{U8.n, As[byte](I64).n, As[byte](U16BE).n}
	n := listNode(H8, elems[r.IntN(len(elems))])
	switch r.IntN(4) {
	case 0:
		n.kind, n.slice, n.count = kindArray, true, r.IntN(4)
	case 1:
	default:
		n = Blob(H8).n
	}
	return n
}

// matrixStruct returns a struct. An accessor selects some fields, functions compute others, and
// there are skipped bytes between them. If tailed is true, a random field starts the Tail.
func matrixStruct(r *rand.Rand, kinds []matrix.Kind, tailed bool) matrix.Kind {
	typ := matrix.StructOf(kinds)
	n := &node{kind: kindStruct, typ: typ}
	from := len(kinds)
	if tailed {
		from = r.IntN(len(kinds))
	}
	var names []string
	for i, k := range kinds {
		if r.IntN(8) == 0 {
			skip := r.IntN(9)
			n.fields = append(n.fields, field{skip: skip, tail: i >= from})
			names = append(names, skipOf(skip))
		}
		f := field{name: typ.Field(i).Name, n: nodeOf(k), tail: i >= from}
		off, how := typ.Field(i).Offset, ""
		switch r.IntN(8) {
		case 0:
			f.at = func(p mem.Pointer) mem.Pointer { return mem.Add(p, off) }
			how = "at "
		case 1:
			f.name = "get" + f.name
			f.get = getterOf(k.Type, f.n, off)
			how = "get "
		default:
			f.off = off
		}
		if f.tail {
			how = "tail " + how
		}
		n.fields = append(n.fields, f)
		names = append(names, how+k.Name)
	}
	return kindOf("{"+strings.Join(names, ", ")+"}", n.opens())
}

// getterOf returns a getter for the field of type t at offset off.
func getterOf(t reflect.Type, n *node, off uintptr) *getter {
	at := func(p mem.Pointer) reflect.Value { return reflect.NewAt(t, mem.RawAs(mem.Add(p, off), t)).Elem() }
	g := &getter{
		load:      func(p, v mem.Pointer) { reflect.NewAt(t, mem.RawAs(v, t)).Elem().Set(at(p)) },
		store:     func(p, v mem.Pointer) { at(p).Set(reflect.NewAt(t, mem.RawAs(v, t)).Elem()) },
		zeroValue: func(v mem.Pointer) { zero(t, v) },
	}
	g.values.New = func() any { return mem.Of(mem.NewAt(t), t) }
	switch {
	case n.kind == kindString:
		g.text = func(p mem.Pointer) string { return at(p).String() }
		g.setText = func(p mem.Pointer, s string) { at(p).SetString(s) }
	case n.kind == kindTime:
		g.word = func(p mem.Pointer) (uint64, bool) {
			v := at(p).Interface().(time.Time)
			return nanoseconds(&v)
		}
		g.setWord = func(p mem.Pointer, w uint64) bool {
			at(p).Set(reflect.ValueOf(instant(w)))
			return true
		}
	case n.kind <= kindBool:
		c := n.conversion()
		g.word = func(p mem.Pointer) (uint64, bool) { return c.load(mem.Add(p, off)) }
		g.setWord = func(p mem.Pointer, w uint64) bool { return c.store(mem.Add(p, off), w) }
	}
	return g
}

// matrixFill sets times and values of Custom types, which can only encode some values.
func matrixFill(r *rand.Rand, v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Unix(0, int64(r.Uint64())).UTC()
		switch r.IntN(6) {
		case 0:
			*p = time.Time{}
		case 1:
			*p = p.Local()
		}
	case *coin:
		p.text = randomText(r)
	case *int16: // most values fit in a byte, the size of the field in some messages
		*p = int16(r.IntN(1 << 8))
		if r.IntN(8) == 0 {
			*p = int16(r.Uint32())
		}
	default:
		return false
	}
	return true
}

// matrixSubject returns the schema of k with its oracle and all functions to test.
func matrixSubject(k matrix.Kind) (*matrix.Subject, error) {
	n := nodeOf(k)
	if mistakes := n.mistakes(); len(mistakes) > 0 {
		return nil, mistakesOf(k.Name, mistakes)
	}
	c := compiler{programs: make(map[*node]*program)}
	s := &anySchema{n, n.typ, c.of(n)}
	layout, err := schemaoracle.Parse(pieceOf(n).String())
	if err != nil {
		return nil, err
	}
	oracle := func(o schemaoracle.Options) matrix.Decode {
		o.Field = func(name string) (string, bool) { return strings.CutPrefix(name, "get") }
		o.Custom = func(_ string, r io.Reader, v reflect.Value) error { return readCoin(r, v.Addr().Interface().(*coin)) }
		return func(b []byte, target reflect.Value) (int, error) { return layout.Decode(b, target, o) }
	}
	subject := &matrix.Subject{
		Encode: func(v reflect.Value) ([]byte, error) { return s.append(nil, v) },
		Oracle: oracle(schemaoracle.Options{}),
	}
	of := func(set ...Option) *Schema[struct{}] { return s.of().With(set...) }
	parse := func(s *Schema[struct{}]) matrix.Decode {
		return func(b []byte, target reflect.Value) (int, error) {
			rest, err := s.Parse(b, pointerOf(target))
			return len(b) - len(rest), err
		}
	}
	unmarshal := func(s *Schema[struct{}]) matrix.Decode {
		return func(b []byte, target reflect.Value) (int, error) { return len(b), s.Unmarshal(b, pointerOf(target)) }
	}
	whole := func(decode matrix.Decode) matrix.Decode {
		return func(b []byte, target reflect.Value) (int, error) {
			n, err := decode(b, target)
			if err == nil && n < len(b) {
				err = errors.New("something is left")
			}
			return n, err
		}
	}
	subject.Ways = []matrix.Way{
		{Name: "Parse", Bytes: parse(of())},
		{Name: "Parse, OwnStrings", Bytes: parse(of(OwnStrings)), Options: []string{"OwnStrings"}, OwnStrings: true},
		{Name: "Parse, ReuseBlobs", Bytes: parse(of(ReuseBlobs)), Owned: true, Oracle: oracle(schemaoracle.Options{ReuseBlobs: true}), Options: []string{"ReuseBlobs"}},
		{Name: "Parse, Alias", Bytes: parse(of(Alias)), Views: true, Options: []string{"Alias"}},
		{Name: "Parse, MaxBytes(20)", Bytes: parse(of(MaxBytes(20))), Oracle: oracle(schemaoracle.Options{MaxBytes: 20}), Options: []string{"MaxBytes"}},
		{Name: "Parse, MaxDepth(1)", Bytes: parse(of(MaxDepth(1))), Oracle: oracle(schemaoracle.Options{MaxDepth: 1}), Options: []string{"MaxDepth"}},
		{Name: "Parse, MaxItems(1)", Bytes: parse(of(MaxItems(1))), Oracle: oracle(schemaoracle.Options{MaxItems: 1}), Options: []string{"MaxItems"}},
		{Name: "Unmarshal", Bytes: unmarshal(of()), Oracle: whole(subject.Oracle)},
		{Name: "Unmarshal, Alias", Bytes: unmarshal(of(Alias)), Views: true, Oracle: whole(subject.Oracle)},
	}
	if of().endless() {
		return subject, nil
	}
	reader := func(set ...Option) func(io.Reader) func(reflect.Value) error {
		return func(r io.Reader) func(reflect.Value) error {
			in := of().Reader(r, set...)
			return func(target reflect.Value) error { return in.Next(pointerOf(target)) }
		}
	}
	read := func(set ...Option) func(io.Reader) func(reflect.Value) error {
		return func(r io.Reader) func(reflect.Value) error {
			return func(target reflect.Value) error { return of(set...).Read(r, pointerOf(target)) }
		}
	}
	subject.Ways = append(subject.Ways,
		matrix.Way{Name: "Reader", Stream: reader()},
		matrix.Way{Name: "Reader, OwnStrings, Exact", Stream: reader(OwnStrings, Exact), OwnStrings: true, Exact: true},
		matrix.Way{Name: "Reader, MaxBytes(20)", Stream: reader(MaxBytes(20)), Oracle: oracle(schemaoracle.Options{MaxBytes: 20})},
		matrix.Way{Name: "Reader, Exact", Stream: reader(Exact), Options: []string{"Exact"}, Exact: true},
		matrix.Way{Name: "Reader, ReuseBlobs, MaxBytes(20)", Stream: reader(ReuseBlobs, MaxBytes(20)), Owned: true, Oracle: oracle(schemaoracle.Options{ReuseBlobs: true, MaxBytes: 20})},
		matrix.Way{Name: "Reader, MaxDepth(1), MaxItems(1)", Stream: reader(MaxDepth(1), MaxItems(1)), Oracle: oracle(schemaoracle.Options{MaxDepth: 1, MaxItems: 1})},
		matrix.Way{Name: "Reader, Alias", Stream: reader(Alias), Views: true, Brief: true},
		matrix.Way{Name: "Read", Stream: read()},
		matrix.Way{Name: "Read, Alias", Stream: read(Alias), Views: true},
		matrix.Way{Name: "a registry's body", Stream: func(r io.Reader) func(reflect.Value) error {
			heads := of().Reader(r)
			return func(target reflect.Value) error { return follow(heads, of(), pointerOf(target)) }
		}},
	)
	return subject, nil
}

func pointerOf(target reflect.Value) *struct{} { return (*struct{})(target.UnsafePointer()) }
