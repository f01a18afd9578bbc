package msgpack

// This file encodes and decodes values of types that have methods for this purpose.

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// CustomEncoder is implemented by types that write themselves to an Encoder. The method must write
// one value, or as many values as the type's CustomDecoder reads.
type CustomEncoder interface {
	EncodeMsgpack(*Encoder) error
}

// CustomDecoder is implemented by types that read themselves from a Decoder.
type CustomDecoder interface {
	DecodeMsgpack(*Decoder) error
}

// Marshaler is implemented by types that encode themselves as MessagePack.
type Marshaler interface {
	MarshalMsgpack() ([]byte, error)
}

// Unmarshaler is implemented by types that decode themselves from MessagePack. The method may keep
// the bytes.
type Unmarshaler interface {
	UnmarshalMsgpack([]byte) error
}

// RawMessage is an encoded value. Decoding into a RawMessage copies the encoded value. An empty
// RawMessage is written as nil.
type RawMessage []byte

// EncodeMsgpack writes m unchanged.
func (m RawMessage) EncodeMsgpack(e *Encoder) error { return e.flush(e.appendRaw(e.b, m)) }

// DecodeMsgpack sets m to a copy of the next value.
func (m *RawMessage) DecodeMsgpack(d *Decoder) error {
	raw, err := d.DecodeRaw()
	if err == nil {
		*m = raw
	}
	return err
}

func (e *Encoder) appendRaw(b []byte, m RawMessage) []byte {
	if len(m) == 0 {
		return msgpwire.AppendNil(b)
	}
	return e.appendBody(b, m)
}

func encodeRawMessage(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.appendRaw(b, *mem.At[RawMessage](p, 0))
}

func decodeRawMessage(d *Decoder, o *op, p mem.Pointer, i int) int {
	next := d.skipAt(i)
	if next >= 0 {
		*mem.At[RawMessage](p, 0) = d.owned(d.b[i:next])
	}
	return next
}

// methods returns a pointer to the value at p, converted to the interface type I. If the value has
// the type T, the pointer has the type *T, whose methods include the methods of T. The argument
// `table` is the MethodTable of such an interface, or nil if interfaces cannot be built from a
// table.
func methods[I any](o *op, table mem.Raw, p mem.Pointer) I {
	if table != nil {
		return mem.WithMethods[I](table, p)
	}
	return reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Interface().(I)
}

func tableOf[I any](t reflect.Type) mem.Raw {
	return mem.MethodTable(reflect.Zero(reflect.PointerTo(t)).Interface().(I))
}

// absent reports whether the value at p is a nil map, slice, func or chan. The methods of such a
// value are not called. For each of these kinds, the first word of a nil value is zero.
func absent(o *op, p mem.Pointer) bool { return o.is(canBeNil) && *mem.FirstWord(p) == nil }

func nilable(k reflect.Kind) bool {
	return k == reflect.Map || k == reflect.Slice || k == reflect.Func || k == reflect.Chan
}

func encodeCustom(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if absent(o, p) {
		return msgpwire.AppendNil(b)
	}
	if o.writes == nil {
		return e.custom(b, methods[CustomEncoder](o, nil, p))
	}
	return e.custom(b, mem.WithMethods[CustomEncoder](o.writes, p))
}

// custom appends a value by calling its EncodeMsgpack method.
func (e *Encoder) custom(b []byte, v CustomEncoder) []byte {
	depth := e.depth
	if e.err != nil || depth >= maxDepth { // the value may contain itself
		return e.tooDeep(b)
	}
	e.depth = depth + 1
	e.hold(b)
	if err := v.EncodeMsgpack(e); err != nil {
		e.err = err
	}
	e.depth = depth
	return e.b
}

// appendCustoms appends an array of the n values at p. It calls the encoding methods in o.elem,
// which append to e.b.
func (e *Encoder) appendCustoms(o *op, p mem.Pointer, n int, b []byte) []byte {
	depth := e.depth
	if e.err != nil || depth+2 > maxDepth {
		return e.tooDeep(b)
	}
	e.depth = depth + 2 // one for the list, and one for its elements
	e.hold(msgpwire.AppendArrayLen(b, n))
	elem := o.elem
	for k := range n {
		at := mem.Add(p, uintptr(k)*elem.size)
		if absent(elem, at) {
			e.b = append(e.b, msgpwire.Nil)
			continue
		}
		if err := mem.WithMethods[CustomEncoder](elem.writes, at).EncodeMsgpack(e); err != nil {
			e.err = err
			break
		}
	}
	e.depth = depth
	return e.b
}

func encodeMarshaler(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if absent(o, p) {
		return msgpwire.AppendNil(b)
	}
	out, err := methods[Marshaler](o, o.writes, p).MarshalMsgpack()
	return e.appendOr(err, b, e.appendRaw(b, out))
}

func encodeBinary(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if absent(o, p) {
		return msgpwire.AppendNil(b)
	}
	out, err := methods[encoding.BinaryMarshaler](o, o.writes, p).MarshalBinary()
	return e.appendOr(err, b, msgpwire.AppendBytes(b, out))
}

