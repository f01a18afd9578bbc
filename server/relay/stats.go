package relay

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/latency"
	"github.com/slipstream-go/slipstream/server/queue"
)

// counters are what requests add to.
type counters struct {
	outcomes [outcomes]atomic.Int64
	versions [3]atomic.Int64 // by version
	received struct{ bytes, decoded, series, samples, histograms, exemplars atomic.Int64 }

	rejected, unlabeled       atomic.Int64 // series
	metadata, metadataDropped atomic.Int64
	remembered                atomic.Int64 // parcels that were not posted again

	latency latency.Histogram
}

// arrived counts what a request brings, once it is taken apart.
func (c *counters) arrived(q *request) {
	c.versions[q.dialect.version].Add(1)
	r := &c.received
	r.bytes.Add(int64(len(q.raw.b)))
	r.decoded.Add(int64(len(q.plain.b)))
	for part := range q.splitter.Parts {
		r.series.Add(int64(part.Series))
		r.samples.Add(int64(part.Samples))
		r.histograms.Add(int64(part.Histograms))
		r.exemplars.Add(int64(part.Exemplars))
	}
}

func (c *counters) answered(o Outcome, took time.Duration) {
	c.outcomes[o].Add(1)
	c.latency.Observe(took)
}

// tenantStats are a tenant's.
type tenantStats struct {
	series, samples, histograms, exemplars atomic.Int64           // that were taken
	lost                                   [verdicts]atomic.Int64 // series that were not, by why; the sender may come again with them
	rejected, dropped                      atomic.Int64           // series: against the rules; by their order
	posts                                  [verdicts]atomic.Int64
	nanoseconds                            atomic.Int64 // of posts
}

func (s *tenantStats) posted(v verdict, took time.Duration) {
	s.posts[v].Add(1)
	s.nanoseconds.Add(int64(took))
}

// count counts a parcel that is done.
func (s *tenantStats) count(p *parcel) {
	switch {
	case p.result.again:
		return
	case p.result.verdict != taken:
		s.lost[p.result.verdict].Add(p.counts.Series)
		return
	}
	s.series.Add(p.counts.Series)
	s.samples.Add(p.counts.Samples)
	s.histograms.Add(p.counts.Histograms)
	s.exemplars.Add(p.counts.Exemplars)
}

// Stats are the counters of the relay since the start.
type Stats struct {
	Outcomes                              [outcomes]int64 // requests, by Outcome
	V1, V2                                int64           // requests, by version
	Bytes, Decoded                        int64           // of bodies, as received and decompressed
	Received                              Counts
	Rejected                              int64 // series that were refused, of all tenants
	Unlabeled                             int64 // series without a tenant that were dropped by policy
	Metadata, MetadataDropped, Remembered int64
	Latency                               latency.Snapshot
	Targets                               []TargetStats
	KnownTenants                          int
}

// Counts are counts of a request's content.
type Counts = counts

// TargetStats are the counters of a target.
type TargetStats struct {
	Name string
	Busy int64 // posts under way
	Open bool  // its circuit: it has not answered recently
	V1   bool  // it has refused version 2 of the protocol

	Missed int64 // series that are lost for it alone
}

// Stats returns the current counters.
func (r *Relay) Stats() Stats {
	c := &r.counters
	s := Stats{
		V1: c.versions[remotewrite.V1].Load(), V2: c.versions[remotewrite.V2].Load(),
		Bytes: c.received.bytes.Load(), Decoded: c.received.decoded.Load(),
		Received: counts{c.received.series.Load(), c.received.samples.Load(), c.received.histograms.Load(), c.received.exemplars.Load()},
		Rejected: c.rejected.Load(), Unlabeled: c.unlabeled.Load(),
		Metadata: c.metadata.Load(), MetadataDropped: c.metadataDropped.Load(), Remembered: c.remembered.Load(),
		Latency: c.latency.Read(),
	}
	for i := range s.Outcomes {
		s.Outcomes[i] = c.outcomes[i].Load()
	}
	now := time.Now()
	for _, t := range r.targets {
		s.Targets = append(s.Targets, TargetStats{t.name(), t.busy.Load(), t.breaker.open(), !t.takesV2(now), t.missed.Load()})
	}
	r.tenants.mu.RLock()
	s.KnownTenants = len(r.tenants.byID)
	r.tenants.mu.RUnlock()
	return s
}

