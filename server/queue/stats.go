package queue

import (
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// outcome is the way in which an item leaves the queue.
type outcome int

const (
	delivered outcome = iota
	refused
	tooOld
	tooMany
	damaged
	outcomes // number of outcomes

	retried = outcomes // not an outcome; used only for blame
)

// Count is the number of some items, with the sum of the counts in the [Item.Note] of each item.
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

// Dropped contains the counts of items that the queue dropped for a reason other than a refusal by
// Deliver.
type Dropped struct {
	Age    Count // dropped because of MaxAge
	Bytes  Count // dropped to make room for new items
	Damage Count // dropped because the log could not read them
}

// Stats contains counters since the queue was opened, and its current state. At any moment, Taken
// is the sum of Items, Delivered, Refused and Dropped.
type Stats struct {
	Items   int
	Bytes   int64         // as counted for the limits, including items on their way to the disk
	Memory  int64         // bytes of bodies in memory
	Oldest  time.Duration // how long the oldest item has waited
	Tenants int           // tenants with items

	Taken     Count // accepted by Put, or found in the log by Open
	Delivered Count
	Refused   Count
	Dropped   Dropped
	Retries   int64 // deliveries that ended with Retry
	Rewritten int64 // bytes that were written again to release segments
	Live      int64 // bytes of the log that are still needed
	Log       wal.Stats
	Salvaged  wal.Salvaged // damage found in the log by Open
}

// TenantStats contains the counters of one tenant. The queue remembers tenants with items, and
// about a thousand tenants without items. If the queue forgets a tenant, the counters of this
// tenant start again at 0.
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
	Err       error         // error of that delivery
}

// Stats returns a consistent snapshot, except for the field Log.
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

// Tenants yields the known tenants with their counters at the time of the call.
func (q *Queue) Tenants(yield func(TenantStats) bool) {
	for _, st := range q.tenantStats() {
		if !yield(st) {
			return
		}
	}
}

// Shortage returns the reason why the queue accepts no items of any tenant, without file paths. It
// returns an empty string if the queue accepts items.
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
