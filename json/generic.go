package json

// Marshal and Unmarshal of a value that is in no interface. What the ops work on lies in the heap,
// as they are called through pointers; so that this costs no allocation, values of the type wait in
// a pool, zero.

import (
	"math"
	"reflect"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/plan"
)

// valueOp is how values of a type are written or read, and some that no call uses.
type valueOp[O any] struct {
	op    *O // nil where a spare value does not do
	spare sync.Pool
}

var (
	marshalOps   plan.Cache[*valueOp[encodeOp]]
	unmarshalOps plan.Cache[*valueOp[rootOp]]
)

// spareMax is the size of the largest value that waits in a pool.
const spareMax = 1 << 10

// MarshalOf is like Marshal, but saves the allocation for putting v into an interface, if the value
// and its JSON are short. For a pointer, Marshal is faster, because it needs no such allocation.
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
		o.last.Store(uint32(min(n, math.MaxInt32))) // the next one is for Marshal, which makes room for it at once
	}
	return b, nil
}

// newMarshalOp is for the first call with a T.
func newMarshalOp[T any](t reflect.Type) *valueOp[encodeOp] {
	s := &valueOp[encodeOp]{op: encodePlans.of(t), spare: sync.Pool{New: func() any { return new(T) }}}
	if s.op.direct || t.Kind() == reflect.Interface || s.op.size > spareMax {
		s.op = nil
	}
	return marshalOps.Put(mem.TypeWord(t), s)
}

// UnmarshalOf decodes data as Unmarshal does, and returns the value. It saves the allocation of the
// target that the pointer argument of Unmarshal causes, unless the type is large or has methods
// that decode it.
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

// newUnmarshalOp is for the first call with a T. A method of the caller's may keep the pointer that
// it is called with.
func newUnmarshalOp[T any](t reflect.Type) *valueOp[rootOp] {
	s := &valueOp[rootOp]{op: rootFor(reflect.PointerTo(t)), spare: sync.Pool{New: func() any { return new(T) }}}
	if s.op.foreign || s.op.elem.size > spareMax {
		s.op = nil
	}
	return unmarshalOps.Put(mem.TypeWord(t), s)
}
