package remotewrite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// corpus describes a request of an agent in a Kubernetes cluster. A series has 12 sorted labels and
// usually a sample. A pod has 20 series, which are adjacent unless the tenants are mixed.
type corpus struct {
	version remotewrite.Version
	series  int
	tenants int
	mixed   bool // the series are in random order; otherwise the series of a tenant are adjacent
	rich    bool // in each group of eight series, one has a native histogram instead of a sample, and one has an exemplar; there are also metadata
}

// The requests of most cases.
var (
	hundred       = corpus{version: remotewrite.V1, series: 100, tenants: 10}
	thousands     = corpus{version: remotewrite.V1, series: 2000, tenants: 10}
	histograms    = corpus{version: remotewrite.V1, series: 2000, tenants: 10, rich: true}
	hundredTwo    = corpus{version: remotewrite.V2, series: 100, tenants: 10}
	thousandsTwo  = corpus{version: remotewrite.V2, series: 2000, tenants: 10}
	histogramsTwo = corpus{version: remotewrite.V2, series: 2000, tenants: 10, rich: true}
)

// bodySizes contains the lengths of the bodies, on which the throughput is based.
var bodySizes = map[corpus]int{
	hundred:       33_615,
	thousands:     673_480,
	histograms:    722_744,
	hundredTwo:    7_578,
	thousandsTwo:  119_507,
	histogramsTwo: 167_339,

	hundred.of(10, true): 33_615,
	hundred.of(50, true): 33_745,

	thousands.of(1, false):  675_400,
	thousands.of(10, true):  673_480,
	thousands.of(50, false): 674_620,
	thousands.of(50, true):  674_620,

	thousandsTwo.of(1, false): 117_622,
	thousandsTwo.of(10, true): 119_627,
	thousandsTwo.of(50, true): 121_530,
}

// of returns the corpus with another number of tenants.
func (c corpus) of(tenants int, mixed bool) corpus {
	c.tenants, c.mixed = tenants, mixed
	return c
}

// The label that contains the tenant, and the label of an exemplar.
const (
	tenantLabel = "service_id"
	traceLabel  = "trace_id"
)

// name returns the properties that the group of a case does not state.
func (c corpus) name() string {
	name := fmt.Sprintf("%d series", c.series)
	if c.rich {
		name += ", histograms"
	}
	if c.version == remotewrite.V2 {
		name += ", 2.0"
	}
	return name
}

// metrics lists the metrics of a pod.
var metrics = []struct {
	name string
	kind prompb.MetricMetadata_MetricType
	help string
}{
	{"container_cpu_usage_seconds_total", prompb.MetricMetadata_COUNTER, "Cumulative cpu time consumed in seconds."},
	{"container_memory_working_set_bytes", prompb.MetricMetadata_GAUGE, "Current working set in bytes."},
	{"container_network_receive_bytes_total", prompb.MetricMetadata_COUNTER, "Cumulative count of bytes received."},
	{"go_gc_duration_seconds_sum", prompb.MetricMetadata_SUMMARY, "A summary of the pause duration of garbage collection cycles."},
	{"go_goroutines", prompb.MetricMetadata_GAUGE, "Number of goroutines that currently exist."},
	{"go_memstats_alloc_bytes_total", prompb.MetricMetadata_COUNTER, "Total number of bytes allocated, even if freed."},
	{"go_memstats_heap_inuse_bytes", prompb.MetricMetadata_GAUGE, "Number of heap bytes that are in use."},
	{"go_sched_latencies_seconds", prompb.MetricMetadata_HISTOGRAM, "The time goroutines have spent in the scheduler before running."},
	{"grpc_server_handled_total", prompb.MetricMetadata_COUNTER, "Total number of RPCs completed on the server."},
	{"http_request_duration_seconds", prompb.MetricMetadata_HISTOGRAM, "The time that a request took."},
	{"http_request_size_bytes_sum", prompb.MetricMetadata_SUMMARY, "The sizes of requests."},
	{"http_requests_in_flight", prompb.MetricMetadata_GAUGE, "Number of requests that are being served."},
	{"http_requests_total", prompb.MetricMetadata_COUNTER, "Total number of requests by status and method."},
	{"kafka_consumer_lag_records", prompb.MetricMetadata_GAUGE, "How far the consumer is behind."},
	{"process_cpu_seconds_total", prompb.MetricMetadata_COUNTER, "Total user and system CPU time spent in seconds."},
	{"process_open_fds", prompb.MetricMetadata_GAUGE, "Number of open file descriptors."},
	{"process_resident_memory_bytes", prompb.MetricMetadata_GAUGE, "Resident memory size in bytes."},
	{"redis_commands_total", prompb.MetricMetadata_COUNTER, "Total number of commands by name."},
	{"sql_connections_idle", prompb.MetricMetadata_GAUGE, "The number of idle connections."},
	{"up", prompb.MetricMetadata_GAUGE, "Whether the target could be scraped."},
}

