package load

import (
	"crypto/tls"
	"errors"
	"fmt"
	"time"
)

// Options configures a run: the data to send, how to send it, and the measurements. The struct tags
// are for the command-line parser kong. The fields without a flag are set by the program that calls
// Run.
type Options struct {
	Protocol string `help:"Data to send: ingest (rows for the ingest endpoints) or remote-write (series for a relay or any Remote Write receiver)." enum:"ingest,remote-write" default:"ingest"`

	URL     string `help:"Base URL of the service. With --protocol=remote-write, requests go to this URL itself, or to /api/v1/push if the URL has no path." default:"http://127.0.0.1:8080" placeholder:"URL"`
	AnyHost bool   `help:"Allow a URL on a machine other than this one."`

	Endpoint   string `help:"Ingest endpoint: arc (/api/v1/write/msgpack) or v1 (/v1/write/{db}/{table})." enum:"arc,v1" default:"arc"`
	Database   string `help:"Database that receives the rows. Default: the default database of the server." placeholder:"NAME"`
	Token      string `help:"Bearer token that is sent with each request." env:"SLIPSTREAM_TOKEN" placeholder:"TOKEN"`
	Durability string `help:"Durability of requests: sync (the server responds after fsync) or async (the server responds before fsync)." enum:"sync,async" default:"sync"`
	Format     string `help:"Layout of bodies: columnar, row or schema. Bodies of the layout schema contain columns that are encoded with a schema, which is registered first; this layout requires --endpoint=v1." enum:"columnar,row,schema" default:"columnar"`
	Compress   string `help:"Compression of bodies: none, gzip or zstd for ingest; snappy or zstd for remote-write. Default: none for ingest, and snappy for remote-write." enum:",none,gzip,zstd,snappy" default:""`

	Source      string        `help:"Source of rows: synthetic, or proc (this machine's counters from /proc)." enum:"synthetic,proc" default:"synthetic"`
	Duration    time.Duration `help:"Duration of the load. 0 means until the program is interrupted." default:"60s"`
	Interval    time.Duration `help:"Sampling interval of --source=proc." default:"1s"`
	Workers     int           `help:"Number of connections, each with one request at a time. --source=proc uses one connection." default:"12"`
	Rows        int           `help:"Number of rows per synthetic request." default:"1000"`
	Tables      int           `help:"Number of synthetic tables." default:"4"`
	Hosts       int           `help:"Number of distinct hosts in synthetic rows." default:"1000"`
	Pregenerate int           `help:"Number of synthetic requests that are prepared and then sent in turn." default:"1000"`
	UniqueTime  bool          `help:"Give every synthetic row a timestamp that is unique in its table. Bodies that were compressed in advance keep their original timestamps." default:"true" negatable:""`

	Rate          float64       `help:"Maximum number of rows or series per second, for all workers together. 0 means no limit. With a limit, the latency of a request counts from the time at which the request was due." placeholder:"ROWS"`
	RatePerWorker float64       `help:"Maximum number of rows or series per second for each worker. 0 means no limit." placeholder:"ROWS"`
	Timeout       time.Duration `help:"Maximum time to wait for a response." default:"30s"`

	RemoteWrite RemoteWrite `embed:"" group:"With --protocol=remote-write"`

	PID     int    `help:"Process ID of the server, whose CPU time and memory are measured. 0 means that they are not measured." name:"pid" placeholder:"PID"`
	DataDir string `help:"Directory of the server's Parquet files, in which the stored rows are counted." placeholder:"DIR"`
	JSON    bool   `help:"Print the report as JSON."`

	// CountRows returns the number of rows in the Parquet files below the directory `dir`. It must
	// be set if DataDir is set.
	CountRows func(dir string) (int64, error) `kong:"-"`

	// TLS is used for https; nil means Go's default.
	TLS *tls.Config `kong:"-"`

	// Requests is the number of requests that each worker sends, regardless of the duration. If it
	// is 0, workers send until Duration ends.
	Requests int `kong:"-"`
}

// These constants limit the requests that are prepared before a run, so that a typing mistake in a
// flag does not use up all memory.
const (
	maxRows        = 1_000_000
	maxTables      = 100_000
	maxHosts       = 10_000_000
	maxWorkers     = 10_000
	maxPrepared    = 1 << 30 // bytes
	rowEstimate    = 46      // estimated size of a synthetic row in a columnar body, in bytes
	rowRowEstimate = 90      // estimated size of a synthetic row in a body of rows, in bytes
)

func (o *Options) remoteWrite() bool { return o.Protocol == "remote-write" }

// unit returns the unit of a run's counts: rows or series.
func (o *Options) unit() string {
	if o.remoteWrite() {
		return "series"
	}
	return "rows"
}

