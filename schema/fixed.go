package schema

import "reflect"

// Fixed returns a type for slices of exactly n elements. Like an [Array], it is encoded without a
// header. If a slice has more or fewer elements, writing it returns [ErrLength].
func Fixed[E any](n int, e Type[E]) Type[[]E] {
	t := node{kind: kindArray, slice: true, count: n}
	if n < 0 || times(int(reflect.TypeFor[E]().Size()), n) > maxFixedSize {
		t.wrong("Fixed takes no negative number of elements, and no more than 1 GB")
		t.count = 0
	}
	t.elem = part(&t, e)
	t.newElems = newElems[E]
	return composite[[]E](t)
}

// maxFixedSize is the maximum size of a Fixed slice in memory, in bytes. Without this limit, a
// schema could make a reader allocate much memory, even for a short input.
const maxFixedSize = 1 << 30
