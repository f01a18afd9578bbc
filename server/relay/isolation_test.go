package relay

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// Tests that problems of one tenant do not affect other tenants.

// silence makes a sink not respond to posts for a tenant until the test ends.
func (s *sink) silence(t *testing.T, tenant string) {
	s.silenceAll(t, func(name string) bool { return name == tenant })
}

// silenceAll makes a sink not respond to posts for the chosen tenants until the test ends.
func (s *sink) silenceAll(t *testing.T, chosen func(tenant string) bool) {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	s.answers(func(w http.ResponseWriter, p *post) bool {
		if !chosen(p.tenant) {
			return false
		}
		<-over
		return true
	})
}

// If a target does not respond for one tenant, the circuit of the target stays closed for the other
// tenants. This holds even if many posts for this tenant time out together.
func TestSilenceForOneTenantOpensNoTarget(t *testing.T) {
	inBubble(t, testSilenceForOneTenantOpensNoTarget)
}

func testSilenceForOneTenantOpensNoTarget(t *testing.T, n *network) {
	s := n.sink(t)
	r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: time.Second})
	s.silence(t, "b")
	var silent sync.WaitGroup
	for range 12 {
		silent.Add(1)
		go func() {
			defer silent.Done()
			big := of("b", 1)
			big.Labels[2].Value = string(make([]byte, small)) // too large to share a post
			r.send(t, remotewrite.V1, big).want(t, 503, "tenant b")
		}()
	}
	time.Sleep(5 * time.Millisecond) // so that timeouts do not coincide with other posts
	for begin := time.Now(); time.Since(begin) < 2*time.Second; time.Sleep(10 * time.Millisecond) {
		r.send(t, remotewrite.V1, of(fmt.Sprint("new", time.Since(begin)), 1)).want(t, 204) // a tenant to which the target has not responded yet
		r.send(t, remotewrite.V1, of("a", 1)).want(t, 204)
	}
	silent.Wait()
	if r.targets[0].breaker.open() {
		t.Error("the target's circuit is open")
	}
	if r.send(t, remotewrite.V1, of("b", 1)).want(t, 503); !r.tenants.byID["b"].breaker.open() {
		t.Error("the tenant's circuit is closed")
	}
}

// If more tenants than there are connections get no response, connections remain for the tenants
// that get responses, and no circuit opens for them.
func TestConnectionsRemainForKnownTenants(t *testing.T) {
	inBubble(t, testConnectionsRemainForKnownTenants)
}

func testConnectionsRemainForKnownTenants(t *testing.T, n *network) {
	s := n.sink(t)
	r := n.rig(t, Options{Targets: []string{s.URL}, Conns: 8, Timeout: time.Second})
	s.silenceAll(t, func(tenant string) bool { return tenant != "a" })
	r.send(t, remotewrite.V1, of("a", 1)).want(t, 204)
	var silent sync.WaitGroup
	for i := range 40 {
		silent.Go(func() { r.send(t, remotewrite.V1, of(fmt.Sprint("silent", i), 1)).want(t, 503) })
	}
	synctest.Wait()
	if n := len(r.targets[0].strangers); n != 6 {
		t.Errorf("%d posts of strangers, want 6", n)
	}
	for i := range 20 {
		begin := time.Now()
		r.send(t, remotewrite.V1, of("a", float64(i))).want(t, 204)
		if took := time.Since(begin); took > 10*time.Millisecond {
			t.Fatalf("post %d took %v", i, took)
		}
	}
	silent.Wait()
	r.send(t, remotewrite.V1, of("a", 2)).want(t, 204)
	if n := len(r.targets[0].strangers); n != 0 {
		t.Errorf("%d posts of strangers at the end", n)
	}
}

// A target that is down does not open the circuits of tenants. When the target recovers, no tenant
// has to wait for its own circuit.
func TestOutageOpensNoTenant(t *testing.T) { inBubble(t, testOutageOpensNoTenant) }

func testOutageOpensNoTenant(t *testing.T, n *network) {
	s := n.sink(t)
	r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: time.Second})
	s.silence(t, "a")
	for range breakerFailures {
		r.targets[0].breaker.done(time.Now(), false)
	}
	for range 2 { // the first post of a new tenant passes the open circuit; the second is the circuit's probe
		r.send(t, remotewrite.V1, of("a", 1)).want(t, 503, "in time")
	}
	for range 2 * breakerFailures {
		r.send(t, remotewrite.V1, of("a", 1)).want(t, 503, "no target")
	}
	if r.tenants.byID["a"].breaker.open() {
		t.Error("the tenant's circuit is open")
	}
}

// If a target's circuit is open because it does not respond for some tenants, the first post for a
// new tenant still reaches the target.
func TestSilenceBesideANewTenant(t *testing.T) { inBubble(t, testSilenceBesideANewTenant) }

