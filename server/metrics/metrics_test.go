package metrics

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/ingest"
	"github.com/slipstream-go/slipstream/server/latency"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
	"github.com/slipstream-go/slipstream/server/watch"
)

type noSink struct{}

func (noSink) Land(context.Context, *table.File) (int64, error) { return 0, nil }
func (noSink) Exists(string) (bool, error)                      { return false, nil }
func (noSink) Remove(string) error                              { return nil }
func (noSink) Rewrite(context.Context, string, []table.Field) (table.Rewritten, error) {
	return table.Rewritten{}, nil
}

func TestCollector(t *testing.T) {
	var store *table.Store
	c := Collector{
		Ingest: func() ingest.Stats {
			took := latency.Snapshot{Count: 3, Sum: time.Second, Buckets: map[float64]uint64{0.5: 2}}
			return ingest.Stats{Rows: 3, Rejected: 11, Again: 8, Keys: 9, Forgotten: 10, Bytes: 40, InFlight: 12, Versions: 5, Unsaved: 6, Ready: true, Latencies: []ingest.Latency{
				{Route: "/v1/write/{db}/{table}", Format: "json", Snapshot: took}, {Route: "/ready", Snapshot: took},
			}}
		},
		Guard: func() [access.Reasons]int64 { return [access.Reasons]int64{access.OtherDatabase: 7} },
		Store: func() *table.Store { return store },
		Watch: func() watch.Stats { return watch.Stats{Loads: 2} },
	}
	registry := prometheus.NewPedanticRegistry() // compares the collected metrics with the descriptions
	registry.MustRegister(c)
	before, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	store, err = table.Open(table.Options{Dir: t.TempDir(), Sink: noSink{}, Decode: func(*wal.Record) ([]table.Write, error) { return nil, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close(context.Background())
	after, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if len(before) != 3+len(ofIngest)+len(ofWatch) || len(after) != len(before)+len(ofStore)+len(ofLog)+1 {
		t.Errorf("%d metrics before the store is open, %d after", len(before), len(after))
	}
	name := regexp.MustCompile(`^slipstream_[a-z_]+$`)
	values := map[string]float64{
		"slipstream_rows_accepted_total": 3, "slipstream_rows_rejected_total": 11, "slipstream_repeated_requests_total": 8, "slipstream_idempotency_keys": 9,
		"slipstream_idempotency_keys_forgotten_total": 10, "slipstream_received_bytes_total": 40, "slipstream_in_flight_bytes": 12, "slipstream_schema_versions": 5,
		"slipstream_schema_write_failures_total": 6, "slipstream_ready": 1, "slipstream_config_loads_total": 2,
	}
	for _, m := range after {
		if !name.MatchString(m.GetName()) || !strings.HasSuffix(m.GetHelp(), ".") {
			t.Errorf("%s: %q", m.GetName(), m.GetHelp())
		}
		if isCounter := m.GetType().String() == "COUNTER"; isCounter != strings.HasSuffix(m.GetName(), "_total") {
			t.Errorf("%s is a %v", m.GetName(), m.GetType())
		}
		if want, ok := values[m.GetName()]; ok {
			delete(values, m.GetName())
			if v := m.GetMetric()[0].GetCounter().GetValue() + m.GetMetric()[0].GetGauge().GetValue(); v != want {
				t.Errorf("%s: %v, want %v", m.GetName(), v, want)
			}
		}
		switch m.GetName() {
		case "slipstream_request_seconds":
			if all := m.GetMetric(); len(all) != 2 || all[1].GetHistogram().GetSampleCount() != 3 || all[1].GetHistogram().GetBucket()[0].GetCumulativeCount() != 2 {
				t.Errorf("latencies: %v", m)
			}
		case "slipstream_access_refusals_total":
			var got []string
			for _, one := range m.GetMetric() {
				got = append(got, fmt.Sprint(one.GetLabel()[0].GetValue(), " ", one.GetCounter().GetValue()))
			}
			if text := strings.Join(got, ", "); text != "database 7, no_token 0, right 0, unknown_token 0" {
				t.Errorf("refusals: %s", text)
			}
		case "slipstream_requests_total":
			if n := len(m.GetMetric()); n != len(ingest.Stats{}.Outcomes) {
				t.Errorf("%d outcomes", n)
			}
		}
	}
	if len(values) > 0 {
		t.Errorf("there are no metrics for %v", values)
	}
}
