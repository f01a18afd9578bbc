package ingest

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Options contains the options of a handler.
type Options struct {
	Limits  Limits
	Guard   *access.Guard     // admits requests; nil means that all requests are admitted
	Metrics http.Handler      // handles /metrics; nil means that there is no such endpoint
	Pool    *table.Pool       // the store's pool
	Flight  *admission.Budget // budget for the bytes of bodies; nil means a new budget of Limits.InFlight bytes
	Batches *Batches          // keys of stored requests; must also be the store's Carrier; nil means that requests with keys are rejected
	Schemas *registry.Schemas // schemas of bodies; nil means that there are no schemas, and that none can be registered
	Logger  *slog.Logger

	ReadTimeout time.Duration // maximum time in which a whole body must arrive; 0 means no limit

	// Advice is the end of the error text of a 404 response. It lists the paths for writes. If
	// Advice is empty, the text lists the paths of this handler.
	Advice string

	// Shortage returns the reason why another part of the service accepts no writes, or an empty
	// string. /ready shows the reason to all clients. If Shortage is nil, there is no such reason.
	Shortage func() string
}

// Handler handles the requests of the service. It can be used before the store is open. Until Open
// is called, it responds that it is not ready.
type Handler struct {
	limits  Limits
	guard   *access.Guard
	metrics http.Handler
	pool    *table.Pool
	schemas *registry.Schemas
	batches *Batches
	log     *slog.Logger
	answer  http.Handler // handles all requests

	store    atomic.Pointer[table.Store]
	reading  atomic.Pointer[table.Store] // a store that is recovering and not yet open
	draining atomic.Bool
	failed   atomic.Bool       // the log has failed, so the handler rejects all requests without writing them
	flight   *admission.Budget // budget for the bytes of bodies
	large    chan struct{}     // held while a large body is decoded
	counters counters
	refusals [refusal.Outcomes]summary

	readTimeout time.Duration    // Options.ReadTimeout
	shortage    func() string    // Options.Shortage
	window      time.Duration    // the constant window, except in tests
	clock       func() time.Time // time.Now, except in tests
}

// New returns a handler that is not ready.
func New(o Options) *Handler {
	h := &Handler{limits: o.Limits, metrics: o.Metrics, pool: o.Pool, batches: o.Batches, log: o.Logger, window: window, clock: time.Now, readTimeout: o.ReadTimeout, shortage: o.Shortage}
	h.counters.latencies = make(map[string]*latencies)
	if h.guard = o.Guard; h.guard == nil {
		h.guard = access.NewGuard(nil)
	}
	h.limits.setDefaults()
	if h.flight = o.Flight; h.flight == nil {
		h.flight = admission.NewBudget(h.limits.InFlight)
	}
	h.large = make(chan struct{}, runtime.GOMAXPROCS(0))
	if h.schemas = o.Schemas; h.schemas == nil {
		h.schemas = registry.New(nil, "")
	}
	if h.log == nil {
		h.log = slog.Default()
	}
	if h.pool == nil {
		h.pool = table.NewPool(64 << 20)
	}
	h.answer = h.serve(h.routes(o.Schemas != nil), cmp.Or(o.Advice, WritePaths))
	return h
}

// WritePaths is the default for Options.Advice: the paths of the write endpoints.
const WritePaths = "write to /v1/write/{db}/{table} or /api/v1/write/msgpack"

const columnPath = "/v1/tables/{db}/{table}/columns/{column}"

// routes returns all routes of the handler, each with its demand.
func (h *Handler) routes(schemas bool) []route {
	list := []route{
		{"POST", "/api/v1/write/msgpack", demand{right: access.Write, of: headerDatabase}, h.writeArc},
		{"POST", "/v1/write/{db}/{table}", demand{right: access.Write, of: pathDatabase}, h.writeTable},
		{"POST", "/-/flush", demand{right: access.Administer, of: allDatabases}, h.plain(h.flush)},
		{"GET", "/v1/tables", demand{right: access.Read, of: ownDatabases}, h.granted(h.tables)},
		{"DELETE", "/v1/tables/{db}/{table}", demand{right: access.Administer, of: pathDatabase}, simple(h.dropTable)},
		{"DELETE", columnPath, demand{right: access.Administer, of: pathDatabase}, simple(h.dropColumn)},
		{"PUT", columnPath, demand{right: access.Administer, of: pathDatabase}, h.plain(h.setType)},
		{"GET", "/health", everybody, simple(func(w http.ResponseWriter, _ *http.Request) { refusal.WriteJSON(w, http.StatusOK, status{"alive", ""}) })},
		{"GET", "/ready", everybody, simple(h.ready)},
		{"GET", "/alive", everybody, simple(h.alive)},
	}
	if h.metrics != nil {
		list = append(list, route{"GET", "/metrics", demand{right: access.Read, of: allDatabases}, simple(h.metrics.ServeHTTP)})
	}
	if schemas { // schemas belong to all databases
		list = append(list,
			route{"GET", "/v1/schemas", demand{right: access.Read, of: allDatabases}, h.plain(h.listSchemas)},
			route{"GET", "/v1/schemas/{name}", demand{right: access.Read, of: allDatabases}, h.plain(h.getSchema)},
			route{"PUT", "/v1/schemas/{name}", demand{right: access.Administer, of: allDatabases}, h.plain(h.putSchema)},
			route{"DELETE", "/v1/schemas/{name}", demand{right: access.Administer, of: allDatabases}, h.plain(h.deleteSchema)})
	}
	return list
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.answer.ServeHTTP(w, r) }

