package json

// Where encoding/json stands upon its second version: Go 1.27, and Go 1.26 with
// GOEXPERIMENT=jsonv2.
//
// The bytes and values of encoding/json are still the same there, but for corners: what is wrong is
// said in other words, and some types go other ways. The original knows best, so it is asked
// wherever it may differ:
//
//	types       that are unlike go to the original as a whole
//	encoding    what cannot be encoded is encoded again, by the original
//	decoding    what does not fit is decoded again, by the original, into the target as it was: that of a target which is zero, or is
//	            replaced, is restored; others are decoded into only when it has gone well with a new value of the type
//	streams     from the first value that is at fault, and the first Token, the original reads the rest: stream_v2.go
//
// So a method of the caller's may be called again with the same, where the call ends with an error.
// With flags that the original does not have, there is no original: what is here is the same with
// every Go.

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// The flags of which encoding/json has a counterpart.
const (
	originalParse  = UseNumber | DisallowUnknownFields | ReuseRawMessage // the last is what it does, but for disown
	originalAppend = EscapeHTML | SortMapKeys
)

// errAskOriginal is the result of first where the original is to be asked. The target is as it was.
var errAskOriginal = errors.New("json: ask encoding/json")

// unlike reports whether the original may treat values of t otherwise than this package, whatever
// they contain.
func unlike(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	switch {
	case t == numberType || t == rawMessageType:
		return false
	case streams(pointer), takesNothing(t):
		return true
	case t.Name() == "" && t.Kind() != reflect.Interface && pointer.NumMethod() > 0: // from what it embeds
		return true
	}
	switch t.Kind() {
	case reflect.Slice:
		return pointer.Implements(textUnmarshalerType) && !pointer.Implements(unmarshalerType) // what null is to them
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

// unlikeTag reports whether there is more to the tag of a field of type t than a plain name and the
// options that there were before. The option string has become stricter for strings, and has no
// effect on types with methods.
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

// unlikeText reports whether JSON that a method gave may be changed: what is not UTF-8, and the
// characters that JavaScript ends a line with.
func unlikeText(b []byte) bool { return !utf8.Valid(b) || hasLineEnd(b) }

// takesNothing reports whether no value fits a t. Where it is an element, the original may not end.
func takesNothing(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return true
	}
	return false
}

// closed reports whether what is decoded into a t that holds something never finds an interface
// there, which could hold anything. The values of maps are always new.
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

// firstV2 is first for flags that the original has too. It has errAskOriginal where something does
// not fit, and v is as it was.
func (d *decoder) firstV2(data []byte, v any, o *rootOp, all extent) (int, error) {
	switch {
	case o.hopeless:
		return d.decodeFirst(data, v, o, all)
	case o.unlike:
		return failed, errAskOriginal
	}
	p, e := mem.Of(mem.FaceOf(v).Data, o.elem.typ), reflect.ValueOf(v).Elem()
	var before any // what undo needs
	undoes := true
	switch {
	case allZero(p, o.elem.size):
	case o.elem.kind == decodesAny && mayReplace(*mem.At[any](p, 0)), e.Kind() == reflect.Map && e.Len() == 0:
		before = e.Interface()
	case o.elem.typ == rawMessageType: // which everything fits
		undoes = false
	case o.closed && !o.foreign:
		rehearsal := reflect.New(e.Type()).Interface()
		if n, err := d.decodeFirst(data, rehearsal, o, all); n == failed || err != nil {
			return askOriginal(n, err)
		}
		undoes = false
	case inCircle(e):
		return d.decodeFirst(data, v, o, all) // the original would not end
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

// inCircle reports whether pointers lead from e to no value.
func inCircle(e reflect.Value) bool {
	for range maxHops {
		if k := e.Kind(); k != reflect.Pointer && k != reflect.Interface || e.IsNil() {
			return false
		}
		e = e.Elem()
	}
	return true
}

// askOriginal is the result of first for what decodeFirst has found wrong. What is wrong with the
// syntax is found out anyway.
func askOriginal(n int, err error) (int, error) {
	switch {
	case n == failed:
		return failed, nil
	case err == errCircle:
		return n, err
	}
	return failed, errAskOriginal
}

// original reports whether the original could be asked for the current value.
func (e *encoder) original() bool { return onV2 && e.flags&^originalAppend == 0 }

// asksOriginal reports whether the original is to say what is wrong, or to encode what is not
// encoded here. What it does with pointers that lead in a circle may not end.
func (e *encoder) asksOriginal(err error) bool {
	failed, ok := err.(*UnsupportedValueError)
	return e.original() && !(ok && strings.HasPrefix(failed.Str, cycleText))
}

// encodeUnlike writes a value whose type is unlike.
func encodeUnlike(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	if e.original() {
		e.fail(errAskOriginal)
	}
	return o.elem.encode(e, o.elem, p, n)
}

// unmarshalOriginal is unmarshal by encoding/json.
func unmarshalOriginal(data []byte, v any, flags ParseFlags) error {
	disown(v, flags)
	if flags&originalParse == 0 {
		return json.Unmarshal(data, v)
	}
	return newOriginal(bytes.NewReader(data), flags).Decode(v)
}

// appendOriginal is Append by encoding/json.
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
