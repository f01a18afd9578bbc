package plan

import (
	"reflect"
	"slices"
)

// candidate is a field that competes with other fields for the same name.
type candidate struct {
	Field
	depth  int
	tagged bool
	index  []int
}

// dominant reads the fields of t by the rules of Go and encoding/json. If several fields have the
// same name, the least nested field is used. If several fields are equally nested, the field whose
// name comes from a tag is used. If more than one such field remains, no field is used.
func (r *Rules) dominant(t reflect.Type) Struct {
	var s Struct
	var all []candidate
	level := []candidate{{Field: Field{Type: t}}}
	visited := map[reflect.Type]bool{}
	for depth := 0; len(level) > 0; depth++ {
		var next []candidate
		count := map[reflect.Type]int{} // a type embedded twice at one depth hides its own fields
		for _, outer := range level {
			count[structOf(outer.Type)]++
		}
		done := map[reflect.Type]bool{}
		for _, outer := range level {
			in := structOf(outer.Type)
			if visited[in] || done[in] {
				continue
			}
			done[in] = true
			found, embedded := r.direct(&s, in, outer, depth)
			if count[in] > 1 {
				found = append(found, found...)
			}
			all = append(all, found...)
			next = append(next, embedded...)
		}
		for in := range done {
			visited[in] = true
		}
		level = next
	}
	s.Fields = dominating(all)
	return s
}

func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// direct returns the fields that t itself declares, and the structs that t embeds. The argument
// `outer` is the embedded field through which t is reached.
func (r *Rules) direct(s *Struct, t reflect.Type, outer candidate, depth int) (fields, embedded []candidate) {
	omit := false
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, skip := r.tag(sf)
		if skip {
			continue
		}
		if sf.Name == r.Marker && depth == 0 {
			s.mark(tag)
			omit = omit || tag.Has("omitempty")
		}
		inner := structOf(sf.Type)
		if !sf.IsExported() && (!sf.Anonymous || inner.Kind() != reflect.Struct) {
			continue
		}
		c := candidate{Field: r.field(sf, tag, omit), depth: depth, tagged: tag.Name != "", index: append(slices.Clip(outer.index), i)}
		c.through(outer)
		if sf.Anonymous && !c.tagged && inner.Kind() == reflect.Struct && !r.Opaque(inner) && !r.Opaque(sf.Type) {
			embedded = append(embedded, c)
		} else if sf.IsExported() || c.tagged {
			fields = append(fields, c)
		}
	}
	return fields, embedded
}

// through adds the embedded struct `outer` to the start of the path of the field c. Before the
// call, the field's offset is relative to that struct.
func (c *candidate) through(outer candidate) {
	c.Hops = slices.Clip(outer.Hops)
	switch {
	case outer.Type.Kind() == reflect.Pointer:
		c.Hops = append(c.Hops, Hop{outer.Offset, outer.Type.Elem(), outer.Exported})
	default:
		c.Offset += outer.Offset
	}
}

// dominating returns at most one field for each name, in the order of declaration.
func dominating(all []candidate) []Field {
	byName := map[string][]candidate{}
	for _, c := range all {
		byName[c.Name] = append(byName[c.Name], c)
	}
	var kept []candidate
	for _, same := range byName {
		best := slices.MinFunc(same, compareRank)
		if n := len(slices.DeleteFunc(same, func(c candidate) bool { return compareRank(c, best) != 0 })); n == 1 {
			kept = append(kept, best)
		}
	}
	slices.SortFunc(kept, func(a, b candidate) int { return slices.Compare(a.index, b.index) })
	fields := make([]Field, len(kept))
	for i, c := range kept {
		fields[i] = c.Field
		fields[i].Index = c.index
	}
	return fields
}

func compareRank(a, b candidate) int {
	switch {
	case a.depth != b.depth:
		return a.depth - b.depth
	case a.tagged == b.tagged:
		return 0
	case a.tagged:
		return -1
	}
	return 1
}
