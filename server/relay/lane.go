package relay

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

// lane contains the parcels of a tenant that wait for a post. A parcel is the part of a request
// that belongs to one tenant. Small parcels wait until the current post of the tenant ends, and are
// then sent together in the next post. If many senders write for the same tenants, one post
// contains the parcels of many requests. This takes only a fraction of the CPU time of separate
// posts.
//
//	            ┌───────────┐  a post in progress   ┌─────────┐  the post has ended, or is late
//	parcel ────▶│ small, V1 │──────────────────────▶│ waiting │───────────────▶ one post for all of them
//	            └───────────┘                       └─────────┘
//	                  │ no post in progress, or a large parcel and posts < mostPosts: a post of its own
type lane struct {
	mu      sync.Mutex
	posts   int // number of posts in progress
	waiting []*parcel
	window  queue.Window
	alarm   *time.Timer // runs while parcels wait; nil before any parcel has waited
}

const (
	small   = 128 << 10             // maximum bytes of a parcel that may be posted together with others
	joined  = 512 << 10             // maximum bytes of a post with several parcels
	lateFor = 20 * time.Millisecond // time after which parcels no longer wait for a post in progress
)

// joins reports whether the parcel p may be posted together with other parcels.
func (p *parcel) joins() bool {
	return p.version == remotewrite.V1 && p.bytes <= small && (p.plain != nil || p.encoding == Snappy)
}

// joinsWith reports whether two parcels may be sent in the same post. Compressed and uncompressed
// parcels may not be in the same post.
func (p *parcel) joinsWith(other *parcel) bool {
	return p.joins() && other.joins() && (p.plain == nil) == (other.plain == nil)
}

// enter reports whether the caller must post the parcel p now, with lead. Otherwise it has left the
// parcel in the lane, and another goroutine will post it.
func (r *Relay) enter(p *parcel) bool {
	t := p.tenant
	l := &t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.posts == 0 || !p.joins() && l.posts < r.mostPosts(t) {
		l.posts++
		return true
	}
	l.waiting = append(l.waiting, p)
	if len(l.waiting) == 1 {
		if l.alarm == nil {
			l.alarm = time.AfterFunc(lateFor, func() { r.overtake(t) })
		} else {
			l.alarm.Reset(lateFor)
		}
	}
	return false
}

// lead posts a parcel for which enter has returned true. It returns when this post has ended.
// Another goroutine then posts the parcels that have entered the lane meanwhile.
func (r *Relay) lead(p *parcel) {
	t := p.tenant
	r.carry(t, []*parcel{p})
	if list := t.lane.next(); list != nil {
		r.crew.run(func() { r.drain(t, list) })
	}
}

// mostPosts returns the maximum number of concurrent posts of a tenant. A tenant can use at most as
// many connections as remain free for it. So tenants with hanging targets do not use all
// connections: one such tenant gets half of them, and two such tenants get a third each.
func (r *Relay) mostPosts(t *tenant) int {
	free := 0
	for _, to := range r.targets {
		if t.only == nil || t.only == to {
			free += to.free(t)
		}
	}
	return max(1, min(t.concurrency(), free))
}

// overtake posts the waiting parcels while the current post is still in progress, because the
// current post takes longer than lateFor.
func (r *Relay) overtake(t *tenant) {
	l := &t.lane
	l.mu.Lock()
	if len(l.waiting) == 0 {
		l.mu.Unlock()
		return
	}
	if most := r.mostPosts(t); l.posts >= most {
		if most < t.concurrency() { // posts of other tenants may end and free connections
			l.alarm.Reset(lateFor)
		}
		l.mu.Unlock()
		return
	}
	l.posts++
	list := l.take()
	l.mu.Unlock()
	r.drain(t, list)
}

// drain posts the parcels in the given list. It then posts the parcels that have entered the lane
// meanwhile, until no parcel waits.
func (r *Relay) drain(t *tenant, list []*parcel) {
	for ; list != nil; list = t.lane.next() {
		r.carry(t, list)
	}
}

// next returns the parcels of the next post. If no parcel waits, it returns nil, and counts the
// post of the caller as ended.
func (l *lane) next() []*parcel {
	// On a busy machine, requests that are ready to be split run first, and their parcels become
	// part of the next post. If nothing else is ready, Gosched returns at once.
	runtime.Gosched()
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.take()
	if list == nil {
		l.posts--
	}
	return list
}

// take removes the parcels of the next post from the waiting parcels, and returns them.
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

// together returns how many parcels at the start of the list may be sent in one post. The list must
// not be empty.
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

// first returns the parcels at the start of the list that may be sent in one post. The list must
// not be empty.
func (l *lane) first(list []*parcel) []*parcel {
	l.mu.Lock()
	defer l.mu.Unlock()
	return list[:l.together(list)]
}

// learn changes the maximum size of the lane's posts after the result of a post with several
// parcels.
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

// carry posts parcels, and sets the result of each parcel. If a target rejects a post with several
// parcels, carry posts each parcel separately. So a sender never gets an error that parcels of
// other senders have caused. If the target rejects a post as too large, carry splits the post into
// halves.
func (r *Relay) carry(t *tenant, list []*parcel) {
	alone := 0 // number of parcels at the start of list to post alone
	for len(list) > 0 {
		post := list[:1]
		switch { // a parcel may become late at any time, so late is called once for each
		case alone == 0:
			if list = slices.DeleteFunc(list, late); len(list) == 0 {
				return
			}
			post = t.lane.first(list)
		case late(list[0]):
			list, alone = list[1:], alone-1
			continue
		}
		res := r.try(t, post)
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
			case res.verdict == failed && late(post[0]): // the deadline of the first parcel limited the post; the others may have more time
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

// wait waits for the time that the target has requested. It returns the parcels whose deadlines are
// later than the end of this time. It finishes the other parcels with the result `res`.
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

// late reports whether the deadline of a parcel has passed. In that case, it also finishes the
// parcel.
func late(p *parcel) bool {
	if p.ctx.Err() == nil {
		return false
	}
	p.finish(result{verdict: failed, text: "the deadline passed before the series were sent"})
	return true
}
