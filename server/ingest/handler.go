package ingest

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Options are how a handler is made.
type Options struct {
	Limits  Limits
	Tokens  []string     // one of them must come with each request, but for /health and /ready; none: no token is asked for
	Metrics http.Handler // answers /metrics; nil: there is none
	Pool    *table.Pool  // that of the store
	Flight  *Budget      // of the bytes of bodies; nil: one of Limits.InFlight bytes
	Schemas *Schemas     // by which bodies may be coded; nil: there are none, and none can be registered
	Logger  *slog.Logger

	ReadTimeout time.Duration // for a whole body to arrive; 0: no bound
}

// Handler answers the service's requests. It may be put to work before there is a store: until Open it says that it is not
// ready.
type Handler struct {
	limits  Limits
	tokens  atomic.Pointer[tokens]
	metrics http.Handler
	pool    *table.Pool
	schemas *Schemas
	log     *slog.Logger
	mux     *http.ServeMux

	store    atomic.Pointer[table.Store]
	reading  atomic.Pointer[table.Store] // recovers, and is not open yet
	draining atomic.Bool
	failed   atomic.Bool   // the log has failed: what comes now is refused, not in doubt
	flight   *Budget       // bytes of bodies
	large    chan struct{} // held while a large body is decoded
	counters counters

	readTimeout time.Duration // Options.ReadTimeout
	window      time.Duration // the constant, but in tests
}

// New makes a handler that is not ready.
func New(o Options) *Handler {
	h := &Handler{limits: o.Limits, metrics: o.Metrics, pool: o.Pool, log: o.Logger, mux: http.NewServeMux(), window: window, readTimeout: o.ReadTimeout}
	h.SetTokens(o.Tokens)
	h.limits.setDefaults()
	if h.flight = o.Flight; h.flight == nil {
		h.flight = NewBudget(h.limits.InFlight)
	}
	h.large = make(chan struct{}, runtime.GOMAXPROCS(0))
	if h.schemas = o.Schemas; h.schemas == nil {
		h.schemas = newSchemas("")
	}
	if h.log == nil {
		h.log = slog.Default()
	}
	if h.pool == nil {
		h.pool = table.NewPool(64 << 20)
	}
	h.routes(o.Schemas != nil)
	return h
}

func (h *Handler) routes(schemas bool) {
	h.route("POST", "/api/v1/write/msgpack", h.writeArc)
	h.route("POST", "/v1/write/{db}/{table}", h.writeTable)
	h.route("POST", "/-/flush", h.guarded(h.flush))
	h.route("GET", "/v1/tables", h.guarded(h.tables))
	h.route("DELETE", "/v1/tables/{db}/{table}", h.guarded(h.dropTable))
	h.mux.HandleFunc("DELETE /v1/tables/{db}/{table}/columns/{column}", h.guarded(h.dropColumn))
	h.mux.HandleFunc("PUT /v1/tables/{db}/{table}/columns/{column}", h.guarded(h.setType))
	h.refuseOthers("/v1/tables/{db}/{table}/columns/{column}", "DELETE, PUT")
	h.route("GET", "/health", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, status{"alive", ""}) })
	h.route("GET", "/ready", h.ready)
	if h.metrics != nil {
		h.route("GET", "/metrics", h.guarded(h.metrics.ServeHTTP))
	}
	if schemas {
		h.route("GET", "/v1/schemas", h.guarded(h.listSchemas))
		h.mux.HandleFunc("PUT /v1/schemas/{name}", h.guarded(h.putSchema))
		h.mux.HandleFunc("GET /v1/schemas/{name}", h.guarded(h.getSchema))
		h.mux.HandleFunc("DELETE /v1/schemas/{name}", h.guarded(h.deleteSchema))
		h.refuseOthers("/v1/schemas/{name}", "DELETE, GET, HEAD, PUT")
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusNotFound, problem{Error: "there is nothing at " + clip(r.URL.Path) + ": write to /v1/write/{db}/{table} or /api/v1/write/msgpack"})
	})
}

// route has fn answer a method at a path, and refuses the other methods there.
func (h *Handler) route(method, path string, fn http.HandlerFunc) {
	h.mux.HandleFunc(method+" "+path, fn)
	allow := method
	if method == "GET" {
		allow = "GET, HEAD"
	}
	h.refuseOthers(path, allow)
}

// refuseOthers refuses the methods at a path that are not allowed there.
func (h *Handler) refuseOthers(path, allow string) {
	h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		writeJSON(w, http.StatusMethodNotAllowed, problem{Error: "the method " + clip(r.Method) + " is not allowed here: use " + allow})
	})
}

