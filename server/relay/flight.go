package relay

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
)

// The method try sends parcels of one tenant to a target in a single HTTP request, and returns the
// result. If the target fails, the method sends them to another target. Several parcels must all be
// of version 1, because only requests of version 1 can be concatenated: the result is a valid
// request with all series.
func (r *Relay) try(t *tenant, list []*parcel) result {
	now := time.Now()
	missed := t.only != nil && r.o.DeadTarget == Drop
	if ok, after := t.breaker.allow(now); !ok {
		return result{verdict: failed, after: after, text: "circuit open: no target responds for this tenant; the relay tries again soon",
			policy: missed || r.o.DeadTenant == Drop, missed: missed && r.o.DeadTenant != Drop}
	}
	ctx := list[0].ctx
	if timeout := t.route.Load().rule.Timeout; timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var res result
	var passed uint64 // set of targets that were tried or skipped
	for n := range maxTries {
		if n > 0 && !r.spare.take() {
			break
		}
		to := r.pick(t, now, &passed)
		if to == nil && n == 0 && !t.silent.Load() {
			to = r.leastBusy(t)
		}
		if to == nil {
			if n == 0 {
				t.breaker.cancel(now) // the failure has another cause than the tenant
				return result{verdict: failed, after: time.Second, text: "circuit open: no target responds; the relay tries again soon", down: true, policy: missed, missed: missed}
			}
			break
		}
		if n == 0 {
			r.spare.earn()
		}
		stranger := !t.known.Load()
		if stranger && !to.admit(ctx) {
			to.breaker.cancel(now) // neither the target nor the tenant is the cause
			t.breaker.cancel(now)
			return result{verdict: failed, after: time.Second, text: "too many tenants wait for a response of the target; retry later", policy: missed, missed: missed}
		}
		begin := time.Now()
		res = r.negotiate(ctx, to, t, list)
		if stranger {
			to.dismiss()
		}
		// If the target has recently responded to another post, a missing response to this post
		// does not count as a failure of the target.
		to.breaker.done(time.Now(), res.verdict != failed || res.status != 0 || to.hasAnswered(begin.Add(-breakerPause)))
		if res.verdict != failed || ctx.Err() != nil {
			break
		}
	}
	t.silent.Store(res.verdict == failed && res.status == 0)
	t.known.Store(res.status != 0)
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

// maxTries is the maximum number of targets to which one call of try posts a parcel.
const maxTries = 3

// pick returns the target with the fewest posts in progress, or nil if there is none. It skips the
// targets in the set `passed`, and the targets whose circuit breakers reject the post. It adds the
// returned target, and the targets whose breakers reject the post, to the set `passed`. If the
// tenant is a copy, only the target of the copy can be picked.
func (r *Relay) pick(t *tenant, now time.Time, passed *uint64) *target {
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
			i = (from + i) % len(r.targets) // so that equally busy targets have the same chance
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

// leastBusy returns the target with the fewest posts in progress, even if its circuit breaker is
// open. It is called only if the breakers of all targets are open, and only for a tenant that has
// not posted yet or whose last post got a response. In that case, posts of other tenants have
// opened the breakers. If posts of some tenants get no response, these tenants must not block a new
// tenant or a tenant that rarely writes. While a target is down, this rule costs one additional
// post per tenant.
func (r *Relay) leastBusy(t *tenant) *target {
	if t.only != nil {
		return t.only
	}
	return slices.MinFunc(r.targets, func(a, b *target) int { return cmp.Compare(a.busy.Load(), b.busy.Load()) })
}

// negotiate posts to one target, in a protocol version that the target accepts.
func (r *Relay) negotiate(ctx context.Context, to *target, t *tenant, list []*parcel) result {
	p := list[0]
	if p.version == remotewrite.V1 {
		return r.transmit(ctx, to, t, list, remotewrite.V1)
	}
	if protocol := r.o.Protocol; protocol == AlsoV2 || protocol == AsTheyTake && to.takesV2(time.Now()) {
		res := r.transmit(ctx, to, t, list, remotewrite.V2)
		// The target must get version 1 in three cases: it rejects version 2 with 415; it took the
		// body for an empty request of version 1, and reports no counts; or it enforces a rule of
		// version 2 that the request violates.
		lost := res.status == http.StatusUnsupportedMediaType || res.verdict == taken && !res.told && !p.counts.none() || res.bare
		if !lost || protocol == AlsoV2 {
			switch {
			case res.verdict != taken || !res.written.none() || p.counts.none():
			case res.status == http.StatusAccepted: // Cortex has already received the samples from another replica, so the sender gets a success
				res.written = p.counts
			default:
				res.verdict = refused
				res.text = fmt.Sprintf("the target answered %d, but reported that it wrote nothing", res.status)
			}
			return res
		}
		to.v1Until.Store(time.Now().Add(asksAgain).UnixNano())
		r.o.Logger.Info("target refused Remote Write 2.0; sending 1.0", "target", to.name(), "status", res.status, "for", asksAgain)
	}
	res := r.transmit(ctx, to, t, list, remotewrite.V1)
	if res.verdict == taken {
		res.written = p.counts // responses of version 1 contain no counts
	}
	return res
}

// transmit builds the body of a post in the given version, and posts it to a target.
func (r *Relay) transmit(ctx context.Context, to *target, t *tenant, list []*parcel, version remotewrite.Version) result {
	where := t.route.Load() // the tenant's destination may have changed since the parcels were made
	if where.err != nil {
		return result{verdict: refused, text: where.err.Error()}
	}
	var body []byte
	var e Encoding
	var made *admission.Buffer // nil: the body is forwarded unchanged
	if p := list[0]; len(list) == 1 && p.version == version && p.whole != nil && !p.stored {
		body, e = p.whole, p.encoding
	} else {
		var err error
		if made, e, err = r.bodyOf(list, version); err != nil {
			return result{verdict: refused, text: err.Error()}
		}
		body = made.B
	}
	res, released := to.post(ctx, where, version, e, body, list[0].attempt)
	switch {
	case !released && made == nil:
		list[0].held = true
	case released && made != nil: // otherwise the garbage collector frees it
		made.Free()
	}
	return res
}

// bodyOf builds the body of a post in the given version. The body shares no memory with the
// parcels.
func (r *Relay) bodyOf(list []*parcel, version remotewrite.Version) (*admission.Buffer, Encoding, error) {
	p := list[0]
	switch {
	case p.version != version:
		b, err := r.downgraded(p)
		return b, r.o.Encoding, err
	case len(list) > 1:
		return r.join(list)
	case p.stored:
		b := admission.NewBuffer(len(p.whole))
		b.B = append(b.B, p.whole...)
		return b, p.encoding, nil
	}
	return r.o.Encoding.encode(p.plain), r.o.Encoding, nil
}

// join builds one body from several parcels. If the parcels are uncompressed, it concatenates them
// and compresses the result. If the parcels are compressed, it concatenates their snappy blocks
// into one block.
func (r *Relay) join(list []*parcel) (*admission.Buffer, Encoding, error) {
	n := 0
	for _, p := range list {
		n += len(p.body())
	}
	b := admission.NewBuffer(n + 16) // the length at the start of the joined block may have more bytes than the lengths in the parcels
	if list[0].plain != nil {
		defer b.Free()
		for _, p := range list {
			b.B = append(b.B, p.plain...)
		}
		return r.o.Encoding.encode(b.B), r.o.Encoding, nil
	}
	blocks := make([][]byte, len(list))
	for i, p := range list {
		blocks[i] = p.whole
	}
	joined, err := s2.ConcatBlocks(b.B, blocks...)
	if err != nil {
		b.Free()
		return nil, 0, err
	}
	b.B = joined
	return b, Snappy, nil
}

// downgraded returns the body of a version 2 parcel after its conversion to version 1.
func (r *Relay) downgraded(p *parcel) (*admission.Buffer, error) {
	plain := p.plain
	if plain == nil {
		b, err := p.encoding.decode(p.whole)
		if err != nil {
			return nil, fmt.Errorf("a queued request cannot be decompressed: %w", err)
		}
		defer b.Free()
		plain = b.B
	}
	b := admission.NewBuffer(2 * len(plain))
	defer b.Free()
	var err error
	if b.B, err = downgrade(b.B, plain, r.mostParts()); err != nil {
		return nil, err
	}
	return r.o.Encoding.encode(b.B), nil
}
