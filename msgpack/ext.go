package msgpack

// Ext: values of application-defined types, encoded as a type number and bytes.
//
// A user's function that reads an ext receives a separate decoder, whose window ends at the end of
// the ext (Decoder.confined). A function that writes an ext receives a separate encoder. So neither
// function can damage the enclosing value.

import (
	"bytes"
	"fmt"
	"math"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// Ext is an ext of any type, with its encoded data. Every ext can be decoded into an Ext; the data
// is copied. nil is decoded as the zero Ext.
type Ext struct {
	Type int8
	Data []byte
}

// EncodeMsgpack writes x as an ext.
func (x Ext) EncodeMsgpack(e *Encoder) error { return e.flush(e.appendExt(e.b, x.Type, x.Data)) }

// DecodeMsgpack sets x to the next value, which must be an ext.
func (x *Ext) DecodeMsgpack(d *Decoder) error {
	v, err := decodeOne(d, (*Decoder).readExt)
	if err == nil {
		*x = v
	}
	return err
}

func (d *Decoder) readExt(i int) (Ext, int) {
	id, n, start := d.extHeader(i)
	if start < 0 || !d.whole(i, start-i, start-i+n) {
		return Ext{}, -1
	}
	return Ext{id, append(make([]byte, 0, n), d.b[start:start+n]...)}, start + n
}

func (e *Encoder) appendExt(b []byte, id int8, data []byte) []byte {
	if uint64(len(data)) > math.MaxUint32 {
		if e.err == nil {
			e.err = fmt.Errorf("msgpack: a length of %d cannot be written", len(data))
		}
		return b
	}
	return append(msgpwire.AppendExtHeader(b, id, len(data)), data...)
}

// encodeExt writes a value as an ext. The value's type must be registered for an ext id.
func encodeExt(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if e.err != nil {
		return b
	}
	if e.depth >= maxDepth { // the function may call itself through the Encoder
		return e.tooDeep(b)
	}
	x := o.encoder
	aside := e.aside()
	data, err := x.ext(aside, reflectAt(o.typ, p, x.addr))
	aside.release()
	if err != nil {
		e.err = err
		return b
	}
	return e.appendExt(b, x.id, data)
}

// aside returns an Encoder from a pool, for bytes that are written to e later, or not at all. It
// has the options of e, and its dict of interned strings is empty.
func (e *Encoder) aside() *Encoder {
	a := marshalers.Get().(*Encoder)
	a.flags, a.plans = e.flags, e.plans
	a.depth, a.inside = e.depth+1, 1
	return a
}

// release returns e to the pool, unless a user's function has reset it. The encoder e must be a
// result of the method `aside`.
func (e *Encoder) release() {
	if e.w != nil {
		return
	}
	e.flags, e.plans = 0, defaultPlans
	e.depth, e.inside = 0, 0
	e.b, e.err = nil, nil
	e.forgetDict()
	marshalers.Put(e)
}

// decodeExt reads a value from an ext. The value's type must be registered for the ext's id.
func decodeExt(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.isNil(i) {
		zero(o, p)
		return i + 1
	}
	id, n, start := d.extHeader(i)
	if start < 0 {
		return -1
	}
	x := o.decoder
	if id != x.id {
		return d.fail(i, wrongExt(id, x.id))
	}
	if !d.whole(i, start-i, start-i+n) {
		return -1
	}
	return d.confined(x, reflectAt(x.typ, p, x.addr), start, n)
}

func wrongExt(got, want int8) error {
	return fmt.Errorf("msgpack: got ext type=%d, wanted %d", got, want)
}

// confined calls the decoding function of x for the ext whose data is d.b[start:start+n]. The
// function receives a decoder that contains only these bytes.
func (d *Decoder) confined(x *typeDecoder, v reflect.Value, start, n int) int {
	if d.depth >= d.limits.depth {
		return d.tooDeep(start)
	}
	end := start + n
	inner := unmarshalers.Get().(*Decoder)
	inner.b, inner.i, inner.base = d.b[:end:end], start, d.base // offsets in errors are relative to the whole input
	inner.transient = d.transient || d.r != nil
	inner.settings = d.settings
	inner.depth, inner.steps, inner.inside, inner.outer, inner.credit = d.depth+1, d.steps, 1, 1, d.credit
	err := x.ext(inner, v, n)
	d.credit, d.inner = min(d.credit, inner.credit), inner.inner
	if inner.r == nil { // otherwise x.ext has reset it
		inner.settings.reset()
		inner.setInput(nil, nil)
		inner.putBack()
	}
	if err != nil {
		return d.failIn(start, err)
	}
	return end
}

// unknownExtError reports an ext without a registered type that is decoded into type any.
type unknownExtError struct{ id int8 }

func (e unknownExtError) Error() string { return fmt.Sprintf("msgpack: unknown ext id=%d", e.id) }

// readAnyExt reads an ext for a target of type any. The result is a value of the type that is
// registered for the ext's id, a time, an interned string, or an Ext.
func (d *Decoder) readAnyExt(i int) (any, int) {
	id, n, start := d.extHeader(i)
	if start < 0 || !d.whole(i, start-i, start-i+n) {
		return nil, -1
	}
	if x := registered.Load().exts[uint8(id)]; x != nil {
		v := reflect.New(x.typ)
		if x.addr { // v is a pointer, which the function may replace
			p := reflect.New(v.Type())
			p.Elem().Set(v)
			v = p
		}
		next := d.confined(x, v.Elem(), start, n)
		if next < 0 {
			return nil, -1
		}
		return v.Elem().Interface(), next
	}
	switch {
	case id == msgpwire.ExtTime:
		t, next := d.timeIn(i, start, n)
		return t, next
	case id == extInterned:
		s, next := d.readInterned(i)
		if next < 0 {
			return nil, -1
		}
		return d.boxString(s), next
	case d.flags&rawExt != 0:
		return Ext{id, bytes.Clone(d.b[start : start+n])}, start + n
	}
	return nil, d.fail(i, unknownExtError{id})
}
