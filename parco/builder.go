package parco

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/slipstream-go/slipstream/schema"
)

// ModelBuilder is a model, which defines the fields of a T. A ModelBuilder is immutable. Each
// method that adds a field returns a new ModelBuilder; use the returned value. A ModelBuilder can
// also read and write values, like its Parser and its Compiler. It may be used concurrently. Its
// schema is compiled at its first use.
type ModelBuilder[T any] struct {
	*codec[T]
	model *model[T]
}

// Builder returns a model without fields. The factory creates the values that Parse returns. A nil
// factory means [ObjectFactory].
func Builder[T any](factory Factory[T]) ModelBuilder[T] { return builder(newModel(factory)) }

func builder[T any](m *model[T]) ModelBuilder[T] { return ModelBuilder[T]{m.codec(), m} }

func (b ModelBuilder[T]) fields() *model[T] { return b.model }

func (b ModelBuilder[T]) layout(d *draft) schema.Type[T] { return b.model.layout(d) }

// CompileAny writes a value to w. The value must be a T or a pointer to a T.
func (b ModelBuilder[T]) CompileAny(value any, w io.Writer) error {
	switch v := value.(type) {
	case T:
		return b.Compile(v, w)
	case *T:
		if v != nil {
			return b.Compile(*v, w)
		}
	}
	return fmt.Errorf("%w: %w", ErrUnknownType, NewErrTypeAssertionError(fmt.Sprintf("%T", *new(T)), fmt.Sprintf("%T", value)))
}

