package growth

import "sync"

// bufferPool is a pool of buffers that keeps those of up to a given size.
type bufferPool struct{ pool sync.Pool }

func newPool() *bufferPool { return &bufferPool{} }

// use takes a buffer of n bytes, and puts it back if it has at most keep bytes.
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

// keep puts b into the pool, in the place of another buffer.
func (p *bufferPool) keep(b []byte) {
	last, _ := p.pool.Get().(*[]byte)
	if last == nil {
		last = new([]byte)
	}
	*last = b
	p.pool.Put(last)
}
