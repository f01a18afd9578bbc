package msgpack

// This file decodes maps into type any. A map with string keys, the usual case, becomes a
// map[string]any (readMap). A map whose keys all have another type K becomes a map[K]any. A map
// whose keys have several types becomes a map[any]any.

import (
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// keyError reports a map key of a type that Go cannot compare.
type keyError struct{ typ reflect.Type }

func (e keyError) Error() string {
	if e.typ == nil {
		return "msgpack: unsupported map key: nil"
	}
	return fmt.Sprintf("msgpack: unsupported map key: %v", e.typ)
}

// readUntyped reads the last n pairs of a map. They begin at i, with a key that is not a string.
// The map m contains the earlier pairs.
func (d *Decoder) readUntyped(m map[string]any, n, i int) (any, int) {
	var all anyMap
	seen := d.newKeySet()
	for k, v := range m {
		all.put(k, v)
		if seen.keys != nil {
			seen.twice(k, nil)
		}
	}
	if i = d.readPairs(&all, seen, n, i, true); i < 0 {
		return nil, -1
	}
	return all.value(), i
}

// readPairs reads n pairs into m. If `asText` is true, bin and nil keys become strings, as in a map
// that has only string keys.
func (d *Decoder) readPairs(m *anyMap, seen keySet, n, i int, asText bool) int {
	for range n {
		start := i
		var key any
		if c, ok := d.codeAt(i); ok && asText && (isTextKey(c) || d.isInterned(i)) {
			var s string
			s, i = d.readKey(i)
			key = s
		} else {
			key, i = d.readAny(i)
		}
		if i < 0 {
			return -1
		}
		if key == nil && asText || key != nil && !reflect.ValueOf(key).Comparable() {
			return d.fail(start, keyError{reflect.TypeOf(key)})
		}
		if seen.keys != nil && seen.twice(key, d.b[start:i]) {
			return d.fail(start, errKeyTwice)
		}
		var v any
		if v, i = d.readAny(i); i < 0 {
			d.path.Field(fmt.Sprint(key))
			return -1
		}
		m.put(key, v)
	}
	return i
}

// isTextKey reports whether a key with the code c counts as a string. It is true for the codes of
// str, bin and nil.
func isTextKey(c byte) bool {
	return c >= msgpwire.Fixstr && c <= msgpwire.Nil || c >= msgpwire.Bin8 && c <= msgpwire.Bin32 || c >= msgpwire.Str8 && c <= msgpwire.Str32
}

// anyMap is a map whose Go type depends on the types of its keys.
type anyMap struct {
	typed reflect.Value // a map[K]any, while all keys are of type K
	mixed map[any]any   // used as soon as the keys have several types
}

func (m *anyMap) put(key, v any) {
	switch {
	case m.mixed != nil:
		m.mixed[key] = v
		return
	case !m.typed.IsValid():
		m.typed = reflect.MakeMap(reflect.MapOf(reflect.TypeOf(key), anyType))
	case m.typed.Type().Key() != reflect.TypeOf(key):
		m.mixed = make(map[any]any, m.typed.Len()+1)
		for all := m.typed.MapRange(); all.Next(); {
			m.mixed[all.Key().Interface()] = all.Value().Interface()
		}
		m.mixed[key] = v
		return
	}
	to := reflect.ValueOf(&v).Elem() // a nil stays a value of type any
	m.typed.SetMapIndex(reflect.ValueOf(key), to)
}

func (m *anyMap) value() any {
	if m.mixed != nil {
		return m.mixed
	}
	return m.typed.Interface()
}

// DecodeUntypedMap reads a map. Its keys may have any comparable Go types. For nil, the result is
// nil.
func (d *Decoder) DecodeUntypedMap() (map[any]any, error) {
	return decodeUser(d, func(d *Decoder, i int) (map[any]any, int) {
		if d.isNil(i) {
			return nil, i + 1
		}
		n, i := d.openUntyped(i)
		if i < 0 {
			return nil, -1
		}
		m := anyMap{mixed: make(map[any]any, d.room(n, 2*entryRoom))}
		i = d.readPairs(&m, d.newKeySet(), n, i, false)
		d.depth--
		return m.mixed, i
	})
}

// DecodeTypedMap reads a map as a map[K]any, where K is the type of the first key. If a later key
// has a different type, the result is a map[any]any. For nil or an empty map, the result is nil.
func (d *Decoder) DecodeTypedMap() (any, error) {
	return decodeUser(d, func(d *Decoder, i int) (any, int) {
		if d.isNil(i) {
			return nil, i + 1
		}
		n, i := d.openUntyped(i)
		if i < 0 {
			return nil, -1
		}
		d.depth--
		if n == 0 {
			return nil, i
		}
		var m anyMap
		if i = d.readPairs(&m, d.newKeySet(), n, i, true); i < 0 {
			return nil, -1
		}
		return m.value(), i
	})
}

// openUntyped reads a map's header and enters the map.
func (d *Decoder) openUntyped(i int) (n, next int) {
	if n, i = d.mapLen(i); i < 0 || !d.claim(i, n, 2) {
		return 0, -1
	}
	if d.depth++; d.depth > d.limits.depth {
		return 0, d.tooDeep(i)
	}
	return n, i
}
