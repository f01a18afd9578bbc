package msgpack

// This file contains the methods that read and write single values. They are for custom codecs, and
// for programs that know the structure of their input.
//
// A Decode method first tries the buffered bytes. It calls begin and end only if the buffered bytes
// are not sufficient, or belong to a bytes.Buffer.

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// PeekCode returns the code of the next value without reading it. At the end of the input it
// returns io.EOF.
func (d *Decoder) PeekCode() (byte, error) {
	if d.i < len(d.b) && d.rest.values == 0 {
		return d.b[d.i], nil
	}
	if s, ok := d.r.(io.ByteScanner); ok && d.exact && d.readErr == nil && d.late == nil {
		if d.rest != (scan{}) { // the rest of a failed value, which is skipped first
			mark := d.begin()
			_ = d.end(mark, mark)
		}
		// A byte that the window has read from an io.ByteScanner cannot be returned to it. So the
		// code is read directly, and put back.
		if d.i == len(d.b) && d.rest == (scan{}) {
			if c, err := s.ReadByte(); err == nil && s.UnreadByte() == nil {
				return c, nil
			}
		}
	}
	mark := d.begin()
	c, ok := d.codeAt(d.i)
	if !ok {
		return 0, d.end(mark, -1)
	}
	return c, d.end(mark, d.i)
}

// DecodeNil reads nil.
func (d *Decoder) DecodeNil() error {
	mark := d.begin()
	c, ok := d.codeAt(mark)
	switch {
	case !ok:
		return d.end(mark, -1)
	case c != msgpwire.Nil:
		return d.end(mark, d.fail(mark, fmt.Errorf("msgpack: invalid code=%x decoding nil", c)))
	}
	return d.end(mark, mark+1)
}

// DecodeBool reads a bool. It reads nil as false.
func (d *Decoder) DecodeBool() (bool, error) { return decodeOne(d, (*Decoder).readBool) }

// DecodeInt64 reads an int of any width, or a float without a fraction. It reads nil as 0. A uint64
// that does not fit wraps around; with [DecodeOptions.StrictInts], DecodeInt64 returns an error for
// it.
func (d *Decoder) DecodeInt64() (int64, error) {
	if v, next := readInt(d.b, d.i); next >= 0 && d.flags&strictInts == 0 {
		d.i = next
		return v, nil
	}
	return decodeOne(d, (*Decoder).readInt)
}

// DecodeUint64 is like [Decoder.DecodeInt64], but for unsigned numbers. A negative number wraps
// around; with [DecodeOptions.StrictInts], DecodeUint64 returns an error for it.
func (d *Decoder) DecodeUint64() (uint64, error) {
	if v, next := readInt(d.b, d.i); next >= 0 && d.flags&strictInts == 0 {
		d.i = next
		return uint64(v), nil
	}
	return decodeUintOfWidth[uint64](d, 64)
}

// DecodeInt is like [Decoder.DecodeInt64], but returns an int. A number that does not fit is
// truncated as in a Go conversion; with [DecodeOptions.StrictInts], DecodeInt returns an error for
// it. For a float that does not fit, DecodeInt always returns an error. The methods for 8, 16 and
// 32 bits follow the same rules.
func (d *Decoder) DecodeInt() (int, error) { return decodeIntOfWidth[int](d, strconv.IntSize) }

// DecodeInt8 is like [Decoder.DecodeInt], but returns an int8.
func (d *Decoder) DecodeInt8() (int8, error) { return decodeIntOfWidth[int8](d, 8) }

// DecodeInt16 is like [Decoder.DecodeInt], but returns an int16.
func (d *Decoder) DecodeInt16() (int16, error) { return decodeIntOfWidth[int16](d, 16) }

// DecodeInt32 is like [Decoder.DecodeInt], but returns an int32.
func (d *Decoder) DecodeInt32() (int32, error) { return decodeIntOfWidth[int32](d, 32) }

// DecodeUint is like [Decoder.DecodeInt], but returns a uint.
func (d *Decoder) DecodeUint() (uint, error) { return decodeUintOfWidth[uint](d, strconv.IntSize) }

// DecodeUint8 is like [Decoder.DecodeInt], but returns a uint8.
func (d *Decoder) DecodeUint8() (uint8, error) { return decodeUintOfWidth[uint8](d, 8) }

// DecodeUint16 is like [Decoder.DecodeInt], but returns a uint16.
func (d *Decoder) DecodeUint16() (uint16, error) { return decodeUintOfWidth[uint16](d, 16) }

