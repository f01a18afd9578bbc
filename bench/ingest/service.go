package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// program is a service that can be started.
type program struct {
	build  func(ctx context.Context, dir string) (binary string, err error) // dir is the bench module's
	args   func(address, data string) []string
	env    []string // besides our own without settings of the service
	tables string   // where the Parquet files are in its data directory
	count  func(dir string) (landed, error)
}

// cacheDir holds the binary and the data directories, in the bench module's directory.
const cacheDir = ".cache"

// slipstream is the service of this project.
var slipstream = program{
	build: func(ctx context.Context, dir string) (string, error) {
		binary, err := filepath.Abs(filepath.Join(dir, cacheDir, "slipstream"))
		if err != nil {
			return "", err
		}
		build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(dir, "..", "server"), "-o", binary, "./cmd/slipstream")
		if text, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("building the service: %w\n%s", err, text)
		}
		return binary, nil
	},
	args:   func(address, data string) []string { return []string{"serve", "--listen", address, "--data", data} },
	tables: "tables",
	count:  countLanded,
}

const (
	readyTimeout = 30 * time.Second
	readyPoll    = 20 * time.Millisecond
	stopTimeout  = time.Minute
)

// service is a running child process.
type service struct {
	url    string
	cmd    *exec.Cmd
	cancel context.CancelFunc
	exited chan struct{}
	output tail // of the child; to be read when it has exited
}

// start runs the program on a free port of loopback, and waits until it is ready.
func start(ctx context.Context, p program, binary, data string) (*service, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &service{url: "http://" + address, cancel: cancel, exited: make(chan struct{})}
	s.cmd = exec.CommandContext(ctx, binary, p.args(address, data)...)
	ours := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SLIPSTREAM_") })
	s.cmd.Env = append(ours, p.env...)
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = stopTimeout
	if err := s.cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("starting the service: %w", err)
	}
	go func() {
		_ = s.cmd.Wait() // stop looks at the state that this leaves
		close(s.exited)
	}()
	if err := s.ready(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// freeAddress is one of loopback that nobody listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// ready waits until the service says that it is.
func (s *service) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("the service is not ready after %v", readyTimeout))
	defer cancel()
	for {
		if _, err := s.get(ctx, "/ready"); err == nil {
			return nil
		}
		select {
		case <-s.exited:
			return errors.New("the service ended before it was ready")
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(readyPoll):
		}
	}
}

// get asks the service, and wants a 200.
func (s *service) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(reply.Body); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s: %s", path, reply.Status, bytes.TrimSpace(body.Bytes()))
	}
	return body.Bytes(), nil
}

// stop ends the service by SIGTERM, and by SIGKILL when it takes too long. An error says that it did not end cleanly, or
// had ended before, and shows the last that it wrote.
func (s *service) stop() error {
	gone := false
	select {
	case <-s.exited:
		gone = true
	default:
	}
	s.cancel()
	<-s.exited
	if state := s.cmd.ProcessState; gone || !state.Success() {
		return fmt.Errorf("the service ended with %v; its last words:\n%s", state, &s.output)
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimSpace(string(t.text)) }
