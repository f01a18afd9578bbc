// Package ingest measures the service. It builds and starts a service, puts it under load, and
// counts the landed rows.
//
// Where things are:
//
//	suite.go     the suite and its cases
//	trial.go     one case: a service, a load, and the results
//	figures.go   the results as figures, and their bars
//	service.go   starting the service
//	landed.go    counting the rows in the service's Parquet files
//	counters.go  the service's metrics at /metrics
//	bodies.go    the bodies of the load, for decoding them alone
//	decoding.go  the CPU time of decoding alone
//	disk.go      the time of a sync on this disk
//
// # Method
//
// Each case starts its own service as a child process, with default settings and an empty data
// directory. The directory is in the bench module, so it is on a disk. Package load sends to the
// service over loopback. It runs in this process, on the same processors, and its own CPU time is
// one of the figures. After the load, the service lands all rows, and the rows in its files are
// counted. Then the service is told to stop, and must end cleanly.
//
// The CPU time of the service covers its process from the first request until all rows have landed:
// HTTP, decoding, checking, the log with its syncs, sorting, and Parquet. It is compared with the
// CPU time that a library needs only to decode the same bodies to untyped values. That time is
// measured in this process, in turns before and after the load, while nothing else runs. It
// includes garbage collection, and the minimum of the turns counts.
package ingest

import (
	"context"
	"time"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/tools/load"
)

const v5Name = "v5"

// The names of the groups of cases.
const (
	mainGroup = "Columnar bodies, acknowledged when on disk"
	modeGroup = "Other modes"
)

// modes lists the cases without bars. Each differs from the main case in one setting.
var modes = []struct {
	name   string
	change func(o *load.Options)
}{
	{"durability=async", func(o *load.Options) { o.Durability = "async" }},
	{"zstd", func(o *load.Options) { o.Compress = "zstd" }},
	{"gzip", func(o *load.Options) { o.Compress = "gzip" }},
	{"rows, not columns", func(o *load.Options) { o.Format = "row" }},
	{"100 rows a request", func(o *load.Options) { o.Rows = 100 }},
	{"10,000 rows a request", func(o *load.Options) { o.Rows = 10_000 }},
	{"1 worker", func(o *load.Options) { o.Workers = 1 }},
}

// Suite returns the suite for cmd/bench.
func Suite() harness.Suite { return suite(slipstream) }

func suite(p program) harness.Suite {
	cases := []harness.Case{{
		Group: mainGroup, Name: "12 workers × 1000 rows",
		Observe: func(ctx context.Context, o harness.Options) ([]harness.Figure, error) { return observeMain(ctx, p, o) },
	}}
	for _, m := range modes {
		cases = append(cases, harness.Case{
			Group: modeGroup, Name: m.name,
			Observe: func(ctx context.Context, o harness.Options) ([]harness.Figure, error) {
				what := workload(o.Load / modeShare)
				m.change(&what)
				return observeMode(ctx, p, o, what)
			},
		})
	}
	return harness.Suite{
		Name:  "ingest",
		Title: "The ingest service",
		About: "The service runs with its default settings. It writes to one disk, and shares its processors with the load " +
			"generator. The generator sends telemetry for four tables. Each row takes 46 bytes. It contains a time that is " +
			"unique in its table, one of 1000 host names, and three floats. In the main mode, 12 workers send requests of 1000 " +
			"rows. Each of the other modes differs from the main mode in one setting, runs for a sixth of the main mode's " +
			"time, and has no bars. The main mode runs three times. Its figures are the medians of the three runs. The notes " +
			"list the figures of each run.",
		Rivals: []harness.Rival{{Name: v5Name, Module: "github.com/vmihailenco/msgpack/v5"}},
		Cases:  cases,
	}
}

// modeShare is the ratio of the main case's time to the time of another mode.
const modeShare = 6

// preparedRows is the number of rows that the generator prepares and then sends repeatedly.
const preparedRows = 1_000_000

// workload returns the options of the main case.
func workload(duration time.Duration) load.Options {
	return load.Options{
		Endpoint: "arc", Durability: "sync", Format: "columnar", Compress: "none", Source: "synthetic",
		Duration: duration, Timeout: 30 * time.Second,
		Workers: 12, Rows: 1000, Tables: 4, Hosts: 1000, UniqueTime: true,
		JSON: true,
	}
}

// mainRuns is the number of runs of the main case. Its figures are medians, because the speed of a
// shared machine may change within a minute.
const mainRuns = 3

// observeMain runs the main case. It measures decoding alone before and after each load.
func observeMain(ctx context.Context, p program, o harness.Options) ([]harness.Figure, error) {
	what := workload(o.Load)
	bodies, err := sampleBodies(ctx, what)
	if err != nil {
		return nil, err
	}
	decoders := newDecoders()
	turn := o.Load / decodingShare
	if err := measureDecoding(decoders, bodies, turn); err != nil {
		return nil, err
	}
	var runs [][]harness.Figure
	for range mainRuns {
		t, err := runTrial(ctx, p, o, what)
		if err != nil {
			return nil, err
		}
		if err := measureDecoding(decoders, bodies, turn); err != nil {
			return nil, err
		}
		runs = append(runs, t.steadyFigures())
	}
	return promised(harness.Medians(runs, unlanded), decoding(decoders)), nil
}

func observeMode(ctx context.Context, p program, o harness.Options, what load.Options) ([]harness.Figure, error) {
	t, err := runTrial(ctx, p, o, what)
	if err != nil {
		return nil, err
	}
	return t.modeFigures(), nil
}