// DecodeUint32 is like [Decoder.DecodeInt], but returns a uint32.
func (d *Decoder) DecodeUint32() (uint32, error) { return decodeUintOfWidth[uint32](d, 32) }

func decodeIntOfWidth[T int | int8 | int16 | int32](d *Decoder, bits int) (T, error) {
	mark := d.begin()
	v, next := readInt(d.b, mark)
	if next < 0 {
		v, next = d.readIntSlow(mark, bits)
	}
	if next >= 0 && d.flags&strictInts != 0 && !d.fits(mark, v, bits, true) {
		next = -1
	}
	return T(v), d.end(mark, next)
}

func decodeUintOfWidth[T uint | uint8 | uint16 | uint32 | uint64](d *Decoder, bits int) (T, error) {
	mark := d.begin()
	v, next := d.readUintSlow(mark, bits)
	if next >= 0 && d.flags&strictInts != 0 && !d.fits(mark, int64(v), bits, false) {
		next = -1
	}
	return T(v), d.end(mark, next)
}

// DecodeFloat64 reads a float or an int. It reads nil as 0.
func (d *Decoder) DecodeFloat64() (float64, error) {
	if b, i := d.b, d.i; i+9 <= len(b) && b[i] == msgpwire.Float64 {
		d.i = i + 9
		return math.Float64frombits(wire.BE64(b, i+1)), nil
	}
	return decodeOne(d, (*Decoder).readFloat64)
}

// DecodeFloat32 reads a float or an int, and returns the nearest float32. It reads nil as 0. For a
// finite number out of the range of float32, it returns an error.
func (d *Decoder) DecodeFloat32() (float32, error) { return decodeOne(d, (*Decoder).readFloat32) }

// DecodeString reads a str or bin as a new string. It reads nil as the empty string.
func (d *Decoder) DecodeString() (string, error) {
	if start, next := readStr(d.b, d.i); next >= 0 && d.flags&careful == 0 {
		d.i = next
		return string(d.b[start:next]), nil
	}
	return decodeOne(d, func(d *Decoder, i int) (string, int) { return d.readStringSlow(i, true) })
}

// DecodeBytes reads a bin or str as a new []byte. It reads nil as a nil slice.
func (d *Decoder) DecodeBytes() ([]byte, error) {
	return decodeOne(d, func(d *Decoder, i int) ([]byte, int) {
		if d.isNil(i) {
			return nil, i + 1
		}
		v, next := d.readView(i)
		if next < 0 {
			return nil, -1
		}
		return d.owned(v), next
	})
}

// DecodeTime reads a timestamp: a timestamp ext, an array of seconds and nanoseconds, or an RFC
// 3339 string. It reads nil as the zero time. The result is in time.Local, unless
// [DecodeOptions.UTC] is set or an RFC 3339 string specifies another zone. The zero time is in UTC.
func (d *Decoder) DecodeTime() (time.Time, error) { return decodeOne(d, (*Decoder).readTime) }

// DecodeDuration reads a number of nanoseconds. It accepts the same values as
// [Decoder.DecodeInt64].
func (d *Decoder) DecodeDuration() (time.Duration, error) {
	v, err := d.DecodeInt64()
	return time.Duration(v), err
}

// DecodeArrayLen reads the header of an array, and returns the number of elements that follow. For
// nil, it returns -1.
func (d *Decoder) DecodeArrayLen() (int, error) {
	if n, next := readCount(d.b, d.i, false); next >= 0 && d.flags&limited == 0 {
		d.i = next
		return n, nil
	}
	return d.decodeCount((*Decoder).arrayLen)
}

// DecodeMapLen reads the header of a map, and returns the number of pairs that follow. For nil, it
// returns -1. If the next value is an ext that contains a map, DecodeMapLen also skips the header
// of the ext.
func (d *Decoder) DecodeMapLen() (int, error) {
	if n, next := readCount(d.b, d.i, true); next >= 0 && d.flags&limited == 0 {
		d.i = next
		return n, nil
	}
	return d.decodeCount((*Decoder).mapLen)
}

func (d *Decoder) decodeCount(read func(*Decoder, int) (int, int)) (int, error) {
	mark := d.begin()
	if d.isNil(mark) {
		return -1, d.end(mark, mark+1)
	}
	n, next := read(d, mark)
	if next >= 0 && n > d.limits.elements {
		next = d.tooMany(mark, n)
	}
	return n, d.end(mark, next)
}

