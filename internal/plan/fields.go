package plan

import (
	"reflect"
	"slices"
)

// Field describes a struct field and its encoding.
type Field struct {
	Name     string   // the encoded name
	Aliases  []string // other names under which a decoder finds the field
	Type     reflect.Type
	Tag      Tag
	Index    []int   // the argument of reflect.Type.FieldByIndex, with Rules.Dominance only
	Hops     []Hop   // embedded pointers on the path to the field, outermost first
	Offset   uintptr // from the start of the struct, or of the struct that the last hop points to
	Omit     bool    // omitempty, of the field or of the whole struct
	Zero     bool    // omitzero
	Exported bool    // by Go's rules: false for an embedded field of an unexported type
	Hidden   bool    // decoded but never encoded: an embedded struct whose fields are inlined
}

// Hop is an embedded pointer: a *Type at Offset. If the embedded type is not exported, package
// reflect would not set the pointer.
type Hop struct {
	Offset   uintptr
	Type     reflect.Type
	Exported bool
}

// Struct describes a struct type: its fields and the options of its marker field.
type Struct struct {
	Fields    []Field
	AsArray   bool
	AnyLength bool // the array may be shorter or longer than the list of fields
}

// mark records the options in the tag of the marker field.
func (s *Struct) mark(tag Tag) {
	s.AsArray = tag.Has("as_array") || tag.Has("asArray")
	s.AnyLength = tag.Has("any_length")
}

// Rules defines how a format reads structs.
type Rules struct {
	Key      string                            // of the format's struct tag
	Fallback string                            // key of the tag that is read if the first is absent
	Marker   string                            // name of a field whose tag applies to the whole struct
	Opaque   func(reflect.Type) bool           // reports whether a type encodes itself; its fields are not inlined
	Parse    func(string) (tag Tag, skip bool) // parses a tag; nil is ParseTag, and skips a field named -

	Dominance bool // fields with equal names follow the rules of encoding/json (dominant.go)
}

// Fields reads the fields of the struct type t. They are in the order of declaration, and the
// fields of an inlined struct take its place.
//
// The fields of an embedded struct are inlined, with three exceptions: the struct's tag contains
// noinline, its type encodes itself, or an earlier field has one of its names. With inline in its
// tag, a struct is always inlined, except for the names that are taken. An embedded type counts as
// exported, whatever its name.
func (r *Rules) Fields(t reflect.Type) Struct {
	if r.Dominance {
		return r.dominant(t)
	}
	return r.fields(t, nil)
}

// tag returns the tag of sf by the rules. skip reports whether the field is left out.
func (r *Rules) tag(sf reflect.StructField) (tag Tag, skip bool) {
	text := sf.Tag.Get(r.Key)
	if text == "" && r.Fallback != "" {
		text = sf.Tag.Get(r.Fallback)
	}
	if r.Parse != nil {
		return r.Parse(text)
	}
	tag = ParseTag(text)
	return tag, tag.Name == "-"
}

// field returns sf with its tag. omit is the omitempty of the whole struct.
func (r *Rules) field(sf reflect.StructField, tag Tag, omit bool) Field {
	f := Field{Name: tag.Name, Type: sf.Type, Tag: tag, Offset: sf.Offset, Exported: sf.IsExported(), Omit: omit || tag.Has("omitempty"), Zero: tag.Has("omitzero")}
	if f.Name == "" {
		f.Name = sf.Name
	}
	for _, o := range tag.Options {
		if o.Key == "alias" {
			f.Aliases = append(f.Aliases, o.Value)
		}
	}
	return f
}

func (r *Rules) fields(t reflect.Type, open []reflect.Type) Struct {
	var s Struct
	omit := false
	open = append(open, t)
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, skip := r.tag(sf)
		if skip {
			continue
		}
		if sf.Name == r.Marker {
			s.mark(tag)
			omit = omit || tag.Has("omitempty")
		}
		if !sf.IsExported() && !sf.Anonymous {
			continue
		}
		f := r.field(sf, tag, omit)
		if sf.Anonymous && !tag.Has("noinline") && r.inline(&s, &f, tag.Has("inline"), open) {
			f.Hidden, f.Aliases = true, nil
		}
		s.Fields = append(s.Fields, f)
	}
	return s
}

// inline adds the fields of the embedded field f to s, and reports whether it did.
func (r *Rules) inline(s *Struct, f *Field, force bool, open []reflect.Type) bool {
	t := f.Type
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || slices.Contains(open, t) || !force && (r.Opaque(t) || r.Opaque(f.Type)) {
		return false
	}
	inner := r.fields(t, open).Fields
	if !force {
		for _, g := range inner {
			if s.has(g.Name) {
				return false
			}
		}
	}
	for _, g := range inner {
		if g.Hidden || s.has(g.Name) {
			continue
		}
		switch {
		case pointer:
			g.Hops = append([]Hop{{f.Offset, t, f.Exported}}, g.Hops...)
		case len(g.Hops) > 0:
			g.Hops = slices.Clone(g.Hops)
			g.Hops[0].Offset += f.Offset
		default:
			g.Offset += f.Offset
		}
		s.Fields = append(s.Fields, g)
	}
	return true
}

func (s *Struct) has(name string) bool {
	return slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Name == name || slices.Contains(f.Aliases, name) })
}
