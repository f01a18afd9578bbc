package relay

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// The latency of posts is measured by class of tenants and by status. There are only as many
// histograms as classes and statuses.
func TestPostTimes(t *testing.T) {
	s := newSink(t)
	codes := map[string]int{"ok": 204, "redirected": 302, "bad": 400, "limited": 429, "broken": 500}
	s.answers(func(w http.ResponseWriter, p *post) bool {
		w.WriteHeader(codes[p.tenant])
		return true
	})
	r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {"*": {"class": "silver"}, "ok": {"class": "gold"}, "bad": {"class": "gold"}}}`)})
	for tenant := range codes {
		r.send(t, remotewrite.V1, of(tenant, 1))
	}
	r.send(t, remotewrite.V1, of("ok", 2))
	s.Close()
	r.send(t, remotewrite.V1, of("gone", 1)).want(t, 503)
	got := make(map[string]uint64)
	for _, p := range r.PostTimes() {
		got[p.Class+" "+p.Status] = p.Count
		if p.Buckets[30] != p.Count && p.Status != "none" || p.Sum <= 0 {
			t.Errorf("%+v", p)
		}
	}
	want := map[string]uint64{"gold 2xx": 2, "gold 4xx": 1, "silver 3xx": 1, "silver 429": 1, "silver 5xx": 1, "silver none": 1}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The number of histograms is limited, whatever classes the rules name over time.
func TestClassesAreBounded(t *testing.T) {
	var cs timings
	for i := range 1000 {
		cs.of(fmt.Sprint("c", i))
	}
	if cs.of("new") != cs.of("newer") || cs.of("c1") == cs.of("new") || len(cs.by) != keptClasses+1 {
		t.Errorf("%d classes", len(cs.by))
	}
	var many []string
	for i := range maxClasses + 1 {
		many = append(many, fmt.Sprintf(`"t%d": {"class": "c%d"}`, i, i))
	}
	for text, want := range map[string]string{
		strings.Join(many, ","):     "17 classes: at most 16",
		strings.Join(many[1:], ","): "",
		`"a": {"class": "x y"}`:     "class",
		`"a": {"class": "é"}`:       "class",
	} {
		_, err := parseRules([]byte(`{"tenants": {`+text+`}}`), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
