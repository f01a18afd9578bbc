package admission

import (
	"math/bits"
	"sync"
)

// Buffer is reusable memory. There is one pool per size class. With a single pool, the smallest
// post would eventually get a buffer that once held the largest request.
type Buffer struct{ B []byte }

const (
	leastBuffer = 4 << 10
	keptBuffer  = 8 << 20 // larger buffers are left to the garbage collector
	classes     = 12      // from leastBuffer to keptBuffer; sizes double from class to class
)

var buffers [classes]sync.Pool

// class returns the number of the pool whose buffers have at least n bytes.
func class(n int) int { return bits.Len(uint(max(n, leastBuffer)-1)) - bits.Len(leastBuffer-1) }

// NewBuffer returns an empty buffer with a capacity of at least n bytes. No budget is charged.
func NewBuffer(n int) *Buffer {
	c := class(n)
	if c >= classes {
		return &Buffer{make([]byte, 0, n)}
	}
	if b, ok := buffers[c].Get().(*Buffer); ok {
		return b
	}
	return &Buffer{make([]byte, 0, leastBuffer<<c)}
}

// Free makes the memory of b available for other buffers. The caller may have replaced the slice B.
// A nil b is ignored.
func (b *Buffer) Free() {
	if b == nil || cap(b.B) < leastBuffer || cap(b.B) > keptBuffer {
		return
	}
	c := class(cap(b.B)+1) - 1 // whose buffers have the same capacity as this one, or less
	scribble(b.B)
	b.B = b.B[:0]
	buffers[c].Put(b)
}

// Buffer returns an empty buffer with a capacity of at least n bytes, and charges the whole
// capacity. Before Release, the caller must free the buffer with Drop or with [Buffer.Free].
func (h *Hold) Buffer(n int) (*Buffer, error) {
	b := NewBuffer(n)
	if err := h.Take(int64(cap(b.B))); err != nil {
		b.Free()
		return nil, err
	}
	return b, nil
}

// Drop frees a buffer of the request, and returns its bytes to the budget.
func (h *Hold) Drop(b *Buffer) {
	h.Take(-int64(cap(b.B)))
	b.Free()
}

// grow moves b to a buffer with a capacity of at least n bytes. If it returns an error, b is
// unchanged.
func (h *Hold) grow(b **Buffer, n int) error {
	more := NewBuffer(n)
	if err := h.Take(int64(cap(more.B) - cap((*b).B))); err != nil {
		more.Free()
		return err
	}
	more.B = append(more.B, (*b).B...)
	(*b).Free()
	*b = more
	return nil
}
