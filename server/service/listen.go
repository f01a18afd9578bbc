package service

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"path/filepath"

	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/disk"
)

// openListener opens the address of the service.
func (s *Service) openListener() (net.Listener, error) {
	c := s.config
	certs := &certificates{cert: c.TLSCert, key: c.TLSKey, clients: c.TLSClientCA}
	if c.TLSCert != "" {
		if err := s.watcher.Add("certificates of the listener", certs.load); err != nil {
			return nil, err
		}
	}
	l, err := s.listen(c.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen=%s: %w", c.Listen, err)
	}
	if c.TLSCert != "" {
		l = tls.NewListener(l, certs.config())
	}
	return l, nil
}

// newServer returns an HTTP server with the timeouts in the settings. The server has no timeout for
// writing responses, because responses are short, and because a flush may take any amount of time.
func newServer(c *config.Serve, h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: c.Timeout.Header,
		ReadTimeout:       c.Timeout.Read,
		IdleTimeout:       c.Timeout.Idle,
		MaxHeaderBytes:    int(c.Limits.MaxHeader),
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// profiles returns a handler that serves only net/http/pprof.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// lockData creates the data directory and locks it. The system releases the lock when the process
// ends. The lock of the log is not sufficient: the log locks its directory only after the service
// has removed temporary files, which might belong to another process.
func lockData(d disk.Disk, dir string) (unlock func(), err error) {
	if err := disk.MkdirAll(d, dir); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	unlock, err = d.Lock(filepath.Join(dir, "lock"))
	switch {
	case errors.Is(err, disk.ErrLocked):
		return nil, fmt.Errorf("--data=%s is in use by another process: stop that process, or set another directory (%w)", dir, err)
	case err != nil:
		return nil, fmt.Errorf("--data: %w", err)
	}
	return unlock, nil
}