var apps = []string{"api", "basket", "catalogue", "frontend", "payments", "search", "shipping", "worker"}

// staleMarker is the NaN with which Prometheus marks the end of a series.
var staleMarker = math.Float64frombits(0x7ff0000000000002)

// request returns the request in version 1, from a fixed seed.
func (c corpus) request() *prompb.WriteRequest {
	r := rand.New(rand.NewPCG(uint64(c.series), uint64(c.tenants)))
	req := new(prompb.WriteRequest)
	var pod []prompb.Label
	var time int64
	for i := range c.series {
		tenant := i * c.tenants / c.series
		if i%len(metrics) == 0 || tenant != (i-1)*c.tenants/c.series {
			pod, time = newPod(r, tenant), 1_760_000_000_000+r.Int64N(15_000)
		}
		labels := append([]prompb.Label(nil), pod...)
		labels[0].Value = metrics[i%len(metrics)].name
		s := prompb.TimeSeries{Labels: labels, Samples: []prompb.Sample{{Value: value(r), Timestamp: time}}}
		switch {
		case c.rich && i%8 == 0:
			s.Samples, s.Histograms = nil, []prompb.Histogram{histogram(r, i%16 == 0, time)}
		case c.rich && i%8 == 4:
			trace := prompb.Label{Name: traceLabel, Value: fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())}
			s.Exemplars = []prompb.Exemplar{{Labels: []prompb.Label{trace}, Value: r.Float64(), Timestamp: time - 7}}
		}
		req.Timeseries = append(req.Timeseries, s)
	}
	if c.mixed {
		r.Shuffle(c.series, func(i, j int) { req.Timeseries[i], req.Timeseries[j] = req.Timeseries[j], req.Timeseries[i] })
	}
	if c.rich {
		for _, m := range metrics {
			req.Metadata = append(req.Metadata, prompb.MetricMetadata{Type: m.kind, MetricFamilyName: m.name, Help: m.help})
		}
	}
	return req
}

// newPod returns the labels of a pod. The first is the metric's name, which is empty.
func newPod(r *rand.Rand, tenant int) []prompb.Label {
	app := apps[r.IntN(len(apps))]
	ip := [...]any{10, r.IntN(256), r.IntN(256), r.IntN(256)}
	return []prompb.Label{
		{Name: "__name__"},
		{Name: "cluster", Value: "prod-1"},
		{Name: "container", Value: app},
		{Name: "endpoint", Value: "http-metrics"},
		{Name: "instance", Value: fmt.Sprintf("%d.%d.%d.%d:8080", ip[:]...)},
		{Name: "job", Value: "kubernetes-pods"},
		{Name: "metrics_path", Value: "/metrics"},
		{Name: "namespace", Value: "shop"},
		{Name: "node", Value: fmt.Sprintf("ip-%d-%d-%d-%d.internal", ip[:]...)},
		{Name: "pod", Value: fmt.Sprintf("%s-%s-%s", app, letters(r, 10), letters(r, 5))},
		{Name: "service", Value: app},
		{Name: tenantLabel, Value: fmt.Sprintf("team-%02d", tenant)},
	}
}

