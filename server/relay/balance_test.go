package relay

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// Tests with several targets, some of which may be down.

// The target with the fewest posts in progress gets the next post.
func TestLeastLoadedTarget(t *testing.T) { inBubble(t, testLeastLoadedTarget) }

func testLeastLoadedTarget(t *testing.T, n *network) {
	slow, quick := n.sink(t), n.sink(t)
	r := n.rig(t, Options{Targets: []string{slow.URL, quick.URL}, Timeout: 2 * time.Second})
	slow.silence(t, "stuck")
	quick.answers(status("stuck", 400)) // so the slow target gets the posts that hang
	stuck := make(chan struct{})
	go func() {
		defer close(stuck)
		together(10, func(i int) {
			big := of("stuck", float64(i))
			big.Labels[2].Value = strings.Repeat("x", small)
			r.send(t, remotewrite.V1, big)
		})
	}()
	waitFor(t, "the slow target to be busy", func() bool { return r.targets[0].busy.Load() > 0 })
	for i := range 50 {
		r.send(t, remotewrite.V1, of("a", float64(i))).want(t, 204)
	}
	// While the quick target responds to one of the ten, both targets are equally busy.
	if r.targets[0].busy.Load() > 0 && slow.count() > 10 {
		t.Errorf("the busy target got %d posts, the other %d", slow.count(), quick.count())
	}
	<-stuck
}

// If one target cannot accept a post, another target gets it. The sender gets no error.
func TestFailover(t *testing.T) {
	for name, how := range map[string]func(s *sink){
		"it is down":     func(s *sink) { s.Close() },
		"it answers 503": func(s *sink) { s.answers(status("", 503)) },
		"it breaks off": func(s *sink) {
			s.answers(func(http.ResponseWriter, *post) bool { panic(http.ErrAbortHandler) })
		},
	} {
		bad, good := newSink(t), newSink(t)
		how(bad)
		r := newRig(t, Options{Targets: []string{bad.URL, good.URL}})
		for _, version := range versions {
			for i := range 20 {
				r.send(t, version, of("a", float64(i)), of("b", float64(i))).want(t, 204)
			}
		}
		if got := good.got(); len(got["a"]) != 40 || len(got["b"]) != 40 {
			t.Errorf("%s: %d and %d samples", name, len(got["a"]), len(got["b"]))
		}
	}
}

// A post that a target rejects, permanently or because of a rate, is not sent to another target.
func TestNoFailover(t *testing.T) {
	for _, code := range []int{400, 401, 404, 413, 429} {
		var posts atomic.Int32
		count := func(w http.ResponseWriter, p *post) bool {
			posts.Add(1)
			w.WriteHeader(code)
			return true
		}
		one, two := newSink(t), newSink(t)
		one.answers(count)
		two.answers(count)
		r := newRig(t, Options{Targets: []string{one.URL, two.URL}})
		r.send(t, remotewrite.V1, of("a", 1))
		if n := posts.Load(); n != 1 {
			t.Errorf("%d: %d posts", code, n)
		}
	}
}

// If all targets fail, each is tried once. When the retry budget is used up, a request is no longer
// posted to several targets.
func TestTriesAreSpared(t *testing.T) { inBubble(t, testTriesAreSpared) }

func testTriesAreSpared(t *testing.T, n *network) {
	var posts atomic.Int32
	var urls []string
	for range 3 {
		s := n.sink(t)
		s.answers(func(w http.ResponseWriter, p *post) bool {
			posts.Add(1)
			w.WriteHeader(500)
			return true
		})
		urls = append(urls, s.URL)
	}
	r := n.rig(t, Options{Targets: urls})
	const requests = 1000
	for i := range requests {
		if i == 0 {
			r.send(t, remotewrite.V1, of("t0", 1)).want(t, 503)
			if got := posts.Load(); got != 3 {
				t.Errorf("%d posts", got)
			}
			continue
		}
		r.send(t, remotewrite.V1, of(fmt.Sprint("t", i), 1)).want(t, 503) // new tenants, whose circuits are still closed
	}
	if got := posts.Load(); got > requests+spareAtOnce/spareCost+requests/spareCost+3 {
		t.Errorf("%d posts for %d requests", got, requests)
	}
}

// An open circuit closes when the target responds again, both for a target and for a tenant.
func TestCircuitsClose(t *testing.T) { inBubble(t, testCircuitsClose) }

func testCircuitsClose(t *testing.T, n *network) {
	s := n.sink(t)
	r := n.rig(t, Options{Targets: []string{s.URL}})
	s.answers(status("b", 500))
	for range breakerFailures {
		r.send(t, remotewrite.V1, of("b", 1)).want(t, 503, "500")
	}
	before := s.count()
	r.send(t, remotewrite.V1, of("b", 1), of("a", 1)).want(t, 503, "tenant b", "for this tenant")
	if s.count() != before+1 || !statsOf(t, r, "b").Open || statsOf(t, r, "a").Open {
		t.Errorf("%d posts, %+v", s.count(), r.Tenants())
	}
	s.answers(nil)
	time.Sleep(breakerPause)
	r.send(t, remotewrite.V1, of("b", 2)).want(t, 204)
	if statsOf(t, r, "b").Open {
		t.Error("the tenant's circuit is still open")
	}
	r.send(t, remotewrite.V1, of("b", 3)).want(t, 204)
}
