package parco

import (
	"encoding/binary"
	"io"
	"time"

	"github.com/slipstream-go/slipstream/schema"
)

// Compiler writes values of type T. Methods that add fields modify and return their receiver. Do
// not call them after the first use of the Compiler.
type Compiler[T any] struct {
	codec *codec[T]
	model *model[T]
}

// CompilerModel returns a Compiler without fields.
func CompilerModel[T any]() *Compiler[T] {
	m := newModel[T](nil)
	return &Compiler[T]{m.codec(), m}
}

// Compile writes a value to w, with a single call of Write. If the value cannot be encoded, Compile
// writes no bytes.
func (c Compiler[T]) Compile(value T, w io.Writer) error { return c.codec.Compile(value, w) }

func (c Compiler[T]) fields() *model[T] { return c.model }

func (c Compiler[T]) layout(d *draft) schema.Type[T] { return c.model.layout(d) }

// Field adds a field. Each of the methods below also adds a field. The name of the method states
// the type of the field.
func (c *Compiler[T]) Field(f fieldCompiler[T]) *Compiler[T] {
	c.model = c.model.with(entry[T]{compile: f})
	c.codec = c.model.codec()
	return c
}

func (c *Compiler[T]) Struct(f fieldCompiler[T]) *Compiler[T] { return c.Field(f) }
func (c *Compiler[T]) Map(f fieldCompiler[T]) *Compiler[T]    { return c.Field(f) }
func (c *Compiler[T]) Slice(f fieldCompiler[T]) *Compiler[T]  { return c.Field(f) }
func (c *Compiler[T]) Array(f fieldCompiler[T]) *Compiler[T]  { return c.Field(f) }
func (c *Compiler[T]) Option(f fieldCompiler[T]) *Compiler[T] { return c.Field(f) }

// Skip adds reserved bytes; the argument `pad` is their number. They are written as zeros, and
// ignored when read.
func (c *Compiler[T]) Skip(pad int) *Compiler[T] { return c.Field(DefaultSkipField[T](pad)) }

func (c *Compiler[T]) Varchar(getter Getter[T, string]) *Compiler[T] {
	return c.Field(fixed(Varchar(), getter, nil))
}

func (c *Compiler[T]) SmallVarchar(getter Getter[T, string]) *Compiler[T] {
	return c.Field(fixed(SmallVarchar(), getter, nil))
}

func (c *Compiler[T]) Text(order binary.ByteOrder, getter Getter[T, string]) *Compiler[T] {
	return c.Field(fixed(Text(order), getter, nil))
}

func (c *Compiler[T]) Blob(header IntType, getter Getter[T, []byte]) *Compiler[T] {
	return c.Field(fixed(Blob(header), getter, nil))
}

func (c *Compiler[T]) Bool(getter Getter[T, bool]) *Compiler[T] {
	return c.Field(fixed(Bool(), getter, nil))
}

func (c *Compiler[T]) Byte(getter Getter[T, byte]) *Compiler[T] {
	return c.Field(fixed(Byte(), getter, nil))
}

func (c *Compiler[T]) UInt8(getter Getter[T, uint8]) *Compiler[T] {
	return c.Field(fixed(UInt8(), getter, nil))
}

func (c *Compiler[T]) Int8(getter Getter[T, int8]) *Compiler[T] {
	return c.Field(fixed(Int8(), getter, nil))
}

func (c *Compiler[T]) UInt16(order binary.ByteOrder, getter Getter[T, uint16]) *Compiler[T] {
	return c.Field(fixed(UInt16(order), getter, nil))
}

func (c *Compiler[T]) UInt16LE(getter Getter[T, uint16]) *Compiler[T] {
	return c.Field(fixed(UInt16LE(), getter, nil))
}

func (c *Compiler[T]) UInt16BE(getter Getter[T, uint16]) *Compiler[T] {
	return c.Field(fixed(UInt16BE(), getter, nil))
}

func (c *Compiler[T]) Int16(order binary.ByteOrder, getter Getter[T, int16]) *Compiler[T] {
	return c.Field(fixed(Int16(order), getter, nil))
}

func (c *Compiler[T]) UInt32(order binary.ByteOrder, getter Getter[T, uint32]) *Compiler[T] {
	return c.Field(fixed(UInt32(order), getter, nil))
}

func (c *Compiler[T]) Int32(order binary.ByteOrder, getter Getter[T, int32]) *Compiler[T] {
	return c.Field(fixed(Int32(order), getter, nil))
}

func (c *Compiler[T]) UInt64(order binary.ByteOrder, getter Getter[T, uint64]) *Compiler[T] {
	return c.Field(fixed(UInt64(order), getter, nil))
}

func (c *Compiler[T]) Int64(order binary.ByteOrder, getter Getter[T, int64]) *Compiler[T] {
	return c.Field(fixed(Int64(order), getter, nil))
}

func (c *Compiler[T]) UInt(order binary.ByteOrder, getter Getter[T, uint]) *Compiler[T] {
	return c.Field(fixed(UInt(order), getter, nil))
}

func (c *Compiler[T]) Int(order binary.ByteOrder, getter Getter[T, int]) *Compiler[T] {
	return c.Field(fixed(Int(order), getter, nil))
}

func (c *Compiler[T]) Float32(order binary.ByteOrder, getter Getter[T, float32]) *Compiler[T] {
	return c.Field(fixed(Float32(order), getter, nil))
}

func (c *Compiler[T]) Float64(order binary.ByteOrder, getter Getter[T, float64]) *Compiler[T] {
	return c.Field(fixed(Float64(order), getter, nil))
}

func (c *Compiler[T]) Time(withLocation bool, getter Getter[T, time.Time]) *Compiler[T] {
	return c.Field(fixed(timeType(withLocation), getter, nil))
}

func (c *Compiler[T]) TimeUTC(getter Getter[T, time.Time]) *Compiler[T] {
	return c.Field(fixed(TimeUTC(), getter, nil))
}

func (c *Compiler[T]) TimeLocation(getter Getter[T, time.Time]) *Compiler[T] {
	return c.Field(fixed(TimeLocation(), getter, nil))
}
