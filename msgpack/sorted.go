package msgpack

// Maps in the order of their keys. Maps with string keys are sorted by the strings (encodeMapOf,
// appendAnyMap), all others by what their keys are encoded as.

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// entry is a pair of a map, and the key as encoded.
type entry struct {
	text       []byte
	key, value reflect.Value
}

// appendSorted appends the pairs of m, a map of o, in the order of their encoded keys. What is
// compared is encoded by an Encoder of its own: interned strings join the dict of e when they are
// written, in that order.
func (e *Encoder) appendSorted(o *op, m reflect.Value, b []byte) []byte {
	aside := e.aside()
	aside.flags &^= interned
	key, value := reflect.New(o.key.typ).Elem(), reflect.New(o.elem.typ).Elem()
	keyAt, valueAt := mem.PlaceOf(key), mem.PlaceOf(value)
	entries := make([]entry, 0, m.Len())
	for all := m.MapRange(); all.Next(); {
		x := entry{key: all.Key(), value: all.Value()}
		key.Set(x.key)
		x.text = o.key.encode(aside, o.key, keyAt, nil)
		entries = append(entries, x)
	}
	valueOf := func(x entry) []byte {
		value.Set(x.value)
		return o.elem.encode(aside, o.elem, valueAt, nil)
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
			order = bytes.Compare(valueOf(x), valueOf(y))
		}
		return order
	})
	if e.err == nil {
		e.err = aside.err
	}
	aside.release()
	for _, x := range entries {
		key.Set(x.key)
		value.Set(x.value)
		b = o.elem.encode(e, o.elem, valueAt, o.key.encode(e, o.key, keyAt, b))
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

// sortedKeys is m's keys in order, in room that e keeps, from the mark on; forget gives the room
// back.
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
	if mark == 0 && cap(e.keys) > keysMax && e.most.TooLarge(len(e.keys), cap(e.keys), keysMax) {
		e.keys = nil
		return
	}
	e.keys = e.keys[:mark]
}
