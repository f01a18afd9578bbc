package json

// This file encodes maps.
//
// The encoder sorts the entries of a map without copying them. It sorts a list of slot numbers
// (mem.Slots), which also contains the first bytes of each key. It compares whole keys only if
// their first bytes are equal. The list contains no pointers, so the garbage collector does not
// scan it. Keys that the encoder has written before need not even be compared (see encode_keys.go).
//
// If a user's method changes a map while the map is being written, encoding/json writes the
// original entries. So before the encoder calls a user's method, it copies the entries of each map
// that is being written (keepMaps). Most maps are written without calling any method.
//
// If the slots cannot be read, the encoder ranges over maps of the most common types
// (encode_map_typed.go). It writes all other maps with package reflect, for example maps whose keys
// are neither strings nor integers.

import (
	"bytes"
	"encoding"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// keyKind selects how the keys of a map are converted to strings.
type keyKind uint8

const (
	keyText   keyKind = iota // converted by MarshalText
	keyString                // unchanged
	keyInt                   // in decimal
	keyUint                  // unsigned, in decimal
)

// mapEntries describes how to write the entries of maps of one type.
type mapEntries struct {
	key    keyKind
	kind   mapKind
	size   uintptr // size of a key
	shape  mem.MapShape
	shaped bool // the slots can be read
	copies bool // each value is copied before it is written
}

// mapSlot is an entry of a map that is being written.
type mapSlot struct {
	prefix uint64 // the first 8 bytes of the key, as a big-endian number; a shorter key is padded with zeros
	number uint32 // number of the entry's slot
	known  uint32 // number of the entry in the key book that contains the encoded key; 0 if the book is not used
}

// openMap is a map that is being written. Writing its values may call user's methods.
type openMap struct {
	o        *encodeOp
	m        mem.Raw
	from, to int         // range of its entries in encoder.slots
	kept     []keptEntry // copies of the entries, made before a method is called
}

// keptEntry contains the addresses of the copied key and value of an entry.
type keptEntry struct{ key, value mem.Pointer }

func (s *encodePlanSet) compileMap(o *encodeOp, t reflect.Type) {
	m := &mapEntries{size: t.Key().Size()}
	switch t.Key().Kind() {
	case reflect.String:
		m.key = keyString
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		m.key = keyInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		m.key = keyUint
	default:
		if !t.Key().Implements(textMarshalerType) {
			o.encode, o.steady = encodeUnsupported, false
			return
		}
	}
	if m.key != keyString && t.Key().Implements(textMarshalerType) {
		m.key = keyText
	}
	o.kind, o.encode, o.encodeWord = stepNilable, encodeMap, encodeMapped
	o.entries = m
	o.inherit(s.compile(t.Elem(), false))
	o.steady = false
	o.calm = o.calm && m.key != keyText
	if walkMaps && m.key != keyText {
		m.shape, m.shaped = mem.ShapeOf(t)
	}
	switch kind := t.Elem().Kind(); {
	case kind == reflect.Struct || kind == reflect.Array:
		m.copies = !o.calm
	case m.key == keyString && o.elem.any:
		m.kind = mapOfAny
	case m.key == keyString && o.elem.kind == stepString:
		m.kind = mapOfString
	}
}

func encodeMap(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return encodeMapped(e, o, *mem.At[mem.Raw](p, 0), n)
}

// encodeMapped writes the map m, which has o's type.
func encodeMapped(e *encoder, o *encodeOp, m mem.Raw, n int) int {
	if m == nil {
		return e.putNull(n)
	}
	count := mapLen(m)
	switch {
	case count == 0:
		mem.Store16(e.room(n, 3), n, '{'|'}'<<8)
		return n + 2
	case o.bounded:
		return e.putEntries(o, m, count, n)
	}
	if e.depth++; e.depth > cycleDepth {
		e.open(mapValue(o.typ, m), m)
		n = e.putEntries(o, m, count, n)
		delete(e.seen, any(m))
	} else {
		n = e.putEntries(o, m, count, n)
	}
	e.depth--
	return n
}

// mapValue returns the map m of type t as a reflect.Value.
func mapValue(t reflect.Type, m mem.Raw) reflect.Value {
	return reflect.NewAt(t, mem.RawTo(&m)).Elem()
}

// mapLen returns the number of entries of a map of any type. All types of maps store this number at
// the same place, where the function `len` reads it.
func mapLen(m mem.Raw) int {
	return len(*mem.RawAt[map[int]int](mem.RawTo(&m), 0))
}

// putEntries writes the map m, which contains `count` entries, as an object.
func (e *encoder) putEntries(o *encodeOp, m mem.Raw, count, n int) int {
	if o.entries.shaped {
		if slots, ok := o.entries.shape.Open(m); ok {
			from := len(e.slots)
			e.slots = slices.Grow(e.slots, count+1)
			list := e.slots[from : from+count+1 : from+count+1]
			if to := from + e.gather(o.entries, slots, list); to > from {
				e.slots = e.slots[:to]
				if o.entries.copies {
					n = e.putCopies(o, m, slots, from, to, n)
				} else {
					n = e.putSlots(o, m, slots, from, to, n)
				}
				e.slots = e.slots[:from]
				return n
			}
		}
	}
	if o.entries.kind != mapOther {
		return e.putTyped(o, m, n)
	}
	return e.putPairs(o, mapValue(o.typ, m), n)
}

// gather stores the entries of a map in `list`, in the order of the output. The length of `list`
// must exceed the number of entries of the map by one. gather returns the number of stored entries.
// If the entries do not fit, for example because the map has changed in the meantime, it returns 0.
func (e *encoder) gather(m *mapEntries, slots mem.Slots, list []mapSlot) int {
	k := 0
	var w mem.SlotWalk
	if e.flags&SortMapKeys == 0 {
		w.Start(slots)
		for number, key := w.Next(); key != nil; number, key = w.Next() {
			if k == len(list) {
				return 0
			}
			list[k] = mapSlot{number: number}
			k++
		}
		return k
	}
	if m.key == keyString && len(list) > bookLeast && useKeyBook {
		if k := e.gatherKnown(slots, list); k > 0 {
			return k
		}
	}
	w.Start(slots)
	for number, key := w.Next(); key != nil; number, key = w.Next() {
		if k == len(list) {
			return 0
		}
		list[k] = mapSlot{prefix: m.prefix(m.shape.KeyOf(key)), number: number}
		k++
	}
	sortSlots(list[:k], slots, m)
	return k
}

// putSlots writes the entries e.slots[from:to] of the map m.
func (e *encoder) putSlots(o *encodeOp, m mem.Raw, slots mem.Slots, from, to, n int) int {
	level := -1
	if !o.calm {
		level = len(e.maps)
		e.maps = append(e.maps, openMap{o: o, m: m, from: from, to: to})
	}
	kept := e.kept
	start := n
	for i := from; i < to; i++ {
		s := e.slots[i]
		var key, value mem.Pointer
		if e.kept == kept {
			slot := slots.At(s.number)
			key, value = o.entries.shape.KeyOf(slot), o.entries.shape.ValueOf(slot)
		} else {
			key, value = e.keptAt(level, i)
		}
		if s.known != 0 {
			n = e.putKnown(n, s.known)
		} else {
			n = e.putKey(n, o.entries, key)
		}
		if o.elem.any {
			n = e.putAny(n, *mem.At[any](value, 0))
		} else {
			n = o.elem.encode(e, o.elem, value, n)
		}
	}
	if level >= 0 {
		e.maps = e.maps[:level]
	}
	return e.closeObject(start, n)
}

// closeObject ends an object. The output of its entries begins at the position `start`, and each
// entry begins with a comma.
func (e *encoder) closeObject(start, n int) int {
	n = max(n, start+1) // a map may have lost its entries since they were counted
	b := e.room(n, 2)
	mem.Store8(b, start, '{')
	mem.Store8(b, n, '}')
	return n + 1
}

// putCopies is the variant of putSlots for values that are copied before they are written.
func (e *encoder) putCopies(o *encodeOp, m mem.Raw, slots mem.Slots, from, to, n int) int {
	level := len(e.maps)
	e.maps = append(e.maps, openMap{o: o, m: m, from: from, to: to})
	kept := e.kept
	start := n
	copied := reflect.New(o.elem.typ)
	for i := from; i < to; i++ {
		var key, value mem.Pointer
		if e.kept == kept {
			slot := slots.At(e.slots[i].number)
			key, value = o.entries.shape.KeyOf(slot), o.entries.shape.ValueOf(slot)
		} else {
			key, value = e.keptAt(level, i)
		}
		n = e.putKey(n, o.entries, key)
		copied.Elem().Set(reflect.NewAt(o.elem.typ, mem.RawAs(value, o.elem.typ)).Elem())
		n = o.elem.encode(e, o.elem, mem.Of(copied.UnsafePointer(), o.elem.typ), n)
	}
	e.maps = e.maps[:level]
	return e.closeObject(start, n)
}

// keptAt returns the addresses of the copied key and value of the entry e.slots[i]. The entry
// belongs to the open map e.maps[level].
func (e *encoder) keptAt(level, i int) (key, value mem.Pointer) {
	m := &e.maps[level]
	x := m.kept[i-m.from]
	return x.key, x.value
}

// keepMaps copies the entries of the maps that are being written. It is called before each call of
// a user's method, because the method may change these maps.
func (e *encoder) keepMaps() {
	if len(e.maps) > 0 {
		e.keepOpen()
	}
}

func (e *encoder) keepOpen() {
	for i := range e.maps {
		m := &e.maps[i]
		if m.kept != nil {
			continue
		}
		e.kept++
		slots, _ := m.o.entries.shape.Open(m.m)
		count := m.to - m.from
		keys := reflect.MakeSlice(reflect.SliceOf(m.o.typ.Key()), count, count)
		values := reflect.MakeSlice(reflect.SliceOf(m.o.elem.typ), count, count)
		m.kept = make([]keptEntry, count)
		for k := range m.kept {
			slot := slots.At(e.slots[m.from+k].number)
			key, value := keys.Index(k), values.Index(k)
			key.Set(reflect.NewAt(m.o.typ.Key(), slot).Elem())
			value.Set(reflect.NewAt(m.o.elem.typ, mem.RawOf(m.o.entries.shape.ValueOf(slot))).Elem())
			m.kept[k] = keptEntry{mem.PlaceOf(key), mem.PlaceOf(value)}
		}
	}
}

// putKey writes a comma, the key at p and a colon.
func (e *encoder) putKey(n int, m *mapEntries, p mem.Pointer) int {
	if m.key == keyString {
		return e.putText(n, *mem.At[string](p, 0))
	}
	b := e.room(n, decimal.IntRoom+8)
	mem.Store16(b, n, ','|'"'<<8)
	n = m.putNumber(b, n+2, p)
	mem.Store16(b, n, '"'|':'<<8)
	return n + 2
}

// putText writes a comma, s as a key, and a colon.
func (e *encoder) putText(n int, s string) int {
	b := e.room(n, len(s)+textRoom)
	mem.Store16(b, n, ','|'"'<<8)
	n += 2
	end := -1
	if len(s) <= short {
		end = putShort(b, n, s, e.html)
	}
	if end < 0 {
		b, end = putEscaped(b, n, s, e.html)
		e.b = b
	}
	mem.Store16(b, end, '"'|':'<<8)
	return end + 2
}

// prefix converts the key at p to a string, and returns the first 8 bytes of the string as a
// big-endian number.
func (m *mapEntries) prefix(p mem.Pointer) uint64 {
	if m.key == keyString {
		return prefixOf(*mem.At[string](p, 0))
	}
	var text [decimal.IntRoom]byte
	n := m.putNumber(text[:], 0, p)
	clear(text[n:])
	return bits.ReverseBytes64(mem.Load64(text[:], 0))
}

// prefixOf returns the first 8 bytes of s as a big-endian number.
func prefixOf(s string) uint64 {
	return bits.ReverseBytes64(firstWord(s))
}

// firstWord returns the first 8 bytes of s as a little-endian number. If s is shorter, it is padded
// with zeros.
func firstWord(s string) uint64 {
	b, n := mem.Bytes(s), len(s)
	switch {
	case n >= 8:
		return mem.Load64(b, 0)
	case n >= 4:
		return uint64(mem.Load32(b, 0)) | uint64(mem.Load32(b, n-4))<<(8*(n-4)&63)
	case n > 0:
		return uint64(mem.Load8(b, 0)) | uint64(mem.Load8(b, n>>1))<<(8*(n>>1)&63) | uint64(mem.Load8(b, n-1))<<(8*(n-1)&63)
	}
	return 0
}

// putNumber writes the number at p to b[n:], and returns the position after the number. At least
// decimal.IntRoom bytes must be free in b[n:].
func (m *mapEntries) putNumber(b []byte, n int, p mem.Pointer) int {
	if m.key == keyInt {
		var v int64
		switch m.size {
		case 8:
			v = *mem.At[int64](p, 0)
		case 4:
			v = int64(*mem.At[int32](p, 0))
		case 2:
			v = int64(*mem.At[int16](p, 0))
		default:
			v = int64(*mem.At[int8](p, 0))
		}
		return putInt(b, n, v)
	}
	var v uint64
	switch m.size {
	case 8:
		v = *mem.At[uint64](p, 0)
	case 4:
		v = uint64(*mem.At[uint32](p, 0))
	case 2:
		v = uint64(*mem.At[uint16](p, 0))
	default:
		v = uint64(*mem.At[uint8](p, 0))
	}
	return decimal.PutUint(b, n, v)
}

// compare compares the keys in the slots a and b as strings. The prefixes of the keys must be
// equal.
func (m *mapEntries) compare(a, b mem.Raw) int {
	p, q := m.shape.KeyOf(a), m.shape.KeyOf(b)
	if m.key == keyString {
		return strings.Compare(*mem.At[string](p, 0), *mem.At[string](q, 0))
	}
	var one, other [decimal.IntRoom]byte
	return bytes.Compare(one[:m.putNumber(one[:], 0, p)], other[:m.putNumber(other[:], 0, q)])
}

// sortSlots sorts the slots in list by their keys.
func sortSlots(list []mapSlot, slots mem.Slots, m *mapEntries) {
	if len(list) > 12 {
		slices.SortFunc(list, func(a, b mapSlot) int {
			switch {
			case a.prefix < b.prefix:
				return -1
			case a.prefix > b.prefix:
				return 1
			}
			return m.compare(slots.At(a.number), slots.At(b.number))
		})
		return
	}
	for i := 1; i < len(list); i++ {
		s := list[i]
		j := i
		for ; j > 0; j-- {
			t := list[j-1]
			if t.prefix < s.prefix || t.prefix == s.prefix && m.compare(slots.At(t.number), slots.At(s.number)) <= 0 {
				break
			}
			list[j] = t
		}
		list[j] = s
	}
}

// mapPair is an entry of a map that is read with package reflect.
type mapPair struct {
	key   string
	value reflect.Value
}

// putPairs writes the entries of m. It reads them with package reflect.
func (e *encoder) putPairs(o *encodeOp, m reflect.Value, n int) int {
	pairs := make([]mapPair, 0, m.Len())
	for all := m.MapRange(); all.Next(); {
		key, err := e.keyOf(all.Key(), o.entries)
		if err != nil {
			e.fail(fmt.Errorf("json: encoding error for type %q: %q", o.typ.String(), err.Error()))
		}
		pairs = append(pairs, mapPair{key, all.Value()})
	}
	if e.flags&SortMapKeys != 0 {
		slices.SortFunc(pairs, func(a, b mapPair) int { return strings.Compare(a.key, b.key) })
	}
	value := reflect.New(o.elem.typ)
	start := n
	for i := range pairs {
		n = e.putText(n, pairs[i].key)
		value.Elem().Set(pairs[i].value)
		n = o.elem.encode(e, o.elem, mem.Of(value.UnsafePointer(), o.elem.typ), n)
	}
	return e.closeObject(start, n)
}

// keyOf returns the map key k, converted to a string.
func (e *encoder) keyOf(k reflect.Value, m *mapEntries) (string, error) {
	switch m.key {
	case keyString:
		return k.String(), nil
	case keyInt:
		return strconv.FormatInt(k.Int(), 10), nil
	case keyUint:
		return strconv.FormatUint(k.Uint(), 10), nil
	}
	if k.Kind() == reflect.Pointer && k.IsNil() {
		return "", nil
	}
	text, ok := k.Interface().(encoding.TextMarshaler)
	if !ok {
		panic("unexpected map key type") // a nil interface; the text is encoding/json's
	}
	e.keepMaps()
	out, err := text.MarshalText()
	return string(out), err
}
