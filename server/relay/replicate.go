package relay

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/server/queue"
)

// With Options.Replicate every target gets every parcel. A tenant then has a copy of itself for
// each target, with posts, circuit and queue of its own, so that a target that fails holds none of
// the others; and a parcel becomes a group of parcels, one for each copy.
//
//	parcel of tenant a ─┬─▶ parcel of a's copy for target 1 ─▶ lane or line ─▶ target 1
//	                    └─▶ parcel of a's copy for target 2 ─▶ lane or line ─▶ target 2

// addCopies makes the copies of a tenant.
func (r *Relay) addCopies(t *tenant) {
	if !r.o.Replicate {
		return
	}
	for _, to := range r.targets {
		t.copies = append(t.copies, &tenant{key: t.key, label: t.label, route: t.route, lane: lane{window: queue.NewWindow(joinedWeight)}, only: to, of: t})
	}
}

// newRoute returns what tenants and their copies share.
func newRoute(to *route) *atomic.Pointer[route] {
	p := new(atomic.Pointer[route])
	p.Store(to)
	return p
}

// replicate makes each parcel a group: one for each target.
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
				p.made = nil // the first of the group has it
			}
		}
	}
}

// groups yields the parcels that are for one tenant.
func (q *request) groups(yield func(group []parcel) bool) {
	for i := 0; i < len(q.parcels); i += q.group {
		if !yield(q.parcels[i : i+q.group]) {
			return
		}
	}
}

// settle counts how a group has fared, and returns the parcel whose result the sender is told: the
// worst, but for what the settings have dropped. What every target has missed is not dropped: the
// sender comes again.
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
			told = p // one that was not counted before
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

// line is what the queue calls a tenant, or its copy.
func (t *tenant) line() string {
	if t.only == nil {
		return t.key
	}
	return t.key + lineMark + t.only.name()
}

// lineMark stands between a tenant and a target. No tenant's name has it.
const lineMark = "\x00"

// lineOf returns the tenant of a line of the queue. Its error says why the line goes nowhere at
// present.
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
	if t.route.Load().err != nil || t.route.Load().rule.Drop { // such a tenant has no copies, but a reason
		return t, nil
	}
	return nil, fmt.Errorf("%w: %s", errNoCopy, name)
}

// errNoCopy is the error of lines that wait for a target of other settings.
var errNoCopy = fmt.Errorf("the queue has items for a target that is not configured, or not for replication")

// targetOf returns the target of a line: what shares the bound of the queue.
func targetOf(line string) string {
	_, name, _ := strings.Cut(line, lineMark)
	return name
}
