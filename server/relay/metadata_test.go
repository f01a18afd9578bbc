package relay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// about returns version 1 metadata, which belongs to no series.

func about(names ...string) (list []remotewrite.Metadata) {
	for _, n := range names {
		list = append(list, remotewrite.Metadata{Type: remotewrite.MetricTypeCounter, MetricFamilyName: n, Help: "of " + n})
	}
	return list
}

// metadataOf returns the names of each tenant's metadata.
func (s *sink) metadataOf() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]string)
	for _, p := range s.posts {
		for _, m := range p.request.Metadata {
			all[p.tenant] += m.MetricFamilyName + " "
		}
	}
	return all
}

func TestMetadataGoesWhereTheSettingsSay(t *testing.T) {
	mixed := &remotewrite.Request{Series: []remotewrite.Series{of("a", 1), of("b", 2)}, Metadata: about("m", "n")}
	alone := &remotewrite.Request{Metadata: about("o")}
	ofDefault := &remotewrite.Request{Series: []remotewrite.Series{of("d", 1)}, Metadata: about("p")}
	for name, c := range map[string]struct {
		to       Destination
		fallback string
		want     map[string]string
		dropped  int64
	}{
		"default":                {ToDefault, "d", map[string]string{"d": "m n o p "}, 0},
		"default, there is none": {ToDefault, "", map[string]string{}, 4},
		"broadcast":              {ToAll, "", map[string]string{"a": "m n o ", "b": "m n o ", "d": "p "}, 0},
		"drop":                   {ToNone, "d", map[string]string{}, 4},
	} {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}, Metadata: c.to, Tenants: Tenants{Default: c.fallback}})
		for _, req := range []*remotewrite.Request{mixed, alone, ofDefault} {
			r.sendRequest(t, remotewrite.V1, req).want(t, 204)
		}
		if got := s.metadataOf(); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if st := r.Stats(); st.Metadata != 4 || st.MetadataDropped != c.dropped {
			t.Errorf("%s: %d of %d are counted as dropped, not %d", name, st.MetadataDropped, st.Metadata, c.dropped)
		}
		if got := s.got(); len(got["a"]) != 1 || len(got["b"]) != 1 || len(got["d"]) != 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A sender's metadata goes only to tenants for whom this sender has written series.
func TestMetadataOfOthers(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Metadata: ToAll, Rules: rulesFile(t, `{"credentials": [
		{"name": "A", "token": "secret-a", "tenants": ["a", "both"]}, {"name": "B", "token": "secret-b", "tenants": ["b", "both"]}]}`)})
	as := func(token string, req *remotewrite.Request) {
		t.Helper()
		r.sendRequest(t, remotewrite.V1, req, "Authorization", "Bearer "+token).want(t, 204)
	}
	as("secret-a", &remotewrite.Request{Metadata: about("nobody's")}) // this sender has not written series yet
	as("secret-a", &remotewrite.Request{Series: []remotewrite.Series{of("a", 1), of("both", 1)}})
	as("secret-b", &remotewrite.Request{Series: []remotewrite.Series{of("b", 1)}})
	as("secret-b", &remotewrite.Request{Metadata: about("B's")})
	as("secret-a", &remotewrite.Request{Metadata: about("A's")})
	if got, want := fmt.Sprint(s.metadataOf()), fmt.Sprint(map[string]string{"a": "A's ", "both": "A's ", "b": "B's "}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Metadata of 1 MiB is not copied for each of 500 tenants; it is dropped.
func TestMetadataForAllIsNotAmplified(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Metadata: ToAll, Bounds: Bounds{Decoded: 4 << 20}})
	req := &remotewrite.Request{Metadata: about(strings.Repeat("x", 1<<20))}
	for i := range 500 {
		req.Series = append(req.Series, of(fmt.Sprint("t", i), 1))
	}
	n := testkit.Allocated(func() { r.sendRequest(t, remotewrite.V1, req).want(t, 204) })
	if st := r.Stats(); n > 128<<20 || s.count() != 500 || st.MetadataDropped != 1 {
		t.Errorf("%d bytes were made, %d posts, %d dropped", n, s.count(), st.MetadataDropped)
	}
}
