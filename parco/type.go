package parco

import (
	"fmt"
	"io"
	"reflect"

	"github.com/slipstream-go/slipstream/schema"
)

// Type is the encoding of values of type T. A model compiles the types of this package into its
// schema. It may also contain your own types, whose methods are called for each value.
type Type[T any] interface {
	// ByteLength returns the encoded size of a value, in bytes. If values have different sizes, it
	// returns the size of their header. No value may have fewer bytes.
	ByteLength() int

	ParserType[T]
	CompilerType[T]
}

// ParserType is implemented by types that read a value of type T. They must not read bytes after
// the value.
type ParserType[T any] interface {
	Parse(r io.Reader) (T, error)
}

// CompilerType is implemented by types that write a value of type T.
type CompilerType[T any] interface {
	Compile(item T, w io.Writer) error
}

// IntType is the encoding of a header, which is a length or a number of elements.
type IntType = Type[int]

// ParserFunc converts the bytes of a slice to a value of type T. The value consists of all bytes of
// the slice. The function may keep the slice.
type ParserFunc[T any] func(data []byte) (T, error)

// CompilerFunc writes an item to the slice `box`. It must fill the whole slice.
type CompilerFunc[T any] func(item T, box []byte) error

// SizerFunc returns the length of an item.
type SizerFunc[T any] func(T) int

// Len returns s(item).
func (s SizerFunc[T]) Len(item T) int { return s(item) }

// typed implements the types of this package.
type typed[V any] struct {
	codec[V]
	length  func() int
	made    func(d *draft) schema.Type[V]
	counter *schema.Header // for a Type[int]: the corresponding header
	padding *int           // for a SkipType: the number of bytes
}

func (t *typed[V]) ByteLength() int { return t.length() }

func (t *typed[V]) layout(d *draft) schema.Type[V] { return t.made(d) }

// newTyped returns a type with the layout that the function `made` returns.
func newTyped[V any](length func() int, made func(d *draft) schema.Type[V]) *typed[V] {
	t := &typed[V]{length: length, made: made}
	t.of = t
	return t
}

// plain returns s as a type of this package.
func plain[V any](length int, s schema.Type[V]) *typed[V] {
	return newTyped(func() int { return length }, func(*draft) schema.Type[V] { return s })
}

// NewFixedType returns a custom type. The encoding of each value has byteLength bytes.
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