// guarded asks for a token first.
func (h *Handler) guarded(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !h.Allow(r) {
			errUnauthorized().write(w)
			return
		}
		fn(w, r)
	}
}

func errUnauthorized() *refusal {
	return refuse(Unauthorized, "no valid token: send one of the service's as Authorization: Bearer TOKEN")
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Open has the handler take writes, which go to s.
func (h *Handler) Open(s *table.Store) { h.store.Store(s) }

// Recovering has /ready say how the recovery of s is going, until Open.
func (h *Handler) Recovering(s *table.Store) { h.reading.Store(s) }

// Drain has /ready say no, so that balancers look elsewhere. Writes are still taken.
func (h *Handler) Drain() { h.draining.Store(true) }

// status is the JSON of /health, /ready and /-/flush.
type status struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

func (h *Handler) ready(w http.ResponseWriter, r *http.Request) {
	reason, detail := h.unready()
	if reason == "" {
		writeJSON(w, http.StatusOK, status{"ready", ""})
		return
	}
	if detail != nil && h.Allow(r) { // it names paths and tables
		reason += ": " + detail.Error()
	}
	writeJSON(w, http.StatusServiceUnavailable, status{"not ready", reason})
}

// unready returns why the service should get no writes, or an empty string. The detail is for those who have a token.
func (h *Handler) unready() (reason string, detail error) {
	s := h.store.Load()
	switch {
	case s == nil:
		if s := h.reading.Load(); s != nil {
			if err := s.Err(); err != nil {
				return "recovering: rows that are in the log do not land", err
			}
		}
		return "recovering: rows that are in the log are being read", nil
	case h.draining.Load():
		return "stopping", nil
	}
	log := s.Log()
	switch err := s.Err(); {
	case errors.Is(err, wal.ErrFailed):
		return "the log has failed: restart the service", err
	case err != nil:
		return "rows do not land", err
	case log.LowDisk:
		return fmt.Sprintf("the disk is nearly full: %d MiB are free; writes are taken again at %d MiB", log.Free>>20, (log.Wanted+1<<20-1)>>20), nil
	}
	return "", nil
}

func (h *Handler) flush(w http.ResponseWriter, r *http.Request) {
	s := h.store.Load()
	if s == nil {
		errNotReady().write(w)
		return
	}
	if err := s.Flush(r.Context()); err != nil {
		h.log.Error("a flush ended early", "error", err)
		refuse(NotReady, "%v", err).write(w)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func errNotReady() *refusal {
	return refuse(NotReady, "the service is not ready: ask /ready why, and come back")
}

// tableStatus is an element of /v1/tables.
type tableStatus struct {
	DB      string         `json:"db"`
	Table   string         `json:"table"`
	Columns []columnStatus `json:"columns"`
	Rows    struct {       // since the service was started
		Accepted int64 `json:"accepted"`
		Landed   int64 `json:"landed"`
		Pending  int64 `json:"pending"`
	} `json:"rows"`
	Files         int64   `json:"files"`
	Bytes         int64   `json:"bytes"`
	LandedTo      uint64  `json:"landed_to"` // every record of the log up to this one is in a file
	OldestSeconds float64 `json:"oldest_seconds"`
	Error         string  `json:"error,omitempty"`
}

type columnStatus struct {
	Name string `json:"name"`
	Type string `json:"type"`
	As   string `json:"as,omitempty"` // its name in files, if it is another one there
}

func (h *Handler) tables(w http.ResponseWriter, _ *http.Request) {
	s := h.store.Load()
	if s == nil {
		errNotReady().write(w)
		return
	}
	list := []tableStatus{}
	for _, t := range s.Tables() {
		st := tableStatus{
			DB: t.Name.DB, Table: t.Name.Table, Files: t.Files, Bytes: t.Bytes, LandedTo: t.LandedTo,
			OldestSeconds: t.Oldest.Round(time.Millisecond).Seconds(),
		}
		st.Rows.Accepted, st.Rows.Landed, st.Rows.Pending = t.Accepted, t.Landed, t.Pending
		for _, c := range t.Columns {
			st.Columns = append(st.Columns, columnStatus{c.Name, c.Kind.String(), c.As})
		}
		if t.Err != nil {
			st.Error = t.Err.Error()
		}
		list = append(list, st)
	}
	writeJSON(w, http.StatusOK, list)
}
