package schema

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// Derive returns a schema of the exported fields of the struct T, in the order of their
// declaration. Struct tags define the types, in the notation of [Schema.String]:
//
//	Name  string            `wire:"str8"`
//	Tags  []string          `wire:"list8(str8)"`
//	Pet   map[string]Animal `wire:"map8(str8,_)"`  // _ is the type without a tag
//	_     struct{}          `wire:"skip4"`
//	Email *string           `wire:"tail opt(str8)"`
//	Cache []byte            `wire:"-"`             // omitted
//
// If a field has no tag, its Go type determines the encoding. Numbers are little-endian and have
// the size of their Go type, except that int and uint take 8 bytes. Strings, byte slices, lists and
// maps have the header H16. A pointer becomes an option, a time.Time becomes a time, and a struct
// becomes its fields.
//
// Derive inspects Go types once, when it builds the schema. Reading is slower than with a schema
// from [Struct]: it takes an additional allocation for each new list, and uses reflection for each
// map entry.
func Derive[T any](set ...Option) (*Schema[T], error) {
	d := deriver{open: make(map[reflect.Type]bool)}
	n := d.structure(reflect.TypeFor[T]())
	s, err := build[T](n)
	if err != nil {
		return nil, err
	}
	return s.With(set...), nil
}

// deriver builds nodes from Go types.
type deriver struct {
	open  map[reflect.Type]bool // structs that enclose the current type
	chain []reflect.Type        // types that enclose the current type, up to the nearest struct
}

// structure returns the node of the struct t.
func (d *deriver) structure(t reflect.Type) *node {
	if d.open[t] {
		return &node{kind: kindSelf, typ: t, open: []reflect.Type{t}}
	}
	d.open[t] = true
	defer func(chain []reflect.Type) {
		delete(d.open, t)
		d.chain = chain
	}(d.chain)
	d.chain = nil
	n := &node{kind: kindStruct, typ: t}
	if t.Kind() != reflect.Struct {
		n.wrong("%v is no struct", t)
		return n
	}
	told := false
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("wire")
		out := tag == "-"
		tag, tail := strings.CutPrefix(tag, "tail")
		tag = strings.TrimSpace(tag)
		if f.Name == "_" {
			if skip, ok := n.skip(tag); ok {
				skip.tail = tail
				n.fields = append(n.fields, skip)
				continue
			}
		}
		switch {
		case out || !tagged && !f.IsExported():
		case !f.IsExported():
			n.faults = append(n.faults, mistake{f.Name, "it has a tag but is not exported"})
		default:
			n.fields = append(n.fields, field{name: f.Name, n: d.read(cmp.Or(tag, "_"), f.Type), off: f.Offset, tail: tail})
		}
		told = told || tagged
	}
	if len(n.fields) == 0 && t.NumField() > 0 && !told {
		n.wrong("%v has no exported fields: nothing of it would be written", t)
	}
	return n.structured()
}

// read returns the node for values of t whose encoding is defined by the notation s.
func (d *deriver) read(s string, t reflect.Type) *node {
	if slices.Contains(d.chain, t) {
		n := &node{typ: t}
		n.wrong("%v contains itself without a struct in between", t)
		return n
	}
	d.chain = append(d.chain, t)
	defer func() { d.chain = d.chain[:len(d.chain)-1] }()
	if s == "_" {
		s = notationOf(t)
	}
	if s == "struct" {
		return d.structure(t)
	}
	n := &node{typ: t}
	word, inner, open := strings.Cut(s, "(")
	if word == "array" && t.Kind() == reflect.Array {
		word += strconv.Itoa(t.Len())
	}
	parts := splitParts(strings.TrimSuffix(inner, ")"))
	if open != strings.HasSuffix(s, ")") || open != (len(parts) > 0) || n.read(word) != len(parts) {
		n.wrong("%q is no type", s)
	}
	switch {
	case len(n.faults) > 0:
		return n
	case !n.holds(t):
		n.wrong("%v cannot be %s", t, s)
		return n
	}
	switch n.kind {
	case kindList:
		n.elem = d.read(parts[0], t.Elem())
		n.newElems = func(count int) mem.Raw { return reflect.MakeSlice(t, count, count).UnsafePointer() }
	case kindArray:
		n.elem = d.read(parts[0], t.Elem())
		if n.count != t.Len() {
			n.wrong("%v does not have %d elements", t, n.count)
		}
	case kindOpt:
		n.elem = d.read(parts[0], t.Elem())
		n.newElem = func() mem.Raw { return mem.NewAt(t.Elem()) }
	case kindMap:
		n.key, n.elem = d.read(parts[0], t.Key()), d.read(parts[1], t.Elem())
		n.mapOf = reflectMap(t)
	}
	return n.opens()
}

