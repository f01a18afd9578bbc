package parco

import (
	"math/bits"
	"sync"
)

// Pooler is a pool of byte slices.
type Pooler interface {
	Get(size int) *[]byte
	Put(b *[]byte)
}

// Pool is an implementation of [Pooler]. This package does not use it.
type Pool struct{ bySize [poolSizes]sync.Pool } // contains values of type *[]byte, whose capacity is a power of two

const poolSizes = 17 // up to 64 KB

// MaxPoolMapSize and DefaultPoolAnySize are limits of Parco's pool. The first is the number of
// sizes with a separate pool, and the second is the length of a slice if no size is requested. This
// Pool has neither limit. The constants exist only for programs that refer to them.
const (
	MaxPoolMapSize     = 100
	DefaultPoolAnySize = 1 << 13
)

// SinglePool is a pool that the whole program shares.
var SinglePool = NewPool()

// NewPool returns an empty Pool.
func NewPool() *Pool { return new(Pool) }

// Get returns a slice whose length is at least size. The contents of the slice are undefined.
func (p *Pool) Get(size int) *[]byte {
	class := bits.Len(uint(max(size, 1) - 1))
	if class >= poolSizes {
		b := make([]byte, size)
		return &b
	}
	if b, ok := p.bySize[class].Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, 1<<class)
	return &b
}

// Put returns a slice to the pool. It drops slices that are too long, and slices with a capacity
// that Get does not return.
func (p *Pool) Put(b *[]byte) {
	class := bits.Len(uint(max(cap(*b), 1) - 1))
	if class < poolSizes && cap(*b) == 1<<class {
		*b = (*b)[:1<<class]
		p.bySize[class].Put(b)
	}
}
