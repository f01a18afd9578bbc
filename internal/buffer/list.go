package buffer

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Each of these structs contains a short list and its header, so that both need only one
// allocation. Lists are not allocated in slabs, because their elements may refer to memory of any
// size. With a slab, a program that keeps one list would also retain the memory of the other lists
// in the slab.
type (
	list2 struct {
		list  []any
		cells [2]any
	}
	list4 struct {
		list  []any
		cells [4]any
	}
	list8 struct {
		list  []any
		cells [8]any
	}
)

// NewList returns the same list of n nil elements twice: as a []any, and as a value of type any.
// The two results share the elements, so an element that is set later is visible in both. Elements
// that are appended later are not visible in the second result.
func NewList(n int) ([]any, any) {
	switch {
	case n == 0:
		return nil, EmptyList
	case !mem.BoxWorks() || n > 8: // for longer lists, the time of the second allocation matters less
		list := make([]any, n)
		return list, list
	case n <= 2:
		l := new(list2)
		l.list = l.cells[:n:n]
		return l.list, mem.Box(wordList, mem.PointerTo(&l.list))
	case n <= 4:
		l := new(list4)
		l.list = l.cells[:n:n]
		return l.list, mem.Box(wordList, mem.PointerTo(&l.list))
	}
	l := new(list8)
	l.list = l.cells[:n:n]
	return l.list, mem.Box(wordList, mem.PointerTo(&l.list))
}

// EmptyList contains the empty list []any{}. All empty lists share this value.
var EmptyList any = []any{}

var wordList = mem.TypeWord(reflect.TypeFor[[]any]())
