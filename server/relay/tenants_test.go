package relay

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// Tests of how series are assigned to tenants, and who may do so.

// Invented tenants use no memory after their series have been rejected.
func TestInventedTenantsAreNotKept(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"credentials": [{"name": "a", "token": "secret", "tenants": ["a*", "|*"]}]}`)})
	var list []remotewrite.Series
	for i := range 300 {
		list = append(list, of(fmt.Sprintf("|%d", i), 1), of(fmt.Sprintf("b%d", i), 1), of("|"+strings.Repeat("long", 200+i), 1))
	}
	req := &remotewrite.Request{Series: list}
	r.sendRequest(t, remotewrite.V1, req, "Authorization", "Bearer secret").want(t, 400, "900 series were refused", "and 896 more")
	st := r.Stats()
	if s.count() != 0 || st.KnownTenants != 0 || st.Rejected != 900 {
		t.Errorf("%d posts, %+v", s.count(), st)
	}
}

// The cost of rejecting a series does not depend on the size of a symbol that 20,000 series share.
func TestSeriesOutOfBoundsCostLittle(t *testing.T) {
	const n = 20_000
	large := strings.Repeat("x", 1<<20)
	for limits, word := range map[string]string{
		`"label_name_bytes": 100`:  "a label name has 1048576 bytes",
		`"label_value_bytes": 100`: "has 1048577 bytes",
		`"active_series": 100`:     "the labels of the request",
		`"labels_per_series": 1`:   "the series has 3 labels",
	} {
		body := slices.Concat(text(4, ""), text(4, "__tenant__"), text(4, "a"), text(4, large), text(4, large+"y"), text(4, "__name__"))
		body = append(body, bytes.Repeat(field(5, field(1, []byte{5, 2, 1, 2, 3, 4}), field(2, []byte{0x10, 1})), n)...)
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {"*": {`+limits+`}}}`)})
		grown := testkit.Allocated(func() {
			r.post(t, s2.EncodeSnappy(nil, body), "Content-Type", contentTypes[remotewrite.V2]).want(t, 400, word)
		})
		if grown > 32<<20 {
			t.Errorf("%s: %d bytes were made to refuse %d series", limits, grown, n)
		}
	}
}

// Series that are no longer received make room for others, because the sketch of active series is
// rotated.
func TestActiveSeriesAreTurned(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {"a": {"active_series": 2}}}`)})
	r.send(t, remotewrite.V1, of("a", 1), seriesWith(1, "__name__", "x", "__tenant__", "a")).want(t, 204)
	r.send(t, remotewrite.V1, of("a", 2), seriesWith(1, "__name__", "y", "__tenant__", "a")).want(t, 400, "limit of 2 active series")
	if got := s.got()["a"]; len(got) != 3 {
		t.Errorf("%q", got)
	}
	if r.tenants.byID["a"].active.next.Load() == 0 {
		t.Error("the span of the sketch never ends")
	}
}

// Tenant IDs that Cortex and Mimir reject, or that have a special meaning for them, for HTTP or for
// paths, do not reach a target.
func TestHostileTenants(t *testing.T) {
	hostile := []string{
		"a\r\nX-Evil: 1", "a\n", "\r", "a\x00b", "\x00", ".", "..", "../../etc", "a/b", "a|b", "|", "a b", " a", "a ", "a\tb", "__mimir_cluster", "__markers__",
		"user-index.json.gz", strings.Repeat("x", 151), strings.Repeat("x", 10<<10), "\xff\xfe", "ü", "日本", "a%0d%0aX: 1", "a:b", `a"b`, "a\\b", "a;b", "a,b", "<b>", "{a}", "a=b", "a?", "#",
		"\u202e", "\x1b[31m", "a\u2028b",
	}
	good := []string{"a", "A-1_2.3*'()!", strings.Repeat("x", 150), "...", "-", "*", "__x__"}
	for _, version := range versions {
		for _, prefix := range []string{"", "p-"} {
			s := newSink(t)
			r := newRig(t, Options{Targets: []string{s.URL}, Tenants: Tenants{Prefix: prefix}})
			for _, id := range hostile {
				a := r.send(t, version, of(id, 1), of("a", 1))
				if a.status != 400 {
					t.Errorf("%q with prefix %q: %d", id, prefix, a.status)
					continue
				}
				if len(a.body) > 1<<10 || strings.ContainsAny(a.body, "\x00\r\n\x1b") {
					t.Errorf("%q", a.body)
				}
			}
			for id := range s.got() {
				if err := checkTenant([]byte(id)); err != nil || !strings.HasPrefix(id, prefix) {
					t.Errorf("%q came to the target", id)
				}
			}
			for _, p := range s.posts {
				if p.header.Get("X-Evil") != "" {
					t.Errorf("%v", p.header)
				}
			}
			for _, id := range good {
				if len(prefix+id) <= maxTenant {
					r.send(t, version, of(id, 1)).want(t, 204)
				} else {
					r.send(t, version, of(id, 1)).want(t, 400)
				}
			}
		}
	}
}

