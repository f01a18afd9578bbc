package peers

import "testing"

// The relay passes version 2 on to targets that accept it, and reports the counts that these have
// written. Other targets receive version 1.
func TestVersion2(t *testing.T) {
	t.Parallel()
	from, to, bare, old := newSource(t), newSink(t), newSink(t), newSink(t)
	old.refusesV2 = true
	second := newPrometheus(t, prometheusV2, receiver())
	deaf := newPrometheus(t, prometheusV1, receiver()) // it reads version 2 as an empty request of version 1
	toSink, toOld := newRelay(t, to.URL).push(), newRelay(t, old.URL).push()
	toBare := newRelay(t, bare.URL, "--relay.tenant-remove").push()
	toServer, toDeaf := newRelay(t, second.url+"/api/v1/write").push(), newRelay(t, deaf.url+"/api/v1/write").push()
	first := newPrometheus(t, prometheusV2, sender(prometheusV2, from, toSink, toBare, toOld, toServer, toDeaf))
	scrape(t, from, 10)
	from.fail()
	last := waitStale(t, first)
	sent := wantScraped(t, first, from)
	wantAtSink(t, to, sent.byTenant(), last)
	wantAtSink(t, bare, bareOf(sent.byTenant()), last)
	wantAtSink(t, old, sent.byTenant(), last)
	wantAtServer(t, deaf, sent, last)
	// Prometheus 3.15 sends exemplars separately from samples. As a receiver, it rejects series
	// that contain only exemplars, with status 400. Then the relay sends the request again in
	// version 1, and Prometheus accepts the exemplars.
	wantAtServer(t, second, sent, last)
	for _, url := range []string{toSink, toBare, toOld, toDeaf, toServer} {
		first.wantFailed(url, 0)
	}
	for _, s := range []*sink{to, bare, old} {
		s.check(t)
		posts, _ := s.had()
		for _, p := range posts {
			if p.v2 == s.refusesV2 {
				t.Errorf("a post of version 2: %v", p.v2)
			}
		}
	}
}
