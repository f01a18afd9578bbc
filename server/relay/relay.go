package relay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/server/queue"
)

// Relay receives Remote Write requests, and delivers each tenant's series.
type Relay struct {
	o       Options
	egress  egress
	targets []*target
	paths   bool          // every target URL contains the tenant in its path
	turn    atomic.Uint32 // index of the target that the method `pick` considers first; increases with each call
	spare   spare
	crew    *crew

	rules   atomic.Pointer[Rules]
	tenants tenants
	memory  memory  // parcels that were delivered although their requests failed
	senders senders // the tenants for which each sender wrote recently

	queue    *queue.Queue // nil without a queue
	opened   atomic.Bool  // requests are accepted
	closed   atomic.Bool
	counters counters
	timings  timings
}

// maxTargets is the maximum number of targets. A set of targets is stored as the bits of a uint64.
const maxTargets = 64

// New returns a relay. The relay accepts requests after Open.
func New(o Options) (*Relay, error) {
	o.setDefaults()
	r := &Relay{o: o, crew: newCrew(), tenants: tenants{byID: make(map[string]*tenant)}}
	r.egress = egress{settings: o.Egress, agent: "slipstream/" + o.Version, header: o.Header}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := r.LoadEgress(os.ReadFile); err != nil {
		return nil, err
	}
	for _, url := range o.Targets {
		t, err := newTarget(url, &o, &r.egress)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(r.targets, func(other *target) bool { return other.name() == t.name() }); i >= 0 {
			return nil, fmt.Errorf("targets %q and %q have the same host and path", o.Targets[i], url)
		}
		r.targets = append(r.targets, t)
	}
	r.paths = len(r.targets) > 0 && !slices.ContainsFunc(r.targets, func(t *target) bool { return !t.inPath })
	if err := r.LoadRules(os.ReadFile); err != nil {
		return nil, err
	}
	return r, nil
}

// checkID returns an error if id is not a valid tenant ID for the targets.
func (r *Relay) checkID(id []byte) error {
	if r.paths {
		return checkAnyTenant(id)
	}
	return checkTenant(id)
}

// Open makes the relay accept requests. If the relay has a queue, Open opens the queue first, and
// continues its deliveries.
func (r *Relay) Open() (err error) {
	if r.o.Queue != nil {
		if r.queue, err = r.openQueue(r.o.Queue); err != nil {
			return err
		}
	}
	r.opened.Store(true)
	return nil
}

// Close ends deliveries. Queued series stay on disk. The caller must ensure that no request is in
// progress. Further calls of Close do nothing.
func (r *Relay) Close(ctx context.Context) (err error) {
	if r.closed.Swap(true) {
		return nil
	}
	if r.opened.Swap(false) && r.queue != nil {
		err = r.queue.Close(ctx)
	}
	r.crew.close()
	for _, t := range r.targets {
		t.close()
	}
	return err
}

func (o *Options) check() error {
	switch {
	case len(o.Targets) > maxTargets:
		return fmt.Errorf("%d targets exceed the maximum of %d", len(o.Targets), maxTargets)
	case len(o.Targets) == 0 && o.Queue != nil:
		return errors.New("a queue requires at least one target")
	case len(o.Targets) == 0 && o.Land == nil:
		return errors.New("the relay has nowhere to send series: set a target or Options.Land")
	case o.TooMany != http.StatusTooManyRequests && o.TooMany != http.StatusServiceUnavailable:
		return fmt.Errorf("status for too many requests must be 429 or 503, not %d", o.TooMany)
	case o.Tenants.Missing == Fallback && o.Tenants.Default == "":
		return errors.New("series without a tenant label require a default tenant")
	case o.Replicate && len(o.Targets) < 2:
		return errors.New("replication requires at least two targets")
	case o.DeadTarget != Fail && (!o.Replicate || o.Queue != nil):
		return errors.New("dropping the series of a dead target requires replication without a queue: a queue keeps the series")
	case o.RejectedTenant == Fallback || o.DeadTenant == Fallback || o.DeadTarget == Fallback:
		return errors.New(`the action for rejected tenants, dead tenants and dead targets must be "fail" or "drop", not "default"`)
	}
	if err := CheckHeader(o.Header); err != nil {
		return fmt.Errorf("the header %q: %w", o.Header, err)
	}
	if err := CheckLabels(o.Tenants.Labels); err != nil {
		return fmt.Errorf("the tenant labels: %w", err)
	}
	if err := checkTenant([]byte(o.Tenants.Prefix + "a")); err != nil {
		return fmt.Errorf("the tenant prefix %q: %w", o.Tenants.Prefix, err)
	}
	if o.Tenants.Default != "" {
		if err := checkTenant([]byte(o.Tenants.Prefix + o.Tenants.Default)); err != nil {
			return fmt.Errorf("the default tenant %q: %w", o.Tenants.Default, err)
		}
	}
	return nil
}

// lands reports whether the relay has no targets, and therefore stores series with Options.Land.
func (r *Relay) lands() bool { return len(r.targets) == 0 }

// LoadRules reads the rules file, and the files that the rules file names. It reads each file with
// the function `read`. If LoadRules returns an error, the previous rules stay in effect.
func (r *Relay) LoadRules(read func(path string) ([]byte, error)) error {
	rules := new(Rules)
	if r.o.Rules != "" {
		var err error
		if rules, err = readRules(r.o.Rules, read); err != nil {
			return err
		}
		if old := r.rules.Load(); old != nil {
			if err := rules.guardAs(old); err != nil {
				return fmt.Errorf("%s: %w", r.o.Rules, err)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(rules.tenants)) {
			if to := r.routeOf(rules, id); to.err != nil && !to.rule.Drop {
				return fmt.Errorf("%s: tenants[%q]: %w", r.o.Rules, clip(id), to.err)
			}
		}
	}
	r.reroute(rules)
	return nil
}

// LoadEgress reads the files that contain the credentials for targets. It reads each file with the
// function `read`. If LoadEgress returns an error, the previous credentials stay in effect.
func (r *Relay) LoadEgress(read func(path string) ([]byte, error)) error { return r.egress.load(read) }
