// Command purego times the cases with which the suite json compares builds, and prints the result
// as JSON. It is built both with and without the tag purego; see purego.go in the directory above.
package main

import (
	"context"
	stdjson "encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/json"
)

func main() {
	o := harness.Options{Load: time.Second} // must be set, but no case uses it
	flag.IntVar(&o.Rounds, "rounds", 0, "rounds per case")
	flag.DurationVar(&o.Slot, "slot", 0, "how long each side works in a round")
	flag.IntVar(&o.Procs, "procs", 0, "GOMAXPROCS while timing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := harness.Measure(ctx, json.BuildSuite(), o)
	if err == nil {
		err = stdjson.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
