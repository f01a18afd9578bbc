package relay

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// together runs fn n times at once, and waits.
func together(n int, fn func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			fn(i)
		}()
	}
	all.Wait()
}

// waiting is how many parcels wait for a post for a tenant.
func (r *Relay) waiting(tenant string) int {
	r.tenants.mu.RLock()
	defer r.tenants.mu.RUnlock()
	t := r.tenants.byID[tenant]
	if t == nil {
		return 0
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return len(t.lane.waiting)
}

// Small requests for one tenant that come while one is under way go together, and each sender has its answer.
func TestSmallParcelsGoTogether(t *testing.T) {
	const n = 40
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {"a": {"concurrency": 1}}}`)})
	arrived, goOn := make(chan struct{}, n), make(chan struct{})
	s.answers(func(w http.ResponseWriter, p *post) bool {
		arrived <- struct{}{}
		<-goOn
		return false
	})
	go func() {
		<-arrived
		waitFor(t, "parcels to wait", func() bool { return r.waiting("a") == n })
		close(goOn)
	}()
	together(n+1, func(i int) {
		r.send(t, remotewrite.V1, of("a", float64(i))).want(t, 204)
	})
	if got := s.got()["a"]; len(got) != n+1 || s.count() != 2 {
		t.Errorf("%d samples in %d posts", len(got), s.count())
	}
}

// Of requests that went together and were refused, only the sender of the bad one is told so.
func TestNobodyAnswersForOthers(t *testing.T) {
	for _, code := range []int{400, 401, 404, 413, 422} {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {"a": {"concurrency": 1}}}`)})
		arrived, goOn := make(chan struct{}, 100), make(chan struct{})
		s.answers(func(w http.ResponseWriter, p *post) bool {
			arrived <- struct{}{}
			<-goOn
			for _, one := range p.request.Series {
				if one.Samples[0].Value == 7 {
					http.Error(w, "seven", code)
					return true
				}
			}
			return false
		})
		go func() {
			<-arrived
			waitFor(t, "parcels to wait", func() bool { return r.waiting("a") == 20 })
			close(goOn)
		}()
		together(21, func(i int) {
			a := r.send(t, remotewrite.V1, of("a", float64(i)))
			if want := map[bool]int{true: 400, false: 204}[i == 7]; a.status != want {
				t.Errorf("%d: %d: %d, %s", code, i, a.status, a.body)
			}
		})
		if got := s.got()["a"]; len(got) != 20 {
			t.Errorf("%d: %d samples", code, len(got))
		}
	}
}

// However many posts are late, what comes behind them is not kept waiting as long as there is room for another post.
func TestLatePostsAreOvertaken(t *testing.T) { inBubble(t, testLatePostsAreOvertaken) }

func testLatePostsAreOvertaken(t *testing.T, n *network) {
	s := n.sink(t)
	const timeout = 3 * time.Second
	r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: timeout})
	var posts atomic.Int32
	arrived, over := make(chan struct{}, 100), make(chan struct{})
	t.Cleanup(func() { close(over) })
	s.answers(func(w http.ResponseWriter, p *post) bool {
		arrived <- struct{}{}
		if posts.Add(1) > 2 {
			return false
		}
		<-over // the first two are late
		return true
	})
	var first sync.WaitGroup
	first.Add(1)
	go func() {
		defer first.Done()
		r.send(t, remotewrite.V1, of("a", 0)).want(t, 503)
	}()
	<-arrived
	var soon atomic.Int32
	padding := strings.Repeat("x", 24<<10)
	together(60, func(i int) { // more than two posts hold
		begin := time.Now()
		a := r.send(t, remotewrite.V1, of("a", float64(i)), series(1, "__name__", "x", "__tenant__", "a", "y", padding))
		if a.status == 204 && time.Since(begin) <= 2*lateFor {
			soon.Add(1)
		}
	})
	first.Wait()
	if n := soon.Load(); n < 60-joined/(24<<10) {
		t.Errorf("only %d of 60 were answered soon", n)
	}
}

// A request that waited in vain does not take those with it that came later and have time left.
func TestLateParcelFailsAlone(t *testing.T) { inBubble(t, testLateParcelFailsAlone) }

func testLateParcelFailsAlone(t *testing.T, n *network) {
	s := n.sink(t)
	const timeout = 2 * time.Second
	r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: timeout, Rules: rulesFile(t, `{"tenants": {"a": {"concurrency": 1}}}`)})
	arrived := make(chan struct{}, 10)
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	s.answers(func(w http.ResponseWriter, p *post) bool {
		arrived <- struct{}{}
		for _, one := range p.request.Series {
			if one.Samples[0].Value == 1 {
				<-over
				return true
			}
		}
		return false
	})
	var early sync.WaitGroup
	for i := range 2 { // the second one waits behind the first, and has hardly any time when that has ended
		early.Add(1)
		go func() {
			defer early.Done()
			r.send(t, remotewrite.V1, of("a", 1)).want(t, 503)
		}()
		if i == 0 {
			<-arrived
		} else {
			waitFor(t, "a parcel to wait", func() bool { return r.waiting("a") == 1 })
		}
	}
	time.Sleep(timeout / 2)
	begin := time.Now()
	r.send(t, remotewrite.V1, of("a", 2)).want(t, 204)
	if took := time.Since(begin); took > timeout/2 {
		t.Errorf("it took %v", took)
	}
	early.Wait()
}

// Close while requests are under way, which were given up, harms nobody: they end, and what waits for a post gets its answer.
func TestCloseWhileRequestsAreUnderWay(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {"*": {"concurrency": 1}}}`)})
	arrived, goOn := make(chan struct{}, 1000), make(chan struct{})
	s.answers(func(w http.ResponseWriter, p *post) bool {
		arrived <- struct{}{}
		<-goOn
		return false
	})
	go func() {
		for range 5 {
			<-arrived
		}
		waitFor(t, "parcels to wait", func() bool { return r.waiting("t0") == 9 })
		r.opened.Store(false)
		r.crew.close()
		close(goOn)
	}()
	together(10, func(i int) {
		var list []remotewrite.Series
		for k := range 5 {
			list = append(list, of(fmt.Sprint("t", k), float64(i)))
		}
		r.send(t, remotewrite.V1, list...).want(t, 204)
	})
	r.send(t, remotewrite.V1, of("a", 1)).want(t, 503, "not ready")
	r.crew = newCrew() // which the end of the test closes
}
