package growth

import "sync"

// bufferPool is a pool that keeps buffers up to a given size.
type bufferPool struct{ pool sync.Pool }

func newPool() *bufferPool { return &bufferPool{} }

// use gets a buffer of n bytes from the pool, and puts it back if its capacity is at most `keep`.
func (p *bufferPool) use(n, keep int) int {
	b, _ := p.pool.Get().(*[]byte)
	if b == nil || cap(*b) < n {
		b = new(make([]byte, n))
	}
	used := len(*b)
	if cap(*b) <= keep {
		p.pool.Put(b)
	}
	return used
}

// The method keep replaces a buffer in the pool by b.
func (p *bufferPool) keep(b []byte) {
	last, _ := p.pool.Get().(*[]byte)
	if last == nil {
		last = new([]byte)
	}
	*last = b
	p.pool.Put(last)
}
