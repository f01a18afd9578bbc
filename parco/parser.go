package parco

import (
	"encoding/binary"
	"io"
	"time"

	"github.com/slipstream-go/slipstream/schema"
)

// Parser reads values of type T. Methods that add fields modify and return their receiver. Do not
// call them after the first use of the Parser.
type Parser[T any] struct {
	codec *codec[T]
	model *model[T]
}

// ParserModel returns a Parser without fields.
func ParserModel[T any](factory Factory[T]) *Parser[T] {
	m := newModel(factory)
	return &Parser[T]{m.codec(), m}
}

// Parse reads a value of type T from r, and reads no bytes after the value. At the end of r, the
// error matches io.EOF and [ErrCannotRead].
func (p *Parser[T]) Parse(r io.Reader) (T, error) { return p.codec.Parse(r) }

// ParseBytes reads the value at the beginning of data. If data ends before the model's trailing
// optional fields, these fields are nil. So a model can still read older messages after optional
// fields were added at its end.
func (p *Parser[T]) ParseBytes(data []byte) (T, error) { return p.codec.ParseBytes(data) }

func (p *Parser[T]) fields() *model[T] { return p.model }

func (p *Parser[T]) layout(d *draft) schema.Type[T] { return p.model.layout(d) }

// Field adds a field. Each of the methods below also adds a field. The name of the method states
// the type of the field.
func (p *Parser[T]) Field(f fieldParser[T]) *Parser[T] {
	p.model = p.model.with(entry[T]{parse: f})
	p.codec = p.model.codec()
	return p
}

func (p *Parser[T]) Struct(f fieldParser[T]) *Parser[T] { return p.Field(f) }
func (p *Parser[T]) Map(f fieldParser[T]) *Parser[T]    { return p.Field(f) }
func (p *Parser[T]) Slice(f fieldParser[T]) *Parser[T]  { return p.Field(f) }
func (p *Parser[T]) Array(f fieldParser[T]) *Parser[T]  { return p.Field(f) }
func (p *Parser[T]) Option(f fieldParser[T]) *Parser[T] { return p.Field(f) }

// Skip adds reserved bytes; the argument `pad` is their number. They are written as zeros, and
// ignored when read.
func (p *Parser[T]) Skip(pad int) *Parser[T] { return p.Field(DefaultSkipField[T](pad)) }

func (p *Parser[T]) Varchar(setter Setter[T, string]) *Parser[T] {
	return p.Field(fixed(Varchar(), nil, setter))
}

func (p *Parser[T]) SmallVarchar(setter Setter[T, string]) *Parser[T] {
	return p.Field(fixed(SmallVarchar(), nil, setter))
}

func (p *Parser[T]) Text(order binary.ByteOrder, setter Setter[T, string]) *Parser[T] {
	return p.Field(fixed(Text(order), nil, setter))
}

func (p *Parser[T]) Blob(header IntType, setter Setter[T, []byte]) *Parser[T] {
	return p.Field(fixed(Blob(header), nil, setter))
}

func (p *Parser[T]) Bool(setter Setter[T, bool]) *Parser[T] {
	return p.Field(fixed(Bool(), nil, setter))
}

func (p *Parser[T]) Byte(setter Setter[T, byte]) *Parser[T] {
	return p.Field(fixed(Byte(), nil, setter))
}

func (p *Parser[T]) UInt8(setter Setter[T, uint8]) *Parser[T] {
	return p.Field(fixed(UInt8(), nil, setter))
}

func (p *Parser[T]) Int8(setter Setter[T, int8]) *Parser[T] {
	return p.Field(fixed(Int8(), nil, setter))
}

func (p *Parser[T]) UInt16(order binary.ByteOrder, setter Setter[T, uint16]) *Parser[T] {
	return p.Field(fixed(UInt16(order), nil, setter))
}

func (p *Parser[T]) UInt16LE(setter Setter[T, uint16]) *Parser[T] {
	return p.Field(fixed(UInt16LE(), nil, setter))
}

func (p *Parser[T]) UInt16BE(setter Setter[T, uint16]) *Parser[T] {
	return p.Field(fixed(UInt16BE(), nil, setter))
}

func (p *Parser[T]) Int16(order binary.ByteOrder, setter Setter[T, int16]) *Parser[T] {
	return p.Field(fixed(Int16(order), nil, setter))
}

func (p *Parser[T]) UInt32(order binary.ByteOrder, setter Setter[T, uint32]) *Parser[T] {
	return p.Field(fixed(UInt32(order), nil, setter))
}

func (p *Parser[T]) Int32(order binary.ByteOrder, setter Setter[T, int32]) *Parser[T] {
	return p.Field(fixed(Int32(order), nil, setter))
}

func (p *Parser[T]) UInt64(order binary.ByteOrder, setter Setter[T, uint64]) *Parser[T] {
	return p.Field(fixed(UInt64(order), nil, setter))
}

func (p *Parser[T]) Int64(order binary.ByteOrder, setter Setter[T, int64]) *Parser[T] {
	return p.Field(fixed(Int64(order), nil, setter))
}

func (p *Parser[T]) UInt(order binary.ByteOrder, setter Setter[T, uint]) *Parser[T] {
	return p.Field(fixed(UInt(order), nil, setter))
}

func (p *Parser[T]) Int(order binary.ByteOrder, setter Setter[T, int]) *Parser[T] {
	return p.Field(fixed(Int(order), nil, setter))
}

func (p *Parser[T]) Float32(order binary.ByteOrder, setter Setter[T, float32]) *Parser[T] {
	return p.Field(fixed(Float32(order), nil, setter))
}

func (p *Parser[T]) Float64(order binary.ByteOrder, setter Setter[T, float64]) *Parser[T] {
	return p.Field(fixed(Float64(order), nil, setter))
}

func (p *Parser[T]) Time(withLocation bool, setter Setter[T, time.Time]) *Parser[T] {
	return p.Field(fixed(timeType(withLocation), nil, setter))
}

func (p *Parser[T]) TimeUTC(setter Setter[T, time.Time]) *Parser[T] {
	return p.Field(fixed(TimeUTC(), nil, setter))
}

func (p *Parser[T]) TimeLocation(setter Setter[T, time.Time]) *Parser[T] {
	return p.Field(fixed(TimeLocation(), nil, setter))
}
