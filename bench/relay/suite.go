// Package relay measures the tenant relay of Remote Write. It builds and starts a relay with a
// sender before it and a sink after it, and compares the acknowledged series with the delivered
// ones.
//
// Where things are:
//
//	suite.go    the suite and its cases
//	trial.go    one case: three programs, and their results
//	figures.go  the results as figures, and their bars
//	outage.go   the case of an outage: a queue whose target is down
//
// # Method
//
// Each case starts its own sink, relay and sender: `slipctl sink`, `slipstream serve` and `slipctl
// load`. They are processes on the same processors that communicate over loopback, so the system
// counts their CPU times separately. The relay has default settings, except for its target and the
// tenant label, which remains in the series. The sink decodes each body, and counts the series of
// each tenant.
//
// The CPU time of the relay covers its process from the first request until all series have arrived
// at the sink. It is compared with a floor: the CPU time in which the sender decompresses the same
// bodies and compresses them with snappy. The floor is measured before and after the load, and the
// minimum counts. All times are for one gigabyte before compression.
package relay

import (
	"context"
	"fmt"

	"github.com/slipstream-go/slipstream/bench/harness"
)

const (
	snappyName = "snappy"
	cortexName = "cortex-tenant"
)

// The names of the groups of cases.
const (
	syncGroup    = "Remote Write 1.0 in snappy, answered when the tenants have answered"
	otherGroup   = "Other ways"
	sendersGroup = "More and fewer senders"
	outageGroup  = "After an outage"
)

// scenario describes the requests of a case.
type scenario struct {
	series, tenants int
	version         int
	compress        string
	workers         int  // number of senders; 0 means the same number as in other cases
	remove          bool // the relay removes the tenant label from the series
	queue           bool
	cortex          float64 // CPU-s per GB of cortex-tenant for the same requests; 0 means unknown
	bars            bars
}

// bars contains the limits of a scenario, in addition to no losses. 0 means no limit.
type bars struct {
	cpu   float64 // CPU-s per GB
	floor float64 // CPU time as a multiple of the floor
	gc    float64 // %
}

// cases lists the cases of the suite. The quoted figures are from the reference in noteCortex.
var cases = []struct {
	group, name string
	scenario
}{
	{syncGroup, "", scenario{series: 100, tenants: 1, cortex: 14.6}},
	{syncGroup, "", scenario{series: 100, tenants: 10, cortex: 22.0}},
	{syncGroup, "", scenario{series: 100, tenants: 50, cortex: 57.0, bars: bars{cpu: 57.0 / 3}}},
	{syncGroup, "", scenario{series: 2000, tenants: 1, cortex: 11.7}},
	{syncGroup, "", scenario{series: 2000, tenants: 10, cortex: 14.6, bars: bars{cpu: 1.5, floor: 2, gc: 10}}},
	{syncGroup, "", scenario{series: 2000, tenants: 50, cortex: 18.8}},
	{otherGroup, "zstd, ", scenario{series: 2000, tenants: 10, compress: "zstd"}},
	{otherGroup, "2.0, ", scenario{series: 2000, tenants: 10, version: 2}},
	{otherGroup, "queue, ", scenario{series: 2000, tenants: 10, queue: true}},
	{otherGroup, "label removed, ", scenario{series: 2000, tenants: 1, remove: true}},
	{otherGroup, "label removed, ", scenario{series: 2000, tenants: 10, remove: true}},
	{sendersGroup, "8 senders, ", scenario{series: 100, tenants: 50, workers: 8}},
	{sendersGroup, "32 senders, ", scenario{series: 100, tenants: 50, workers: 32}},
}

func (s scenario) size() string {
	if s.tenants == 1 {
		return fmt.Sprintf("%d series × 1 tenant", s.series)
	}
	return fmt.Sprintf("%d series × %d tenants", s.series, s.tenants)
}

// Suite returns the suite for cmd/bench.
func Suite() harness.Suite { return suite(slipstream) }

func suite(p program) harness.Suite {
	r := harness.Suite{
		Name:  "relay",
		Title: "The tenant relay",
		About: "The relay runs between a sender and a sink that counts the series. All three programs share the same " +
			"processors. A series contains 12 labels, as in a Kubernetes cluster, and one sample. In Remote Write 1.0, a " +
			"series takes 336 bytes. In each request, the series of different tenants are mixed, and every tenant has the same " +
			"number of series. The sender has 12 workers, and each worker sends one request at a time. Gigabytes are counted " +
			"before compression. Each case runs for a sixth of the load time. The cases with a limit for the CPU time run three " +
			"times. Their figures are the medians of the three runs.",
		Rivals: []harness.Rival{
			{Name: snappyName, Module: "github.com/klauspost/compress"},
			{Name: cortexName, Module: "github.com/blind-oracle/cortex-tenant", Version: "f5ef1ef, quoted"},
		},
	}
	for _, c := range cases {
		r.Cases = append(r.Cases, harness.Case{
			Group: c.group, Name: c.name + c.size(),
			Observe: func(ctx context.Context, o harness.Options) ([]harness.Figure, error) {
				return runTrials(ctx, p, o, c.scenario)
			},
		})
	}
	r.Cases = append(r.Cases, harness.Case{
		Group: outageGroup, Name: outageCase,
		Observe: func(ctx context.Context, o harness.Options) ([]harness.Figure, error) {
			d, err := runOutage(ctx, p, o)
			if err != nil {
				return nil, err
			}
			return d.figures(), nil
		},
	})
	return r
}
