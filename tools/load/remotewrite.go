package load

import (
	"errors"
	"fmt"
	"time"
)

// RemoteWrite configures --protocol=remote-write: the series to send, and the sink to which the
// relay delivers them. Each worker has its own series, like a Prometheus shard. It sends its
// prepared requests in turn; after the last request, it starts again with the first. The prepared
// requests differ in values and times. A request that is sent again is not changed.
type RemoteWrite struct {
	Series      int           `help:"Number of series per request. Each series has 12 labels." default:"2000"`
	Tenants     int           `help:"Number of tenants. Each request has the same number of series for every tenant." default:"10"`
	Version     int           `help:"Remote Write version: 1 or 2." name:"rw-version" enum:"1,2" default:"1"`
	Histograms  float64       `help:"Share of the series that contain a native histogram and an exemplar instead of a sample, from 0 to 1." default:"0"`
	TenantLabel string        `help:"Name of the label that contains the tenant ID." default:"__tenant__"`
	Grouped     bool          `help:"Order the series by tenant. Without this flag, the tenants are mixed, as in the requests of Prometheus."`
	Sink        string        `help:"URL of a \"slipctl sink\" that receives series from the relay. The counts of the sink are compared with the acknowledged series." placeholder:"URL"`
	Settle      time.Duration `help:"Time without progress at the sink after which missing samples count as lost." default:"10s"`
}

const (
	maxTenants     = 100_000
	seriesEstimate = 340 // estimated size of a series before compression, in bytes
)

func (o *Options) checkRemoteWrite() error {
	w := &o.RemoteWrite
	switch {
	case o.Compress != "snappy" && o.Compress != "zstd":
		return fmt.Errorf("--compress %q: must be snappy or zstd for Remote Write", o.Compress)
	case o.DataDir != "":
		return errors.New("--data-dir: counts rows, not series; use --sink")
	case w.Version != 1 && w.Version != 2:
		return fmt.Errorf("--rw-version %d: must be 1 or 2", w.Version)
	case w.Version == 2 && o.Compress != "snappy":
		return errors.New("--rw-version 2: needs --compress snappy")
	case !(w.Histograms >= 0 && w.Histograms <= 1):
		return fmt.Errorf("--histograms %g: must be from 0 to 1", w.Histograms)
	case w.TenantLabel == "" || !printable(w.TenantLabel):
		return fmt.Errorf("--tenant-label %q: must be a label name in printable ASCII without spaces", w.TenantLabel)
	case w.Sink != "" && w.Settle <= 0:
		return fmt.Errorf("--settle %v: must be positive", w.Settle)
	}
	if err := within(
		bound{"workers", o.Workers, maxWorkers}, bound{"series", w.Series, maxRows},
		bound{"tenants", w.Tenants, min(maxTenants, w.Series)}, bound{"pregenerate", o.Pregenerate, maxPrepared},
	); err != nil {
		return err
	}
	return o.affordable("series", seriesEstimate)
}