// DecodeBytesLen reads the header of a bin or str, and returns the number of bytes that follow. For
// nil, it returns -1. Use ReadFull to read the bytes.
func (d *Decoder) DecodeBytesLen() (int, error) {
	mark := d.begin()
	c, ok := d.codeAt(mark)
	if !ok {
		return 0, d.end(mark, -1)
	}
	if c == msgpwire.Nil {
		return -1, d.end(mark, mark+1)
	}
	f := msgpwire.Forms[c]
	if f.Kind != msgpwire.FormFixBytes && (f.Kind != msgpwire.FormBytes || msgpwire.IsExt(c)) {
		return 0, d.end(mark, d.fail(mark, fmt.Errorf("msgpack: invalid code=%x decoding string/bytes length", c)))
	}
	if !d.whole(mark, 1, int(f.Head)) {
		return 0, d.end(mark, -1)
	}
	n := uint64(c & 0x1f)
	if f.Kind == msgpwire.FormBytes {
		n = d.count(mark)
	}
	switch {
	case n > math.MaxInt:
		return 0, d.end(mark, d.fail(mark, io.ErrUnexpectedEOF))
	case int(n) > d.limits.str:
		return 0, d.end(mark, d.tooLong(mark, int(n)))
	}
	return int(n), d.end(mark, mark+int(f.Head))
}

// DecodeExtHeader reads the header of an ext, and returns its type and the number of bytes that
// follow. Use ReadFull to read the bytes.
func (d *Decoder) DecodeExtHeader() (id int8, n int, err error) {
	mark := d.begin()
	id, n, next := d.extHeader(mark)
	return id, n, d.end(mark, next)
}

// ReadFull reads bytes until buf is full, for example the bytes after a header whose length the
// caller has read. If the input contains fewer bytes, buf is unchanged. The error is then io.EOF,
// or wraps io.ErrUnexpectedEOF.
func (d *Decoder) ReadFull(buf []byte) error {
	mark := d.begin()
	if !d.whole(mark, 0, len(buf)) {
		return d.end(mark, -1)
	}
	copy(buf, d.b[mark:])
	return d.end(mark, mark+len(buf))
}

// DecodeRaw returns a copy of the bytes of the next value.
func (d *Decoder) DecodeRaw() (RawMessage, error) {
	return decodeOne(d, func(d *Decoder, i int) (RawMessage, int) {
		next := d.skipAt(i)
		if next < 0 {
			return nil, -1
		}
		return d.owned(d.b[i:next]), next
	})
}

// Skip skips the next value, which may be nested to any depth. It does not allocate, except for
// interned strings.
func (d *Decoder) Skip() error {
	mark := d.begin()
	return d.end(mark, d.skipJoining(mark))
}

// DecodeInterface reads a value of any type. The result is the same as for a target of type any.
// But [Decoder.UseLooseInterfaceDecoding] applies only to values in arrays and maps.
func (d *Decoder) DecodeInterface() (any, error) { return d.interfaceAs(0) }

// DecodeInterfaceLoose is like DecodeInterface, but numbers become int64, uint64 and float64, and
// bin becomes string. Values in arrays and maps are converted only if
// [Decoder.UseLooseInterfaceDecoding] is on.
func (d *Decoder) DecodeInterfaceLoose() (any, error) { return d.interfaceAs(looseInterface) }

// interfaceAs reads a value. For the values in an array or map, the option looseInterface applies.
// For all other values, the argument `loose` replaces this option.
func (d *Decoder) interfaceAs(loose uint32) (any, error) {
	if flags := d.flags; flags&looseInterface != loose {
		if c, err := d.PeekCode(); err == nil && (c < msgpwire.Fixmap || c >= msgpwire.Nil && c < msgpwire.Array16 || c >= msgpwire.Negfixint) {
			d.flags ^= looseInterface
			defer func() { d.flags = flags }()
		}
	}
	return decodeUser(d, (*Decoder).readAny)
}

// DecodeMap reads a map with string keys. For a key of another type, it returns an error. For nil,
// the result is nil.
func (d *Decoder) DecodeMap() (map[string]any, error) {
	return decodeUser(d, func(d *Decoder, i int) (map[string]any, int) {
		if d.isNil(i) {
			return nil, i + 1
		}
		return d.readMap(i)
	})
}

