package load

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// fleet contains the series of some pods in a Kubernetes cluster, with 20 series per pod. Each
// series has 12 labels, including the tenant label. All requests contain the same series with new
// values and times, like the requests of a Prometheus shard.
type fleet struct {
	rng     *rand.Rand
	request remotewrite.Request
}

// exposed lists the metrics of a pod.
var exposed = [...]struct {
	name string
	kind remotewrite.MetricType
	help string
}{
	{"container_cpu_cfs_throttled_periods_total", remotewrite.MetricTypeCounter, "Number of throttled period intervals."},
	{"container_cpu_usage_seconds_total", remotewrite.MetricTypeCounter, "Cumulative cpu time consumed in seconds."},
	{"container_fs_writes_bytes_total", remotewrite.MetricTypeCounter, "Cumulative count of bytes written."},
	{"container_memory_working_set_bytes", remotewrite.MetricTypeGauge, "Current working set in bytes."},
	{"container_network_transmit_bytes_total", remotewrite.MetricTypeCounter, "Cumulative count of bytes transmitted."},
	{"go_gc_duration_seconds_count", remotewrite.MetricTypeSummary, "The wall-time pauses of garbage collection cycles."},
	{"go_goroutines", remotewrite.MetricTypeGauge, "Number of goroutines that currently exist."},
	{"go_memstats_heap_alloc_bytes", remotewrite.MetricTypeGauge, "Number of heap bytes allocated and currently in use."},
	{"go_memstats_next_gc_bytes", remotewrite.MetricTypeGauge, "Number of heap bytes when next garbage collection will take place."},
	{"go_threads", remotewrite.MetricTypeGauge, "Number of OS threads created."},
	{"grpc_server_started_total", remotewrite.MetricTypeCounter, "Total number of RPCs started on the server."},
	{"http_client_requests_total", remotewrite.MetricTypeCounter, "Total number of requests that were sent."},
	{"http_request_duration_seconds_sum", remotewrite.MetricTypeHistogram, "The time that a request took."},
	{"http_requests_total", remotewrite.MetricTypeCounter, "Total number of requests by status and method."},
	{"kafka_consumer_lag_records", remotewrite.MetricTypeGauge, "How far the consumer is behind."},
	{"process_cpu_seconds_total", remotewrite.MetricTypeCounter, "Total user and system CPU time spent in seconds."},
	{"process_max_fds", remotewrite.MetricTypeGauge, "Maximum number of open file descriptors."},
	{"process_resident_memory_bytes", remotewrite.MetricTypeGauge, "Resident memory size in bytes."},
	{"sql_connections_in_use", remotewrite.MetricTypeGauge, "The number of connections that are in use."},
	{"up", remotewrite.MetricTypeGauge, "Whether the target could be scraped."},
}

var apps = [...]string{"api", "basket", "catalogue", "frontend", "payments", "search", "shipping", "worker"}

// newFleet returns the series for one worker. The seed determines the pods. The tenants are the
// same for all seeds.
func newFleet(o *RemoteWrite, seed uint64) *fleet {
	f := &fleet{rng: rand.New(rand.NewPCG(seed, 1))}
	var pod []remotewrite.Label
	was := -1
	for i := range o.Series {
		tenant := i * o.Tenants / o.Series
		if tenant != was || i%len(exposed) == 0 {
			pod, was = f.pod(o, tenant), tenant
		}
		s := remotewrite.Series{Labels: slices.Clone(pod), Samples: make([]remotewrite.Sample, 1)}
		m := exposed[i%len(exposed)]
		s.Labels[slices.IndexFunc(pod, func(l remotewrite.Label) bool { return l.Name == "__name__" })].Value = m.name
		if o.Version == 2 {
			s.Metadata = remotewrite.Metadata{Type: m.kind, Help: m.help}
		}
		if o.native(i) {
			trace := fmt.Sprintf("%016x%016x", f.rng.Uint64(), f.rng.Uint64())
			s.Samples, s.Histograms = nil, []remotewrite.Histogram{f.histogram(i%2 == 0)}
			s.Exemplars = []remotewrite.Exemplar{{Labels: []remotewrite.Label{{Name: "trace_id", Value: trace}}}}
		}
		f.request.Series = append(f.request.Series, s)
	}
	if !o.Grouped {
		f.rng.Shuffle(o.Series, func(i, j int) {
			f.request.Series[i], f.request.Series[j] = f.request.Series[j], f.request.Series[i]
		})
	}
	return f
}

// native reports whether the series with the index i contains a native histogram. Such series are
// spread evenly.
func (o *RemoteWrite) native(i int) bool {
	return int(float64(i+1)*o.Histograms) > int(float64(i)*o.Histograms)
}

