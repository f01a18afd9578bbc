package relay

import (
	"math"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// Units.
const (
	cpuPerGB = "CPU-s per GB"
	ms       = "ms"
)

// Names of the figures that have bars.
const (
	lost      = "acknowledged − delivered"
	misrouted = "delivered to a wrong tenant"
	relayCPU  = "relay CPU"
	byFloor   = "relay CPU by the floor"
	gcShare   = "garbage collection"
)

const (
	noteLost = "This figure is the number of series that were acknowledged but not delivered. It is counted for each tenant " +
		"and then summed."
	noteAgain = "This figure is the number of series that were delivered in addition to the acknowledged series, because " +
		"requests were sent again."
	noteFloor = "The floor is the CPU time to decompress the same bodies and then compress them with snappy, without any other " +
		"work. It is measured in the same run."
	noteCortex = "This figure is quoted, and was not measured in this run. It comes from a similar machine, on which " +
		"cortex-tenant, the sender and the sink shared two EPYC cores. The series had the same shape, and the requests used " +
		"Remote Write 1.0 with snappy compression."
	noteGC = "This figure is the share of the relay's CPU time that garbage collection takes, as reported by the Go runtime. " +
		"The runtime updates this share at the end of each collection."
)

// figures returns the figures of a case.
func (t *trial) figures(s scenario) []harness.Figure {
	r, w := t.report, t.report.RemoteWrite
	gigabytes := float64(w.Acknowledged.Series) / float64(s.series) * float64(w.PlainPerRequest) / 1e9
	list := []harness.Figure{
		{Name: "requests", Value: r.RequestsPerSecond, Unit: "requests/s"},
		{Name: "series", Value: r.AcknowledgedPerSecond / 1e6, Unit: "million series/s", Chart: true},
		{Name: "uncompressed", Value: w.PlainPerSecond / 1e9, Unit: "GB/s"},
		{Name: lost, Value: t.lacking(), Unit: "series", Note: noteLost, Bar: harness.Exactly(0)},
		{Name: misrouted, Value: t.strange(), Unit: "series", Bar: harness.Exactly(0)},
		{Name: "delivered again", Value: float64(w.Delivered.Delivered.Series-w.Acknowledged.Series) + t.lacking(), Unit: "series", Note: noteAgain},
		{Name: relayCPU, Value: known(w.CPUPerGB), Unit: cpuPerGB, Chart: true, Bar: below(s.bars.cpu)},
		{Name: "floor", Rival: snappyName, Value: known(w.FloorPerGB), Unit: cpuPerGB, Chart: true, Note: noteFloor},
	}
	if s.cortex > 0 {
		list = append(list, harness.Figure{Name: cortexName, Rival: cortexName, Value: s.cortex, Unit: cpuPerGB, Chart: true, Note: noteCortex})
	}
	return append(list,
		harness.Figure{Name: byFloor, Value: known(w.FloorRatio), Unit: "times", Bar: below(s.bars.floor)},
		harness.Figure{Name: relayCPU + " by series", Value: known(r.Server.PerMillion), Unit: "CPU-s per million series"},
		harness.Figure{Name: gcShare, Value: 100 * known(r.Server.GCShare), Unit: "%", Note: noteGC, Bar: below(s.bars.gc)},
		harness.Figure{Name: "peak memory", Value: float64(r.Server.PeakBytes) / 1e6, Unit: "MB", Chart: true},
		harness.Figure{Name: "sender CPU", Value: known(r.OwnCPU) * float64(w.Acknowledged.Series) / 1e6 / gigabytes, Unit: cpuPerGB},
		harness.Figure{Name: "sink CPU", Value: t.sinkCPU.Seconds() / gigabytes, Unit: cpuPerGB},
		harness.Figure{Name: "p50", Value: r.Latency.P50, Unit: ms, Chart: true},
		harness.Figure{Name: "p99", Value: r.Latency.P99, Unit: ms, Chart: true},
		harness.Figure{Name: "p99.9", Value: r.Latency.P999, Unit: ms},
		harness.Figure{Name: "sent again", Value: float64(r.Retries), Unit: "requests", Note: r.FirstError},
	)
}

// lacking returns the number of series that were acknowledged and not delivered, summed over the
// tenants. If a tenant lacks more samples, histograms or exemplars than series, that number counts
// instead. The result is NaN if the sink has not decoded the bodies.
func (t *trial) lacking() float64 {
	d := t.report.RemoteWrite.Delivered
	if !d.Looked {
		return math.NaN()
	}
	sum := int64(0)
	for _, tenant := range d.Tenants {
		want, got := tenant.Acknowledged, tenant.Delivered
		sum += max(0, want.Series-got.Series, want.Samples-got.Samples, want.Histograms-got.Histograms, want.Exemplars-got.Exemplars)
	}
	return float64(sum)
}

// strange returns the number of series that were delivered to a wrong tenant. The result is NaN if
// some were delivered to a tenant that the sender does not have.
func (t *trial) strange() float64 {
	d := t.report.RemoteWrite.Delivered
	if len(d.Unknown) > 0 {
		return math.NaN()
	}
	return float64(d.Misrouted)
}

// below returns a bar, or nil if the value is 0.
func below(value float64) *harness.Limit {
	if value == 0 {
		return nil
	}
	return harness.Below(value)
}

// known returns a value of the sender's report, or NaN if it was not measured.
func known(value *float64) float64 {
	if value == nil {
		return math.NaN()
	}
	return *value
}