// DecodeSlice reads an array. For nil, the result is nil.
func (d *Decoder) DecodeSlice() ([]any, error) {
	return decodeUser(d, func(d *Decoder, i int) ([]any, int) {
		if d.isNil(i) {
			return nil, i + 1
		}
		return d.readList(i)
	})
}

// decodeUser is a variant of decodeOne for values whose decoding may call a user's methods.
func decodeUser[T any](d *Decoder, read func(d *Decoder, i int) (T, int)) (T, error) {
	mark := d.begin()
	g := d.guard(mark)
	defer g.done()
	v, next := read(d, mark)
	return v, g.end(next)
}

func decodeOne[T any](d *Decoder, read func(d *Decoder, i int) (T, int)) (T, error) {
	mark := d.begin()
	v, next := read(d, mark)
	return v, d.end(mark, next)
}

// The methods that custom encoders call most often store their bytes directly in e.b. Passing a
// slice to helper functions and storing their result would cost more than writing the bytes.

// grow increases the capacity of e.b for n more bytes.
//
//go:noinline
func (e *Encoder) grow(n int) { e.b = slices.Grow(e.b, n) }

// flushed is a variant of flush for a value that e.b already contains.
func (e *Encoder) flushed() error {
	if e.inside > 0 && e.err == nil {
		return nil
	}
	return e.flushSlow()
}

func (e *Encoder) encode8(code byte) error {
	at := len(e.b)
	if at == cap(e.b) {
		e.grow(1)
	}
	e.b = e.b[:at+1]
	mem.Store8(e.b, at, code)
	return e.flushed()
}

func (e *Encoder) encode16(code, v byte) error {
	at := len(e.b)
	if at+2 > cap(e.b) {
		e.grow(2)
	}
	e.b = e.b[:at+2]
	mem.Store8(e.b, at, code)
	mem.Store8(e.b, at+1, v)
	return e.flushed()
}

func (e *Encoder) encode64(code byte, v uint64) error {
	if code == msgpwire.Float64 && e.flags&compactFloats != 0 {
		return e.flush(e.appendFloat64(e.b, math.Float64frombits(v)))
	}
	at := len(e.b)
	if at+9 > cap(e.b) {
		e.grow(9)
	}
	e.b = e.b[:at+9]
	mem.Store8(e.b, at, code)
	wire.PutBE64(e.b, at+1, v)
	return e.flushed()
}

// EncodeNil writes nil.
func (e *Encoder) EncodeNil() error { return e.encode8(msgpwire.Nil) }

// EncodeBool writes v as true or false.
func (e *Encoder) EncodeBool(v bool) error {
	if v {
		return e.encode8(msgpwire.True)
	}
	return e.encode8(msgpwire.False)
}

// EncodeString writes v as a str. If strings are interned, it may write the number of the string
// instead of the string.
func (e *Encoder) EncodeString(v string) error { return e.flush(appendStringOf(e, e.b, v)) }

// EncodeTime writes t as ext -1, in the shortest of the three timestamp forms. The zone is not
// written.
func (e *Encoder) EncodeTime(t time.Time) error { return e.flush(msgpwire.AppendTime(e.b, t)) }

// EncodeFloat32 writes v as a float32. With UseCompactFloats, it writes a whole number as an int.
func (e *Encoder) EncodeFloat32(v float32) error { return e.flush(e.appendFloat32(e.b, v)) }

// EncodeMap writes m. A nil map is written as nil. The order of keys is random, unless
// SetSortMapKeys is on.
func (e *Encoder) EncodeMap(m map[string]any) error {
	return e.guarded(func(b []byte) []byte { return e.appendAnyMap(b, m) })
}

// EncodeFloat64 writes v as a float64. With UseCompactFloats, it writes a whole number as an int.
func (e *Encoder) EncodeFloat64(v float64) error {
	return e.encode64(msgpwire.Float64, math.Float64bits(v))
}

// EncodeInt writes v in its shortest form, in 1 to 9 bytes. A positive number is written as an
// unsigned int.
func (e *Encoder) EncodeInt(v int64) error {
	if uint64(v) <= msgpwire.FixintMax {
		return e.encode8(byte(v))
	}
	return e.flush(msgpwire.AppendInt(e.b, v))
}

// EncodeUint writes v in its shortest form, in 1 to 9 bytes.
func (e *Encoder) EncodeUint(v uint64) error {
	if v <= msgpwire.FixintMax {
		return e.encode8(byte(v))
	}
	return e.flush(msgpwire.AppendUint(e.b, v))
}

