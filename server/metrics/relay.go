package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slipstream-go/slipstream/server/queue"
	"github.com/slipstream-go/slipstream/server/relay"
)

// Relay exports the statistics of the relay. The label named tenant has a limited number of values:
// see relay.TenantStats.
type Relay struct{ Of *relay.Relay }

var _ prometheus.Collector = Relay{}

var (
	relayRequests = describe("relay_requests_total", "Remote Write requests by outcome.", "outcome")
	relayVersions = describe("relay_protocol_requests_total", "Readable Remote Write requests by protocol version.", "version")
	relayLatency  = describe("relay_request_seconds", "Time from the headers of a Remote Write request to its response.")
	relayReceived = describe("relay_received_total", "Received series, samples, native histograms and exemplars.", "kind")
	postTimes     = describe("relay_post_seconds", "Duration of posts to targets, including retries at other targets, by tenant class and status.", "class", "status")
	targetPosts   = describe("relay_target_posts", "Number of posts to the target that are in progress.", "target")
	targetUp      = describe("relay_target_up", "0 while the target's circuit is open because the target did not respond.", "target")
	targetMissed  = describe("relay_target_missed_series_total", "Series that the target missed and other targets received.", "target")
	targetV2      = describe("relay_target_takes_v2", "0 for some time after the target rejected Remote Write 2.0.", "target")

	tenantTaken   = describe("relay_tenant_taken_total", "Series, samples, native histograms and exemplars accepted by targets, queue or log.", "tenant", "kind")
	tenantFailed  = describe("relay_tenant_failed_series_total", "Series that were not accepted, by verdict. Senders are asked to retry series with the verdict limited or failed.", "tenant", "verdict")
	tenantRefused = describe("relay_tenant_rejected_series_total", "Series of the tenant that violate the protocol or the rules.", "tenant")
	tenantDropped = describe("relay_tenant_dropped_series_total", "Series of the tenant that were dropped as configured.", "tenant")
	tenantPosts   = describe("relay_tenant_posts_total", "Posts of the tenant's series, by verdict.", "tenant", "verdict")
	tenantSeconds = describe("relay_tenant_post_seconds_total", "Total duration of the posts of the tenant's series.", "tenant")
	tenantUp      = describe("relay_tenant_up", "0 while the tenant's circuit is open because no target accepted the tenant's series.", "tenant")

	queueLost        = describe("relay_queue_lost_total", "Items and samples that the queue lost, by reason: refused by a target, too old (age), queue full (room), or disk damage.", "reason", "kind")
	queueTenantBytes = describe("relay_queue_tenant_bytes", "Queued bytes of the tenant.", "tenant")
	queueTenantAge   = describe("relay_queue_tenant_oldest_seconds", "Age of the tenant's oldest queued item.", "tenant")
)

var ofRelay = []metric[relay.Stats]{
	counter("relay_received_bytes_total", "Bytes of request bodies before decompression.", func(s relay.Stats) float64 { return float64(s.Bytes) }),
	counter("relay_decoded_bytes_total", "Bytes of request bodies after decompression.", func(s relay.Stats) float64 { return float64(s.Decoded) }),
	counter("relay_rejected_series_total", "Series of all tenants that violate the protocol or the rules.", func(s relay.Stats) float64 { return float64(s.Rejected) }),
	counter("relay_unlabeled_series_total", "Series that were dropped because they have no tenant label.", func(s relay.Stats) float64 { return float64(s.Unlabeled) }),
	counter("relay_metadata_total", "Received metadata entries of Remote Write 1.0.", func(s relay.Stats) float64 { return float64(s.Metadata) }),
	counter("relay_metadata_dropped_total", "Metadata entries of Remote Write 1.0 that were dropped.", func(s relay.Stats) float64 { return float64(s.MetadataDropped) }),
	counter("relay_remembered_total", "Parts of retried requests that were not delivered again, because a target had already accepted these parts.", func(s relay.Stats) float64 { return float64(s.Remembered) }),
	gauge("relay_tenants", "Number of recently active tenants.", func(s relay.Stats) float64 { return float64(s.KnownTenants) }),
}

var ofQueue = []metric[queue.Stats]{
	gauge("relay_queue_items", "Number of queued items. An item is one tenant's part of a request.", func(s queue.Stats) float64 { return float64(s.Items) }),
	gauge("relay_queue_bytes", "Queued bytes, including the overhead of each item.", func(s queue.Stats) float64 { return float64(s.Bytes) }),
	gauge("relay_queue_memory_bytes", "Queued bytes that are held in memory.", func(s queue.Stats) float64 { return float64(s.Memory) }),
	gauge("relay_queue_oldest_seconds", "Age of the oldest queued item.", func(s queue.Stats) float64 { return s.Oldest.Seconds() }),
	gauge("relay_queue_tenants", "Number of tenants that have queued items.", func(s queue.Stats) float64 { return float64(s.Tenants) }),
	counter("relay_queue_taken_total", "Items that were added to the queue, including items found at startup.", func(s queue.Stats) float64 { return float64(s.Taken.Items) }),
	counter("relay_queue_delivered_total", "Queued items that a target accepted.", func(s queue.Stats) float64 { return float64(s.Delivered.Items) }),
	counter("relay_queue_retries_total", "Failed deliveries of queued items. Every failed delivery is repeated.", func(s queue.Stats) float64 { return float64(s.Retries) }),
	counter("relay_queue_rewritten_bytes_total", "Bytes of the queue's log that were rewritten to free old segments.", func(s queue.Stats) float64 { return float64(s.Rewritten) }),
	gauge("relay_queue_disk_bytes", "Size of the queue's log in bytes.", func(s queue.Stats) float64 { return float64(s.Log.Size) }),
	counter("relay_queue_damage_total", "Damaged places of the queue's log that were found and set aside at startup.", func(s queue.Stats) float64 { return float64(s.Salvaged.Places) }),
	counter("relay_queue_damaged_records_total", "Maximum number of records that were lost because the queue's log was damaged.", func(s queue.Stats) float64 { return float64(s.Salvaged.Records) }),
	gauge("relay_queue_set_aside_files", "Files in the queue directory that contain damaged parts of the queue's log.", func(s queue.Stats) float64 { return float64(s.Salvaged.Files) }),
	gauge("relay_queue_low_disk", "1 while the queue refuses items because free disk space is below the minimum.", func(s queue.Stats) float64 { return oneIf(s.Log.LowDisk) }),
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
