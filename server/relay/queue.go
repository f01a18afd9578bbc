package relay

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

// A request that goes to the queue is answered when the queue has it on disk. An item is the
// request of one tenant, compressed; the queue keeps it under the name that the tenant has here, so
// that it goes where the rules send that tenant on the day of its delivery.

// An item's codec is version - 1, and 2 times the encoding.
func codecOf(v remotewrite.Version, e Encoding) uint8 { return uint8(v-remotewrite.V1) | uint8(e)<<1 }

func versionIn(codec uint8) remotewrite.Version { return remotewrite.V1 + remotewrite.Version(codec&1) }
func encodingIn(codec uint8) Encoding           { return Encoding(codec >> 1 & 1) }

// The most that one post carries of the queue. Cortex allows a tenant 50,000 samples at once by
// default, and refuses a request with more than that for ever.
const (
	joinedItems  = 256
	joinedWeight = 40_000
)

// Shortage returns the reason why the relay accepts no requests, for any tenant, without paths, or
// an empty string.
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
	q.Deliver = r.deliverItems
	q.MaxJoinItems, q.MaxJoinBytes, q.MaxJoinWeight = joinedItems, joined, joinedWeight
	q.Joins = func(codec uint8) bool { return codec == codecOf(remotewrite.V1, Snappy) }
	q.Logger = r.o.Logger
	if r.o.Replicate {
		q.Group, q.MaxGroupBytes = targetOf, q.MaxBytes/int64(len(r.targets))
	}
	return queue.Open(o.Dir, q)
}

// enqueue puts the parcels into the queue: all of them or none, but for those of tenants whose own
// queues are full.
func (q *request) enqueue() {
	r := q.relay
	items := make([]queue.Item, 0, len(q.parcels))
	var made []*buffer
	defer func() {
		for _, b := range made {
			b.free()
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
			body, e = b.b, r.o.Encoding
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

// deliverItems posts what the queue has for a tenant, together.
func (r *Relay) deliverItems(ctx context.Context, line string, items []*queue.Item) queue.Verdict {
	t, err := r.lineOf(line)
	if errors.Is(err, errNoCopy) && r.o.RejectedTenant == Drop {
		return queue.Verdict{Kind: queue.Refused, Err: err}
	}
	if err != nil {
		return queue.Verdict{Kind: queue.Retry, Err: err}
	}
	switch to := t.route.Load(); { // as the rules are now
	case to.rule.Drop:
		return queue.Verdict{Kind: queue.Refused, Err: errors.New("tenant dropped by the rules")}
	case to.err != nil: // it was not so when they came: the rules may be wrong, and then be mended
		return queue.Verdict{Kind: queue.Retry, Err: to.err}
	}
	if len(items) == 1 && t.pieces.of(items[0]) {
		return verdictFor(r.postPieces(ctx, t, items[0]))
	}
	res := r.postItems(ctx, t, items)
	if len(items) == 1 && t.pieces.begin(items[0], &res) {
		return verdictFor(r.postPieces(ctx, t, items[0]))
	}
	return verdictFor(res)
}

// postItems posts items in one request.
func (r *Relay) postItems(ctx context.Context, t *tenant, items []*queue.Item) result {
	ctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	list := make([]*parcel, len(items))
	for i, it := range items {
		list[i] = &parcel{
			tenant: t, version: versionIn(it.Codec), whole: it.Body, stored: true, encoding: encodingIn(it.Codec), ctx: ctx,
			counts: counts{int64(it.Note[0]), int64(it.Note[1]), int64(it.Note[2]), int64(it.Note[3])},
		}
	}
	return r.post(t, list)
}

// verdictFor is what a result means for the queue. It keeps what was refused for who is asking, or
// for whom: that is mended by a setting, and meanwhile nothing is lost.
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
