package relay

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// Tests of parcels that need not be posted again.

// If a request fails for one tenant and is sent again, it is posted only for that tenant.
func TestRetryIsPostedForWhoFailedOnly(t *testing.T) {
	for _, version := range versions {
		for _, code := range []int{500, 429} {
			s := newSink(t)
			r := newRig(t, Options{Targets: []string{s.URL}})
			s.answers(status("b", code))
			list := []remotewrite.Series{of("a", 1), of("b", 2), of("c", 3)}
			r.send(t, version, list...).want(t, 503, "tenant b")
			r.send(t, version, list...).want(t, 503, "tenant b")
			s.answers(nil)
			a := r.send(t, version, list...)
			a.want(t, 204)
			if version == remotewrite.V2 && a.header.Get(samplesHeader) != "3" {
				t.Errorf("%v", a.header)
			}
			if got := fmt.Sprint(s.got()); s.count() != 3 || len(s.got()) != 3 {
				t.Errorf("version %d, %d: %d posts: %s", version, code, s.count(), got)
			}
			if n := r.Stats().Remembered; n != 4 {
				t.Errorf("%d parcels were remembered, not 4", n)
			}
			// Other series of the same tenant are posted, and so are the same series for another
			// tenant.
			r.send(t, version, of("a", 2), of("b", 1)).want(t, 204)
			if s.count() != 5 {
				t.Errorf("%d posts", s.count())
			}
		}
	}
}

// A request that got 400 is not sent again, so none of its parcels are recorded.
func TestRefusalsAreNotRemembered(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	s.answers(status("b", 400))
	for range 2 {
		r.send(t, remotewrite.V1, of("a", 1), of("b", 2)).want(t, 400, "tenant b")
	}
	if s.count() != 2 || r.Stats().Remembered != 0 {
		t.Errorf("%d posts", s.count())
	}
}

// Parcels that were accepted before do not count against the rate again.
func TestRememberedParcelsTakeNoTokens(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {"a": {"samples_per_second": 0.001, "burst": 1}}}`)})
	s.answers(status("b", 500))
	for range 3 {
		r.send(t, remotewrite.V1, of("a", 1), of("b", 2)).want(t, 503, "tenant b")
	}
	s.answers(nil)
	r.send(t, remotewrite.V1, of("a", 1), of("b", 2)).want(t, 204)
	r.send(t, remotewrite.V1, of("a", 2)).want(t, 503, "more samples a second")
}

// The memory of accepted parcels is limited in size, and entries expire.
func TestMemoryIsBounded(t *testing.T) {
	var m memory
	parcels := make([]parcel, 1)
	p := &parcels[0]
	p.tenant, p.counts = &tenant{key: "a"}, counts{Samples: 1}
	for i := range 3*maxMemory + 10 {
		p.sum = uint64(i + 1)
		m.note(parcels)
	}
	if len(m.new)+len(m.old) > 2*maxMemory {
		t.Errorf("%d and %d are remembered", len(m.new), len(m.old))
	}
	if p.sum = 3*maxMemory + 5; !m.has(p) {
		t.Error("one of the last is forgotten")
	}
	if p.sum = 5; m.has(p) {
		t.Error("one of the first is remembered")
	}
	m.born = time.Now().Add(-remembers - time.Second)
	if p.sum = 3*maxMemory + 5; !m.has(p) {
		t.Error("it is forgotten too early")
	}
	m.born = time.Now().Add(-2*remembers - time.Second)
	if m.has(p) || m.some.Load() {
		t.Error("it is never forgotten")
	}
}

// The rules can limit the time of a tenant's posts.
func TestTimeoutOfTenant(t *testing.T) { inBubble(t, testTimeoutOfTenant) }

func testTimeoutOfTenant(t *testing.T, n *network) {
	s := n.sink(t)
	r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: time.Minute, Rules: rulesFile(t, `{"tenants": {"slow": {"timeout": "100ms"}}}`)})
	over := make(chan struct{})
	defer close(over)
	s.answers(func(w http.ResponseWriter, p *post) bool {
		if p.tenant == "slow" {
			<-over
		}
		return p.tenant == "slow"
	})
	begin := time.Now()
	r.send(t, remotewrite.V1, of("slow", 1), of("a", 1)).want(t, 503, "tenant slow")
	if took := time.Since(begin); took != 100*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}
