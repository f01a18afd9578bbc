package admission

import (
	"math/bits"
	"sync"
)

// Buffer is reusable memory. There is one pool of buffers for each size class. If there were only
// one pool, all buffers would eventually have the size of the largest body, even buffers for small
// bodies.
type Buffer struct{ B []byte }

const (
	leastBuffer = 4 << 10
	keptBuffer  = 8 << 20 // larger buffers are left to the garbage collector
	classes     = 12      // from leastBuffer to keptBuffer; sizes double from class to class
)

var buffers [classes]sync.Pool

// class returns the number of the smallest size class whose buffers have at least n bytes.
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

// Free makes the memory of b available for reuse. The caller may have replaced the slice b.B. If b
// is nil, Free does nothing.
func (b *Buffer) Free() {
	if b == nil || cap(b.B) < leastBuffer || cap(b.B) > keptBuffer {
		return
	}
	c := class(cap(b.B)+1) - 1 // number of the largest class whose buffers are not larger than this buffer
	scribble(b.B)
	b.B = b.B[:0]
	buffers[c].Put(b)
}

// The method Buffer returns an empty buffer with a capacity of at least n bytes, and charges its
// capacity. The caller must free the buffer with [Hold.Drop] or [Buffer.Free] before calling
// Release.
func (h *Hold) Buffer(n int) (*Buffer, error) {
	b := NewBuffer(n)
	if err := h.Take(int64(cap(b.B))); err != nil {
		b.Free()
		return nil, err
	}
	return b, nil
}

// Drop frees a buffer of the request, and returns its memory to the budget.
func (h *Hold) Drop(b *Buffer) {
	_ = h.Take(-int64(cap(b.B)))
	b.Free()
}

// grow moves the content of *b to a buffer with a capacity of at least n bytes. If grow returns an
// error, *b is unchanged.
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
