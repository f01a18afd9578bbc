package json

import (
	"bytes"
	"reflect"
)

// place identifies a pointer or slice that disown has followed.
type place struct {
	at  uintptr
	len int
	typ reflect.Type
}

// disown replaces each RawMessage in the target v by a copy, if encoding/json may decode into the
// RawMessage. Without copies, encoding/json would overwrite memory to which other values may refer.
// Copying takes time that is proportional to the size of the target, but disown is called only
// before encoding/json is called. It does not copy []byte values, because encoding/json always
// overwrites them.
func disown(v any, flags ParseFlags) {
	if flags&ReuseRawMessage == 0 {
		disownAll(reflect.ValueOf(v), make(map[place]bool))
	}
}

func disownAll(v reflect.Value, seen map[place]bool) {
	isRaw := v.IsValid() && v.Type() == rawMessageType
	if v.IsValid() && !isRaw && reflect.PointerTo(v.Type()).Implements(unmarshalerType) {
		return // its method is responsible for its memory
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
		if e := v.Elem(); e.Kind() == reflect.Pointer { // any other value is replaced
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
			v = v.Slice(0, v.Cap()) // the original also decodes into the elements beyond the length
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

// holds reports whether values of type t may contain a RawMessage, directly or through pointers. It
// examines only the kind of t, because its purpose is to exclude slices of numbers and strings.
func holds(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Array, reflect.Struct:
		return true
	}
	return false
}
