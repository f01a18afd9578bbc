package relay

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

// burst makes the target respond to posts as Cortex does: with the status `code` if a post contains
// more than `most` samples. It accepts smaller posts.
func burst(most int64, code int, refusals *atomic.Int64) func(w http.ResponseWriter, p *post) bool {
	return func(w http.ResponseWriter, p *post) bool {
		if n := p.counts(); n.Samples <= most {
			return false
		}
		refusals.Add(1)
		http.Error(w, "too many samples", code)
		return true
	}
}

// The function many returns n series of a tenant. The value of the first series is `first`.
func many(tenant string, first, n int) (list []remotewrite.Series) {
	for i := range n {
		list = append(list, of(tenant, float64(first+i)))
	}
	return list
}

// wantAll checks that the values from 0 to n-1 have arrived exactly once.
func wantAll(t *testing.T, s *sink, tenant string, n int) {
	t.Helper()
	got := s.got()[tenant]
	var want []string
	for i := range n {
		want = append(want, samplesOf(&remotewrite.Request{Series: []remotewrite.Series{seriesWith(float64(i), "__name__", "up", "job", "j")}})...)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d samples arrived, want %d", len(got), len(want))
	}
}

// After an outage, the queue contains more for a tenant than its target accepts in one request. All
// samples arrive exactly once, whichever status the target returns for requests that are too large.
// This also holds after a restart.
func TestBacklogLargerThanTheBurst(t *testing.T) {
	for _, code := range []int{413, 429} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprint(code, restart), func(t *testing.T) {
				s := newSink(t)
				s.answers(status("", 503))
				dir := t.TempDir()
				options := func() Options {
					return Options{Targets: []string{s.URL}, Tenants: Tenants{Remove: true}, Queue: &QueueOptions{Dir: dir}}
				}
				const requests, each = 60, 10
				var refusals atomic.Int64
				fill := func(t *testing.T) {
					r := newRig(t, options())
					for i := range requests {
						r.send(t, remotewrite.V1, many("a", i*each, each)...).want(t, 204)
					}
					if !restart {
						s.answers(burst(55, code, &refusals))
						waitFor(t, "the backlog to arrive", func() bool { return len(s.got()["a"]) >= requests*each })
					}
				}
				if restart {
					t.Run("before", fill)
					s.answers(burst(55, code, &refusals))
					newRig(t, options())
					waitFor(t, "the backlog to arrive", func() bool { return len(s.got()["a"]) >= requests*each })
				} else {
					fill(t)
				}
				wantAll(t, s, "a", requests*each)
				if n := refusals.Load(); n < 1 || n > 8 {
					t.Errorf("%d requests were refused", n)
				}
			})
		}
	}
}

// If a single request in the queue contains more than the target accepts, it is split into requests
// with fewer series.
func TestItemLargerThanTheBurst(t *testing.T) {
	for _, code := range []int{413, 429} {
		for _, version := range []remotewrite.Version{remotewrite.V1, remotewrite.V2} {
			t.Run(fmt.Sprint(code, version), func(t *testing.T) {
				s := newSink(t)
				var refusals atomic.Int64
				s.answers(burst(7, code, &refusals))
				r := newRig(t, Options{Targets: []string{s.URL}, Tenants: Tenants{Remove: true}, Queue: &QueueOptions{Dir: t.TempDir()}})
				r.send(t, version, many("a", 0, 100)...).want(t, 204)
				r.send(t, version, many("a", 100, 3)...).want(t, 204)
				waitFor(t, "all of it to arrive", func() bool { return len(s.got()["a"]) >= 103 })
				wantAll(t, s, "a", 103)
				waitFor(t, "the queue to know it", func() bool { return r.queue.Stats().Items == 0 })
				if st := r.queue.Stats(); st.Refused.Items != 0 || st.Delivered.Items != 2 {
					t.Errorf("%+v", st)
				}
			})
		}
	}
}

// A series that is too large by itself is lost. The other series of its request are delivered.
func TestSeriesThatIsTooLarge(t *testing.T) {
	s := newSink(t)
	s.answers(func(w http.ResponseWriter, p *post) bool {
		for _, one := range p.request.Series {
			if one.Samples[0].Value == 37 {
				http.Error(w, "thirty-seven", http.StatusRequestEntityTooLarge)
				return true
			}
		}
		return false
	})
	r := newRig(t, Options{Targets: []string{s.URL}, Queue: &QueueOptions{Dir: t.TempDir()}})
	r.send(t, remotewrite.V1, many("a", 0, 100)...).want(t, 204)
	waitFor(t, "the queue to be done", func() bool { return r.queue.Stats().Items == 0 })
	if n := len(s.got()["a"]); n != 99 {
		t.Errorf("%d samples arrived", n)
	}
	if st := r.queue.Stats(); st.Refused.Items != 1 {
		t.Errorf("%+v", st)
	}
}

// A target that is too slow for large requests gets smaller ones. Requests that timed out may have
// been stored, so some samples arrive twice, but not many.
func TestBacklogForASlowTarget(t *testing.T) { inBubble(t, testBacklogForASlowTarget) }

