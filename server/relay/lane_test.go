package relay

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// together runs fn n times concurrently, and waits for all calls.
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

// waiting returns the number of a tenant's parcels that wait for a post.
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

// Small requests for a tenant that arrive during a post are sent together in the next post. Each
// sender gets its own response.
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

// If a shared post is rejected, only the sender of the invalid request gets an error.
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

// However many posts are late, later parcels do not wait for them while another post is allowed.
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
		<-over // the first two posts are late
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
	together(60, func(i int) { // too much for two posts
		begin := time.Now()
		a := r.send(t, remotewrite.V1, of("a", float64(i)), seriesWith(1, "__name__", "x", "__tenant__", "a", "y", padding))
		if a.status == 204 && time.Since(begin) <= 2*lateFor {
			soon.Add(1)
		}
	})
	first.Wait()
	if n := soon.Load(); n < 60-joined/(24<<10) {
		t.Errorf("only %d of 60 were answered soon", n)
	}
}

// If a request times out while it waits, later requests that wait with it and still have time do
// not fail.
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
	for i := range 2 { // the second waits for the first, and then has hardly any time left
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

// If the relay closes during requests, they complete, including parcels that wait for a post. Later
// requests get 503.
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
	r.crew = newCrew() // the end of the test closes it
}

// ending is the context of a sender. It ends at the n-th call of Err.
type ending struct {
	context.Context
	asked, n int
}

func (e *ending) Err() error {
	if e.asked++; e.asked >= e.n {
		return context.DeadlineExceeded
	}
	return nil
}

// The time of a parcel may end between any two checks. Nevertheless, each parcel is finished
// exactly once, and parcels with enough time are delivered.
func TestCarryWhileParcelsEnd(t *testing.T) {
	s := newSink(t)
	for _, status := range []int{200, 400, 413, 429, 500} {
		s.answers(func(w http.ResponseWriter, p *post) bool {
			w.WriteHeader(status)
			return status != 200
		})
		r := newRig(t, Options{Targets: []string{s.URL}})
		to, err := r.tenant([]byte("a"))
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 * 3 * 3 * 3 { // each parcel's time ends at its first or second check, or never
			var all sync.WaitGroup
			list := make([]*parcel, 4)
			for i, k := 0, n; i < len(list); i, k = i+1, k/3 {
				ctx := context.Background()
				if k%3 < 2 {
					ctx = &ending{Context: ctx, n: 1 + k%3}
				}
				body := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", float64(i))}})
				list[i] = &parcel{tenant: to, version: remotewrite.V1, plain: body, bytes: len(body), counts: counts{Series: 1, Samples: 1}, ctx: ctx, done: &all}
			}
			all.Add(len(list)) // if a parcel is finished twice, Done panics
			r.carry(to, slices.Clone(list))
			all.Wait()
			for i, p := range list {
				if _, ends := p.ctx.(*ending); !p.finished || status == 200 && !ends && p.result.verdict != taken {
					t.Errorf("status %d, case %d: parcel %d: %+v", status, n, i, p.result)
				}
			}
		}
	}
}