// 10,000 tenants in one request exceed the limit, so the request is rejected and nothing is posted.
// With a higher limit, all are served, with at most as many connections as the settings allow.
func TestTenThousandTenants(t *testing.T) {
	const n = 10_000
	var list []remotewrite.Series
	for i := range n {
		list = append(list, of(fmt.Sprint("t", i), float64(i)))
	}
	for _, version := range versions {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}})
		made := testkit.Allocated(func() { r.send(t, version, list...).want(t, 400, "more than 1000 tenants") })
		if s.count() != 0 || r.Stats().KnownTenants != 0 || made > 32<<20 {
			t.Errorf("%d posts, %d tenants, %d bytes", s.count(), r.Stats().KnownTenants, made)
		}
		if testing.Short() {
			continue
		}
		before := runtime.NumGoroutine()
		r = newRig(t, Options{Targets: []string{s.URL}, Conns: 20, Timeout: time.Minute, Bounds: Bounds{Tenants: n}})
		r.send(t, version, list...).want(t, 204)
		if got := len(s.got()); got != n {
			t.Errorf("%d tenants came", got)
		}
		waitFor(t, "goroutines to end", func() bool { return runtime.NumGoroutine() < before+maxIdle+6*20 })
	}
}

// The configured labels determine the tenant, and are kept or removed as configured.
func TestTenantLabels(t *testing.T) {
	s := newSink(t)
	label := func(pairs ...string) remotewrite.Series { return seriesWith(1, pairs...) }
	for name, c := range map[string]struct {
		tenants Tenants
		in      remotewrite.Series
		tenant  string // at the target; empty: rejected
		labels  string
		text    string
	}{
		"the default label":               {Tenants{}, label("__name__", "up", "__tenant__", "a"), "a", "__name__=up,__tenant__=a", ""},
		"none":                            {Tenants{}, label("__name__", "up"), "", "", `1 series have none of the tenant labels ["__tenant__"]`},
		"no labels at all":                {Tenants{}, label(), "", "", "none of the tenant labels"},
		"empty is none":                   {Tenants{}, label("__name__", "up", "__tenant__", ""), "", "", "none of the tenant labels"},
		"the first of the list":           {Tenants{Labels: []string{"x", "y"}}, label("__name__", "up", "y", "b", "x", "a"), "a", "__name__=up,y=b,x=a", ""},
		"the second of the list":          {Tenants{Labels: []string{"x", "y"}}, label("__name__", "1", "y", "b"), "b", "__name__=1,y=b", ""},
		"the first is empty":              {Tenants{Labels: []string{"x", "y"}}, label("__name__", "up", "x", "", "y", "b"), "b", "__name__=up,x=,y=b", ""},
		"removed":                         {Tenants{Remove: true}, label("__name__", "1", "__tenant__", "t", "z", "2"), "t", "__name__=1,z=2", ""},
		"removed, only what decides":      {Tenants{Labels: []string{"x", "y"}, Remove: true}, label("__name__", "1", "x", "a", "y", "b"), "a", "__name__=1,y=b", ""},
		"removed, and the empty ones":     {Tenants{Labels: []string{"x", "y"}, Remove: true}, label("__name__", "1", "x", "", "y", "b"), "b", "__name__=1", ""},
		"removed, nothing is left":        {Tenants{Remove: true}, label("__tenant__", "a"), "", "", "no label"},
		"removed, empty ones alone":       {Tenants{Labels: []string{"x", "y"}, Remove: true, Default: "d", Missing: Fallback}, label("x", "", "y", ""), "", "", "no label"},
		"twice":                           {Tenants{}, label("__tenant__", "a", "__tenant__", "b"), "", "", "repeated"},
		"twice the same":                  {Tenants{}, label("__tenant__", "a", "__name__", "1", "__tenant__", "a"), "", "", "repeated"},
		"twice, one empty":                {Tenants{}, label("__tenant__", "", "__tenant__", "a"), "", "", "repeated"},
		"default":                         {Tenants{Default: "d", Missing: Fallback}, label("__name__", "1"), "d", "__name__=1", ""},
		"default, empty is none":          {Tenants{Default: "d", Missing: Fallback, Remove: true}, label("__name__", "1", "__tenant__", ""), "d", "__name__=1", ""},
		"default, with a prefix":          {Tenants{Default: "d", Missing: Fallback, Prefix: "p-"}, label("__name__", "1"), "p-d", "__name__=1", ""},
		"a default that is not for this":  {Tenants{Default: "d"}, label("__name__", "1"), "", "", "none of the tenant labels"},
		"names that are nearly it":        {Tenants{}, label("__tenant", "a", "__tenant__x", "b", "__TENANT__", "c"), "", "", "none of the tenant labels"},
		"unsorted":                        {Tenants{Remove: true}, label("z", "1", "__tenant__", "t", "__name__", "2", "m", "3"), "t", "z=1,__name__=2,m=3", ""},
		"the value of another is its own": {Tenants{}, label("__tenant__", "a", "__name__", "__tenant__"), "a", "__tenant__=a,__name__=__tenant__", ""},
	} {
		for _, version := range versions {
			s.posts = nil
			r := newRig(t, Options{Targets: []string{s.URL}, Tenants: c.tenants})
			a := r.send(t, version, c.in)
			if c.tenant == "" {
				if a.status != 400 || !strings.Contains(a.body, c.text) || s.count() != 0 {
					t.Errorf("%s, version %d: %d: %s", name, version, a.status, a.body)
				}
				continue
			}
			if got := s.got()[c.tenant]; a.status != 204 || len(got) != 1 || got[0] != c.labels+" 1@1000" || s.count() != 1 {
				t.Errorf("%s, version %d: %d: %s, %q", name, version, a.status, a.body, s.got())
			}
		}
	}
}

