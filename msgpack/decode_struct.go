package msgpack

// This file contains the decode functions of structs, which are encoded as maps or as arrays.

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// decodeStruct decodes a map into the fields of the struct at p, or an array by position:
//
//	place          reads                                             continues at
//	start          the header of a short map                         loop
//	               another header, by structHeader                   loop for a map; the caller for
//	                                                                 nil, an array and errors
//	               with a flag of `careful`                          decodeStructCareful
//	loop           the expected key, compared in two words           switch f.kind
//	               another known key, by findField                   switch f.kind
//	               an unknown key and its value, by findField        loop
//	switch f.kind  a value of a frequent kind that is in the window  loop (continue)
//	               any other value, by a slow function or the op     end of the loop
//	end of the     nothing: it reports an error, or loads the        the caller with -1, or loop
//	loop           window
func decodeStruct(d *Decoder, o *op, p mem.Pointer, i int) int {
	b := d.b
	n := 0
	if uint(i) < uint(len(b)) && b[i]&0xf0 == msgpwire.Fixmap {
		n = int(b[i] & 0x0f)
		i++
	} else {
		var mapped bool
		if n, i, mapped = d.structHeader(o, p, i); !mapped {
			return i
		}
		b = d.b
	}
	if d.flags&careful != 0 {
		return d.decodeStructCareful(o, p, n, i)
	}
	if d.depth++; d.depth > d.limits.depth {
		return d.tooDeep(i)
	}
	in := o.fields.in
	next := 0
	for ; n > 0; n-- {
		// The next field in order is expected. Its encoded key is compared in two words.
		f := &in[next]
		if predictFields && i+16 <= len(b) &&
			(mem.Load64(b, i)^f.key1)&f.mask1 == 0 && (mem.Load64(b, i+8)^f.key2)&f.mask2 == 0 &&
			f.size != 0 { // a field that is never expected has the size 0
			i += int(f.size)
			next++
		} else {
			if f, i = d.findField(o, next, i); f == nil {
				if i < 0 {
					return -1
				}
				b = d.b
				continue
			}
			b = d.b
			next = int(f.index) + 1
		}
		to := mem.Add(p, uintptr(f.offset))
		switch f.kind {
		case kindString:
			if uint(i) < uint(len(b)) {
				if c := b[i]; c >= msgpwire.Fixstr && c <= msgpwire.FixstrMax {
					if n := int(c & 0x1f); n < len(b)-i {
						// A reused target often contains the string already.
						if s := mem.At[string](to, 0); !keepEqual || len(*s) != n || *s != string(b[i+1:i+1+n]) {
							*s = d.strings.CopyAt(b, i+1, n)
						}
						i += 1 + n
						continue
					}
				}
			}
			var s string
			if s, i = d.readString(i); i >= 0 {
				*mem.At[string](to, 0) = s
			}
		case kindInt:
			if i+9 <= len(b) && mem.Load8(b, i) == msgpwire.Int64 {
				*mem.At[uint64](to, 0) = wire.BE64(b, i+1)
				i += 9
				continue
			}
			v, j := readInt(b, i)
			if j < 0 {
				v, j = d.readIntSlow(i, 64)
			}
			if i = j; i >= 0 {
				*mem.At[int64](to, 0) = v
			}
		case kindUint:
			v, j := readInt(b, i)
			if j < 0 {
				var u uint64
				u, j = d.readUintSlow(i, 64)
				v = int64(u)
			}
			if i = j; i >= 0 {
				*mem.At[int64](to, 0) = v
			}
		case kindFloat64:
			if i+9 <= len(b) && mem.Load8(b, i) == msgpwire.Float64 {
				*mem.At[float64](to, 0) = math.Float64frombits(wire.BE64(b, i+1))
				i += 9
				continue
			}
			var v float64
			if v, i = d.readFloat64(i); i >= 0 {
				*mem.At[float64](to, 0) = v
			}
		case kindBool:
			if uint(i) < uint(len(b)) && b[i]|1 == msgpwire.True {
				*mem.At[bool](to, 0) = b[i] == msgpwire.True
				i++
				continue
			}
			var v bool
			if v, i = d.readBool(i); i >= 0 {
				*mem.At[bool](to, 0) = v
			}
		default:
			if f.hops {
				to = reachField(o, f, p)
			}
			i = f.op.decode(d, f.op, to, i)
		}
		if i < 0 {
			d.path.Field(o.fields.list[f.index].Name)
			return -1
		}
		b = d.b
	}
	d.depth--
	return i
}

