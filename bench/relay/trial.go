package relay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstream-go/slipstream/bench/child"
	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/tools/load"
)

// program is a relay that can be started, with its sink and sender.
type program struct {
	build func(ctx context.Context, dir string) (binary string, err error) // builds the relay; dir is the directory of the bench module
	tool  func(ctx context.Context, dir string) (binary string, err error) // builds the sink and the sender
	relay func(binary, address, data, target string, s scenario) child.Command
}

const (
	tenantLabel = "__tenant__"
	workers     = 12
	prepared    = 20 * workers // requests that the sender prepares and then sends repeatedly
	loadShare   = 6            // the load's time divided by the time of a case
)

// slipstream is the relay of this project.
var slipstream = program{
	build: child.Slipstream,
	tool:  child.Slipctl,
	relay: func(binary, address, data, target string, s scenario) child.Command {
		args := []string{"serve", "--listen=" + address, "--data=" + data, "--relay.target=" + target, "--relay.tenant-label=" + tenantLabel}
		if s.remove {
			args = append(args, "--relay.tenant-remove")
		}
		if s.queue {
			args = append(args, "--relay.queue="+filepath.Join(data, "queue"))
		}
		return child.Command{Binary: binary, Args: args, Ready: "/ready"}
	},
}

// trial contains the results of a case.
type trial struct {
	report  *load.Report
	sinkCPU time.Duration
}

// barRuns is the number of runs of a case with a limit for the CPU time. Its figures are medians,
// because the speed of a shared machine may change within a minute.
const barRuns = 3

// runTrials runs a case, and returns its figures.
func runTrials(ctx context.Context, p program, o harness.Options, s scenario) ([]harness.Figure, error) {
	n := 1
	if s.bars != (bars{}) {
		n = barRuns
	}
	var runs [][]harness.Figure
	for range n {
		t, err := runTrial(ctx, p, o, s)
		if err != nil {
			return nil, err
		}
		runs = append(runs, t.figures(s))
	}
	return harness.Medians(runs, lost, misrouted), nil
}

// runTrial starts a sink and a relay, runs the sender, and stops both. It leaves no files.
func runTrial(ctx context.Context, p program, o harness.Options, s scenario) (t *trial, err error) {
	binary, tool, err := p.binaries(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	data, err := child.TempDir(o.Dir, "relay-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(data)
	sink, err := start(ctx, "the sink", func(address string) child.Command {
		return child.Command{Binary: tool, Args: []string{"sink", "--listen=" + address, "--tenant-label=" + tenantLabel}, Ready: "/counts"}
	})
	if err != nil {
		return nil, err
	}
	t = new(trial)
	t.report, err = passThrough(ctx, p, binary, tool, data, sink.URL, o.Load/loadShare, s)
	err = errors.Join(err, sink.Stop())
	t.sinkCPU = sink.CPU()
	return t, err
}

// binaries builds the programs of a case.
func (p program) binaries(ctx context.Context, dir string) (relay, tool string, err error) {
	if relay, err = p.build(ctx, dir); err == nil {
		tool, err = p.tool(ctx, dir)
	}
	return relay, tool, err
}

// start runs a program on a free loopback port.
func start(ctx context.Context, name string, command func(address string) child.Command) (*child.Process, error) {
	address, err := child.FreeAddress()
	if err != nil {
		return nil, err
	}
	c := command(address)
	c.Name, c.URL = name, "http://"+address
	return child.Start(ctx, c)
}

// passThrough starts a relay that writes to the sink, and runs a sender that writes to the relay.
func passThrough(ctx context.Context, p program, binary, tool, data, sink string, duration time.Duration, s scenario) (report *load.Report, err error) {
	relay, err := start(ctx, "the relay", func(address string) child.Command {
		return p.relay(binary, address, data, sink+"/api/v1/push", s)
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, relay.Stop()) }()
	said, failed := child.Run(ctx, "the sender", tool, s.sender(relay.URL+"/api/v1/push", sink, relay.PID(), duration)...)
	if ctx.Err() != nil {
		return nil, failed
	}
	report = new(load.Report)
	if err := json.Unmarshal(said, report); err != nil || report.RemoteWrite == nil || report.RemoteWrite.Delivered == nil {
		return nil, fmt.Errorf("the sender gave no report: %w", errors.Join(failed, err))
	}
	// If the report is complete, an error means only that the delivered series differ from the
	// acknowledged ones. The bars judge this.
	if report.Server.Problem != "" {
		return nil, errors.New(report.Server.Problem)
	}
	return report, nil
}

// sender returns the arguments of the sender.
func (s scenario) sender(url, sink string, pid int, duration time.Duration) []string {
	args := []string{"load", "--protocol=remote-write", "--json", "--url=" + url, "--sink=" + sink, "--tenant-label=" + tenantLabel,
		fmt.Sprintf("--pid=%d", pid), fmt.Sprintf("--duration=%v", duration), fmt.Sprintf("--workers=%d", cmp.Or(s.workers, workers)),
		fmt.Sprintf("--pregenerate=%d", prepared), fmt.Sprintf("--series=%d", s.series), fmt.Sprintf("--tenants=%d", s.tenants)}
	if s.version != 0 {
		args = append(args, fmt.Sprintf("--rw-version=%d", s.version))
	}
	if s.compress != "" {
		args = append(args, "--compress="+s.compress)
	}
	return args
}