// letters returns random characters of the kind that Kubernetes uses in names.
func letters(r *rand.Rand, n int) string {
	const safe = "bcdfghjklmnpqrstvwxz2456789"
	var b strings.Builder
	for range n {
		b.WriteByte(safe[r.IntN(len(safe))])
	}
	return b.String()
}

// value returns a count, a measurement, or sometimes a stale marker.
func value(r *rand.Rand) float64 {
	switch n := r.IntN(100); {
	case n == 0:
		return staleMarker
	case n < 50:
		return float64(r.IntN(1_000_000_000))
	}
	return r.ExpFloat64()
}

// histogram returns a histogram with two spans on each side. Its counts are integers if whole is
// set, and floats otherwise.
func histogram(r *rand.Rand, whole bool, time int64) prompb.Histogram {
	spans := func() []prompb.BucketSpan {
		return []prompb.BucketSpan{{Offset: int32(r.IntN(20)) - 10, Length: 5}, {Offset: 1 + int32(r.IntN(4)), Length: 3}}
	}
	h := prompb.Histogram{
		Sum: r.ExpFloat64() * 1e6, Schema: 3, ZeroThreshold: 0x1p-128, NegativeSpans: spans(), PositiveSpans: spans(),
		ResetHint: prompb.Histogram_NO, Timestamp: time,
	}
	if whole {
		h.Count = &prompb.Histogram_CountInt{CountInt: r.Uint64N(1e6)}
		h.ZeroCount = &prompb.Histogram_ZeroCountInt{ZeroCountInt: r.Uint64N(100)}
	} else {
		h.Count = &prompb.Histogram_CountFloat{CountFloat: r.Float64() * 1e6}
		h.ZeroCount = &prompb.Histogram_ZeroCountFloat{ZeroCountFloat: r.Float64()}
	}
	for range 8 {
		if whole {
			h.NegativeDeltas, h.PositiveDeltas = append(h.NegativeDeltas, r.Int64N(300)-150), append(h.PositiveDeltas, r.Int64N(30)-15)
		} else {
			h.NegativeCounts, h.PositiveCounts = append(h.NegativeCounts, r.Float64()), append(h.PositiveCounts, r.Float64())
		}
	}
	return h
}

// requestTwo returns the request in version 2, in which each series contains its metadata.
func (c corpus) requestTwo() (*writev2.Request, error) {
	table := writev2.NewSymbolTable()
	refs := func(labels []prompb.Label) []uint32 { return symbolize(&table, nil, labels) }
	req := new(writev2.Request)
	for _, one := range c.request().Timeseries {
		two := writev2.TimeSeries{LabelsRefs: refs(one.Labels)}
		for _, s := range one.Samples {
			two.Samples = append(two.Samples, writev2.Sample{Value: s.Value, Timestamp: s.Timestamp})
		}
		for _, e := range one.Exemplars {
			two.Exemplars = append(two.Exemplars, writev2.Exemplar{LabelsRefs: refs(e.Labels), Value: e.Value, Timestamp: e.Timestamp})
		}
		for _, h := range one.Histograms {
			wire, err := h.Marshal() // version 2 has the same field numbers
			if err != nil {
				return nil, err
			}
			two.Histograms = append(two.Histograms, writev2.Histogram{})
			if err := two.Histograms[len(two.Histograms)-1].Unmarshal(wire); err != nil {
				return nil, err
			}
		}
		for _, m := range metrics {
			if m.name == one.Labels[0].Value {
				two.Metadata = writev2.Metadata{Type: writev2.Metadata_MetricType(m.kind), HelpRef: table.Symbolize(m.help)}
			}
		}
		req.Timeseries = append(req.Timeseries, two)
	}
	req.Symbols = table.Symbols()
	return req, nil
}

// body returns the body of the HTTP request before compression.
func (c corpus) body() ([]byte, error) {
	if c.version == remotewrite.V1 {
		return c.request().Marshal()
	}
	req, err := c.requestTwo()
	if err != nil {
		return nil, err
	}
	return req.OptimizedMarshal(nil)
}
