package msgpack

// This file contains Marshal and the encode functions of the ops. Each function appends a value to
// its argument b, and returns the extended slice. An error is stored in e.err, and returned at the
// end of the public call.

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// Marshal returns the MessagePack encoding of v. It returns an error if v contains a chan, func,
// complex number or unsafe.Pointer, if values are nested more than 10,000 levels deep (as in a
// cyclic value), or if a method of v returns an error.
func Marshal(v any) ([]byte, error) {
	if v == nil {
		return []byte{msgpwire.Nil}, nil
	}
	o := defaultPlans.byWord(mem.FaceOf(v).Type, v)
	size := o.remembered()
	// The initial capacity is the encoded size of the last value of the type, plus a small reserve.
	hint := int(size.Load())
	b, err := marshalAppend(make([]byte, 0, hint+hint/64+17), o, v)
	if err != nil {
		return nil, err
	}
	// A size remembered from larger values would waste memory. So the remembered size follows the
	// sizes of later values, and a result with much unused capacity is copied.
	if n := len(b); n > hint || n < hint-hint/8 {
		size.Store(uint32(min(n, math.MaxInt32)))
		if cap(b)-n > n/8+32 {
			b = append(make([]byte, 0, n), b...)
		}
	}
	return slices.Clip(b), nil
}

// MarshalAppend appends the MessagePack encoding of v to dst. On error, it returns dst unchanged.
func MarshalAppend(dst []byte, v any) ([]byte, error) {
	if v == nil {
		return msgpwire.AppendNil(dst), nil
	}
	b, err := marshalAppend(dst, defaultPlans.byWord(mem.FaceOf(v).Type, v), v)
	if err != nil {
		return dst, err
	}
	return b, nil
}

// remembered returns the variable with the encoded size of the last value of o's type. For a
// pointer type, it returns the variable of the element type.
func (o *op) remembered() *atomic.Uint32 {
	if o.is(isPointer) {
		return &o.elem.last
	}
	return &o.last
}

// marshalers contains encoders with default options, so that Marshal does not need to set options.
var marshalers = sync.Pool{New: func() any { return newEncoder() }}

// flatEncoder writes flat values. All goroutines share it, because encoding a flat value does not
// change the Encoder.
var flatEncoder = newEncoder()

// marshalAppend appends v to b. The op of v's type is o.
func marshalAppend(b []byte, o *op, v any) ([]byte, error) {
	data := mem.FaceOf(v).Data
	if o.is(encodesTarget) && data != nil && o.elem.is(encodesStateless) {
		return o.elem.encode(flatEncoder, o.elem, mem.Of(data, o.elem.typ), b), nil
	}
	e := marshalers.Get().(*Encoder)
	e.inside = 1
	if o.is(encodesTarget) && data != nil {
		b = o.elem.encode(e, o.elem, mem.Of(data, o.elem.typ), b)
	} else {
		b = e.appendAny(b, v)
	}
	err := e.err
	e.inside--
	e.b, e.err, e.depth = nil, nil, 0 // a custom encoder leaves its result in e.b
	if e.flags&knownStrings != 0 {
		e.forgetDict() // strings of fields with the tag intern
	}
	// An encoder that a user's method has changed is not returned to the pool.
	if e.flags == 0 && e.inside == 0 && e.w == nil && e.plans == defaultPlans {
		marshalers.Put(e)
	}
	return b, err
}

// Encode writes v with one call of Write. If v cannot be encoded (see [Marshal]), nothing is
// written.
func (e *Encoder) Encode(v any) error {
	if v == nil {
		return e.EncodeNil()
	}
	face := mem.FaceOf(v)
	switch o := e.plans.byWord(face.Type, v); {
	case o.is(encodesTarget) && face.Data != nil && o.elem.is(encodesStateless):
		return e.flush(o.elem.encode(e, o.elem, mem.Of(face.Data, o.elem.typ), e.b))
	case o.is(encodesStateless):
		return e.flush(e.appendAny(e.b, v))
	}
	return e.guarded(func(b []byte) []byte { return e.appendAny(b, v) })
}

