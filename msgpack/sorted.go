package msgpack

// Maps in the order of their keys. Maps with string keys are sorted by the strings (encodeMapOf, appendAnyMap), all others by
// what their keys are encoded as.

import (
	"bytes"
	"reflect"
	"slices"
)

// entry is a pair of a map: the key as encoded, the value as it is.
type entry struct {
	key   []byte
	value reflect.Value
}

// appendSorted appends the pairs of m, a map of o, in the order of their encoded keys.
func (e *Encoder) appendSorted(o *op, m reflect.Value, b []byte) []byte {
	entries := make([]entry, 0, m.Len())
	var keys []byte
	key := reflect.New(o.key.typ).Elem()
	keyAt := key.Addr().UnsafePointer()
	for all := m.MapRange(); all.Next(); {
		key.SetIterKey(all)
		start := len(keys)
		keys = o.key.encode(e, o.key, keyAt, keys)
		entries = append(entries, entry{slices.Clone(keys[start:]), all.Value()})
		keys = keys[:start]
	}
	value := reflect.New(o.elem.typ).Elem()
	valueAt := value.Addr().UnsafePointer()
	pair := func(x entry, b []byte) []byte {
		value.Set(x.value)
		return o.elem.encode(e, o.elem, valueAt, append(b, x.key...))
	}
	strings := o.key.typ.Kind() == reflect.String
	slices.SortFunc(entries, func(x, y entry) int {
		order := 0
		if strings {
			order = bytes.Compare(textOf(x.key), textOf(y.key))
		} else {
			order = bytes.Compare(x.key, y.key)
		}
		if order == 0 { // as NaN and NaN, or 1 and int8(1) when ints are compact
			order = bytes.Compare(pair(x, nil), pair(y, nil))
		}
		return order
	})
	for _, x := range entries {
		b = pair(x, b)
	}
	return b
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
