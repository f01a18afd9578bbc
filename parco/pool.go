package parco

import (
	"math/bits"
	"sync"
)

// Pooler lends slices of bytes.
type Pooler interface {
	Get(size int) *[]byte
	Put(b *[]byte)
}

// Pool is a [Pooler]. This package does not use it itself.
type Pool struct{ bySize [poolSizes]sync.Pool } // of *[]byte, whose capacity is a power of two

const poolSizes = 17 // up to 64 KB

// MaxPoolMapSize and DefaultPoolAnySize are limits of Parco's pool: the number of sizes with a
// separate pool, and the length of a slice if no size is requested. This Pool has neither limit.
// The constants exist only for programs that refer to them.
const (
	MaxPoolMapSize     = 100
	DefaultPoolAnySize = 1 << 13
)

// SinglePool is a pool for the whole program.
var SinglePool = NewPool()

// NewPool returns an empty Pool.
func NewPool() *Pool { return new(Pool) }

// Get returns a slice with a length of at least size. Its content is not defined.
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

// Put takes back a slice. It drops slices that are too long, or have a capacity that Get does not
// return.
func (p *Pool) Put(b *[]byte) {
	class := bits.Len(uint(max(cap(*b), 1) - 1))
	if class < poolSizes && cap(*b) == 1<<class {
		*b = (*b)[:1<<class]
		p.bySize[class].Put(b)
	}
}
