package relay

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/slipstream-go/slipstream/server/latency"
)

// A relay can have many tenants, and each histogram consists of many series. So the relay does not
// measure the latency of posts for each tenant, but for each class of tenants. The rules assign
// tenants to classes.

const (
	defaultClass = "default" // class of tenants to which the rules assign no class
	maxClasses   = 16        // maximum number of classes in the rules
	keptClasses  = 32        // maximum number of classes since the start; further classes are counted together
)

// statusClass is the class of a response status in histograms.
type statusClass uint8

const (
	status2xx statusClass = iota
	status3xx
	status4xx
	status429
	status5xx
	statusNone // no response, or no response in time

	statusClasses
)

// StatusClasses contains the names of the status classes in histograms.
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

// classTimes contains the post latencies of one class of tenants, by status class.
type classTimes [statusClasses]latency.Histogram

// timings contains the post latencies of all classes that any version of the rules has named since
// the start.
type timings struct {
	mu sync.Mutex
	by map[string]*classTimes
}

// The method of returns the latencies of the class with the given name, and creates them if they do
// not exist.
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

// PostTimes contains the latencies of the posts for one class of tenants and one class of response
// status.
type PostTimes struct {
	Class, Status string
	latency.Snapshot
}

// PostTimes returns one element for each pair of classes that has posts.
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

// checkClass returns an error if name is not a valid class name.
func checkClass(name string) error {
	for _, c := range []byte(name) {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return fmt.Errorf("%q contains %q; allowed are letters, digits, _ and -", clip(name), c)
		}
	}
	if len(name) > 64 {
		return fmt.Errorf("name of %d bytes exceeds the maximum of 64", len(name))
	}
	return nil
}

// checkClasses adds an error to p if the rules name too many classes.
func (r *Rules) checkClasses(p *problems) {
	names := map[string]bool{r.defaults.Class: true}
	for _, t := range r.tenants {
		names[t.Class] = true
	}
	if delete(names, ""); len(names) > maxClasses {
		p.add("tenants", "there are %d classes: at most %d are allowed", len(names), maxClasses)
	}
}
