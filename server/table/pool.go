package table

import (
	"sync"

	"github.com/slipstream-go/slipstream/column"
)

// Pool is a list of empty batches for reuse. It has a maximum size in bytes. Get returns the batch
// that was put in last, because its memory may still be in the processor's cache.
type Pool struct {
	mu   sync.Mutex
	free []*column.Batch
	held int // the sum of the batches' footprints
	max  int
}

// NewPool returns a pool that keeps at most max bytes of memory.
func NewPool(max int) *Pool { return &Pool{max: max} }

// oversized limits the size of a single batch in the pool. The maximum is the size of the pool
// divided by oversized. Larger batches are left to the garbage collector.
const oversized = 8

// Get returns an empty batch.
func (p *Pool) Get() *column.Batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return new(column.Batch)
	}
	b := p.free[n-1]
	p.free[n-1] = nil
	p.free = p.free[:n-1]
	p.held -= b.Footprint()
	return b
}

// Put adds a batch. The caller must not use the batch or its columns afterwards.
func (p *Pool) Put(b *column.Batch) {
	b.Reset()
	b.MaxRows, b.MaxColumns, b.MaxCells = 0, 0, 0
	size := b.Footprint()
	p.mu.Lock()
	defer p.mu.Unlock()
	if size > p.max/oversized || size > p.max-p.held {
		return
	}
	p.free = append(p.free, b)
	p.held += size
}
