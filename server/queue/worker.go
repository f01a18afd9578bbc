package queue

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// flight is one call of a worker: the delivery of the first items of one tenant.
type flight struct {
	tenant   *tenant
	began    time.Time
	due      time.Time   // time at which the call becomes slow
	timer    *time.Timer // fires at due; nil if the call is slow from the start
	fresh    bool        // the tenant was new and not a suspect when the call began
	doubtful bool        // the tenant was new or a suspect when the call began
	slow     bool        // the call holds a slow place
	over     bool
	weight   int64 // total weight of the flight's items
	bytes    int64 // total size of their bodies
	held     []*item
	sources  []source // the sources of held, with the same indexes
	items    []Item   // copies of held, for Deliver
	shown    []*Item  // pointers to items, the argument of Deliver
	buf      *[]byte  // bodies that were read back
}

// deliver calls Options.Deliver with the items of a flight, and applies the verdict.
func (q *Queue) deliver(f *flight) {
	defer q.working.Done()
	v := Verdict{Kind: Retry}
	unread := q.load(f)
	if v.Err = unread; unread == nil && len(f.held) > 0 {
		v = q.o.Deliver(q.ctx, f.tenant.name, f.shown)
	}
	freePayload(f.buf)
	q.mu.Lock()
	defer q.mu.Unlock()
	if f.tenant.misread++; unread == nil {
		f.tenant.misread = 0
	}
	if len(f.held) > 0 {
		f.judge(v)
		q.settle(f, v)
	}
	q.callEnded(f)
}

// takeUp assigns the first items of the tenant t to the flight f. The tenant must have items.
func (q *Queue) takeUp(t *tenant, f *flight) {
	first, n, size, weight := t.items[0], 0, int64(0), int64(0)
	most := q.o.MaxJoinItems
	if q.o.Joins != nil && !q.o.Joins(first.codec) {
		most = 1
	}
	room := min(q.o.MaxJoinBytes, int64(q.o.Workers)*q.o.MaxJoinBytes-q.flying)
	for _, it := range t.items[:min(len(t.items), most)] {
		more := it.weight()
		if n > 0 && (it.codec != first.codec || size+int64(it.size) > room || !t.window.Takes(weight+more) || first.order <= t.alone) {
			break
		}
		size += int64(it.size)
		weight += more
		n++
	}
	t.state, t.busy = busy, n
	f.tenant, f.weight, f.bytes = t, weight, size
	f.held = append(f.held, t.items[:n]...)
	for _, it := range f.held {
		f.sources = append(f.sources, pin(it))
	}
}

// maxMisread limits the consecutive failed reads of the log for a tenant. At the limit, the
// unreadable items leave the queue. The pauses between these reads grow up to longestPause. So a
// disk that fails for some minutes does not cause losses, and one bad sector does not block the
// tenant forever.
const maxMisread = 20

// load prepares the items for Deliver. Items that are no longer in the log leave the queue. After
// an error, the call must be retried later.
func (q *Queue) load(f *flight) (err error) {
	f.buf = payloads.Get().(*[]byte)
	buf := (*f.buf)[:0]
	for i, it := range f.held {
		if buf, err = q.read(&f.sources[i], it, buf); err != nil && f.tenant.misread >= maxMisread {
			f.sources[i].lost, err = err, nil
		}
		if err != nil {
			break
		}
	}
	*f.buf = buf
	q.loaded(f)

	for i, it := range f.held {
		f.items = append(f.items, Item{
			Tenant: f.tenant.name, Codec: it.codec, Note: it.note, Body: f.sources[i].body,
			Order: it.order, Time: time.UnixMicro(it.time),
		})
	}
	for i := range f.items {
		f.shown = append(f.shown, &f.items[i])
	}
	return err
}

// loaded unpins the segments of the flight, and removes the items whose bodies are no longer in the
// log.
func (q *Queue) loaded(f *flight) {
	t, n := f.tenant, 0
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, it := range f.held {
		src := f.sources[i]
		q.unpin(src)
		if src.lost != nil {
			q.leave(it, damaged)
			q.blame(damaged, t, src.lost)
			continue
		}
		f.held[n], f.sources[n] = it, src
		n++
	}
	if n == len(f.held) {
		return
	}
	q.close(t, t.busy)
	f.held, f.sources, t.busy = f.held[:n], f.sources[:n], n
	if n == 0 {
		q.goOn(t)
	}
}

// settle applies a verdict to the items of a flight and to its tenant.
func (q *Queue) settle(f *flight, v Verdict) {
	t := f.tenant
	if v.Kind != Retry {
		q.answered(t.group)
	}
	switch {
	case v.Kind == Delivered:
		q.finish(f, delivered)
		t.window.Passed(f.weight)
	case v.Kind != Retry && len(f.held) == 1:
		q.finish(f, refused)
		q.blame(refused, t, v.Err)
	case v.Kind == Refused: // delivered one by one, so that a bad item does not cause the loss of its neighbours
		t.alone = f.held[len(f.held)-1].order
	case v.Kind == TooLarge:
		t.window.Failed(f.weight)
	default:
		if v.Fewer {
			t.window.Failed(f.weight)
			if len(f.held) > 1 {
				t.pause = 0 // the next call has fewer items, so its pause starts at the minimum
			}
		}
		q.postpone(t, v)
		return
	}
	q.goOn(t)
}

// finish removes the flight's items from the queue.
func (q *Queue) finish(f *flight, why outcome) {
	t := f.tenant
	for _, it := range f.held {
		q.leave(it, why)
	}
	q.close(t, t.busy)
	t.pause, t.err = 0, nil
}

// goOn ends a tenant's call or pause. The tenant becomes ready if it has items, and idle otherwise.
func (q *Queue) goOn(t *tenant) {
	t.busy = 0
	if len(t.items) > 0 {
		q.makeReady(t)
		return
	}
	t.state = idle
	q.rest(t)
}

// postpone delays the tenant's next call by a pause.
func (q *Queue) postpone(t *tenant, v Verdict) {
	t.busy, t.state = 0, paused
	t.pause = min(max(2*t.pause, q.o.firstPause), q.o.longestPause)
	t.err = v.Err
	t.retries++
	q.retries++
	q.blame(retried, t, v.Err)
	if q.o.DropOldest {
		q.trim(t) // until now, busy items could not be dropped
	}
	jitter := q.o.Jitter(t.pause/4 + 1) // so that tenants that failed together are not retried together
	pause := max(t.pause-jitter, v.After)
	if v.Down {
		t.group.down[t] = struct{}{}
	}
	t.due = time.Now().Add(pause)
	t.timer = time.AfterFunc(pause, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(t.group.down, t)
		q.goOn(t)
		q.dispatch()
	})
}

// resumption is the maximum time between a response of the target and the end of the pauses. If the
// pauses ended immediately, a target with occasional failures would get the calls of all tenants at
// once after each recovery.
const resumption = time.Second

// answered ends the pauses of those tenants in a group that were paused because the target accepted
// no items of any tenant. It is called when the target has responded to a call.
func (q *Queue) answered(g *group) {
	// The fixed order makes simulations reproducible.
	byName := func(a, b *tenant) int { return strings.Compare(a.name, b.name) }
	for _, t := range slices.SortedFunc(maps.Keys(g.down), byName) {
		soon := q.o.Jitter(resumption)
		if time.Until(t.due) > soon && t.timer.Stop() { // otherwise the pause is about to end
			t.due = time.Now().Add(soon)
			t.timer.Reset(soon)
		}
	}
	clear(g.down)
}
