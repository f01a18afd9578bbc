package json

import (
	"bytes"
	"reflect"
)

// place is a pointer or slice that disown has followed.
type place struct {
	at  uintptr
	len int
	typ reflect.Type
}

// disown copies each RawMessage that the original may decode into when it decodes into v. It writes
// the new bytes to the memory that is there, which somebody else may hold. The copies take time
// that grows with the target, but only where the original is asked. A []byte is left to the
// original, as in encoding/json.
func disown(v any, flags ParseFlags) {
	if flags&ReuseRawMessage == 0 {
		disownAll(reflect.ValueOf(v), make(map[place]bool))
	}
}

func disownAll(v reflect.Value, seen map[place]bool) {
	isRaw := v.IsValid() && v.Type() == rawMessageType
	if v.IsValid() && !isRaw && reflect.PointerTo(v.Type()).Implements(unmarshalerType) {
		return // what its method does is its own affair
	}
	enter := func(n int) bool {
		p := place{v.Pointer(), n, v.Type()}
		if seen[p] {
			return false
		}
		seen[p] = true
		return true
	}
	switch v.Kind() {
	case reflect.Interface:
		if e := v.Elem(); e.Kind() == reflect.Pointer { // anything else is replaced
			disownAll(e, seen)
		}
	case reflect.Pointer:
		if !v.IsNil() && enter(0) {
			disownAll(v.Elem(), seen)
		}
	case reflect.Slice:
		if isRaw {
			if v.CanSet() && !v.IsNil() {
				v.SetBytes(bytes.Clone(v.Bytes()))
			}
			return
		}
		if v.CanInterface() && holds(v.Type().Elem()) && enter(v.Cap()) {
			v = v.Slice(0, v.Cap()) // the original decodes into what is there beyond the length, too
			for i := range v.Len() {
				disownAll(v.Index(i), seen)
			}
		}
	case reflect.Array:
		if holds(v.Type().Elem()) {
			for i := range v.Len() {
				disownAll(v.Index(i), seen)
			}
		}
	case reflect.Struct: // the values of maps are always new
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				disownAll(v.Field(i), seen)
			}
		}
	}
}

// holds reports whether values of t may lead to a RawMessage. It does not look far: it is there for
// slices of numbers and strings.
func holds(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Array, reflect.Struct:
		return true
	}
	return false
}
