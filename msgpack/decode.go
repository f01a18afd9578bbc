package msgpack

// This file contains the calls that decode into a Go value. The files decode_leaf.go,
// decode_list.go, decode_map.go and decode_struct.go contain the decode functions of the ops.
//
// The input consists of one []byte, d.b, and an offset that the functions pass on in a register.
// Each function takes the offset of a value, and returns the offset after the value, or -1 with
// d.err set. Fast paths require the complete value in d.b. The slow functions in read.go read all
// other values. They may refill d.b from a stream, so a local copy of d.b is invalid after a call
// of a slow function.

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// maxDepth is the maximum nesting depth of values, unless an option sets another limit.
const maxDepth = 10_000

func (d *Decoder) tooDeep(i int) int { return d.fail(i, depthError(d.limits.depth)) }

// depthError reports values nested too deeply. Its value is the limit.
type depthError int

func (e depthError) Error() string { return fmt.Sprintf("msgpack: values nest deeper than %d", int(e)) }

// Unmarshal decodes the first value in data into the target of the pointer v. It ignores bytes
// after the value. Decoded values do not refer to data. After an error, the target may contain a
// part of the value. Unmarshal returns the same errors as [Decoder.Decode].
func Unmarshal(data []byte, v any) error {
	face := mem.FaceOf(v)
	var o *op
	if v != nil {
		o = defaultPlans.byWord(face.Type, v)
	}
	if o == nil || !o.is(isPointer) || face.Data == nil || o.elem.is(isInterface) && !isNilAny(o.elem, mem.Of(face.Data, o.elem.typ)) {
		var d Decoder
		d.ResetBytes(data)
		return d.Decode(v)
	}
	d := unmarshalers.Get().(*Decoder)
	d.b, d.i, d.inside, d.credit = data, 0, 1, streamCredit+32*len(data)
	next := o.elem.decode(d, o.elem, mem.Of(face.Data, o.elem.typ), 0)
	d.inside--
	var err error
	if next < 0 {
		err = d.endFailed(0)
	}
	d.b = nil
	if o.elem.is(decodesStateless) {
		d.depth = 0
		unmarshalers.Put(d)
	} else {
		d.putBack()
	}
	return err
}

// unmarshalers contains decoders with default options, so that Unmarshal does not have to set
// options.
var unmarshalers = sync.Pool{New: func() any { return newDecoder() }}

// putBack returns a decoder to the pool of Unmarshal, unless a user's method has changed the
// decoder.
func (d *Decoder) putBack() {
	d.depth, d.inner = 0, nil
	if d.dict.size() > 0 {
		d.forgetDict()
	}
	if d.flags == 0 && d.inside == 0 && d.r == nil && d.mapFunc == nil && d.plans == defaultPlans && d.limits == noLimits && d.base == 0 {
		unmarshalers.Put(d)
	}
}

// isNilAny reports whether the value at p has the type any and is nil.
func isNilAny(o *op, p mem.Pointer) bool { return o.typ == anyType && *mem.At[any](p, 0) == nil }

var errDecodeNil = errors.New("msgpack: Decode(nil)")

// Decode decodes the next value into the target of the pointer v. At the end of the input, it
// returns io.EOF itself. If the input ends inside a value, it returns an [Error] whose cause is
// io.EOF or io.ErrUnexpectedEOF. If a value does not fit its target, Decode skips the value, so
// that the next call decodes the next value.
//
// If v points to a variable of type any, the variable must contain nil or a pointer. If it contains
// another value, for example from an earlier call, Decode skips the next value and returns an
// error. A loop that decodes into the same variable of type any must set it to nil before each
// call.
func (d *Decoder) Decode(v any) error {
	face := mem.FaceOf(v)
	if v == nil {
		return errDecodeNil
	}
	o := d.plans.byWord(face.Type, v)
	if !o.is(isPointer) {
		return fmt.Errorf("msgpack: Decode(non-pointer %T)", v)
	}
	if face.Data == nil {
		return fmt.Errorf("msgpack: Decode(non-settable %T)", v)
	}
	to := o.elem
	if to.is(isInterface) {
		return d.decodeFace(to, mem.Of(face.Data, to.typ))
	}
	return d.decodeOp(to, mem.Of(face.Data, to.typ))
}

