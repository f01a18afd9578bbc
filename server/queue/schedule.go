package queue

import (
	"slices"
	"time"
)

// schedule decides whose call is next. A target that hangs for some tenants must not delay the
// others, so a call holds one of Workers places only until it is slow; then it holds one of MaxSlow
// places. A tenant whose last call was slow and failed is a suspect: its next call is slow from the
// start. A tenant none of whose calls has been quick and ended otherwise is new: new ones get half
// of Workers, and three quarters as long as there are slow places that they can move to. All these
// are doubtful, and get at most half of the slow places together, so names that somebody makes up
// without end take no more. Among tenants of one kind, the one that has waited longest comes first.
//
//	             ┌─────────┐  place among Workers      ┌───────┐  takes longer than slowAfter
//	tenant ─────▶│  ready  │──────────────────────────▶│ quick │──────────────┐
//	   │         └─────────┘                           └───────┘              │
//	   │         ┌─────────┐  half of Workers, or more ┌───────┐              ▼
//	   ├────────▶│   new   │──────────────────────────▶│ quick │─────────▶┌──────┐
//	   │         └─────────┘                           └───────┘          │ slow │
//	   │         ┌─────────┐  place among MaxSlow/2                       └──────┘
//	   └────────▶│suspects │─────────────────────────────────────────────────▲
//	             └─────────┘
type schedule struct {
	ready    line // tenants that are neither new nor suspects
	fresh    line // new ones
	suspects line

	quick      int   // calls under way that are not slow
	quickFresh int   // of these, calls for new tenants
	slow       int   // all others
	doubtful   int   // slow calls for suspects and new tenants
	flying     int64 // bytes of the bodies of all calls

	// Calls that hold places among Workers: those that are not slow yet, in the order in which they
	// began, and those that are, and wait for a slow place. Of calls that are slow at the same
	// moment the first one in the line comes first, whichever timer does.
	timed   []*flight
	overdue []*flight
}

// slowAfter is the time after which a call is slow.
const slowAfter = 50 * time.Millisecond

// line is a queue of tenants.
type line []*tenant

// take removes the first tenant, or returns nil.
func (l *line) take() *tenant {
	if len(*l) == 0 {
		return nil
	}
	t := (*l)[0]
	(*l)[0] = nil
	*l = (*l)[1:]
	return t
}

// makeReady puts the tenant in line for a call.
func (q *Queue) makeReady(t *tenant) {
	t.state = ready
	switch {
	case t.suspect:
		q.suspects = append(q.suspects, t)
	case !t.proven:
		q.fresh = append(q.fresh, t)
	default:
		q.ready = append(q.ready, t)
	}
}

// dispatch begins the calls for which there are tenants and places. The caller holds the lock.
func (q *Queue) dispatch() {
	q.moveOverdue()
	q.callAll(&q.fresh, func() bool { return q.quick < q.o.Workers && q.quickFresh < max(q.o.Workers/2, 1) })
	q.callAll(&q.ready, func() bool { return q.quick < q.o.Workers })
	q.callAll(&q.fresh, func() bool { return q.quickFresh < q.o.Workers*3/4 && q.quick < q.o.Workers && q.spareDoubtful() })
	q.callAll(&q.suspects, func() bool { return q.slow < q.o.MaxSlow && q.spareDoubtful() })
}

// callAll begins calls for the tenants of a line as long as there are places.
func (q *Queue) callAll(l *line, places func() bool) {
	for !q.closed && places() {
		t := l.take()
		if t == nil {
			break
		}
		q.call(t)
	}
}

// mostDoubtful bounds the slow calls for suspects and new tenants.
func (q *Queue) mostDoubtful() int { return max(q.o.MaxSlow/2, 1) }

// spareDoubtful reports whether there is a slow place for one more of them, if all quick calls for
// new tenants turn out slow.
func (q *Queue) spareDoubtful() bool { return q.doubtful+q.quickFresh < q.mostDoubtful() }

// call begins a call for a tenant whose turn it is.
func (q *Queue) call(t *tenant) {
	if len(t.items) == 0 { // they were dropped
		q.goOn(t)
		return
	}
	f := &flight{began: time.Now(), fresh: !t.suspect && !t.proven, slow: t.suspect, doubtful: t.suspect || !t.proven}
	if f.slow {
		q.doubtful++
		q.slow++
	} else {
		q.quick++
		if f.fresh {
			q.quickFresh++
		}
		patience := slowAfter
		if f.fresh { // others wait, and a slow place is as good
			patience /= 2
		}
		f.due = f.began.Add(patience)
		f.timer = time.AfterFunc(patience, q.slowDown)
		q.timed = append(q.timed, f)
	}
	q.takeUp(t, f)
	q.flying += f.bytes
	q.working.Add(1)
	go q.deliver(f)
}

// slowDown has calls that take long move to the slow places, as soon as there are some.
func (q *Queue) slowDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	had := len(q.overdue)
	q.timed = slices.DeleteFunc(q.timed, func(f *flight) bool {
		if !f.over && !f.due.After(now) {
			q.overdue = append(q.overdue, f)
			return true
		}
		return f.over
	})
	if len(q.overdue) > had {
		q.dispatch()
	}
}

// moveOverdue moves calls that take long to the slow places that there are.
func (q *Queue) moveOverdue() {
	q.overdue = slices.DeleteFunc(q.overdue, func(f *flight) bool {
		if f.over {
			return true
		}
		if q.slow >= q.o.MaxSlow || f.doubtful && q.doubtful >= q.mostDoubtful() {
			return false
		}
		q.endQuick(f)
		f.slow = true
		q.slow++
		if f.doubtful {
			q.doubtful++
		}
		return true
	})
}

func (q *Queue) endQuick(f *flight) {
	q.quick--
	if f.fresh {
		q.quickFresh--
	}
}

// callEnded gives the place of a call to the next.
func (q *Queue) callEnded(f *flight) {
	f.over = true
	if f.timer != nil {
		f.timer.Stop()
		q.timed = slices.DeleteFunc(q.timed, func(other *flight) bool { return other == f })
	}
	q.flying -= f.bytes
	if f.slow {
		q.slow--
		if f.doubtful {
			q.doubtful--
		}
	} else {
		q.endQuick(f)
	}
	q.dispatch()
}

// judge makes the tenant a suspect after a call that was slow and failed, until one is quick and
// ends otherwise; then it is not new any more.
func (f *flight) judge(v Verdict) {
	late := time.Since(f.began) >= slowAfter
	switch {
	case v.Kind == Retry && late:
		f.tenant.suspect = true
	case v.Kind != Retry && !late:
		f.tenant.suspect, f.tenant.proven = false, true
	}
}
