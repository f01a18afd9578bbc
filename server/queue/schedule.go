package queue

import "time"

// schedule decides whose call is next. A target that hangs for some tenants must not delay the others, so a call holds one of
// Workers places only until it is slow; then it holds one of MaxSlow places. A tenant whose last call was slow and failed is a suspect.
// Its next call is slow from the start, and suspects get at most half of the slow places: the rest is for calls that turn out slow.
// Among tenants of one kind, the one that has waited longest comes first.
//
//	             ┌─────────┐  place among Workers   ┌───────┐  takes longer than slowAfter
//	tenant ─────▶│  ready  │───────────────────────▶│ quick │──────────────┐
//	   │         └─────────┘                        └───────┘              ▼
//	   │         ┌─────────┐  place among MaxSlow/2                    ┌──────┐
//	   └────────▶│suspects │──────────────────────────────────────────▶│ slow │
//	             └─────────┘                                           └──────┘
type schedule struct {
	ready    line // tenants that are no suspects
	suspects line

	quick     int   // calls under way that are not slow
	slow      int   // all others
	suspected int   // slow calls for suspects
	flying    int64 // bytes of the bodies of all calls
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
	if t.suspect {
		q.suspects = append(q.suspects, t)
	} else {
		q.ready = append(q.ready, t)
	}
}

// dispatch begins the calls for which there are tenants and places. The caller holds the lock.
func (q *Queue) dispatch() {
	for !q.closed && q.quick < q.o.Workers {
		t := q.ready.take()
		if t == nil {
			break
		}
		q.call(t)
	}
	for !q.closed && q.slow < q.o.MaxSlow && q.suspected < max(q.o.MaxSlow/2, 1) {
		t := q.suspects.take()
		if t == nil {
			break
		}
		q.call(t)
	}
}

// call begins a call for a tenant whose turn it is.
func (q *Queue) call(t *tenant) {
	if len(t.items) == 0 { // they were dropped
		q.goOn(t)
		return
	}
	f := &flight{began: time.Now(), suspect: t.suspect, slow: t.suspect}
	if f.suspect {
		q.suspected++
		q.slow++
	} else {
		q.quick++
		f.timer = time.AfterFunc(slowAfter, func() { q.slowDown(f) })
	}
	q.takeUp(t, f)
	q.flying += f.bytes
	q.working.Add(1)
	go q.deliver(f)
}

// slowDown moves a call that takes long to the slow places, if there is one.
func (q *Queue) slowDown(f *flight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f.over || q.slow >= q.o.MaxSlow {
		return
	}
	f.slow = true
	q.quick--
	q.slow++
	q.dispatch()
}

// callEnded gives the place of a call to the next.
func (q *Queue) callEnded(f *flight) {
	f.over = true
	if f.timer != nil {
		f.timer.Stop()
	}
	q.flying -= f.bytes
	if f.slow {
		q.slow--
	} else {
		q.quick--
	}
	if f.suspect {
		q.suspected--
	}
	q.dispatch()
}

// judge makes the tenant a suspect after a call that was slow and failed, until one is quick and ends otherwise.
func (f *flight) judge(v Verdict) {
	late := time.Since(f.began) >= slowAfter
	switch {
	case v.Kind == Retry && late:
		f.tenant.suspect = true
	case v.Kind != Retry && !late:
		f.tenant.suspect = false
	}
}
