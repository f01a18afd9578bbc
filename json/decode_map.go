package json

// This file decodes into maps. The value of a key is always decoded into a new Go value, never into
// a value that the map already contains.

import (
	"reflect"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

func decodeMapString(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	return decodeMapOf(d, i, p, o, func(d *decoder, i int, p *string) int {
		return decodeString(d, i, mem.PointerTo(p), o.elem)
	})
}

func decodeMapAny(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	return decodeMapOf(d, i, p, o, func(d *decoder, i int, p *any) int {
		v, i := d.any(i)
		*p = v
		return i
	})
}

// decodeMapOf decodes into maps whose keys have a string type, named or not, and whose values have
// the type V.
func decodeMapOf[V any](d *decoder, i int, p mem.Pointer, o *decodeOp, decode func(*decoder, int, *V) int) int {
	if mem.Load8(d.b, i) != '{' {
		return d.mismatch(i, p, o)
	}
	if d.depth++; d.depth > maxDepth {
		return failed
	}
	m := mem.At[map[string]V](p, 0)
	if *m == nil {
		*m = make(map[string]V)
	}
	i = d.enter(i, '}')
	for i >= 0 {
		if mem.Load8(d.b, i) != '"' {
			return failed
		}
		var key string
		if key, i = d.string(i + 1); i < 0 {
			return failed
		}
		if i = d.colon(i); i < 0 {
			return failed
		}
		var v V
		i = decode(d, i, &v)
		if i < 0 {
			if i = d.in(i); i < 0 {
				return failed
			}
		}
		(*m)[key] = v
		i = d.next(i, '}')
	}
	if i == failed {
		return failed
	}
	i = ^i
	return d.leave(i)
}

// decodeMap decodes into all other maps.
func decodeMap(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	if mem.Load8(d.b, i) != '{' {
		return d.mismatch(i, p, o)
	}
	if d.depth++; d.depth > maxDepth {
		return failed
	}
	m := mem.ValueAt(o.typ, o.ptr, p)
	if m.IsNil() {
		m.Set(reflect.MakeMap(o.typ))
	}
	key := reflect.New(o.typ.Key()).Elem()
	elem := reflect.New(o.typ.Elem()).Elem()
	at := mem.PlaceOf(elem)
	var k mapKey
	i = d.enter(i, '}')
	for first := true; i >= 0; first = false {
		if i = d.readKey(i, o, &k); i < 0 {
			return failed
		}
		if !first {
			elem.SetZero()
		}
		i = o.elem.decode(d, i, at, o.elem)
		if i < 0 {
			if i = d.in(i); i < 0 {
				return failed
			}
		}
		if d.setKey(key, o, &k, d.off+i) {
			m.SetMapIndex(key, elem)
		} else if d.fatal != nil {
			return failed
		}
		if d.soft < 0 {
			d.soft = d.depth
		}
		i = d.next(i, '}')
	}
	if i == failed {
		return failed
	}
	i = ^i
	return d.leave(i)
}

// mapKey is a key whose value has not been decoded yet.
type mapKey struct {
	start, end int // position in the input, including the quotes
	text       string
	number     int64
	unsigned   uint64
	fits       bool // the key is a number that fits the key type
}

// readKey reads the key at i into k, and returns the position of the value.
func (d *decoder) readKey(i int, o *decodeOp, k *mapKey) int {
	if mem.Load8(d.b, i) != '"' {
		return failed
	}
	k.start = d.off + i
	t := o.typ.Key()
	var text []byte
	if o.key == nil && t.Kind() == reflect.String {
		k.text, i = d.string(i + 1)
	} else if text, i = d.key(i + 1); i >= 0 && o.key == nil {
		var err error
		if k.number, k.unsigned = 0, 0; t.Kind() <= reflect.Int64 {
			k.number, err = strconv.ParseInt(mem.String(text), 10, 64)
			k.fits = err == nil && !t.OverflowInt(k.number)
		} else {
			k.unsigned, err = strconv.ParseUint(mem.String(text), 10, 64)
			k.fits = err == nil && !t.OverflowUint(k.unsigned)
		}
	}
	if i < 0 {
		return failed
	}
	k.end = d.off + i
	return d.colon(i)
}

// setKey stores the key k in the reflect.Value `key`, and reports whether k fits. The type of `key`
// is the key type of o. The map value must already be decoded, because encoding/json reports an
// error in the value first. The argument `after` is the offset at which the map value ends.
func (d *decoder) setKey(key reflect.Value, o *decodeOp, k *mapKey, after int) bool {
	t := key.Type()
	switch {
	case o.key != nil:
		key.SetZero()
		return d.literal(d.src[k.start:k.end:k.end], mem.PlaceOf(key), o.key, reflect.PointerTo(t), after) >= 0
	case t.Kind() == reflect.String:
		key.SetString(k.text)
	case !k.fits:
		text, _ := unquote(d.src[k.start:k.end])
		d.mistyped("number "+string(text), t, k.start+1)
		return false
	case t.Kind() <= reflect.Int64:
		key.SetInt(k.number)
	default:
		key.SetUint(k.unsigned)
	}
	return true
}
