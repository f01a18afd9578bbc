// Package relay measures the tenant relay of Remote Write: it builds and starts one, a sink after
// it and a sender before it, and compares what was acknowledged with what came to the sink.
//
// Where things are:
//
//	suite.go    the suite and its cases
//	trial.go    one case: three programs, and what they said
//	figures.go  the same as figures, and their bars
//	outage.go   the case of a queue after an outage of its target
//
// # Method
//
// Each case has a sink, a relay and a sender of its own, which are processes on the same processors
// and talk over loopback: `slipstream sink`, `slipstream serve` and `slipstream load`, so that the
// system tells their processor times apart. The relay has default settings but for its target and
// the tenants' label, which stays in the series. The sink looks into each body, and counts series
// for each tenant.
//
// The processor time of the relay is that of its process from the first request until everything
// has come to the sink. Beside it stands a floor: what the sender takes to decompress the same
// bodies and to compress them with snappy, before the load and after it, the least of the two. All
// are for a gigabyte before compression.
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

// The names of the cases' groups.
const (
	syncGroup    = "Remote Write 1.0 in snappy, answered when the tenants have answered"
	otherGroup   = "Other ways"
	sendersGroup = "More and fewer senders"
	outageGroup  = "After an outage"
)

// scenario is what a case sends.
type scenario struct {
	series, tenants int
	version         int
	compress        string
	workers         int  // that send; 0: as many as in the other cases
	remove          bool // the relay takes the label of tenants out of the series
	queue           bool
	cortex          float64 // CPU-s per GB that cortex-tenant took for the same; 0: not known
	bars            bars
}

// bars are what a scenario promises besides that nothing is lost; 0: nothing.
type bars struct {
	cpu   float64 // CPU-s per GB
	floor float64 // the same, by the floor
	gc    float64 // %
}

// cases are those of the suite. The quoted figures are of the reference that noteCortex names.
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

// Suite is the suite for cmd/bench.
func Suite() harness.Suite { return suite(slipstream) }

func suite(p program) harness.Suite {
	r := harness.Suite{
		Name:  "relay",
		Title: "The tenant relay",
		About: "The relay between a sender and a sink that counts, all three on the same processors. A series has 12 labels as from a cluster of " +
			"Kubernetes and a sample, 336 bytes of Remote Write 1.0; the tenants are mixed in each request and have equally many. 12 workers send, each one request " +
			"at a time. A GB is one before compression. Each case has a sixth of the load's time.",
		Rivals: []harness.Rival{
			{Name: snappyName, Module: "github.com/klauspost/compress"},
			{Name: cortexName, Module: "github.com/blind-oracle/cortex-tenant", Version: "f5ef1ef, quoted"},
		},
	}
	for _, c := range cases {
		r.Cases = append(r.Cases, harness.Case{
			Group: c.group, Name: c.name + c.size(),
			Observe: func(ctx context.Context, o harness.Options) ([]harness.Figure, error) {
				t, err := runTrial(ctx, p, o, c.scenario)
				if err != nil {
					return nil, err
				}
				return t.figures(c.scenario), nil
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
