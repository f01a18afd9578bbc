package ingest

import "sync/atomic"

// Budget is the memory that the requests in hand may occupy, all together.
type Budget struct {
	limit int64
	used  atomic.Int64
}

// NewBudget is a budget of limit bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Take adds n bytes to what a request holds, unless the budget would be exceeded. A request that holds all that is in use may
// exceed it: otherwise one that is larger than the budget could never be served.
func (b *Budget) Take(held *int64, n int64) bool {
	now := b.used.Add(n)
	if now > b.limit && now != *held+n {
		b.used.Add(-n)
		return false
	}
	*held += n
	return true
}

// Give returns all that a request holds.
func (b *Budget) Give(held *int64) {
	b.used.Add(-*held)
	*held = 0
}

// Used is how much is taken.
func (b *Budget) Used() int64 { return b.used.Load() }
