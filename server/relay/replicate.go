package relay

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/server/queue"
)

// With Options.Replicate, every target gets every parcel. A parcel is the part of a request that
// belongs to one tenant. Each tenant has a copy for each target. Each copy has its own posts, its
// own circuit breaker and its own list of items in the queue. So a target that fails does not delay
// the other targets. Each parcel is replaced by a group of parcels, one for each copy. In the
// queue, this list is called a line, and the name of the copy identifies it. Without copies, each
// tenant has one line.
//
//	parcel of tenant a ─┬─▶ parcel of a's copy for target 1 ─▶ lane or line ─▶ target 1
//	                    └─▶ parcel of a's copy for target 2 ─▶ lane or line ─▶ target 2

// addCopies creates the copies of a tenant. Without replication, it creates none.
func (r *Relay) addCopies(t *tenant) {
	if !r.o.Replicate {
		return
	}
	for _, to := range r.targets {
		t.copies = append(t.copies, &tenant{key: t.key, label: t.label, route: t.route, lane: lane{window: queue.NewWindow(joinedWeight)}, only: to, of: t})
	}
}

// newRoute returns the pointer to a route that a tenant shares with its copies.
func newRoute(to *route) *atomic.Pointer[route] {
	p := new(atomic.Pointer[route])
	p.Store(to)
	return p
}

// replicate replaces each parcel by a group with one parcel for each target.
func (q *request) replicate() {
	q.group = 1
	if !q.relay.o.Replicate {
		return
	}
	n, mains := len(q.relay.targets), len(q.parcels)
	q.group = n
	for range mains * (n - 1) {
		q.parcels = append(q.parcels, parcel{})
	}
	for i := mains - 1; i >= 0; i-- {
		main := q.parcels[i]
		for g, t := range main.tenant.copies {
			p := &q.parcels[i*n+g]
			*p = main
			if p.tenant = t; g > 0 {
				p.made = nil // the first parcel of the group owns the buffer
			}
		}
	}
}

// groups yields the groups of parcels, one for each tenant.
func (q *request) groups(yield func(group []parcel) bool) {
	for i := 0; i < len(q.parcels); i += q.group {
		if !yield(q.parcels[i : i+q.group]) {
			return
		}
	}
}

// settle counts the results of a group, and returns the parcel whose result the sender gets: the
// parcel with the worst result. It ignores the failure of a parcel if the settings require that its
// series are dropped. But if no target has received the series, settle does not ignore the
// failures. The sender then gets an error and retries.
func settle(group []parcel) *parcel {
	var told, dropped *parcel
	for i := range group {
		p := &group[i]
		switch res := &p.result; {
		case res.verdict != taken && res.policy:
			if dropped == nil || res.missed {
				dropped = p
			}
		case told == nil || res.verdict > told.result.verdict, res.verdict == told.result.verdict && told.result.again:
			told = p // prefer a parcel that was not counted before
		}
	}
	if told == nil {
		if told = dropped; told.result.missed {
			told.result.policy = false
		}
	}
	main := told.tenant.of
	if main == nil {
		told.tenant.stats.count(told)
		return told
	}
	if told.result.verdict == taken {
		main.stats.count(told)
	}
	for i := range group {
		if p := &group[i]; p.result.verdict != taken {
			p.tenant.stats.count(p)
			if p.result.policy {
				p.tenant.only.missed.Add(p.counts.Series)
			}
		}
	}
	return told
}

// line returns the name of the line of a tenant or copy.
func (t *tenant) line() string {
	if t.only == nil {
		return t.key
	}
	return t.key + lineMark + t.only.name()
}

// lineMark separates the tenant and the target in the name of a line. No tenant name contains this
// character. `slipctl queue show` splits the names of lines at the same character.
const lineMark = "\x00"

// lineOf returns the tenant or copy to which a line belongs. If the items of the line cannot be
// delivered at present, lineOf returns an error with the reason.
func (r *Relay) lineOf(line string) (*tenant, error) {
	key, name, copied := strings.Cut(line, lineMark)
	t, err := r.tenant([]byte(key))
	if err != nil || !copied {
		return t, err
	}
	for _, c := range t.copies {
		if c.only.name() == name {
			return c, nil
		}
	}
	if t.route.Load().err != nil || t.route.Load().rule.Drop { // such a tenant has no copies; its route contains the reason
		return t, nil
	}
	return nil, fmt.Errorf("%w: %s", errNoCopy, name)
}

// errNoCopy is the error for lines whose target is not in the current settings.
var errNoCopy = fmt.Errorf("the queue contains items for a target that is not configured, or replication is now off")

// targetOf returns the name of the target in the name of a line. The queue limits the total size of
// all lines with the same target.
func targetOf(line string) string {
	_, name, _ := strings.Cut(line, lineMark)
	return name
}
