package parco

import (
	"fmt"
	"io"
	"reflect"

	"github.com/slipstream-go/slipstream/schema"
)

// Type is how a T stands on the wire. Those of this package become parts of the schema of a model;
// others may be among them, and are called for each value.
type Type[T any] interface {
	// ByteLength is the number of bytes of a value, or of its header if that number differs: no
	// value may take fewer.
	ByteLength() int

	ParserType[T]
	CompilerType[T]
}

// ParserType is implemented by types that read a T. They must read no byte after the value.
type ParserType[T any] interface {
	Parse(r io.Reader) (T, error)
}

// CompilerType is implemented by types that write a T.
type CompilerType[T any] interface {
	Compile(item T, w io.Writer) error
}

// IntType is how lengths and numbers of elements are written.
type IntType = Type[int]

// ParserFunc reads a T from all of data, which it may keep.
type ParserFunc[T any] func(data []byte) (T, error)

// CompilerFunc writes a T to box, and fills it.
type CompilerFunc[T any] func(item T, box []byte) error

// SizerFunc returns the length of a T.
type SizerFunc[T any] func(T) int

// Len returns s(item).
func (s SizerFunc[T]) Len(item T) int { return s(item) }

// typed is a type of this package.
type typed[V any] struct {
	codec[V]
	length  func() int
	made    func(d *draft) schema.Type[V]
	counter *schema.Header // of a Type[int]: how it writes a length
	padding *int           // of a SkipType: its bytes
}

func (t *typed[V]) ByteLength() int { return t.length() }

func (t *typed[V]) layout(d *draft) schema.Type[V] { return t.made(d) }

// newTyped is the type that made lays out.
func newTyped[V any](length func() int, made func(d *draft) schema.Type[V]) *typed[V] {
	t := &typed[V]{length: length, made: made}
	t.of = t
	return t
}

// plain is a type of schema.
func plain[V any](length int, s schema.Type[V]) *typed[V] {
	return newTyped(func() int { return length }, func(*draft) schema.Type[V] { return s })
}

// NewFixedType returns an own type, whose values take byteLength bytes.
func NewFixedType[T any](byteLength int, parser ParserFunc[T], compiler CompilerFunc[T]) Type[T] {
	of := reflect.TypeFor[T]()
	custom := schema.Custom(fmt.Sprintf("%v of %d bytes", of, byteLength), byteLength,
		func(dst []byte, v *T) ([]byte, error) {
			at := len(dst)
			dst = append(dst, make([]byte, byteLength)...)
			return dst, compiler(*v, dst[at:len(dst):len(dst)])
		},
		func(r io.Reader, v *T) error {
			data := make([]byte, byteLength)
			_, err := io.ReadFull(r, data)
			if err == nil {
				*v, err = parser(data)
			}
			return err
		})
	return newTyped(func() int { return byteLength }, func(d *draft) schema.Type[T] {
		if d.sets && parser == nil || d.gets && compiler == nil {
			d.wrong(of, "a function of its type is nil")
		}
		return custom
	})
}
