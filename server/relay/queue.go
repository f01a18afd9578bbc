package relay

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/queue"
)

// If there is a queue, the relay responds after the queue has written the request to disk. An item
// of the queue is the compressed request of one tenant. The queue stores the tenant's name in the
// relay, not the tenant's ID at the target. So the rules at the time of delivery determine the
// destination.

// codecOf returns the codec of an item: version - 1 in bit 0, and the encoding in bit 1.
func codecOf(v remotewrite.Version, e Encoding) uint8 { return uint8(v-remotewrite.V1) | uint8(e)<<1 }

func versionIn(codec uint8) remotewrite.Version { return remotewrite.V1 + remotewrite.Version(codec&1) }
func encodingIn(codec uint8) Encoding           { return Encoding(codec >> 1 & 1) }

// Limits for one post from the queue. By default, Cortex accepts bursts of 50,000 samples per
// tenant, and never accepts a request with more samples.
const (
	joinedItems  = 256
	joinedWeight = 40_000
)

// Shortage returns the reason why the relay rejects the requests of all tenants, or an empty
// string. The text contains no file paths.
func (r *Relay) Shortage() string {
	switch {
	case !r.opened.Load():
		return "recovering: the relay's queue is being read"
	case r.queue == nil:
		return ""
	}
	if text := r.queue.Shortage(); text != "" {
		return "the relay's queue: " + text
	}
	return ""
}

func (r *Relay) openQueue(o *QueueOptions) (*queue.Queue, error) {
	q := o.Options
	q.Deliver = r.deliverQueued
	q.MaxJoinItems, q.MaxJoinBytes, q.MaxJoinWeight = joinedItems, joined, joinedWeight
	q.Joins = func(codec uint8) bool { return codec == codecOf(remotewrite.V1, Snappy) }
	q.Logger = r.o.Logger
	if r.o.Replicate {
		q.Group, q.MaxGroupBytes = targetOf, q.MaxBytes/int64(len(r.targets))
	}
	return queue.Open(o.Dir, q)
}

// enqueue adds all parcels to the queue, or none. But if the queue is full for the tenant or the
// target of a parcel, enqueue finishes this parcel with an error, and adds the others.
func (q *request) enqueue() {
	r := q.relay
	items := make([]queue.Item, 0, len(q.parcels))
	var made []*admission.Buffer
	defer func() {
		for _, b := range made {
			b.Free()
		}
	}()
	for i := range q.parcels {
		p := &q.parcels[i]
		if p.finished {
			continue
		}
		body, e := p.whole, p.encoding
		if body == nil {
			b := r.o.Encoding.encode(p.plain)
			made = append(made, b)
			body, e = b.B, r.o.Encoding
		}
		c := p.counts
		items = append(items, queue.Item{
			Tenant: p.tenant.line(), Codec: codecOf(p.version, e), Body: body,
			Note: [4]uint32{uint32(c.Series), uint32(c.Samples), uint32(c.Histograms), uint32(c.Exemplars)},
		})
	}
	err := r.queue.Put(items)
	var full *queue.FullError
	for errors.As(err, &full) && !full.All {
		results := make(map[string]result)
		for ; full != nil; full = full.Next {
			line := full.Tenant
			full.Tenant, _, _ = strings.Cut(line, lineMark)
			res := result{verdict: failed, text: full.Error()}
			if full.Never {
				res.verdict = refused
			}
			results[line] = res
		}
		for i := range q.parcels {
			p := &q.parcels[i]
			if res, ok := results[p.tenant.line()]; ok && !p.finished {
				p.finish(res)
			}
		}
		items = slices.DeleteFunc(items, func(it queue.Item) bool { return results[it.Tenant].text != "" })
		err = r.queue.Put(items)
	}
	res := result{verdict: taken}
	if err != nil {
		r.o.Logger.Error("enqueueing a request failed", "error", err)
		res = result{verdict: failed, text: queue.Explain(err)}
	}
	q.finishAll(res)
}

// deliverQueued posts queued items of one tenant together. It is the DeliverFunc of the queue.
func (r *Relay) deliverQueued(ctx context.Context, line string, items []*queue.Item) queue.Verdict {
	t, err := r.lineOf(line)
	if errors.Is(err, errNoCopy) && r.o.RejectedTenant == Drop {
		return queue.Verdict{Kind: queue.Refused, Err: err}
	}
	if err != nil {
		return queue.Verdict{Kind: queue.Retry, Err: err}
	}
	switch to := t.route.Load(); { // under the current rules
	case to.rule.Drop:
		return queue.Verdict{Kind: queue.Refused, Err: errors.New("tenant dropped by the rules")}
	case to.err != nil: // the rules at the time of receipt accepted the items, so an operator may correct the current rules
		return queue.Verdict{Kind: queue.Retry, Err: to.err}
	}
	if len(items) == 1 && t.pieces.of(items[0]) {
		return verdictFor(r.tryPieces(ctx, t, items[0]))
	}
	res := r.tryItems(ctx, t, items)
	if len(items) == 1 && t.pieces.begin(items[0], &res) {
		return verdictFor(r.tryPieces(ctx, t, items[0]))
	}
	return verdictFor(res)
}

// tryItems posts items in one request.
func (r *Relay) tryItems(ctx context.Context, t *tenant, items []*queue.Item) result {
	ctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	list := make([]*parcel, len(items))
	for i, it := range items {
		list[i] = &parcel{
			tenant: t, version: versionIn(it.Codec), whole: it.Body, stored: true, encoding: encodingIn(it.Codec), ctx: ctx,
			counts: counts{int64(it.Note[0]), int64(it.Note[1]), int64(it.Note[2]), int64(it.Note[3])},
		}
	}
	return r.try(t, list)
}

// verdictFor converts a result to a verdict for the queue. If a target rejects items because of the
// tenant or because of the relay's credentials, the queue keeps the items. An operator can then
// correct the setting, and no series are lost.
func verdictFor(res result) queue.Verdict {
	switch {
	case res.verdict == taken:
		return queue.Verdict{Kind: queue.Delivered}
	case res.tooLarge():
		return queue.Verdict{Kind: queue.TooLarge, Err: errors.New(res.text)}
	case res.verdict == refused, res.verdict == forbidden && res.policy:
		return queue.Verdict{Kind: queue.Refused, Err: errors.New(res.text)}
	}
	return queue.Verdict{Kind: queue.Retry, After: res.after, Fewer: res.smaller(), Down: res.down, Err: errors.New(res.text)}
}
