package msgpack

// Types that write and read themselves.

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// CustomEncoder is a type that writes itself to an Encoder: one value, or several if its CustomDecoder reads as many.
type CustomEncoder interface {
	EncodeMsgpack(*Encoder) error
}

// CustomDecoder is a type that reads itself from a Decoder.
type CustomDecoder interface {
	DecodeMsgpack(*Decoder) error
}

// Marshaler is a type that gives itself as MessagePack.
type Marshaler interface {
	MarshalMsgpack() ([]byte, error)
}

// Unmarshaler is a type that takes itself from MessagePack. The bytes are its own to keep.
type Unmarshaler interface {
	UnmarshalMsgpack([]byte) error
}

// RawMessage is a value as it stands on the wire. Decoding copies it; an empty one is written as nil.
type RawMessage []byte

// EncodeMsgpack writes m as it is.
func (m RawMessage) EncodeMsgpack(e *Encoder) error { return e.flush(appendRaw(e.b, m)) }

// DecodeMsgpack sets m to a copy of the next value.
func (m *RawMessage) DecodeMsgpack(d *Decoder) error {
	raw, err := d.DecodeRaw()
	if err == nil {
		*m = raw
	}
	return err
}

func appendRaw(b []byte, m RawMessage) []byte {
	if len(m) == 0 {
		return appendNil(b)
	}
	return append(b, m...)
}

func encodeRawMessage(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return appendRaw(b, *mem.At[RawMessage](p, 0))
}

func decodeRawMessage(d *Decoder, o *op, p mem.Pointer, i int) int {
	next := d.skipAt(i)
	if next >= 0 {
		*mem.At[RawMessage](p, 0) = bytes.Clone(d.b[i:next])
	}
	return next
}

// methods is the value at p as an interface that has the methods of *T: those of T are among them.
func methods(o *op, p mem.Pointer) any { return reflect.NewAt(o.typ, p).Interface() }

// absent reports whether the value at p is a nil of a kind that can be nil: its methods are not called.
func absent(o *op, p mem.Pointer) bool {
	switch o.typ.Kind() {
	case reflect.Interface, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return reflect.NewAt(o.typ, p).Elem().IsNil()
	}
	return false
}

// outside runs a method of the user's that appends to e.b.
func (e *Encoder) outside(b []byte, call func() error) []byte {
	if e.err != nil {
		return b
	}
	if e.depth++; e.depth > maxDepth { // it may lead back to itself
		return e.tooDeep(b)
	}
	depth := e.depth
	e.b = b
	e.inside++
	err := call()
	e.inside--
	if err != nil {
		e.err = err
		return e.b
	}
	e.depth = depth - 1
	return e.b
}

func encodeCustom(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if absent(o, p) {
		return appendNil(b)
	}
	return e.outside(b, func() error { return methods(o, p).(CustomEncoder).EncodeMsgpack(e) })
}

func encodeMarshaler(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if absent(o, p) {
		return appendNil(b)
	}
	out, err := methods(o, p).(Marshaler).MarshalMsgpack()
	return e.appendOr(err, b, out)
}

func encodeBinary(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if absent(o, p) {
		return appendNil(b)
	}
	out, err := methods(o, p).(encoding.BinaryMarshaler).MarshalBinary()
	return e.appendOr(err, appendBytesLen(b, len(out)), out)
}

// encodeText writes text as bin, as the original does.
func encodeText(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if absent(o, p) {
		return appendNil(b)
	}
	out, err := methods(o, p).(encoding.TextMarshaler).MarshalText()
	return e.appendOr(err, appendBytesLen(b, len(out)), out)
}

func (e *Encoder) appendOr(err error, b, out []byte) []byte {
	if err != nil {
		if e.err == nil {
			e.err = err
		}
		return b
	}
	return append(b, out...)
}

// encodeErrorInterface writes what an error interface holds: by its own codec, or as its text.
func encodeErrorInterface(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := reflect.NewAt(o.typ, p).Elem()
	if v.IsNil() {
		return appendNil(b)
	}
	if held := v.Elem(); encodesItself(held.Type()) || held.Kind() == reflect.Pointer && encodesItself(held.Type().Elem()) {
		return e.appendAny(b, held.Interface())
	}
	return appendStringOf(e, b, v.Interface().(error).Error())
}

// zero sets the value at p to zero, which is what nil on the wire means to a type that reads itself.
func zero(o *op, p mem.Pointer) { reflect.NewAt(o.typ, p).Elem().SetZero() }

func decodeCustom(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.isNil(i) {
		zero(o, p)
		return i + 1
	}
	return d.outside(i, func() error { return methods(o, p).(CustomDecoder).DecodeMsgpack(d) })
}

// outside runs a method of the user's that reads from i on.
func (d *Decoder) outside(i int, call func() error) int {
	if d.depth++; d.depth > maxDepth { // it may lead back to itself
		return d.fail(i, errDepth)
	}
	depth := d.depth
	d.i = i
	d.inside++
	err := call()
	d.inside--
	if err != nil {
		return d.failIn(d.i, err)
	}
	d.depth = depth - 1
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
	if err := methods(o, p).(Unmarshaler).UnmarshalMsgpack(bytes.Clone(d.b[i:next])); err != nil {
		return d.fail(i, err)
	}
	return next
}

func decodeBinary(d *Decoder, o *op, p mem.Pointer, i int) int {
	return d.fromBytes(o, p, i, methods(o, p).(encoding.BinaryUnmarshaler).UnmarshalBinary)
}

func decodeText(d *Decoder, o *op, p mem.Pointer, i int) int {
	return d.fromBytes(o, p, i, methods(o, p).(encoding.TextUnmarshaler).UnmarshalText)
}

// decodeBinaryOrText lets the wire decide for a type that has both: str is text.
func decodeBinaryOrText(d *Decoder, o *op, p mem.Pointer, i int) int {
	if c, ok := d.codeAt(i); ok && (forms[c].kind == formFixBytes || c >= codeStr8 && c <= codeStr32) {
		return decodeText(d, o, p, i)
	}
	return decodeBinary(d, o, p, i)
}

func (d *Decoder) fromBytes(o *op, p mem.Pointer, i int, take func([]byte) error) int {
	if d.isNil(i) {
		zero(o, p)
		return i + 1
	}
	start, next := d.readBytes(i)
	if next < 0 {
		return -1
	}
	if err := take(bytes.Clone(d.b[start:next])); err != nil {
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