// structHeader reads the header of a struct that is not encoded as a short map. If the struct is
// encoded as a longer map, mapped is true. If it is encoded as nil or an array, structHeader
// decodes it completely, and mapped is false.
func (d *Decoder) structHeader(o *op, p mem.Pointer, i int) (n, next int, mapped bool) {
	c, ok := d.codeAt(i)
	switch {
	case !ok:
		return 0, -1, false
	case c == msgpwire.Nil:
		reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem().SetZero()
		return 0, i + 1, false
	case msgpwire.IsExt(c):
		return 0, d.fail(i, unexpectedCodeError{c}), false
	case c&0xf0 == msgpwire.Fixarray || c == msgpwire.Array16 || c == msgpwire.Array32:
		return 0, d.decodeTuple(o, p, i), false
	}
	n, i = d.mapLen(i)
	return n, i, i >= 0
}

var errArrayStruct = errors.New("msgpack: number of fields in array-encoded struct has changed")

// decodeTuple reads a struct's fields by position.
func (d *Decoder) decodeTuple(o *op, p mem.Pointer, i int) int {
	n, j := d.arrayLen(i)
	if j < 0 {
		return -1
	}
	if d.depth >= d.limits.depth {
		return d.tooDeep(j)
	}
	if n == 0 {
		reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem().SetZero()
		return j
	}
	out := o.fields.out
	if n != len(out) && d.flags&anyLength == 0 && !o.fields.anyLength {
		return d.fail(i, errArrayStruct)
	}
	if !d.claim(j, n, 1) {
		return -1
	}
	d.depth++
	for k := range out {
		f := &o.fields.in[out[k].index]
		to := mem.Add(p, uintptr(f.offset))
		if k >= n {
			if f.hops {
				to = o.fields.reach(&out[k], p)
			}
			if !mem.IsNil(to) {
				zero(f.op, to)
			}
			continue
		}
		if f.hops {
			to = reachField(o, f, p)
		}
		if j = f.op.decode(d, f.op, to, j); j < 0 {
			d.path.Field(o.fields.list[f.index].Name)
			return -1
		}
	}
	j = d.skipValues(j, n-len(out)) // the extra values count as values in the array
	d.depth--
	return j
}

// reachField follows the embedded pointers to the field f, and returns the field's address. It
// allocates a struct for each nil pointer on the path, even if the value in the input is nil.
func reachField(o *op, f *inField, p mem.Pointer) mem.Pointer {
	field := &o.fields.list[f.index]
	for _, hop := range field.Hops {
		to := mem.At[mem.Raw](p, hop.Offset)
		if *to == nil {
			*to = mem.NewAt(hop.Type)
		}
		p = mem.Of(*to, hop.Type)
	}
	return mem.Add(p, field.Offset)
}

// findField reads a key for which the comparison of two words with the expected field failed. Such
// a key belongs to another field, is too long for the comparison, or is too near the end of the
// input. If no field has this key, findField skips the value, and returns nil and the offset after
// the value.
func (d *Decoder) findField(o *op, expected, i int) (f *inField, next int) {
	key := o.fields.keys[expected]
	if unseen := len(key) > 16 || i+16 > len(d.b); unseen && predictFields &&
		len(key) <= len(d.b)-i && string(d.b[i:i+len(key)]) == key && key != neverKey {
		return &o.fields.in[expected], i + len(key)
	}
	var name []byte
	start, end := readStr(d.b, i)
	if end >= 0 {
		name = d.b[start:end]
	} else {
		if !d.isNil(i) && d.isNameless(i) {
			return nil, d.skipValues(i, 2)
		}
		var s string
		if s, end = d.readStringSlow(i, false); end < 0 {
			return nil, -1
		}
		name = mem.Bytes(s)
	}
	if k := o.fields.names.Find(name); k >= 0 {
		return o.fields.byName[k], end
	}
	if d.flags&disallowUnknown != 0 {
		return nil, d.fail(i, unknownField(name))
	}
	return nil, d.pass(end) // options that restrict skipped values are handled by decodeStructCareful
}

func unknownField(name []byte) error { return fmt.Errorf("msgpack: unknown field %q", name) }

// isNameless reports whether the key at i, for example an int, cannot be the name of a field, and
// must be skipped with its value. If unknown fields are not allowed, it returns false, because
// reading the key as a string creates the error.
func (d *Decoder) isNameless(i int) bool {
	if d.flags&disallowUnknown != 0 || i >= len(d.b) || d.isInterned(i) {
		return false
	}
	switch Raw(d.b[i:]).Kind() {
	case KindString, KindBin, KindMissing:
		return false
	}
	return true
}
