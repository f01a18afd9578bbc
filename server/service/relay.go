package service

import (
	"errors"
	"net/http"
	"strings"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/ingest"
	"github.com/slipstream-go/slipstream/server/queue"
	"github.com/slipstream-go/slipstream/server/relay"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/wal"
)

// newRelay creates the relay from the settings.
func (s *Service) newRelay() (*relay.Relay, error) {
	c := &s.config.Relay
	if err := checkLoop(c.Target, s.listener.Addr(), s.lookup); err != nil {
		return nil, err
	}
	o := relay.Options{
		Targets: c.Target, Header: c.Header, Protocol: c.Version, Encoding: c.Encoding, Timeout: c.Timeout, TooMany: c.TooMany,
		Egress: relay.Egress{User: c.User, PasswordFile: c.PasswordFile, TokenFile: c.TokenFile, CA: c.CA, Cert: c.Cert, Key: c.Key},
		Tenants: relay.Tenants{
			Labels: c.TenantLabel, Remove: c.TenantRemove, Default: c.TenantDefault, Missing: c.TenantMissing, Prefix: c.TenantPrefix,
		},
		Metadata: c.Metadata, Rules: c.Rules, RejectedTenant: c.RejectedTenant, DeadTenant: c.DeadTenant, DeadTarget: c.DeadTarget, Replicate: c.Replicate,
		Conns: c.Conns, ConnAge: c.ConnAge,
		Bounds: relay.Bounds{Body: int64(c.MaxBody), Decoded: int(c.MaxDecoded), Ratio: s.config.Limits.MaxRatio, Tenants: c.MaxTenants, Series: c.MaxSeries, Symbols: 4 * c.MaxSeries},
		Flight: s.flight, Admit: s.admitSeries, Land: s.handler.AppendSeries, Version: s.version, Logger: s.log, Dial: s.dial,
	}
	if c.Queue != "" {
		w := &s.config.WAL
		o.Queue = &relay.QueueOptions{Dir: c.Queue, Options: queue.Options{
			WAL: wal.Options{
				Disk: s.disk, MaxBytes: 2 * int64(c.QueueMax), // delivered items leave the log later than the queue
				MinFree: int64(w.MinFree), Reserve: int64(w.Reserve),
			},
			Workers: c.QueueWorkers, Memory: int64(c.QueueMemory),
			MaxTenantBytes: int64(c.QueueTenantMax), MaxBytes: int64(c.QueueMax), MaxAge: c.QueueMaxAge, DropOldest: c.QueueDropOldest,
		}}
	}
	r, err := relay.New(o)
	if err != nil {
		return nil, err
	}
	if c.Rules != "" {
		err = s.watcher.Add("rules", r.LoadRules)
	}
	return r, errors.Join(err, s.watcher.Add("credentials for targets", r.LoadEgress))
}

// admitSeries checks the token of a Remote Write request. It is called if the rules define no
// credentials. The token must grant the right to write to the database series.Database, even if the
// series are sent to a target.
func (s *Service) admitSeries(r *http.Request) *access.Refusal {
	_, denied := s.guard.Admit(r, access.Write, access.Database(series.Database))
	return denied
}

// advice returns the text that tells clients where to write. If the service has targets, the text
// contains only the paths for Remote Write.
func advice(c *config.Serve) string {
	n := len(relay.Paths)
	text := "send Remote Write to " + strings.Join(relay.Paths[:n-1], ", ") + " or " + relay.Paths[n-1]
	if len(c.Relay.Target) == 0 {
		text = ingest.WritePaths + ", or " + text
	}
	return text
}

// routes returns a handler that passes the paths of Remote Write to the relay, and all other paths
// to the ingest handler.
func (s *Service) routes() http.Handler {
	mux := http.NewServeMux()
	for _, path := range relay.Paths {
		mux.Handle(path, s.relay)
	}
	mux.Handle("/", s.handler)
	return mux
}