// holds reports whether values of t can have the encoding of n. It does not check the parts of n.
func (n *node) holds(t reflect.Type) bool {
	k := t.Kind()
	switch n.kind {
	case kindInt:
		return integer(t)
	case kindFloat:
		return (k == reflect.Float32 || k == reflect.Float64) && int(t.Size()) == n.size
	case kindBool:
		return k == reflect.Bool
	case kindString:
		return k == reflect.String
	case kindBlob:
		return k == reflect.Slice && t.Elem().Kind() == reflect.Uint8
	case kindList:
		return k == reflect.Slice
	case kindArray:
		return k == reflect.Array
	case kindMap:
		return k == reflect.Map
	case kindOpt:
		return k == reflect.Pointer
	}
	return t == reflect.TypeFor[time.Time]()
}

// splitParts splits s at its commas, except at commas in parentheses.
func splitParts(s string) (parts []string) {
	if s == "" {
		return nil
	}
	from, depth := 0, 0
	for i, c := range s {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, s[from:i])
			from = i + 1
		}
	}
	return append(parts, s[from:])
}

// notationOf returns the notation for fields of type t without a tag.
func notationOf(t reflect.Type) string {
	if t == reflect.TypeFor[time.Time]() {
		return "time"
	}
	switch k := t.Kind(); k {
	case reflect.Bool, reflect.Struct:
		return k.String()
	case reflect.Int:
		return "i64"
	case reflect.Uint, reflect.Uintptr:
		return "u64"
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint("i", 8*t.Size())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprint("u", 8*t.Size())
	case reflect.Float32, reflect.Float64:
		return fmt.Sprint("f", 8*t.Size())
	case reflect.String:
		return "str16"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "blob16"
		}
		return "list16(_)"
	case reflect.Array:
		return "array(_)"
	case reflect.Map:
		return "map16(_,_)"
	case reflect.Pointer:
		return "opt(_)"
	}
	return wire.TypeName(t)
}

// reflectMap returns the operations on maps of type t. These operations use reflection.
func reflectMap(t reflect.Type) *mapOf {
	entry := reflect.StructOf([]reflect.StructField{{Name: "Key", Type: t.Key()}, {Name: "Value", Type: t.Elem()}})
	m := &mapOf{typ: t, value: entry.Field(1).Offset}
	m.prepare = func(p mem.Pointer, n int) {
		switch v := reflect.NewAt(t, mem.RawAs(p, t)).Elem(); {
		case !v.IsNil() && !shrinks(v.Len(), n):
			v.Clear()
		case !v.IsNil() || n > 0:
			v.Set(reflect.MakeMapWithSize(t, n))
		}
	}
	m.put = func(p, e mem.Pointer) {
		v := reflect.NewAt(entry, mem.RawAs(e, entry)).Elem()
		reflect.NewAt(t, mem.RawAs(p, t)).Elem().SetMapIndex(v.Field(0), v.Field(1))
	}
	m.zero = func(e mem.Pointer) { zero(entry, e) }
	m.entries.New = func() any { return mem.Of(mem.NewAt(entry), entry) }
	return m
}
