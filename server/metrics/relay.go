package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slipstream-go/slipstream/server/queue"
	"github.com/slipstream-go/slipstream/server/relay"
)

// Relay reads the statistics of the relay. Labels called tenant have a bounded number of values: see relay.TenantStats.
type Relay struct{ Of *relay.Relay }

var _ prometheus.Collector = Relay{}

var (
	relayRequests = describe("relay_requests_total", "Requests of Remote Write by how they ended.", "outcome")
	relayVersions = describe("relay_protocol_requests_total", "Requests that could be read, by version of the protocol.", "version")
	relayLatency  = describe("relay_request_seconds", "From the head of a request to its answer.")
	relayReceived = describe("relay_received_total", "What requests held: series, samples, native histograms, exemplars.", "kind")
	postTimes     = describe("relay_post_seconds", "How long posts took, with repetitions at other targets, by class of tenants and status.", "class", "status")
	targetPosts   = describe("relay_target_posts", "Posts under way.", "target")
	targetUp      = describe("relay_target_up", "0 while a target is given a rest, because it did not answer.", "target")
	targetMissed  = describe("relay_target_missed_series_total", "Series that were lost for a target alone: others have taken them.", "target")
	targetV2      = describe("relay_target_takes_v2", "0 for a while after a target has refused version 2 of the protocol.", "target")

	tenantTaken   = describe("relay_tenant_taken_total", "What targets, queue or log have taken for a tenant: series, samples, native histograms, exemplars.", "tenant", "kind")
	tenantFailed  = describe("relay_tenant_failed_series_total", "Series that were not taken, by why. Of those that are limited or failed the sender is told to come again.", "tenant", "verdict")
	tenantRefused = describe("relay_tenant_rejected_series_total", "Series that are against the rules.", "tenant")
	tenantDropped = describe("relay_tenant_dropped_series_total", "Series that the settings have dropped.", "tenant")
	tenantPosts   = describe("relay_tenant_posts_total", "Posts, by how they ended.", "tenant", "verdict")
	tenantSeconds = describe("relay_tenant_post_seconds_total", "How long posts took together.", "tenant")
	tenantUp      = describe("relay_tenant_up", "0 while nothing is posted for a tenant, because no target took it.", "tenant")

	queueLost        = describe("relay_queue_lost_total", "Items and samples that were given up: refused by a target, too old, to make room, or damaged on the disk.", "reason", "kind")
	queueTenantBytes = describe("relay_queue_tenant_bytes", "Bytes that wait for a tenant.", "tenant")
	queueTenantAge   = describe("relay_queue_tenant_oldest_seconds", "How long the oldest of them has waited.", "tenant")
)

var ofRelay = []metric[relay.Stats]{
	counter("relay_received_bytes_total", "Bytes of bodies, as received.", func(s relay.Stats) float64 { return float64(s.Bytes) }),
	counter("relay_decoded_bytes_total", "Bytes of bodies, decompressed.", func(s relay.Stats) float64 { return float64(s.Decoded) }),
	counter("relay_rejected_series_total", "Series that are against the protocol or the rules, whoever's they are.", func(s relay.Stats) float64 { return float64(s.Rejected) }),
	counter("relay_unlabeled_series_total", "Series without a tenant that were dropped.", func(s relay.Stats) float64 { return float64(s.Unlabeled) }),
	counter("relay_metadata_total", "Entries of metadata of version 1.", func(s relay.Stats) float64 { return float64(s.Metadata) }),
	counter("relay_metadata_dropped_total", "Those of them that went nowhere.", func(s relay.Stats) float64 { return float64(s.MetadataDropped) }),
	counter("relay_remembered_total", "Tenants' parts of requests that came again and had been delivered.", func(s relay.Stats) float64 { return float64(s.Remembered) }),
	gauge("relay_tenants", "Tenants that have written of late.", func(s relay.Stats) float64 { return float64(s.KnownTenants) }),
}