// guarded calls the function `appendTo`, which may call a user's methods. If a method panics, or
// the value cannot be written, guarded restores the state of e. Then a custom encoder can write
// another value instead.
func (e *Encoder) guarded(appendTo func(b []byte) []byte) error {
	before, references, keys, word := e.b, len(e.references), len(e.keys), e.word
	depth, inside, written := e.depth, e.inside, false
	defer func() {
		if !written {
			if len(e.references) > references {
				e.forgetReferences(references)
			}
			e.forget(keys)
			e.b, e.word, e.err = before, word, nil
			e.depth, e.inside = depth, inside
		}
	}()
	e.inside = inside + 1
	b := appendTo(e.b)
	e.inside = inside
	failed := e.err != nil
	err := e.flush(b)
	written = !failed || inside == 0
	return err
}

// EncodeMulti writes several values with one call of Write. If one of them cannot be encoded, it
// writes no value.
func (e *Encoder) EncodeMulti(v ...any) error {
	return e.guarded(func(b []byte) []byte {
		for _, x := range v {
			b = e.appendAny(b, x)
		}
		return b
	})
}

// EncodeValue is like [Encoder.Encode] for a reflect.Value. The zero reflect.Value is written as
// nil. A method with a pointer receiver is called for v itself if v is addressable, and otherwise
// for a copy.
func (e *Encoder) EncodeValue(v reflect.Value) error {
	return e.guarded(func(b []byte) []byte { return e.appendValue(b, v) })
}

// appendValue appends v. The zero reflect.Value is written as nil.
func (e *Encoder) appendValue(b []byte, v reflect.Value) []byte {
	switch {
	case !v.IsValid():
		return msgpwire.AppendNil(b)
	case v.CanAddr():
		o := e.plans.of(v.Type())
		return o.encode(e, o, mem.PlaceOf(v), b)
	case v.CanInterface():
		return e.appendAny(b, v.Interface())
	case e.err == nil:
		e.err = fmt.Errorf("msgpack: Encode(unexported field of type %v)", v.Type())
	}
	return b
}

func (e *Encoder) tooDeep(b []byte) []byte {
	if e.err == nil {
		e.err = depthError(maxDepth)
	}
	return b
}

// appendText appends s as msgpwire.AppendString does, but copies a short string in overlapping
// words instead of calling a copy function.
func appendText(b []byte, s string) []byte {
	n := len(s)
	if n >= 32 || cap(b)-len(b) <= n {
		return msgpwire.AppendString(b, s)
	}
	at := len(b) + 1
	src := mem.Bytes(s)
	b = b[:at+n]
	mem.Store8(b, at-1, msgpwire.Fixstr|byte(n))
	switch {
	case n >= 16:
		mem.Store64(b, at, mem.Load64(src, 0))
		mem.Store64(b, at+8, mem.Load64(src, 8))
		mem.Store64(b, at+n-16, mem.Load64(src, n-16))
		mem.Store64(b, at+n-8, mem.Load64(src, n-8))
	case n >= 8:
		mem.Store64(b, at, mem.Load64(src, 0))
		mem.Store64(b, at+n-8, mem.Load64(src, n-8))
	case n >= 4:
		mem.Store32(b, at, mem.Load32(src, 0))
		mem.Store32(b, at+n-4, mem.Load32(src, n-4))
	case n > 0:
		mem.Store8(b, at, mem.Load8(src, 0))
		mem.Store8(b, at+n/2, mem.Load8(src, n/2))
		mem.Store8(b, at+n-1, mem.Load8(src, n-1))
	}
	return b
}

func (e *Encoder) appendInt64(b []byte, v int64) []byte {
	if e.flags&compactInts != 0 {
		return msgpwire.AppendInt(b, v)
	}
	return msgpwire.AppendCode64(b, msgpwire.Int64, uint64(v))
}