func testSilenceBesideANewTenant(t *testing.T, n *network) {
	s := n.sink(t)
	r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: time.Second})
	s.silence(t, "b")
	for !r.targets[0].breaker.open() {
		r.send(t, remotewrite.V1, of("b", 1)).want(t, 503)
	}
	for i := range 3 {
		r.send(t, remotewrite.V1, of(fmt.Sprint("new", i), 1)).want(t, 204)
		for range breakerFailures {
			r.targets[0].breaker.done(time.Now(), false)
		}
	}
}

// A target hangs for one tenant, and the other tenants send so seldom that the target's circuit
// opens. The posts of the other tenants are not delayed.
func TestSilenceBesideATenantThatWritesSeldom(t *testing.T) {
	inBubble(t, testSilenceBesideATenantThatWritesSeldom)
}

func testSilenceBesideATenantThatWritesSeldom(t *testing.T, n *network) {
	for _, queued := range []bool{false, true} {
		s := n.sink(t)
		o := Options{Targets: []string{s.URL}, Timeout: time.Second}
		if queued {
			o.Queue = &QueueOptions{Dir: t.TempDir()}
		}
		r := n.rig(t, o)
		s.silence(t, "b")
		r.send(t, remotewrite.V1, of("seldom", 0)).want(t, 204)
		for i := range 20 {
			for range 60 {
				r.send(t, remotewrite.V1, of("b", 1))
				time.Sleep(500 * time.Millisecond)
			}
			if i == 0 && !r.targets[0].breaker.open() {
				t.Error("the target is not given a rest")
			}
			begin := time.Now()
			r.send(t, remotewrite.V1, of("seldom", float64(1+i))).want(t, 204)
			waitFor(t, "the sample", func() bool { return len(s.got()["seldom"]) == 2+i })
			if took := time.Since(begin); took > 100*time.Millisecond {
				t.Errorf("it took %v", took)
			}
		}
	}
}

// When a target recovers after an outage, the tenants in the queue do not wait for the end of their
// pauses. Soon after the first successful post, all others follow. This holds for a single target
// and for one of several replicated targets.
func TestQueueAfterAnOutage(t *testing.T) { inBubble(t, testQueueAfterAnOutage) }

func testQueueAfterAnOutage(t *testing.T, n *network) {
	for _, replicate := range []bool{false, true} {
		s := n.sink(t)
		var first atomic.Pointer[time.Time]
		var back atomic.Bool
		s.answers(func(w http.ResponseWriter, p *post) bool {
			if back.Load() {
				now := time.Now()
				first.CompareAndSwap(nil, &now)
				return false
			}
			time.Sleep(time.Minute)
			return true
		})
		o := Options{Targets: []string{s.URL}, Timeout: time.Second, Queue: &QueueOptions{Dir: t.TempDir()}, Replicate: replicate}
		if replicate {
			o.Targets = append(o.Targets, n.sink(t).URL)
		}
		r := n.rig(t, o)
		const tenants = 20
		for i := range tenants {
			r.send(t, remotewrite.V1, of(fmt.Sprint("t", i), 1)).want(t, 204)
		}
		time.Sleep(10 * time.Minute)
		begin := time.Now()
		back.Store(true)
		waitFor(t, "all that waits", func() bool { return len(s.got()) == tenants })
		if took := first.Load().Sub(begin); took > 2*breakerLongest {
			t.Errorf("the first post came after %v", took)
		}
		if took := time.Since(*first.Load()); took > 1500*time.Millisecond {
			t.Errorf("the last post came %v after the first", took)
		}
	}
}

// Tenants for which the target hangs, with many posts each, do not occupy all connections to the
// target.
func TestHangingTenantsLeaveConnections(t *testing.T) {
	inBubble(t, testHangingTenantsLeaveConnections)
}

func testHangingTenantsLeaveConnections(t *testing.T, n *network) {
	for _, replicate := range []bool{false, true} {
		s := n.sink(t)
		s.answers(func(w http.ResponseWriter, p *post) bool {
			if p.tenant == "a" {
				return false
			}
			time.Sleep(time.Minute)
			return true
		})
		o := Options{Targets: []string{s.URL}, Conns: 64, Replicate: replicate}
		if replicate {
			o.Targets = append(o.Targets, n.sink(t).URL)
		}
		r := n.rig(t, o)
		var senders sync.WaitGroup
		for i := range 8 * defaultConcurrency {
			senders.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)                              // posts that begin at the same moment would not count each other
				r.send(t, remotewrite.V2, of(fmt.Sprint("b", i%8), float64(i))).want(t, 503) // version 2, so it does not share a post
			})
		}
		time.Sleep(time.Second)
		for i := range 20 {
			begin := time.Now()
			r.send(t, remotewrite.V1, of("a", float64(i))).want(t, 204)
			if took := time.Since(begin); took > 0 {
				t.Errorf("it took %v", took)
			}
		}
		if n := r.targets[0].busy.Load(); n < 32 || n > 60 {
			t.Errorf("%d posts of hanging tenants at once", n)
		}
		senders.Wait()
	}
}

