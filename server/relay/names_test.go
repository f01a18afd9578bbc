package relay

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// Series are kept or dropped by name before any limit counts them. A dropped series causes no
// error.
func TestSeriesAreChosenByName(t *testing.T) {
	for _, version := range versions {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {
			"*": {"drop_series": ["go_*", "*_bucket", "a_*_z", "up"], "active_series": 3},
			"b": {"keep_series": ["http_*"], "drop_series": ["http_secret"]},
			"c": {"drop_series": []},
			"d": {"keep_series": ["nothing"]}
		}}`)})
		names := []string{"go_threads", "go_", "go", "x_bucket", "_bucket", "bucket", "a_b_z", "a_z", "a__z", "up", "http_x", "http_secret"}
		want := map[string][]string{
			"a": {"a_z", "bucket", "go"}, // the first three active series; http_x and http_secret exceed the limit of 3
			"b": {"http_x"},
			"c": {"go", "go_", "go_threads"},
		}
		for tenant, status := range map[string]int{"a": 400, "b": 204, "c": 400, "d": 204} {
			var list []remotewrite.Series
			for _, name := range names {
				list = append(list, seriesWith(1, "__name__", name, "__tenant__", tenant))
			}
			r.send(t, version, list...).want(t, status)
			var got []string
			for _, sample := range s.got()[tenant] {
				name, _, _ := strings.Cut(strings.TrimPrefix(sample, "__name__="), ",")
				got = append(got, name)
			}
			slices.Sort(got)
			if !slices.Equal(got, want[tenant]) {
				t.Errorf("version %d, %s: %q, want %q", version, tenant, got, want[tenant])
			}
		}
		dropped := map[string]int64{}
		for _, st := range r.Tenants() {
			dropped[st.Name] = st.Dropped
		}
		if dropped["a"] != 7 || dropped["b"] != 11 || dropped["c"] != 0 || dropped["d"] != 12 {
			t.Errorf("version %d: dropped %v", version, dropped)
		}
	}
}

func TestPatternsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		`["a*b*"]`: "more than one *", `[""]`: "empty", `"go_*"`: "drop_series", `[1]`: "drop_series", `["*"]`: "", `[]`: "", `["a", "b*"]`: "",
	} {
		_, err := parseRules([]byte(`{"tenants": {"a": {"drop_series": `+text+`}}}`), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
