package relay

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

var versions = []remotewrite.Version{remotewrite.V1, remotewrite.V2}

// A request is split, and each tenant gets its own series.
func TestEachTenantGetsItsOwn(t *testing.T) {
	for _, version := range versions {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}, Tenants: Tenants{Remove: true}})
		r.send(t, version, of("a", 1), of("b", 2), of("a", 3)).want(t, 204)
		want := map[string][]string{
			"a": {"__name__=up,job=j 1@1000", "__name__=up,job=j 3@1000"},
			"b": {"__name__=up,job=j 2@1000"},
		}
		if got := s.got(); !reflect.DeepEqual(got, want) {
			t.Errorf("version %d: %q, want %q", version, got, want)
		}
		for _, p := range s.posts {
			if p.version != version || p.header.Get("Content-Encoding") != "snappy" || p.header.Get(versionHeader) != versionNumbers[version] {
				t.Errorf("version %d: %v", version, p.header)
			}
		}
	}
}

// If a request belongs to one tenant and the tenant label is kept, the body is forwarded unchanged.
func TestWholeRequestIsNotTouched(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	body := s2.EncodeSnappyBest(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1), of("a", 2)}}))
	r.post(t, body).want(t, 204)
	if len(s.posts) != 1 || !bytes.Equal(s.posts[0].raw, body) || s.posts[0].tenant != "a" {
		t.Errorf("%+v", s.posts)
	}
}

// The response to a version 2 request contains the sums of the numbers that the targets report as
// written.
func TestWrittenHeaders(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	a := r.send(t, remotewrite.V2, of("a", 1), of("b", 2), of("a", 3))
	a.want(t, 204)
	if a.header.Get(samplesHeader) != "3" || a.header.Get(histogramsHeader) != "0" || a.header.Get(exemplarsHeader) != "0" {
		t.Error(a.header)
	}
	a = r.send(t, remotewrite.V1, of("a", 1))
	if a.header.Get(samplesHeader) != "" {
		t.Error(a.header)
	}
}

// A target that rejects version 2 gets version 1. So does a target that responds with 204, but does
// not report any written data.
func TestDowngrade(t *testing.T) {
	for name, set := range map[string]func(*sink){
		"415": func(s *sink) { s.refuses = true },
		"204 without a word": func(s *sink) {
			s.answers(func(w http.ResponseWriter, p *post) bool {
				if p.version == remotewrite.V2 {
					w.WriteHeader(204)
				}
				return p.version == remotewrite.V2
			})
		},
	} {
		s := newSink(t)
		set(s)
		r := newRig(t, Options{Targets: []string{s.URL}})
		with := of("a", 1)
		with.Metadata = remotewrite.Metadata{Type: remotewrite.MetricTypeGauge, Help: "is it up"}
		for range 2 {
			a := r.send(t, remotewrite.V2, with, of("b", 2))
			a.want(t, 204)
			if a.header.Get(samplesHeader) != "2" {
				t.Errorf("%s: %v", name, a.header)
			}
		}
		if len(s.posts) != 4 {
			t.Fatalf("%s: %d posts", name, len(s.posts))
		}
		for _, p := range s.posts {
			if p.version != remotewrite.V1 {
				t.Errorf("%s: version %d", name, p.version)
			}
			if p.tenant == "a" && (len(p.request.Metadata) != 1 || p.request.Metadata[0] != (remotewrite.Metadata{Type: remotewrite.MetricTypeGauge, Help: "is it up", MetricFamilyName: "up"})) {
				t.Errorf("%s: %+v", name, p.request.Metadata)
			}
		}
	}
}

// strict makes a sink accept version 2, but no series without samples. Like Cortex, it rejects the
// whole request; if partly is set, it stores the other series, like Prometheus.
func strict(partly bool) func(s *sink) {
	return func(s *sink) {
		s.answers(func(w http.ResponseWriter, p *post) bool {
			if p.version != remotewrite.V2 {
				return false
			}
			for i, series := range p.request.Series {
				if len(series.Samples)+len(series.Histograms) > 0 {
					continue
				}
				if partly {
					p.request.Series = slices.Delete(p.request.Series, i, i+1)
					s.mu.Lock()
					s.posts = append(s.posts, *p)
					s.mu.Unlock()
				}
				http.Error(w, fmt.Sprintf("TimeSeries must contain at least one sample or histogram for series {%s}", labelsOf(series.Labels)), 400)
				return true
			}
			return false
		})
	}
}

// Exemplars in their own series, as Prometheus sends them, arrive even if the target's version 2
// does not allow such series.
func TestSeriesOfExemplars(t *testing.T) {
	for name, set := range map[string]func(s *sink){"as Cortex": strict(false), "as Prometheus": strict(true)} {
		for _, queue := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", queue ", queue), func(t *testing.T) {
				inBubble(t, func(t *testing.T, n *network) { testSeriesOfExemplars(t, n, set, queue) })
			})
		}
	}
}

