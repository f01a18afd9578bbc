package json

// This file decodes values without elements or fields: strings, numbers, bools, bytes and raw
// messages. Times are in decode_time.go. This file also handles values that do not fit their
// target.

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

func decodeString(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	if mem.Load8(d.b, i) != '"' {
		return d.mismatch(i, p, o)
	}
	s, i := d.string(i + 1)
	if i >= 0 {
		*mem.At[string](p, 0) = s
	}
	return i
}

func decodeBool(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	switch c := mem.Load8(d.b, i); c {
	case 't', 'f':
		if i = literal(d.b, i); i > 0 {
			*mem.At[bool](p, 0) = c == 't'
		}
		return i
	}
	return d.mismatch(i, p, o)
}

func decodeInt(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	v, j := d.int(i)
	if j < 0 || !setInt(p, o.bits, v) {
		return d.mismatch(i, p, o)
	}
	return j
}

// setInt stores v as an integer with the given number of bits, and reports whether v fits.
func setInt(p mem.Pointer, bits uint8, v int64) bool {
	switch bits {
	case 64:
		*mem.At[int64](p, 0) = v
	case 32:
		if v != int64(int32(v)) {
			return false
		}
		*mem.At[int32](p, 0) = int32(v)
	case 16:
		if v != int64(int16(v)) {
			return false
		}
		*mem.At[int16](p, 0) = int16(v)
	default:
		if v != int64(int8(v)) {
			return false
		}
		*mem.At[int8](p, 0) = int8(v)
	}
	return true
}

func decodeUint(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	v, j := d.uint(i)
	if j < 0 {
		return d.longUint(i, p, o)
	}
	if !setUint(p, o.bits, v) {
		return d.mismatch(i, p, o)
	}
	return j
}

// longUint reads the numbers that the method `uint` does not read: numbers with 20 digits.
func (d *decoder) longUint(i int, p mem.Pointer, o *decodeOp) int {
	if c := mem.Load8(d.b, i); c-'0' > 9 {
		return d.mismatch(i, p, o)
	}
	if j := digits(d.b, i); j-i == 20 && mem.Load8(d.b, j) != '.' && mem.Load8(d.b, j)|0x20 != 'e' {
		if v, err := strconv.ParseUint(mem.String(d.b[i:j]), 10, 64); err == nil && mem.Load8(d.b, i) != '0' && setUint(p, o.bits, v) {
			return j
		}
	}
	return d.mismatch(i, p, o)
}

// setUint stores v as an unsigned integer with the given number of bits, and reports whether v
// fits.
func setUint(p mem.Pointer, bits uint8, v uint64) bool {
	switch bits {
	case 64:
		*mem.At[uint64](p, 0) = v
	case 32:
		if v > 1<<32-1 {
			return false
		}
		*mem.At[uint32](p, 0) = uint32(v)
	case 16:
		if v > 1<<16-1 {
			return false
		}
		*mem.At[uint16](p, 0) = uint16(v)
	default:
		if v > 1<<8-1 {
			return false
		}
		*mem.At[uint8](p, 0) = uint8(v)
	}
	return true
}

func decodeFloat64(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	f, j := d.float(i)
	if j < 0 {
		return d.mismatch(i, p, o)
	}
	*mem.At[float64](p, 0) = f
	return j
}

func decodeFloat32(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	if c := mem.Load8(d.b, i); c != '-' && c-'0' > 9 {
		return d.mismatch(i, p, o)
	}
	text, j := d.number(i)
	if j < 0 {
		return failed
	}
	f, inRange := decimal.ParseFloat32(text)
	if !inRange {
		d.mistyped("number "+string(text), o.typ, d.off+j)
		return d.out(d.guard(j))
	}
	*mem.At[float32](p, 0) = f
	return d.guard(j)
}

// decodeNothing is the decodeFunc of types that no JSON value fits. It skips the value, and records
// an error.
func decodeNothing(d *decoder, i int, p mem.Pointer, o *decodeOp) int { return d.mismatch(i, p, o) }

// mismatch skips the value at i, which does not fit o's type, and records the error. A null fits
// every type: it sets pointers, maps, interfaces and slices to nil, and leaves other targets
// unchanged.
func (d *decoder) mismatch(i int, p mem.Pointer, o *decodeOp) int {
	return d.mismatched(i, p, o, o.typ)
}

