package relay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// post sends parcels of one tenant, in one post if they are several, and says how that went. Those
// that are several are of version 1, and a request that joins theirs is their requests, one after
// the other.
func (r *Relay) post(t *tenant, list []*parcel) result {
	now := time.Now()
	missed := t.only != nil && r.o.DeadTarget == Drop
	if ok, after := t.breaker.allow(now); !ok {
		return result{verdict: failed, after: after, text: "circuit open: no target responds for this tenant; the relay retries it soon",
			policy: missed || r.o.DeadTenant == Drop, missed: missed && r.o.DeadTenant != Drop}
	}
	ctx := list[0].ctx
	if timeout := t.route.Load().rule.Timeout; timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var res result
	var passed uint64 // targets
	for n := range maxTries {
		if n > 0 && !r.spare.take() {
			break
		}
		to := r.choose(t, now, &passed)
		if to == nil && n == 0 && !t.silent.Load() {
			to = r.leastBusy(t)
		}
		if to == nil {
			if n == 0 {
				t.breaker.cancel(now) // that is no fault of the tenant's
				return result{verdict: failed, after: time.Second, text: "circuit open: no target responds; the relay retries them soon", down: true, policy: missed, missed: missed}
			}
			break
		}
		if n == 0 {
			r.spare.earn()
		}
		begin := time.Now()
		res = r.postTo(ctx, to, t, list)
		// What a target does not answer for one tenant is not its end, as long as it answers for
		// others.
		to.breaker.done(time.Now(), res.verdict != failed || res.status != 0 || to.hasAnswered(begin.Add(-breakerPause)))
		if res.verdict != failed || ctx.Err() != nil {
			break
		}
	}
	t.silent.Store(res.verdict == failed && res.status == 0)
	if res.down {
		t.breaker.cancel(time.Now())
	} else {
		t.breaker.done(time.Now(), res.verdict != failed)
	}
	if res.verdict == forbidden {
		res.policy = r.o.RejectedTenant == Drop
	}
	took := time.Since(now)
	t.stats.posted(res.verdict, took)
	t.route.Load().class[classOf(res.status)].Observe(took)
	return res
}

// maxTries is at how many targets a parcel is tried in one go.
const maxTries = 3

// choose is the target with the fewest posts under way, of those that answer and are not in passed;
// nil if there is none. It is put into passed, and so is what does not answer. A tenant's copy has
// but one target.
func (r *Relay) choose(t *tenant, now time.Time, passed *uint64) *target {
	if to := t.only; to != nil {
		if ok, _ := to.breaker.allow(now); ok && *passed == 0 {
			*passed = 1
			return to
		}
		return nil
	}
	from := int(r.turn.Add(1))
	for {
		best := -1
		for i := range r.targets {
			i = (from + i) % len(r.targets) // so that all have the same chance where they are equally busy
			if *passed>>i&1 == 0 && (best < 0 || r.targets[i].busy.Load() < r.targets[best].busy.Load()) {
				best = i
			}
		}
		if best < 0 {
			return nil
		}
		*passed |= 1 << best
		if ok, _ := r.targets[best].breaker.allow(now); ok {
			return r.targets[best]
		}
	}
}

// leastBusy returns the target with the fewest posts under way, although all targets are given a
// rest: others' posts have brought that about. The tenant's last post was answered, or this is its
// first. So tenants whose posts a target does not answer do not keep it from a tenant that writes
// seldom or is new; while a target is down, each tenant costs it one post more.
func (r *Relay) leastBusy(t *tenant) *target {
	if t.only != nil {
		return t.only
	}
	return slices.MinFunc(r.targets, func(a, b *target) int { return cmp.Compare(a.busy.Load(), b.busy.Load()) })
}

