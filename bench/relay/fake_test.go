package relay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/slipstream-go/slipstream/bench/child"
	"github.com/slipstream-go/slipstream/remotewrite"
)

// fakeEnv makes a child of the test binary act as a relay. Its value is the behaviour of that
// relay.
const fakeEnv = "SLIPSTREAM_BENCH_FAKE"

// The behaviours of a fake relay.
const (
	sound   = "sound"
	loses   = "loses a tenant's part"
	mixes   = "sends a tenant's part to another"
	repeats = "answers 503 when it has passed on, once"
	refuses = "refuses every request"
	dies    = "ends before it is ready"
	crashes = "ends in the middle of the load"
)

// fake returns a program with the real sink and sender, and with a fake relay between them.
func fake(behaviour string) program {
	return program{
		build: func(context.Context, string) (string, error) { return os.Executable() },
		tool:  func(context.Context, string) (string, error) { return trueTool() },
		relay: func(binary, address, _, target string, s scenario) child.Command {
			return child.Command{
				Binary: binary, Args: []string{address, target, fmt.Sprint(s.queue)}, Env: []string{fakeEnv + "=" + behaviour}, Ready: "/ready",
			}
		},
	}
}

// ours returns the real programs, and builds each of them once for all tests.
func ours() program {
	p := slipstream
	p.build = func(context.Context, string) (string, error) { return trueRelay() }
	p.tool = func(context.Context, string) (string, error) { return trueTool() }
	return p
}

var (
	trueRelay = sync.OnceValues(func() (string, error) { return child.Slipstream(context.Background(), "..") })
	trueTool  = sync.OnceValues(func() (string, error) { return child.Slipctl(context.Background(), "..") })
)

func TestMain(m *testing.M) {
	if behaviour := os.Getenv(fakeEnv); behaviour != "" {
		os.Exit(serveFake(behaviour, os.Args[1], os.Args[2]))
	}
	os.Exit(m.Run())
}

// fakeRelay splits its requests by tenant.
type fakeRelay struct {
	behaviour, target string
	zstd              *zstd.Decoder

	mu       sync.Mutex
	requests int
}

func serveFake(behaviour, address, target string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if behaviour == dies {
		fmt.Fprintln(os.Stderr, "no such target")
		return 1
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		return 1
	}
	f := &fakeRelay{behaviour: behaviour, target: target, zstd: dec}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ready", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /metrics", f.metrics)
	mux.HandleFunc("POST /api/v1/push", f.push)
	server := &http.Server{Addr: address, Handler: mux}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
	return 0
}

// metrics reports that the garbage collector takes a fortieth of the CPU time.
func (f *fakeRelay) metrics(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(w, "go_cpu_classes_gc_total_cpu_seconds_total %d\ngo_cpu_classes_idle_cpu_seconds_total %d\ngo_cpu_classes_total_cpu_seconds_total %d\n",
		f.requests, 60*f.requests, 100*f.requests)
}

func (f *fakeRelay) push(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	f.mu.Lock()
	f.requests++
	n := f.requests
	spendTicks()
	f.mu.Unlock()
	if f.behaviour == crashes && n == 2 { // a second request arrives even on the slowest machine
		os.Exit(1)
	}
	if err := f.pass(r.Header, body); err != nil || f.behaviour == refuses {
		http.Error(w, fmt.Sprint("not today ", err), http.StatusBadRequest)
		return
	}
	if f.behaviour == repeats && n == 3 {
		w.Header().Set("Retry-After", "0")
		http.Error(w, "again, please", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// spendTicks uses enough CPU time to be visible in /proc. A few requests on a busy machine might
// not.
func spendTicks() {
	const ticks = 20 * time.Millisecond
	for start := processorTime(); processorTime()-start < ticks; {
	}
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (f *fakeRelay) pass(head http.Header, body []byte) (err error) {
	if head.Get("Content-Encoding") == "zstd" {
		body, err = f.zstd.DecodeAll(body, nil)
	} else {
		body, err = s2.Decode(nil, body)
	}
	if err != nil {
		return err
	}
	version := remotewrite.V1
	if head.Get("X-Prometheus-Remote-Write-Version") == "2.0.0" {
		version = remotewrite.V2
	}
	var p remotewrite.Splitter
	if err := p.Split(body, version, remotewrite.By{Labels: []string{tenantLabel}}); err != nil {
		return err
	}
	for part := range p.Parts {
		tenant := string(part.Key())
		switch {
		case tenant != "team-01":
		case f.behaviour == loses:
			continue
		case f.behaviour == mixes:
			tenant = "team-00"
		}
		request, err := http.NewRequest(http.MethodPost, f.target, bytes.NewReader(s2.EncodeSnappy(nil, part.Append(nil))))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", head.Get("Content-Type"))
		request.Header.Set("X-Scope-OrgID", tenant)
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		reply.Body.Close()
		if reply.StatusCode != http.StatusNoContent {
			return fmt.Errorf("the sink answered %s", reply.Status)
		}
	}
	return nil
}
