package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/metrics"
	"syscall"
	"time"

	"github.com/slipstream-go/slipstream/msgpack"
	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/query"
)

// Demo is a command that shows the main purpose of the service. It starts a service, sends the
// metrics of its own process to this service, and reads the Parquet files that the service writes.
type Demo struct {
	Duration time.Duration `help:"Time for which the demo sends metrics." default:"8s"`
	Interval time.Duration `help:"Sampling interval of the metrics." default:"250ms"`
}

// Run runs the demo with the settings c, which should be the defaults. It returns an error unless
// each acknowledged row is in the files exactly once.
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

	fmt.Fprintf(out, "A service at %s stores its data in %s.\nIt receives the metrics of its own process for %v.\n", s.URL(), dir, d.Duration)
	acknowledged, err := d.send(ctx, s.URL())
	if err != nil {
		return err
	}
	if err := postRows(s.URL()+"/-/flush", nil); err != nil {
		return err
	}
	landed, err := query.CountRows(tables)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d rows were acknowledged, %d rows have landed: acknowledged − landed = %d.\n\nThe Parquet files contain:\n\n",
		acknowledged, landed, acknowledged-landed)
	if landed != acknowledged {
		return fmt.Errorf("%d rows were acknowledged, but the files contain %d rows", acknowledged, landed)
	}
	return (&query.Query{Dir: tables, Rows: 5}).Run(out)
}

// sample is a row of the demo.
type sample struct {
	Time       int64   `msgpack:"time"` // time in microseconds
	Goroutines uint64  `msgpack:"goroutines"`
	Heap       uint64  `msgpack:"heap_bytes"`
	Allocated  uint64  `msgpack:"allocated_bytes"`
	Cycles     uint64  `msgpack:"gc_cycles"`
	CPU        float64 `msgpack:"cpu_seconds"`
}

// send posts one row per interval, until the duration has passed or ctx ends. It returns the number
// of acknowledged rows.
func (d *Demo) send(ctx context.Context, url string) (acknowledged int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.Duration)
	defer cancel()
	tick := time.NewTicker(d.Interval)
	defer tick.Stop()
	for {
		body, err := msgpack.Marshal([]sample{takeSample()})
		if err != nil {
			return acknowledged, err
		}
		if err := postRows(url+"/v1/write/demo/process", body); err != nil {
			return acknowledged, err
		}
		acknowledged++
		select {
		case <-ctx.Done():
			return acknowledged, nil
		case <-tick.C:
		}
	}
}

func takeSample() sample {
	values := []metrics.Sample{
		{Name: "/sched/goroutines:goroutines"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(values)
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // fails only for wrong arguments
	return sample{
		Time: time.Now().UnixMicro(), Goroutines: values[0].Value.Uint64(), Heap: values[1].Value.Uint64(),
		Allocated: values[2].Value.Uint64(), Cycles: values[3].Value.Uint64(),
		CPU: float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9,
	}
}

// postRows posts a MessagePack body. It returns an error unless the response is 204.
func postRows(url string, body []byte) error {
	resp, err := http.Post(url, "application/msgpack", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return fmt.Errorf("%s: %s: %s", url, resp.Status, text)
	}
	return nil
}
