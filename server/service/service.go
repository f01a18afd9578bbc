package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/ingest"
	"github.com/slipstream-go/slipstream/server/metrics"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/relay"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/throttle"
	"github.com/slipstream-go/slipstream/server/wal"
	"github.com/slipstream-go/slipstream/server/watch"
)

// Service is the ingest service. When New returns, the listeners of the service are already open.
type Service struct {
	machine
	config  *config.Serve
	version string
	log     *slog.Logger

	unlock   func()
	node     string // file-name prefix
	listener net.Listener
	profiles net.Listener // nil if disabled
	watcher  watch.Watcher
	flight   *admission.Budget
	guard    *access.Guard
	handler  *ingest.Handler
	batches  *ingest.Batches
	relay    *relay.Relay
	pool     *table.Pool
	store    atomic.Pointer[table.Store]
	reading  atomic.Pointer[table.Store] // the store during recovery
	ready    chan struct{}               // closed when the service accepts writes
}

// machine contains the disk and the network functions of the service. Tests replace the disk and
// the functions of the operating system.
type machine struct {
	disk   disk.Disk                                                            // the disk for all files that the service writes; configuration files are not read from it
	listen func(address string) (net.Listener, error)                           // opens the listener for senders
	dial   func(ctx context.Context, network, address string) (net.Conn, error) // connects to targets; nil means the relay's default
	lookup lookup                                                               // resolves host names of targets
}

// New locks the data directory and opens the listeners. The caller must then call Run.
func New(c *config.Serve, version string, log *slog.Logger) (*Service, error) {
	listenTCP := func(address string) (net.Listener, error) { return net.Listen("tcp", address) }
	return newOn(machine{disk: disk.OS, listen: listenTCP, lookup: net.DefaultResolver.LookupNetIP}, c, version, log)
}

