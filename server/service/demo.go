package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/load"
)

// Demo shows the main job: this machine's counters go into a service of their own for a while, and
// then the Parquet files are read that came of it.
type Demo struct {
	Duration time.Duration `help:"How long to send." default:"8s"`
	Interval time.Duration `help:"Sampling interval of the counters." default:"250ms"`
}

// Run returns an error unless every row that was acknowledged has landed once. The settings c are
// those of a service by default.
func (d *Demo) Run(ctx context.Context, c *config.Serve, version string, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "slipstream-demo-")
	if err != nil {
		return err
	}
	c.Listen, c.Data = "127.0.0.1:0", dir
	tables := filepath.Join(dir, "tables")

	s, err := New(c, version, slog.New(slog.DiscardHandler))
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	running, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(running) }()
	defer func() {
		stop()
		err = errors.Join(err, <-stopped, os.RemoveAll(dir))
	}()
	select {
	case <-s.Ready():
	case err := <-stopped:
		stopped <- nil
		return err
	}

	fmt.Fprintf(out, "A service at %s keeps its data in %s.\nThis machine's counters are sent to it for %v.\n", s.URL(), dir, d.Duration)
	r, err := load.Run(ctx, load.Options{
		URL: s.URL(), Endpoint: "arc", Database: "demo", Durability: "sync", Format: "columnar", Compress: "none",
		Source: "proc", Duration: d.Duration, Interval: d.Interval, Timeout: 30 * time.Second,
		DataDir: tables, CountRows: CountRows,
	}, io.Discard)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d rows in %d requests were acknowledged, %d rows have landed: acknowledged − landed = %d.\n\nThis is what the Parquet files hold:\n\n",
		r.Acknowledged, r.Requests, r.Landed.Rows, r.Landed.Missing)
	return (&Query{Dir: tables, Rows: 3}).Run(out)
}