func (e *Encoder) appendUint64(b []byte, v uint64) []byte {
	if e.flags&compactInts != 0 {
		return msgpwire.AppendUint(b, v)
	}
	return msgpwire.AppendCode64(b, msgpwire.Uint64, v)
}

func (e *Encoder) appendFloat64(b []byte, v float64) []byte {
	if e.flags&compactFloats != 0 {
		if n := int64(v); float64(n) == v && (n != 0 || !math.Signbit(v)) && n < math.MaxInt64 {
			return msgpwire.AppendInt(b, n)
		}
	}
	return msgpwire.AppendFloat64(b, v)
}

func encodeBool(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return msgpwire.AppendBool(b, *mem.At[bool](p, 0))
}

func encodeInt(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return msgpwire.AppendInt(b, int64(*mem.At[int](p, 0)))
}

func encodeUint(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return msgpwire.AppendUint(b, uint64(*mem.At[uint](p, 0)))
}

func encodeInt8(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := *mem.At[int8](p, 0)
	if e.flags&compactInts != 0 {
		return msgpwire.AppendInt(b, int64(v))
	}
	return append(b, msgpwire.Int8, byte(v))
}

func encodeInt16(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := *mem.At[int16](p, 0)
	if e.flags&compactInts != 0 {
		return msgpwire.AppendInt(b, int64(v))
	}
	return msgpwire.AppendCode16(b, msgpwire.Int16, uint16(v))
}

func encodeInt32(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := *mem.At[int32](p, 0)
	if e.flags&compactInts != 0 {
		return msgpwire.AppendInt(b, int64(v))
	}
	return msgpwire.AppendCode32(b, msgpwire.Int32, uint32(v))
}

func encodeInt64(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.appendInt64(b, *mem.At[int64](p, 0))
}

func encodeUint8(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := *mem.At[uint8](p, 0)
	if e.flags&compactInts != 0 {
		return msgpwire.AppendUint(b, uint64(v))
	}
	return append(b, msgpwire.Uint8, v)
}

func encodeUint16(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := *mem.At[uint16](p, 0)
	if e.flags&compactInts != 0 {
		return msgpwire.AppendUint(b, uint64(v))
	}
	return msgpwire.AppendCode16(b, msgpwire.Uint16, v)
}

func encodeUint32(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := *mem.At[uint32](p, 0)
	if e.flags&compactInts != 0 {
		return msgpwire.AppendUint(b, uint64(v))
	}
	return msgpwire.AppendCode32(b, msgpwire.Uint32, v)
}

func encodeUint64(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.appendUint64(b, *mem.At[uint64](p, 0))
}

func encodeFloat32(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.appendFloat32(b, *mem.At[float32](p, 0))
}

func (e *Encoder) appendFloat32(b []byte, v float32) []byte {
	if e.flags&compactFloats != 0 {
		if n := int64(v); float32(n) == v && (n != 0 || !math.Signbit(float64(v))) && n < math.MaxInt64 {
			return msgpwire.AppendInt(b, n)
		}
	}
	return msgpwire.AppendFloat32(b, v)
}

func encodeFloat64(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.appendFloat64(b, *mem.At[float64](p, 0))
}

func encodeString(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if e.flags&interned != 0 {
		return e.appendInterned(b, *mem.At[string](p, 0))
	}
	return appendText(b, *mem.At[string](p, 0))
}

func encodeBytes(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := *mem.At[[]byte](p, 0)
	if v == nil {
		return msgpwire.AppendNil(b)
	}
	return e.appendBody(msgpwire.AppendBytesLen(b, len(v)), v)
}

func encodeByteArray(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	s := mem.Slice{Data: mem.RawBytes(p, o.length), Len: o.length, Cap: o.length}
	return append(msgpwire.AppendBytesLen(b, o.length), *mem.RawAt[[]byte](mem.RawTo(&s), 0)...)
}

