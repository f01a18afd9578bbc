package relay

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// fate is a target's reaction to a tenant's post.
type fate int

const (
	fateTaken fate = iota
	fateBad
	fateForbidden
	fateLimited
	fateBroken
	fateSilent
	fateReset

	fates
)

var fateNames = [fates]string{"204", "400", "401", "429", "500", "silence", "reset"}

func (f fate) meet(w http.ResponseWriter, over chan struct{}) bool {
	switch f {
	case fateTaken:
		return false
	case fateBad:
		http.Error(w, "bad", http.StatusBadRequest)
	case fateForbidden:
		http.Error(w, "forbidden", http.StatusUnauthorized)
	case fateLimited:
		w.Header().Set("Retry-After", "7")
		http.Error(w, "limited", http.StatusTooManyRequests)
	case fateBroken:
		w.Header().Set("Retry-After", "3")
		http.Error(w, "broken", http.StatusInternalServerError)
	case fateSilent:
		<-over
	case fateReset:
		panic(http.ErrAbortHandler)
	}
	return true
}

// merged returns the documented response for three fates: the status, and the Retry-After in
// seconds. 0 means no Retry-After.
func merged(list [3]fate, vmagent bool, tooMany int) (status, after int) {
	in := func(fs ...fate) (is bool) {
		for _, f := range fs {
			is = is || list[0] == f || list[1] == f || list[2] == f
		}
		return is
	}
	later := 1
	if in(fateBroken) {
		later = 3
	}
	if in(fateLimited) {
		later = 7
	}
	switch {
	case in(fateBroken, fateSilent, fateReset):
		return 503, later
	case in(fateLimited):
		return tooMany, later
	case in(fateBad, fateForbidden) && vmagent:
		return 409, 0
	case in(fateBad, fateForbidden):
		return 400, 0
	}
	return 204, 0
}

// A request of three tenants gets the documented response for every combination of their fates, and
// for every kind of sender.
func TestMergeTable(t *testing.T) { inBubble(t, testMergeTable) }

func testMergeTable(t *testing.T, n *network) {
	over := make(chan struct{})
	defer close(over)
	for i := range fates * fates * fates {
		list := [3]fate{i % fates, i / fates % fates, i / fates / fates}
		if testing.Short() && !(list[0] <= list[1] && list[1] <= list[2]) {
			continue
		}
		s := n.sink(t)
		s.answers(func(w http.ResponseWriter, p *post) bool { return list[p.tenant[0]-'a'].meet(w, over) })
		for _, sender := range []string{"prometheus 1", "prometheus 2", "vmagent"} {
			for _, tooMany := range []int{503, 429} {
				if tooMany == 429 && list[0] != fateLimited && list[1] != fateLimited && list[2] != fateLimited {
					continue
				}
				checkMerge(t, n.rig(t, Options{Targets: []string{s.URL}, TooMany: tooMany}), list, sender, tooMany)
			}
		}
	}
}

func checkMerge(t *testing.T, r *rig, list [3]fate, sender string, tooMany int) {
	version, header := remotewrite.V1, []string{}
	switch sender {
	case "prometheus 2":
		version = remotewrite.V2
	case "vmagent":
		header = []string{vmVersionHeader, "1"}
	}
	req := &remotewrite.Request{}
	written := 0
	for i, f := range list {
		for range i + 1 {
			req.Series = append(req.Series, of(string(rune('a'+i)), float64(i)))
		}
		if f == fateTaken {
			written += i + 1
		}
	}
	a := r.sendRequest(t, version, req, header...)
	name := fmt.Sprintf("%s: %s, %s, %s (%d)", sender, fateNames[list[0]], fateNames[list[1]], fateNames[list[2]], tooMany)
	status, after := merged(list, sender == "vmagent", tooMany)
	if a.status != status {
		t.Errorf("%s: %d, want %d: %s", name, a.status, status, a.body)
	}
	if got, _ := strconv.Atoi(a.header.Get("Retry-After")); got != after {
		t.Errorf("%s: Retry-After: %q, want %d", name, a.header.Get("Retry-After"), after)
	}
	if version == remotewrite.V2 && a.header.Get(samplesHeader) != strconv.Itoa(written) || version == remotewrite.V1 && a.header.Get(samplesHeader) != "" {
		t.Errorf("%s: %q samples written, want %d", name, a.header.Get(samplesHeader), written)
	}
	for i, f := range list {
		if told := strings.Contains(a.body, "tenant "+string(rune('a'+i))+":"); told != (f != fateTaken) {
			t.Errorf("%s: tenant %c is told of: %v: %s", name, 'a'+i, told, a.body)
		}
	}
	if len(a.body) > 1<<10 {
		t.Errorf("%s: %d bytes of text", name, len(a.body))
	}
}