// ParseAny reads a value of type T.
func (b ModelBuilder[T]) ParseAny(r io.Reader) (any, error) {
	v, err := b.Parse(r)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Parco returns the parser and the compiler of the model.
func (b ModelBuilder[T]) Parco() (*Parser[T], *Compiler[T]) { return b.Parser(), b.Compiler() }

// Parser returns the parser of the model.
func (b ModelBuilder[T]) Parser() *Parser[T] { return &Parser[T]{b.codec, b.model} }

// Compiler returns the compiler of the model.
func (b ModelBuilder[T]) Compiler() *Compiler[T] { return &Compiler[T]{b.codec, b.model} }

// Schema returns the schema of the model. Use it for features that only package schema supports.
// The fields of the schema are named #1, #2 …
func (b ModelBuilder[T]) Schema() (*schema.Schema[T], error) {
	return schemaOf[T](b.model, draft{gets: true, sets: true})
}

// Field adds a field. Each of the methods below also adds a field. The name of the method states
// the type of the field.
func (b ModelBuilder[T]) Field(f fieldBuilder[T]) ModelBuilder[T] {
	b.model.id.grown.Store(true)
	return builder(b.model.with(entry[T]{f, f}))
}

func (b ModelBuilder[T]) Struct(f fieldBuilder[T]) ModelBuilder[T] { return b.Field(f) }
func (b ModelBuilder[T]) Map(f fieldBuilder[T]) ModelBuilder[T]    { return b.Field(f) }
func (b ModelBuilder[T]) Slice(f fieldBuilder[T]) ModelBuilder[T]  { return b.Field(f) }
func (b ModelBuilder[T]) Array(f fieldBuilder[T]) ModelBuilder[T]  { return b.Field(f) }
func (b ModelBuilder[T]) Option(f fieldBuilder[T]) ModelBuilder[T] { return b.Field(f) }

// Skip adds reserved bytes; the argument `pad` is their number. They are written as zeros, and
// ignored when read.
func (b ModelBuilder[T]) Skip(pad int) ModelBuilder[T] { return b.Field(DefaultSkipField[T](pad)) }

func (b ModelBuilder[T]) Varchar(getter Getter[T, string], setter Setter[T, string]) ModelBuilder[T] {
	return b.Field(fixed(Varchar(), getter, setter))
}

func (b ModelBuilder[T]) SmallVarchar(getter Getter[T, string], setter Setter[T, string]) ModelBuilder[T] {
	return b.Field(fixed(SmallVarchar(), getter, setter))
}

func (b ModelBuilder[T]) Text(order binary.ByteOrder, getter Getter[T, string], setter Setter[T, string]) ModelBuilder[T] {
	return b.Field(fixed(Text(order), getter, setter))
}

func (b ModelBuilder[T]) Blob(header IntType, getter Getter[T, []byte], setter Setter[T, []byte]) ModelBuilder[T] {
	return b.Field(fixed(Blob(header), getter, setter))
}

func (b ModelBuilder[T]) Bool(getter Getter[T, bool], setter Setter[T, bool]) ModelBuilder[T] {
	return b.Field(fixed(Bool(), getter, setter))
}

func (b ModelBuilder[T]) Byte(getter Getter[T, byte], setter Setter[T, byte]) ModelBuilder[T] {
	return b.Field(fixed(Byte(), getter, setter))
}

func (b ModelBuilder[T]) UInt8(getter Getter[T, uint8], setter Setter[T, uint8]) ModelBuilder[T] {
	return b.Field(fixed(UInt8(), getter, setter))
}

func (b ModelBuilder[T]) Int8(getter Getter[T, int8], setter Setter[T, int8]) ModelBuilder[T] {
	return b.Field(fixed(Int8(), getter, setter))
}

func (b ModelBuilder[T]) UInt16(order binary.ByteOrder, getter Getter[T, uint16], setter Setter[T, uint16]) ModelBuilder[T] {
	return b.Field(fixed(UInt16(order), getter, setter))
}

func (b ModelBuilder[T]) UInt16LE(getter Getter[T, uint16], setter Setter[T, uint16]) ModelBuilder[T] {
	return b.Field(fixed(UInt16LE(), getter, setter))
}

func (b ModelBuilder[T]) UInt16BE(getter Getter[T, uint16], setter Setter[T, uint16]) ModelBuilder[T] {
	return b.Field(fixed(UInt16BE(), getter, setter))
}

func (b ModelBuilder[T]) Int16(order binary.ByteOrder, getter Getter[T, int16], setter Setter[T, int16]) ModelBuilder[T] {
	return b.Field(fixed(Int16(order), getter, setter))
}

func (b ModelBuilder[T]) UInt32(order binary.ByteOrder, getter Getter[T, uint32], setter Setter[T, uint32]) ModelBuilder[T] {
	return b.Field(fixed(UInt32(order), getter, setter))
}

func (b ModelBuilder[T]) Int32(order binary.ByteOrder, getter Getter[T, int32], setter Setter[T, int32]) ModelBuilder[T] {
	return b.Field(fixed(Int32(order), getter, setter))
}

func (b ModelBuilder[T]) UInt64(order binary.ByteOrder, getter Getter[T, uint64], setter Setter[T, uint64]) ModelBuilder[T] {
	return b.Field(fixed(UInt64(order), getter, setter))
}

func (b ModelBuilder[T]) Int64(order binary.ByteOrder, getter Getter[T, int64], setter Setter[T, int64]) ModelBuilder[T] {
	return b.Field(fixed(Int64(order), getter, setter))
}

func (b ModelBuilder[T]) UInt(order binary.ByteOrder, getter Getter[T, uint], setter Setter[T, uint]) ModelBuilder[T] {
	return b.Field(fixed(UInt(order), getter, setter))
}

func (b ModelBuilder[T]) Int(order binary.ByteOrder, getter Getter[T, int], setter Setter[T, int]) ModelBuilder[T] {
	return b.Field(fixed(Int(order), getter, setter))
}

func (b ModelBuilder[T]) Float32(order binary.ByteOrder, getter Getter[T, float32], setter Setter[T, float32]) ModelBuilder[T] {
	return b.Field(fixed(Float32(order), getter, setter))
}

func (b ModelBuilder[T]) Float64(order binary.ByteOrder, getter Getter[T, float64], setter Setter[T, float64]) ModelBuilder[T] {
	return b.Field(fixed(Float64(order), getter, setter))
}

func (b ModelBuilder[T]) Time(withLocation bool, getter Getter[T, time.Time], setter Setter[T, time.Time]) ModelBuilder[T] {
	return b.Field(fixed(timeType(withLocation), getter, setter))
}

func (b ModelBuilder[T]) TimeUTC(getter Getter[T, time.Time], setter Setter[T, time.Time]) ModelBuilder[T] {
	return b.Field(fixed(TimeUTC(), getter, setter))
}

func (b ModelBuilder[T]) TimeLocation(getter Getter[T, time.Time], setter Setter[T, time.Time]) ModelBuilder[T] {
	return b.Field(fixed(TimeLocation(), getter, setter))
}
