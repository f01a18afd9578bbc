package msgpack

// Types that write and read themselves.

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// CustomEncoder is implemented by types that write themselves to an Encoder: one value, or several
// if the type's CustomDecoder reads as many.
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

// Unmarshaler is implemented by types that decode themselves from MessagePack. The type may keep
// the bytes.
type Unmarshaler interface {
	UnmarshalMsgpack([]byte) error
}

// RawMessage is an encoded value. Decoding copies the value; an empty RawMessage is written as nil.
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

// methods is the value at p as an interface that has the methods of *T: those of T are among them.
// table is the MethodTable of such an interface, if interfaces may be made from it.
func methods[I any](o *op, table mem.Raw, p mem.Pointer) I {
	if table != nil {
		return mem.WithMethods[I](table, p)
	}
	return reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Interface().(I)
}

func tableOf[I any](t reflect.Type) mem.Raw {
	return mem.MethodTable(reflect.Zero(reflect.PointerTo(t)).Interface().(I))
}

// absent reports whether the value at p is a nil of a kind that can be nil: its methods are not
// called. In each of these kinds, nil is a first word of zero.
func absent(o *op, p mem.Pointer) bool { return o.nilable && *mem.FirstWord(p) == nil }

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

// custom appends a value that writes itself.
func (e *Encoder) custom(b []byte, v CustomEncoder) []byte {
	depth := e.depth
	if e.err != nil || depth >= maxDepth { // it may lead back to itself
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

// appendCustoms appends n values at p that write themselves, which o.elem says how. Their bytes
// gather in e.b all along.
func (e *Encoder) appendCustoms(o *op, p mem.Pointer, n int, b []byte) []byte {
	depth := e.depth
	if e.err != nil || depth+2 > maxDepth {
		return e.tooDeep(b)
	}
	e.depth = depth + 2 // of the list, and of its elements
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

// encodeText writes text as bin, as the original does.
func encodeText(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if absent(o, p) {
		return msgpwire.AppendNil(b)
	}
	out, err := methods[encoding.TextMarshaler](o, o.writes, p).MarshalText()
	return e.appendOr(err, b, msgpwire.AppendBytes(b, out))
}

// appendOr is the longer of b and b with a value, unless a method that was to give the value gave
// err.
func (e *Encoder) appendOr(err error, b, longer []byte) []byte {
	if err != nil {
		if e.err == nil {
			e.err = err
		}
		return b
	}
	return longer
}

// encodeErrorInterface writes what an error interface holds: by its own codec, or as its text.
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

// zero sets the value at p to zero, which is what nil on the wire means to a type that reads
// itself.
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

// custom reads a value that reads itself.
func (d *Decoder) custom(i int, v CustomDecoder) int {
	if d.steps >= maxDepth { // it may lead back to itself
		return d.fail(i, depthError(maxDepth))
	}
	depth := d.depth
	d.steps++
	d.i = i
	err := v.DecodeMsgpack(d)
	d.steps--
	return d.tookCall(i, depth, err)
}

// tookCall gives the offset after what a user's method has read from i on, by calls of d, unless it
// or the options refuse that.
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

// decodeBinaryOrText lets the wire decide for a type that has both: str is text.
func decodeBinaryOrText(d *Decoder, o *op, p mem.Pointer, i int) int {
	if c, ok := d.codeAt(i); ok && (msgpwire.Forms[c].Kind == msgpwire.FormFixBytes || c >= msgpwire.Str8 && c <= msgpwire.Str32) {
		return decodeText(d, o, p, i)
	}
	return decodeBinary(d, o, p, i)
}

// bytesFor finds the bytes of a str or bin for a method of the value at p: d.b[start:next]. For
// nil, which makes the value zero, and on an error start is -1.
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

// took is next, or -1 with the error that a method gave for the value at i.
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
