package service

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/memnet"
)

// inMemory returns a machine with this disk and this network.
func inMemory(d disk.Disk, network *memnet.Network) machine {
	return machine{
		disk:   d,
		listen: func(string) (net.Listener, error) { return network.Listen(), nil },
		dial:   network.Dial,
		lookup: func(context.Context, string, string) ([]netip.Addr, error) { return nil, nil },
	}
}

// bubble is a service on a disk and a network in memory, in a bubble of testing/synctest. The
// bubble's clock advances only while all goroutines wait, so no time limit depends on the speed of
// the machine.
type bubble struct {
	t       *testing.T
	dir     string
	disk    *faulty.Disk
	network memnet.Network
	client  *http.Client
}

func newBubble(t *testing.T, dir string) *bubble {
	b := &bubble{t: t, dir: dir, disk: faulty.New(1, faulty.Options{})}
	if err := disk.MkdirAll(b.disk, dir); err != nil {
		t.Fatal(err)
	}
	b.client = &http.Client{Transport: &http.Transport{DialContext: b.network.Dial}}
	return b
}

// start starts the service. After stop, ended receives the error of Run.
func (b *bubble) start(flags ...string) (s *Service, stop context.CancelFunc, ended chan error) {
	c := settings(b.t, append([]string{"--data=" + b.dir, "--seal-age=1h"}, flags...)...)
	s, err := newOn(inMemory(b.disk, &b.network), c, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return s, stop, ended
}

// ask sends a request and returns the response.
func (b *bubble) ask(s *Service, method, path, body string) (int, string) {
	req, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

// write stores a row.
func (b *bubble) write(s *Service) {
	<-s.Ready()
	if status, text := b.ask(s, "POST", "/v1/write/db/t", `[{"time":1700000000,"v":1}]`); status != http.StatusNoContent {
		b.t.Fatal(status, text)
	}
}

// wantTables waits until the service is ready, and checks that /v1/tables contains the text.
func (b *bubble) wantTables(s *Service, want string) {
	<-s.Ready()
	if status, text := b.ask(s, "GET", "/v1/tables", ""); status != http.StatusOK || !strings.Contains(text, want) {
		b.t.Error(status, text)
	}
}

// If the disk hangs during recovery, the service still ends within --timeout-shutdown. Before that,
// /health reports that it is alive, and /ready that it is not ready. Acknowledged rows exist after
// the next start.
func TestStopWhileRecoveryHangs(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, dir)
		s, stop, ended := b.start("--timeout-shutdown=10s")
		b.write(s)
		b.disk = b.disk.Kill()
		stop()
		<-ended

		b.disk.Set(faulty.Options{Delay: func(c faulty.Call) time.Duration {
			if strings.HasPrefix(c.Path, dir+"/wal/") {
				return time.Hour
			}
			return 0
		}})
		s, stop, ended = b.start("--timeout-shutdown=10s")
		if status, text := b.ask(s, "GET", "/health", ""); status != http.StatusOK {
			t.Error(status, text)
		}
		if status, text := b.ask(s, "GET", "/ready", ""); status != http.StatusServiceUnavailable || !strings.Contains(text, "recovering") {
			t.Error(status, text)
		}
		b.client.CloseIdleConnections()
		began := time.Now()
		stop()
		err := <-ended
		if took := time.Since(began); took > 11*time.Second || err == nil || !strings.Contains(err.Error(), "recovery has not ended within --timeout-shutdown=10s") {
			t.Errorf("after %v: %v", took, err)
		}
		time.Sleep(100 * time.Hour) // the hanging calls return in this time
		b.disk = b.disk.Kill()

		s, stop, ended = b.start("--timeout-shutdown=10s")
		b.wantTables(s, `"accepted":1`)
		b.client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A body that stops arriving does not use up the time in which rows must land. After the stop, all
// acknowledged rows land.
func TestStopWithStalledBody(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, dir)
		s, stop, ended := b.start("--timeout-shutdown=2s", "--min-rate=0", "--timeout-read=1h")
		b.write(s)
		b.client.CloseIdleConnections()
		conn, err := b.network.Dial(context.Background(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "POST /v1/write/db/t HTTP/1.1\r\nHost: x\r\nContent-Type: application/msgpack\r\nContent-Length: 9\r\n\r\nabc")
		synctest.Wait() // the handler has read the beginning of the body, and waits for the rest
		if held := s.handler.Stats().InFlight; held == 0 {
			t.Error("the body has not begun")
		}
		began := time.Now()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < time.Second || took > 2*time.Second {
			t.Errorf("it has ended after %v", took)
		}

		s, stop, ended = b.start()
		b.wantTables(s, `"landed":1`)
		b.client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
