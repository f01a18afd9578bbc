package json

// This file contains Marshal, Append, and the encode functions of the ops.
//
// The encoder contains the output. The length of the output, n, is passed from function to function
// by value:
//
//	e.b   [ written | room ]        0 ≤ n < len(e.b) == cap(e.b)
//	       0         n
//
// An encode function requests the space that it needs, writes its value at n, and returns the new
// n. It leaves space for at least one byte after the new n. The word room in identifiers means such
// space.
//
// A value that cannot be encoded ends the whole call immediately, as in encoding/json: encoder.fail
// panics, and encoder.guarded, which started the call, converts the panic to an error. So the
// functions need not check for errors after each call, and no user's method is called after an
// error.

import (
	"encoding/base64"
	"math"
	"reflect"
	"strconv"
	"sync"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// Marshal returns the JSON encoding of v. It returns the same bytes or the same error as
// encoding/json.
//
// A short result is first written to a buffer of the encoder, and then copied. A long result is
// written directly to its final memory. The initial size of this memory is the size of the previous
// result for the same type.
func Marshal(v any) ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	face := mem.FaceOf(v)
	o := encodePlans.byWord(face.Type, v)
	e := newEncoder(EscapeHTML | SortMapKeys)
	last := int(o.last.Load())
	if hint := last + last>>6 + o.slack; hint > ownRoom {
		e.b = mem.Room(hint)
		e.b = e.b[:cap(e.b)]
	} else {
		e.b = e.own
	}
	n, err := e.run(o, face.Data, 0)
	if err != nil {
		if e.asksOriginal(err) {
			return marshalOriginal(v)
		}
		return nil, err
	}
	if n > last || n < last-last>>3 {
		o.last.Store(uint32(min(n, math.MaxInt32)))
	}
	b := e.b
	if waste := len(b) - n; waste > n>>3+o.slack || mem.SameRoom(b, e.own) {
		out := make([]byte, n)
		copy(out, b)
		b = out
	}
	e.release()
	return b[:n:n], nil
}

// Append appends the JSON encoding of v to b. With the flags EscapeHTML and SortMapKeys, it appends
// the same bytes that Marshal returns. After an error, it returns b unchanged. It may write to all
// of b's capacity.
func Append(b []byte, v any, flags AppendFlags) ([]byte, error) {
	e := newEncoder(flags)
	n, err := e.append(b, v)
	if err != nil {
		if e.asksOriginal(err) {
			return appendOriginal(b, v, flags)
		}
		return b, err
	}
	if !mem.SameRoom(b, e.b) {
		clear(e.b[n:]) // new memory is not cleared, and may contain anything
	}
	b = e.b[:n]
	e.release()
	return b, nil
}

// encoder contains the state of one call, which all encode functions share.
type encoder struct {
	b     []byte // output, then free space; see above
	own   []byte // memory for short results, and for the results of an Encoder
	html  bool
	flags AppendFlags
	depth int   // nesting depth of pointers, maps and slices that may be cyclic
	err   error // the error for which fail panics

	// State of the maps that are being written; see encode_map.go. For the fields anys and texts,
	// see encode_map_typed.go.
	slots []mapSlot
	maps  []openMap
	kept  int // number of maps whose entries were copied
	anys  []textPair[any]
	texts []textPair[string]
	book  *keyBook

	seen map[any]struct{} // pointers, maps and slices that are being written at a depth of more than cycleDepth
}

// ownRoom is the initial buffer size of an encoder, and the maximum length of the results that
// Marshal copies.
const ownRoom = 1 << 10

// keptSlots is the maximum capacity for map entries that a pooled encoder keeps.
const keptSlots = 4 << 10

// keptMaps is the maximum capacity for nested maps that a pooled encoder keeps.
const keptMaps = 1 << 10

// encoders contains the encoders that are not in use. After an error, or a panic in a user's
// method, an encoder is not returned to this pool.
var encoders = sync.Pool{New: func() any { return &encoder{own: make([]byte, ownRoom)} }}

func newEncoder(flags AppendFlags) *encoder {
	e := encoders.Get().(*encoder)
	e.flags, e.html = flags, flags&EscapeHTML != 0
	return e
}

// release returns e to the pool. It drops the reference to the result.
func (e *encoder) release() {
	e.b = nil
	for i, all := 0, e.maps[:cap(e.maps)]; i < len(all) && all[i].o != nil; i++ {
		all[i] = openMap{}
	}
	if cap(e.slots) > keptSlots {
		e.slots = nil
	}
	if cap(e.anys) > keptSlots || cap(e.texts) > keptSlots {
		e.anys, e.texts = nil, nil
	}
	if cap(e.maps) > keptMaps {
		e.maps = nil
	}
	e.seen = nil // a map never frees the memory of deleted entries
	encoders.Put(e)
}

