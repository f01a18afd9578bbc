package relay

import (
	"math/bits"
	"sync"
)

// buffer is bytes that are used again. Buffers of different sizes wait in different pools:
// otherwise the smallest post would in the end have a buffer that once held the largest request.
type buffer struct{ b []byte }

const (
	leastBuffer = 4 << 10
	keptBuffer  = 8 << 20 // larger ones are left to the garbage collector
	classes     = 12      // from leastBuffer to keptBuffer, each twice as large as the one before
)

var buffers [classes]sync.Pool

// class is which pool has buffers of n bytes or more.
func class(n int) int { return bits.Len(uint(max(n, leastBuffer)-1)) - bits.Len(leastBuffer-1) }

// getBuffer is an empty buffer with room for n bytes.
func getBuffer(n int) *buffer {
	c := class(n)
	if c >= classes {
		return &buffer{make([]byte, 0, n)}
	}
	if b, ok := buffers[c].Get().(*buffer); ok {
		return b
	}
	return &buffer{make([]byte, 0, leastBuffer<<c)}
}

// free gives the buffer back. Its bytes may have grown.
func (b *buffer) free() {
	if cap(b.b) < leastBuffer || cap(b.b) > keptBuffer {
		return
	}
	c := class(cap(b.b)+1) - 1 // whose buffers have as much room as this one, or less
	scribble(b.b)
	b.b = b.b[:0]
	buffers[c].Put(b)
}
