package json

// This file encodes maps of the most common types if the slots of maps cannot be read. A separate
// loop for each of these Go types ranges over the maps, without package reflect.

import (
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// mapKind identifies one of the map types that this file encodes. All other map types have the kind
// mapOther.
type mapKind uint8

const (
	mapOther mapKind = iota
	mapOfAny
	mapOfString
)

// textPair is an entry of a map with string keys and values of type V.
type textPair[V any] struct {
	key   string
	value V
}

// putTyped writes the entries of the map m, which has o's type. The mapKind of the type must not be
// mapOther.
func (e *encoder) putTyped(o *encodeOp, m mem.Raw, n int) int {
	if o.entries.kind == mapOfAny {
		return putTextPairs(e, &e.anys, *mem.RawAt[map[string]any](mem.RawTo(&m), 0), n, (*encoder).putAny)
	}
	return putTextPairs(e, &e.texts, *mem.RawAt[map[string]string](mem.RawTo(&m), 0), n, (*encoder).putString)
}

// putTextPairs writes the entries of m. It appends copies of the entries to `list`, and removes the
// copies at the end.
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
