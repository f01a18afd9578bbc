package ingest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// fakeEnv makes a child of the test binary act as a service. Its value is the behaviour of that
// service.
const fakeEnv = "SLIPSTREAM_BENCH_FAKE"

// The behaviours of a fake service.
const (
	sound   = "sound"
	loses   = "loses a request"
	doubles = "lands a request twice"
	refuses = "refuses every request"
	dies    = "ends before it is ready"
	crashes = "ends in the middle of the load"
	unclean = "ends with a failure when it is stopped"
)

// fake returns a program that acts like the service, as far as the suite can see. It counts rows,
// and lands their number.
func fake(behaviour string) program {
	return program{
		build:  func(context.Context, string) (string, error) { return os.Executable() },
		args:   func(address, data string) []string { return []string{address, data} },
		env:    []string{fakeEnv + "=" + behaviour},
		tables: "landed",
		count: func(dir string) (landed, error) {
			text, err := os.ReadFile(filepath.Join(dir, "rows"))
			if err != nil {
				return landed{}, err
			}
			rows, err := strconv.ParseInt(string(text), 10, 64)
			return landed{rows: rows, bytes: 20 * rows, files: 1}, err
		},
	}
}

func TestMain(m *testing.M) {
	if behaviour := os.Getenv(fakeEnv); behaviour != "" {
		os.Exit(serveFake(behaviour, os.Args[1], os.Args[2]))
	}
	os.Exit(m.Run())
}

// fakeService counts the requests and rows that a fake has received.
type fakeService struct {
	behaviour string
	data      string

	mu       sync.Mutex
	decode   func([]byte) (int, error)
	requests int
	rows     int
}

func serveFake(behaviour, address, data string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if behaviour == dies {
		fmt.Fprintln(os.Stderr, "no room on the disk")
		return 1
	}
	s := &fakeService{behaviour: behaviour, data: data, decode: intoColumns()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ready", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("POST /api/v1/write/msgpack", s.write)
	mux.HandleFunc("POST /-/flush", s.flush)
	server := &http.Server{Addr: address, Handler: mux}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
	if behaviour == unclean {
		return 3
	}
	return 0
}

func (s *fakeService) write(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, err := s.decode(body)
	if s.requests++; s.behaviour == crashes && s.requests == 2 { // a second request arrives even on the slowest machine
		os.Exit(1)
	}
	if err != nil || s.behaviour == refuses {
		http.Error(w, "the time is out of joint", http.StatusBadRequest)
		return
	}
	s.rows += rows
	w.WriteHeader(http.StatusNoContent)
}

func (s *fakeService) flush(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := s.rows
	switch {
	case rows == 0:
		return // the load has not begun
	case s.behaviour == loses:
		rows -= 1000
	case s.behaviour == doubles:
		rows += 1000
	}
	dir := filepath.Join(s.data, "landed")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "rows"), strconv.AppendInt(nil, int64(rows), 10), 0o644); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// metrics reports 50 bytes in the log for each row, and one sync for each request. Both counters
// begin above zero.
func (s *fakeService) metrics(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprint(w, strings.Join([]string{
		"# HELP " + logBytes + " Bytes written.",
		"# TYPE " + logBytes + " counter",
		fmt.Sprintf("%s %v", logBytes, 7000+50*s.rows),
		fmt.Sprintf("%s %v", logSyncs, 7+s.requests),
		`slipstream_requests_total{code="204"} 5`, "",
	}, "\n"))
}
