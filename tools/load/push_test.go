package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// relay passes its requests on to a sink, split by tenant.
type relay struct {
	*httptest.Server
	sink string

	// reply sends the response to request n, counted from 1, after the request was passed on. If it
	// returns false, the relay responds as usual.
	reply func(n int, w http.ResponseWriter) bool
	// passes returns the tenant under which a part is passed on to the sink, and the number of
	// times that it is passed on. If passes is nil, each part is passed on once, under its own
	// tenant.
	passes func(tenant string) (as string, times int)

	mu       sync.Mutex
	requests int
	headers  http.Header // of the last request
	bodies   [][]byte
}

func newRelay(t *testing.T, sink string) *relay {
	r := &relay{sink: sink}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/api/v1/push":
			r.push(t, w, req)
		case "/metrics":
			r.mu.Lock()
			defer r.mu.Unlock()
			fmt.Fprintf(w, "go_cpu_classes_gc_total_cpu_seconds_total %d\ngo_cpu_classes_idle_cpu_seconds_total 0\n"+
				"go_cpu_classes_total_cpu_seconds_total %d\n", r.requests, 20*r.requests)
		default:
			http.NotFound(w, req)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *relay) push(t *testing.T, w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.requests++
	n := r.requests
	r.headers = req.Header.Clone()
	r.bodies = append(r.bodies, body)
	r.mu.Unlock()
	packing, err := newPacking(req.Header.Get("Content-Encoding"))
	if err != nil {
		t.Error(err)
	}
	plain, err := packing.unpack(nil, body)
	if err != nil {
		t.Error(err)
	}
	version, _ := versionOf(req.Header.Get("Content-Type"))
	var p remotewrite.Splitter
	if err := p.Split(plain, version, remotewrite.By{Labels: []string{"tenant"}}); err != nil {
		t.Error(err)
	}
	status := http.StatusNoContent
	for part := range p.Parts {
		as, times := string(part.Key()), 1
		if r.passes != nil {
			as, times = r.passes(as)
		}
		for range times {
			reply := post(t, r.sink, as, map[string]string{"Content-Type": req.Header.Get("Content-Type")}, s2.EncodeSnappy(nil, part.Append(nil)))
			status = max(status, reply.StatusCode)
		}
	}
	if r.reply == nil || !r.reply(n, w) {
		w.WriteHeader(status)
	}
}

func TestPush(t *testing.T) {
	for _, c := range []struct {
		version  int
		compress string
		headers  map[string]string
	}{
		{1, "snappy", map[string]string{"Content-Type": contentType, "X-Prometheus-Remote-Write-Version": "0.1.0"}},
		{1, "zstd", map[string]string{"Content-Type": contentType, "X-VictoriaMetrics-Remote-Write-Version": "1", "X-Prometheus-Remote-Write-Version": ""}},
		{2, "snappy", map[string]string{"Content-Type": contentTypeV2, "X-Prometheus-Remote-Write-Version": "2.0.0"}},
	} {
		sink := newSink(t, nil)
		r := newRelay(t, sink.URL)
		o := smallPush(r.URL)
		o.Compress, o.RemoteWrite.Version, o.RemoteWrite.Sink, o.Token = c.compress, c.version, sink.URL, "secret"
		o.Duration, o.Requests = 500*time.Millisecond, 50 // long enough to measure the floor with a clock of 10 ms
		if runtime.GOOS == "linux" {
			o.PID = os.Getpid()
		}
		post(t, sink.URL, "team-01", nil, s2.EncodeSnappy(nil, []byte("\x0a\x00"))) // series that arrived before the run are not counted
		report := mustRun(t, o)
		w, d := report.RemoteWrite, report.RemoteWrite.Delivered
		if report.Unit != "series" || report.Acknowledged == 0 || report.Acknowledged != 50*report.Statuses[204] || report.Acknowledged != w.Acknowledged.Series {
			t.Errorf("%+v: report %+v", c, report)
		}
		if !d.Exact || !d.Looked || d.Delivered != w.Acknowledged || len(d.Lost)+len(d.Unknown) > 0 || d.Requests != 3*report.Requests || len(d.Tenants) != 3 {
			t.Errorf("%+v: delivered %+v of %+v", c, d, w.Acknowledged)
		}
		if n := w.Acknowledged; n.Histograms != report.Requests*12 || n.Samples != report.Requests*38 || n.Exemplars != n.Histograms || w.SamplesPerSecond <= 0 {
			t.Errorf("%+v: acknowledged %+v in %d requests", c, n, report.Requests)
		}
		if w.PlainPerRequest < 50*60 || report.Latency.P50 > report.Latency.P90 || report.Latency.P90 > report.Latency.P99 {
			t.Errorf("%+v: %d bytes a request, latency %+v", c, w.PlainPerRequest, report.Latency)
		}
		for name, want := range c.headers {
			if got := r.headers.Get(name); got != want {
				t.Errorf("%+v: %s is %q, want %q", c, name, got, want)
			}
		}
		if r.headers.Get("Authorization") != "Bearer secret" || r.headers.Get("Content-Encoding") != c.compress {
			t.Errorf("%+v: headers %v", c, r.headers)
		}
		if o.PID == 0 {
			continue
		}
		if w.CPUPerGB == nil || w.FloorPerGB == nil || w.FloorRatio == nil || *w.FloorPerGB <= 0 {
			t.Errorf("%+v: CPU-s per GB %v, floor %v, ratio %v", c, w.CPUPerGB, w.FloorPerGB, w.FloorRatio)
		}
		if s := report.Server; s.GCShare == nil || *s.GCShare != 0.05 {
			t.Errorf("%+v: garbage collection took %v", c, s.GCShare)
		}
	}
}