// A tenant whose target is slow does not occupy the memory that requests of other tenants need,
// however many senders it has.
func TestSlowTenantLeavesMemory(t *testing.T) { inBubble(t, testSlowTenantLeavesMemory) }

func testSlowTenantLeavesMemory(t *testing.T, n *network) {
	for _, replicate := range []bool{false, true} {
		s := n.sink(t)
		s.answers(func(w http.ResponseWriter, p *post) bool {
			if p.tenant != "good" {
				time.Sleep(10 * time.Second)
			}
			return false
		})
		flight := admission.NewBudget(4 << 20)
		o := Options{Targets: []string{s.URL}, Flight: flight, Replicate: replicate}
		if replicate {
			o.Targets = append(o.Targets, n.sink(t).URL)
		}
		r := n.rig(t, o)
		var over atomic.Bool
		var senders sync.WaitGroup
		for i := range 40 {
			senders.Go(func() {
				body := of(fmt.Sprint("slow", i%2), 1)
				body.Labels[2].Value = noise(i, 60<<10)
				for !over.Load() {
					time.Sleep(100*time.Millisecond + time.Duration(i)*137*time.Microsecond) // so that bodies are not read at the same moment
					r.send(t, remotewrite.V1, body)
				}
			})
		}
		for i := range 150 {
			time.Sleep(100 * time.Millisecond)
			good := of("good", float64(i))
			good.Labels[2].Value = noise(i, 60<<10)
			if a := r.send(t, remotewrite.V1, good); a.status != 204 {
				t.Errorf("request %d: %d: %s", i, a.status, a.body)
			}
		}
		if used := flight.Used(); used < 1<<20 {
			t.Errorf("%d bytes are used", used)
		}
		over.Store(true)
		senders.Wait()
		for _, name := range []string{"slow0", "slow1", "good"} {
			if n := r.tenants.byID[name].inHand.Load(); n != 0 {
				t.Errorf("%s still has %d bytes in hand", name, n)
			}
		}
	}
}

// A target that is down gets few posts, however many tenants it has responded to before.
func TestTargetIsGivenARest(t *testing.T) { inBubble(t, testTargetIsGivenARest) }

func testTargetIsGivenARest(t *testing.T, n *network) {
	s := n.sink(t)
	r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: time.Second})
	const tenants = 20
	all := func() {
		together(tenants, func(i int) { r.send(t, remotewrite.V1, of(fmt.Sprint("t", i), 1)) })
	}
	all()
	var posts atomic.Int64
	s.answers(func(w http.ResponseWriter, p *post) bool {
		posts.Add(1)
		time.Sleep(time.Minute)
		return true
	})
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		all()
	}
	if n := posts.Load(); n < 20 || n > 3*tenants+10*60/20 {
		t.Errorf("%d posts", n)
	}
	s.answers(nil)
	time.Sleep(breakerLongest)
	r.send(t, remotewrite.V1, of("t0", 2)).want(t, 204)
	for i := range tenants { // the outage opened no tenant's circuit
		r.send(t, remotewrite.V1, of(fmt.Sprint("t", i), 2)).want(t, 204)
	}
}

// rulesFile returns the name of a new file of rules.
func rulesFile(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rules.json")
	writeRules(t, name, text)
	return name
}

func writeRules(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Rules give a tenant another ID at the target. The prefix is still prepended.
func TestRulesMapTenants(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{
		Targets: []string{s.URL}, Tenants: Tenants{Prefix: "eu-"},
		Rules: rulesFile(t, `{"tenants": {"a": {"as": "at-the-target"}, "old name": {"as": "new"}}}`),
	})
	r.send(t, remotewrite.V1, of("a", 1), of("b", 2), of("old name", 3)).want(t, 204)
	if got := s.got(); len(got["eu-at-the-target"]) != 1 || len(got["eu-b"]) != 1 || len(got["eu-new"]) != 1 || len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// If new rules reject a tenant, its waiting parcels are not posted. In particular, they are not
// posted to the tenant whose ID is the prefix alone.
func TestNewRulesHoldForWhatWaits(t *testing.T) {
	s := newSink(t)
	rules := rulesFile(t, `{"tenants": {"a": {"concurrency": 1}}}`)
	r := newRig(t, Options{Targets: []string{s.URL}, Tenants: Tenants{Prefix: "p-"}, Rules: rules})
	arrived, goOn := make(chan struct{}, 2), make(chan struct{})
	s.answers(func(w http.ResponseWriter, p *post) bool {
		arrived <- struct{}{}
		<-goOn
		return false
	})
	first, second := make(chan reply, 1), make(chan reply, 1)
	go func() { first <- r.send(t, remotewrite.V1, of("a", 1)) }()
	<-arrived
	go func() { second <- r.send(t, remotewrite.V1, of("a", 2)) }()
	waitFor(t, "a parcel to wait", func() bool {
		l := &r.tenants.byID["a"].lane
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.waiting) == 1
	})
	writeRules(t, rules, `{"tenants": {"b": {}}, "only_listed": true}`)
	if err := r.LoadRules(os.ReadFile); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	(<-first).want(t, 204)
	(<-second).want(t, 400, "tenant a", "not listed in the rules")
	if got := s.got(); len(got) != 1 || len(got["p-a"]) != 1 {
		t.Errorf("%q", got)
	}
}