// newOn is like New, but uses the given machine.
func newOn(m machine, c *config.Serve, version string, log *slog.Logger) (_ *Service, err error) {
	tokens, err := c.Tokens()
	if err != nil {
		return nil, err
	}
	log = slog.New(throttle.New(log.Handler())) // limits the repeated log lines of all packages
	s := &Service{
		machine: m, config: c, version: version, log: log, watcher: watch.Watcher{Logger: log}, flight: admission.NewBudget(int64(c.Limits.MaxInFlight)),
		guard: access.NewGuard(tokens), batches: ingest.NewBatches(c.Limits.IdempotencyWindow),
		pool: table.NewPool(int(c.Landing.MaxBuffered / 4)), ready: make(chan struct{}),
	}
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	disk.SetFileMode(fs.FileMode(c.FileMode))
	if s.unlock, err = lockData(s.disk, c.Data); err != nil {
		return nil, err
	}
	if s.node = c.Node; s.node == "" {
		if s.node, err = nodeOf(s.disk, c.Data); err != nil {
			return nil, err
		}
	}
	if s.listener, err = s.openListener(); err != nil {
		return nil, err
	}
	if c.Pprof != "" {
		if s.profiles, err = net.Listen("tcp", c.Pprof); err != nil {
			return nil, fmt.Errorf("--pprof=%s: %w", c.Pprof, err)
		}
	}
	schemas, err := registry.Open(s.disk, filepath.Join(c.Data, "schemas.json"))
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	s.handler = ingest.New(ingest.Options{
		Limits: ingest.Limits{
			Body: int64(c.Limits.MaxBody), Decompressed: int64(c.Limits.MaxDecompressed), Ratio: int64(c.Limits.MaxRatio),
			InFlight: int64(c.Limits.MaxInFlight), MinRate: minRate(c), Limits: rows.Limits{Rows: c.Limits.MaxRows, Columns: c.Limits.MaxColumns},
		},
		Guard:   s.guard,
		Metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
		Pool:    s.pool,
		Flight:  s.flight,
		Batches: s.batches,
		Schemas: schemas,
		Logger:  log,

		ReadTimeout: c.Timeout.Read,
		Advice:      advice(c),
		Shortage:    func() string { return s.relay.Shortage() },
	})
	if c.TokenFile != "" {
		err = s.watcher.Add("tokens", func(read func(path string) ([]byte, error)) error {
			tokens, err := c.ReadTokens(read)
			if err == nil {
				s.guard.Set(tokens)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if s.relay, err = s.newRelay(); err != nil {
		return nil, err
	}
	registry.MustRegister(
		metrics.Collector{Ingest: s.handler.Stats, Store: s.statistics, Guard: s.guard.Refused, Watch: s.watcher.Stats}, metrics.Relay{Of: s.relay},
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(processorTime)), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return s, nil
}

// minRate returns the minimum rate in the form that the handler expects. If there is no minimum,
// the setting is 0, but the handler expects -1. For the handler, 0 means the default.
func minRate(c *config.Serve) int64 {
	if c.Limits.MinRate == 0 {
		return -1
	}
	return int64(c.Limits.MinRate)
}

// processorTime selects the CPU times that the collector exports from the Go runtime: total, idle,
// and garbage collection.
var processorTime = collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/cpu/classes/(gc/total|idle|total):cpu-seconds$`)}

// statistics returns the store, even during recovery. Before recovery, it returns nil.
func (s *Service) statistics() *table.Store { return cmp.Or(s.store.Load(), s.reading.Load()) }

// Addr returns the address on which the service listens.
func (s *Service) Addr() net.Addr { return s.listener.Addr() }

// URL returns the base URL of the service.
func (s *Service) URL() string {
	scheme := "http"
	if s.config.TLSCert != "" {
		scheme = "https"
	}
	return scheme + "://" + s.Addr().String()
}

// Ready returns a channel that is closed when the service has recovered and accepts writes.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// Reload immediately re-reads all watched files.
func (s *Service) Reload() { s.watcher.Reload() }

// release closes the listeners and unlocks the data directory.
func (s *Service) release() {
	for _, l := range []net.Listener{s.listener, s.profiles} {
		if l != nil {
			l.Close()
		}
	}
	if s.unlock != nil {
		s.unlock()
	}
}

// Run serves requests until ctx is done. Then it stops the service by calling the method `stop`. It
// returns nil if every row has been written to a file.
func (s *Service) Run(ctx context.Context) error {
	defer s.release()
	s.log.Info("listening", "url", s.URL(), "data", s.config.Data, "version", s.version)
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.watcher.Run(watching)
	failed := make(chan error, 3) // one error from each of the goroutines below
	server := newServer(s.config, s.routes(), s.log)
	aging(server, s.config.Relay.ConnAge)
	serve := func(server *http.Server, l net.Listener) {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}
	go serve(server, s.listener)
	if s.profiles != nil {
		profiler := newServer(s.config, profiles(), s.log)
		defer profiler.Close()
		s.log.Info("pprof enabled", "url", "http://"+s.profiles.Addr().String()+"/debug/pprof/")
		go serve(profiler, s.profiles)
	}
	recovered := make(chan struct{})
	var unrecovered error // must not be read before recovered is closed
	go func() {
		defer close(recovered)
		if unrecovered = s.recover(ctx); unrecovered != nil {
			failed <- unrecovered
		}
	}()
	var err error
	select {
	case <-ctx.Done():
		s.log.Info("stopping; finishing requests and flushing rows", "at_most", s.config.Timeout.Shutdown)
	case err = <-failed:
	}
	err = errors.Join(err, s.stop(server, recovered))
	select {
	case <-recovered:
		if unrecovered != nil && !errors.Is(err, unrecovered) {
			err = errors.Join(unrecovered, err)
		}
	default: // the disk does not respond, and err reports that
	}
	return err
}

// recover opens the store and then the relay. The store first completes the work of the previous
// run: it writes the rows in the log to files. If ctx ends, rows that are not in files yet stay in
// the log.
func (s *Service) recover(ctx context.Context) error {
	begin := time.Now()
	sink, err := parquet.New(filepath.Join(s.config.Data, "tables"), parquet.Options{Codec: s.config.Landing.Compression, Version: s.version, Disk: s.disk})
	if err != nil {
		return err
	}
	aside, err := parquet.NewAside(filepath.Join(s.config.Data, "aside"), sink)
	if err != nil {
		return err
	}
	c := s.config
	store, err := table.OpenContext(ctx, table.Options{
		Dir: c.Data,
		WAL: wal.Options{
			Disk: s.disk, SegmentBytes: int64(c.WAL.Segment), MaxBytes: int64(c.WAL.Max), MinFree: int64(c.WAL.MinFree), Reserve: int64(c.WAL.Reserve),
			Logger: s.log,
		},
		Sink:     sink,
		Aside:    aside,
		Decode:   ingest.Replay(s.pool),
		Carrier:  s.batches,
		Pool:     s.pool,
		SealRows: c.Seal.Rows, SealBytes: int(c.Seal.Bytes), SealAge: c.Seal.Age,
		MaxBuffered: int64(c.Landing.MaxBuffered), MaxTables: c.Limits.MaxTables, MaxColumns: c.Limits.MaxColumns,
		OnRecovery: func(store *table.Store) {
			s.reading.Store(store)
			s.handler.Recovering(store)
		},
		Landers: c.Landing.Landers, Node: s.node, Logger: s.log,
	})
	if err != nil {
		return err
	}
	s.store.Store(store)
	s.handler.Open(store)
	if err := s.relay.Open(); err != nil {
		return err
	}
	close(s.ready)
	st := store.Stats()
	s.log.Info("ready", "tables", st.Tables, "replayed_rows", st.Replayed, "seconds", time.Since(begin).Seconds())
	return nil
}

// stop shuts the service down in this order: it reports that the service is not ready, stops
// listening, completes the open requests, writes the rows to files, and closes the log.
func (s *Service) stop(server *http.Server, recovered <-chan struct{}) error {
	s.handler.Drain()
	time.Sleep(s.config.Timeout.Drain)
	ctx, cancel := context.WithTimeout(context.Background(), s.config.Timeout.Shutdown)
	defer cancel()
	requests, cancel := context.WithTimeout(ctx, s.config.Timeout.Shutdown/2) // the other half is for writing rows to files
	defer cancel()
	if err := server.Shutdown(requests); err != nil { // their senders get no response; each request is stored completely or not at all
		s.log.Warn("shutdown timeout; closing connections of unfinished requests", "error", errors.Join(err, server.Close()))
	}
	select {
	case <-recovered:
	case <-ctx.Done():
		return fmt.Errorf("recovery has not ended within --timeout-shutdown=%v because a disk call does not return; rows that are not yet in files stay in the log, and are written to files after the next start", s.config.Timeout.Shutdown)
	}
	err := s.relay.Close(ctx)
	store := s.store.Load()
	if store == nil {
		return err
	}
	err = errors.Join(err, store.Close(ctx))
	st := store.Stats()
	s.log.Info("stopped", "rows_accepted", st.Accepted, "rows_landed", st.Landed, "rows_pending", st.Pending)
	return err
}