func encodePointer(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	to := *mem.At[mem.Raw](p, 0)
	if to == nil {
		return msgpwire.AppendNil(b)
	}
	if o.is(encodesStateless) {
		return o.elem.encode(e, o.elem, mem.Of(to, o.elem.typ), b)
	}
	if e.depth++; e.depth > maxDepth { // a pointer may refer to itself
		return e.tooDeep(b)
	}
	b = o.elem.encode(e, o.elem, mem.Of(to, o.elem.typ), b)
	e.depth--
	return b
}

func encodeSlice(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	s := *mem.At[mem.Slice](p, 0)
	if s.Data == nil {
		return msgpwire.AppendNil(b)
	}
	return e.appendElements(o, o.elements(s), s.Len, b)
}

// elements returns a pointer to the first element of the slice s, whose op is o.
func (o *op) elements(s mem.Slice) mem.Pointer {
	if !mem.Guarded {
		return mem.ArrayOf(s.Data, nil, s.Len)
	}
	return mem.ArrayOf(s.Data, o.elem.typ, s.Len)
}

func encodeArray(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.appendElements(o, p, o.length, b)
}

func (e *Encoder) appendElements(o *op, p mem.Pointer, n int, b []byte) []byte {
	if o.elem.is(encodesByMethod) {
		return e.appendCustoms(o, p, n, b)
	}
	if !o.is(encodesStateless) {
		if e.depth++; e.depth > maxDepth {
			return e.tooDeep(b)
		}
	}
	b = msgpwire.AppendArrayLen(b, n)
	elem := o.elem
	for k := range n {
		b = elem.encode(e, elem, mem.Add(p, uintptr(k)*elem.size), b)
	}
	if !o.is(encodesStateless) {
		e.depth--
	}
	return b
}

func encodeStrings(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if e.flags&interned != 0 {
		return encodeSlice(e, o, p, b)
	}
	s := *mem.At[[]string](p, 0)
	if s == nil {
		return msgpwire.AppendNil(b)
	}
	b = msgpwire.AppendArrayLen(b, len(s))
	for _, v := range s {
		n, at := len(v), len(b)
		if n < 8 || n >= 32 || n >= cap(b)-at {
			b = appendText(b, v)
			continue
		}
		b = b[:at+1+n] // copies strings of the most common lengths without a call
		src := mem.Bytes(v)
		mem.Store8(b, at, msgpwire.Fixstr|byte(n))
		mem.Store64(b, at+1, mem.Load64(src, 0))
		if n > 16 {
			mem.Store64(b, at+9, mem.Load64(src, 8))
			mem.Store64(b, at+n-15, mem.Load64(src, n-16))
		}
		mem.Store64(b, at+n-7, mem.Load64(src, n-8))
	}
	return b
}

func encodeInt64s(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	s := *mem.At[[]int64](p, 0)
	if s == nil {
		return msgpwire.AppendNil(b)
	}
	b = msgpwire.AppendArrayLen(b, len(s))
	if e.flags&compactInts != 0 {
		for _, v := range s {
			b = msgpwire.AppendInt(b, v)
		}
		return b
	}
	at := len(b)
	b = slices.Grow(b, 9*len(s))[:at+9*len(s)]
	for _, v := range s {
		mem.Store8(b, at, msgpwire.Int64)
		wire.PutBE64(b, at+1, uint64(v))
		at += 9
	}
	return b
}

func encodeFloat64s(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	s := *mem.At[[]float64](p, 0)
	if s == nil {
		return msgpwire.AppendNil(b)
	}
	b = msgpwire.AppendArrayLen(b, len(s))
	if e.flags&compactFloats != 0 {
		for _, v := range s {
			b = e.appendFloat64(b, v)
		}
		return b
	}
	at := len(b)
	b = slices.Grow(b, 9*len(s))[:at+9*len(s)]
	for _, v := range s {
		mem.Store8(b, at, msgpwire.Float64)
		wire.PutBE64(b, at+1, math.Float64bits(v))
		at += 9
	}
	return b
}

