package msgpack

// What is left out of a struct: empty values of fields with omitempty, zero values of fields with
// omitzero.

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/plan"
)

type zeroer interface{ IsZero() bool }

var zeroerType = reflect.TypeFor[zeroer]()

// A test judges the value at an address.
type test = func(mem.Pointer) bool

// omission is the test by which f is left out, or nil.
func (s *planSet) omission(f *plan.Field) test {
	var empty, zero test
	if f.Omit {
		empty = s.emptiness(f.Type, false)
	}
	if f.Zero {
		zero = zeroness(f.Type)
	}
	switch {
	case zero == nil:
		return empty
	case empty == nil:
		return zero
	}
	return func(p mem.Pointer) bool { return empty(p) || zero(p) }
}

// zeroness is the test of omitzero, which is that of encoding/json: the IsZero method of the type
// or of a pointer to it, or the zero value.
func zeroness(t reflect.Type) test {
	if t.Implements(zeroerType) {
		return methodZero(t)
	}
	if reflect.PointerTo(t).Implements(zeroerType) {
		return func(p mem.Pointer) bool { return reflect.NewAt(t, mem.RawAs(p, t)).Interface().(zeroer).IsZero() }
	}
	return isZero(t)
}

// isZero tests whether the t is its zero value.
//
// In a copy of the closure that an inlined call makes, mem.RawAs would not inline.
//
//go:noinline
func isZero(t reflect.Type) test {
	return func(p mem.Pointer) bool { return reflect.NewAt(t, mem.RawAs(p, t)).Elem().IsZero() }
}

// methodZero asks t's own IsZero. A nil is zero without being asked.
//
// In a copy of the closure that an inlined call makes, mem.RawAs would not inline.
//
//go:noinline
func methodZero(t reflect.Type) test {
	return func(p mem.Pointer) bool {
		v := reflect.NewAt(t, mem.RawAs(p, t)).Elem()
		if (t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface) && v.IsNil() {
			return true
		}
		return v.Interface().(zeroer).IsZero()
	}
}

// emptiness is the test by which omitempty judges values of t: its IsZero method, if it has one
// with a value receiver; no elements; no fields that would be written, and no unexported state;
// zero. With all set, every field of a struct may be left out, whatever its tag.
func (s *planSet) emptiness(t reflect.Type, all bool) test {
	if s.jsonEmpty {
		return jsonEmptiness(t)
	}
	if t.Implements(zeroerType) {
		return methodZero(t)
	}
	switch t.Kind() {
	case reflect.String:
		return func(p mem.Pointer) bool { return *mem.At[string](p, 0) == "" }
	case reflect.Slice:
		return func(p mem.Pointer) bool { return mem.At[mem.Slice](p, 0).Len == 0 }
	case reflect.Map:
		return func(p mem.Pointer) bool { return reflect.NewAt(t, mem.RawAs(p, t)).Elem().Len() == 0 }
	case reflect.Array:
		empty := t.Len() == 0
		return func(mem.Pointer) bool { return empty }
	case reflect.Interface:
		return func(p mem.Pointer) bool { return s.emptyFace(reflect.NewAt(t, mem.RawAs(p, t)).Elem(), all) }
	case reflect.Struct:
		return func(p mem.Pointer) bool { return s.emptyStruct(t, p, all) }
	}
	return isZero(t)
}

// jsonEmptiness is omitempty as encoding/json has it.
func jsonEmptiness(t reflect.Type) test {
	switch t.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return func(p mem.Pointer) bool { return reflect.NewAt(t, mem.RawAs(p, t)).Elem().Len() == 0 }
	case reflect.Struct:
		return func(mem.Pointer) bool { return false }
	}
	return isZero(t)
}

// emptyFace judges what an interface holds.
func (s *planSet) emptyFace(v reflect.Value, all bool) bool {
	if v.IsNil() {
		return true
	}
	held := v.Elem()
	t := held.Type()
	c := reflect.New(t)
	c.Elem().Set(held)
	return s.emptiness(t, all)(mem.Of(c.UnsafePointer(), t))
}

// emptyStruct judges a struct: all that it would write may be left out and is empty, and what it
// would not write is zero.
func (s *planSet) emptyStruct(t reflect.Type, p mem.Pointer, all bool) bool {
	v := reflect.NewAt(t, mem.RawAs(p, t)).Elem()
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
			empty = f.always
		}
		if empty == nil {
			return false
		}
		from := mem.Add(p, uintptr(f.offset))
		if f.hops {
			if from = o.fields.reach(f, p); mem.IsNil(from) {
				continue
			}
		}
		if !empty(from) {
			return false
		}
	}
	return true
}
