package ingest

import (
	"math"
	"slices"
	"time"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// Units.
const (
	millionRows = "million rows/s"
	cpuSeconds  = "CPU-s per million rows"
	ms          = "ms"
	megabytes   = "MB"
	perRow      = "bytes a row"
)

// Names of the figures that have bars.
const (
	unlanded     = "acknowledged − landed"
	serviceCPU   = "service CPU"
	generatorCPU = "generator CPU"
	latency99    = "p99"
	degradation  = "degradation"
	peakMemory   = "peak memory"
	growth       = "memory growth"
)

// The limits of the service in the main case.
const (
	mostLatency99   = 20  // ms
	mostDegradation = 5   // %
	mostMemory      = 512 // MB
	mostGrowth      = 32  // MB/min: garbage collection alone varies memory that much; a leak of one byte per row would be several times as large
)

const (
	noteService = "This figure is the CPU time of the whole service, from the first request until all rows are in Parquet " +
		"files. The target for this figure is 0.15 CPU-s per million rows. Two figures of Arc 26.09.1-dev are quoted for " +
		"comparison, and were not measured here. Arc took 0.43 CPU-s per million rows in a run of 60 s, and 0.58 CPU-s per " +
		"million rows in runs of 20 s. Arc ran on two EPYC cores with its log turned off, and therefore without durability."
	noteDecoding    = "This figure is the CPU time that a library takes to decode the same bodies, without any other work."
	noteDegradation = "This figure is the loss of throughput in the last 5 s of the run, compared with the best 5 s of the run."
	noteGrowth      = "This figure is the growth of the service's memory during the second half of the run."
	noteDisk        = "This figure is the time to write and sync one body while nothing else runs. It is the median of 100 " +
		"syncs."
)

// steadyFigures returns the figures of one run of the main case.
func (t *trial) steadyFigures() []harness.Figure {
	return slices.Concat(t.rates(), t.processors(), t.latencies(), t.steadiness(), t.storage())
}

// promised adds bars to the figures of the main case, and inserts the figures of decoding alone.
func promised(list, decoding []harness.Figure) []harness.Figure {
	at := slices.IndexFunc(list, func(f harness.Figure) bool { return f.Name == generatorCPU })
	list = slices.Insert(list, at+1, decoding...)
	promise := map[string]*harness.Limit{
		unlanded:    harness.Exactly(0),
		serviceCPU:  harness.BelowFigure(decoding[0]),
		latency99:   harness.Below(mostLatency99),
		degradation: harness.Below(mostDegradation),
		peakMemory:  harness.Below(mostMemory),
		growth:      harness.Below(mostGrowth),
	}
	for i := range list {
		list[i].Bar = promise[list[i].Name]
	}
	return list
}

// modeFigures returns the figures of another mode. Its run is too short for figures about
// steadiness.
func (t *trial) modeFigures() []harness.Figure {
	return slices.Concat(t.rates(), t.processors(), t.latencies(), t.memory(), t.storage())
}

func (t *trial) rates() []harness.Figure {
	r := t.report
	return []harness.Figure{
		{Name: "acknowledged", Value: r.AcknowledgedPerSecond / 1e6, Unit: millionRows, Chart: true},
		{Name: "landed", Value: r.Landed.PerSecond / 1e6, Unit: millionRows, Chart: true, Note: "The measurement of this rate " +
			"ends when the last row is in a Parquet file."},
		{Name: unlanded, Value: float64(r.Landed.Missing), Unit: "rows"},
		{Name: "in doubt", Value: float64(r.InDoubt), Unit: "rows", Note: r.FirstError},
		{Name: "refused, then sent again", Value: float64(r.Retries), Unit: "requests"},
	}
}

func (t *trial) processors() []harness.Figure {
	return []harness.Figure{
		{Name: serviceCPU, Value: known(t.report.Server.PerMillion), Unit: cpuSeconds, Chart: true, Note: noteService},
		{Name: generatorCPU, Value: known(t.report.OwnCPU), Unit: cpuSeconds},
	}
}

func decoding(decoders []*decoder) []harness.Figure {
	var list []harness.Figure
	for _, d := range decoders {
		list = append(list, harness.Figure{
			Name: d.name, Rival: d.rival, Value: d.least, Unit: cpuSeconds, Chart: true, Note: noteDecoding,
		})
	}
	return list
}

func (t *trial) latencies() []harness.Figure {
	l := t.report.Latency
	return []harness.Figure{
		{Name: "p50", Value: l.P50, Unit: ms, Chart: true},
		{Name: latency99, Value: l.P99, Unit: ms, Chart: true},
		{Name: "p99.9", Value: l.P999, Unit: ms, Chart: true},
		{Name: "a sync of this disk", Value: float64(t.sync) / float64(time.Millisecond), Unit: ms, Note: noteDisk},
	}
}

func (t *trial) memory() []harness.Figure {
	return []harness.Figure{{Name: peakMemory, Value: float64(t.report.Server.PeakBytes) / 1e6, Unit: megabytes, Chart: true}}
}

func (t *trial) steadiness() []harness.Figure {
	return append(t.memory(),
		harness.Figure{Name: growth, Value: known(t.report.Server.GrowthPerMinute) / 1e6, Unit: "MB/min", Note: noteGrowth},
		harness.Figure{Name: degradation, Value: 100 * known(t.report.Degradation), Unit: "%", Note: noteDegradation},
	)
}

func (t *trial) storage() []harness.Figure {
	rows, syncs := float64(t.report.Acknowledged), t.rise(logSyncs)
	return []harness.Figure{
		{Name: "log", Value: t.rise(logBytes) / rows, Unit: perRow},
		{Name: "syncs of the log", Value: syncs, Unit: "syncs"},
		{Name: "rows a sync", Value: math.Round(rows / syncs), Unit: "rows"},
		{Name: "Parquet", Value: float64(t.landed.bytes) / float64(t.landed.rows), Unit: perRow},
		{Name: "Parquet files", Value: float64(t.landed.files), Unit: "files"},
	}
}

// known returns a value of the load's report, or NaN if it was not measured.
func known(value *float64) float64 {
	if value == nil {
		return math.NaN()
	}
	return *value
}