func testSeriesOfExemplars(t *testing.T, n *network, set func(s *sink), queue bool) {
	s := n.sink(t)
	set(s)
	o := Options{Targets: []string{s.URL}}
	if queue {
		o.Queue = &QueueOptions{Dir: t.TempDir()}
	}
	r := n.rig(t, o)
	send := func(i int) {
		t.Helper()
		exemplar := of("a", 0)
		exemplar.Samples = nil
		exemplar.Exemplars = []remotewrite.Exemplar{{Labels: []remotewrite.Label{{Name: "trace_id", Value: fmt.Sprint(i)}}, Value: 1, Timestamp: 1}}
		r.send(t, remotewrite.V2, of("a", float64(i)), exemplar, of("a", float64(i)+0.5)).want(t, 204)
	}
	count := func() (samples map[string]bool, exemplars, ofV2 int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		samples = make(map[string]bool)
		for _, p := range s.posts {
			for _, text := range samplesOf(&p.request) {
				samples[text] = true
			}
			for _, series := range p.request.Series {
				exemplars += len(series.Exemplars)
			}
			if p.version == remotewrite.V2 {
				ofV2++
			}
		}
		return samples, exemplars, ofV2
	}
	for i := range 3 {
		send(i)
		waitFor(t, "the exemplar", func() bool { _, exemplars, _ := count(); return exemplars == i+1 })
	}
	samples, _, tried := count()
	if len(samples) != 6 || tried > 1 {
		t.Errorf("%d samples have arrived; %d posts of version 2 were stored", len(samples), tried)
	}
	if r.targets[0].takesV2(time.Now()) || !r.targets[0].takesV2(time.Now().Add(asksAgain)) {
		t.Error("the target is to get version 1, and after a while version 2")
	}
}

// The setting Protocol determines which version targets get.
func TestProtocol(t *testing.T) {
	for protocol, want := range map[Protocol]struct {
		status  int
		version remotewrite.Version
	}{AsTheyTake: {204, remotewrite.V1}, OnlyV1: {204, remotewrite.V1}, AlsoV2: {400, 0}} {
		s := newSink(t)
		s.refuses = true
		r := newRig(t, Options{Targets: []string{s.URL}, Protocol: protocol})
		r.send(t, remotewrite.V2, of("a", 1)).want(t, want.status)
		r.send(t, remotewrite.V1, of("a", 1)).want(t, 204)
		if got := s.posts[0].version; want.version != 0 && got != want.version {
			t.Errorf("%v: version %d", protocol, got)
		}
	}
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Protocol: OnlyV1})
	r.send(t, remotewrite.V2, of("a", 1)).want(t, 204)
	if s.posts[0].version != remotewrite.V1 {
		t.Error("it got version 2")
	}
}

// If the target rejects one tenant's series, the other tenants' series are delivered.
func TestMerge(t *testing.T) {
	for _, c := range []struct {
		status int // for tenant b
		header string
		prom   int
		vm     int
	}{
		{400, "", 400, 409}, {413, "", 400, 409}, {409, "", 400, 409}, {422, "", 400, 409},
		{401, "", 400, 409}, {403, "", 400, 409}, {404, "", 400, 409}, {302, "", 400, 409},
		{429, "7", 503, 503}, {500, "7", 503, 503}, {503, "", 503, 503}, {502, "", 503, 503},
	} {
		for _, vm := range []bool{false, true} {
			s := newSink(t)
			s.answers(func(w http.ResponseWriter, p *post) bool {
				if p.tenant != "b" {
					return false
				}
				if c.header != "" {
					w.Header().Set("Retry-After", c.header)
				}
				http.Error(w, "a word", c.status)
				return true
			})
			r := newRig(t, Options{Targets: []string{s.URL}})
			want, header := c.prom, []string{}
			if vm {
				want, header = c.vm, []string{vmVersionHeader, "1"}
			}
			a := r.sendRequest(t, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1), of("b", 2), of("c", 3)}}, header...)
			a.want(t, want, "tenant b", "a word")
			if want == 503 && a.header.Get("Retry-After") == "" || c.header != "" && a.header.Get("Retry-After") != c.header {
				t.Errorf("%d: Retry-After %q", c.status, a.header.Get("Retry-After"))
			}
			if got := s.got(); len(got["a"]) != 1 || len(got["c"]) != 1 || len(got["b"]) != 0 {
				t.Errorf("%d: %q", c.status, got)
			}
		}
	}
}

// If a request belongs to one tenant, which is also to get its metadata, the body is forwarded
// unchanged.
func TestWholeRequestWithMetadata(t *testing.T) {
	body := s2.EncodeSnappyBest(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{
		Series: []remotewrite.Series{of("a", 1)}, Metadata: []remotewrite.Metadata{{MetricFamilyName: "up", Help: "h"}},
	}))
	for _, c := range []struct {
		options  Options
		metadata int
		whole    bool
	}{
		{Options{Metadata: ToAll}, 1, true},
		{Options{Metadata: ToDefault, Tenants: Tenants{Default: "a"}}, 1, true},
		{Options{Metadata: ToDefault, Tenants: Tenants{Default: "b"}}, 0, false},
		{Options{Metadata: ToNone}, 0, false},
	} {
		s := newSink(t)
		c.options.Targets = []string{s.URL}
		r := newRig(t, c.options)
		r.post(t, body).want(t, 204)
		for _, p := range s.posts {
			if p.tenant == "a" && (len(p.request.Series) != 1 || len(p.request.Metadata) != c.metadata || bytes.Equal(p.raw, body) != c.whole) {
				t.Errorf("%v: %+v", c.options.Metadata, p.request)
			}
		}
	}
}