var waitFor = testkit.Eventually

// 300 tenants for which the target hangs do not delay the items of another tenant in the queue.
func TestQueueOfHangingTenants(t *testing.T) { inBubble(t, testQueueOfHangingTenants) }

func testQueueOfHangingTenants(t *testing.T, n *network) {
	s := n.sink(t)
	s.answers(func(w http.ResponseWriter, p *post) bool {
		if p.tenant == "healthy" {
			return false
		}
		time.Sleep(time.Minute)
		return true
	})
	r := n.rig(t, Options{Targets: []string{s.URL}, Timeout: 15 * time.Second, Queue: &QueueOptions{Dir: t.TempDir()}})
	for i := range 300 {
		r.send(t, remotewrite.V1, of(fmt.Sprint("hangs", i), 1)).want(t, 204)
	}
	for i := range 100 {
		begin := time.Now()
		r.send(t, remotewrite.V1, of("healthy", float64(i))).want(t, 204)
		waitFor(t, "the healthy tenant's sample", func() bool { return len(s.got()["healthy"]) == i+1 })
		if took := time.Since(begin); took > time.Second {
			t.Errorf("sample %d took %v", i, took)
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// A sender without the right to a tenant leaves no trace of the tenant. It does not change the
// tenant's active series, its counters or the table of tenants.
func TestForbiddenTenantIsNotTouched(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Tenants: Tenants{Default: "b"}, Metadata: ToDefault, Rules: rulesFile(t, `{
		"tenants": {"*": {"active_series": 3, "labels_per_series": 5}},
		"credentials": [{"name": "a", "token": "ta", "tenants": ["a"]}, {"name": "b", "token": "tb", "tenants": ["b"]}]}`)})
	send := func(token string, list ...remotewrite.Series) reply {
		req := &remotewrite.Request{Series: list, Metadata: []remotewrite.Metadata{{MetricFamilyName: "up", Help: "help"}}}
		return r.sendRequest(t, remotewrite.V1, req, "Authorization", "Bearer "+token)
	}
	named := func(tenant string, i int) remotewrite.Series {
		return seriesWith(1, "__name__", "up", "__tenant__", tenant, "i", fmt.Sprint(i))
	}
	for i := range 10 {
		send("ta", named("a", 0), named("b", 100+i), named(fmt.Sprint("other", i), 0)).want(t, 400, "tenant b", "credentials")
	}
	send("ta", seriesWith(1, "__name__", "up", "__tenant__", "b", "1", "", "2", "", "3", "", "4", "", "5", "")).want(t, 400, "credentials")
	r.tenants.mu.RLock()
	known := slices.Sorted(maps.Keys(r.tenants.byID))
	r.tenants.mu.RUnlock()
	if !slices.Equal(known, []string{"a"}) {
		t.Errorf("the tenants %q are known", known)
	}
	send("tb", named("b", 1), named("b", 2), named("b", 3)).want(t, 204)
	for _, st := range r.Tenants() {
		if st.Name == "b" && st.Rejected != 0 {
			t.Errorf("%+v", st)
		}
	}
}

// Metrics identify a target by host and path, so two targets must differ in host or path.
func TestTargetsThatMetricsCannotTellApart(t *testing.T) {
	for _, targets := range [][]string{
		{"http://h:1/push", "http://h:1/push"}, {"http://h:1/push", "https://h:1/push"}, {"http://h:1", "http://h:1/api/v1/push"},
	} {
		if _, err := New(Options{Targets: targets}); err == nil || !strings.Contains(err.Error(), targets[1]) {
			t.Errorf("%q: %v", targets, err)
		}
	}
	if _, err := New(Options{Targets: []string{"http://h:1/push", "http://h:1/other", "http://h:2/push"}}); err != nil {
		t.Error(err)
	}
}

func TestSecondClose(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Queue: &QueueOptions{Dir: t.TempDir()}})
	for range 3 {
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
