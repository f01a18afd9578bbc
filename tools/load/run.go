package load

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// progressEvery is the interval between progress lines.
const progressEvery = 5 * time.Second

// Run sends data as the options define, and writes a report to out. It writes one line every five
// seconds and a table at the end. With JSON output, it writes only the final report. It also
// returns the report. If an error occurs after the start of sending, Run returns both the report
// and the error. Examples of such errors are a rejected request, and a difference between the
// acknowledged rows and the rows in files.
//
// If ctx is canceled, the run ends immediately. In that case, the report covers only the requests
// that were sent so far. Run neither waits for rows to reach files nor counts them.
func Run(ctx context.Context, o Options, out io.Writer) (*Report, error) {
	o.complete()
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &run{options: o, out: out, proc: procFS(), protocol: new(ingest), tally: newTally()}
	if o.remoteWrite() {
		r.protocol = new(push)
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	failed := r.send(ctx)
	if failed == nil && ctx.Err() == nil {
		if err := r.protocol.settle(ctx, r); err != nil && ctx.Err() == nil {
			failed = err
		}
	}
	report := r.report(ctx.Err() != nil)
	if err := report.write(out, o.JSON); err != nil {
		return report, fmt.Errorf("writing the report: %w", err)
	}
	if failed != nil {
		return report, failed
	}
	return report, report.verdict()
}

// run is the state of a run. Its stages are prepare, send, settle and report.
type run struct {
	options Options
	out     io.Writer
	proc    fs.FS

	protocol protocol
	target   *target
	sources  []source
	server   *monitor // nil if the server is not measured
	own      *monitor

	started  time.Time
	sent     time.Duration
	timeline *timeline
	tally    *tally
}

// protocol contains the steps of a run that differ between rows and series.
type protocol interface {
	// sources prepares the requests, and returns one source for each worker. It also records the
	// counts before the run.
	sources(ctx context.Context, r *run) ([]source, error)
	// settle waits until the acknowledged rows or series have reached their destination, and counts
	// them there.
	settle(ctx context.Context, r *run) error
	// report adds the results that only this protocol has.
	report(r *run, report *Report)
}

// prepare does the work that must be done before the first request: all work that can fail, and all
// work that would disturb the measurement.
func (r *run) prepare(ctx context.Context) (err error) {
	o := &r.options
	if r.target, err = newTarget(ctx, o); err != nil {
		return err
	}
	r.own = &monitor{process: process{r.proc, os.Getpid()}}
	if r.sources, err = r.protocol.sources(ctx, r); err != nil {
		return err
	}
	_ = r.own.begin() // the report contains its error
	if o.PID != 0 {
		r.server = &monitor{process: process{r.proc, o.PID}, ask: func() *spending { return r.target.spending(ctx) }}
		return r.server.begin()
	}
	return nil
}

// send runs the workers until the time is up, they have sent their requests, or ctx is done. If a
// worker fails, for example because the server rejects a request, send stops all workers and
// returns the error.
func (r *run) send(ctx context.Context) error {
	sending, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r.started = time.Now()
	r.timeline = &timeline{start: r.started}
	timed := sending
	if r.options.Duration > 0 && r.options.Requests == 0 {
		var cancel context.CancelFunc
		timed, cancel = context.WithDeadline(sending, r.started.Add(r.options.Duration))
		defer cancel()
	}
	var watching sync.WaitGroup
	watching.Go(func() { r.watch(timed) })

	workers := make([]worker, len(r.sources))
	errs := make([]error, len(workers))
	var working sync.WaitGroup
	for i := range workers {
		w := &workers[i]
		*w = worker{
			source:   r.sources[i],
			pace:     r.options.pace(),
			requests: r.options.Requests,
			timeline: r.timeline,
			conn:     conn{target: r.target, timeout: r.options.Timeout},
			resend:   r.options.remoteWrite(),
			tally:    newTally(),
		}
		working.Go(func() {
			if errs[i] = w.run(ctx, timed); errs[i] != nil {
				stop(errs[i])
			}
		})
	}
	working.Wait()
	r.sent = time.Since(r.started)
	r.own.end()
	stop(nil)
	watching.Wait()
	for i := range workers {
		r.tally.merge(workers[i].tally)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// watch samples the server's memory every second, and prints progress lines.
func (r *run) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	told, last := r.started, int64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if r.server != nil {
			r.server.sample()
		}
		now := time.Now()
		if r.options.JSON || now.Sub(told) < progressEvery {
			continue
		}
		rows := r.timeline.acknowledged()
		rate := float64(rows-last) / now.Sub(told).Seconds()
		fmt.Fprintf(r.out, "%4.0f s  %s\n", now.Sub(r.started).Seconds(), perSecond(rate, r.options.unit()))
		told, last = now, rows
	}
}

func (r *run) report(interrupted bool) *Report {
	o, t := &r.options, r.tally
	milliseconds := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	report := &Report{
		URL: r.target.base, Protocol: o.Protocol, Unit: o.unit(), PerRequest: o.Rows,
		Compress: o.Compress, Workers: o.Workers, Started: r.started.UTC(),
		Seconds:               r.sent.Seconds(),
		Interrupted:           interrupted,
		Acknowledged:          t.acknowledged,
		AcknowledgedPerSecond: float64(t.acknowledged) / r.sent.Seconds(),
		BytesPerSecond:        float64(t.bytes) / r.sent.Seconds(),
		InDoubt:               t.inDoubt,
		Requests:              t.requests,
		RequestsPerSecond:     float64(t.requests) / r.sent.Seconds(),
		Statuses:              t.statuses,
		Retries:               t.retries,
		Connections:           t.connections,
		Errors:                t.errors,
		FirstError:            t.firstError,
		Latency: Latency{
			P50:  milliseconds(t.latency.quantile(0.50)),
			P90:  milliseconds(t.latency.quantile(0.90)),
			P99:  milliseconds(t.latency.quantile(0.99)),
			P999: milliseconds(t.latency.quantile(0.999)),
			Max:  milliseconds(t.latency.max),
		},
		PerSecond: r.timeline.seconds(r.sent),
	}
	if share, ok := degradation(report.PerSecond); ok {
		report.Degradation = &share
	}
	report.OwnCPU = r.own.perMillion(t.acknowledged)
	if r.server != nil {
		r.server.end()
		report.Server = r.server.report(t.acknowledged)
	}
	r.protocol.report(r, report)
	return report
}
