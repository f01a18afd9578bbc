// Command slipctl contains the tools for Slipstream. It generates and receives load, queries
// Parquet tables, shows queues, repairs logs, compares schemas, and migrates Go programs.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstream-go/slipstream/server/program"
	"github.com/slipstream-go/slipstream/server/query"
	"github.com/slipstream-go/slipstream/server/queue"
	"github.com/slipstream-go/slipstream/server/wal"
	"github.com/slipstream-go/slipstream/tools/evolve"
	"github.com/slipstream-go/slipstream/tools/load"
	"github.com/slipstream-go/slipstream/tools/migrate"
)

type commands struct {
	Load    sending             `cmd:"" help:"Send load to ingest or Remote Write endpoints, and print a report."`
	Sink    sink                `cmd:"" help:"Receive Remote Write requests, and count the received series."`
	Query   rows                `cmd:"" help:"Show rows of Parquet tables."`
	WAL     log                 `cmd:"" name:"wal" help:"Check and repair the write-ahead log of a stopped service."`
	Queue   waiting             `cmd:"" help:"Show the relay's queue of a stopped service."`
	Schema  schemas             `cmd:"" help:"Show and compare schemas in JSON form."`
	Migrate moving              `cmd:"" help:"Change the imports of Go programs to Slipstream."`
	Version program.ShowVersion `cmd:"" help:"Show the version."`
}

func main() {
	program.Run(&commands{}, "slipctl", "The tool for Slipstream's services, data and users.", kong.DefaultEnvars("SLIPSTREAM"))
}

type sending struct{ load.Options }

func (c *sending) Run(ctx context.Context) error {
	c.CountRows = query.CountRows
	_, err := load.Run(ctx, c.Options, os.Stdout)
	return err
}

type sink struct{ load.Sink }

func (c *sink) Run(ctx context.Context) error { return c.Sink.Run(ctx, os.Stdout) }

type rows struct{ query.Query }

func (c *rows) Run() error { return c.Query.Run(os.Stdout) }

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
		return fmt.Errorf("the log is damaged; `slipctl wal repair %s` keeps all readable records", c.Dir)
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

type waiting struct {
	Show contents `cmd:"" help:"List the tenants with undelivered requests."`
}

type contents struct {
	Dir string `arg:"" help:"Queue directory, for example ./data/relay." type:"existingdir"`
}

func (c *contents) Run() error {
	found, err := queue.Inspect(c.Dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TENANT\tTARGET\tREQUESTS\tSERIES\tSAMPLES\tBYTES\tOLDEST")
	for _, l := range found.Lines {
		tenant, target, _ := strings.Cut(l.Tenant, "\x00") // with replication, a line belongs to a tenant and a target
		n := l.Items
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\n", tenant, cmp.Or(target, "any"), n.Items, n.Notes[0], n.Notes[1], l.Bytes, l.Oldest.UTC().Format(time.RFC3339))
	}
	w.Flush()
	switch {
	case len(found.Log.Damage) > 0:
		return fmt.Errorf("the queue is damaged: %w; the service keeps all readable requests when it starts", found.Log.Damage[0])
	case found.Unreadable > 0:
		return fmt.Errorf("%d records cannot be decoded; use the version of slipctl that matches the service", found.Unreadable)
	}
	return nil
}

type schemas struct {
	Check checking `cmd:"" help:"Check whether readers and messages of two versions are compatible. The exit status is 1 if they are not compatible, and 2 if they cannot be compared."`
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
