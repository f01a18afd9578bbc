package relay

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/server/latency"
)

// Tenants are many, and a histogram is many series: posts are timed by classes of tenants, which
// the rules name.

const (
	defaultClass = "default" // of tenants of whom the rules name none
	maxClasses   = 16        // in the rules
	keptClasses  = 32        // that were ever named; those beyond are others
)

// statusClass is what a histogram says of an answer.
type statusClass uint8

const (
	status2xx statusClass = iota
	status3xx
	status4xx
	status429
	status5xx
	statusNone // no answer, or none in time

	statusClasses
)

// StatusClasses are the classes of answers in histograms.
var StatusClasses = [statusClasses]string{"2xx", "3xx", "4xx", "429", "5xx", "none"}

func classOf(status int) statusClass {
	switch {
	case status == 0:
		return statusNone
	case status == http.StatusTooManyRequests:
		return status429
	case status < 300:
		return status2xx
	case status < 400:
		return status3xx
	case status < 500:
		return status4xx
	}
	return status5xx
}

// classTimes are the times of posts of some tenants.
type classTimes [statusClasses]latency.Histogram

// timings are all classes that the rules have ever named.
type timings struct {
	mu sync.Mutex
	by map[string]*classTimes
}

// of finds or makes the class of that name.
func (cs *timings) of(name string) *classTimes {
	if name == "" {
		name = defaultClass
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.by == nil {
		cs.by = make(map[string]*classTimes)
	}
	if cs.by[name] == nil && len(cs.by) >= keptClasses {
		name = others
	}
	c := cs.by[name]
	if c == nil {
		c = new(classTimes)
		cs.by[name] = c
	}
	return c
}

// PostTimes is the latency of posts by class of tenants and status.
type PostTimes struct {
	Class, Status string
	latency.Snapshot
}

// PostTimes returns the latency of posts for all classes that had any.
func (r *Relay) PostTimes() (list []PostTimes) {
	r.timings.mu.Lock()
	defer r.timings.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.timings.by)) {
		for status := range statusClasses {
			if l := r.timings.by[name][status].Read(); l.Count > 0 {
				list = append(list, PostTimes{name, StatusClasses[status], l})
			}
		}
	}
	return list
}

// checkClass wants a name of a class.
func checkClass(name string) error {
	for _, c := range []byte(name) {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return fmt.Errorf("%q contains %q; allowed are letters, digits, _ and -", clip(name), c)
		}
	}
	if len(name) > 64 {
		return fmt.Errorf("%d bytes exceed the maximum of 64", len(name))
	}
	return nil
}

// checkClasses wants few of them.
func (r *Rules) checkClasses(p *problems) {
	names := map[string]bool{r.defaults.Class: true}
	for _, t := range r.tenants {
		names[t.Class] = true
	}
	if delete(names, ""); len(names) > maxClasses {
		p.add("tenants", "there are %d classes: at most %d are allowed", len(names), maxClasses)
	}
}
