package column

import (
	"math/bits"
	"slices"
)

// Bitmap is a set of row numbers. It contains one bit for each row, lowest bits first. Rows after
// the end of the bitmap are not in the set, so an empty Bitmap means that a column contains no
// nulls. Methods that add rows return the updated bitmap, like append.
type Bitmap []uint64

// Get reports whether bit i is set.
func (b Bitmap) Get(i int) bool {
	w := uint(i) >> 6
	return w < uint(len(b)) && b[w]>>(uint(i)&63)&1 != 0
}

// Set sets bit i.
func (b Bitmap) Set(i int) Bitmap {
	b = b.reach(i + 1)
	b[i>>6] |= 1 << (uint(i) & 63)
	return b
}

// SetRange sets each bit i with from <= i < to.
func (b Bitmap) SetRange(from, to int) Bitmap {
	if from >= to {
		return b
	}
	b = b.reach(to)
	first, last := from>>6, (to-1)>>6
	lo := ^uint64(0) << (uint(from) & 63)
	hi := ^uint64(0) >> (63 - uint(to-1)&63)
	if first == last {
		b[first] |= lo & hi
		return b
	}
	b[first] |= lo
	for w := first + 1; w < last; w++ {
		b[w] = ^uint64(0)
	}
	b[last] |= hi
	return b
}

// reach extends b so that it contains a bit for row n-1.
func (b Bitmap) reach(n int) Bitmap {
	if words := (n + 63) >> 6; words > len(b) {
		old := len(b)
		b = slices.Grow(b, words-old)[:words]
		clear(b[old:])
	}
	return b
}

// Any reports whether at least one bit is set.
func (b Bitmap) Any() bool {
	for _, w := range b {
		if w != 0 {
			return true
		}
	}
	return false
}

// Count returns the number of set bits.
func (b Bitmap) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Truncate clears bit n and all later bits.
func (b Bitmap) Truncate(n int) Bitmap {
	words := (n + 63) >> 6
	if words > len(b) {
		return b
	}
	b = b[:words]
	if n&63 != 0 {
		b[words-1] &= 1<<(uint(n)&63) - 1
	}
	return b
}