// Series that the settings drop cause no error, and are counted.
func TestDroppedTenants(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Tenants: Tenants{Missing: Drop}, Rules: rulesFile(t, `{"tenants": {"x": {"drop": true}}}`)})
	r.send(t, remotewrite.V1, of("a", 1), of("x", 1), seriesWith(1, "__name__", "1"), seriesWith(1, "n", "2")).want(t, 204)
	if got := s.got(); len(got) != 1 || len(got["a"]) != 1 {
		t.Errorf("%q", got)
	}
	if st := r.Stats(); st.Unlabeled != 2 || statsOf(t, r, "x").Dropped != 1 {
		t.Errorf("%+v", st)
	}
}

// The fields of a label may have any order, and may be repeated. The last one counts, both for the
// relay and for the target.
func TestLabelFields(t *testing.T) {
	for name, c := range map[string]struct {
		label  []byte
		tenant string
	}{
		"value first":             {slices.Concat(text(2, "a"), text(1, "__tenant__")), "a"},
		"the last value counts":   {slices.Concat(text(1, "__tenant__"), text(2, "b"), text(2, "a")), "a"},
		"the last name counts":    {slices.Concat(text(1, "other"), text(2, "a"), text(1, "__tenant__")), "a"},
		"it was the name":         {slices.Concat(text(1, "__tenant__"), text(2, "a"), text(1, "other")), ""},
		"the last value is empty": {slices.Concat(text(1, "__tenant__"), text(2, "a"), text(2, "")), ""},
	} {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}})
		a := r.post(t, s2.EncodeSnappy(nil, field(1, field(1, text(1, "__name__"), text(2, "1")), field(1, c.label), field(2, []byte{0x10, 1}))))
		if c.tenant == "" {
			a.want(t, 400, "none of the tenant labels")
		} else if a.want(t, 204); len(s.got()[c.tenant]) != 1 {
			t.Errorf("%s: %q", name, s.got())
		}
	}
}

