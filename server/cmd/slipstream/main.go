// Command slipstream runs the ingest service and the Remote Write relay.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/program"
	"github.com/slipstream-go/slipstream/server/service"
)

type commands struct {
	Serve   serve               `cmd:"" help:"Run the service: ingest rows into Parquet files, and relay Remote Write."`
	Demo    demo                `cmd:"" help:"Ingest the metrics of this process, and query them."`
	Version program.ShowVersion `cmd:"" help:"Show the version."`
}

func main() {
	program.Run(&commands{}, "slipstream", "The fast lane for data on the wire.", config.Options()...)
}

type serve struct{ config.Serve }

func (c *serve) Run(ctx context.Context) error {
	if os.Getenv("GOMAXPROCS") == "" {
		// A sync of the log occupies one of Go's processors without using one of the machine's.
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
	s, err := service.New(&c.Serve, program.Version(), c.NewLogger(os.Stderr))
	if err != nil {
		return err
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		for range hangup {
			s.Reload()
		}
	}()
	return s.Run(ctx)
}

type demo struct{ service.Demo }

func (c *demo) Run(ctx context.Context) error {
	var defaults config.Serve
	k, err := kong.New(&defaults)
	if err == nil {
		_, err = k.Parse(nil)
	}
	if err != nil {
		return err
	}
	return c.Demo.Run(ctx, &defaults, program.Version(), os.Stdout)
}
