package parco

import "github.com/slipstream-go/slipstream/schema"

// SkipType returns a type for reserved bytes; the argument `pad` is their number. They are written
// as zeros, and ignored when read.
func SkipType(pad int) Type[any] {
	t := plain(pad, schema.Part(schema.Skip[any](pad)))
	t.padding = &pad
	return t
}

// SkipTypeFactory is the same as [SkipType].
func SkipTypeFactory(pad int) Type[any] { return SkipType(pad) }

// SkipField returns a field that exists only in the encoding.
func SkipField[T any](tp Type[any]) Field[T, any] {
	return FixedField[T, any]{Type: tp, Getter: func(*T) any { return nil }, Setter: func(*T, any) {}}
}

// DefaultSkipField returns a field of reserved bytes; the argument `pad` is their number.
func DefaultSkipField[T any](pad int) Field[T, any] { return SkipField[T](SkipType(pad)) }