// Series that exceed a limit of the rules are rejected, and the other series are delivered.
func TestLimits(t *testing.T) {
	for limits, c := range map[string]struct {
		bad  remotewrite.Series
		text string
	}{
		`"labels_per_series": 3`:  {seriesWith(1, "__name__", "x", "__tenant__", "a", "job", "j", "more", "1"), "the series has 4 labels: at most 3"},
		`"label_name_bytes": 10`:  {seriesWith(1, "__name__", "x", "__tenant__", "a", "elevenbytes", "j"), "has 11 bytes: at most 10"},
		`"label_value_bytes": 10`: {seriesWith(1, "__name__", "x", "__tenant__", "a", "job", "elevenbytes"), "the value of the label job has 11 bytes"},
		`"active_series": 1`:      {seriesWith(1, "__name__", "x", "__tenant__", "a", "job", "j"), "limit of 1 active series"},
	} {
		for _, version := range versions {
			s := newSink(t)
			r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {"*": {`+limits+`}, "free": {"labels_per_series": 0, "label_name_bytes": 0, "label_value_bytes": 0, "active_series": 0}}}`)})
			free := c.bad
			free.Labels = slices.Clone(free.Labels)
			free.Labels[1].Value = "free"
			a := r.send(t, version, of("a", 1), c.bad, of("b", 1), free)
			a.want(t, 400, "1 series were refused", "tenant a", c.text)
			if got := s.got(); len(got["a"]) != 1 || len(got["b"]) != 1 || len(got["free"]) != 1 {
				t.Errorf("%s: %q", limits, got)
			}
			if version == remotewrite.V2 && a.header.Get(samplesHeader) != "3" {
				t.Errorf("%s: %v", limits, a.header)
			}
			if r.Stats().Rejected != 1 {
				t.Errorf("%s: %d are counted", limits, r.Stats().Rejected)
			}
		}
	}
}

// If a tenant exceeds its rate, the sender gets the configured status with a Retry-After. Series of
// other tenants are delivered.
func TestRateOfTenant(t *testing.T) {
	for _, tooMany := range []int{429, 503} {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}, TooMany: tooMany, Rules: rulesFile(t, `{"tenants": {"a": {"samples_per_second": 0.5, "burst": 2}}}`)})
		r.send(t, remotewrite.V1, of("a", 1), of("a", 2), of("b", 1)).want(t, 204)
		a := r.send(t, remotewrite.V1, of("a", 3), of("a", 4), of("b", 2))
		a.want(t, tooMany, "tenant a", "more samples a second")
		if after := a.header.Get("Retry-After"); after != "4" {
			t.Errorf("Retry-After: %q", after)
		}
		if got := s.got(); len(got["a"]) != 2 || len(got["b"]) != 2 {
			t.Errorf("%q", got)
		}
	}
}

// A prefix or default tenant that targets would reject is an error of New. Otherwise all series of
// the senders would be rejected.
func TestOptionsOfTenants(t *testing.T) {
	for _, tenants := range []Tenants{{Prefix: "a|"}, {Prefix: "a/b"}, {Prefix: strings.Repeat("x", 150)}, {Default: ".."}, {Prefix: "__mimir_", Default: "cluster"}, {Missing: Fallback}} {
		if _, err := New(Options{Targets: []string{"http://127.0.0.1:1"}, Tenants: tenants}); err == nil {
			t.Errorf("%+v: no error", tenants)
		}
	}
}