// Open makes the handler accept writes and pass them to the store s.
func (h *Handler) Open(s *table.Store) {
	if h.batches != nil {
		h.batches.fit(s.SegmentBytes())
	}
	h.store.Store(s)
}

// The method Recovering makes /ready report the state of the recovery of s, until Open is called.
func (h *Handler) Recovering(s *table.Store) { h.reading.Store(s) }

// Drain makes /ready report that the service is stopping, so that load balancers stop sending
// requests. Writes are still accepted.
func (h *Handler) Drain() { h.draining.Store(true) }

// status is the JSON response of /health, /ready and /-/flush.
type status struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// alive handles /alive, the health check of cortex-tenant. Unlike /health, the response shows
// whether the service is stopping.
func (h *Handler) alive(w http.ResponseWriter, _ *http.Request) {
	if h.draining.Load() {
		refusal.WriteJSON(w, http.StatusServiceUnavailable, status{"not ready", "stopping"})
		return
	}
	refusal.WriteJSON(w, http.StatusOK, status{"alive", ""})
}

// seesAll reports whether the response to a request may contain information about all databases.
func (h *Handler) seesAll(r *http.Request) bool {
	return h.guard.Allows(r, access.Read, access.All)
}

func (h *Handler) ready(w http.ResponseWriter, r *http.Request) {
	reason, detail := h.unready()
	if reason == "" {
		st := status{Status: "ready"}
		if err := h.store.Load().Trouble(); err != nil && h.seesAll(r) {
			st.Reason = err.Error()
		}
		refusal.WriteJSON(w, http.StatusOK, st)
		return
	}
	if detail != nil && h.seesAll(r) { // the detail contains paths and tables
		reason += ": " + detail.Error()
	}
	refusal.WriteJSON(w, http.StatusServiceUnavailable, status{"not ready", reason})
}

// unready returns the reason why clients should send no writes, or an empty string. The result
// `detail` is only for clients that may read all databases.
func (h *Handler) unready() (reason string, detail error) {
	s := h.store.Load()
	switch {
	case s == nil:
		if s := h.reading.Load(); s != nil {
			if err := s.Err(); err != nil {
				return "recovering: rows in the log cannot be written to files", err
			}
		}
		return "recovering: the rows in the log are being read", nil
	case h.draining.Load():
		return "stopping", nil
	}
	log, err := s.Log(), s.Err()
	if err != nil && !errors.Is(err, wal.ErrFailed) {
		return "rows cannot be written to files", err
	}
	if reason = log.Shortage(); reason == "" && h.shortage != nil {
		reason = h.shortage()
	}
	return reason, err
}

func (h *Handler) flush(w http.ResponseWriter, r *http.Request) {
	s := h.store.Load()
	if s == nil {
		h.refuse(w, r, errNotReady())
		return
	}
	if err := s.Flush(r.Context()); err != nil {
		h.log.Error("flush ended early", "error", err)
		h.refuse(w, r, refusal.New(refusal.NotReady, "%v", err))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func errNotReady() *refusal.Error {
	return refusal.New(refusal.NotReady, "the service is not ready: see /ready, and retry later")
}

// tableStatus is an element of /v1/tables.
type tableStatus struct {
	DB      string         `json:"db"`
	Table   string         `json:"table"`
	Columns []columnStatus `json:"columns"`
	Rows    struct {
		Accepted int64 `json:"accepted"` // number of rows in files plus number of buffered rows
		Landed   int64 `json:"landed"`   // number of rows that were written to files since the table was created, including before a restart
		Pending  int64 `json:"pending"`
	} `json:"rows"`
	Files         int64   `json:"files"` // number of files that were written since the table was created
	Bytes         int64   `json:"bytes"`
	LandedTo      uint64  `json:"landed_to"` // all rows in records of the log up to this one are in files
	OldestSeconds float64 `json:"oldest_seconds"`
	Error         string  `json:"error,omitempty"`
}

type columnStatus struct {
	Name string `json:"name"`
	Type string `json:"type"`
	As   string `json:"as,omitempty"` // name in files, if different
}

// tables responds with a list of the tables in the databases that the grant includes.
func (h *Handler) tables(w http.ResponseWriter, r *http.Request, g *access.Grant) {
	s := h.store.Load()
	if s == nil {
		h.refuse(w, r, errNotReady())
		return
	}
	list := []tableStatus{}
	for _, t := range s.Tables() {
		if !g.Reaches(t.Name.DB) {
			continue
		}
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
	refusal.WriteJSON(w, http.StatusOK, list)
}
