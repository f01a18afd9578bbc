package parco

import (
	"encoding/binary"

	"github.com/slipstream-go/slipstream/schema"
)

// Bool returns a type for bools. The encoding is one byte, 0 or 1. Any other byte is an error.
func Bool() Type[bool] { return plain(1, schema.Bool) }

// These functions return types for numbers of one byte.

func Byte() Type[byte]   { return UInt8() }
func UInt8() Type[uint8] { return plain(1, schema.U8) }
func Int8() Type[int8]   { return plain(1, schema.I8) }

// These functions return types for numbers of several bytes. Functions with LE in their names
// return little-endian types, functions with BE return big-endian types, and all other functions
// take the byte order as an argument. An int and a uint take 8 bytes on every machine.

func UInt16(order binary.ByteOrder) Type[uint16] { return number(2, order, schema.U16, schema.U16BE) }
func UInt16LE() Type[uint16]                     { return plain(2, schema.U16) }
func UInt16BE() Type[uint16]                     { return plain(2, schema.U16BE) }

func Int16(order binary.ByteOrder) Type[int16] { return number(2, order, schema.I16, schema.I16BE) }
func Int16LE() Type[int16]                     { return plain(2, schema.I16) }
func Int16BE() Type[int16]                     { return plain(2, schema.I16BE) }

func UInt32(order binary.ByteOrder) Type[uint32] { return number(4, order, schema.U32, schema.U32BE) }
func UInt32LE() Type[uint32]                     { return plain(4, schema.U32) }
func UInt32BE() Type[uint32]                     { return plain(4, schema.U32BE) }

func Int32(order binary.ByteOrder) Type[int32] { return number(4, order, schema.I32, schema.I32BE) }
func Int32LE() Type[int32]                     { return plain(4, schema.I32) }
func Int32BE() Type[int32]                     { return plain(4, schema.I32BE) }

func UInt64(order binary.ByteOrder) Type[uint64] { return number(8, order, schema.U64, schema.U64BE) }
func UInt64LE() Type[uint64]                     { return plain(8, schema.U64) }
func UInt64BE() Type[uint64]                     { return plain(8, schema.U64BE) }

func Int64(order binary.ByteOrder) Type[int64] { return number(8, order, schema.I64, schema.I64BE) }
func Int64LE() Type[int64]                     { return plain(8, schema.I64) }
func Int64BE() Type[int64]                     { return plain(8, schema.I64BE) }

func UInt(order binary.ByteOrder) Type[uint] { return number(8, order, schema.Uint, schema.UintBE) }
func UIntLE() Type[uint]                     { return plain(8, schema.Uint) }
func UIntBE() Type[uint]                     { return plain(8, schema.UintBE) }

func Int(order binary.ByteOrder) Type[int] { return IntHeader(order) }
func IntLE() Type[int]                     { return IntLEHeader() }
func IntBE() Type[int]                     { return IntBEHeader() }

func Float32(order binary.ByteOrder) Type[float32] { return number(4, order, schema.F32, schema.F32BE) }
func Float32LE() Type[float32]                     { return plain(4, schema.F32) }
func Float32BE() Type[float32]                     { return plain(4, schema.F32BE) }

func Float64(order binary.ByteOrder) Type[float64] { return number(8, order, schema.F64, schema.F64BE) }
func Float64LE() Type[float64]                     { return plain(8, schema.F64) }
func Float64BE() Type[float64]                     { return plain(8, schema.F64BE) }

// UInt16Factory, UInt16LEFactory and UInt16BEFactory are other names for UInt16, UInt16LE and
// UInt16BE.

func UInt16Factory(order binary.ByteOrder) Type[uint16] { return UInt16(order) }
func UInt16LEFactory() Type[uint16]                     { return UInt16LE() }
func UInt16BEFactory() Type[uint16]                     { return UInt16BE() }

func number[V any](length int, order binary.ByteOrder, little, big schema.Type[V]) Type[V] {
	if bigEndian(order) {
		return plain(length, big)
	}
	return plain(length, little)
}

func bigEndian(order binary.ByteOrder) bool { return order.Uint16([]byte{0, 1}) == 1 }

// Headers encode lengths and numbers of elements. If a number does not fit its header, the error is
// [ErrOverflow]; unlike in Parco, this includes headers of 2 bytes. A signed header can encode a
// negative number, but a length must not be negative.

func UInt8Header() Type[int] { return counter(1, schema.U8, schema.H8) }
func Int8Header() Type[int]  { return counter(1, schema.I8, schema.HI8) }

func UInt16HeaderLE() Type[int] { return counter(2, schema.U16, schema.H16) }
func UInt16HeaderBE() Type[int] { return counter(2, schema.U16BE, schema.H16BE) }
func Int16LEHeader() Type[int]  { return counter(2, schema.I16, schema.HI16) }
func Int16BEHeader() Type[int]  { return counter(2, schema.I16BE, schema.HI16BE) }
func UInt32LEHeader() Type[int] { return counter(4, schema.U32, schema.H32) }
func UInt32BEHeader() Type[int] { return counter(4, schema.U32BE, schema.H32BE) }
func Int32LEHeader() Type[int]  { return counter(4, schema.I32, schema.HI32) }
func Int32BEHeader() Type[int]  { return counter(4, schema.I32BE, schema.HI32BE) }
func UInt64LEHeader() Type[int] { return counter(8, schema.U64, schema.H64) }
func UInt64BEHeader() Type[int] { return counter(8, schema.U64BE, schema.H64BE) }
func Int64LEHeader() Type[int]  { return counter(8, schema.I64, schema.HI64) }
func Int64BEHeader() Type[int]  { return counter(8, schema.I64BE, schema.HI64BE) }
func UIntLEHeader() Type[int]   { return UInt64LEHeader() }
func UIntBEHeader() Type[int]   { return UInt64BEHeader() }
func IntLEHeader() Type[int]    { return Int64LEHeader() }
func IntBEHeader() Type[int]    { return Int64BEHeader() }

func UInt16Header(order binary.ByteOrder) Type[int] {
	return either(order, UInt16HeaderLE, UInt16HeaderBE)
}
func Int16Header(order binary.ByteOrder) Type[int] {
	return either(order, Int16LEHeader, Int16BEHeader)
}
func UInt32Header(order binary.ByteOrder) Type[int] {
	return either(order, UInt32LEHeader, UInt32BEHeader)
}
func Int32Header(order binary.ByteOrder) Type[int] {
	return either(order, Int32LEHeader, Int32BEHeader)
}
func UInt64Header(order binary.ByteOrder) Type[int] {
	return either(order, UInt64LEHeader, UInt64BEHeader)
}
func Int64Header(order binary.ByteOrder) Type[int] {
	return either(order, Int64LEHeader, Int64BEHeader)
}
func UIntHeader(order binary.ByteOrder) Type[int] { return either(order, UIntLEHeader, UIntBEHeader) }
func IntHeader(order binary.ByteOrder) Type[int]  { return either(order, IntLEHeader, IntBEHeader) }

func either(order binary.ByteOrder, little, big func() Type[int]) Type[int] {
	if bigEndian(order) {
		return big()
	}
	return little()
}

// counter returns a type for ints that are encoded as values of type N. Its schema header is h.
func counter[N any](length int, s schema.Type[N], h schema.Header) Type[int] {
	t := plain(length, schema.As[int](s))
	t.counter = &h
	return t
}

// headerOf returns the schema header of h, if h is a header of this package.
func headerOf(h IntType) (header schema.Header, ok bool) {
	if t, ours := h.(*typed[int]); ours && t.counter != nil {
		return *t.counter, true
	}
	return 0, false
}
