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
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/rows"
)

// route contains a method and a path, the handler for their requests, and the demand.
type route struct {
	method, path string
	demand       demand
	answer       endpoint
}

// demand describes what a token must grant for a request: a right, and the databases on which the
// token must grant this right.
type demand struct {
	right access.Right
	of    func(*http.Request) access.Scope
	open  bool // no token is required, and the request gets no grant
}

// everybody is the demand of routes that require no token.
var everybody = demand{open: true}

// Each of these functions returns the databases that a request concerns.
func allDatabases(*http.Request) access.Scope     { return access.All }
func ownDatabases(*http.Request) access.Scope     { return access.Own }
func pathDatabase(r *http.Request) access.Scope   { return access.Database(r.PathValue("db")) }
func headerDatabase(r *http.Request) access.Scope { return access.Database(databaseOf(r)) }

// endpoint is a function that handles an admitted request. It returns the format of the body. The
// format is nil if the request is not a write, or if its format is unknown.
type endpoint func(w http.ResponseWriter, r *http.Request, g *access.Grant) *rows.Format

// latencies contains the latencies of a route's requests. The index is Format.Code, which is 1 to
// 15, or 0 for requests without a format.
type latencies [16]latency.Histogram

func (l *latencies) of(f *rows.Format) *latency.Histogram {
	if f == nil {
		return &l[0]
	}
	return &l[f.Code]
}

// serve returns a handler for the routes. The handler responds with 405 if the method is not
// allowed, and with 404 if the path is unknown. The text of the 404 response ends with the argument
// `advice`. If a route has no demand, serve panics.
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
		refusal.WriteJSON(w, http.StatusNotFound, refusal.Problem{Error: "there is no endpoint at " + refusal.Clip(r.URL.Path) + ": " + advice})
	})
	return mux
}

// guarded returns a handler for a route. The handler rejects a request if its token does not meet
// the demand of the route.
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
					h.counters.count(refused.Outcome)
				}
				h.refuse(w, r, refused)
				took.of(nil).Observe(time.Since(began))
				return
			}
		}
		took.of(rt.answer(w, r, g)).Observe(time.Since(began))
	}
}

// errDenied converts a refusal of the guard to a refusal of a request.
func errDenied(denied *access.Refusal) *refusal.Error {
	outcome := refusal.Unauthorized
	if denied.Forbidden() {
		outcome = refusal.Forbidden
	}
	return refusal.New(outcome, "%s", denied.Error())
}

// refuseOthers returns a handler that rejects methods that are not allowed.
func refuseOthers(allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		refusal.WriteJSON(w, http.StatusMethodNotAllowed, refusal.Problem{Error: "the method " + refusal.Clip(r.Method) + " is not allowed here: use " + allow})
	}
}

// simple returns an endpoint for requests without a format. It ignores the grant.
func simple(fn http.HandlerFunc) endpoint {
	return func(w http.ResponseWriter, r *http.Request, _ *access.Grant) *rows.Format {
		fn(w, r)
		return nil
	}
}

// plain is like simple, but rejects requests with parameters.
func (h *Handler) plain(fn http.HandlerFunc) endpoint {
	return h.granted(func(w http.ResponseWriter, r *http.Request, _ *access.Grant) { fn(w, r) })
}

// granted is like plain, but the response of the function `fn` depends on the grant.
func (h *Handler) granted(fn func(http.ResponseWriter, *http.Request, *access.Grant)) endpoint {
	return func(w http.ResponseWriter, r *http.Request, g *access.Grant) *rows.Format {
		if _, err := parametersOf(r); err != nil {
			h.refuse(w, r, refusal.Of(err))
			return nil
		}
		fn(w, r, g)
		return nil
	}
}

// parametersOf returns the parameters of the URL. It returns an error if a parameter is unknown or
// repeated.
func parametersOf(r *http.Request, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refusal.Errorf("the parameters cannot be read: %s", refusal.Clip(err.Error()))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch n := len(values[name]); {
		case len(known) == 0:
			return nil, refusal.Errorf("unknown parameter %q: this endpoint has no parameters", refusal.Clip(name)).In(refusal.Clip(name))
		case !slices.Contains(known, name):
			return nil, refusal.Errorf("unknown parameter %q: the parameters are %s", refusal.Clip(name), strings.Join(known, ", ")).In(refusal.Clip(name))
		case n > 1:
			return nil, refusal.Errorf("parameter %q occurs %d times: send it once", name, n).In(name)
		}
	}
	return values, nil
}

// refuse responds with a refusal, and logs it. At level debug, it logs each refusal. At level info,
// it logs at most one line a minute for each outcome.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, refused *refusal.Error) {
	log := h.log.With("outcome", refused.Outcome.String(), "error", refused.Error(), "path", refusal.Clip(r.URL.Path), "client", r.RemoteAddr)
	log.Debug("request refused")
	if times := h.refusals[refused.Outcome].count(); times > 0 {
		log.Info("requests refused; last one shown", "times", times)
	}
	refused.Write(w)
}

// summary limits the number of log lines to one line for each summaryInterval.
type summary struct {
	mu    sync.Mutex
	next  time.Time
	times int // number of calls since the last line
}

const summaryInterval = time.Minute

// count counts one call. If a log line is due, it returns the number of calls since the last line.
// Otherwise it returns 0.
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
