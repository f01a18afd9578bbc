package metrics

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/relay"
)

// The relay collects exactly the metrics that it has described, with and without a queue, and for
// all names of tenants.
func TestRelay(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Scope-OrgID") == "refused" {
			w.WriteHeader(400)
		}
	}))
	defer target.Close()
	for _, queue := range []bool{false, true} {
		o := relay.Options{Targets: []string{target.URL}}
		if queue {
			o.Queue = &relay.QueueOptions{Dir: t.TempDir()}
		}
		r, err := relay.New(o)
		if err != nil {
			t.Fatal(err)
		}
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(Relay{r})
		if _, err := registry.Gather(); err != nil {
			t.Fatalf("before it is open: %v", err)
		}
		if err := r.Open(); err != nil {
			t.Fatal(err)
		}
		for _, tenant := range []string{"a", "refused", "other", "\xff not UTF-8", ""} {
			body := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{{
				Labels:  []remotewrite.Label{{Name: "__name__", Value: "up"}, {Name: "__tenant__", Value: tenant}},
				Samples: []remotewrite.Sample{{Value: 1, Timestamp: 1}},
			}}})
			r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/api/v1/push", bytes.NewReader(s2.EncodeSnappy(nil, body))))
		}
		all, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		name := regexp.MustCompile(`^slipstream_relay_[a-z0-9_]+$`)
		values := make(map[string]float64)
		for _, m := range all {
			if !name.MatchString(m.GetName()) || !strings.HasSuffix(m.GetHelp(), ".") {
				t.Errorf("%s: %q", m.GetName(), m.GetHelp())
			}
			if isCounter := m.GetType().String() == "COUNTER"; isCounter != strings.HasSuffix(m.GetName(), "_total") {
				t.Errorf("%s is a %v", m.GetName(), m.GetType())
			}
			for _, one := range m.GetMetric() {
				values[m.GetName()] += one.GetCounter().GetValue() + one.GetGauge().GetValue()
			}
		}
		if got := values["slipstream_relay_requests_total"]; got != 5 {
			t.Errorf("%v requests, want 5", got)
		}
		if got := values["slipstream_relay_rejected_series_total"]; got != 2 {
			t.Errorf("%v series rejected, want 2", got)
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