// Pregenerated requests differ, and are sent again and again in the same order.
func TestPushRepeats(t *testing.T) {
	sink := newSink(t, nil)
	r := newRelay(t, sink.URL)
	o := smallPush(r.URL + "/api/v1/push/")
	o.Workers, o.Pregenerate = 1, 3
	mustRun(t, o)
	for i, body := range r.bodies {
		if i >= 3 && !bytes.Equal(body, r.bodies[i-3]) || i > 0 && bytes.Equal(body, r.bodies[i-1]) {
			t.Fatalf("request %d of %d", i, len(r.bodies))
		}
	}
	if len(r.bodies) < 4 {
		t.Errorf("%d requests", len(r.bodies))
	}
}

// A request that is rejected or broken off after it was passed on is sent again.
func TestPushAgain(t *testing.T) {
	for name, reply := range map[string]func(w http.ResponseWriter){
		"503": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "a tenant is down", http.StatusServiceUnavailable)
		},
		"429": func(w http.ResponseWriter) { http.Error(w, "slowly", http.StatusTooManyRequests) },
		"500": func(w http.ResponseWriter) { http.Error(w, "what", http.StatusInternalServerError) },
		"cut": func(w http.ResponseWriter) {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		},
	} {
		sink := newSink(t, nil)
		r := newRelay(t, sink.URL)
		r.reply = func(n int, w http.ResponseWriter) bool {
			if n == 2 {
				reply(w)
			}
			return n == 2
		}
		o := smallPush(r.URL)
		o.Workers, o.RemoteWrite.Sink = 1, sink.URL
		report := mustRun(t, o)
		if len(r.bodies) < 3 || !bytes.Equal(r.bodies[1], r.bodies[2]) {
			t.Errorf("%s: %d requests, and the third is not the second again", name, len(r.bodies))
		}
		if d := report.RemoteWrite.Delivered; d.Exact || len(d.Lost) > 0 || d.Delivered.Series != report.Acknowledged+50 {
			t.Errorf("%s: delivered %+v of %d series", name, d.Delivered, report.Acknowledged)
		}
		if report.Retries+report.InDoubt/50 != 1 {
			t.Errorf("%s: %d retries, %d in doubt", name, report.Retries, report.InDoubt)
		}
	}
}

