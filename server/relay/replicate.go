package relay

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/server/queue"
)

// With Options.Replicate, every target gets every parcel. A tenant then has a copy for each target,
// with its own posts, circuit breaker and line in the queue, so that a failing target does not
// delay the others. A parcel is replaced by a group of parcels, one for each copy. A line is
// identified by the name of the tenant or copy in the queue.
//
//	parcel of tenant a ─┬─▶ parcel of a's copy for target 1 ─▶ lane or line ─▶ target 1
//	                    └─▶ parcel of a's copy for target 2 ─▶ lane or line ─▶ target 2

// addCopies creates the copies of a tenant, if there is replication.
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

// settle counts the results of a group, and returns the parcel whose result the sender gets. This
// is the parcel with the worst result; settle ignores failures for which the settings select that
// the series are dropped. But if every target has missed the series, they are not dropped: the
// sender gets an error and retries.
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

// line returns the name of a tenant or copy in the queue.
func (t *tenant) line() string {
	if t.only == nil {
		return t.key
	}
	return t.key + lineMark + t.only.name()
}

// lineMark separates a tenant and a target in a line. No tenant name contains it. `slipctl queue
// show` splits lines at the same character.
const lineMark = "\x00"

// lineOf returns the tenant or copy of a line. The error is the reason why the line cannot be
// delivered at present.
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

// targetOf returns the target of a line. Lines with the same target share a size limit of the
// queue.
func targetOf(line string) string {
	_, name, _ := strings.Cut(line, lineMark)
	return name
}
