package relay

import (
	"slices"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

// lane is where a tenant's parcels wait for a post. As long as one is under way, small parcels wait
// for it and then go together: where many senders write for the same tenants, one post carries what
// many brought, and costs a fraction.
//
//	            ┌───────────┐   one is under way    ┌─────────┐  it has ended, or it is late
//	parcel ────▶│ small, V1 │──────────────────────▶│ waiting │───────────────▶ one post for all of them
//	            └───────────┘                       └─────────┘
//	                  │ none is under way, or it is large, and there is room: a post of its own
type lane struct {
	mu      sync.Mutex
	posts   int // under way
	waiting []*parcel
	window  queue.Window
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

// joinsWith reports whether p and other may go together: what is compressed already does not go
// with what is not.
func (p *parcel) joinsWith(other *parcel) bool {
	return p.joins() && other.joins() && (p.plain == nil) == (other.plain == nil)
}

// submit has a parcel posted. It returns when that is done, or at once if another goroutine does
// it: p.done tells.
func (r *Relay) submit(p *parcel) {
	t := p.tenant
	l := &t.lane
	l.mu.Lock()
	if l.posts > 0 && (p.joins() || l.posts >= r.mostPosts(t)) {
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

// mostPosts is how many posts of a tenant may be under way. A tenant leaves as many connections
// free as it occupies, so that tenants for which the targets hang do not occupy all of them: one
// gets half of the connections, two get a third each.
func (r *Relay) mostPosts(t *tenant) int {
	free := 0
	for _, to := range r.targets {
		if t.only == nil || t.only == to {
			free += to.conns - int(to.busy.Load())
		}
	}
	return max(1, min(t.concurrency(), free))
}

// overtake posts what waits, because the post before takes long.
func (r *Relay) overtake(t *tenant) {
	l := &t.lane
	l.mu.Lock()
	if len(l.waiting) == 0 {
		l.mu.Unlock()
		return
	}
	if most := r.mostPosts(t); l.posts >= most {
		if most < t.concurrency() { // others end, too
			l.alarm.Reset(lateFor)
		}
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

// take removes the next post's parcels from those that wait.
func (l *lane) take() []*parcel {
	if len(l.waiting) == 0 {
		return nil
	}
	n := l.together(l.waiting)
	list := l.waiting[:n:n]
	if l.waiting = l.waiting[n:]; len(l.waiting) == 0 {
		l.waiting = nil
		l.alarm.Stop()
	} else {
		l.alarm.Reset(lateFor) // this post may be late too
	}
	return list
}

// together returns how many of the first parcels of list, which has some, may go in one post.
func (l *lane) together(list []*parcel) int {
	n, size, weight := 1, list[0].bytes, list[0].counts.weight()
	for ; n < len(list) && list[0].joinsWith(list[n]); n++ {
		size += list[n].bytes
		weight += list[n].counts.weight()
		if size > joined || !l.window.Takes(weight) {
			break
		}
	}
	return n
}

// first returns the parcels of list, which has some, that go in the next post.
func (l *lane) first(list []*parcel) []*parcel {
	l.mu.Lock()
	defer l.mu.Unlock()
	return list[:l.together(list)]
}

// learn moves the window after a post of several parcels.
func (l *lane) learn(list []*parcel, res *result) {
	weight := int64(0)
	for _, p := range list {
		weight += p.counts.weight()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case res.smaller():
		l.window.Failed(weight)
	case res.verdict == taken:
		l.window.Passed(weight)
	}
}

// carry posts parcels, and finishes each with its result. The sender of a parcel never gets an
// answer that others brought about: what a target refused of several is posted one by one, and what
// was too large for it in halves.
func (r *Relay) carry(t *tenant, list []*parcel) {
	alone := 0 // so many of the first go one by one
	for len(list) > 0 {
		post := list[:1]
		switch { // a parcel may become late at any time, so each is asked once
		case alone == 0:
			if list = slices.DeleteFunc(list, late); len(list) == 0 {
				return
			}
			post = t.lane.first(list)
		case late(list[0]):
			list, alone = list[1:], alone-1
			continue
		}
		res := r.post(t, post)
		if len(post) > 1 {
			t.lane.learn(post, &res)
			switch {
			case res.tooLarge():
				continue
			case res.verdict == limited:
				list = wait(list, &res)
				continue
			case res.verdict == refused, res.verdict == forbidden:
				alone = len(post)
				continue
			case res.verdict == failed && late(post[0]): // it had the time of the first; the others may have more
				list = list[1:]
				continue
			}
		}
		for _, p := range post {
			p.finish(res)
		}
		list, alone = list[len(post):], max(alone-1, 0)
	}
}

// wait returns the parcels that may be posted again when the pause that the target has asked for is
// over. The senders of the others are told of it.
func wait(list []*parcel, res *result) []*parcel {
	if res.after <= 0 {
		return list
	}
	end := time.Now().Add(res.after)
	list = slices.DeleteFunc(list, func(p *parcel) bool {
		deadline, ok := p.ctx.Deadline()
		if !ok || deadline.After(end) {
			return false
		}
		p.finish(*res)
		return true
	})
	if len(list) > 0 {
		time.Sleep(res.after)
	}
	return list
}

// late finishes a parcel whose sender will not wait any longer.
func late(p *parcel) bool {
	if p.ctx.Err() == nil {
		return false
	}
	p.finish(result{verdict: failed, text: "there was no time left to send it"})
	return true
}
