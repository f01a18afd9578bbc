package msgpack

// This file decides which struct fields are omitted. A field with omitempty is omitted if its value
// is empty, and a field with omitzero if its value is zero.

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/plan"
)

type zeroer interface{ IsZero() bool }

var zeroerType = reflect.TypeFor[zeroer]()

// A test reports whether the value at an address is empty or zero.
type test = func(mem.Pointer) bool

// omission returns the test that decides whether the field f is omitted. It returns nil if f is
// never omitted.
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

// zeroness returns the test for omitzero. As in encoding/json, the test calls the IsZero method of
// the type or of a pointer to the type. Without such a method, the test compares with the zero
// value.
func zeroness(t reflect.Type) test {
	if t.Implements(zeroerType) {
		return methodZero(t)
	}
	if reflect.PointerTo(t).Implements(zeroerType) {
		return func(p mem.Pointer) bool { return reflect.NewAt(t, mem.RawAs(p, t)).Interface().(zeroer).IsZero() }
	}
	return isZero(t)
}

// isZero returns a test that reports whether a value of type t is the zero value.
//
// This function must not be inlined. Otherwise, the inlined call would contain a copy of the
// closure, and the compiler would not inline mem.RawAs in this copy.
//
//go:noinline
func isZero(t reflect.Type) test {
	return func(p mem.Pointer) bool { return reflect.NewAt(t, mem.RawAs(p, t)).Elem().IsZero() }
}

// methodZero returns a test that calls the IsZero method of t. For a nil pointer or interface, the
// test returns true without calling the method.
//
// This function must not be inlined. Otherwise, the inlined call would contain a copy of the
// closure, and the compiler would not inline mem.RawAs in this copy.
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

// emptiness returns the test that omitempty applies to values of type t. If t has an IsZero method
// with a value receiver, the test calls it. Otherwise, a string, slice, map or array is empty if
// its length is 0. A struct is empty if none of its fields would be written and its unexported
// fields are zero. Any other value is empty if it is zero. If the argument `all` is true, every
// field of a struct may be omitted, regardless of its tag.
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

// jsonEmptiness returns the test that omitempty applies to values of type t according to the rule
// of encoding/json.
func jsonEmptiness(t reflect.Type) test {
	switch t.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return func(p mem.Pointer) bool { return reflect.NewAt(t, mem.RawAs(p, t)).Elem().Len() == 0 }
	case reflect.Struct:
		return func(mem.Pointer) bool { return false }
	}
	return isZero(t)
}

// emptyFace reports whether an interface is nil or contains an empty value.
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

// emptyStruct reports whether a struct is empty. This means that every encoded field may be omitted
// and is empty, and every unexported field is zero.
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