// mismatched is like mismatch, but uses t as the type in the error.
func (d *decoder) mismatched(i int, p mem.Pointer, o *decodeOp, t reflect.Type) int {
	value := ""
	switch c := mem.Load8(d.b, i); c {
	case '[', '{':
		value = "array"
		if c == '{' {
			value = "object"
		}
		d.mistyped(value, t, d.off+i+1)
		return d.outOf(d.skip(i))
	case '"':
		value = "string"
		i = d.skipString(i + 1)
	case 't', 'f':
		value = "bool"
		i = literal(d.b, i)
	case 'n':
		if i = literal(d.b, i); i > 0 {
			o.nils.clear(p)
		}
		return i
	default:
		var text []byte
		if text, i = d.number(i); i < 0 {
			return failed
		}
		value = "number"
		switch o.kindOfNumber() {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
			reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
			reflect.Float32, reflect.Float64:
			value += " " + string(text)
		case reflect.Interface:
			if _, ok := decimal.ParseFloat64(text); !ok && d.flags&UseNumber == 0 {
				d.mistyped("number "+string(text), float64Type, d.off+i+1)
			}
		}
	}
	if i < 0 {
		return failed
	}
	d.mistyped(value, t, d.off+i)
	return d.out(d.guard(i))
}

// kindOfNumber returns the kind of o's type, for errors about numbers. For types with
// UnmarshalText, which do not accept numbers, it returns reflect.Invalid.
func (o *decodeOp) kindOfNumber() reflect.Kind {
	if o.said != nil && o.typ.Kind() != reflect.Interface {
		return reflect.Invalid
	}
	return o.typ.Kind()
}

// outOf is like the method `out`, but the argument i may also be the constant failed.
func (d *decoder) outOf(i int) int {
	if i < 0 {
		return failed
	}
	return d.out(i)
}

var float64Type = reflect.TypeFor[float64]()

func decodeRaw(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	start := d.off + i
	if i = d.skip(i); i < 0 {
		return failed
	}
	m := mem.At[[]byte](p, 0)
	if d.flags&DontCopyRawMessage != 0 {
		*m = d.src[start : d.off+i : d.off+i]
		return i
	}
	text := d.src[start : d.off+i]
	if d.flags&ReuseRawMessage != 0 {
		*m = append((*m)[:0], text...)
		return i
	}
	// Do not reuse the memory of the target. It may be a view of an earlier input, or may be in use
	// elsewhere.
	if len(text) >= ownText {
		*m = append([]byte(nil), text...)
		return i
	}
	room := d.text.Room(len(text))
	*m = room[:copy(room, text):len(text)]
	d.text.TakeBytes(len(text))
	return i
}

func decodeNumber(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	switch c := mem.Load8(d.b, i); {
	case c == '-' || c-'0' <= 9:
		text, i := d.number(i)
		if i >= 0 {
			*mem.At[string](p, 0) = d.numberText(text)
			i = d.guard(i)
		}
		return i
	case c == '"':
		start := d.off + i
		s, i := d.string(i + 1)
		if i < 0 {
			return failed
		}
		if !isNumber(s) {
			return d.abort(fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", d.src[start:d.off+i]))
		}
		*mem.At[string](p, 0) = s
		return i
	}
	return d.mismatch(i, p, o)
}

// numberText returns text as a string. The string is a copy, unless DontCopyNumber is set.
func (d *decoder) numberText(text []byte) string {
	if d.flags&DontCopyNumber != 0 {
		return mem.String(text)
	}
	return d.keep(text)
}

// isNumber reports whether s is a JSON number.
func isNumber(s string) bool { return numberEnd(s, 0) == len(s) }

// decodeBytes decodes a base64 string, or an array of numbers, into a slice of bytes.
func decodeBytes(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	if mem.Load8(d.b, i) != '"' {
		return decodeSlice(d, i, p, o)
	}
	text, i := d.key(i + 1)
	if i < 0 {
		return failed
	}
	at := mem.At[[]byte](p, 0)
	out := []byte{}
	if onV2 && *at != nil {
		out = (*at)[:0] // the existing bytes are overwritten
	}
	out, err := base64.StdEncoding.AppendDecode(out, text)
	if err != nil {
		d.save(err)
	} else {
		*at = out
	}
	return d.guard(i)
}