// Verdicts are the names of the outcomes of a post.
var Verdicts = verdictNames

// TenantStats are the counters of a tenant.
type TenantStats struct {
	Name              string // in metrics: its own, or "other"
	Taken             Counts
	Lost, Posts       [verdicts]int64 // series and posts, by verdict
	Rejected, Dropped int64           // series: against the rules; by their order
	PostTime          time.Duration
	Open              bool // its circuit
}

// addTo adds what was counted to s.
func (from *tenantStats) addTo(s *TenantStats) {
	s.Taken.add(counts{from.series.Load(), from.samples.Load(), from.histograms.Load(), from.exemplars.Load()})
	for v := range verdicts {
		s.Lost[v] += from.lost[v].Load()
		s.Posts[v] += from.posts[v].Load()
	}
	s.Rejected += from.rejected.Load()
	s.Dropped += from.dropped.Load()
	s.PostTime += time.Duration(from.nanoseconds.Load())
}

// addTo adds what was counted for t and its copies to s.
func (t *tenant) addTo(s *TenantStats) {
	t.stats.addTo(s)
	for _, c := range t.copies {
		c.stats.addTo(s)
	}
}

// isOpen reports whether a circuit of t is open.
func (t *tenant) isOpen() bool {
	return t.breaker.open() || slices.ContainsFunc(t.copies, func(c *tenant) bool { return c.breaker.open() })
}

// Tenants returns the counters of tenants. Tenants with the same name in metrics are added.
func (r *Relay) Tenants() []TenantStats {
	ts := &r.tenants
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.sweep(time.Now().Unix())
	rest := ts.gone
	rest.Name = others
	list := make([]TenantStats, 0, ts.named+1)
	for _, t := range ts.byID {
		s := &rest
		if t.label != others {
			list = append(list, TenantStats{Name: t.label})
			s = &list[len(list)-1]
		}
		t.addTo(s)
		s.Open = s.Open || t.isOpen()
	}
	return append(list, rest)
}

// QueueTenantStats are the queued bytes of a tenant.
type QueueTenantStats struct {
	Name   string // in metrics: its own, or "other"
	Bytes  int64
	Oldest time.Duration
}

// Queue returns the counters of the queue, or false if there is none.
func (r *Relay) Queue() (queue.Stats, bool) {
	if !r.opened.Load() || r.queue == nil {
		return queue.Stats{}, false
	}
	return r.queue.Stats(), true
}

// QueueTenants returns the tenants with queued series.
func (r *Relay) QueueTenants() []QueueTenantStats {
	if !r.opened.Load() || r.queue == nil {
		return nil
	}
	named := make(map[string]*QueueTenantStats) // a tenant may have several lines
	rest := QueueTenantStats{Name: others}
	r.tenants.mu.RLock()
	defer r.tenants.mu.RUnlock()
	for st := range r.queue.Tenants {
		to := &rest
		key, _, _ := strings.Cut(st.Tenant, lineMark)
		if t := r.tenants.byID[key]; t != nil && t.label != others {
			if to = named[key]; to == nil {
				to = &QueueTenantStats{Name: t.label}
				named[key] = to
			}
		}
		to.Bytes += st.Bytes
		to.Oldest = max(to.Oldest, st.Oldest)
	}
	list := make([]QueueTenantStats, 0, len(named)+1)
	for _, st := range named {
		list = append(list, *st)
	}
	return append(list, rest)
}
