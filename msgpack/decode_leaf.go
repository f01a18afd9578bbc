package msgpack

// This file contains the decode functions of scalars, strings and pointers.

import (
	"fmt"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// isNil reports whether the value at i is nil. At the end of the input, it returns false, and the
// next read function returns the error.
func (d *Decoder) isNil(i int) bool {
	if uint(i) >= uint(len(d.b)) && !d.need(i, 1) {
		return false
	}
	return d.b[i] == msgpwire.Nil
}

func decodeBool(d *Decoder, o *op, p mem.Pointer, i int) int {
	v, i := d.readBool(i)
	if i >= 0 {
		*mem.At[bool](p, 0) = v
	}
	return i
}

type numberOps struct {
	decode decodeFn
	encode encodeFn
	kind   kind
}

func intOps(size uintptr) numberOps {
	switch size {
	case 1:
		return numberOps{decodeIntOf[int8], encodeInt8, kindOther}
	case 2:
		return numberOps{decodeIntOf[int16], encodeInt16, kindOther}
	case 4:
		return numberOps{decodeIntOf[int32], encodeInt32, kindOther}
	}
	return numberOps{decodeIntOf[int64], encodeInt64, kindFixedInt}
}

func uintOps(size uintptr) numberOps {
	switch size {
	case 1:
		return numberOps{decodeUintOf[uint8], encodeUint8, kindOther}
	case 2:
		return numberOps{decodeUintOf[uint16], encodeUint16, kindOther}
	case 4:
		return numberOps{decodeUintOf[uint32], encodeUint32, kindOther}
	}
	return numberOps{decodeUintOf[uint64], encodeUint64, kindFixedUint}
}

func decodeIntOf[T int8 | int16 | int32 | int64](d *Decoder, o *op, p mem.Pointer, i int) int {
	v, j := readInt(d.b, i)
	if j < 0 {
		if v, j = d.readIntSlow(i, int(o.size)*8); j < 0 {
			return -1
		}
	}
	if d.flags&strictInts != 0 && !d.fits(i, v, int(o.size)*8, true) {
		return -1
	}
	*mem.At[T](p, 0) = T(v)
	return j
}

func decodeUintOf[T uint8 | uint16 | uint32 | uint64](d *Decoder, o *op, p mem.Pointer, i int) int {
	v, j := readInt(d.b, i)
	if j < 0 {
		var u uint64
		if u, j = d.readUintSlow(i, int(o.size)*8); j < 0 {
			return -1
		}
		v = int64(u)
	}
	if d.flags&strictInts != 0 && !d.fits(i, v, int(o.size)*8, false) {
		return -1
	}
	*mem.At[T](p, 0) = T(v)
	return j
}

func decodeFloat32(d *Decoder, o *op, p mem.Pointer, i int) int {
	v, i := d.readFloat32(i)
	if i >= 0 {
		*mem.At[float32](p, 0) = v
	}
	return i
}

func decodeFloat64(d *Decoder, o *op, p mem.Pointer, i int) int {
	v, i := d.readFloat64(i)
	if i >= 0 {
		*mem.At[float64](p, 0) = v
	}
	return i
}

func decodeString(d *Decoder, o *op, p mem.Pointer, i int) int {
	v, i := d.readString(i)
	if i >= 0 {
		*mem.At[string](p, 0) = v
	}
	return i
}

// decodeBytes reads a str or bin into a []byte. The slice in the target may be a view of another
// input, or may belong to the caller. So its bytes are overwritten only with the option ReuseBytes.
func decodeBytes(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := mem.At[[]byte](p, 0)
	if d.isNil(i) {
		*to = nil
		return i + 1
	}
	start, next := d.readBytes(i)
	if next < 0 {
		return -1
	}
	if d.flags&careful != 0 && !d.allows(i, start, next) {
		return -1
	}
	b := d.b[start:next]
	switch {
	case d.views() || d.shares(len(b)):
		*to = d.owned(b)
	case d.flags&reuseBytes != 0 && *to != nil:
		*to = append((*to)[:0], b...)
	case d.flags&ownStrings != 0:
		*to = d.owned(b)
	default:
		*to = d.strings.CopyBytes(b)
	}
	return next
}

func decodeByteArray(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.isNil(i) {
		return i + 1
	}
	start, next := d.readBytes(i)
	if next < 0 || d.flags&careful != 0 && !d.allows(i, start, next) {
		return -1
	}
	to := mem.Slice{Data: mem.RawBytes(p, o.length), Len: o.length, Cap: o.length}
	if next-start > o.length {
		return d.fail(i, fmt.Errorf("%v len is %d, but msgpack has %d elements", o.typ, o.length, next-start))
	}
	copy(*mem.RawAt[[]byte](mem.RawTo(&to), 0), d.b[start:next])
	return next
}

func decodePointer(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := mem.At[mem.Raw](p, 0)
	if d.isNil(i) {
		*to = nil
		return i + 1
	}
	if *to == nil {
		*to = mem.NewAt(o.elem.typ)
	}
	if o.elem.is(isPointer) { // a pointer type that points to itself nests without reading a byte
		return d.step(i, func() int { return o.elem.decode(d, o.elem, mem.Of(*to, o.elem.typ), i) })
	}
	return o.elem.decode(d, o.elem, mem.Of(*to, o.elem.typ), i)
}

func decodeUnsupported(d *Decoder, o *op, p mem.Pointer, i int) int {
	return d.fail(i, fmt.Errorf("msgpack: Decode(unsupported %v)", o.typ))
}
