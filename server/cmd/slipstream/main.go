// Command slipstream is the ingest service and what goes with it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/evolve"
	"github.com/slipstream-go/slipstream/server/load"
	"github.com/slipstream-go/slipstream/server/migrate"
	"github.com/slipstream-go/slipstream/server/service"
	"github.com/slipstream-go/slipstream/server/wal"
)

type commands struct {
	Serve   serve   `cmd:"" help:"Run the service: ingest rows into Parquet files, and relay Remote Write."`
	Load    sending `cmd:"" help:"Load generator for ingest and Remote Write, with a report."`
	Sink    sink    `cmd:"" help:"Remote Write receiver that counts what it receives."`
	Query   query   `cmd:"" help:"Show rows of Parquet tables."`
	Demo    demo    `cmd:"" help:"Ingest this machine's counters, and query them."`
	WAL     log     `cmd:"" name:"wal" help:"Check and repair the write-ahead log of a stopped service."`
	Schema  schemas `cmd:"" help:"Show and compare schemas in JSON form."`
	Migrate moving  `cmd:"" help:"Change the imports of Go programs to Slipstream."`
	Version shown   `cmd:"" help:"Show the version."`
}

func main() {
	var c commands
	k := kong.Parse(&c, append(config.Options(),
		kong.Name("slipstream"),
		kong.Description("The fast lane for data on the wire."),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(interruptible(), (*context.Context)(nil)))...)
	k.FatalIfErrorf(k.Run())
}

// exit ends the process. A command line that is not understood is 2, as it is in most programs, and
// not kong's 80: 1 is a verdict of some commands.
func exit(code int) {
	if code > 2 {
		code = 2
	}
	os.Exit(code)
}

// interruptible is done at the first SIGINT or SIGTERM. The second one ends the process: nothing
// that was acknowledged is lost by that either.
func interruptible() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2) // the second one may come before the first was acted upon
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		second := (<-signals).(syscall.Signal)
		signal.Reset(second)
		_ = syscall.Kill(os.Getpid(), second) // which ends the process, as if nobody had asked to be told
	}()
	return ctx
}

type serve struct{ config.Serve }

func (c *serve) Run(ctx context.Context) error {
	if os.Getenv("GOMAXPROCS") == "" {
		// A sync of the log occupies one of Go's processors without using one of the machine's.
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
	s, err := service.New(&c.Serve, version(), c.NewLogger(os.Stderr))
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

type sending struct{ load.Options }

func (c *sending) Run(ctx context.Context) error {
	c.CountRows = service.CountRows
	_, err := load.Run(ctx, c.Options, os.Stdout)
	return err
}

type sink struct{ load.Sink }

func (c *sink) Run(ctx context.Context) error { return c.Sink.Run(ctx, os.Stdout) }

type query struct{ service.Query }

func (c *query) Run() error { return c.Query.Run(os.Stdout) }

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
	return c.Demo.Run(ctx, &defaults, version(), os.Stdout)
}

type log struct {
	Check  check  `cmd:"" help:"Read the log and report damage."`
	Repair repair `cmd:"" help:"Keep all readable records, and discard the others."`
}

type check struct {
	Dir string `arg:"" help:"Log directory, for example ./data/wal." type:"existingdir"`
}

func (c *check) Run() error {
	r, err := wal.Check(c.Dir)
	if err != nil {
		return err
	}
	fmt.Println(r)
	if len(r.Damage) > 0 {
		return fmt.Errorf("the log is damaged; `slipstream wal repair %s` keeps all readable records", c.Dir)
	}
	return nil
}

type repair struct {
	Dir string `arg:"" help:"Log directory, for example ./data/wal." type:"existingdir"`
}

func (c *repair) Run() error {
	r, err := wal.Repair(c.Dir)
	if err != nil {
		return err
	}
	fmt.Println(r)
	return nil
}

type schemas struct {
	Check checking `cmd:"" help:"Check whether readers and messages of two versions are compatible. Exit status: 1 if not, 2 if they cannot be compared."`
	Show  showing  `cmd:"" help:"Show a schema and its fingerprints."`
}

type checking struct{ evolve.Check }

func (c *checking) Run() error { return c.Check.Run(os.Stdout) }

type showing struct{ evolve.Show }

func (c *showing) Run() error { return c.Show.Run(os.Stdout) }

type moving struct {
	Msgpack msgpack `cmd:"" help:"Migrate from the MessagePack libraries of vmihailenco and Basekick."`
}

type msgpack struct{ migrate.Options }

func (c *msgpack) Run() error { return migrate.Run(c.Options, os.Stdout) }

type shown struct{}

func (shown) Run() error {
	fmt.Println("slipstream", version())
	return nil
}

// version is the module's, or the revision that was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (info.Main.Version == "" || info.Main.Version == "(devel)") {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	if info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}
