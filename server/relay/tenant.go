package relay

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

// tenant is what lasts of a tenant from one request to the next.
type tenant struct {
	key     string // as its series name it
	label   string // what metrics call it
	route   *atomic.Pointer[route]
	lane    lane
	pieces  pieces
	rate    bucket
	inHand  atomic.Int64 // bytes of the budget that its parcels are the reason for
	active  active
	breaker breaker
	silent  atomic.Bool // no target has answered the last post
	stats   tenantStats
	used    atomic.Int64 // when, in Unix seconds

	// With replication there is a copy for each target, which has stats of posts and losses, and no
	// rate, nor active series. See replicate.go.
	copies []*tenant
	of     *tenant // whose copy it is; nil: it is none
	only   *target // of a copy
}

// route is where a tenant's series go, as the rules have it at present.
type route struct {
	id   string // at the target
	rule *TenantRule
	err  error // why they go nowhere; then sender is told, unless rule.Drop

	class *classTimes

	made atomic.Pointer[headers]
}

// headers are those of posts, by version and encoding. They are made once, and shared by all posts:
// nobody changes them.
type headers struct {
	proof *proof
	of    [2][2]http.Header
}

// headers are those of a post.
func (to *route) headers(p *proof, version remotewrite.Version, e Encoding) http.Header {
	h := to.made.Load()
	if h == nil || h.proof != p {
		h = &headers{proof: p}
		for v := range h.of {
			for e := range h.of[v] {
				h.of[v][e] = to.header(p, remotewrite.V1+remotewrite.Version(v), Encoding(e))
			}
		}
		to.made.Store(h)
	}
	return h.of[version-remotewrite.V1][e]
}

func (to *route) header(p *proof, version remotewrite.Version, e Encoding) http.Header {
	h := http.Header{
		"Content-Type":     {contentTypes[version]},
		"Content-Encoding": {e.String()},
		versionHeader:      {versionNumbers[version]},
		"User-Agent":       {p.agent},
		p.tenantHeader:     {to.id},
		"Idempotency-Key":  {}, // not sent: it lets the transport post again where a connection turns out to be closed
	}
	if e == Zstd {
		h[vmVersionHeader] = []string{"1"}
	}
	if p.authorization != "" {
		h["Authorization"] = []string{p.authorization}
	}
	return h
}

// defaultConcurrency is how many posts of a tenant are under way at once, unless the rules say it.
const defaultConcurrency = 16

func (t *tenant) concurrency() int {
	if n := t.route.Load().rule.Concurrency; n > 0 {
		return n
	}
	return defaultConcurrency
}

// tenants are the recently active ones.
type tenants struct {
	mu    sync.RWMutex
	byID  map[string]*tenant
	named int         // that have a label of their own
	gone  TenantStats // of those without one that were forgotten: counters do not go back
	swept int64       // when, in Unix seconds
}

const (
	maxTenants  = 100_000
	maxLabels   = 500
	others      = "other" // the label of those beyond
	forgetAfter = 3600    // seconds without a request
	forgetSoon  = 60      // the same when there are too many
	sweepEvery  = 60
)

var errTenants = fmt.Errorf("more than %d tenants within a minute", maxTenants)

// tenant is that of a label's value. Its error is why there is no room for one more.
func (r *Relay) tenant(key []byte) (*tenant, error) {
	r.tenants.mu.RLock()
	t := r.tenants.byID[string(key)]
	r.tenants.mu.RUnlock()
	now := time.Now().Unix()
	if t != nil {
		if t.used.Load() != now {
			t.used.Store(now)
		}
		return t, nil
	}
	r.tenants.mu.Lock()
	defer r.tenants.mu.Unlock()
	if t := r.tenants.byID[string(key)]; t != nil {
		return t, nil
	}
	t = &tenant{key: string(key), label: others, lane: lane{window: queue.NewWindow(joinedWeight)}}
	t.used.Store(now)
	to := r.routeOf(r.rules.Load(), t.key)
	t.route = newRoute(to)
	if to.err != nil {
		return t, nil // what leads nowhere is not remembered
	}
	r.tenants.sweep(now)
	if len(r.tenants.byID) >= maxTenants {
		return nil, errTenants
	}
	if r.tenants.named < maxLabels && t.key != others {
		t.label = t.key
		r.tenants.named++
	}
	r.addCopies(t)
	r.tenants.byID[t.key] = t
	return t, nil
}

// sweep forgets those that have not written for long.
func (ts *tenants) sweep(now int64) {
	idle, every := int64(forgetAfter), int64(sweepEvery)
	if len(ts.byID) >= maxTenants { // rather than refuse new ones
		idle, every = forgetSoon, 1
	}
	if now-ts.swept < every {
		return
	}
	ts.swept = now
	for key, t := range ts.byID {
		if now-t.used.Load() < idle {
			continue
		}
		delete(ts.byID, key)
		if t.label == others {
			t.addTo(&ts.gone)
		} else {
			ts.named--
		}
	}
}

// reroute has every tenant go where new rules say.
func (r *Relay) reroute(rules *Rules) {
	r.tenants.mu.Lock()
	defer r.tenants.mu.Unlock()
	r.rules.Store(rules)
	for key, t := range r.tenants.byID {
		t.route.Store(r.routeOf(rules, key))
	}
}

var errNoTenant = errors.New("no tenant label")

// routeOf is where the rules have a tenant's series go.
func (r *Relay) routeOf(rules *Rules, key string) *route {
	if key == "" {
		return &route{rule: &TenantRule{Drop: r.o.Tenants.Missing == Drop}, err: errNoTenant, class: r.timings.of("")}
	}
	name, rule, err := rules.tenant([]byte(key))
	to := &route{rule: rule, err: err}
	if to.rule == nil {
		to.rule = &TenantRule{}
	}
	to.class = r.timings.of(to.rule.Class)
	to.id = r.o.Tenants.Prefix + cmp.Or(to.rule.As, name)
	if to.err == nil {
		to.err = r.checkID([]byte(to.id))
	}
	return to
}
