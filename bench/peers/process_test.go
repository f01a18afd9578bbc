// Package peers makes real Prometheus and vmagent processes write through the relay, and counts the
// points that arrive.
//
//	source ◀─scrapes─ Prometheus, vmagent ─▶ slipstream serve --relay.target=… ─▶ sink, or another Prometheus
//
// A sender reports the points that it has scraped by remote read, exactly to the bit. The sink
// keeps the points that arrive for each tenant. The programs come from .ci/peers.
package peers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is the maximum time to wait for a condition. Only a failing test waits so long.
const patience = 5 * time.Minute

// eventually waits until check returns nil.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		if time.Since(begin) > patience {
			t.Fatalf("not within %v: %v", patience, err)
		}
	}
}

// process is a program that runs, and can be killed and started again.
type process struct {
	t      *testing.T
	name   string
	path   string
	args   []string
	cmd    *exec.Cmd
	exited chan struct{}
	log    journal
}

// journal contains the output of a process.
type journal struct {
	mu sync.Mutex
	bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Buffer.Write(b)
}

// tail returns the last part of the output.
func (j *journal) tail() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := j.String()
	return text[max(0, len(text)-4000):]
}

// run runs a program until the test ends.
func run(t *testing.T, path string, args ...string) *process {
	t.Helper()
	p := &process{t: t, name: filepath.Base(path), path: path, args: args}
	p.start()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s %s said last:\n%s", p.name, strings.Join(p.args, " "), p.log.tail())
		}
	})
	return p
}

func (p *process) start() {
	p.t.Helper()
	cmd, exited := exec.Command(p.path, p.args...), make(chan struct{})
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.cmd, p.exited = cmd, exited
	go func() {
		cmd.Wait()
		close(exited)
	}()
}

// kill ends the process without giving it time to react.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.exited
}

// stop ends the process in good order.
func (p *process) stop() {
	p.t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatalf("%s does not end", p.name)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		p.t.Errorf("%s ended with %d", p.name, code)
	}
}

// answers waits until a URL responds with status 200.
func (p *process) answers(url string) {
	p.t.Helper()
	eventually(p.t, func() error {
		select {
		case <-p.exited:
			p.t.Fatalf("%s has ended:\n%s", p.name, p.log.tail())
		default:
		}
		_, err := get(url)
		return err
	})
}

// get returns the body of a response with status 200.
func get(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s: %s", url, resp.Status, body)
	}
	return string(body), err
}

// freeAddress returns an address for a server that is started later. Its host is a random address
// in 127.0.0.0/8: on 127.0.0.1, another process could get the same port before the server listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	n := rand.Uint32()
	host := netip.AddrFrom4([4]byte{127, byte(n >> 16), byte(n >> 8), byte(n)&0x7e | 0x80})
	l, err := net.Listen("tcp", netip.AddrPortFrom(host, 0).String())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// peer returns the path of a program that .ci/peers has installed.
func peer(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SLIPSTREAM_PEERS")
	if dir == "" {
		dir = "../../.cache/peers"
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && os.Getenv("SLIPSTREAM_REQUIRE_PEERS") == "" {
		t.Skipf("%s is not there: .ci/peers brings it", path)
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

// times returns the number of repetitions: nightly if SLIPSTREAM_NIGHTLY is set, and usually
// otherwise.
func times(usually, nightly int) int {
	if os.Getenv("SLIPSTREAM_NIGHTLY") != "" {
		return nightly
	}
	return usually
}

// programDir is the directory in which the service is built.
var programDir string

// program builds the service once for all tests, with the flags in SLIPSTREAM_BUILD, such as -race.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(programDir, "slipstream")
	args := append([]string{"build", "-o", path}, strings.Fields(os.Getenv("SLIPSTREAM_BUILD"))...)
	cmd := exec.Command("go", append(args, "./cmd/slipstream")...)
	cmd.Dir = "../../server"
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	var err error
	if programDir, err = os.MkdirTemp("", "slipstream-peers-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(programDir)
	os.Exit(code)
}

// relay is the service, running as a relay.
type relay struct {
	*process
	url string // its base URL
}

// newRelay runs the service with a target and settings until the test ends. The tenant label is
// "tenant".
func newRelay(t *testing.T, target string, args ...string) *relay {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	args = append([]string{"serve", "--listen=" + address, "--data=" + t.TempDir(), "--wal-segment=1MiB", "--wal-min-free=0", "--wal-reserve=0",
		"--relay.target=" + target, "--relay.tenant-label=tenant"}, args...)
	r := &relay{run(t, path, args...), "http://" + address}
	r.ready()
	return r
}

func (r *relay) ready() {
	r.t.Helper()
	r.answers(r.url + "/ready")
}

// restart starts the relay again after it was killed or stopped.
func (r *relay) restart() {
	r.t.Helper()
	r.start()
	r.ready()
}

// push returns the URL for Remote Write.
func (r *relay) push() string { return r.url + "/api/v1/push" }