var ofQueue = []metric[queue.Stats]{
	gauge("relay_queue_items", "Tenants' requests that wait.", func(s queue.Stats) float64 { return float64(s.Items) }),
	gauge("relay_queue_bytes", "Bytes that wait, and some for each item.", func(s queue.Stats) float64 { return float64(s.Bytes) }),
	gauge("relay_queue_memory_bytes", "Bytes that wait in memory.", func(s queue.Stats) float64 { return float64(s.Memory) }),
	gauge("relay_queue_oldest_seconds", "How long the oldest item has waited.", func(s queue.Stats) float64 { return s.Oldest.Seconds() }),
	gauge("relay_queue_tenants", "Tenants for whom something waits.", func(s queue.Stats) float64 { return float64(s.Tenants) }),
	counter("relay_queue_taken_total", "Items that were put into the queue, or found in it at the start.", func(s queue.Stats) float64 { return float64(s.Taken.Items) }),
	counter("relay_queue_delivered_total", "Items that a target has taken.", func(s queue.Stats) float64 { return float64(s.Delivered.Items) }),
	counter("relay_queue_retries_total", "Deliveries that failed and are tried again.", func(s queue.Stats) float64 { return float64(s.Retries) }),
	counter("relay_queue_rewritten_bytes_total", "Bytes that were written again, so that old segments could go.", func(s queue.Stats) float64 { return float64(s.Rewritten) }),
	gauge("relay_queue_disk_bytes", "Bytes of the queue's log.", func(s queue.Stats) float64 { return float64(s.Log.Size) }),
	counter("relay_queue_damage_total", "Damaged places of the queue's log that the start found and set aside.", func(s queue.Stats) float64 { return float64(s.Salvaged.Places) }),
	counter("relay_queue_damaged_records_total", "Records of the queue's log that are lost by that, at most.", func(s queue.Stats) float64 { return float64(s.Salvaged.Records) }),
	gauge("relay_queue_set_aside_files", "Files in the queue's directory that hold damaged parts of its log.", func(s queue.Stats) float64 { return float64(s.Salvaged.Files) }),
	gauge("relay_queue_low_disk", "1 while the queue takes nothing because the disk is nearly full.", func(s queue.Stats) float64 { return oneIf(s.Log.LowDisk) }),
}

// Describe implements prometheus.Collector.
func (c Relay) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		relayRequests, relayVersions, relayLatency, relayReceived, postTimes, targetPosts, targetUp, targetMissed, targetV2,
		tenantTaken, tenantFailed, tenantRefused, tenantDropped, tenantPosts, tenantSeconds, tenantUp, queueTenantBytes, queueTenantAge,
	} {
		out <- d
	}
	describeAll(out, ofRelay)
	describeAll(out, ofQueue)
	out <- queueLost
}

// Collect implements prometheus.Collector.
func (c Relay) Collect(out chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	sendCounts := func(d *prometheus.Desc, n relay.Counts, labels ...string) {
		for _, one := range []struct {
			kind string
			n    int64
		}{{"series", n.Series}, {"samples", n.Samples}, {"histograms", n.Histograms}, {"exemplars", n.Exemplars}} {
			send(d, prometheus.CounterValue, float64(one.n), append(labels, one.kind)...)
		}
	}
	s := c.Of.Stats()
	collectAll(out, ofRelay, s)
	for o, n := range s.Outcomes {
		send(relayRequests, prometheus.CounterValue, float64(n), relay.Outcome(o).String())
	}
	for v, n := range []int64{s.V1, s.V2} {
		send(relayVersions, prometheus.CounterValue, float64(n), strconv.Itoa(v+1))
	}
	sendCounts(relayReceived, s.Received)
	out <- prometheus.MustNewConstHistogram(relayLatency, s.Latency.Count, s.Latency.Sum.Seconds(), s.Latency.Buckets)
	for _, p := range c.Of.PostTimes() {
		out <- prometheus.MustNewConstHistogram(postTimes, p.Count, p.Sum.Seconds(), p.Buckets, p.Class, p.Status)
	}
	for _, t := range s.Targets {
		send(targetPosts, prometheus.GaugeValue, float64(t.Busy), t.Name)
		send(targetUp, prometheus.GaugeValue, oneIf(!t.Open), t.Name)
		send(targetMissed, prometheus.CounterValue, float64(t.Missed), t.Name)
		send(targetV2, prometheus.GaugeValue, oneIf(!t.V1), t.Name)
	}
	for _, t := range c.Of.Tenants() {
		sendCounts(tenantTaken, t.Taken, t.Name)
		for v, name := range relay.Verdicts {
			if v > 0 {
				send(tenantFailed, prometheus.CounterValue, float64(t.Lost[v]), t.Name, name)
			}
			send(tenantPosts, prometheus.CounterValue, float64(t.Posts[v]), t.Name, name)
		}
		send(tenantRefused, prometheus.CounterValue, float64(t.Rejected), t.Name)
		send(tenantDropped, prometheus.CounterValue, float64(t.Dropped), t.Name)
		send(tenantSeconds, prometheus.CounterValue, t.PostTime.Seconds(), t.Name)
		send(tenantUp, prometheus.GaugeValue, oneIf(!t.Open), t.Name)
	}
	q, ok := c.Of.Queue()
	if !ok {
		return
	}
	collectAll(out, ofQueue, q)
	for _, lost := range []struct {
		reason string
		n      queue.Count
	}{{"refused", q.Refused}, {"age", q.Dropped.Age}, {"room", q.Dropped.Bytes}, {"damage", q.Dropped.Damage}} {
		send(queueLost, prometheus.CounterValue, float64(lost.n.Items), lost.reason, "items")
		send(queueLost, prometheus.CounterValue, float64(lost.n.Notes[1]+lost.n.Notes[2]), lost.reason, "samples")
	}
	for _, t := range c.Of.QueueTenants() {
		send(queueTenantBytes, prometheus.GaugeValue, float64(t.Bytes), t.Name)
		send(queueTenantAge, prometheus.GaugeValue, t.Oldest.Seconds(), t.Name)
	}
}