// append appends the encoding of v to b. The extended slice is e.b[:n].
func (e *encoder) append(b []byte, v any) (n int, err error) {
	n = len(b)
	e.b = b[:cap(b)]
	e.room(n, 1)
	if v == nil {
		return e.putNull(n), nil
	}
	face := mem.FaceOf(v)
	return e.run(encodePlans.byWord(face.Type, v), face.Data, n)
}

// run writes the value of an interface. The argument `data` is the data word of the interface, and
// o is the op of the value's type.
func (e *encoder) run(o *encodeOp, data mem.Raw, n int) (end int, err error) {
	if o.steady {
		return o.encodeFace(e, data, n), nil
	}
	return e.guarded(o, data, n)
}

// guarded is the variant of run for values whose encoding may fail. It converts the panic of fail
// to an error. It does not recover from a panic in a user's method.
func (e *encoder) guarded(o *encodeOp, data mem.Raw, n int) (end int, err error) {
	defer func() {
		if e.err != nil {
			_ = recover() // from fail
			err = e.err
		}
	}()
	return o.encodeFace(e, data, n), nil
}

// fail ends the public call with the error err.
func (e *encoder) fail(err error) {
	e.err = err
	panic("json: the encoder failed") // see guarded
}

// encodeFace writes the value of an interface whose data word is data.
func (o *encodeOp) encodeFace(e *encoder, data mem.Raw, n int) int {
	if !o.direct {
		return o.encode(e, o, mem.Of(data, o.typ), n)
	}
	if o.encodeWord != nil {
		return o.encodeWord(e, o, data, n)
	}
	word := data
	return o.encode(e, o, mem.Of(mem.RawTo(&word), o.typ), n)
}

// room returns e.b with at least `more` free bytes after n. If necessary, it grows e.b.
func (e *encoder) room(n, more int) []byte {
	if len(e.b)-n < more {
		e.grow(n, more)
	}
	return e.b
}

//go:noinline
func (e *encoder) grow(n, more int) {
	b := mem.GrowRoom(e.b[:n], max(more, 64))
	e.b = b[:cap(b)]
}

// wrote sets e.b to b, which is the output with appended bytes. It returns the new length of the
// output, and ensures that there is space for another byte.
func (e *encoder) wrote(b []byte) int {
	n := len(b)
	e.b = b[:cap(b)]
	if n == len(e.b) {
		e.grow(n, 1)
	}
	return n
}

// The texts null and true, and the beginning of false, as words.
const (
	textNull = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
	textTrue = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	textFals = 'f' | 'a'<<8 | 'l'<<16 | 's'<<24
)

// wordRoom is the space that a null, true or false requires.
const wordRoom = 8

func (e *encoder) putNull(n int) int {
	mem.Store32(e.room(n, wordRoom), n, textNull)
	return n + 4
}

// putBool writes v to b at n. At least wordRoom bytes must be free.
func putBool(b []byte, n int, v bool) int {
	if v {
		mem.Store32(b, n, textTrue)
		return n + 4
	}
	mem.Store32(b, n, textFals)
	mem.Store8(b, n+4, 'e')
	return n + 5
}

// putInt is like decimal.PutInt, but handles the sign and one-digit numbers itself, so that this
// code can be inlined.
func putInt(b []byte, n int, v int64) int {
	if uint64(v) < 10 {
		mem.Store8(b, n, byte(v)+'0')
		return n + 1
	}
	if v < 0 {
		mem.Store8(b, n, '-')
		return decimal.PutUint(b, n+1, -uint64(v))
	}
	return decimal.PutUint(b, n, uint64(v))
}

func encodeBool(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return putBool(e.room(n, wordRoom), n, *mem.At[bool](p, 0))
}

func encodeInt64(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return putInt(e.room(n, decimal.IntRoom), n, *mem.At[int64](p, 0))
}

func encodeInt32(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return putInt(e.room(n, decimal.IntRoom), n, int64(*mem.At[int32](p, 0)))
}

func encodeInt16(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return putInt(e.room(n, decimal.IntRoom), n, int64(*mem.At[int16](p, 0)))
}

func encodeInt8(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return putInt(e.room(n, decimal.IntRoom), n, int64(*mem.At[int8](p, 0)))
}

func encodeUint64(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return decimal.PutUint(e.room(n, decimal.IntRoom), n, *mem.At[uint64](p, 0))
}

