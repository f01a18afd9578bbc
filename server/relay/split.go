package relay

import (
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// losses contains the number of series of a request that are not delivered, and the reasons, which
// the sender gets.
type losses struct {
	series int
	texts  []string
	more   int
}

// maxTexts is the maximum number of reasons in a response.
const maxTexts = 4

func (l *losses) reset() { *l = losses{texts: l.texts[:0]} }

func (l *losses) add(series int, format string, args ...any) {
	l.series += series
	if len(l.texts) == maxTexts {
		l.more++
		return
	}
	l.texts = append(l.texts, fmt.Sprintf(format, args...))
}

// split divides the request into parcels, one for each tenant.
func (q *request) split(rules *Rules) *refusal {
	o := &q.relay.o
	by := remotewrite.By{Labels: o.Tenants.Labels, Remove: o.Tenants.Remove, Sound: true, MaxParts: o.Bounds.Tenants, MaxSeries: o.Bounds.Series, MaxSymbols: o.Bounds.Symbols}
	if o.Tenants.Missing == Fallback {
		by.Default = o.Tenants.Default
	}
	if rules.looksAtSeries() {
		if q.accept == nil {
			q.accept = q.acceptSeries
		}
		by.Accept = q.accept
	}
	q.rules = rules
	if err := q.splitter.Split(q.plain.B, q.dialect.version, by); err != nil {
		return q.errSplit(err)
	}
	q.relay.counters.arrived(q)
	if n, first := q.splitter.Rejected(); n > 0 {
		for _, one := range first {
			q.losses.add(1, "series %d: %v", one.Series, one.Cause)
		}
		q.losses.series += n - len(first)
		q.losses.more += n - len(first)
		q.relay.counters.rejected.Add(int64(n))
	}
	q.readMetadata()
	if q.makeRoom() != nil {
		return errBusy
	}
	for part := range q.splitter.Parts {
		if err := q.route(part); err != nil {
			return err
		}
	}
	if err := q.routeMetadata(); err != nil {
		return err
	}
	q.freeUnused()
	return nil
}

// freeUnused frees the buffers that no parcel refers to. Usually, these are the largest buffers of
// the request. They are freed before the targets respond, so that the next request decompresses its
// body into memory that is still in the processor cache.
func (q *request) freeUnused() {
	entire, copied := false, false
	for i := range q.parcels {
		p := &q.parcels[i]
		entire = entire || p.entire
		copied = copied || p.plain != nil
	}
	if entire {
		return
	}
	q.splitter.Reset() // its parts are views of the body
	q.held.Drop(q.raw)
	q.held.Drop(q.plain)
	q.raw, q.plain = nil, nil
	if !copied && q.parts != nil {
		q.held.Drop(q.parts)
		q.parts = nil
	}
}

func (q *request) errSplit(err error) *refusal {
	if errors.Is(err, remotewrite.ErrParts) {
		return refuse(Invalid, "the request has more than %d tenants: split it, or raise --relay.max-tenants", q.relay.o.Bounds.Tenants)
	}
	if errors.Is(err, remotewrite.ErrSeries) || errors.Is(err, remotewrite.ErrSymbols) {
		return refuse(TooLarge, "the request has more than %d series or %d symbols: send smaller batches", q.relay.o.Bounds.Series, q.relay.o.Bounds.Symbols)
	}
	return refuse(Invalid, "the body is damaged: %+v", err)
}

// route makes a parcel from a part. If the part cannot be delivered, route counts its series as
// lost.
func (q *request) route(part *remotewrite.Part) *refusal {
	r := q.relay
	if part.Missing() {
		if r.o.Tenants.Missing == Drop {
			r.counters.unlabeled.Add(int64(part.Series))
			return nil
		}
		r.counters.rejected.Add(int64(part.Series))
		q.losses.add(part.Series, "%d series have none of the tenant labels %q", part.Series, r.o.Tenants.Labels)
		return nil
	}
	if !q.credential.allows(part.Key()) {
		q.lose(part, errNotAllowed)
		return nil
	}
	t, err := r.tenant(q.keyOf(part.Key()))
	if err != nil {
		return refuse(Overloaded, "%v", err)
	}
	to := t.route.Load()
	switch {
	case to.rule.Drop:
		t.stats.dropped.Add(int64(part.Series))
		return nil
	case to.err != nil:
		err = to.err
	case to.rule.SeriesPerRequest > 0 && part.Series > to.rule.SeriesPerRequest:
		err = fmt.Errorf("%d series in one request exceed the maximum of %d", part.Series, to.rule.SeriesPerRequest)
	}
	if err != nil {
		t.stats.rejected.Add(int64(part.Series))
		q.lose(part, err)
		return nil
	}
	return q.pack(part, t)
}

// keyOf returns the key of a tenant. The argument `name` is the name that the sender uses for the
// tenant. The returned key is valid until the next call.
func (q *request) keyOf(name []byte) []byte {
	if q.credential.prefix == "" {
		return name
	}
	q.key = append(append(q.key[:0], q.credential.prefix...), name...)
	return q.key
}

// lose counts the series of a part as lost, and records the reason.
func (q *request) lose(part *remotewrite.Part, err error) {
	q.relay.counters.rejected.Add(int64(part.Series))
	q.losses.add(part.Series, "tenant %s: %v", clipBytes(part.Key()), err)
}

var errNotAllowed = errors.New("credentials not valid for this tenant")

// early is the minimum size of parts that are compressed immediately after they are copied, while
// they are still in the processor cache. Smaller parts may be sent in the same post as other parts,
// and are compressed together with them.
const early = 8 << 10

// makeRoom allocates the buffer for the parts. Parts that are compressed early use the same memory
// one after the other.
func (q *request) makeRoom() (err error) {
	if q.splitter.Whole() {
		return nil
	}
	n, largest := 0, 0
	for part := range q.splitter.Parts {
		if size := part.Size() + len(q.metadata); size < early || q.relay.lands() {
			n += size
		} else {
			largest = max(largest, size)
		}
	}
	q.parts, err = q.held.Buffer(n + largest)
	return err
}

// pack makes a parcel from a part.
func (q *request) pack(part *remotewrite.Part, t *tenant) *refusal {
	r := q.relay
	p := q.newParcel(t)
	p.counts = counts{int64(part.Series), int64(part.Samples), int64(part.Histograms), int64(part.Exemplars)}
	if p.entire = q.splitter.Whole() || q.splitter.WholeWithMetadata() && q.hasMetadata(t); p.entire {
		p.plain, p.bytes = q.plain.B, len(q.plain.B)
		if q.encoding == Snappy || q.encoding == r.o.Encoding { // every target accepts snappy
			p.whole, p.encoding = q.raw.B, q.encoding
		}
		return nil
	}
	from := len(q.parts.B)
	had := cap(q.parts.B)
	b := part.Append(q.parts.B)
	if q.hasMetadata(t) {
		b = append(b, q.metadata...)
	}
	if more := cap(b) - had; more > 0 && q.held.Take(int64(more)) != nil {
		return errBusy
	}
	q.parts.B, p.plain = b, b[from:len(b):len(b)] // if Append has moved the buffer, earlier parts stay in the old memory
	p.bytes = len(p.plain)
	if q.copied += p.bytes; q.copied > r.mostParts() {
		return refuse(TooLarge, "the body, split by tenant, has more than %d bytes: send smaller batches", r.mostParts())
	}
	if p.bytes >= early && !r.lands() {
		p.made = r.o.Encoding.encode(p.plain)
		p.whole, p.encoding, p.plain = p.made.B, r.o.Encoding, nil
		q.parts.B = b[:from]
		if q.held.Take(int64(cap(p.made.B))) != nil {
			return errBusy
		}
	}
	return nil
}

// mostParts returns the maximum total size of all parts of a request, in bytes. In version 2, the
// parts can be many times larger than the body, because each part contains all symbols that its
// series refer to. A single part is never much larger than the body.
func (r *Relay) mostParts() int { return 2 * r.o.Bounds.Decoded }

func (q *request) newParcel(t *tenant) *parcel {
	q.parcels = append(q.parcels, parcel{tenant: t, version: q.dialect.version, attempt: attemptOf(q.head.Header), done: &q.done})
	return &q.parcels[len(q.parcels)-1]
}

// acceptSeries checks a series against the rules of its tenant.
func (q *request) acceptSeries(key []byte, s *remotewrite.SeriesView) error {
	if len(key) == 0 || len(key) > maxListed {
		return nil // the whole part will be rejected
	}
	t, name := q.last, key
	key = q.keyOf(name)
	if t == nil || t.key != string(key) {
		if !q.credential.allows(name) {
			return nil // the whole part will be rejected, and must not change the state of the tenant
		}
		var err error
		if t, err = q.relay.tenant(key); err != nil {
			return nil // the whole request will be rejected for this reason
		}
		q.last = t
		t.active.turn(time.Now())
	}
	rule := t.route.Load().rule
	if rule.filters() && !rule.wants(s) {
		t.stats.dropped.Add(1)
		return remotewrite.ErrLeftOut
	}
	if !rule.boundsSeries() {
		return nil
	}
	var h maphash.Hash
	h.SetSeed(seed)
	n := 0
	for name, value := range s.Labels {
		n++
		switch {
		case rule.LabelNameBytes > 0 && len(name) > rule.LabelNameBytes:
			return q.outOfBounds(t, "a label name has %d bytes: at most %d are allowed (%s)", len(name), rule.LabelNameBytes, clipBytes(name))
		case rule.LabelValueBytes > 0 && len(value) > rule.LabelValueBytes:
			return q.outOfBounds(t, "the value of the label %s has %d bytes: at most %d are allowed", clipBytes(name), len(value), rule.LabelValueBytes)
		}
		if rule.ActiveSeries > 0 {
			if q.hashed += len(name) + len(value); q.hashed > q.relay.mostParts() { // the sum may be large, because any number of series may refer to the same symbol
				return q.outOfBounds(t, "the labels of the request have more than %d bytes", q.relay.mostParts())
			}
			h.Write(name)
			h.WriteByte(0xff)
			h.Write(value)
			h.WriteByte(0xfe)
		}
	}
	switch {
	case rule.LabelsPerSeries > 0 && n > rule.LabelsPerSeries:
		return q.outOfBounds(t, "the series has %d labels: at most %d are allowed", n, rule.LabelsPerSeries)
	case rule.ActiveSeries > 0 && !t.active.admit(h.Sum64(), rule.ActiveSeries):
		return q.outOfBounds(t, "the tenant has reached its limit of %d active series, and this series is new", rule.ActiveSeries)
	}
	return nil
}

// maxListed is the maximum length of a tenant name for which acceptSeries looks up rules. It is
// larger than maxTenant, because the rules may map longer names to shorter IDs.
const maxListed = 1 << 10

// outOfBounds counts a series as rejected, and returns the reason. Only the first few reasons are
// formatted as text, because a request may contain millions of rejected series.
func (q *request) outOfBounds(t *tenant, format string, args ...any) error {
	t.stats.rejected.Add(1)
	if q.outside++; q.outside > maxTexts {
		return errOutside
	}
	return fmt.Errorf("tenant %s: "+format, append([]any{clip(t.key)}, args...)...)
}

var errOutside = errors.New("the series exceeds a limit of its tenant")

// seed is the seed of hashes that are compared only within the process.
var seed = maphash.MakeSeed()
