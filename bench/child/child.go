// Package child runs programs beside the bench: it builds the one of this project, starts it, waits
// until it is ready, and stops it.
package child

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

// cacheDir holds binaries and data directories, in the bench module's directory.
const cacheDir = ".cache"

// Slipstream builds the program of this project. The directory is the bench module's.
func Slipstream(ctx context.Context, dir string) (binary string, err error) {
	binary, err = filepath.Abs(filepath.Join(dir, cacheDir, "slipstream"))
	if err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(dir, "..", "server"), "-o", binary, "./cmd/slipstream")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the service: %w\n%s", err, text)
	}
	return binary, nil
}

// TempDir makes an empty directory whose name begins with the prefix, on the disk that the bench
// module is on.
func TempDir(dir, prefix string) (string, error) {
	cache := filepath.Join(dir, cacheDir)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(cache, prefix)
}

const (
	readyTimeout = 5 * time.Minute // these two end what hangs: a busy machine is no failure
	readyPoll    = 20 * time.Millisecond
	stopTimeout  = 5 * time.Minute
)

// Command is a program that serves HTTP.
type Command struct {
	Name   string // for messages, as in "the service"
	Binary string
	Args   []string
	Env    []string // besides our own without settings of the service
	URL    string   // where it serves
	Ready  string   // the path that answers 200 once it is ready
}

// environment is our own without settings of the service, and what is added.
func environment(added []string) []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SLIPSTREAM_") }), added...)
}

// Process is a running child.
type Process struct {
	URL    string
	name   string
	cmd    *exec.Cmd
	cancel context.CancelFunc
	exited chan struct{}
	output tail // of the child; to be read when it has exited
}

// Start runs the program, and waits until it is ready.
func Start(ctx context.Context, c Command) (*Process, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &Process{URL: c.URL, name: c.Name, cancel: cancel, exited: make(chan struct{})}
	s.cmd = exec.CommandContext(ctx, c.Binary, c.Args...)
	s.cmd.Env = environment(c.Env)
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = stopTimeout
	if err := s.cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("starting %s: %w", c.Name, err)
	}
	go func() {
		_ = s.cmd.Wait() // Stop looks at the state that this leaves
		close(s.exited)
	}()
	if err := s.ready(ctx, c.Ready); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// FreeAddress is one of loopback that nobody listens on.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// PID is that of the process.
func (s *Process) PID() int { return s.cmd.Process.Pid }

// ready waits until the child says that it is.
func (s *Process) ready(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("%s is not ready after %v", s.name, readyTimeout))
	defer cancel()
	for {
		if _, err := s.Get(ctx, path); err == nil {
			return nil
		}
		select {
		case <-s.exited:
			if ctx.Err() != nil { // which has ended it
				return context.Cause(ctx)
			}
			return fmt.Errorf("%s ended before it was ready", s.name)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(readyPoll):
		}
	}
}

// Get asks the child, and wants a 200.
func (s *Process) Get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
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

// Stop ends the child by SIGTERM, and by SIGKILL when it takes too long. An error says that it did
// not end cleanly, or had ended before, and shows the last that it wrote.
func (s *Process) Stop() error {
	gone := false
	select {
	case <-s.exited:
		gone = true
	default:
	}
	s.cancel()
	<-s.exited
	if state := s.cmd.ProcessState; gone || !state.Success() {
		return fmt.Errorf("%s ended with %v; its last words:\n%s", s.name, state, &s.output)
	}
	return nil
}

// CPU is the processor time that the child has used in its life, once it has ended.
func (s *Process) CPU() time.Duration {
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

// Run runs a program to its end, and gives what it wrote to its output, also beside an error, which
// has the last that it wrote to the other. When ctx is done, the program is told to end.
func Run(ctx context.Context, name, binary string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	var problems tail
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = environment(nil), &out, &problems
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTimeout
	err := cmd.Run()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, &problems)
	}
	return out.Bytes(), err
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
