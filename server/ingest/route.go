package ingest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/server/latency"
)

// endpoint answers requests. It returns the format of the body, nil if it is none of a write, or is not known.
type endpoint func(w http.ResponseWriter, r *http.Request) *Format

// latencies are how long the requests of a route took, by Format.Code, which has 4 bits and is not 0.
type latencies [16]latency.Histogram

func (l *latencies) of(f *Format) *latency.Histogram {
	if f == nil {
		return &l[0]
	}
	return &l[f.Code]
}

// route has fn answer a method at a path, and refuses the other methods there.
func (h *Handler) route(method, path string, fn endpoint) {
	h.answer(method, path, fn)
	allow := method
	if method == "GET" {
		allow = "GET, HEAD"
	}
	h.refuseOthers(path, allow)
}

// answer has fn answer a method at a path.
func (h *Handler) answer(method, path string, fn endpoint) {
	took := h.counters.latencies[path]
	if took == nil {
		took = new(latencies)
		h.counters.latencies[path] = took
	}
	h.mux.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		took.of(fn(w, r)).Observe(time.Since(began))
	})
}

// refuseOthers refuses the methods at a path that are not allowed there.
func (h *Handler) refuseOthers(path, allow string) {
	h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		writeJSON(w, http.StatusMethodNotAllowed, problem{Error: "the method " + clip(r.Method) + " is not allowed here: use " + allow})
	})
}

// open answers everybody.
func open(fn http.HandlerFunc) endpoint {
	return func(w http.ResponseWriter, r *http.Request) *Format {
		fn(w, r)
		return nil
	}
}

// guarded asks for a token first.
func (h *Handler) guarded(fn http.HandlerFunc) endpoint {
	return func(w http.ResponseWriter, r *http.Request) *Format {
		if !h.Allow(r) {
			h.refuse(w, r, errUnauthorized())
			return nil
		}
		fn(w, r)
		return nil
	}
}

// plain is guarded, and takes no parameters.
func (h *Handler) plain(fn http.HandlerFunc) endpoint {
	return h.guarded(func(w http.ResponseWriter, r *http.Request) {
		if _, err := parametersOf(r); err != nil {
			h.refuse(w, r, asRefusal(err))
			return
		}
		fn(w, r)
	})
}

// parametersOf returns the parameters of the URL. The error is that of one which is not known, or is there twice.
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

// refuse answers with a refusal, and has the log say so: each one for those who debug, and otherwise one a minute for each outcome.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, refused *refusal) {
	log := h.log.With("outcome", refused.outcome.String(), "error", refused.Error(), "path", clip(r.URL.Path), "client", r.RemoteAddr)
	log.Debug("a request was refused")
	if times := h.refusals[refused.outcome].count(); times > 0 {
		log.Info("requests are refused; the last one", "times", times)
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
