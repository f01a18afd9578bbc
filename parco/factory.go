package parco

import "sync"

// Factory creates the values into which messages are read.
type Factory[T any] interface{ Get() T }

// PoolFactory is a factory that reuses values. Its method Put takes a value back.
type PoolFactory[T any] interface {
	Factory[T]
	Put(T)
}

// FuncFactory adapts a function to the [Factory] interface.
type FuncFactory[T any] func() T

func (f FuncFactory[T]) Get() T { return f() }

// ObjectFactory returns a factory of zero values.
func ObjectFactory[T any]() Factory[T] { return zeroFactory[T]{} }

type zeroFactory[T any] struct{}

func (zeroFactory[T]) Get() (v T) { return v }

// NativePooledFactory keeps values for reuse.
type NativePooledFactory[T any] struct {
	inner  Factory[T]
	reset  func(*T)
	values sync.Pool // of *T
	empty  sync.Pool // contains values of type *T, which are zero because Get has returned their contents
}

// PooledFactory returns a factory that reuses values that have been put back. If there is no such
// value, the factory `inner` creates one. A parser gets values from this factory, and puts back
// values that it could not read. The program must put back values after use. Fields that are not in
// a message keep their old values, unless a function resets them (see [WithResetFunc]).
func PooledFactory[T any](inner Factory[T], options ...nativePooledFactoryOption[T]) PoolFactory[T] {
	f := &NativePooledFactory[T]{inner: inner}
	for _, o := range options {
		o.Configure(f)
	}
	return f
}

// Get returns a value that has been put back, or a new value.
func (f *NativePooledFactory[T]) Get() T {
	p, ok := f.values.Get().(*T)
	if !ok {
		return f.inner.Get()
	}
	v := *p
	*p = *new(T)
	f.empty.Put(p)
	return v
}

// Put resets v, and keeps it for reuse. The caller must not use v afterwards.
func (f *NativePooledFactory[T]) Put(v T) {
	p, ok := f.empty.Get().(*T)
	if !ok {
		p = new(T)
	}
	*p = v
	if f.reset != nil {
		f.reset(p)
	}
	f.values.Put(p)
}

type nativePooledFactoryOption[T any] interface{ Configure(*NativePooledFactory[T]) }

type resetOption[T any] func(*T)

func (o resetOption[T]) Configure(f *NativePooledFactory[T]) { f.reset = o }

// WithResetFunc sets a function that resets each value before it is put back.
func WithResetFunc[T any](fn func(*T)) nativePooledFactoryOption[T] { return resetOption[T](fn) }