// EncodeInt8 writes v as an int8. Every method with a width in its name writes an int of that
// width, regardless of the value. The only option that changes this is [EncodeOptions.Canonical].
func (e *Encoder) EncodeInt8(v int8) error { return e.encode16(msgpwire.Int8, byte(v)) }

// EncodeInt16 writes v as an int16.
func (e *Encoder) EncodeInt16(v int16) error {
	return e.flush(msgpwire.AppendCode16(e.b, msgpwire.Int16, uint16(v)))
}

// EncodeInt32 writes v as an int32.
func (e *Encoder) EncodeInt32(v int32) error {
	return e.flush(msgpwire.AppendCode32(e.b, msgpwire.Int32, uint32(v)))
}

// EncodeInt64 writes v as an int64.
func (e *Encoder) EncodeInt64(v int64) error { return e.encode64(msgpwire.Int64, uint64(v)) }

// EncodeUint8 writes v as a uint8.
func (e *Encoder) EncodeUint8(v uint8) error { return e.encode16(msgpwire.Uint8, v) }

// EncodeUint16 writes v as a uint16.
func (e *Encoder) EncodeUint16(v uint16) error {
	return e.flush(msgpwire.AppendCode16(e.b, msgpwire.Uint16, v))
}

// EncodeUint32 writes v as a uint32.
func (e *Encoder) EncodeUint32(v uint32) error {
	return e.flush(msgpwire.AppendCode32(e.b, msgpwire.Uint32, v))
}

// EncodeUint64 writes v as a uint64.
func (e *Encoder) EncodeUint64(v uint64) error { return e.encode64(msgpwire.Uint64, v) }

// EncodeDuration writes the nanoseconds of v with [Encoder.EncodeInt]. In contrast, Encode writes a
// time.Duration as an int64.
func (e *Encoder) EncodeDuration(v time.Duration) error { return e.EncodeInt(int64(v)) }

// EncodeBytes writes v as a bin. A nil slice is written as nil.
func (e *Encoder) EncodeBytes(v []byte) error {
	if v == nil {
		return e.EncodeNil()
	}
	return e.flush(e.appendBody(msgpwire.AppendBytesLen(e.b, len(v)), v))
}

// EncodeArrayLen writes the header of an array. The caller must then write n elements. If n is -1,
// EncodeArrayLen writes nil. Like every method that writes a length, it returns an error if n is
// less than -1 or does not fit in 32 bits.
func (e *Encoder) EncodeArrayLen(n int) error {
	if uint(n) < 16 {
		return e.encode8(msgpwire.Fixarray | byte(n))
	}
	return e.encodeCount(n, msgpwire.AppendArrayLen)
}

// EncodeMapLen writes the header of a map. The caller must then write n pairs. If n is -1,
// EncodeMapLen writes nil.
func (e *Encoder) EncodeMapLen(n int) error {
	if uint(n) < 16 {
		return e.encode8(msgpwire.Fixmap | byte(n))
	}
	return e.encodeCount(n, msgpwire.AppendMapLen)
}

// EncodeBytesLen writes the header of a bin. The caller must then write n bytes to
// [Encoder.Writer]. If n is -1, EncodeBytesLen writes nil.
func (e *Encoder) EncodeBytesLen(n int) error { return e.encodeCount(n, msgpwire.AppendBytesLen) }

func (e *Encoder) encodeCount(n int, appendLen func([]byte, int) []byte) error {
	if n == -1 {
		return e.EncodeNil()
	}
	return e.encodeLength(n, appendLen)
}

func (e *Encoder) encodeLength(n int, appendLen func([]byte, int) []byte) error {
	if n < 0 || uint64(n) > 1<<32-1 {
		return fmt.Errorf("msgpack: a length of %d cannot be written", n)
	}
	return e.flush(appendLen(e.b, n))
}

// EncodeExtHeader writes the header of an ext. The caller must then write n bytes to
// [Encoder.Writer].
func (e *Encoder) EncodeExtHeader(id int8, n int) error {
	return e.encodeLength(n, func(b []byte, n int) []byte { return msgpwire.AppendExtHeader(b, id, n) })
}

// EncodeMapSorted writes m with sorted keys, as with SetSortMapKeys. Maps inside m are sorted, too.
func (e *Encoder) EncodeMapSorted(m map[string]any) error {
	on := e.flags&sortMapKeys != 0
	e.flags |= sortMapKeys
	defer e.set(sortMapKeys, on)
	return e.EncodeMap(m)
}
