package queue

import (
	"container/list"
	"strings"
	"time"
)

// state is what is going on with a tenant.
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
	ready               // in Queue.ready
	busy                // with a worker
	paused              // until its timer makes it ready
)

// group is what some tenants have together.
type group struct {
	bytes int64
	down  map[*tenant]struct{} // paused since their target takes nobody's items
}

// tenant is a line of items.
type tenant struct {
	name    string
	group   *group
	state   state
	suspect bool    // its target hangs for it; see schedule
	proven  bool    // a call was quick, and did not fail: it is not new
	items   []*item // by order, oldest first; 0 ≤ busy ≤ len(items)
	busy    int     // how many of the first are with a worker
	coming  int     // items on their way to the disk
	bytes   int64   // cost of items, and of those that are coming
	last    uint64  // order of the newest item there ever was
	window  Window  // of calls with several items
	alone   uint64  // items up to this order are delivered one by one: joined, they were refused
	misread int     // how many times in a row the log could not be read for a call

	timer   *time.Timer   // ends the latest pause
	due     time.Time     // when that is
	pause   time.Duration // before the latest retry; 0 after a success
	err     error         // of that
	retries int64
	counts  [outcomes]Count

	idle *list.Element // in Queue.idle, while it has no items
}

// keptIdle is how many tenants without items are remembered, for their counters.
const keptIdle = 1024

// tenantOf finds or makes the tenant of that name.
func (q *Queue) tenantOf(name string) *tenant {
	t := q.tenants[name]
	if t == nil {
		t = &tenant{name: strings.Clone(name), group: q.groupOf(name), window: NewWindow(q.o.MaxJoinWeight)}
		q.tenants[t.name] = t
	}
	return t
}

// groupOf finds or makes the group of a tenant.
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

// hold counts bytes of the tenant's items, or with a negative number that they are gone.
func (q *Queue) hold(t *tenant, bytes int64) {
	t.bytes += bytes
	t.group.bytes += bytes
	q.bytes += bytes
}

// rest has a tenant without items remembered for a while, unless it is in use.
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

// rouse ends a tenant's rest.
func (q *Queue) rouse(t *tenant) {
	if t.idle != nil {
		q.idle.Remove(t.idle)
		t.idle = nil
	}
}

// enter puts an item that is on disk at the end of its tenant's line.
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

// leave books the outcome of an item. Its tenant's line still has it; see close.
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

// close takes those of the first n items that are gone out of the tenant's line. What is done with
// is to be noted.
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

// drop drops n items of t, the oldest that are not with a worker.
func (q *Queue) drop(t *tenant, n int, why outcome) {
	for _, it := range t.items[t.busy:][:n] {
		q.leave(it, why)
	}
	q.close(t, t.busy+n)
}

// trim drops the oldest items of t while a bound is exceeded, but not the newest one.
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

// markDone has it noted how far the tenant has come: all its items up to that order are done with.
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