// tenantName returns the name of the tenant with the index i. All names have the same length.
func (o *RemoteWrite) tenantName(i int) string {
	return fmt.Sprintf("team-%0*d", max(2, len(strconv.Itoa(o.Tenants-1))), i)
}

// contents returns the counts that one request contains for each tenant. They are the same for all
// fleets.
func (o *RemoteWrite) contents() map[string]Counts {
	all := make(map[string]Counts, o.Tenants)
	for i := range o.Series {
		one := Counts{Series: 1, Samples: 1}
		if o.native(i) {
			one = Counts{Series: 1, Histograms: 1, Exemplars: 1}
		}
		name := o.tenantName(i * o.Tenants / o.Series)
		sum := all[name]
		sum.add(one, 1)
		all[name] = sum
	}
	return all
}

// pod returns the labels of a pod's series, sorted as the protocol requires. The name of the metric
// is still empty.
func (f *fleet) pod(o *RemoteWrite, tenant int) []remotewrite.Label {
	app := apps[f.rng.IntN(len(apps))]
	ip := [...]any{10, f.rng.IntN(256), f.rng.IntN(256), f.rng.IntN(256)}
	labels := []remotewrite.Label{
		{Name: "__name__"},
		{Name: "cluster", Value: "prod-1"},
		{Name: "container", Value: app},
		{Name: "endpoint", Value: "http-metrics"},
		{Name: "instance", Value: fmt.Sprintf("%d.%d.%d.%d:8080", ip[:]...)},
		{Name: "job", Value: "kubernetes-pods"},
		{Name: "metrics_path", Value: "/metrics"},
		{Name: "namespace", Value: "shop"},
		{Name: "node", Value: fmt.Sprintf("ip-%d-%d-%d-%d.internal", ip[:]...)},
		{Name: "pod", Value: fmt.Sprintf("%s-%s-%s", app, f.letters(10), f.letters(5))},
		{Name: "service", Value: app},
		{Name: o.TenantLabel, Value: o.tenantName(tenant)},
	}
	slices.SortFunc(labels, func(a, b remotewrite.Label) int { return strings.Compare(a.Name, b.Name) })
	return labels
}

// letters returns n random characters from the set that Kubernetes uses in generated names.
func (f *fleet) letters(n int) string {
	const safe = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = safe[f.rng.IntN(len(safe))]
	}
	return string(b)
}

// histogram returns a random histogram. If `whole` is true, its counts are integers. Otherwise,
// they are floats. The histogram has two spans for positive and two for negative values.
func (f *fleet) histogram(whole bool) remotewrite.Histogram {
	h := remotewrite.Histogram{Schema: 3, ZeroThreshold: 0x1p-128, ResetHint: remotewrite.ResetHintNo}
	for _, b := range []*remotewrite.Buckets{&h.Negative, &h.Positive} {
		b.Spans = []remotewrite.BucketSpan{{Offset: int32(f.rng.IntN(20)) - 10, Length: 5}, {Offset: 1 + int32(f.rng.IntN(4)), Length: 3}}
		for range 8 {
			if whole {
				b.Deltas = append(b.Deltas, f.rng.Int64N(300)-150)
			} else {
				b.Counts = append(b.Counts, f.rng.Float64())
			}
		}
	}
	if whole {
		h.Count, h.ZeroCount = remotewrite.IntCount(f.rng.Uint64N(1e6)), remotewrite.IntCount(f.rng.Uint64N(100))
	} else {
		h.Count, h.ZeroCount = remotewrite.FloatCount(f.rng.Float64()*1e6), remotewrite.FloatCount(f.rng.Float64())
	}
	return h
}

// at returns a request that contains a new value of each series. The argument `ms` is the time of
// these values, in milliseconds. The request is valid until the next call.
func (f *fleet) at(ms int64) *remotewrite.Request {
	for i := range f.request.Series {
		s := &f.request.Series[i]
		for j := range s.Samples {
			s.Samples[j] = remotewrite.Sample{Value: f.value(), Timestamp: ms}
		}
		for j := range s.Histograms {
			s.Histograms[j].Sum, s.Histograms[j].Timestamp = f.value(), ms
			s.Exemplars[j].Value, s.Exemplars[j].Timestamp = f.rng.Float64(), ms
		}
	}
	return &f.request
}

// value returns, with equal probability, a random count or a random measurement.
func (f *fleet) value() float64 {
	if f.rng.IntN(2) == 0 {
		return float64(f.rng.IntN(1_000_000_000))
	}
	return f.rng.ExpFloat64()
}