// encodeStruct writes a struct as a map, or as an array if its tag or an option requires it.
//
// The capacity of b is checked once for a run of fields of known length (structPlan.reserve). The
// keys and numbers in the run are then stored at the end of b without further checks.
func encodeStruct(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	fields := o.fields
	if fields.slow || e.flags&(arrayStructs|omitEmpty|compactInts|compactFloats|interned) != 0 {
		return e.appendStructSlow(fields, p, b)
	}
	b = append(b, fields.header...)
	out := fields.out
	for k := range out {
		f := &out[k]
		if n := int(f.reserve); n > cap(b)-len(b) {
			b = slices.Grow(b, n)
		}
		at := len(b)
		text := mem.Bytes(f.text)
		// The key is stored in whole words if the following value will overwrite the rest of the
		// last word.
		if f.spills {
			room := b[:cap(b)]
			for w := 0; w < len(text); w += 8 {
				mem.Store64(room, at+w, mem.LoadPadded64(text, w)) // may read the padding after the key
			}
			at += len(text)
			b = room[:at]
		} else {
			b = append(b, text...)
			at = len(b)
		}
		from := mem.Add(p, uintptr(f.offset))
		switch f.kind {
		case kindString:
			b = appendText(b, *mem.At[string](from, 0))
		case kindFixedInt:
			b = b[:at+9]
			mem.Store8(b, at, msgpwire.Int64)
			wire.PutBE64(b, at+1, *mem.At[uint64](from, 0))
		case kindFixedUint:
			b = b[:at+9]
			mem.Store8(b, at, msgpwire.Uint64)
			wire.PutBE64(b, at+1, *mem.At[uint64](from, 0))
		case kindFloat64:
			b = b[:at+9]
			mem.Store8(b, at, msgpwire.Float64)
			wire.PutBE64(b, at+1, *mem.At[uint64](from, 0))
		case kindBool:
			b = msgpwire.AppendBool(b, *mem.At[bool](from, 0))
		case kindInt:
			if v := *mem.At[int64](from, 0); uint64(v) <= msgpwire.FixintMax {
				b = append(b, byte(v))
			} else {
				b = msgpwire.AppendInt(b, v)
			}
		case kindUint:
			b = msgpwire.AppendUint(b, *mem.At[uint64](from, 0))
		default:
			if f.hops {
				if from = fields.reach(f, p); mem.IsNil(from) {
					b = msgpwire.AppendNil(b)
					continue
				}
			}
			b = f.op.encode(e, f.op, from, b)
		}
	}
	return b
}

// reach follows the embedded pointers to the field f, and returns the field's address. If one of
// the pointers is nil, it returns nil.
func (s *structPlan) reach(f *outField, p mem.Pointer) (at mem.Pointer) {
	field := &s.list[f.index]
	for _, hop := range field.Hops {
		to := *mem.At[mem.Raw](p, hop.Offset)
		if to == nil {
			return at
		}
		p = mem.Of(to, hop.Type)
	}
	return mem.Add(p, field.Offset)
}

// appendStructSlow appends a struct in the cases that encodeStruct does not handle: fields may be
// omitted, the struct is written as an array, or options apply.
func (e *Encoder) appendStructSlow(fields *structPlan, p mem.Pointer, b []byte) []byte {
	asArray := fields.asArray || e.flags&arrayStructs != 0
	if asArray {
		b = msgpwire.AppendArrayLen(b, len(fields.out))
	} else {
		n := 0
		for k := range fields.out {
			if !e.omitted(fields, &fields.out[k], p) {
				n++
			}
		}
		b = msgpwire.AppendMapLen(b, n)
	}
	for k := range fields.out {
		f := &fields.out[k]
		if !asArray {
			if e.omitted(fields, f, p) {
				continue
			}
			if e.flags&interned != 0 {
				b = e.appendInterned(b, fields.list[f.index].Name)
			} else {
				b = append(b, f.text...)
			}
		}
		from := mem.Add(p, uintptr(f.offset))
		if f.hops {
			if from = fields.reach(f, p); mem.IsNil(from) {
				b = msgpwire.AppendNil(b)
				continue
			}
		}
		b = f.op.encode(e, f.op, from, b)
	}
	return b
}

