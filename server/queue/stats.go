package queue

import (
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// outcome is how an item ends.
type outcome int

const (
	delivered outcome = iota
	refused
	tooOld
	tooMany
	damaged
	outcomes // how many there are

	retried = outcomes // stands for no outcome: in blame only
)

// Count is a number of items, and the sums of their notes.
type Count struct {
	Items int64
	Notes [4]uint64
}

func (c *Count) add(it *item) {
	c.Items++
	for i, n := range it.note {
		c.Notes[i] += uint64(n)
	}
}

// Dropped counts items that were dropped without a refusal.
type Dropped struct {
	Age    Count // by MaxAge
	Bytes  Count // to make room for new ones
	Damage Count // the log did not give them back
}

// Stats are counters since the queue was opened, and its current state. At any moment Taken is the
// sum of Items, Delivered, Refused and Dropped.
type Stats struct {
	Items   int
	Bytes   int64         // as the bounds have it, with items that are on their way to the disk
	Memory  int64         // bodies that are in memory
	Oldest  time.Duration // how long the oldest item has waited
	Tenants int           // that have items

	Taken     Count // by Put, or found in the log by Open
	Delivered Count
	Refused   Count
	Dropped   Dropped
	Retries   int64 // deliveries that ended with Retry
	Rewritten int64 // bytes that were written again so that segments could be released
	Live      int64 // bytes of the log that are needed
	Log       wal.Stats
	Salvaged  wal.Salvaged // what of the log was damaged when it was opened
}

// TenantStats are the counters of one tenant, since it was last forgotten. The queue remembers
// tenants with items, and about a thousand of those without.
type TenantStats struct {
	Tenant string
	Items  int
	Bytes  int64
	Oldest time.Duration

	Delivered Count
	Refused   Count
	Dropped   Dropped
	Retries   int64
	Pause     time.Duration // 0 unless the last delivery ended with Retry
	Err       error         // of that
}

// Stats returns a consistent snapshot, except for Log.
func (q *Queue) Stats() Stats {
	log, salvaged, now := q.log.Stats(), q.log.Salvaged(), time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	st := Stats{
		Items: q.items, Bytes: q.bytes, Memory: q.memory,
		Taken: q.taken, Delivered: q.counts[delivered], Refused: q.counts[refused], Dropped: droppedOf(&q.counts),
		Retries: q.retries, Rewritten: q.rewritten, Live: q.live, Log: log, Salvaged: salvaged,
	}
	for _, t := range q.tenants {
		if len(t.items) > 0 {
			st.Tenants++
			st.Oldest = max(st.Oldest, t.waited(now))
		}
	}
	return st
}

// Tenants yields the known tenants, in their state when it was called.
func (q *Queue) Tenants(yield func(TenantStats) bool) {
	for _, st := range q.tenantStats() {
		if !yield(st) {
			return
		}
	}
}

// Shortage returns the reason why the queue accepts no items, for any tenant, without paths, or an
// empty string.
func (q *Queue) Shortage() string {
	st := q.log.Stats()
	return st.Shortage()
}

func (q *Queue) tenantStats() []TenantStats {
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make([]TenantStats, 0, len(q.tenants))
	for _, t := range q.tenants {
		all = append(all, TenantStats{
			Tenant: t.name, Items: len(t.items), Bytes: t.bytes, Oldest: t.waited(now),
			Delivered: t.counts[delivered], Refused: t.counts[refused], Dropped: droppedOf(&t.counts),
			Retries: t.retries, Pause: t.pause, Err: t.err,
		})
	}
	return all
}

func droppedOf(counts *[outcomes]Count) Dropped {
	return Dropped{Age: counts[tooOld], Bytes: counts[tooMany], Damage: counts[damaged]}
}
