// Package child runs programs beside the benchmark. It builds programs of this project, starts
// them, waits until they are ready, and stops them.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// cacheDir is the directory for binaries and data, in the directory of the bench module.
const cacheDir = ".cache"

// Slipstream builds the service of this project. dir is the directory of the bench module.
func Slipstream(ctx context.Context, dir string) (binary string, err error) {
	return build(ctx, dir, "server", "slipstream")
}

// Slipctl builds the tool of this project, which contains the load generator and the sink.
func Slipctl(ctx context.Context, dir string) (binary string, err error) {
	return build(ctx, dir, "tools", "slipctl")
}

func build(ctx context.Context, dir, module, program string) (binary string, err error) {
	binary, err = filepath.Abs(filepath.Join(dir, cacheDir, program))
	if err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(dir, "..", module), "-o", binary, "./cmd/"+program)
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", program, err, text)
	}
	return binary, nil
}

// TempDir creates an empty directory whose name begins with the prefix, on the disk of the bench
// module.
func TempDir(dir, prefix string) (string, error) {
	cache := filepath.Join(dir, cacheDir)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(cache, prefix)
}

const (
	readyTimeout = 5 * time.Minute // this and stopTimeout end a program that hangs; they are long enough for a busy machine
	readyPoll    = 20 * time.Millisecond
	stopTimeout  = 5 * time.Minute
)

// Command is a program that serves HTTP.
type Command struct {
	Name   string // used in messages, for example "the service"
	Binary string
	Args   []string
	Env    []string // in addition to our environment, without the service's settings
	URL    string   // base URL of the program
	Ready  string   // path that returns status 200 when the program is ready
}

// environment returns our environment without settings of the service, with the given additions.
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
	output tail // output of the child; may be read after its end
}

// Start runs a program, and waits until it is ready.
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
		_ = s.cmd.Wait() // Stop uses the state that Wait sets
		close(s.exited)
	}()
	if err := s.ready(ctx, c.Ready); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// FreeAddress returns an address for a server that is started later. Its host is a random address
// in 127.0.0.0/8: on 127.0.0.1, another process could get the same port before the server listens.
// Linux accepts all hosts in 127.0.0.0/8 except the last one, 127.255.255.255.
func FreeAddress() (string, error) {
	n := rand.Uint32()
	host := netip.AddrFrom4([4]byte{127, byte(n >> 16), byte(n >> 8), byte(n)&0x7e | 0x80})
	l, err := net.Listen("tcp", netip.AddrPortFrom(host, 0).String())
	if err != nil {
		return "", fmt.Errorf("choosing an address: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// PID returns the process ID.
func (s *Process) PID() int { return s.cmd.Process.Pid }

// ready waits until the child is ready.
func (s *Process) ready(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("%s is not ready after %v", s.name, readyTimeout))
	defer cancel()
	for {
		if _, err := s.Get(ctx, path); err == nil {
			return nil
		}
		select {
		case <-s.exited:
			if ctx.Err() != nil { // ctx has ended the child
				return context.Cause(ctx)
			}
			return fmt.Errorf("%s ended before it was ready", s.name)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(readyPoll):
		}
	}
}

// Get requests a path from the child, and returns an error unless the status is 200.
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

// Stop ends the child by SIGTERM, and by SIGKILL if that takes too long. It returns an error if the
// child did not end cleanly, or had ended before. The error contains the last output of the child.
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

// CPU returns the CPU time that the child used in total. The child must have ended.
func (s *Process) CPU() time.Duration {
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

// Run runs a program until it ends, and returns its standard output, even with an error. The error
// contains the end of its standard error. If ctx is done, the program is told to end.
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

// tail keeps the end of the data that is written to it.
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
