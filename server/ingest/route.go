package ingest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/latency"
)

// route is how a method at a path is answered, and for whom.
type route struct {
	method, path string
	demand       demand
	answer       endpoint
}

// demand is what a request must be granted before anything of it is looked at: a right, on the
// databases that it concerns.
type demand struct {
	right access.Right
	of    func(*http.Request) access.Scope
	open  bool // everybody is answered, and gets no grant
}

// everybody is the demand of routes that ask for no token.
var everybody = demand{open: true}

// The databases that a request concerns.
func allDatabases(*http.Request) access.Scope     { return access.All }
func ownDatabases(*http.Request) access.Scope     { return access.Own }
func pathDatabase(r *http.Request) access.Scope   { return access.Database(r.PathValue("db")) }
func headerDatabase(r *http.Request) access.Scope { return access.Database(databaseOf(r)) }

// endpoint answers requests that have been admitted. It returns the format of the body, nil if it
// is none of a write, or is not known.
type endpoint func(w http.ResponseWriter, r *http.Request, g *access.Grant) *Format

// latencies are how long the requests of a route took, by Format.Code, which has 4 bits and is not
// 0.
type latencies [16]latency.Histogram

func (l *latencies) of(f *Format) *latency.Histogram {
	if f == nil {
		return &l[0]
	}
	return &l[f.Code]
}

// serve returns what answers by the routes. It refuses other methods at their paths, and at other
// paths gives advice. It panics if a route has no demand.
func (h *Handler) serve(routes []route, advice string) http.Handler {
	mux := http.NewServeMux()
	methods := make(map[string][]string)
	for _, rt := range routes {
		if rt.demand.right == 0 != rt.demand.open || rt.demand.of == nil != rt.demand.open {
			panic(fmt.Sprintf("ingest: %s %s: the route must demand a right on databases, or be open to everybody", rt.method, rt.path))
		}
		mux.HandleFunc(rt.method+" "+rt.path, h.guarded(rt))
		methods[rt.path] = append(methods[rt.path], rt.method)
		if rt.method == http.MethodGet {
			methods[rt.path] = append(methods[rt.path], http.MethodHead)
		}
	}
	for path, list := range methods {
		slices.Sort(list)
		mux.HandleFunc(path, refuseOthers(strings.Join(list, ", ")))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusNotFound, problem{Error: "there is nothing at " + clip(r.URL.Path) + ": " + advice})
	})
	return mux
}

// guarded answers requests that are granted what a route demands, and refuses the others.
func (h *Handler) guarded(rt route) http.HandlerFunc {
	took := h.counters.latencies[rt.path]
	if took == nil {
		took = new(latencies)
		h.counters.latencies[rt.path] = took
	}
	d := rt.demand
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		var g *access.Grant
		if !d.open {
			var denied *access.Refusal
			if g, denied = h.guard.Admit(r, d.right, d.of(r)); denied != nil {
				refused := errDenied(denied)
				if d.right == access.Write {
					h.counters.count(refused.outcome)
				}
				h.refuse(w, r, refused)
				took.of(nil).Observe(time.Since(began))
				return
			}
		}
		took.of(rt.answer(w, r, g)).Observe(time.Since(began))
	}
}

// errDenied is a refusal of the guard as that of a request.
func errDenied(denied *access.Refusal) *refusal {
	outcome := Unauthorized
	if denied.Forbidden() {
		outcome = Forbidden
	}
	return refuse(outcome, "%s", denied.Error())
}

// refuseOthers refuses methods that are not allowed.
func refuseOthers(allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		writeJSON(w, http.StatusMethodNotAllowed, problem{Error: "the method " + clip(r.Method) + " is not allowed here: use " + allow})
	}
}

// simple answers requests without a format, whatever their grant.
func simple(fn http.HandlerFunc) endpoint {
	return func(w http.ResponseWriter, r *http.Request, _ *access.Grant) *Format {
		fn(w, r)
		return nil
	}
}

// plain is simple, and takes no parameters.
func (h *Handler) plain(fn http.HandlerFunc) endpoint {
	return h.granted(func(w http.ResponseWriter, r *http.Request, _ *access.Grant) { fn(w, r) })
}

// granted is plain for answers that depend on the grant.
func (h *Handler) granted(fn func(http.ResponseWriter, *http.Request, *access.Grant)) endpoint {
	return func(w http.ResponseWriter, r *http.Request, g *access.Grant) *Format {
		if _, err := parametersOf(r); err != nil {
			h.refuse(w, r, asRefusal(err))
			return nil
		}
		fn(w, r, g)
		return nil
	}
}

// parametersOf returns the parameters of the URL. The error is that of one which is not known, or
// is there twice.
func parametersOf(r *http.Request, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("the parameters cannot be read: %s", clip(err.Error()))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch n := len(values[name]); {
		case len(known) == 0:
			return nil, invalid("unknown parameter %q: there are none here", clip(name)).in(clip(name))
		case !slices.Contains(known, name):
			return nil, invalid("unknown parameter %q: there are %s", clip(name), strings.Join(known, ", ")).in(clip(name))
		case n > 1:
			return nil, invalid("parameter %q is there %d times: send it once", name, n).in(name)
		}
	}
	return values, nil
}

// refuse answers with a refusal, and has the log say so: each one for those who debug, and
// otherwise one a minute for each outcome.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, refused *refusal) {
	log := h.log.With("outcome", refused.outcome.String(), "error", refused.Error(), "path", clip(r.URL.Path), "client", r.RemoteAddr)
	log.Debug("request refused")
	if times := h.refusals[refused.outcome].count(); times > 0 {
		log.Info("requests refused; last one shown", "times", times)
	}
	refused.write(w)
}

// summary lets one line of many through in each summaryInterval.
type summary struct {
	mu    sync.Mutex
	next  time.Time
	times int // since the last line
}

const summaryInterval = time.Minute

// count returns how many times the line that is due stands for, or 0 if none is due.
func (s *summary) count() (times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times++
	now := time.Now()
	if now.Before(s.next) {
		return 0
	}
	times, s.times, s.next = s.times, 0, now.Add(summaryInterval)
	return times
}