// complete sets the options whose values follow from other options.
func (o *Options) complete() {
	if o.Protocol == "" {
		o.Protocol = "ingest"
	}
	if o.Compress == "" {
		o.Compress = "none"
		if o.remoteWrite() {
			o.Compress = "snappy"
		}
	}
	switch {
	case o.remoteWrite():
		o.Rows = o.RemoteWrite.Series
	case o.Source == "proc":
		o.Workers, o.Rows, o.Rate, o.RatePerWorker = 1, 0, 0, 0
	}
}

// check returns an error if an option is invalid.
func (o *Options) check() error {
	switch {
	case o.Protocol != "ingest" && !o.remoteWrite():
		return fmt.Errorf("--protocol %q: must be ingest or remote-write", o.Protocol)
	case !printable(o.Token):
		return errors.New("--token: must be printable ASCII without spaces")
	case o.Duration < 0:
		return fmt.Errorf("--duration %v: must not be negative", o.Duration)
	case o.Timeout <= 0:
		return fmt.Errorf("--timeout %v: must be positive", o.Timeout)
	case !(o.Rate >= 0) || !(o.RatePerWorker >= 0):
		return errors.New("--rate and --rate-per-worker: must not be negative")
	case o.PID < 0:
		return fmt.Errorf("--pid %d: must be a process id, or 0", o.PID)
	}
	if o.remoteWrite() {
		return o.checkRemoteWrite()
	}
	return o.checkIngest()
}

func (o *Options) checkIngest() error {
	perRow := int64(rowEstimate)
	if o.Format == "row" {
		perRow = rowRowEstimate
	}
	switch {
	case o.Endpoint != "arc" && o.Endpoint != "v1":
		return fmt.Errorf("--endpoint %q: must be arc or v1", o.Endpoint)
	case o.Format != "columnar" && o.Format != "row" && o.Format != "schema":
		return fmt.Errorf("--format %q: must be columnar, row or schema", o.Format)
	case o.Format == "schema" && (o.Endpoint != "v1" || o.Source != "synthetic"):
		return errors.New("--format schema: needs --endpoint v1 and --source synthetic")
	case o.Compress != "none" && o.Compress != "gzip" && o.Compress != "zstd":
		return fmt.Errorf("--compress %q: must be none, gzip or zstd", o.Compress)
	case o.Durability != "sync" && o.Durability != "async":
		return fmt.Errorf("--durability %q: must be sync or async", o.Durability)
	case o.Source != "synthetic" && o.Source != "proc":
		return fmt.Errorf("--source %q: must be synthetic or proc", o.Source)
	case !printable(o.Database):
		return fmt.Errorf("--database %q: must be printable ASCII without spaces", o.Database)
	case o.DataDir != "" && o.CountRows == nil:
		return errors.New("--data-dir: this program cannot count the rows of Parquet files")
	}
	if o.Source == "proc" {
		if o.Interval <= 0 {
			return fmt.Errorf("--interval %v: must be positive", o.Interval)
		}
		return nil
	}
	if err := within(
		bound{"workers", o.Workers, maxWorkers}, bound{"rows", o.Rows, maxRows}, bound{"tables", o.Tables, maxTables},
		bound{"hosts", o.Hosts, maxHosts}, bound{"pregenerate", o.Pregenerate, maxPrepared},
	); err != nil {
		return err
	}
	return o.affordable("rows", perRow)
}

// bound limits the value of a flag: it must be from 1 to max.
type bound struct {
	flag       string
	value, max int
}

func within(bounds ...bound) error {
	for _, b := range bounds {
		if b.value < 1 || b.value > b.max {
			return fmt.Errorf("--%s %d: must be from 1 to %d", b.flag, b.value, b.max)
		}
	}
	return nil
}

// affordable returns an error if the total size of the prepared requests would be too large.
func (o *Options) affordable(flag string, perRow int64) error {
	if bytes := int64(o.requests()) * int64(o.Rows) * perRow; bytes > maxPrepared {
		return fmt.Errorf("--pregenerate %d × --%s %d: about %d MiB of requests exceed the maximum of %d MiB; lower one of them",
			o.requests(), flag, o.Rows, bytes>>20, maxPrepared>>20)
	}
	return nil
}

// requests returns the number of synthetic requests to prepare. There must be at least one per
// worker, because workers do not share requests.
func (o *Options) requests() int { return max(o.Pregenerate, o.Workers) }

// pace returns the time that a worker has for one request, or 0 if its rate is not limited.
func (o *Options) pace() time.Duration {
	rate := o.RatePerWorker
	if all := o.Rate / float64(o.Workers); all > 0 && (rate == 0 || all < rate) {
		rate = all
	}
	if rate == 0 {
		return 0
	}
	return time.Duration(float64(o.Rows) / rate * float64(time.Second))
}

// printable reports whether s can be written to a request line or a header unchanged.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