// If the target accepts no connections, the sender is told to retry.
func TestNobodyListens(t *testing.T) {
	s := newSink(t)
	s.Close()
	r := newRig(t, Options{Targets: []string{s.URL}})
	for _, version := range versions {
		r.send(t, version, of("a", 1), of("b", 1), of("c", 1)).want(t, 503, "refuses connections")
	}
}

// A target's Retry-After may be a date. The sender gets the longest of all, rounded up and limited.
func TestRetryAfterForms(t *testing.T) { inBubble(t, testRetryAfterForms) }

func testRetryAfterForms(t *testing.T, n *network) {
	for _, c := range []struct {
		a, b string
		want string
	}{
		{"5", "9", "9"}, {"9", "5", "9"}, {"", "", "1"}, {"0", "", "1"}, {"soon", "2", "2"},
		{time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat), "3", "90"},
		{time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), "3", "3"},
		{"4000000000", "1", "120"}, {"1.5", "", "1"}, {"-3", "", "1"},
	} {
		for _, status := range []int{429, 500, 503} {
			s := n.sink(t)
			s.answers(func(w http.ResponseWriter, p *post) bool {
				if v := map[string]string{"a": c.a, "b": c.b}[p.tenant]; v != "" {
					w.Header().Set("Retry-After", v)
				}
				w.WriteHeader(status)
				return true
			})
			r := n.rig(t, Options{Targets: []string{s.URL}})
			a := r.send(t, remotewrite.V1, of("a", 1), of("b", 1))
			a.want(t, 503)
			if a.header.Get("Retry-After") != c.want {
				t.Errorf("%q and %q: %q", c.a, c.b, a.header.Get("Retry-After"))
			}
		}
	}
}

// The policies RejectedTenant and DeadTenant can drop series without an error for the sender.
// RejectedTenant applies to tenants that the target rejects with 401, 403 or 404, and DeadTenant to
// tenants whose circuit is open.
func TestPolicies(t *testing.T) { inBubble(t, testPolicies) }

func testPolicies(t *testing.T, n *network) {
	for _, code := range []int{401, 403, 404} {
		s := n.sink(t)
		s.answers(status("b", code))
		r := n.rig(t, Options{Targets: []string{s.URL}, RejectedTenant: Drop})
		r.send(t, remotewrite.V1, of("a", 1), of("b", 1)).want(t, 204)
		if lost := statsOf(t, r, "b").Lost[forbidden]; lost != 1 {
			t.Errorf("%d: %d series are counted as lost", code, lost)
		}
	}
	s := n.sink(t)
	s.answers(status("b", 400))
	r := n.rig(t, Options{Targets: []string{s.URL}, RejectedTenant: Drop, DeadTenant: Drop})
	r.send(t, remotewrite.V1, of("a", 1), of("b", 1)).want(t, 400, "tenant b") // a 400 concerns the data, not the tenant
	s.answers(status("b", 500))
	for range breakerFailures {
		r.send(t, remotewrite.V1, of("a", 1), of("b", 1)).want(t, 503, "tenant b")
	}
	r.send(t, remotewrite.V1, of("a", 2), of("b", 1)).want(t, 204) // the tenant's circuit is open
	if lost := statsOf(t, r, "b").Lost[failed]; lost != breakerFailures+1 {
		t.Errorf("%d series are counted as lost", lost)
	}
}

func statsOf(t *testing.T, r *rig, tenant string) TenantStats {
	t.Helper()
	for _, s := range r.Tenants() {
		if s.Name == tenant {
			return s
		}
	}
	t.Fatalf("there are no statistics of %s", tenant)
	return TenantStats{}
}
