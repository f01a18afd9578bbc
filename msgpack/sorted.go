package msgpack

// This file encodes maps in the order of their keys. Maps with string keys are sorted by these
// strings (encodeMapOf, appendAnyMap). All other maps are sorted by their encoded keys.

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// entry is a key-value pair of a map, together with the encoded key.
type entry struct {
	text       []byte
	key, value reflect.Value
}

// appendSorted appends the pairs of the map m in the order of their encoded keys. The op of m is o.
// A separate Encoder encodes the keys and values that are compared, because interned strings must
// join the dict of e in the order in which they are written.
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
		if order == 0 { // for example two NaNs, or 1 and int8(1) if ints are compact
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

// textOf returns the text of an encoded str or bin. It returns a key of another kind unchanged.
func textOf(key []byte) []byte {
	if start, next := readStr(key, 0); next >= 0 {
		return key[start:next]
	}
	return key
}

// sortedKeys returns the sorted keys of m. The keys are stored in e.keys, from the index `mark` on,
// until forget(mark) is called.
func sortedKeys[V any](e *Encoder, m map[string]V) (keys []string, mark int) {
	mark = len(e.keys)
	for k := range m {
		e.keys = append(e.keys, k)
	}
	keys = e.keys[mark:]
	slices.Sort(keys)
	return keys, mark
}

// forget truncates e.keys to the length `mark`.
func (e *Encoder) forget(mark int) {
	clear(e.keys[mark:])
	if mark == 0 && cap(e.keys) > keysMax && e.most.TooLarge(len(e.keys), cap(e.keys), keysMax) {
		e.keys = nil
		return
	}
	e.keys = e.keys[:mark]
}
