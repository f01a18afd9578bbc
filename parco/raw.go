package parco

import (
	"encoding/binary"
	"io"
	"math"
	"time"
)

// These functions write a number to the beginning of the slice `box`, or read a number from the
// beginning of the slice `data`. If `box` is too short, the error is [ErrCannotWrite]. If `data` is
// too short, the error is [ErrUnSufficientBytes].

func CompileUInt8(v uint8, box []byte) error {
	err := room(box, 1)
	if err == nil {
		box[0] = v
	}
	return err
}

func ParseUInt8(data []byte) (v uint8, err error) {
	if err = there(data, 1); err == nil {
		v = data[0]
	}
	return v, err
}

func CompileUInt16(v uint16, box []byte, order binary.ByteOrder) error {
	err := room(box, 2)
	if err == nil {
		order.PutUint16(box, v)
	}
	return err
}

func ParseUInt16(data []byte, order binary.ByteOrder) (v uint16, err error) {
	if err = there(data, 2); err == nil {
		v = order.Uint16(data)
	}
	return v, err
}

func CompileUInt32(v uint32, box []byte, order binary.ByteOrder) error {
	err := room(box, 4)
	if err == nil {
		order.PutUint32(box, v)
	}
	return err
}

func ParseUInt32(data []byte, order binary.ByteOrder) (v uint32, err error) {
	if err = there(data, 4); err == nil {
		v = order.Uint32(data)
	}
	return v, err
}

func CompileUInt64(v uint64, box []byte, order binary.ByteOrder) error {
	err := room(box, 8)
	if err == nil {
		order.PutUint64(box, v)
	}
	return err
}

func ParseUInt64(data []byte, order binary.ByteOrder) (v uint64, err error) {
	if err = there(data, 8); err == nil {
		v = order.Uint64(data)
	}
	return v, err
}

func room(box []byte, n int) error {
	if len(box) < n {
		return ErrCannotWrite
	}
	return nil
}

func there(data []byte, n int) error {
	if len(data) < n {
		return NewErrUnSufficientBytesError(n, len(data))
	}
	return nil
}

func CompileInt8(v int8, box []byte) error { return CompileUInt8(uint8(v), box) }

func ParseInt8(data []byte) (int8, error) {
	v, err := ParseUInt8(data)
	return int8(v), err
}

func CompileInt16(v int16, box []byte, order binary.ByteOrder) error {
	return CompileUInt16(uint16(v), box, order)
}

func ParseInt16(data []byte, order binary.ByteOrder) (int16, error) {
	v, err := ParseUInt16(data, order)
	return int16(v), err
}

func CompileInt32(v int32, box []byte, order binary.ByteOrder) error {
	return CompileUInt32(uint32(v), box, order)
}

func ParseInt32(data []byte, order binary.ByteOrder) (int32, error) {
	v, err := ParseUInt32(data, order)
	return int32(v), err
}

func CompileInt64(v int64, box []byte, order binary.ByteOrder) error {
	return CompileUInt64(uint64(v), box, order)
}

func ParseInt64(data []byte, order binary.ByteOrder) (int64, error) {
	v, err := ParseUInt64(data, order)
	return int64(v), err
}

func CompileFloat32(v float32, box []byte, order binary.ByteOrder) error {
	return CompileUInt32(math.Float32bits(v), box, order)
}

func ParseFloat32(data []byte, order binary.ByteOrder) (float32, error) {
	v, err := ParseUInt32(data, order)
	return math.Float32frombits(v), err
}

func CompileFloat64(v float64, box []byte, order binary.ByteOrder) error {
	return CompileUInt64(math.Float64bits(v), box, order)
}

func ParseFloat64(data []byte, order binary.ByteOrder) (float64, error) {
	v, err := ParseUInt64(data, order)
	return math.Float64frombits(v), err
}

// An int and a uint take 8 bytes on every machine.

func CompileInt(v int, box []byte, order binary.ByteOrder) error {
	return CompileInt64(int64(v), box, order)
}

