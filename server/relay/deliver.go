package relay

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/server/ingest"
)

// deliver brings the parcels to where they belong, and waits for it.
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
		q.post()
	}
	q.done.Wait()
	for group := range q.groups {
		group[0].main().inHand.Add(-int64(group[0].share))
	}
	return nil
}

// main is the tenant whose parcel, or copy of one, it is.
func (p *parcel) main() *tenant { return cmp.Or(p.tenant.of, p.tenant) }

// admit finishes what of a group was delivered before, or comes too fast, or for which there is no
// memory. The group is the reason for so many bytes that the request holds.
func (q *request) admit(group []parcel, ctx context.Context, now time.Time, share int) {
	var first *parcel // that is not finished
	for i := range group {
		p := &group[i]
		p.ctx = ctx
		if q.relay.memory.has(p) { // before it is counted again for the rate
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
	// A tenant leaves as much memory free as its parcels occupy, so that one whose target is slow
	// does not occupy all of it.
	if had := t.inHand.Load(); had > 0 && had > q.relay.o.Flight.Free() {
		q.refuse(group, result{verdict: failed, after: time.Second, text: "too much for this tenant is under way"})
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
		q.refuse(group, result{verdict: limited, after: after, text: "more samples a second than the rules allow"})
	}
}

// refuse gives every parcel of a group that has none a result.
func (q *request) refuse(group []parcel, res result) {
	for i := range group {
		if p := &group[i]; !p.finished {
			p.finish(res)
		}
	}
}

// post posts the parcels at once: the last one here, the others on goroutines of the crew.
func (q *request) post() {
	var last *parcel
	for i := range q.parcels {
		p := &q.parcels[i]
		if p.finished {
			continue
		}
		if last != nil {
			other := last
			q.relay.crew.run(func() { q.relay.submit(other) })
		}
		last = p
	}
	if last != nil {
		q.relay.submit(last)
	}
}

// land has the log take the parcels, from where they become Parquet files: all of them, or none.
func (q *request) land() {
	parts := make([]ingest.Series, 0, len(q.parcels))
	for i := range q.parcels {
		p := &q.parcels[i]
		if p.finished {
			continue
		}
		to := p.tenant.route.Load() // it may be another one than when the parcel was made
		if to.err != nil {
			p.finish(result{verdict: refused, text: to.err.Error()})
			continue
		}
		parts = append(parts, ingest.Series{Tenant: to.id, Version: p.version, Body: p.plain})
	}
	if len(parts) == 0 {
		return
	}
	res := q.landParts(parts)
	if res.verdict == refused && len(parts) > 1 { // one of them is to blame: the others are stored without it
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

func (q *request) landParts(parts []ingest.Series) result {
	status, after, err := q.relay.o.Land(parts)
	res := result{verdict: verdictOf(status), status: status, after: after}
	if err != nil {
		res.text = err.Error()
	}
	return res
}

// finishAll gives every parcel that has none a result.
func (q *request) finishAll(res result) {
	for i := range q.parcels {
		if p := &q.parcels[i]; !p.finished {
			p.finish(res.of(p))
		}
	}
}

// merge makes one answer of the results.
//
//	no target, or not now      503: the sender keeps the data and comes again
//	a rate is exceeded         429 or 503
//	refused, or goes nowhere   400 (409): what was taken is taken, the rest will never be
//	else                       204
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
		q.written.add(res.written) // a part of version 2 may have been written
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
