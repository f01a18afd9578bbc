package schema

// This file contains the reference for the tests: types that are built from the notation of
// schemas, and a naive encoder.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// anySchema is a schema for a type that is built at run time.
type anySchema struct {
	n   *node
	typ reflect.Type
	pg  *program
}

// schemaOf returns a type and a schema for the notation.
func schemaOf(notation string) (*anySchema, error) {
	t, tag := typeOf(notation)
	n := (&deriver{open: make(map[reflect.Type]bool)}).read(tag, t)
	if mistakes := n.mistakes(); len(mistakes) > 0 {
		return nil, mistakesOf(t.String(), mistakes)
	}
	c := compiler{programs: make(map[*node]*program)}
	return &anySchema{n, t, c.of(n)}, nil
}

func mustSchema(notation string) *anySchema {
	s, err := schemaOf(notation)
	if err != nil {
		panic(err)
	}
	return s
}

// of returns s as the schema of the value behind any pointer.
func (s *anySchema) of() *Schema[struct{}] {
	return &Schema[struct{}]{n: s.n, pg: s.pg, options: defaults}
}

// typeOf returns the Go type for a notation, and the tag that contains the rest of the notation.
func typeOf(s string) (t reflect.Type, tag string) {
	if strings.HasPrefix(s, "{") {
		return structTypeOf(s[1 : len(s)-1]), "_"
	}
	word, inner, _ := strings.Cut(s, "(")
	if inner != "" {
		inner = inner[:len(inner)-1]
	}
	bits := map[string]reflect.Type{
		"u8": reflect.TypeFor[uint8](), "u16": reflect.TypeFor[uint16](), "u32": reflect.TypeFor[uint32](), "u64": reflect.TypeFor[uint64](),
		"i8": reflect.TypeFor[int8](), "i16": reflect.TypeFor[int16](), "i32": reflect.TypeFor[int32](), "i64": reflect.TypeFor[int64](),
		"f32": reflect.TypeFor[float32](), "f64": reflect.TypeFor[float64](), "bool": reflect.TypeFor[bool](),
		"time": reflect.TypeFor[time.Time](), "timezone": reflect.TypeFor[time.Time](),
	}
	if t := bits[strings.TrimSuffix(word, "be")]; t != nil {
		return t, s
	}
	var parts []reflect.Type
	var tags []string
	for _, p := range splitBraces(inner) {
		t, tag := typeOf(p)
		parts, tags = append(parts, t), append(tags, tag)
	}
	tag = word + "(" + strings.Join(tags, ",") + ")"
	switch {
	case strings.HasPrefix(word, "str"):
		return reflect.TypeFor[string](), s
	case strings.HasPrefix(word, "blob"):
		return reflect.TypeFor[[]byte](), s
	case strings.HasPrefix(word, "list"):
		return reflect.SliceOf(parts[0]), tag
	case strings.HasPrefix(word, "array"):
		n, _ := strconv.Atoi(word[5:])
		return reflect.ArrayOf(n, parts[0]), tag
	case strings.HasPrefix(word, "map"):
		return reflect.MapOf(parts[0], parts[1]), tag
	case word == "opt":
		return reflect.PointerTo(parts[0]), tag
	}
	panic(s)
}

func splitBraces(s string) []string {
	s = strings.NewReplacer("{", "{(", "}", ")}", "[", "(", "]", ")").Replace(s)
	parts := splitParts(s)
	for i := range parts {
		parts[i] = strings.NewReplacer("{(", "{", ")}", "}").Replace(parts[i])
	}
	return parts
}

func structTypeOf(s string) reflect.Type {
	head, tail, _ := strings.Cut(strings.TrimSuffix(s, "]"), "[")
	var fields []reflect.StructField
	add := func(parts []string, prefix string) {
		for _, p := range parts {
			name := "F" + strconv.Itoa(len(fields))
			if strings.HasPrefix(p, "skip") {
				fields = append(fields, reflect.StructField{Name: "_", PkgPath: "schema", Type: reflect.TypeFor[struct{}](), Tag: reflect.StructTag(`wire:"` + prefix + p + `"`)})
				continue
			}
			t, tag := typeOf(p)
			fields = append(fields, reflect.StructField{Name: name, Type: t, Tag: reflect.StructTag(`wire:"` + prefix + tag + `"`)})
		}
	}
	add(splitBraces(strings.TrimSuffix(head, ",")), "")
	add(splitBraces(tail), "tail ")
	return reflect.StructOf(fields)
}

