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

// counters are the counters of all requests.
type counters struct {
	outcomes [outcomes]atomic.Int64
	versions [3]atomic.Int64 // number of requests, by version
	received struct{ bytes, decoded, series, samples, histograms, exemplars atomic.Int64 }

	rejected, unlabeled       atomic.Int64 // series
	metadata, metadataDropped atomic.Int64
	remembered                atomic.Int64 // parcels that were accepted in an earlier request, and not posted again

	latency latency.Histogram
}

// arrived counts the contents of a request. It must be called after the request was split.
func (c *counters) arrived(q *request) {
	c.versions[q.dialect.version].Add(1)
	r := &c.received
	r.bytes.Add(int64(len(q.raw.B)))
	r.decoded.Add(int64(len(q.plain.B)))
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

// tenantStats are the counters of a tenant.
type tenantStats struct {
	series, samples, histograms, exemplars atomic.Int64           // numbers of accepted items
	lost                                   [verdicts]atomic.Int64 // series that were not accepted, by verdict; the sender may send them again
	rejected, dropped                      atomic.Int64           // series: rejected by the rules; dropped by the rules
	posts                                  [verdicts]atomic.Int64
	nanoseconds                            atomic.Int64 // total duration of posts
}

func (s *tenantStats) posted(v verdict, took time.Duration) {
	s.posts[v].Add(1)
	s.nanoseconds.Add(int64(took))
}

// count adds the result of a finished parcel.
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

// Stats contains the counters of a relay. They count from the call to New.
type Stats struct {
	Outcomes                              [outcomes]int64 // requests, by Outcome
	V1, V2                                int64           // requests of version 1 and version 2
	Bytes, Decoded                        int64           // total size of all bodies in bytes: as received, and decompressed
	Received                              Counts
	Rejected                              int64 // rejected series of all tenants
	Unlabeled                             int64 // series without a tenant label that were dropped by Tenants.Missing
	Metadata, MetadataDropped, Remembered int64
	Latency                               latency.Snapshot
	Targets                               []TargetStats
	KnownTenants                          int
}

// Counts contains the numbers of series, samples, histograms and exemplars.
type Counts = counts

// TargetStats are the counters of a target.
type TargetStats struct {
	Name string
	Busy int64 // posts in progress
	Open bool  // its circuit is open: it has not responded recently
	V1   bool  // it has rejected version 2 of the protocol

	Missed int64 // series that other targets received, but this target did not
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

// Verdicts contains the name of each possible outcome of a post.
var Verdicts = verdictNames

// TenantStats are the counters of a tenant.
type TenantStats struct {
	Name              string // name in metrics: the tenant's own, or "other"
	Taken             Counts
	Lost, Posts       [verdicts]int64 // series and posts, by verdict
	Rejected, Dropped int64           // series: rejected by the rules; dropped by the rules
	PostTime          time.Duration
	Open              bool // its circuit, or the circuit of a copy, is open
}

// The method addTo adds the counters in `from` to s.
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

// addTo adds the counters of t, and of the copies of t, to s.
func (t *tenant) addTo(s *TenantStats) {
	t.stats.addTo(s)
	for _, c := range t.copies {
		c.stats.addTo(s)
	}
}

// isOpen reports whether the circuit of t or of one of its copies is open.
func (t *tenant) isOpen() bool {
	return t.breaker.open() || slices.ContainsFunc(t.copies, func(c *tenant) bool { return c.breaker.open() })
}

// Tenants returns the counters of the tenants. If several tenants have the same name in metrics, it
// returns the sums of their counters.
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

// QueueTenantStats contains the queued bytes of a tenant, and the age of its oldest item.
type QueueTenantStats struct {
	Name   string // name in metrics: the tenant's own, or "other"
	Bytes  int64
	Oldest time.Duration
}

// Queue returns the counters of the queue. It returns false if no queue is open.
func (r *Relay) Queue() (queue.Stats, bool) {
	if !r.opened.Load() || r.queue == nil {
		return queue.Stats{}, false
	}
	return r.queue.Stats(), true
}

// QueueTenants returns the queued bytes of each tenant that has queued series.
func (r *Relay) QueueTenants() []QueueTenantStats {
	if !r.opened.Load() || r.queue == nil {
		return nil
	}
	named := make(map[string]*QueueTenantStats) // a tenant may have several lines: one for each of its copies
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