// The report names relays that do not deliver each acknowledged series exactly once to its own
// tenant.
func TestPushVerdict(t *testing.T) {
	for want, c := range map[string]struct {
		passes func(tenant string) (string, int)
		change func(*Sink)
	}{
		"LOST: the sink received less than was acknowledged, for 1 tenants: team-01": {passes: func(tenant string) (string, int) {
			if tenant == "team-01" {
				return tenant, 0
			}
			return tenant, 1
		}},
		"the sink received more series than were sent": {passes: func(tenant string) (string, int) { return tenant, 2 }},
		"MISROUTED: the sink received series of tenants that this run does not have: stranger": {
			passes: func(tenant string) (string, int) { return "stranger", 1 },
			change: func(s *Sink) { s.TenantLabel = "not there" },
		},
		"series under the name of another tenant": {passes: func(tenant string) (string, int) { return "team-00", 1 }},
		"": {
			passes: func(tenant string) (string, int) { return tenant, 2 },
			change: func(s *Sink) { s.LookEvery = 3 }, // then duplicates cannot be detected
		},
	} {
		sink := newSink(t, c.change)
		r := newRelay(t, sink.URL)
		r.passes = c.passes
		o := smallPush(r.URL)
		o.RemoteWrite.Sink, o.RemoteWrite.Settle, o.JSON = sink.URL, 200*time.Millisecond, false
		var out bytes.Buffer
		report, err := Run(context.Background(), o, &out)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if lost := report.RemoteWrite.Delivered.Lost; strings.HasPrefix(want, "LOST") {
			if !slices.Equal(lost, []string{"team-01"}) || !strings.Contains(out.String(), "LOST for team-01") {
				t.Errorf("lost %v; said:\n%s", lost, out.String())
			}
		}
		for _, want := range []string{"Remote Write 1.0, compression snappy, 3 tenants mixed", "series/s", "requests/s", "GB/s", "p90", "floor", "delivered"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the report has no %q:\n%s", want, out.String())
			}
		}
	}
}

// The run waits for series that arrive late, for example from a queue.
func TestPushWaits(t *testing.T) {
	sink := newSink(t, nil)
	gate := make(chan struct{})
	r := newRelay(t, sink.URL)
	var late sync.WaitGroup
	r.passes = func(tenant string) (string, int) {
		if tenant != "team-02" {
			return tenant, 1
		}
		return tenant, 0
	}
	o := smallPush(r.URL)
	o.Workers, o.RemoteWrite.Sink = 1, sink.URL
	body := newFleet(&o.RemoteWrite, 0).at(1)
	body.Series = slices.DeleteFunc(body.Series, func(s remotewrite.Series) bool {
		return !slices.Contains(s.Labels, remotewrite.Label{Name: "tenant", Value: "team-02"})
	})
	packed := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, body))
	late.Go(func() {
		<-gate
		for range len(r.bodies) {
			post(t, sink.URL, "team-02", nil, packed)
		}
	})
	inner := sink.Config.Handler
	asked := 0
	sink.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == countsPath {
			if asked++; asked == 2 { // the first query was the baseline
				close(gate)
			}
		}
		inner.ServeHTTP(w, req)
	})
	if d := mustRun(t, o).RemoteWrite.Delivered; !d.Exact || d.Waited < sinkPoll.Seconds() {
		t.Errorf("delivered %+v", d)
	}
	late.Wait()
}

func TestPushRefused(t *testing.T) {
	sink := newSink(t, func(s *Sink) { s.RefuseV2 = true })
	r := newRelay(t, sink.URL)
	o := smallPush(r.URL)
	o.RemoteWrite.Version = 2
	if _, err := Run(context.Background(), o, io.Discard); err == nil || !strings.Contains(err.Error(), "answered 415") {
		t.Errorf("error %v", err)
	}
}

func TestPushOptionsCheck(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"--protocol":      func(o *Options) { o.Protocol = "graphite" },
		"--compress":      func(o *Options) { o.Compress = "gzip" },
		"--data-dir":      func(o *Options) { o.DataDir = "d" },
		"--rw-version 3":  func(o *Options) { o.RemoteWrite.Version = 3 },
		"--rw-version 2":  func(o *Options) { o.RemoteWrite.Version, o.Compress = 2, "zstd" },
		"--histograms":    func(o *Options) { o.RemoteWrite.Histograms = 1.5 },
		"--tenant-label":  func(o *Options) { o.RemoteWrite.TenantLabel = "" },
		"--settle":        func(o *Options) { o.RemoteWrite.Sink, o.RemoteWrite.Settle = "http://127.0.0.1:1", 0 },
		"--workers 0":     func(o *Options) { o.Workers = 0 },
		"--series 0":      func(o *Options) { o.RemoteWrite.Series = 0 },
		"--tenants 51":    func(o *Options) { o.RemoteWrite.Tenants = 51 },
		"--pregenerate 0": func(o *Options) { o.Pregenerate = 0 },
		"lower one":       func(o *Options) { o.RemoteWrite.Series, o.Pregenerate = 1_000_000, 1000 },
		"slipctl sink":    func(o *Options) { o.RemoteWrite.Sink = "http://127.0.0.1:1" },
	} {
		r := newRelay(t, "")
		o := smallPush(r.URL)
		change(&o)
		if _, err := Run(context.Background(), o, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
