package load

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// TestFlags parses the options in the same way as the command.
func TestFlags(t *testing.T) {
	var o Options
	p, err := kong.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse(nil); err != nil {
		t.Fatal(err)
	}
	o.complete()
	if err := o.check(); err != nil {
		t.Errorf("defaults: %v", err)
	}
	if o.Workers != 12 || o.Rows != 1000 || o.Duration != time.Minute || o.Tables != 4 || o.Hosts != 1000 || o.Pregenerate != 1000 || !o.UniqueTime {
		t.Errorf("defaults: %+v", o)
	}
	if w := o.RemoteWrite; w.Series != 2000 || w.Tenants != 10 || w.Version != 1 || w.TenantLabel != "__tenant__" || w.Settle != 10*time.Second {
		t.Errorf("defaults of Remote Write: %+v", w)
	}
	o = Options{}
	if _, err := p.Parse(strings.Fields("--protocol remote-write --series 7 --tenants 3 --rw-version 2 --histograms 0.5 --tenant-label a --grouped " +
		"--sink http://127.0.0.1:1 --settle 1s")); err != nil {
		t.Fatal(err)
	}
	o.complete()
	want := RemoteWrite{Series: 7, Tenants: 3, Version: 2, Histograms: 0.5, TenantLabel: "a", Grouped: true, Sink: "http://127.0.0.1:1", Settle: time.Second}
	if err := o.check(); err != nil || o.RemoteWrite != want || o.Compress != "snappy" || o.Rows != 7 {
		t.Errorf("%+v, %v", o, err)
	}
	_, err = p.Parse(strings.Fields("--protocol ingest --url http://127.0.0.1:1 --any-host --endpoint v1 --database d --token t --durability async --format row " +
		"--compress zstd --source proc --duration 0s --interval 2s --workers 1 --rows 2 --tables 3 --hosts 4 --pregenerate 5 --no-unique-time " +
		"--rate 6 --rate-per-worker 7 --timeout 8s --pid 9 --json"))
	if err != nil || o.UniqueTime || o.PID != 9 || o.RatePerWorker != 7 || !o.JSON || o.Duration != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestOptionsCheck(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"--endpoint":   func(o *Options) { o.Endpoint = "v2" },
		"--format":     func(o *Options) { o.Format = "" },
		"needs":        func(o *Options) { o.Format = "schema" },
		"--compress":   func(o *Options) { o.Compress = "lz4" },
		"--durability": func(o *Options) { o.Durability = "off" },
		"--source":     func(o *Options) { o.Source = "sys" },
		"--database":   func(o *Options) { o.Database = "a b" },
		"--token":      func(o *Options) { o.Token = "x\r\nHost: y" },
		"--duration":   func(o *Options) { o.Duration = -1 },
		"--timeout":    func(o *Options) { o.Timeout = 0 },
		"--rate":       func(o *Options) { o.Rate = -1 },
		"--pid":        func(o *Options) { o.PID = -1 },
		"--data-dir":   func(o *Options) { o.DataDir = "d" },
		"--workers 0":  func(o *Options) { o.Workers = 0 },
		"--rows 0":     func(o *Options) { o.Rows = 0 },
		"--tables 0":   func(o *Options) { o.Tables = 0 },
		"--hosts 0":    func(o *Options) { o.Hosts = 0 },
		"lower one":    func(o *Options) { o.Rows, o.Pregenerate = 1_000_000, 1000 },
		"--interval":   func(o *Options) { o.Source, o.Interval = "proc", 0 },

		"must be http://":   func(o *Options) { o.URL = "127.0.0.1:80" },
		"not this machine":  func(o *Options) { o.URL = "http://192.0.2.1:9" },
		"use --token":       func(o *Options) { o.URL = "http://a:secret@127.0.0.1" },
		"out of range":      func(o *Options) { o.URL = "http://127.0.0.1:99999" },
		"must have no user": func(o *Options) { o.URL = "http://127.0.0.1/?q=1" },
	} {
		o := smallOptions("")
		o.URL = "http://127.0.0.1:1"
		change(&o)
		_, err := Run(context.Background(), o, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "Host: y") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("a secret shows in %v", err)
		}
	}
}

func TestPace(t *testing.T) {
	for _, c := range []struct {
		rate, perWorker float64
		want            time.Duration
	}{
		{0, 0, 0},
		{4000, 0, time.Second}, // each of two workers sends 2000 rows per second, in requests of 2000 rows
		{0, 500, 4 * time.Second},
		{4000, 500, 4 * time.Second}, // the lower rate applies
		{500, 4000, 8 * time.Second},
		{1e9, 0, 4 * time.Microsecond},
	} {
		o := Options{Workers: 2, Rows: 2000, Rate: c.rate, RatePerWorker: c.perWorker}
		if got := o.pace(); got != c.want {
			t.Errorf("rate %g, %g a worker: a request each %v, want %v", c.rate, c.perWorker, got, c.want)
		}
	}
}

// A connection that was idle for too long is replaced before it is used.
func TestConnDialsAnew(t *testing.T) {
	s := newService(t, nil)
	o := s.options()
	target, err := newTarget(context.Background(), &o)
	if err != nil {
		t.Fatal(err)
	}
	c := conn{target: target, timeout: time.Minute}
	defer c.close()
	now := time.Now()
	for i, step := range []struct {
		after time.Duration
		dials int64
	}{{0, 1}, {time.Second, 1}, {idleLimit, 1}, {2*idleLimit + 1, 2}} {
		if err := c.open(context.Background(), now.Add(step.after)); err != nil || c.dials != step.dials {
			t.Errorf("step %d: %d connections, want %d; %v", i, c.dials, step.dials, err)
		}
	}
}
