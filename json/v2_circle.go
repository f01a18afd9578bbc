package json

// A circle is a cycle of pointers and interfaces without an array, object or method in between. On
// v2, encoding/json detects cycles by the nesting depth of the JSON. A circle produces no nested
// JSON, so encoding/json recurses until the stack overflows, which ends the process. So this
// package searches for circles before it calls encoding/json to encode a value.

import (
	"encoding/json"
	"reflect"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// marshalOriginal implements Marshal with encoding/json.
func marshalOriginal(v any) ([]byte, error) {
	if err := circleIn(v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// circleIn returns an error if v contains a circle. Its running time is linear in the size of v. If
// no value of the type can contain a circle, it takes almost no time.
func circleIn(v any) error {
	t := reflect.TypeOf(v)
	if t == nil || !mayCircle(t) {
		return nil
	}
	s := circleSearch{seen: make(map[visited]struct{})}
	s.value(reflect.ValueOf(v), 0)
	if !s.circle.IsValid() {
		return nil
	}
	return &UnsupportedValueError{Value: s.circle, Str: cycleText + s.circle.Type().String()}
}

// circleTypes caches the results of mayCircle.
var circleTypes sync.Map

// mayCircle reports whether a value of type t may contain a circle. This is possible only with an
// interface, or with a pointer type that points to itself.
func mayCircle(t reflect.Type) bool {
	if known, ok := circleTypes.Load(t); ok {
		return known.(bool)
	}
	result := reachesCircle(t, make(map[reflect.Type]bool))
	circleTypes.Store(t, result)
	return result
}

func reachesCircle(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer:
		to := t
		for range maxHops {
			if to.Kind() != reflect.Pointer {
				return reachesCircle(to, seen)
			}
			to = to.Elem()
		}
		return true
	case reflect.Slice, reflect.Array, reflect.Map:
		return reachesCircle(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if reachesCircle(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// circleSearch traverses a value in the same way as an encoder.
type circleSearch struct {
	seen   map[visited]struct{}
	circle reflect.Value // the zero reflect.Value until a circle is found
}

// visited identifies a pointer, a map or a slice.
type visited struct {
	t reflect.Type
	p mem.Raw
	n int
}

func (s *circleSearch) value(v reflect.Value, depth int) {
	for hops := 0; v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface; hops++ {
		if v.IsNil() || hasMethod(v) {
			return
		}
		if hops > maxHops {
			s.circle = v
			return
		}
		v = v.Elem()
	}
	if depth > maxDepth || hasMethod(v) || !mayCircle(v.Type()) || s.known(v) {
		return
	}
	switch v.Kind() {
	case reflect.Map:
		for m := v.MapRange(); m.Next() && !s.circle.IsValid(); {
			s.value(m.Value(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len() && !s.circle.IsValid(); i++ {
			s.value(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField() && !s.circle.IsValid(); i++ {
			f := v.Type().Field(i)
			if (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" {
				s.value(v.Field(i), depth+1)
			}
		}
	}
}

// known reports whether v has been visited before. It recognizes only maps, slices and addressable
// values.
func (s *circleSearch) known(v reflect.Value) bool {
	id := visited{t: v.Type()}
	switch {
	case v.Kind() == reflect.Map || v.Kind() == reflect.Slice:
		id.p = v.UnsafePointer()
		if v.Kind() == reflect.Slice {
			id.n = v.Len()
		}
	case v.CanAddr():
		id.p = v.Addr().UnsafePointer()
	default:
		return false
	}
	_, ok := s.seen[id]
	s.seen[id] = struct{}{}
	return ok
}

// hasMethod reports whether a method encodes v.
func hasMethod(v reflect.Value) bool {
	t := v.Type()
	if encodesItself(t) {
		return true
	}
	return v.CanAddr() && encodesItself(reflect.PointerTo(t))
}

func encodesItself(t reflect.Type) bool {
	return t.NumMethod() > 0 && t.Kind() != reflect.Interface && (t.Implements(marshalerType) || t.Implements(textMarshalerType) || streams(t))
}
