package queue

import (
	"slices"
	"time"
)

// schedule selects the tenant of the next call. A target that hangs for some tenants must not delay
// other tenants. So each call occupies a place: a quick place or a slow place. There are as many
// quick places as Options.Workers, and as many slow places as Options.MaxSlow. A call moves from a
// quick place to a slow place when it becomes slow. A tenant whose last call was slow and failed is
// a suspect: its next call holds a slow place from the start. A tenant is new until one of its
// calls is quick and does not end with Retry. New tenants get at most half of the quick places, or
// three quarters while their calls can still move to slow places. Suspects and new tenants are
// doubtful. Together they get at most half of the slow places. So a sender that uses ever more
// tenant names cannot occupy the other half. Among tenants of the same kind, the tenant that has
// waited longest comes first.
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
	fresh    line // new tenants
	suspects line

	quick      int   // current calls that are not slow
	quickFresh int   // number of these calls that are for new tenants
	slow       int   // current calls that are slow
	doubtful   int   // slow calls for suspects and new tenants
	flying     int64 // bytes of the bodies of all current calls

	// The calls in both lists hold quick places. The list `timed` contains calls that are not slow
	// yet, in the order in which they began. The list `overdue` contains slow calls that wait for a
	// slow place. If several calls become slow at the same moment, they keep their order. The order
	// in which their timers fire does not matter.
	timed   []*flight
	overdue []*flight
}

// slowAfter is the time after which a call is slow. A call for a new tenant becomes slow after half
// of this time.
const slowAfter = 50 * time.Millisecond

// line is a queue of tenants.
type line []*tenant

// take removes and returns the first tenant. It returns nil if the line is empty.
func (l *line) take() *tenant {
	if len(*l) == 0 {
		return nil
	}
	t := (*l)[0]
	(*l)[0] = nil
	*l = (*l)[1:]
	return t
}

// makeReady adds the tenant to the line for its next call.
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

// dispatch begins calls while there are waiting tenants and free places. The caller holds the lock.
func (q *Queue) dispatch() {
	q.moveOverdue()
	q.callAll(&q.fresh, func() bool { return q.quick < q.o.Workers && q.quickFresh < max(q.o.Workers/2, 1) })
	q.callAll(&q.ready, func() bool { return q.quick < q.o.Workers })
	q.callAll(&q.fresh, func() bool { return q.quickFresh < q.o.Workers*3/4 && q.quick < q.o.Workers && q.spareDoubtful() })
	q.callAll(&q.suspects, func() bool { return q.slow < q.o.MaxSlow && q.spareDoubtful() })
}

// callAll begins calls for the tenants of a line, as long as the function `places` reports that a
// place is free.
func (q *Queue) callAll(l *line, places func() bool) {
	for !q.closed && places() {
		t := l.take()
		if t == nil {
			break
		}
		q.call(t)
	}
}

// mostDoubtful returns the maximum number of slow calls for suspects and new tenants.
func (q *Queue) mostDoubtful() int { return max(q.o.MaxSlow/2, 1) }

// spareDoubtful reports whether a slow place remains for one more doubtful call, even if all quick
// calls for new tenants become slow.
func (q *Queue) spareDoubtful() bool { return q.doubtful+q.quickFresh < q.mostDoubtful() }

// call begins the next call for a tenant.
func (q *Queue) call(t *tenant) {
	if len(t.items) == 0 { // the items were dropped
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
		if f.fresh { // other tenants wait for a quick place, and this call can also use a slow place
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

// slowDown moves calls that have become slow from the list `timed` to the list `overdue`. These
// calls move to slow places when such places are free.
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

// moveOverdue moves overdue calls to free slow places.
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

// callEnded frees the place of a call, and begins the next calls.
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

// judge makes the tenant a suspect after a call that was slow and failed. After a call that was
// quick and did not end with Retry, the tenant is neither a suspect nor new.
func (f *flight) judge(v Verdict) {
	late := time.Since(f.began) >= slowAfter
	switch {
	case v.Kind == Retry && late:
		f.tenant.suspect = true
	case v.Kind != Retry && !late:
		f.tenant.suspect, f.tenant.proven = false, true
	}
}