func testBacklogForASlowTarget(t *testing.T, n *network) {
	s := n.sink(t)
	var slow, fast atomic.Int64
	s.answers(status("", 503))
	o := Options{Targets: []string{s.URL}, Timeout: 15 * time.Second, Queue: &QueueOptions{Dir: t.TempDir()}}
	r := n.rig(t, o)
	const requests, each = 100, 10
	for i := range requests {
		r.send(t, remotewrite.V1, many("a", i*each, each)...).want(t, 204)
	}
	s.answers(func(w http.ResponseWriter, p *post) bool {
		if p.counts().Samples > 200 {
			slow.Add(1)
			time.Sleep(20 * time.Second)
			return false // stored, but the response is too late
		}
		fast.Add(1)
		return false
	})
	waitFor(t, "the queue to be empty", func() bool { return r.queue.Stats().Items == 0 })
	if n := slow.Load(); n < 1 || n > 5 { // posts of 1000, 500 and 250 samples, and one attempt to grow
		t.Errorf("%d requests were too slow, %d were not", n, fast.Load())
	}
	time.Sleep(time.Minute)
	if n := len(s.got()["a"]); n < requests*each || n > 3*requests*each {
		t.Errorf("%d samples for %d", n, requests*each)
	}
}

// Requests that together were too large for one post, without a queue, are posted again in smaller
// posts. No sender gets an error that other requests caused.
func TestTogetherLargerThanTheBurst(t *testing.T) {
	for _, code := range []int{413, 429} {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}, Tenants: Tenants{Remove: true}, Rules: rulesFile(t, `{"tenants": {"a": {"concurrency": 1}}}`)})
		arrived, goOn := make(chan struct{}, 1000), make(chan struct{})
		var refusals atomic.Int64
		tooLarge := burst(25, code, &refusals)
		s.answers(func(w http.ResponseWriter, p *post) bool {
			arrived <- struct{}{}
			<-goOn
			return tooLarge(w, p)
		})
		go func() {
			<-arrived
			waitFor(t, "parcels to wait", func() bool { return r.waiting("a") == 40 })
			close(goOn)
		}()
		together(41, func(i int) {
			r.send(t, remotewrite.V1, many("a", 5*i, 5)...).want(t, 204)
		})
		wantAll(t, s, "a", 5*41)
		if n := refusals.Load(); n < 1 || n > 6 {
			t.Errorf("%d: %d posts were refused", code, n)
		}
	}
}

// If a target rejects a shared post as too large and asks for a pause, its requests are posted
// again only after the pause. Senders that cannot wait that long get a Retry-After.
func TestTogetherRespectsThePause(t *testing.T) { inBubble(t, testTogetherRespectsThePause) }

func testTogetherRespectsThePause(t *testing.T, n *network) {
	for _, c := range []struct{ pause, answer int }{{3, 204}, {60, 503}} {
		s := n.sink(t)
		r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: 15 * time.Second, Rules: rulesFile(t, `{"tenants": {"a": {"concurrency": 1}}}`)})
		arrived, goOn := make(chan struct{}, 1000), make(chan struct{})
		var until time.Time // end of the pause
		refusals := 0
		s.answers(func(w http.ResponseWriter, p *post) bool {
			arrived <- struct{}{}
			<-goOn
			if time.Now().Before(until) {
				t.Errorf("a post came %v too early", time.Until(until))
			}
			if p.counts().Samples <= 100 {
				return false
			}
			refusals++
			pause := time.Duration(c.pause) * time.Second
			until = time.Now().Add(pause)
			w.Header().Set("Retry-After", fmt.Sprint(c.pause))
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		})
		go func() {
			<-arrived
			waitFor(t, "parcels to wait", func() bool { return r.waiting("a") == 30 })
			close(goOn)
		}()
		var answered atomic.Int64
		together(31, func(i int) {
			a := r.send(t, remotewrite.V1, many("a", 5*i, 5)...)
			if a.status == c.answer {
				answered.Add(1)
			}
			if a.status == 503 && a.header.Get("Retry-After") != fmt.Sprint(c.pause) {
				t.Errorf("Retry-After: %q", a.header.Get("Retry-After"))
			}
		})
		if n := answered.Load(); n < 30 || refusals != 1 {
			t.Errorf("a pause of %d s: %d of 31 requests were answered with %d, and %d posts refused", c.pause, n, c.answer, refusals)
		}
	}
}

// A target that does not respond in time to a post of several requests gets smaller posts.
func TestTogetherForASlowTarget(t *testing.T) { inBubble(t, testTogetherForASlowTarget) }