// tree converts v to the form that corpus.Note accepts.
func tree(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return tree(v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Type() == reflect.TypeFor[[]byte]() {
			return v.Bytes()
		}
		list := []any{}
		for i := range v.Len() {
			list = append(list, tree(v.Index(i)))
		}
		return list
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			m := map[any]any{}
			for all := v.MapRange(); all.Next(); {
				m[all.Key().Interface()] = tree(all.Value())
			}
			return m
		}
		m := map[string]any{}
		for all := v.MapRange(); all.Next(); {
			m[all.Key().String()] = tree(all.Value())
		}
		return m
	case reflect.Struct:
		if t, ok := v.Interface().(time.Time); ok {
			return t
		}
		list := []any{}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				list = append(list, tree(v.Field(i)))
			}
		}
		return list
	}
	return v.Interface()
}

// span is the position of a leaf value in the message, or of the count of a value with parts. needs
// is the offset where the shortest possible parts would end. n is nil for skipped bytes.
type span struct {
	start, end int
	path       string
	n          *node
	needs      int // end of the shortest possible parts
}

// naive appends v, encoded by n, and records the spans. Maps must have at most one entry, because
// their order is undefined.
func naive(b []byte, n *node, v reflect.Value, path string, spans *[]span) []byte {
	start := len(b)
	count := func(k int) {
		var word [8]byte
		size := n.header.size()
		if strings.HasSuffix(n.header.String(), "be") {
			binary.BigEndian.PutUint64(word[:], uint64(k)<<(64-8*size))
		} else {
			binary.LittleEndian.PutUint64(word[:], uint64(k))
		}
		b = append(b, word[:size]...)
	}
	leaf := func() { *spans = append(*spans, span{start, len(b), path, n, len(b)}) }
	counted := func(least int) { *spans = append(*spans, span{start, len(b), path, n, len(b) + v.Len()*least}) }
	switch n.kind {
	case kindInt, kindFloat, kindBool:
		var w uint64
		switch {
		case n.kind == kindBool && v.Bool():
			w = 1
		case n.kind == kindBool:
		case n.kind == kindFloat && n.size == 4:
			w = uint64(math.Float32bits(v.Interface().(float32))) // a conversion to float64 would change some NaNs
		case n.kind == kindFloat:
			w = math.Float64bits(v.Float())
		case v.CanInt():
			w = uint64(v.Int())
		default:
			w = v.Uint()
		}
		for k := range n.size {
			if n.big {
				k = n.size - 1 - k
			}
			b = append(b, byte(w>>(8*k)))
		}
		leaf()
	case kindTime, kindTimeZone:
		t := v.Interface().(time.Time)
		b = binary.LittleEndian.AppendUint64(b, uint64(t.UnixNano()))
		if n.kind == kindTimeZone {
			name := t.Location().String()
			b = append(append(b, 1, byte(len(name))), name...)
		}
		leaf()
	case kindString, kindBlob:
		count(v.Len())
		if n.kind == kindString {
			b = append(b, v.String()...)
		} else {
			b = append(b, v.Bytes()...)
		}
		leaf()
	case kindList:
		count(v.Len())
		counted(n.elem.least())
		b = naiveElements(b, n, v, path, spans)
	case kindArray:
		b = naiveElements(b, n, v, path, spans)
	case kindMap:
		count(v.Len())
		counted(n.key.least() + n.elem.least())
		for all := v.MapRange(); all.Next(); {
			b = naive(b, n.key, all.Key(), path+"[0]", spans)
			b = naive(b, n.elem, all.Value(), path+"[0]", spans)
		}
	case kindOpt:
		b = append(b, 0)
		if !v.IsNil() {
			b[start] = 1
		}
		leaf()
		if !v.IsNil() {
			b = naive(b, n.elem, v.Elem(), path, spans)
		}
	case kindSelf:
		return naive(b, n.elem, v, path, spans)
	case kindStruct:
		for _, f := range n.fields {
			if f.n != nil {
				b = naive(b, f.n, v.FieldByName(f.name), join(path, f.name), spans)
				continue
			}
			at := len(b)
			b = append(b, make([]byte, f.skip)...)
			*spans = append(*spans, span{at, len(b), path, nil, len(b)})
		}
	}
	return b
}

