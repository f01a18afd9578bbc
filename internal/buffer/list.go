package buffer

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// A short list and its header are one allocation. Lists do not come from slabs: what they point to
// is of any size, and one that is kept would keep that of its neighbours.
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

// NewList is a list of n nils and the any that holds it. The any sees what is put into the list
// later, but not its growth.
func NewList(n int) ([]any, any) {
	switch {
	case n == 0:
		return nil, EmptyList
	case !mem.BoxWorks() || n > 8: // the larger, the less the second allocation counts
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

// EmptyList holds []any{}, of which one is as good as another.
var EmptyList any = []any{}

var wordList = mem.TypeWord(reflect.TypeFor[[]any]())