// decodeOp decodes the next input value into the target at p.
func (d *Decoder) decodeOp(o *op, p mem.Pointer) error {
	mark := d.begin()
	if !o.is(decodesStateless) {
		return d.decodeGuarded(o, p, mark)
	}
	depth := d.depth
	next := o.decode(d, o, p, mark)
	if next < 0 {
		d.depth = depth
	}
	return d.end(mark, next)
}

func (d *Decoder) decodeGuarded(o *op, p mem.Pointer, mark int) error {
	g := d.guard(mark)
	defer g.done()
	return g.end(o.decode(d, o, p, mark))
}

// A guard ends a public call that may call a user's methods. The caller defers a call of the method
// `done`. If a user's method panics, the call ends like a failed call, so that the decoder remains
// usable.
type guard struct {
	d                          *Decoder
	mark, inside, depth, steps int
	returned                   bool
}

// guard returns the guard of a call whose value starts at the offset `mark`.
func (d *Decoder) guard(mark int) guard {
	return guard{d: d, mark: mark, inside: d.inside, depth: d.depth, steps: d.steps}
}

// end calls Decoder.end for the guarded call.
func (g *guard) end(next int) error {
	d := g.d
	if g.returned = true; next < 0 {
		d.depth = g.depth
	}
	err := d.end(g.mark, next)
	if d.inside == 0 {
		d.inner = nil // its path may be large
	}
	return err
}

func (g *guard) done() {
	if g.returned {
		return
	}
	d := g.d
	d.i, d.inside, d.depth, d.steps = g.mark, g.inside-1, g.depth, g.steps
	if d.inside == 0 {
		_ = d.endFailed(d.start) // the panic reports the failure
	}
}

// decodeFace decodes into the interface at p. If the interface contains a pointer, decodeFace
// decodes into the pointer's target. If the interface is nil, decodeFace sets it. Any other value
// in the interface is an error, like an argument of Decode that is not a pointer. After this error,
// the next input value is skipped, so that a loop that ignores the error ends.
func (d *Decoder) decodeFace(o *op, p mem.Pointer) error {
	if v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem(); !v.IsNil() {
		if held := v.Elem(); held.Kind() != reflect.Pointer {
			mark := d.begin()
			if _, ok := d.codeAt(mark); ok {
				d.fail(mark, fmt.Errorf("msgpack: Decode(non-pointer %s)", held.Type()))
			}
			return d.end(mark, -1)
		}
	}
	return d.decodeOp(o, p)
}

// DecodeValue is like [Decoder.Decode] for a reflect.Value. It decodes into v if v is settable, and
// otherwise into the target of the pointer v.
func (d *Decoder) DecodeValue(v reflect.Value) error {
	if !v.IsValid() {
		return errDecodeNil
	}
	if !v.CanSet() {
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		} else {
			return fmt.Errorf("msgpack: Decode(non-settable %s)", v.Type())
		}
	}
	o := d.plans.of(v.Type())
	return d.decodeOp(o, mem.PlaceOf(v))
}

// DecodeMulti decodes the next values into the targets of the pointers v, in order. It stops at the
// first error.
func (d *Decoder) DecodeMulti(v ...any) error {
	for _, p := range v {
		if err := d.Decode(p); err != nil {
			return err
		}
	}
	return nil
}

// step calls a decoding function that may recurse without reading a byte. It limits the depth of
// this recursion separately, because MaxDepth counts only the nesting of the input.
func (d *Decoder) step(i int, call func() int) int {
	if d.steps >= maxDepth {
		return d.fail(i, depthError(maxDepth))
	}
	d.steps++
	next := call()
	d.steps--
	return next
}