func naiveElements(b []byte, n *node, v reflect.Value, path string, spans *[]span) []byte {
	for i := range v.Len() {
		b = naive(b, n.elem, v.Index(i), path+"["+strconv.Itoa(i)+"]", spans)
	}
	return b
}

// randomNotation returns the notation of a random type.
func randomNotation(r *rand.Rand, depth int) string {
	header := headerTexts[r.IntN(len(headerTexts))]
	leaves := []string{"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64", "bool", "u16be", "i32be", "u64be", "f32be", "f64be",
		"time", "timezone", "str8", "str16", "str" + header, "blob" + header}
	if depth == 0 || r.IntN(3) == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	inner := func() string { return randomNotation(r, depth-1) }
	switch r.IntN(6) {
	case 0:
		return "list" + header + "(" + inner() + ")"
	case 1:
		return fmt.Sprintf("array%d(%s)", r.IntN(20), inner())
	case 2:
		keys := []string{"str8", "str16be", "u8", "i32", "u64be", "bool", "f64", "array2(u16)"}
		return "map" + header + "(" + keys[r.IntN(len(keys))] + "," + inner() + ")"
	case 3:
		return "opt(" + inner() + ")"
	}
	var fields []string
	for range r.IntN(7) {
		if r.IntN(10) == 0 {
			fields = append(fields, fmt.Sprint("skip", r.IntN(9)))
		} else {
			fields = append(fields, inner())
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// fillValue sets v to a random value that n can encode, with few map entries and list elements.
func fillValue(r *rand.Rand, n *node, v reflect.Value, entries int) {
	switch n.kind {
	case kindTime, kindTimeZone:
		t := time.Unix(0, int64(r.Uint64())).UTC()
		if r.IntN(8) == 0 {
			t = time.Time{}
		}
		if n.kind == kindTimeZone && r.IntN(3) == 0 && !t.IsZero() {
			t = t.Local()
		}
		v.Set(reflect.ValueOf(t))
	case kindString:
		v.SetString(randomText(r))
	case kindBlob:
		if s := randomText(r); s != "" {
			v.SetBytes([]byte(s))
		}
	case kindList:
		if k := r.IntN(5); k > 0 {
			v.Set(reflect.MakeSlice(v.Type(), k, k))
			for i := range k {
				fillValue(r, n.elem, v.Index(i), entries)
			}
		}
	case kindArray:
		for i := range n.count {
			fillValue(r, n.elem, v.Index(i), entries)
		}
	case kindMap:
		if k := r.IntN(entries + 1); k > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range k {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fillValue(r, n.key, key, entries)
				fillValue(r, n.elem, value, entries)
				v.SetMapIndex(key, value)
			}
		}
	case kindOpt:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillValue(r, n.elem, v.Elem(), entries)
		}
	case kindStruct:
		for _, f := range n.fields {
			if f.n != nil {
				fillValue(r, f.n, v.FieldByName(f.name), entries)
			}
		}
	case kindFloat:
		v.SetFloat([]float64{0, 1.5, -3, math.Inf(1), 1e30}[r.IntN(5)])
	default:
		corpus.Fill(r, v, 0)
	}
}

// randomText returns a random text. Most texts are short, and the lengths cover the boundaries
// between the code paths.
func randomText(r *rand.Rand) string {
	n := r.IntN(20)
	if r.IntN(8) == 0 {
		n = r.IntN(120)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}
