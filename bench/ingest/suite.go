// Package ingest measures the service: it builds and starts one, puts it under load, and counts
// what landed.
//
// Where things are:
//
//	suite.go     the suite and its cases
//	trial.go     one case: a service, a load, what came of both
//	figures.go   the same as figures, and their bars
//	service.go   starting it
//	landed.go    the Parquet files that it left
//	counters.go  what it tells of itself at /metrics
//	bodies.go    the bodies of the load, for decoding them alone
//	decoding.go  the processor time that decoding alone takes
//	disk.go      the disk under it all
//
// # Method
//
// Each case has a service of its own: a child process with an empty data directory beside the
// repository, so on a disk, with default settings. Package load sends to it over loopback; it runs
// in this process, on the same processors, and its own share is one of the figures. After the load
// the service lands everything, what landed is counted in the files, and the service is told to
// stop, which it must do cleanly.
//
// The processor time of the service is that of its process from the first request until everything
// has landed: HTTP, decoding, checking, the log with its syncs, sorting, Parquet. It is held
// against what a library takes only to decode the same bodies to untyped values. That is measured
// in this process in turns before and after the load, garbage collection included and without
// anything else running; the least of the turns counts.
package ingest

import (
	"context"
	"time"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/server/load"
)

const v5Name = "v5"

// The names of the cases' groups.
const (
	mainGroup = "Columnar bodies, acknowledged when on disk"
	modeGroup = "Other modes"
)

// modes are the cases without bars: the main one, but for one thing each.
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

// Suite is the suite for cmd/bench.
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
		About: "The service with its default settings, on one disk and the same processors as the generator that loads it. Telemetry " +
			"of a time, one of 1000 hosts and three floats, 46 bytes a row, goes to four tables; every row has a time of its own. 12 workers send 1000 " +
			"rows a request. The other modes differ from that in one thing each, have a sixth of the time, and no bars. The main mode runs three times, and its figures are the medians, with those " +
			"of the runs behind them.",
		Rivals: []harness.Rival{{Name: v5Name, Module: "github.com/vmihailenco/msgpack/v5"}},
		Cases:  cases,
	}
}

// modeShare is the part of the main case's time that the other modes have.
const modeShare = 6

// preparedRows are how many rows the generator makes beforehand and sends round and round.
const preparedRows = 1_000_000

// workload is the main one.
func workload(duration time.Duration) load.Options {
	return load.Options{
		Endpoint: "arc", Durability: "sync", Format: "columnar", Compress: "none", Source: "synthetic",
		Duration: duration, Timeout: 30 * time.Second,
		Workers: 12, Rows: 1000, Tables: 4, Hosts: 1000, UniqueTime: true,
		JSON: true,
	}
}

// mainRuns is how often the main case runs. Its figures are the medians: a shared machine may
// change its speed within a minute.
const mainRuns = 3

// observeMain runs the main case. Decoding alone has its turns before and after each load.
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
	return promised(medians(runs), decoding(decoders)), nil
}

func observeMode(ctx context.Context, p program, o harness.Options, what load.Options) ([]harness.Figure, error) {
	t, err := runTrial(ctx, p, o, what)
	if err != nil {
		return nil, err
	}
	return t.modeFigures(), nil
}
