package ingest

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstream-go/slipstream/bench/child"
	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/tools/load"
)

// trial contains the results of putting a service under load.
type trial struct {
	report        *load.Report
	landed        landed
	before, after counters
	sync          time.Duration // time to sync one body on this disk, before the load
}

// runTrial starts a service, loads it, waits until it has landed everything, and stops it. It
// leaves no files.
func runTrial(ctx context.Context, p program, o harness.Options, what load.Options) (*trial, error) {
	binary, err := p.build(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	data, err := child.TempDir(o.Dir, "ingest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(data)

	t := new(trial)
	if t.sync, err = syncTime(data); err != nil {
		return nil, err
	}
	s, err := start(ctx, p, binary, data)
	if err != nil {
		return nil, err
	}
	err = t.run(ctx, p, s, data, what)
	return t, errors.Join(err, s.Stop())
}

// run puts the running service under load.
func (t *trial) run(ctx context.Context, p program, s *child.Process, data string, what load.Options) (err error) {
	what.URL, what.PID = s.URL, s.PID()
	what.Pregenerate = preparedRows / what.Rows
	what.DataDir = filepath.Join(data, p.tables)
	what.CountRows = func(dir string) (int64, error) {
		var err error
		t.landed, err = p.count(dir)
		return t.landed.rows, err
	}
	if t.before, err = readCounters(ctx, s); err != nil {
		return err
	}
	t.report, err = load.Run(ctx, what, io.Discard)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && (t.report == nil || t.report.Landed == nil) {
		return err
	}
	// If there is a count, an error means only that the count differs from the acknowledged rows.
	// The bar judges this.
	if t.report.Server.Problem != "" {
		return errors.New(t.report.Server.Problem)
	}
	t.after, err = readCounters(ctx, s)
	return err
}
