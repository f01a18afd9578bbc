// Command bench measures this project's suites against their rivals.
//
//	go run ./cmd/bench                     every suite
//	go run ./cmd/bench -pkg msgpack        one suite
//	go run ./cmd/bench -report             and write RESULTS.md, charts/ and .cache/results/
//	go run ./cmd/bench -quick              a short run that shows that everything works
//
// The last line states whether the bars hold. The exit status is 0 if all hold, 1 if some do not,
// and 2 if a side returned a wrong value or the run failed. After a quick run, status 1 does not
// occur.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/ingest"
	"github.com/slipstream-go/slipstream/bench/iso8601"
	"github.com/slipstream-go/slipstream/bench/json"
	"github.com/slipstream-go/slipstream/bench/msgpack"
	"github.com/slipstream-go/slipstream/bench/relay"
	"github.com/slipstream-go/slipstream/bench/remotewrite"
	"github.com/slipstream-go/slipstream/bench/schema"
)

// suites lists the suites in the order in which they run.
var suites = []harness.Suite{
	msgpack.Suite(),
	json.Suite(),
	iso8601.Suite(),
	remotewrite.Suite(),
	schema.Suite(),
	ingest.Suite(),
	relay.Suite(),
}

const (
	holds = 0
	short = 1
	wrong = 2
)

func main() {
	// The first signal stops a service under load and removes its files. The second signal ends
	// this program immediately.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

type flags struct {
	suite, match  string
	report, quick bool
	harness.Options
}

func parse(args []string, stderr io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&f.suite, "pkg", "", "measure only this suite: "+names())
	set.StringVar(&f.match, "case", "", "measure only cases whose group or name contains this text")
	set.IntVar(&f.Rounds, "rounds", 31, "rounds per case")
	set.DurationVar(&f.Slot, "slot", 3*time.Millisecond, "how long each side works in a round")
	set.IntVar(&f.Procs, "procs", 1, "GOMAXPROCS while timing; 0 leaves it as it is")
	set.DurationVar(&f.Load, "load", time.Minute, "how long a service is loaded; its other modes for a sixth of that")
	set.BoolVar(&f.report, "report", false, "write RESULTS.md, charts/ and .cache/results/")
	set.BoolVar(&f.quick, "quick", false, "3 rounds of 300µs, a load of 5s; short bars do not fail the run")
	set.StringVar(&f.Dir, "dir", ".", "the directory of the bench module")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	switch {
	case set.NArg() > 0:
		return f, fmt.Errorf("bench: unexpected argument %q; suites are chosen with -pkg", set.Arg(0))
	case f.report && f.match != "":
		return f, errors.New("bench: -report needs the whole suite: leave out -case")
	}
	if f.quick {
		f.Rounds, f.Slot, f.Load = 3, 300*time.Microsecond, 5*time.Second
	}
	if f.match != "" {
		f.Only = func(c harness.Case) bool {
			return strings.Contains(c.Group, f.match) || strings.Contains(c.Name, f.match)
		}
	}
	return f, nil
}

// command returns the command line that repeats the run.
func command(f flags, args []string) string {
	if f.Dir == "bench" && f.report { // started by the Makefile from the directory above
		suite := ""
		if f.suite != "" {
			suite = " PKG=" + f.suite
		}
		return "make bench-report" + suite
	}
	return strings.TrimSpace("go run ./cmd/bench " + strings.Join(args, " "))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return holds
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return wrong
	}
	chosen, err := choose(f.suite)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return wrong
	}
	printer := &harness.Printer{W: stdout}
	if slices.ContainsFunc(chosen, harness.Suite.Timed) {
		printer.Legend()
	}
	f.Row, f.Progress = printer.Row, stderr
	var results []*harness.Result
	for _, suite := range chosen {
		r, err := harness.Measure(ctx, suite, f.Options)
		if err != nil {
			fmt.Fprintln(stderr, err)
			return wrong
		}
		r.Quick, r.Command = f.quick, command(f, args)
		results = append(results, r)
		runtime.GC() // the memory of this suite is garbage for the next one
	}
	if f.report {
		if err := harness.WriteReport(f.Dir, results); err != nil {
			fmt.Fprintln(stderr, err)
			return wrong
		}
	}
	if all := printer.Verdict(results); !all && !f.quick {
		return short
	}
	return holds
}

func choose(name string) ([]harness.Suite, error) {
	if name == "" {
		return suites, nil
	}
	i := slices.IndexFunc(suites, func(r harness.Suite) bool { return r.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("bench: no suite %q; there are: %s", name, names())
	}
	return suites[i : i+1], nil
}

func names() string {
	var list []string
	for _, r := range suites {
		list = append(list, r.Name)
	}
	return strings.Join(list, ", ")
}
