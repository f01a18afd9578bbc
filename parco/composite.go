package parco

import (
	"io"
	"reflect"

	"github.com/slipstream-go/slipstream/schema"
)

// Iterable is the Go type of slices and arrays in Parco. Compile writes the elements of an
// Iterable, and Parse returns a new Iterable.
type Iterable[T any] interface {
	Len() int
	Range(func(T) error) error
	Unwrap() SliceView[T]
}

// SliceView is a slice that implements [Iterable].
type SliceView[T any] []T

func (s SliceView[T]) Len() int { return len(s) }

// Range calls f for each element, and stops if f returns an error.
func (s SliceView[T]) Range(f func(T) error) error {
	for _, v := range s {
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// Unwrap returns s.
func (s SliceView[T]) Unwrap() SliceView[T] { return s }

// SliceType is a type for slices. The encoding is the number of elements, followed by the elements.
type SliceType[T any] struct{ *typed[Iterable[T]] }

// Slice returns a type for slices. The header encodes the length. If the length does not fit the
// header, the error is [ErrOverflow].
func Slice[T any](header IntType, inner Type[T]) SliceType[T] {
	return SliceType[T]{iterable(sliceOf(header, inner))}
}

// ArrayType is a type for a fixed number of elements. The encoding consists of the elements,
// without a header.
type ArrayType[T any] struct{ *typed[Iterable[T]] }

// Array returns a type for a fixed number of elements. The argument `length` is this number. If a
// value has more or fewer elements, Compile returns [ErrInvalidLength].
func Array[T any](length int, inner Type[T]) ArrayType[T] {
	return ArrayType[T]{iterable(arrayOf(length, inner))}
}

// sliceOf is like Slice, but for a Go slice.
func sliceOf[T any](header IntType, inner Type[T]) *typed[SliceView[T]] {
	return view(header.ByteLength, func(d *draft) schema.Type[[]T] {
		if h, ok := headerOf(header); ok {
			return schema.List(h, layoutOf(d, inner))
		}
		codec := elementsAfter[T]{header, inner}
		return foreign("[]"+reflect.TypeFor[T]().String(), header.ByteLength(), codec, codec)
	})
}

// arrayOf is like Array, but for a Go slice.
func arrayOf[T any](length int, inner Type[T]) *typed[SliceView[T]] {
	return view(func() int { return length * inner.ByteLength() }, func(d *draft) schema.Type[[]T] {
		return schema.Fixed(length, layoutOf(d, inner))
	})
}

func view[T any](length func() int, made func(d *draft) schema.Type[[]T]) *typed[SliceView[T]] {
	t := newTyped(length, func(d *draft) schema.Type[SliceView[T]] { return schema.As[SliceView[T]](made(d)) })
	t.filled = func(s *SliceView[T]) {
		if *s == nil {
			*s = SliceView[T]{}
		}
	}
	return t
}

// iterable returns a variant of t whose Go type is Iterable.
func iterable[T any](t *typed[SliceView[T]]) *typed[Iterable[T]] {
	return newTyped(t.length, func(d *draft) schema.Type[Iterable[T]] {
		return schema.Part(schema.Get("items", t.made(d),
			func(v *Iterable[T]) SliceView[T] {
				if *v == nil {
					return nil
				}
				return (*v).Unwrap()
			},
			func(v *Iterable[T], s SliceView[T]) {
				t.filled(&s)
				*v = s
			}))
	})
}

// MapType returns a type for maps. The encoding is the number of entries, followed by the key and
// the value of each entry. The order of entries is random. If a key is repeated in the input, its
// last entry wins.
func MapType[K comparable, V any](header IntType, keyType Type[K], valueType Type[V]) Type[map[K]V] {
	t := newTyped(header.ByteLength, func(d *draft) schema.Type[map[K]V] {
		if h, ok := headerOf(header); ok {
			return schema.Map(h, layoutOf(d, keyType), layoutOf(d, valueType))
		}
		codec := entriesAfter[K, V]{header, keyType, valueType}
		return foreign(reflect.TypeFor[map[K]V]().String(), header.ByteLength(), codec, codec)
	})
	t.filled = func(m *map[K]V) {
		if *m == nil {
			*m = make(map[K]V)
		}
	}
	return t
}

// OptionalType is a type for values that may be missing. The encoding of nil is the byte 0. The
// encoding of any other value is the byte 1, followed by the value. Any other first byte is an
// error.
type OptionalType[T any] struct{ *typed[*T] }

// Option returns a type for optional values. If a value is present, it has the type `inner`.
func Option[T any](inner Type[T]) OptionalType[T] {
	return OptionalType[T]{newTyped(func() int { return 1 }, func(d *draft) schema.Type[*T] { return schema.Opt(layoutOf(d, inner)) })}
}

// These constants limit the number of elements of a slice or map whose header has a type from
// another package. All other slices and maps are limited only by the size of the input, which must
// contain their elements.
const (
	MaxReasonableSliceLength = 10_000_000
	MaxReasonableMapLength   = 10_000_000
)

// maxEmpty is the maximum number of elements if the ByteLength of their type is not positive.
const maxEmpty = 1 << 16

// elementsAfter reads and writes elements after a header from another package.
type elementsAfter[T any] struct {
	header IntType
	inner  Type[T]
}

func (t elementsAfter[T]) Compile(all []T, w io.Writer) error {
	err := t.header.Compile(len(all), w)
	for k := 0; k < len(all) && err == nil; k++ {
		err = t.inner.Compile(all[k], w)
	}
	return causeOf(err)
}

func (t elementsAfter[T]) Parse(r io.Reader) (all []T, err error) {
	most := MaxReasonableSliceLength
	if t.inner.ByteLength() <= 0 {
		most = maxEmpty
	}
	n, err := count(t.header, r, most)
	for k := 0; k < n && err == nil; k++ {
		var v T
		v, err = t.inner.Parse(r)
		all = append(all, v)
	}
	return all, causeOf(err)
}

// entriesAfter reads and writes the entries of a map after a header from another package.
type entriesAfter[K comparable, V any] struct {
	header IntType
	key    Type[K]
	value  Type[V]
}

func (t entriesAfter[K, V]) Compile(m map[K]V, w io.Writer) error {
	err := t.header.Compile(len(m), w)
	for k, v := range m {
		if err == nil {
			err = t.key.Compile(k, w)
		}
		if err == nil {
			err = t.value.Compile(v, w)
		}
	}
	return causeOf(err)
}

func (t entriesAfter[K, V]) Parse(r io.Reader) (map[K]V, error) {
	most := MaxReasonableMapLength
	if t.key.ByteLength()+t.value.ByteLength() <= 0 {
		most = maxEmpty
	}
	n, err := count(t.header, r, most)
	m := make(map[K]V)
	for range n {
		var k K
		var v V
		if k, err = t.key.Parse(r); err == nil {
			v, err = t.value.Parse(r)
		}
		if err != nil {
			break
		}
		m[k] = v
	}
	return m, causeOf(err)
}
