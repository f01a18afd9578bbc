package relay

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/server/series"
)

// deliver passes the parcels to the log, the queue or the targets, and waits until all parcels are
// finished.
func (q *request) deliver() *refusal {
	r := q.relay
	if len(q.parcels) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.o.Timeout)
	defer cancel()
	now := time.Now()
	q.replicate()
	q.done.Add(len(q.parcels))
	plain := 0
	for group := range q.groups {
		plain += group[0].bytes
	}
	for group := range q.groups {
		q.admit(group, ctx, now, int(float64(q.held.Bytes())*float64(group[0].bytes)/float64(max(plain, 1))))
	}
	switch {
	case r.lands():
		q.land()
	case r.queue != nil:
		q.enqueue()
	default:
		q.dispatch()
	}
	q.done.Wait()
	for group := range q.groups {
		group[0].main().inHand.Add(-int64(group[0].share))
	}
	return nil
}

// The method main returns the tenant of the parcel. If this tenant is a copy, main returns the
// original tenant.
func (p *parcel) main() *tenant { return cmp.Or(p.tenant.of, p.tenant) }

// admit finishes the parcels of a group that must not be delivered: parcels that were delivered
// before, parcels that exceed a rate, and parcels for which there is no memory. The argument
// `share` is the number of bytes of the request's memory that is attributed to the group.
func (q *request) admit(group []parcel, ctx context.Context, now time.Time, share int) {
	var first *parcel // first parcel that is not finished
	for i := range group {
		p := &group[i]
		p.ctx = ctx
		if q.relay.memory.has(p) { // checked before the rate limit, so that its samples are not counted again
			q.relay.counters.remembered.Add(1)
			p.finish(result{verdict: taken, written: p.counts, again: true})
		} else if first == nil {
			first = p
		}
	}
	if first == nil {
		return
	}
	t := first.main()
	// The parcels of a tenant must not occupy more memory than is free. So a tenant with a slow
	// target cannot occupy all memory.
	if had := t.inHand.Load(); had > 0 && had > q.relay.o.Flight.Free() {
		q.finishGroup(group, result{verdict: failed, after: time.Second, text: "too many bytes of this tenant are in flight"})
		return
	}
	group[0].share = share
	t.inHand.Add(int64(share))
	rule := t.route.Load().rule
	n := first.counts.Samples + first.counts.Histograms
	if n == 0 {
		return
	}
	if ok, after := t.rate.take(int(n), rule.SamplesPerSecond, rule.Burst, now); !ok {
		q.finishGroup(group, result{verdict: limited, after: after, text: "more samples a second than the rules allow"})
	}
}

// finishGroup finishes all unfinished parcels of a group with the same result.
func (q *request) finishGroup(group []parcel, res result) {
	for i := range group {
		if p := &group[i]; !p.finished {
			p.finish(res)
		}
	}
}

// dispatch sends the parcels to the lanes of their tenants. Parcels that must be posted now are
// posted at the same time: the last by this goroutine, and the others by goroutines of the crew.
func (q *request) dispatch() {
	r := q.relay
	var last *parcel
	for i := range q.parcels {
		p := &q.parcels[i]
		if p.finished || !r.enter(p) {
			continue
		}
		if last != nil {
			other := last
			r.crew.run(func() { r.lead(other) })
		}
		last = p
	}
	if last != nil {
		r.lead(last)
	}
}

// land stores all parcels in the log of the service, or no parcel. The service later writes the
// rows in the log to Parquet files. If the log rejects the parcels as invalid, land stores each
// parcel separately.
func (q *request) land() {
	parts := make([]series.Part, 0, len(q.parcels))
	for i := range q.parcels {
		p := &q.parcels[i]
		if p.finished {
			continue
		}
		to := p.tenant.route.Load() // the tenant's destination may have changed since the parcel was made
		if to.err != nil {
			p.finish(result{verdict: refused, text: to.err.Error()})
			continue
		}
		parts = append(parts, series.Part{Tenant: to.id, Version: p.version, Body: p.plain})
	}
	if len(parts) == 0 {
		return
	}
	res := q.landParts(parts)
	if res.verdict == refused && len(parts) > 1 { // one part is invalid: store the other parts without it
		n := 0
		for i := range q.parcels {
			if p := &q.parcels[i]; !p.finished {
				p.finish(q.landParts(parts[n : n+1]).of(p))
				n++
			}
		}
		return
	}
	q.finishAll(res)
}

func (q *request) landParts(parts []series.Part) result {
	r := q.relay.o.Land(parts)
	res := result{verdict: landed[r.Verdict], after: r.RetryAfter}
	if r.Err != nil {
		res.text = r.Err.Error()
	}
	return res
}

// landed maps each verdict of a [series.Result] to a verdict of this package.
var landed = [...]verdict{series.Stored: taken, series.Invalid: refused, series.Busy: limited, series.Failed: failed}

// finishAll finishes all unfinished parcels with the same result. If the result's verdict is
// `taken`, the result of each parcel contains the counts of that parcel as the written counts.
func (q *request) finishAll(res result) {
	for i := range q.parcels {
		if p := &q.parcels[i]; !p.finished {
			p.finish(res.of(p))
		}
	}
}

// merge combines the results of all parcels into one response.
//
//	a parcel failed                503: the sender keeps the data and retries
//	else a rate is exceeded        429 or 503
//	else some series are rejected  400 (409): the other series are stored, these never will be
//	else                           204
func (q *request) merge() *refusal {
	r := q.relay
	var worst verdict
	var after time.Duration
	told := losses{texts: q.losses.texts}
	for group := range q.groups {
		p := settle(group)
		res := &p.result
		if res.verdict == taken {
			q.written.add(res.written)
			continue
		}
		if res.policy {
			continue
		}
		if worst = max(worst, res.verdict); res.verdict == limited || res.verdict == failed {
			after = max(after, res.after)
		}
		told.add(int(p.counts.Series), "tenant %s: %s", clip(p.tenant.key), clipped(res.text, 300))
		q.written.add(res.written) // even after an error, a target may have written a part of a version 2 request
	}
	q.losses.texts, told.more = told.texts, told.more+q.losses.more
	text := func() string { return tell(told.texts, told.more) }
	switch {
	case worst == failed:
		r.memory.note(q.parcels)
		return &refusal{Unavailable, text(), after}
	case worst == limited:
		r.memory.note(q.parcels)
		return &refusal{TooMany, text(), after}
	case worst != taken || q.losses.series > 0:
		return &refusal{Partly, fmt.Sprintf("%d series were refused, wholly or in part: %s", told.series+q.losses.series, text()), 0}
	}
	return nil
}
