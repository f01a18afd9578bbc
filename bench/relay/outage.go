package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/slipstream-go/slipstream/bench/child"
	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/tools/load"
)

// In the case of an outage, the queue contains the samples that ten tenants with 2000 series each
// send in ten minutes: a sample of each series every 15 s. The samples are sent in a fraction of
// that time. Then nothing is sent, until pauses and circuits are as long as after ten minutes. Then
// the target starts.

const (
	outageCase    = "a queue drains what 10 tenants × 2000 series send in 10 minutes"
	outageSeries  = 10 * 2000
	outageSamples = outageSeries * 10 * 60 / 15
	outageLength  = 5.0 / 4 // multiple of the load's time: 75 s for 60 s; after 65 s, pauses do not get longer
)

// outage contains the results of the case.
type outage struct {
	acknowledged, delivered int64         // series
	first, drained          time.Duration // since the start of the target
	posts                   int64
}

// runOutage starts a relay without a target, and runs the sender. Then it starts the target, and
// waits until all series have arrived.
func runOutage(ctx context.Context, p program, o harness.Options) (d *outage, err error) {
	binary, tool, err := p.binaries(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	data, err := child.TempDir(o.Dir, "outage-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(data)
	address, err := child.FreeAddress()
	if err != nil {
		return nil, err
	}
	s := scenario{series: 2000, tenants: 10, queue: true}
	relay, err := start(ctx, "the relay", func(at string) child.Command {
		return p.relay(binary, at, data, "http://"+address+"/api/v1/push", s)
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, relay.Stop()) }()
	begin := time.Now()
	d = new(outage)
	if d.acknowledged, err = s.sendOutage(ctx, tool, relay, o.Load/loadShare); err != nil {
		return nil, err
	}
	if err := sleep(ctx, time.Until(begin.Add(time.Duration(float64(o.Load)*outageLength)))); err != nil {
		return nil, err
	}
	sink, err := child.Start(ctx, child.Command{
		Name: "the sink", Binary: tool, Args: []string{"sink", "--listen=" + address, "--tenant-label=" + tenantLabel}, URL: "http://" + address, Ready: "/counts",
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sink.Stop()) }()
	return d, d.watch(ctx, sink)
}

// sendOutage sends the samples of the outage, and returns the number of acknowledged series.
func (s scenario) sendOutage(ctx context.Context, tool string, relay *child.Process, duration time.Duration) (int64, error) {
	args := append(s.sender(relay.URL+"/api/v1/push", "", relay.PID(), duration), fmt.Sprintf("--rate=%g", outageSamples/duration.Seconds()))
	said, failed := child.Run(ctx, "the sender", tool, args...)
	if ctx.Err() != nil {
		return 0, failed
	}
	var report load.Report
	if err := json.Unmarshal(said, &report); err != nil || report.Acknowledged == 0 {
		return 0, fmt.Errorf("the sender gave no report: %w", errors.Join(failed, err))
	}
	return report.Acknowledged, failed
}

const (
	outagePoll     = 20 * time.Millisecond
	outagePatience = time.Minute // without progress; series that have not arrived by then are lost
)

// watch waits until all series have arrived, or no more arrive.
func (d *outage) watch(ctx context.Context, sink *child.Process) error {
	begin := time.Now()
	for moved := begin; time.Since(moved) < outagePatience; {
		text, err := sink.Get(ctx, "/counts")
		if err != nil {
			return err
		}
		now := time.Now()
		var c load.SinkCounts
		if err := json.Unmarshal(text, &c); err != nil {
			return fmt.Errorf("the counts of the sink: %w", err)
		}
		series := int64(0)
		for _, t := range c.Tenants {
			series += t.Series
		}
		if d.posts = c.Requests; series > d.delivered {
			moved = now
			if d.delivered == 0 {
				d.first = now.Sub(begin)
			}
		}
		if d.delivered = series; series >= d.acknowledged {
			d.drained = now.Sub(begin)
			return nil
		}
		if err := sleep(ctx, outagePoll); err != nil {
			return err
		}
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

const noteDrain = "This figure is the time from the moment at which the target accepts connections until all series have " +
	"arrived. It includes the pause before the first post."

// figures returns the figures of the case.
func (d *outage) figures() []harness.Figure {
	seconds := func(d time.Duration) float64 {
		if d == 0 {
			return math.NaN() // it did not happen
		}
		return d.Seconds()
	}
	return []harness.Figure{
		{Name: "waiting", Value: float64(d.acknowledged) / 1e6, Unit: "million series"},
		{Name: lost, Value: float64(max(0, d.acknowledged-d.delivered)), Unit: "series", Bar: harness.Exactly(0)},
		{Name: "delivered again", Value: float64(max(0, d.delivered-d.acknowledged)), Unit: "series"},
		{Name: drainTime, Value: seconds(d.drained), Unit: "s", Note: noteDrain},
		{Name: "until the first post", Value: seconds(d.first), Unit: "s"},
		{Name: "posts", Value: float64(d.posts), Unit: "posts"},
	}
}

const drainTime = "drain time"
