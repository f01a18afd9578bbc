package queue

import (
	"container/list"
	"strings"
	"time"
)

// state is the state of a tenant.
//
//	      an item comes              a worker takes it up
//	idle ───────────────▶ ready ◀──────────────────────────▶ busy
//	 ▲                      ▲       delivered, more wait      │ │
//	 │                      └──────────── paused ◀────────────┘ │
//	 │                        time is up           Retry        │
//	 └──────────────────────────────────────────────────────────┘
//	                        nothing is left
type state uint8

const (
	idle   state = iota // no items
	ready               // waits in the schedule for a call
	busy                // a worker is delivering its first items
	paused              // waits until its timer makes it ready
)

// group contains the state that the tenants of a group share.
type group struct {
	bytes int64
	down  map[*tenant]struct{} // tenants that are paused because their target currently accepts no items of any tenant
}

// tenant is a tenant with its line of items.
type tenant struct {
	name    string
	group   *group
	state   state
	suspect bool    // its last call was slow and failed; see schedule
	proven  bool    // one of its calls was quick and did not fail, so the tenant is not new
	items   []*item // sorted by order, oldest first; 0 ≤ busy ≤ len(items)
	busy    int     // number of items at the front that a worker is delivering
	coming  int     // items on their way to the disk
	bytes   int64   // cost of items, including items on their way to the disk
	last    uint64  // order of the newest item so far
	window  Window  // limits the weight of calls with several items
	alone   uint64  // items up to this order are delivered one by one, because they were refused together
	misread int     // number of consecutive calls for which the log could not be read

	timer   *time.Timer   // ends the latest pause
	due     time.Time     // end of the latest pause
	pause   time.Duration // length of the pause before the latest retry; 0 after a success
	err     error         // error of the call before that retry
	retries int64
	counts  [outcomes]Count

	idle *list.Element // element of Queue.idle, while the tenant has no items
}

// keptIdle is the number of tenants without items whose counters the queue remembers.
const keptIdle = 1024

// tenantOf returns the tenant with the given name, and creates it if needed.
func (q *Queue) tenantOf(name string) *tenant {
	t := q.tenants[name]
	if t == nil {
		t = &tenant{name: strings.Clone(name), group: q.groupOf(name), window: NewWindow(q.o.MaxJoinWeight)}
		q.tenants[t.name] = t
	}
	return t
}

// groupOf returns the group of a tenant, and creates it if needed.
func (q *Queue) groupOf(of string) *group {
	name := ""
	if q.o.Group != nil {
		name = q.o.Group(of)
	}
	g := q.groups[name]
	if g == nil {
		g = &group{down: make(map[*tenant]struct{})}
		q.groups[strings.Clone(name)] = g
	}
	return g
}

// hold adds `bytes`, which may be negative, to the sums of the tenant, its group and the queue.
func (q *Queue) hold(t *tenant, bytes int64) {
	t.bytes += bytes
	t.group.bytes += bytes
	q.bytes += bytes
}

// rest adds a tenant to the idle tenants, if the tenant has no items and is not in use. If there
// are too many idle tenants, the queue forgets the oldest.
func (q *Queue) rest(t *tenant) {
	if len(t.items) > 0 || t.coming > 0 || t.state != idle || t.idle != nil {
		return
	}
	t.items = nil
	t.idle = q.idle.PushBack(t)
	if q.idle.Len() > keptIdle {
		oldest := q.idle.Remove(q.idle.Front()).(*tenant)
		delete(q.tenants, oldest.name)
	}
}

// rouse removes a tenant from the idle tenants.
func (q *Queue) rouse(t *tenant) {
	if t.idle != nil {
		q.idle.Remove(t.idle)
		t.idle = nil
	}
}

// enter adds an item that is on disk to the end of its tenant's line.
func (q *Queue) enter(it *item) {
	t := it.tenant
	t.items = append(t.items, it)
	t.last = it.order
	q.items++
	q.taken.add(it)
	if t.state == idle {
		q.makeReady(t)
	}
}

// leave marks an item as gone, and counts its outcome. The item remains in its tenant's line until
// the method `close` removes it.
func (q *Queue) leave(it *item, why outcome) {
	t := it.tenant
	it.gone = true
	q.displace(it)
	q.memory -= int64(len(it.body))
	it.body = nil
	q.hold(t, -it.cost())
	q.items--
	t.counts[why].add(it)
	q.counts[why].add(it)
}

// close removes the items that are marked as gone among the first n items of the tenant's line, and
// calls markDone.
func (q *Queue) close(t *tenant, n int) {
	kept := n
	for i := n - 1; i >= 0; i-- {
		if it := t.items[i]; !it.gone {
			kept--
			t.items[kept] = it
		}
	}
	clear(t.items[:kept])
	t.items = t.items[kept:]
	q.markDone(t)
}

// drop drops the n oldest items of t that no worker is delivering.
func (q *Queue) drop(t *tenant, n int, why outcome) {
	for _, it := range t.items[t.busy:][:n] {
		q.leave(it, why)
	}
	q.close(t, t.busy+n)
}

// trim drops the oldest items of t while a limit is exceeded. It keeps the newest item.
func (q *Queue) trim(t *tenant) {
	n, bytes := 0, int64(0)
	for t.busy+n < len(t.items)-1 && (q.over(q.bytes-bytes, t.limit(q.o.MaxBytes)) || q.over(t.group.bytes-bytes, t.limit(q.o.MaxGroupBytes)) || q.over(t.bytes-bytes, q.o.MaxTenantBytes)) {
		bytes += t.items[t.busy+n].cost()
		n++
	}
	if n > 0 {
		q.drop(t, n, tooMany)
		q.blame(tooMany, t, nil)
	}
}

func (q *Queue) over(held, limit int64) bool { return limit > 0 && held > limit }

// markDone records the tenant's progress for the next progress note. The progress is the order up
// to which all the tenant's items are complete.
func (q *Queue) markDone(t *tenant) {
	to := t.last
	if len(t.items) > 0 {
		to = t.items[0].order - 1
	}
	q.unnoted[t.name] = max(q.unnoted[t.name], to)
}

func (t *tenant) waited(now time.Time) time.Duration {
	if len(t.items) == 0 {
		return 0
	}
	return max(0, now.Sub(time.UnixMicro(t.items[0].time)))
}