// postTo posts to one target, in the version that it takes.
func (r *Relay) postTo(ctx context.Context, to *target, t *tenant, list []*parcel) result {
	p := list[0]
	if p.version == remotewrite.V1 {
		return r.send(ctx, to, t, list, remotewrite.V1)
	}
	if protocol := r.o.Protocol; protocol == AlsoV2 || protocol == AsTheyTake && to.takesV2(time.Now()) {
		res := r.send(ctx, to, t, list, remotewrite.V2)
		// It does not know version 2, and says so, or it does not even notice, and took the body
		// for an empty request of version 1. Or it has a rule of version 2 that the request does
		// not keep.
		lost := res.status == http.StatusUnsupportedMediaType || res.verdict == taken && !res.told && !p.counts.none() || res.bare
		if !lost || protocol == AlsoV2 {
			switch {
			case res.verdict != taken || !res.written.none() || p.counts.none():
			case res.status == http.StatusAccepted: // Cortex, which has the samples of another replica: it is no failure, and a sender must not take it for one
				res.written = p.counts
			default:
				res.verdict = refused
				res.text = fmt.Sprintf("the target answered %d, and that it has written nothing", res.status)
			}
			return res
		}
		to.v1Until.Store(time.Now().Add(asksAgain).UnixNano())
		r.o.Logger.Info("target refused Remote Write 2.0; sending 1.0", "target", to.name(), "status", res.status, "for", asksAgain)
	}
	res := r.send(ctx, to, t, list, remotewrite.V1)
	if res.verdict == taken {
		res.written = p.counts // the target does not say it in version 1
	}
	return res
}

// send makes the body of a post, and posts it.
func (r *Relay) send(ctx context.Context, to *target, t *tenant, list []*parcel, version remotewrite.Version) result {
	where := t.route.Load() // it may be another one than when the parcels were made
	if where.err != nil {
		return result{verdict: refused, text: where.err.Error()}
	}
	var body []byte
	var e Encoding
	var made *buffer // nil: the body is as it came
	if p := list[0]; len(list) == 1 && p.version == version && p.whole != nil && !p.stored {
		body, e = p.whole, p.encoding
	} else {
		var err error
		if made, e, err = r.bodyOf(list, version); err != nil {
			return result{verdict: refused, text: err.Error()}
		}
		body = made.b
	}
	res, released := to.post(ctx, where, version, e, body, list[0].attempt)
	switch {
	case !released && made == nil:
		list[0].held = true
	case released && made != nil: // else it is left to the garbage collector
		made.free()
	}
	return res
}

// bodyOf makes the body of a post in a version. It is none of the parcels' own bytes.
func (r *Relay) bodyOf(list []*parcel, version remotewrite.Version) (*buffer, Encoding, error) {
	p := list[0]
	switch {
	case p.version != version:
		b, err := r.downgraded(p)
		return b, r.o.Encoding, err
	case len(list) > 1:
		return r.join(list)
	case p.stored:
		b := getBuffer(len(p.whole))
		b.b = append(b.b, p.whole...)
		return b, p.encoding, nil
	}
	return r.o.Encoding.encode(p.plain), r.o.Encoding, nil
}

// join makes one body of several: of plain ones by compressing them together, of compressed ones by
// joining blocks of snappy.
func (r *Relay) join(list []*parcel) (*buffer, Encoding, error) {
	n := 0
	for _, p := range list {
		n += len(p.body())
	}
	b := getBuffer(n + 16) // for the length before a block, which may be longer than theirs
	if list[0].plain != nil {
		defer b.free()
		for _, p := range list {
			b.b = append(b.b, p.plain...)
		}
		return r.o.Encoding.encode(b.b), r.o.Encoding, nil
	}
	blocks := make([][]byte, len(list))
	for i, p := range list {
		blocks[i] = p.whole
	}
	joined, err := s2.ConcatBlocks(b.b, blocks...)
	if err != nil {
		b.free()
		return nil, 0, err
	}
	b.b = joined
	return b, Snappy, nil
}

// downgraded is the body of a parcel of version 2 in version 1.
func (r *Relay) downgraded(p *parcel) (*buffer, error) {
	plain := p.plain
	if plain == nil {
		b, err := p.encoding.decode(p.whole, math.MaxInt32, func(int) error { return nil })
		if err != nil {
			return nil, fmt.Errorf("a request of the queue cannot be read: %w", err)
		}
		defer b.free()
		plain = b.b
	}
	b := getBuffer(2 * len(plain))
	defer b.free()
	var err error
	if b.b, err = downgrade(b.b, plain, r.mostParts()); err != nil {
		return nil, err
	}
	return r.o.Encoding.encode(b.b), nil
}
