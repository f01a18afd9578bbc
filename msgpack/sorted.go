package msgpack

// Maps in the order of their keys. Maps with string keys are sorted by the strings (encodeMapOf, appendAnyMap), all others by
// what their keys are encoded as.

import (
	"bytes"
	"reflect"
	"slices"
)

// entry is a pair of a map: the key as encoded for sorting, and both as they are.
type entry struct {
	text       []byte
	key, value reflect.Value
}

// appendSorted appends the pairs of m, a map of o, in the order of their encoded keys.
func (e *Encoder) appendSorted(o *op, m reflect.Value, b []byte) []byte {
	key, value := reflect.New(o.key.typ).Elem(), reflect.New(o.elem.typ).Elem()
	keyAt, valueAt := key.Addr().UnsafePointer(), value.Addr().UnsafePointer()
	for _, x := range e.sortedEntries(o, m) {
		if x.key.IsValid() {
			key.Set(x.key)
			b = o.key.encode(e, o.key, keyAt, b)
		} else {
			b = append(b, x.text...)
		}
		value.Set(x.value)
		b = o.elem.encode(e, o.elem, valueAt, b)
	}
	return b
}

// sortedEntries is the pairs of m in order. Meanwhile no string gets a number and nothing is referred to, because that has to happen
// in the order in which it is read. Where it may happen in a key, the entry has the key, to be encoded once more.
func (e *Encoder) sortedEntries(o *op, m reflect.Value) []entry {
	flags, dict, referenceMin := e.flags, e.dict, e.referenceMin
	defer func() { e.flags, e.dict, e.referenceMin = flags, dict, referenceMin }()
	e.flags, e.dict, e.referenceMin = flags&^interned, encoderDict{}, 0
	again := flags&interned != 0 || !o.key.flat

	key, value := reflect.New(o.key.typ).Elem(), reflect.New(o.elem.typ).Elem()
	keyAt, valueAt := key.Addr().UnsafePointer(), value.Addr().UnsafePointer()
	entries := make([]entry, 0, m.Len())
	var keys []byte
	for all := m.MapRange(); all.Next(); {
		key.SetIterKey(all)
		keys = o.key.encode(e, o.key, keyAt, keys[:0])
		x := entry{text: slices.Clone(keys), value: all.Value()}
		if again {
			x.key = all.Key()
		}
		entries = append(entries, x)
	}
	encoded := func(x entry) []byte {
		value.Set(x.value)
		return o.elem.encode(e, o.elem, valueAt, nil)
	}
	strings := o.key.typ.Kind() == reflect.String
	slices.SortFunc(entries, func(x, y entry) int {
		order := 0
		if strings {
			order = bytes.Compare(textOf(x.text), textOf(y.text))
		} else {
			order = bytes.Compare(x.text, y.text)
		}
		if order == 0 { // as NaN and NaN, or 1 and int8(1) when ints are compact
			order = bytes.Compare(encoded(x), encoded(y))
		}
		return order
	})
	return entries
}

// textOf is the text of an encoded str or bin; what is none stays as it is.
func textOf(key []byte) []byte {
	if start, next := readStr(key, 0); next >= 0 {
		return key[start:next]
	}
	return key
}

// sortedKeys is m's keys in order, in room that e keeps, from the mark on; forget gives the room back.
func sortedKeys[V any](e *Encoder, m map[string]V) (keys []string, mark int) {
	mark = len(e.keys)
	for k := range m {
		e.keys = append(e.keys, k)
	}
	keys = e.keys[mark:]
	slices.Sort(keys)
	return keys, mark
}

// forget drops the keys from mark on.
func (e *Encoder) forget(mark int) {
	clear(e.keys[mark:])
	e.keys = e.keys[:mark]
}
