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

// tenant is the state of a tenant between requests.
type tenant struct {
	key     string // the tenant's name, including the prefix of the credential
	label   string // name in metrics
	route   *atomic.Pointer[route]
	lane    lane
	pieces  pieces
	rate    bucket
	inHand  atomic.Int64 // bytes of the budget that are attributed to the tenant's parcels
	active  active
	breaker breaker
	silent  atomic.Bool // no target has responded to the last post
	known   atomic.Bool // a target has responded to the last post; for a new tenant, both are false
	stats   tenantStats
	used    atomic.Int64 // time of the last request, in Unix seconds

	// With replication, a tenant has a copy for each target. A copy counts its own posts and
	// losses, but does not use the fields `rate` and `active`. See replicate.go.
	copies []*tenant
	of     *tenant // the original tenant, if this tenant is a copy; otherwise nil
	only   *target // the target of a copy
}

// route is the destination of a tenant's series under the current rules.
type route struct {
	id   string // tenant ID at the target
	rule *TenantRule
	err  error // reason for rejecting the series, or nil; if rule.Drop is not set, the sender gets this error

	class *classTimes

	made atomic.Pointer[headers]
}

// headers contains the headers of posts, by version and encoding. Each header is created once, and
// all posts share it, so it must not be modified.
type headers struct {
	proof *proof
	of    [2][2]http.Header
}

// The method headers returns the headers of a post.
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
		"Idempotency-Key":  {}, // not sent: it lets the transport repeat a post if the connection turns out to be closed
	}
	if e == Zstd {
		h[vmVersionHeader] = []string{"1"}
	}
	if p.authorization != "" {
		h["Authorization"] = []string{p.authorization}
	}
	return h
}

// defaultConcurrency is the default for the maximum number of concurrent posts of a tenant. The
// rules of the tenant can set another maximum.
const defaultConcurrency = 16

func (t *tenant) concurrency() int {
	if n := t.route.Load().rule.Concurrency; n > 0 {
		return n
	}
	return defaultConcurrency
}

// tenants contains the recently active tenants.
type tenants struct {
	mu    sync.RWMutex
	byID  map[string]*tenant
	named int         // number of tenants that have a separate label
	gone  TenantStats // summed counters of forgotten tenants without a separate label; kept because counters must not decrease
	swept int64       // time of the last sweep, in Unix seconds
}

const (
	maxTenants  = 100_000
	maxLabels   = 500
	others      = "other" // label of further tenants, after maxLabels tenants have received their own labels
	forgetAfter = 3600    // seconds without a request
	forgetSoon  = 60      // seconds without a request, while the number of tenants is at its maximum
	sweepEvery  = 60
)

var errTenants = fmt.Errorf("more than %d tenants within a minute", maxTenants)

// The method tenant returns the tenant with the given key, and creates the tenant if it does not
// exist. It returns an error if there are too many tenants.
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
		return t, nil // tenants without a destination are not remembered
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

// sweep removes tenants that have not written for some time.
func (ts *tenants) sweep(now int64) {
	idle, every := int64(forgetAfter), int64(sweepEvery)
	if len(ts.byID) >= maxTenants { // instead of rejecting new tenants
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

// reroute makes the new rules apply to all existing tenants.
func (r *Relay) reroute(rules *Rules) {
	r.tenants.mu.Lock()
	defer r.tenants.mu.Unlock()
	r.rules.Store(rules)
	for key, t := range r.tenants.byID {
		t.route.Store(r.routeOf(rules, key))
	}
}

var errNoTenant = errors.New("no tenant label")

// routeOf returns the destination of a tenant's series under the given rules.
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
