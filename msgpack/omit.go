package msgpack

// What omitempty leaves out.

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
)

type zeroer interface{ IsZero() bool }

var zeroerType = reflect.TypeFor[zeroer]()

// emptiness is the test by which omitempty judges values of t: its IsZero method, if it has one with a value receiver; no
// elements; no fields that would be written, and no unexported state; zero. With all set, every field of a struct may be
// left out, whatever its tag.
func (s *planSet) emptiness(t reflect.Type, all bool) func(mem.Pointer) bool {
	switch {
	case t.Implements(zeroerType):
		return func(p mem.Pointer) bool {
			v := reflect.NewAt(t, p).Elem()
			if (t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface) && v.IsNil() {
				return true
			}
			return v.Interface().(zeroer).IsZero()
		}
	case t.Kind() == reflect.String:
		return func(p mem.Pointer) bool { return *mem.At[string](p, 0) == "" }
	case t.Kind() == reflect.Slice:
		return func(p mem.Pointer) bool { return mem.At[mem.Slice](p, 0).Len == 0 }
	case t.Kind() == reflect.Map:
		return func(p mem.Pointer) bool { return reflect.NewAt(t, p).Elem().Len() == 0 }
	case t.Kind() == reflect.Array:
		empty := t.Len() == 0
		return func(mem.Pointer) bool { return empty }
	case t.Kind() == reflect.Interface:
		return func(p mem.Pointer) bool { return s.emptyFace(reflect.NewAt(t, p).Elem(), all) }
	case t.Kind() == reflect.Struct:
		return func(p mem.Pointer) bool { return s.emptyStruct(t, p, all) }
	}
	return func(p mem.Pointer) bool { return reflect.NewAt(t, p).Elem().IsZero() }
}

// emptyFace judges what an interface holds.
func (s *planSet) emptyFace(v reflect.Value, all bool) bool {
	if v.IsNil() {
		return true
	}
	held := v.Elem()
	c := reflect.New(held.Type())
	c.Elem().Set(held)
	return s.emptiness(held.Type(), all)(c.UnsafePointer())
}

// emptyStruct judges a struct: all that it would write may be left out and is empty, and what it would not write is zero.
func (s *planSet) emptyStruct(t reflect.Type, p mem.Pointer, all bool) bool {
	v := reflect.NewAt(t, p).Elem()
	for i := range t.NumField() {
		if f := t.Field(i); !f.IsExported() && !f.Anonymous && !v.Field(i).IsZero() {
			return false
		}
	}
	o := s.of(t)
	if o.fields == nil {
		return v.IsZero()
	}
	for k := range o.fields.out {
		f := &o.fields.out[k]
		empty := f.empty
		if all {
			empty = s.emptiness(o.fields.list[f.index].Type, true)
		}
		if empty == nil {
			return false
		}
		from := mem.Add(p, uintptr(f.offset))
		if f.hops {
			if from = o.fields.reach(f, p); from == nil {
				continue
			}
		}
		if !empty(from) {
			return false
		}
	}
	return true
}
