package json

// Encoding of the most common maps if their slots cannot be read. Loops for their Go types range
// over them, without package reflect.

import (
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// mapKind distinguishes the types of these maps from all others.
type mapKind uint8

const (
	mapOther mapKind = iota
	mapOfAny
	mapOfString
)

// textPair is an entry of a map from strings to V.
type textPair[V any] struct {
	key   string
	value V
}

// putTyped writes the entries of m, a map of o's type. The kind of the map must not be mapOther.
func (e *encoder) putTyped(o *encodeOp, m mem.Raw, n int) int {
	if o.entries.kind == mapOfAny {
		return putTextPairs(e, &e.anys, *mem.RawAt[map[string]any](mem.RawTo(&m), 0), n, (*encoder).putAny)
	}
	return putTextPairs(e, &e.texts, *mem.RawAt[map[string]string](mem.RawTo(&m), 0), n, (*encoder).putString)
}

// putTextPairs writes the entries of m. It appends copies of them to list, and removes the copies
// at the end.
func putTextPairs[V any](e *encoder, list *[]textPair[V], m map[string]V, n int, put func(e *encoder, n int, v V) int) int {
	first, from := len(*list), len(e.slots)
	for k, v := range m {
		e.slots = append(e.slots, mapSlot{prefix: prefixOf(k), number: uint32(len(*list))})
		*list = append(*list, textPair[V]{k, v})
	}
	to := len(e.slots)
	if e.flags&SortMapKeys != 0 {
		slices.SortFunc(e.slots[from:], func(a, b mapSlot) int {
			switch {
			case a.prefix < b.prefix:
				return -1
			case a.prefix > b.prefix:
				return 1
			}
			return strings.Compare((*list)[a.number].key, (*list)[b.number].key)
		})
	}
	start := n
	for i := from; i < to; i++ {
		x := (*list)[e.slots[i].number]
		n = put(e, e.putText(n, x.key), x.value)
	}
	clear((*list)[first:])
	*list = (*list)[:first]
	e.slots = e.slots[:from]
	return e.closeObject(start, n)
}