func testTogetherForASlowTarget(t *testing.T, n *network) {
	s := n.sink(t)
	r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: 5 * time.Second, Rules: rulesFile(t, `{"tenants": {"a": {"concurrency": 1}}}`)})
	const senders, each = 40, 5
	var late atomic.Int64
	s.answers(func(w http.ResponseWriter, p *post) bool {
		time.Sleep(100 * time.Millisecond) // meanwhile the other senders' parcels gather
		if p.counts().Samples > 50 {
			late.Add(1)
			time.Sleep(time.Minute)
		}
		return false
	})
	together(senders, func(i int) {
		for range 20 {
			for r.send(t, remotewrite.V1, many("a", each*i, each)...).status != 204 {
				time.Sleep(time.Second)
			}
		}
	})
	if n := late.Load(); n < 1 || n > 6 { // posts of 195 and 97 samples, but not 48, and about as many attempts to grow
		t.Errorf("%d posts were late", n)
	}
}

// However many parcels wait for a tenant, a post contains at most as many samples as Cortex accepts
// in one request by default. Its size in bytes is also limited. Both hold with and without a queue.
func TestPostsAreBounded(t *testing.T) {
	samples := func(i int) remotewrite.Series { // few bytes, but many samples
		s := of("a", 0)
		s.Samples = s.Samples[:0]
		for k := range 1000 {
			s.Samples = append(s.Samples, remotewrite.Sample{Timestamp: int64(1 + k)})
		}
		return s
	}
	bytes := func(i int) remotewrite.Series { // many bytes that do not compress
		return seriesWith(float64(i), "__name__", "up", "__tenant__", "a", "noise", noise(i, 20<<10))
	}
	for name, one := range map[string]func(i int) remotewrite.Series{"samples": samples, "bytes": bytes} {
		for _, queued := range []bool{false, true} {
			t.Run(fmt.Sprint(name, queued), func(t *testing.T) {
				s := newSink(t)
				o := Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"tenants": {"a": {"concurrency": 1}}}`)}
				arrived, goOn := make(chan struct{}, 1000), make(chan struct{})
				var most, mostBytes atomic.Int64
				s.answers(func(w http.ResponseWriter, p *post) bool {
					arrived <- struct{}{}
					<-goOn
					most.Store(max(most.Load(), p.counts().Samples))
					mostBytes.Store(max(mostBytes.Load(), int64(len(p.raw))))
					return false
				})
				if queued {
					o.Queue = &QueueOptions{Dir: t.TempDir()}
				}
				r := newRig(t, o)
				const requests = 101
				go func() {
					<-arrived
					waitFor(t, "parcels to wait", func() bool {
						return queued && r.queue.Stats().Items == requests || r.waiting("a") == requests-1
					})
					close(goOn)
				}()
				together(requests, func(i int) { r.send(t, remotewrite.V1, one(i)).want(t, 204) })
				waitFor(t, "all of it to arrive", func() bool { return len(s.got()["a"]) == requests*len(one(0).Samples) })
				if n := most.Load(); name == "samples" && (n < joinedWeight/2 || n > joinedWeight) {
					t.Errorf("a post of %d samples", n)
				}
				if n := mostBytes.Load(); name == "bytes" && (n < joined/2 || n > joined+1<<10) {
					t.Errorf("a post of %d bytes", n)
				}
			})
		}
	}
}

// noise returns text that does not compress well.
func noise(seed, n int) string {
	r := rand.New(rand.NewPCG(1, uint64(seed)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('!' + r.IntN(90))
	}
	return string(b)
}

// If a target has asked for a pause, items of the queue are posted for the tenant only after the
// pause, whichever status the target returned.
func TestQueueRespectsThePause(t *testing.T) { inBubble(t, testQueueRespectsThePause) }

func testQueueRespectsThePause(t *testing.T, n *network) {
	for _, code := range []int{429, 500, 503} {
		s := n.sink(t)
		var until time.Time
		var posts atomic.Int64
		s.answers(func(w http.ResponseWriter, p *post) bool {
			if p.tenant != "a" {
				return false
			}
			k := posts.Add(1)
			if time.Now().Before(until) {
				t.Errorf("%d: post %d came %v too early", code, k, time.Until(until))
			}
			if k > 5 {
				return false
			}
			until = time.Now().Add(time.Minute)
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(code)
			return true
		})
		r := n.rig(t, Options{Targets: []string{s.URL}, Queue: &QueueOptions{Dir: t.TempDir()}})
		for i := range 20 {
			r.send(t, remotewrite.V1, many("a", 5*i, 5)...).want(t, 204)
			r.send(t, remotewrite.V1, of("b", float64(i))).want(t, 204)
		}
		waitFor(t, "the other tenant's samples", func() bool { return len(s.got()["b"]) == 20 })
		if k := posts.Load(); k > 2 {
			t.Errorf("%d: %d posts", code, k)
		}
		waitFor(t, "posts", func() bool { return posts.Load() >= 6 })
	}
}

// An item of the queue has the same weight as its parcel, so the same window applies to both.
func TestWeights(t *testing.T) {
	c := counts{Series: 3, Samples: 50, Histograms: 7, Exemplars: 11}
	w := queue.NewWindow(c.weight())
	if !w.Takes(1+3+50+7+11) || w.Takes(2+3+50+7+11) {
		t.Errorf("weight %d", c.weight())
	}
}
