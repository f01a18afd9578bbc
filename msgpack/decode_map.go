package msgpack

// This file contains the decode functions of maps.

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// decodeMap reads a map of any type through reflect.
func decodeMap(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	if d.isNil(i) {
		to.SetZero()
		return i + 1
	}
	n, i := d.mapLen(i)
	if i < 0 || !d.claim(i, n, 2) {
		return -1
	}
	if to.IsNil() {
		to.Set(reflect.MakeMapWithSize(o.typ, d.room(n, o.key.size+o.elem.size+1))) // an entry of size 0 needs memory, too
	}
	if d.depth++; d.depth > d.limits.depth {
		return d.tooDeep(i)
	}
	key, value := reflect.New(o.key.typ).Elem(), reflect.New(o.elem.typ).Elem()
	keyAt, valueAt := mem.PlaceOf(key), mem.PlaceOf(value)
	seen := d.newKeySet()
	for range n {
		key.SetZero()
		value.SetZero() // memory that the last value points to now belongs to the map
		start := i
		if i = o.key.decode(d, o.key, keyAt, i); i < 0 {
			return -1
		}
		if !key.Comparable() {
			return d.fail(start, keyError{keyType(key)})
		}
		if seen.keys != nil && seen.twice(key.Interface(), d.b[start:i]) {
			return d.fail(start, errKeyTwice)
		}
		if i = o.elem.decode(d, o.elem, valueAt, i); i < 0 {
			d.path.Field(fmt.Sprint(key))
			return -1
		}
		to.SetMapIndex(key, value)
	}
	d.depth--
	return i
}

func keyType(key reflect.Value) reflect.Type {
	if key.Kind() == reflect.Interface {
		key = key.Elem()
	}
	return key.Type()
}

// openMap reads a map's header, and allocates the map at p if it is nil.
func openMap[V any](d *Decoder, o *op, p mem.Pointer, i int) (m map[string]V, n, next int) {
	to := mem.At[map[string]V](p, 0)
	if b := d.b; uint(i) < uint(len(b)) && b[i]&0xf0 == msgpwire.Fixmap && len(b)-i > 2*15 && d.flags&limited == 0 {
		n, i = int(b[i]&0x0f), i+1 // the input contains enough bytes for any count
	} else {
		if d.isNil(i) {
			*to = nil
			return nil, 0, i + 1
		}
		if n, i = d.mapLen(i); i < 0 || !d.claim(i, n, 2) {
			return nil, 0, -1
		}
		if d.depth >= d.limits.depth {
			return nil, 0, d.tooDeep(i)
		}
	}
	if *to == nil {
		if n > 8 {
			*to = make(map[string]V, d.room(n, o.key.size+o.elem.size))
		} else {
			*to = make(map[string]V)
		}
	}
	return *to, n, i
}

// decodeMapOf returns a variant of decodeMap for maps from strings to a leaf kind.
func decodeMapOf[V any](read func(d *Decoder, i int) (V, int)) decodeFn {
	return func(d *Decoder, o *op, p mem.Pointer, i int) int {
		m, n, i := openMap[V](d, o, p, i)
		seen := d.newKeySet()
		for range n {
			key, j := d.readKeyAtHand(i)
			if j < 0 {
				if key, j = d.readKey(i); j < 0 {
					return -1
				}
			}
			if seen.keys != nil && seen.twice(key, nil) {
				return d.fail(i, errKeyTwice)
			}
			var v V
			if v, i = read(d, j); i < 0 {
				d.path.Field(key)
				return -1
			}
			m[key] = v
		}
		return i
	}
}

// decodeMapText is a variant of decodeMap for map[string]string.
func decodeMapText(d *Decoder, o *op, p mem.Pointer, i int) int {
	m, n, i := openMap[string](d, o, p, i)
	seen := d.newKeySet()
	used := keepEqual && len(m) > 0
	for range n {
		key, j := d.readKeyAtHand(i)
		if j < 0 {
			if key, j = d.readKey(i); j < 0 {
				return -1
			}
		}
		if seen.keys != nil && seen.twice(key, nil) {
			return d.fail(i, errKeyTwice)
		}
		i = j
		if b := d.b; uint(i) < uint(len(b)) && d.flags&careful == 0 {
			if n := int(b[i]) - msgpwire.Fixstr; uint(n) < 32 && n < len(b)-i {
				if i += 1 + n; used { // a reused map often contains the string already
					if s, ok := m[key]; ok && s == string(b[i-n:i]) {
						continue
					}
				}
				m[key] = d.strings.CopyAt(b, i-n, n)
				continue
			}
		}
		var v string
		if v, i = d.readString(i); i < 0 {
			d.path.Field(key)
			return -1
		}
		m[key] = v
	}
	return i
}

func readFloat64At(d *Decoder, i int) (float64, int) {
	if b := d.b; i+9 <= len(b) && b[i] == msgpwire.Float64 {
		return math.Float64frombits(wire.BE64(b, i+1)), i + 9
	}
	return d.readFloat64(i)
}

func readBoolAt(d *Decoder, i int) (bool, int) { return d.readBool(i) }

func readInt64At(d *Decoder, i int) (int64, int) { return d.readInt(i) }

func readIntAt(d *Decoder, i int) (int, int) {
	v, j := readInt(d.b, i)
	if j < 0 {
		v, j = d.readIntSlow(i, strconv.IntSize)
	}
	if j >= 0 && d.flags&strictInts != 0 && !d.fits(i, v, strconv.IntSize, true) {
		return 0, -1
	}
	return int(v), j
}
