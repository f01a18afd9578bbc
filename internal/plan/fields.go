package plan

import (
	"reflect"
	"slices"
)

// Field is a struct field as the wire sees it.
type Field struct {
	Name     string   // on the wire
	Aliases  []string // further names by which it is found, not written
	Type     reflect.Type
	Tag      Tag
	Index    []int   // as reflect.Type.FieldByIndex takes it, where names meet as in encoding/json
	Hops     []Hop   // embedded pointers on the way to it, outermost first
	Offset   uintptr // from the struct, or from where the last hop leads
	Omit     bool    // omitempty, its own or the struct's
	Zero     bool    // omitzero
	Exported bool    // by Go's rules: an embedded field of an unexported type is not
	Hidden   bool    // found when reading, never written: an embedded struct whose fields stand inline
}

// Hop is an embedded pointer: at Offset lies a *Type. Where the embedded type is not exported,
// package reflect would not set it.
type Hop struct {
	Offset   uintptr
	Type     reflect.Type
	Exported bool
}

// Struct is what the fields and the marker field say of a struct.
type Struct struct {
	Fields    []Field
	AsArray   bool
	AnyLength bool // as an array it may be shorter or longer
}

// mark notes what the marker field's tag says.
func (s *Struct) mark(tag Tag) {
	s.AsArray = tag.Has("as_array") || tag.Has("asArray")
	s.AnyLength = tag.Has("any_length")
}

// Rules are how a format reads structs.
type Rules struct {
	Key      string                            // of its tag
	Fallback string                            // another key, read where the first is absent
	Marker   string                            // a field whose tag speaks of the whole struct
	Opaque   func(reflect.Type) bool           // types that encode themselves: never taken apart
	Parse    func(string) (tag Tag, skip bool) // nil: ParseTag, and a field named - is skipped

	Dominance bool // names meet as in encoding/json (dominant.go)
}

// Fields reads the struct type t. Fields come in the order of declaration, those of an embedded
// struct in its place.
//
// An embedded struct stands inline unless its tag says noinline, its type encodes itself, or one of
// its names is taken by an earlier field; with the tag inline it always does, less the names that
// are taken. An embedded type counts as exported, whatever its name.
func (r *Rules) Fields(t reflect.Type) Struct {
	if r.Dominance {
		return r.dominant(t)
	}
	return r.fields(t, nil)
}

// tag is the tag of sf by the rules; skip says that the field is not on the wire.
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

// field is sf with its tag; omit is the omitempty of the whole struct.
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

// inline puts the fields of the embedded field f into s and reports whether it did.
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
