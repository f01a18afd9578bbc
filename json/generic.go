package json

// This file contains variants of Marshal and Unmarshal for values that are not in an interface. The
// functions of the ops are called through pointers, so they need a value on the heap. To avoid an
// allocation in each call, a pool keeps zero values of the type.

import (
	"math"
	"reflect"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/plan"
)

// valueOp contains the op that encodes or decodes values of a type, and a pool of zero values.
type valueOp[O any] struct {
	op    *O // nil if values of the type must not be pooled
	spare sync.Pool
}

var (
	marshalOps   plan.Cache[*valueOp[encodeOp]]
	unmarshalOps plan.Cache[*valueOp[rootOp]]
)

// spareMax is the size of the largest value that is kept in a pool.
const spareMax = 1 << 10

// MarshalOf is like Marshal, but does not allocate memory to convert v to an interface if v is
// small and its JSON is short. If v is a pointer, use Marshal. For pointers, Marshal is faster,
// because the conversion of a pointer to an interface never allocates.
//
//	body, err := json.MarshalOf(reply)
func MarshalOf[T any](v T) ([]byte, error) {
	t := reflect.TypeFor[T]()
	s, ok := marshalOps.Get(mem.TypeWord(t))
	if !ok {
		s = newMarshalOp[T](t)
	}
	o := s.op
	if o == nil || o.last.Load() > ownRoom {
		return Marshal(v)
	}
	p := s.spare.Get().(*T)
	*p = v
	e := newEncoder(EscapeHTML | SortMapKeys)
	e.b = e.own
	n, err := e.run(o, mem.RawTo(p), 0)
	if err != nil {
		if e.asksOriginal(err) {
			return marshalOriginal(v)
		}
		return nil, err
	}
	b := make([]byte, n)
	copy(b, e.b)
	e.release()
	*p = *new(T)
	s.spare.Put(p)
	if n > ownRoom {
		o.last.Store(uint32(min(n, math.MaxInt32))) // the next value is left to Marshal, which reserves enough room at once
	}
	return b, nil
}

// newMarshalOp returns the valueOp for T. It is called for the first value of the type T.
func newMarshalOp[T any](t reflect.Type) *valueOp[encodeOp] {
	s := &valueOp[encodeOp]{op: encodePlans.of(t), spare: sync.Pool{New: func() any { return new(T) }}}
	if s.op.direct || t.Kind() == reflect.Interface || s.op.size > spareMax {
		s.op = nil
	}
	return marshalOps.Put(mem.TypeWord(t), s)
}

// UnmarshalOf decodes data as Unmarshal does, and returns the value. With Unmarshal, the pointer
// argument moves the target to the heap. UnmarshalOf avoids this allocation, except for large types
// and types with decoding methods.
//
//	order, err := json.UnmarshalOf[Order](body)
func UnmarshalOf[T any](data []byte) (v T, err error) {
	t := reflect.TypeFor[T]()
	s, ok := unmarshalOps.Get(mem.TypeWord(t))
	if !ok {
		s = newUnmarshalOp[T](t)
	}
	if s.op == nil {
		p := new(T)
		err = Unmarshal(data, p)
		return *p, err
	}
	p := s.spare.Get().(*T)
	d := decoders.Get().(*decoder)
	n, err := d.first(data, p, s.op, oneValue)
	d.release()
	v = *p
	*p = *new(T)
	s.spare.Put(p)
	switch {
	case onV2 && err == errAskOriginal:
		p := new(T)
		err = unmarshalOriginal(data, p, 0)
		return *p, err
	case n == failed:
		err = explain(data)
	}
	return v, err
}

// newUnmarshalOp returns the valueOp for T. It is called for the first value of the type T. If a
// user's method may be called, values are not pooled, because the method may keep the pointer to
// its value.
func newUnmarshalOp[T any](t reflect.Type) *valueOp[rootOp] {
	s := &valueOp[rootOp]{op: rootFor(reflect.PointerTo(t)), spare: sync.Pool{New: func() any { return new(T) }}}
	if s.op.foreign || s.op.elem.size > spareMax {
		s.op = nil
	}
	return unmarshalOps.Put(mem.TypeWord(t), s)
}