// encodeText writes the result of MarshalText as a bin, as vmihailenco/msgpack does.
func encodeText(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if absent(o, p) {
		return msgpwire.AppendNil(b)
	}
	out, err := methods[encoding.TextMarshaler](o, o.writes, p).MarshalText()
	return e.appendOr(err, b, msgpwire.AppendBytes(b, out))
}

// appendOr returns the slice `longer`, which contains b and the result of a user's method. If the
// method returned an error, appendOr records err and returns b.
func (e *Encoder) appendOr(err error, b, longer []byte) []byte {
	if err != nil {
		if e.err == nil {
			e.err = err
		}
		return b
	}
	return longer
}

// encodeErrorInterface writes the value in an interface of type error. It uses the codec of the
// value's type. If the type has no codec, it writes the text of the error.
func encodeErrorInterface(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	if v.IsNil() {
		return msgpwire.AppendNil(b)
	}
	held := v.Elem().Type()
	own := registered.Load().encoders[held] != nil
	if held.Kind() == reflect.Pointer {
		held = held.Elem()
	}
	if new(op).encodeBy(reflect.PointerTo(held), held) || own || registered.Load().encoders[held] != nil {
		return e.appendAny(b, v.Elem().Interface())
	}
	return appendStringOf(e, b, v.Interface().(error).Error())
}

// zero sets the value at p to zero. It is called if the input is nil and the type has its own
// decoding method.
func zero(o *op, p mem.Pointer) { reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem().SetZero() }

func decodeCustom(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.isNil(i) {
		zero(o, p)
		return i + 1
	}
	if o.reads == nil {
		return d.custom(i, methods[CustomDecoder](o, nil, p))
	}
	return d.custom(i, mem.WithMethods[CustomDecoder](o.reads, p))
}

// custom reads a value by calling its DecodeMsgpack method.
func (d *Decoder) custom(i int, v CustomDecoder) int {
	if d.steps >= maxDepth { // the value may contain itself
		return d.fail(i, depthError(maxDepth))
	}
	depth := d.depth
	d.steps++
	d.i = i
	err := v.DecodeMsgpack(d)
	d.steps--
	return d.tookCall(i, depth, err)
}

// tookCall ends a call of a user's method that has read values from d, starting at offset i. It
// returns the offset after these values. If the method returned an error err, or if the options
// reject the values, it returns -1.
func (d *Decoder) tookCall(i, depth int, err error) int {
	if err != nil {
		return d.failIn(d.i, err)
	}
	d.depth = depth
	if d.flags&judging != 0 && !d.checkTaken(i) {
		return -1
	}
	return d.i
}

func decodeUnmarshaler(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.isNil(i) {
		zero(o, p)
		return i + 1
	}
	next := d.skipAt(i)
	if next < 0 {
		return -1
	}
	return d.took(i, next, methods[Unmarshaler](o, o.reads, p).UnmarshalMsgpack(bytes.Clone(d.b[i:next])))
}

func decodeBinary(d *Decoder, o *op, p mem.Pointer, i int) int {
	start, next := d.bytesFor(o, p, i)
	if start < 0 {
		return next
	}
	return d.took(i, next, methods[encoding.BinaryUnmarshaler](o, o.reads, p).UnmarshalBinary(bytes.Clone(d.b[start:next])))
}

func decodeText(d *Decoder, o *op, p mem.Pointer, i int) int {
	start, next := d.bytesFor(o, p, i)
	if start < 0 {
		return next
	}
	return d.took(i, next, methods[encoding.TextUnmarshaler](o, o.readsText, p).UnmarshalText(bytes.Clone(d.b[start:next])))
}

// decodeBinaryOrText decodes a value whose type has both methods, UnmarshalText and
// UnmarshalBinary. It calls UnmarshalText for a str, and UnmarshalBinary for any other input.
func decodeBinaryOrText(d *Decoder, o *op, p mem.Pointer, i int) int {
	if c, ok := d.codeAt(i); ok && (msgpwire.Forms[c].Kind == msgpwire.FormFixBytes || c >= msgpwire.Str8 && c <= msgpwire.Str32) {
		return decodeText(d, o, p, i)
	}
	return decodeBinary(d, o, p, i)
}

// bytesFor returns the range d.b[start:next] of the bytes of a str or bin. A method of the value at
// p will decode these bytes. If the input is nil, bytesFor sets the value at p to zero. If the
// input is nil or an error occurs, the result `start` is -1.
func (d *Decoder) bytesFor(o *op, p mem.Pointer, i int) (start, next int) {
	if d.isNil(i) {
		zero(o, p)
		return -1, i + 1
	}
	if start, next = d.readBytes(i); next < 0 || d.flags&careful != 0 && !d.allows(i, start, next) {
		return -1, -1
	}
	return start, next
}

// took ends a call of a user's method that has decoded the value at i. If the method returned an
// error err, took records err and returns -1. Otherwise, it returns the argument `next`.
func (d *Decoder) took(i, next int, err error) int {
	if err != nil {
		return d.fail(i, err)
	}
	return next
}

func encodeUnsupported(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if e.err == nil {
		e.err = fmt.Errorf("msgpack: Encode(unsupported %v)", o.typ)
	}
	return b
}
