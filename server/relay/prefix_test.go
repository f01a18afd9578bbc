package relay

import (
	"maps"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// The prefix of a credential is prepended to the tenants that its sender names. So two senders can
// use the same names, but have their own limits, metric labels and metadata.
func TestPrefixOfCredential(t *testing.T) {
	for _, version := range versions {
		s := newSink(t)
		r := newRig(t, Options{
			Targets: []string{s.URL}, Tenants: Tenants{Default: "none", Missing: Fallback, Prefix: "x-"}, Metadata: ToDefault,
			Rules: rulesFile(t, `{
				"credentials": [
					{"name": "eu", "token": "eu", "tenants": ["a", "b", "none"], "prefix": "eu-"},
					{"name": "us", "token": "us", "tenants": ["a", "none"], "prefix": "us-"},
					{"name": "all", "token": "all", "tenants": ["*"]}
				],
				"tenants": {"*": {"labels_per_series": 10}, "eu-a": {"as": "first"}, "us-a": {"labels_per_series": 2}}
			}`),
		})
		as := func(token string, series ...remotewrite.Series) reply {
			return r.sendRequest(t, version, &remotewrite.Request{Series: series}, "Authorization", "Bearer "+token)
		}
		as("eu", of("a", 1), of("b", 1), seriesWith(1, "__name__", "up")).want(t, 204)
		as("us", of("a", 1)).want(t, 400, "at most 2 are allowed")
		as("us", seriesWith(1, "__name__", "up", "__tenant__", "a")).want(t, 204)
		as("us", of("b", 1)).want(t, 400, "not valid for this tenant")
		as("us", of("us-a", 1)).want(t, 400, "not valid for this tenant")
		as("us", of("eu-a", 1)).want(t, 400, "not valid for this tenant")
		as("all", of("eu-a", 1)).want(t, 204)
		if got, want := slices.Sorted(maps.Keys(s.got())), []string{"x-eu-b", "x-eu-none", "x-first", "x-us-a"}; !slices.Equal(got, want) {
			t.Errorf("version %d: tenants %q, want %q", version, got, want)
		}
		if n := len(s.got()["x-first"]); n != 2 {
			t.Errorf("%d samples for eu-a", n)
		}
	}
}

// Version 1 metadata goes to the tenant with the sender's prefix.
func TestMetadataOfPrefix(t *testing.T) {
	for _, to := range []Destination{ToDefault, ToAll} {
		s := newSink(t)
		r := newRig(t, Options{
			Targets: []string{s.URL}, Tenants: Tenants{Default: "none", Missing: Fallback}, Metadata: to,
			Rules: rulesFile(t, `{"credentials": [{"name": "eu", "token": "eu", "tenants": ["a", "none"], "prefix": "eu-"}]}`),
		})
		send := func(q *remotewrite.Request) {
			t.Helper()
			r.sendRequest(t, remotewrite.V1, q, "Authorization", "Bearer eu").want(t, 204)
		}
		send(&remotewrite.Request{Series: []remotewrite.Series{of("a", 1)}})
		send(&remotewrite.Request{Metadata: []remotewrite.Metadata{{Type: 1, MetricFamilyName: "up"}}})
		want := map[Destination]string{ToDefault: "eu-none", ToAll: "eu-a"}[to]
		last := s.posts[len(s.posts)-1]
		if len(s.posts) != 2 || last.tenant != want || len(last.request.Metadata) != 1 {
			t.Errorf("%v: %d posts, the last one for %s: %+v", to, len(s.posts), last.tenant, last.request)
		}
	}
}

func TestPrefixIsChecked(t *testing.T) {
	for prefix, ok := range map[string]bool{"eu-": true, "12:": true, "a/": false, "a b": false, "../": false, "é": false} {
		_, err := parseRules([]byte(`{"credentials": [{"name": "p", "token": "x", "tenants": ["*"], "prefix": "`+prefix+`"}]}`), nil)
		if (err == nil) != ok {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}
