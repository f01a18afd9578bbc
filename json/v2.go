package json

// This file supports an encoding/json that is built on its second version, v2. This is the case in
// Go 1.27, and in Go 1.26 with GOEXPERIMENT=jsonv2.
//
// On v2, encoding/json still writes the same bytes and decodes the same values, with a few
// exceptions: the texts of errors differ, and some types are treated differently. So this package
// calls encoding/json, which is called the original here, wherever the results may differ:
//   - Types: if a value contains a type for which the function unlike returns true, the original
//     encodes or decodes the whole value.
//   - Encoding: if a value cannot be encoded, the original encodes it again.
//   - Decoding: if a value does not fit, the original decodes the input again, and its target must
//     be unchanged. So a target that was zero, or that decoding replaces, is restored first. For
//     any other target, this package first decodes into a new value of the same type, and decodes
//     into the target only if that has succeeded.
//   - Streams: after the first value with an error, or at the first call of Token, the original
//     reads the rest of the stream, starting with that value or token (stream_v2.go).
//
// So if a call returns an error, it may have called a user's method twice with the same input. If a
// flag is set that the original does not support, the original is not called. In this case, this
// package behaves in the same way with every version of Go.

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// These are the flags that encoding/json supports.
const (
	originalParse  = UseNumber | DisallowUnknownFields | ReuseRawMessage // the original reuses RawMessages, unless disown prevents that
	originalAppend = EscapeHTML | SortMapKeys
)

// errAskOriginal is the error that the method `first` returns if encoding/json must be called. In
// this case, the target is unchanged.
var errAskOriginal = errors.New("json: ask encoding/json")

// unlike reports whether encoding/json may treat values of type t differently from this package,
// regardless of the contents of the values.
func unlike(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	switch {
	case t == numberType || t == rawMessageType:
		return false
	case streams(pointer), takesNothing(t):
		return true
	case t.Name() == "" && t.Kind() != reflect.Interface && pointer.NumMethod() > 0: // the methods are those of embedded fields
		return true
	}
	switch t.Kind() {
	case reflect.Slice:
		return pointer.Implements(textUnmarshalerType) && !pointer.Implements(unmarshalerType) // null may be treated differently
	case reflect.Map:
		return unlikeKey(t.Key()) || pointer.NumMethod() > 0
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); unlikeTag(f.Tag.Get("json"), f.Type) {
				return true
			}
		}
	}
	return false
}

func unlikeKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return t.NumMethod() > 0 || reflect.PointerTo(t).NumMethod() > 0
	}
	return true
}

// unlikeTag reports whether the tag of a field of type t contains more than a plain name and the
// options of the first version. On v2, the option string is stricter for strings, and has no effect
// on types with methods.
func unlikeTag(tag string, t reflect.Type) bool {
	name, options, _ := strings.Cut(tag, ",")
	if name != "" && !validName(name) && tag != "-" {
		return true
	}
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "", "omitempty", "omitzero":
		case "string":
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			if t.Kind() == reflect.String || reflect.PointerTo(t).NumMethod() > 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// unlikeText reports whether encoding/json may change JSON that a method has returned. This is the
// case if the JSON is not valid UTF-8, or contains U+2028 or U+2029, which end a line in
// JavaScript.
func unlikeText(b []byte) bool { return !utf8.Valid(b) || hasLineEnd(b) }

// takesNothing reports whether no JSON value fits the type t. If t is the type of an element,
// encoding/json may not terminate.
func takesNothing(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return true
	}
	return false
}

// closed reports whether a non-zero value of type t contains no interface that decoding may reach.
// Such an interface could contain a value of any type. Interfaces in map values are ignored,
// because map values are always decoded into new values.
func closed(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return false
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return closed(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if !closed(t.Field(i).Type, seen) {
				return false
			}
		}
	}
	return true
}

// firstV2 is the variant of the method `first` for flags that encoding/json supports. If a value
// does not fit, it returns errAskOriginal, and the target of v is unchanged.
func (d *decoder) firstV2(data []byte, v any, o *rootOp, all extent) (int, error) {
	switch {
	case o.hopeless:
		return d.decodeFirst(data, v, o, all)
	case o.unlike:
		return failed, errAskOriginal
	}
	p, e := mem.Of(mem.FaceOf(v).Data, o.elem.typ), reflect.ValueOf(v).Elem()
	var before any // the argument of undo
	undoes := true
	switch {
	case allZero(p, o.elem.size):
	case o.elem.kind == decodesAny && mayReplace(*mem.At[any](p, 0)), e.Kind() == reflect.Map && e.Len() == 0:
		before = e.Interface()
	case o.elem.typ == rawMessageType: // every value fits
		undoes = false
	case o.closed && !o.foreign:
		rehearsal := reflect.New(e.Type()).Interface()
		if n, err := d.decodeFirst(data, rehearsal, o, all); n == failed || err != nil {
			return askOriginal(n, err)
		}
		undoes = false
	case inCircle(e):
		return d.decodeFirst(data, v, o, all) // the original would not terminate
	default:
		return failed, errAskOriginal
	}
	n, err := d.decodeFirst(data, v, o, all)
	if n != failed && err == nil {
		return n, nil
	}
	if undoes {
		undo(v, before)
		if e.Kind() == reflect.Map {
			e.Clear()
		}
	}
	return askOriginal(n, err)
}

// inCircle reports whether the pointers that begin with e form a cycle, and so lead to no value.
func inCircle(e reflect.Value) bool {
	for range maxHops {
		if k := e.Kind(); k != reflect.Pointer && k != reflect.Interface || e.IsNil() {
			return false
		}
		e = e.Elem()
	}
	return true
}

// askOriginal returns the result of the method `first` for an error that decodeFirst has found. For
// a syntax error, it returns failed, and the caller of `first` creates the error.
func askOriginal(n int, err error) (int, error) {
	switch {
	case n == failed:
		return failed, nil
	case err == errCircle:
		return n, err
	}
	return failed, errAskOriginal
}

// original reports whether encoding/json can be called for the current value.
func (e *encoder) original() bool { return onV2 && e.flags&^originalAppend == 0 }

// asksOriginal reports whether encoding/json must create the error, or encode a value that this
// package does not encode. For cyclic pointers, it returns false, because encoding/json may not
// terminate.
func (e *encoder) asksOriginal(err error) bool {
	failed, ok := err.(*UnsupportedValueError)
	return e.original() && !(ok && strings.HasPrefix(failed.Str, cycleText))
}

// encodeUnlike writes a value of a type for which unlike returns true.
func encodeUnlike(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	if e.original() {
		e.fail(errAskOriginal)
	}
	return o.elem.encode(e, o.elem, p, n)
}

// unmarshalOriginal implements unmarshal with encoding/json.
func unmarshalOriginal(data []byte, v any, flags ParseFlags) error {
	disown(v, flags)
	if flags&originalParse == 0 {
		return json.Unmarshal(data, v)
	}
	return newOriginal(bytes.NewReader(data), flags).Decode(v)
}

// appendOriginal implements Append with encoding/json.
func appendOriginal(b []byte, v any, flags AppendFlags) ([]byte, error) {
	if err := circleIn(v); err != nil {
		return b, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(flags&EscapeHTML != 0)
	if err := enc.Encode(v); err != nil {
		return b, err
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), nil
}
