package ingest

import "sync/atomic"

// budget is the memory that bodies may occupy, all together.
type budget struct {
	limit int64
	used  atomic.Int64
}

// take adds n bytes to what a request holds, unless the budget would be exceeded. A request that holds all that is in use may
// exceed it: otherwise one that is larger than the budget could never be served.
func (b *budget) take(held *int64, n int64) bool {
	now := b.used.Add(n)
	if now > b.limit && now != *held+n {
		b.used.Add(-n)
		return false
	}
	*held += n
	return true
}

// give returns all that a request holds.
func (b *budget) give(held *int64) {
	b.used.Add(-*held)
	*held = 0
}