// omitted reports whether the field f is omitted. If a struct may omit any field, it also omits all
// fields that are promoted from a nil embedded pointer.
func (e *Encoder) omitted(fields *structPlan, f *outField, p mem.Pointer) bool {
	if !fields.omits && e.flags&omitEmpty == 0 {
		return false
	}
	from := mem.Add(p, uintptr(f.offset))
	if f.hops {
		if from = fields.reach(f, p); mem.IsNil(from) {
			return true
		}
	}
	if e.flags&omitEmpty != 0 {
		return f.always(from)
	}
	return f.empty != nil && f.empty(from)
}

// encodeMap writes a map of any type through reflect.
func encodeMap(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	m := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	if m.IsNil() {
		return msgpwire.AppendNil(b)
	}
	if !o.is(encodesStateless) {
		if e.depth++; e.depth > maxDepth {
			return e.tooDeep(b)
		}
	}
	b = msgpwire.AppendMapLen(b, m.Len())
	if e.flags&sortMapKeys != 0 {
		b = e.appendSorted(o, m, b)
	} else {
		b = e.appendPairs(o, m, b)
	}
	if !o.is(encodesStateless) {
		e.depth--
	}
	return b
}

// appendPairs appends the pairs of m, a map with the op o, in random order.
func (e *Encoder) appendPairs(o *op, m reflect.Value, b []byte) []byte {
	key, value := reflect.New(o.key.typ).Elem(), reflect.New(o.elem.typ).Elem()
	keyAt, valueAt := mem.PlaceOf(key), mem.PlaceOf(value)
	for all := m.MapRange(); all.Next(); {
		key.SetIterKey(all)
		value.SetIterValue(all)
		b = o.key.encode(e, o.key, keyAt, b)
		b = o.elem.encode(e, o.elem, valueAt, b)
	}
	return b
}

func encodeMapAny(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.appendAnyMap(b, *mem.At[map[string]any](p, 0))
}

// encodeMapOf returns a variant of encodeMap for maps from strings to a leaf kind.
func encodeMapOf[V any](appendValue func(e *Encoder, b []byte, v V) []byte) encodeFn {
	return func(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
		m := *mem.At[map[string]V](p, 0)
		if m == nil {
			return msgpwire.AppendNil(b)
		}
		if e.flags&interned != 0 {
			return appendInternedMap(e, b, m, appendValue)
		}
		b = msgpwire.AppendMapLen(b, len(m))
		if e.flags&sortMapKeys != 0 {
			keys, mark := sortedKeys(e, m)
			for _, k := range keys {
				b = appendValue(e, appendText(b, k), m[k])
			}
			e.forget(mark)
			return b
		}
		if len(m) == 0 {
			return b
		}
		if w, ok := mem.WalkMap(m); ok && walkMaps {
			for x := w.Next(); x != nil; x = w.Next() {
				b = appendValue(e, appendText(b, x.Key), x.Value)
			}
			return b
		}
		for k, v := range m {
			b = appendValue(e, appendText(b, k), v)
		}
		return b
	}
}

func appendStringOf(e *Encoder, b []byte, v string) []byte {
	if e.flags&interned != 0 {
		return e.appendInterned(b, v)
	}
	return appendText(b, v)
}

func appendFloat64Of(e *Encoder, b []byte, v float64) []byte  { return e.appendFloat64(b, v) }
func appendFixedInt64Of(e *Encoder, b []byte, v int64) []byte { return e.appendInt64(b, v) }
func appendIntOf(e *Encoder, b []byte, v int) []byte          { return msgpwire.AppendInt(b, int64(v)) }
func appendBoolOf(e *Encoder, b []byte, v bool) []byte        { return msgpwire.AppendBool(b, v) }
