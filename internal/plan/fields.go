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
	Index    []int   // the argument for reflect.Type.FieldByIndex; set only with Rules.Dominance
	Hops     []Hop   // embedded pointers on the path to the field, outermost first
	Offset   uintptr // offset from the start of the struct, or from the start of the struct to which the last hop points
	Omit     bool    // the option omitempty of the field or of the whole struct
	Zero     bool    // the option omitzero
	Exported bool    // exported by Go's rules: false for an embedded field of an unexported type
	Hidden   bool    // decoded but never encoded; set for an embedded struct whose fields are inlined
}

// Hop describes an embedded pointer: a value of type *Type at Offset. Package reflect cannot set
// the pointer if the embedded type is not exported.
type Hop struct {
	Offset   uintptr
	Type     reflect.Type
	Exported bool
}

// Struct describes a struct type: its fields and the options of its marker field.
type Struct struct {
	Fields    []Field
	AsArray   bool
	AnyLength bool // the encoded array may be shorter or longer than the list of fields
}

// mark records the options in the tag of the marker field.
func (s *Struct) mark(tag Tag) {
	s.AsArray = tag.Has("as_array") || tag.Has("asArray")
	s.AnyLength = tag.Has("any_length")
}

// Rules defines how a format reads structs.
type Rules struct {
	Key      string                            // key of the format's struct tag
	Fallback string                            // key of the tag that is read if the tag Key is absent
	Marker   string                            // name of a field whose tag applies to the whole struct
	Opaque   func(reflect.Type) bool           // reports whether a type encodes itself; the fields of such a type are not inlined
	Parse    func(string) (tag Tag, skip bool) // parses a tag; nil means ParseTag, and skips fields with the name -

	Dominance bool // fields with equal names follow the rules of encoding/json (dominant.go)
}

// Fields reads the fields of the struct type t. The fields are in the order of declaration. An
// inlined struct is replaced by its fields.
//
// The fields of an embedded struct are inlined, with three exceptions: the struct's tag contains
// the option `noinline`, the struct's type has a custom encoding (see Rules.Opaque), or an earlier
// field has the same name as one of these fields. If the tag contains the option `inline`, the
// struct is always inlined, but without the fields whose names are used by earlier fields. An
// embedded type counts as exported, regardless of its name.
func (r *Rules) Fields(t reflect.Type) Struct {
	if r.Dominance {
		return r.dominant(t)
	}
	return r.fields(t, nil)
}

// tag returns the tag of the field `sf` according to the rules. The result `skip` reports whether
// the field is omitted.
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

// field returns the description of the struct field `sf`, which has the given tag. The argument
// `omit` reports whether the whole struct has the option omitempty.
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

// inline adds the fields of the embedded field f to s, and reports whether it added them.
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
