package json

// This file encodes types with MarshalJSON or MarshalText. For some types in packages encoding/json
// and time, the encoder writes the same output as their methods without calling these.

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// byMethod makes o write values by calling the method MarshalJSON or MarshalText, or in the same
// form as that method. If the type of o has no such method, byMethod returns false.
func (o *encodeOp) byMethod(addressable bool) bool {
	method := methodOf(o.typ, addressable)
	if method == nil {
		return false
	}
	o.method, o.bounded = true, true // bounded, because a method starts a new encoding
	pointer := o.typ.Kind() == reflect.Pointer
	of := o.typ
	if pointer {
		of = of.Elem()
	}
	switch {
	case o.typ.Kind() == reflect.Interface:
		o.encode = encodeMarshalerInterface
		if method == textMarshalerType {
			o.encode = encodeTextInterface
		}
		return true
	case of == encodeTimeType:
		o.calm = true
		o.encode, o.kind = encodeTime, stepTime
	case of == encodeRawType:
		o.calm = true
		o.encode = encodeRaw
	case method == marshalerType:
		o.encode, o.table = encodeMarshaler, encodeTableOf[Marshaler](of)
	default:
		o.encode, o.table = encodeTextMarshaler, encodeTableOf[encoding.TextMarshaler](of)
	}
	if pointer {
		o.kind = stepNilable
		o.elem = &encodeOp{encode: o.encode, table: o.table, typ: o.typ, method: true}
		o.encode, o.encodeWord = encodeMethodPointer, encodeMethodPointed
	}
	return true
}

// encodeTableOf returns the method table for a *t in an interface of type I.
func encodeTableOf[I any](t reflect.Type) mem.Raw {
	return mem.MethodTable(reflect.Zero(reflect.PointerTo(t)).Interface().(I))
}

// encodeMethodPointer writes the target of a pointer by calling a method of the pointer type.
func encodeMethodPointer(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return encodeMethodPointed(e, o, *mem.At[mem.Raw](p, 0), n)
}

func encodeMethodPointed(e *encoder, o *encodeOp, to mem.Raw, n int) int {
	if to == nil {
		return e.putNull(n)
	}
	return o.elem.encode(e, o.elem, o.elem.receiverAt(to), n)
}

// receiverAt returns the address of the value at r as a mem.Pointer, to call the value's method.
// The type of o is the type of the value, or the type of a pointer to the value.
func (o *encodeOp) receiverAt(r mem.Raw) mem.Pointer {
	switch {
	case !mem.Guarded:
		return mem.Of(r, nil)
	case o.typ.Kind() == reflect.Pointer:
		return mem.Of(r, o.typ.Elem())
	}
	return mem.Of(r, o.typ)
}

// receiver returns a pointer to the value at p, converted to the interface type I. The type of o is
// the type of the value, or the type of a pointer to the value.
func receiver[I any](o *encodeOp, p mem.Pointer) I {
	if o.table != nil {
		return mem.WithMethods[I](o.table, p)
	}
	t := o.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return reflect.NewAt(t, mem.RawAs(p, t)).Interface().(I)
}

func encodeMarshaler(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	e.keepMaps()
	out, err := receiver[Marshaler](o, p).MarshalJSON()
	return e.putMarshaled(o.typ, n, out, err)
}

func encodeTextMarshaler(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	e.keepMaps()
	out, err := receiver[encoding.TextMarshaler](o, p).MarshalText()
	return e.putMarshaledText(o.typ, n, out, err)
}

// encodeMarshalerInterface writes an interface whose methods include MarshalJSON. It calls the
// method even if the interface contains a nil pointer.
func encodeMarshalerInterface(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	if v.IsNil() {
		return e.putNull(n)
	}
	e.keepMaps()
	out, err := v.Interface().(Marshaler).MarshalJSON()
	return e.putMarshaled(o.typ, n, out, err)
}

func encodeTextInterface(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	if v.IsNil() {
		return e.putNull(n)
	}
	e.keepMaps()
	out, err := v.Interface().(encoding.TextMarshaler).MarshalText()
	return e.putMarshaledText(o.typ, n, out, err)
}

// putMarshaled writes the JSON in the slice `out`. A method of type t has returned `out` and `err`.
// If `err` is not nil, or `out` is not valid JSON, putMarshaled ends the call with an error.
func (e *encoder) putMarshaled(t reflect.Type, n int, out []byte, err error) int {
	if err == nil {
		if e.original() && unlikeText(out) {
			e.fail(errAskOriginal)
		}
		if b, ok := appendCompact(e.b[:n], out, e.html); ok {
			return e.wrote(b)
		}
	}
	e.fail(marshalerError(t, asMarshaled{out, err}))
	return n
}

// putMarshaledText writes the text in the slice `out`. A method of type t has returned `out` and
// `err`. If `err` is not nil, putMarshaledText ends the call with an error.
func (e *encoder) putMarshaledText(t reflect.Type, n int, out []byte, err error) int {
	if err != nil {
		e.fail(marshalerError(t, asMarshaledText{err}))
	}
	return e.putString(n, mem.String(out))
}

// A MarshalerError contains the name of the method in a field that only encoding/json can set. So
// encoding/json creates the error by calling a method of one of these types, which returns the same
// results as the user's method. The function marshalerError then sets the right type in the error.
type (
	asMarshaled struct {
		out []byte
		err error
	}
	asMarshaledText struct{ err error }
)

func (m asMarshaled) MarshalJSON() ([]byte, error)     { return m.out, m.err }
func (m asMarshaledText) MarshalText() ([]byte, error) { return nil, m.err }

// marshalerError returns encoding/json's error for a method of type t. The argument `as` must be a
// value whose method returns the same results.
func marshalerError(t reflect.Type, as any) error {
	_, err := json.Marshal(as)
	if failed, ok := err.(*MarshalerError); ok {
		failed.Type = t
		return failed
	}
	return errors.New("json: invalid JSON with unknown cause, returned by " + t.String())
}

// encodeRaw writes a RawMessage.
func encodeRaw(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	m := *mem.At[RawMessage](p, 0)
	switch {
	case m == nil:
		return e.putNull(n)
	case e.flags&TrustRawMessage == 0:
		return e.putMarshaled(o.typ, n, m, nil)
	case e.html:
		return e.wrote(appendTrusted(e.b[:n], m))
	}
	return e.wrote(append(e.b[:n], m...))
}

// encodeNumber writes a Number unchanged. It writes an empty Number as 0.
func encodeNumber(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	s := *mem.At[string](p, 0)
	if s == "" {
		s = "0"
	}
	if !isNumber(s) {
		e.fail(fmt.Errorf("json: invalid number literal %q", s))
	}
	return e.wrote(append(e.b[:n], s...))
}

// quoted returns the op for a field of o's type with the tag option "string". If the option has no
// effect on this type, it returns o.
func (s *encodePlanSet) quoted(o *encodeOp) *encodeOp {
	q := &encodeOp{typ: o.typ, size: o.size, slack: o.slack, elem: o, bounded: true, steady: o.steady, calm: true}
	switch {
	case o.method:
		return o
	case o.typ.Kind() == reflect.Pointer:
		q.kind, q.encode, q.encodeWord, q.elem = stepNilable, encodePointer, encodePointed, s.quoted(o.elem)
	case o.kind == stepString:
		q.encode = encodeQuotedString
	case o.typ == durationType:
		q.encode, q.elem = encodeQuoted, &encodeOp{encode: encodeInt64}
	default:
		q.encode = encodeQuoted
	}
	return q
}