func encodeUint32(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return decimal.PutUint(e.room(n, decimal.IntRoom), n, uint64(*mem.At[uint32](p, 0)))
}

func encodeUint16(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return decimal.PutUint(e.room(n, decimal.IntRoom), n, uint64(*mem.At[uint16](p, 0)))
}

func encodeUint8(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return decimal.PutUint(e.room(n, decimal.IntRoom), n, uint64(*mem.At[uint8](p, 0)))
}

func encodeFloat64(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	f := *mem.At[float64](p, 0)
	if f-f != 0 {
		e.failFloat(o.typ, f)
	}
	return decimal.PutFloat64(e.room(n, decimal.FloatRoom), n, f)
}

func encodeFloat32(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	f := *mem.At[float32](p, 0)
	if f-f != 0 {
		e.failFloat(o.typ, float64(f))
	}
	return decimal.PutFloat32(e.room(n, decimal.FloatRoom), n, f)
}

// failFloat ends the call with the error for f, which is infinite or NaN and has the type t.
// Callers recognize such a float by f-f != 0.
func (e *encoder) failFloat(t reflect.Type, f float64) {
	v := reflect.ValueOf(f).Convert(t)
	e.fail(&UnsupportedValueError{Value: v, Str: strconv.FormatFloat(f, 'g', -1, t.Bits())})
}

func encodeString(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return e.putString(n, *mem.At[string](p, 0))
}

// encodeQuoted writes a number or a bool in quotes, for the tag option "string".
func encodeQuoted(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	mem.Store8(e.b, n, '"')
	e.room(n, 2)
	n = o.elem.encode(e, o.elem, p, n+1)
	mem.Store8(e.b, n, '"')
	e.room(n, 2)
	return n + 1
}

// encodeQuotedString writes the JSON encoding of a string as a JSON string, for the tag option
// "string".
func encodeQuotedString(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	quoted := appendString(nil, *mem.At[string](p, 0), e.html)
	return e.wrote(appendString(e.b[:n], mem.String(quoted), false))
}

// encodeBytes writes a slice of bytes as base64.
func encodeBytes(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	v := *mem.At[[]byte](p, 0)
	if v == nil {
		return e.putNull(n)
	}
	size := base64.StdEncoding.EncodedLen(len(v))
	b := e.room(n, size+3)
	b[n] = '"'
	base64.StdEncoding.Encode(b[n+1:], v)
	n += size + 1
	b[n] = '"'
	return n + 1
}

func encodePointer(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return encodePointed(e, o, *mem.At[mem.Raw](p, 0), n)
}

// encodePointed writes the target of the pointer to, which has o's type.
func encodePointed(e *encoder, o *encodeOp, to mem.Raw, n int) int {
	if to == nil {
		return e.putNull(n)
	}
	if o.bounded {
		return o.elem.encode(e, o.elem, mem.Of(to, o.elem.typ), n)
	}
	if e.depth++; e.depth > cycleDepth {
		n = e.encodeDeepPointed(o, to, n)
	} else {
		n = o.elem.encode(e, o.elem, mem.Of(to, o.elem.typ), n)
	}
	e.depth--
	return n
}

func (e *encoder) encodeDeepPointed(o *encodeOp, to mem.Raw, n int) int {
	v := reflect.NewAt(o.typ, mem.RawTo(&to)).Elem()
	key := v.Interface()
	e.open(v, key)
	n = o.elem.encode(e, o.elem, mem.Of(to, o.elem.typ), n)
	delete(e.seen, key)
	return n
}

// cycleDepth is a nesting depth of pointers, maps and slices. At a greater depth, the encoder
// records the values that are being written, to detect cycles.
const cycleDepth = 1000

const cycleText = "encountered a cycle via "

// open records that v is being written. The argument `key` identifies v. If v is already being
// written, open ends the call with an error.
func (e *encoder) open(v reflect.Value, key any) {
	if e.original() && !inCircle(v) {
		e.fail(errAskOriginal) // encoding/json limits the nesting depth of JSON, and reports cycles at other values
	}
	if _, ok := e.seen[key]; ok {
		v = reflect.ValueOf(v.Interface()) // a copy, because the memory of v may change
		e.fail(&UnsupportedValueError{Value: v, Str: cycleText + v.Type().String()})
	}
	if e.seen == nil {
		e.seen = map[any]struct{}{}
	}
	e.seen[key] = struct{}{}
}

func encodeUnsupported(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	e.fail(&UnsupportedTypeError{Type: o.typ})
	return n
}
