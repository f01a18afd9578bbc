package relay

import (
	"bytes"
	"net/http"
	"reflect"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

var versions = []remotewrite.Version{remotewrite.V1, remotewrite.V2}

// A request is taken apart, and each tenant gets its own.
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

// A request of one tenant with the label kept goes on byte for byte.
func TestWholeRequestIsNotTouched(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	body := s2.EncodeSnappyBest(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1), of("a", 2)}}))
	r.post(t, body).want(t, 204)
	if len(s.posts) != 1 || !bytes.Equal(s.posts[0].raw, body) || s.posts[0].tenant != "a" {
		t.Errorf("%+v", s.posts)
	}
}

// Version 2 sums up what the targets say they have written.
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

// A target that refuses version 2 gets version 1; so does one that says 204 and has written nothing.
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

// One tenant whom the target refuses does not keep the others from their data.
func TestMerge(t *testing.T) {
	for _, c := range []struct {
		status int // of tenant b
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

// A request of one tenant that is to have its metadata too goes on byte for byte.
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