func ParseInt(data []byte, order binary.ByteOrder) (int, error) {
	v, err := ParseInt64(data, order)
	if err == nil && int64(int(v)) != v {
		return 0, ErrOverflow
	}
	return int(v), err
}

func CompileUInt(v uint, box []byte, order binary.ByteOrder) error {
	return CompileUInt64(uint64(v), box, order)
}

func ParseUInt(data []byte, order binary.ByteOrder) (uint, error) {
	v, err := ParseUInt64(data, order)
	if err == nil && uint64(uint(v)) != v {
		return 0, ErrOverflow
	}
	return uint(v), err
}

// Headers encode an int in fewer bytes. If the int does not fit, the error is [ErrOverflow].

func CompileUInt8Header(v int, box []byte) error {
	if v < 0 || v > math.MaxUint8 {
		return ErrOverflow
	}
	return CompileUInt8(uint8(v), box)
}

func ParseUInt8Header(data []byte) (int, error) {
	v, err := ParseUInt8(data)
	return int(v), err
}

func CompileInt8Header(v int, box []byte) error {
	if v < math.MinInt8 || v > math.MaxInt8 {
		return ErrOverflow
	}
	return CompileInt8(int8(v), box)
}

func ParseInt8Header(data []byte) (int, error) {
	v, err := ParseInt8(data)
	return int(v), err
}

// The results of these functions can be passed to [NewFixedType]. They parse and write numbers of 2
// bytes in the given byte order.

func ParseUInt16Factory(order binary.ByteOrder) ParserFunc[uint16] {
	return func(data []byte) (uint16, error) { return ParseUInt16(data, order) }
}

func CompileUInt16Factory(order binary.ByteOrder) CompilerFunc[uint16] {
	return func(v uint16, box []byte) error { return CompileUInt16(v, box, order) }
}

func ParseUInt16HeaderFactory(order binary.ByteOrder) ParserFunc[int] {
	return func(data []byte) (int, error) {
		v, err := ParseUInt16(data, order)
		return int(v), err
	}
}

func CompileUInt16HeaderFactory(order binary.ByteOrder) CompilerFunc[int] {
	return func(v int, box []byte) error {
		if v < 0 || v > math.MaxUint16 {
			return ErrOverflow
		}
		return CompileUInt16(uint16(v), box, order)
	}
}

// CompileTime writes t as the number of nanoseconds since 1970. If t is out of range, the error is
// [ErrOverflow]. The zero time is written as in Parco.
func CompileTime(t time.Time, box []byte, order binary.ByteOrder) error {
	n := t.UnixNano()
	if !t.IsZero() && (!time.Unix(0, n).Equal(t) || n == zeroTime.UnixNano()) { // only the zero time may have its number
		return ErrOverflow
	}
	return CompileInt64(n, box, order)
}

// ParseTime reads the number of nanoseconds since 1970, and returns the time in UTC.
func ParseTime(data []byte, order binary.ByteOrder) (time.Time, error) {
	n, err := ParseInt64(data, order)
	if err != nil || n == zeroTime.UnixNano() {
		return zeroTime, err
	}
	return time.Unix(0, n).UTC(), nil
}

var zeroTime time.Time

// These functions read and write strings and blobs without a header.

func ParseString(data []byte) (string, error) { return string(data), nil }

func CompileString(s string, box []byte) error {
	err := room(box, len(s))
	if err == nil {
		copy(box, s)
	}
	return err
}

func ParseStringFactory() ParserFunc[string] { return ParseString }

func CompileStringFactory() CompilerFunc[string] { return CompileString }

// CompileStringWriter writes s to w.
func CompileStringWriter(s string, w io.Writer) error { return CompileBlob(String2Bytes(s), w) }

// ParseBlob returns its argument.
func ParseBlob(data []byte) ([]byte, error) { return data, nil }

// CompileBlob writes b to w.
func CompileBlob(b []byte, w io.Writer) error { return writeAll(w, b) }
