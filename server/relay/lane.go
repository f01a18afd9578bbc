package relay

import (
	"slices"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// lane is where a tenant's parcels wait for a post. As long as one is under way, small parcels wait for it and then go together: where
// many senders write for the same tenants, one post carries what many brought, and costs a fraction.
//
//	            ┌───────────┐   one is under way    ┌─────────┐  it has ended, or it is late
//	parcel ────▶│ small, V1 │──────────────────────▶│ waiting │───────────────▶ one post for all of them
//	            └───────────┘                       └─────────┘
//	                  │ none is under way, or it is large, and there is room: a post of its own
type lane struct {
	mu      sync.Mutex
	posts   int // under way
	waiting []*parcel
	alarm   *time.Timer // runs while some wait
}

const (
	small   = 128 << 10             // a parcel up to this size may wait for others
	joined  = 512 << 10             // bytes of a post that carries several parcels
	lateFor = 20 * time.Millisecond // after which a post that is under way is not waited for
)

// joins reports whether p may go together with others.
func (p *parcel) joins() bool {
	return p.version == remotewrite.V1 && p.bytes <= small && (p.plain != nil || p.encoding == Snappy)
}

// joinsWith reports whether p and other may go together: what is compressed already does not go with what is not.
func (p *parcel) joinsWith(other *parcel) bool {
	return p.joins() && other.joins() && (p.plain == nil) == (other.plain == nil)
}

// submit has a parcel posted. It returns when that is done, or at once if another goroutine does it: p.done tells.
func (r *Relay) submit(p *parcel) {
	t := p.tenant
	l := &t.lane
	l.mu.Lock()
	if l.posts > 0 && (p.joins() || l.posts >= t.concurrency()) {
		l.waiting = append(l.waiting, p)
		if len(l.waiting) == 1 {
			l.alarm = time.AfterFunc(lateFor, func() { r.overtake(t) })
		}
		l.mu.Unlock()
		return
	}
	l.posts++
	l.mu.Unlock()
	r.carry(t, []*parcel{p})
	if list := l.next(); list != nil {
		r.crew.run(func() { r.carryAll(t, list) })
	}
}

// overtake posts what waits, because the post before takes long.
func (r *Relay) overtake(t *tenant) {
	l := &t.lane
	l.mu.Lock()
	if len(l.waiting) == 0 || l.posts >= t.concurrency() {
		l.mu.Unlock()
		return
	}
	l.posts++
	list := l.take()
	l.mu.Unlock()
	r.carryAll(t, list)
}

// carryAll posts parcels, and then what has come to wait meanwhile.
func (r *Relay) carryAll(t *tenant, list []*parcel) {
	for ; list != nil; list = t.lane.next() {
		r.carry(t, list)
	}
}

// next is what the next post carries, or nil, and then there is none.
func (l *lane) next() []*parcel {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.take()
	if list == nil {
		l.posts--
	}
	return list
}

// take is the first of those that wait, and those behind it that may go with it.
func (l *lane) take() []*parcel {
	if len(l.waiting) == 0 {
		return nil
	}
	n, size := 1, l.waiting[0].bytes
	for n < len(l.waiting) && l.waiting[0].joinsWith(l.waiting[n]) && size+l.waiting[n].bytes <= joined {
		size += l.waiting[n].bytes
		n++
	}
	list := l.waiting[:n:n]
	if l.waiting = l.waiting[n:]; len(l.waiting) == 0 {
		l.waiting = nil
		l.alarm.Stop()
	} else {
		l.alarm.Reset(lateFor) // this post may be late too
	}
	return list
}

// carry posts parcels, and tells them how it went. What a target refused of several is posted one by one, so that nobody answers for
// others.
func (r *Relay) carry(t *tenant, list []*parcel) {
	for list = slices.DeleteFunc(list, late); len(list) > 1; {
		res := r.post(t, list)
		if res.verdict == refused || res.verdict == forbidden {
			break
		}
		if res.verdict == failed && late(list[0]) { // it had the time of the first; the others may have more
			list = slices.DeleteFunc(list[1:], late)
			continue
		}
		for _, p := range list {
			p.finish(res)
		}
		return
	}
	for _, p := range list {
		if !late(p) {
			p.finish(r.post(t, []*parcel{p}))
		}
	}
}

// late finishes a parcel whose sender will not wait any longer.
func late(p *parcel) bool {
	if p.ctx.Err() == nil {
		return false
	}
	p.finish(result{verdict: failed, text: "there was no time left to send it"})
	return true
}
