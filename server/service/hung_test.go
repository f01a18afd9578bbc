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

// A disk that does not answer while the service recovers does not keep it from ending within
// --timeout-shutdown, nor from saying that it is alive and not ready. What was acknowledged is
// there after the next start.
func TestStopWhileRecoveryHangs(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := faulty.New(1, faulty.Options{})
		if err := disk.MkdirAll(d, dir); err != nil {
			t.Fatal(err)
		}
		var network memnet.Network
		client := &http.Client{Transport: &http.Transport{DialContext: network.Dial}}
		nowhere := func(context.Context, string, string) ([]netip.Addr, error) { return nil, nil }
		live := func() (*Service, context.CancelFunc, chan error) {
			c := settings(t, "--data="+dir, "--timeout-shutdown=10s", "--seal-age=1h")
			s, err := newOn(machine{disk: d, listen: func(string) (net.Listener, error) { return network.Listen(), nil }, dial: network.Dial, lookup: nowhere}, c, "test", slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() { ended <- s.Run(ctx) }()
			return s, stop, ended
		}
		ask := func(s *Service, method, path, body string) (int, string) {
			req, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			return resp.StatusCode, string(text)
		}

		s, stop, ended := live()
		<-s.Ready()
		if status, text := ask(s, "POST", "/v1/write/db/t", `[{"time":1700000000,"v":1}]`); status != http.StatusNoContent {
			t.Fatal(status, text)
		}
		d = d.Kill()
		stop()
		<-ended

		d.Set(faulty.Options{Delay: func(c faulty.Call) time.Duration {
			if strings.HasPrefix(c.Path, dir+"/wal/") {
				return time.Hour
			}
			return 0
		}})
		s, stop, ended = live()
		if status, text := ask(s, "GET", "/health", ""); status != http.StatusOK {
			t.Error(status, text)
		}
		if status, text := ask(s, "GET", "/ready", ""); status != http.StatusServiceUnavailable || !strings.Contains(text, "recovering") {
			t.Error(status, text)
		}
		client.CloseIdleConnections()
		began := time.Now()
		stop()
		err := <-ended
		if took := time.Since(began); took > 11*time.Second || err == nil || !strings.Contains(err.Error(), "recovery has not ended within --timeout-shutdown=10s") {
			t.Errorf("after %v: %v", took, err)
		}
		time.Sleep(100 * time.Hour) // in which the calls return
		d = d.Kill()

		s, stop, ended = live()
		<-s.Ready()
		if status, text := ask(s, "GET", "/v1/tables", ""); status != http.StatusOK || !strings.Contains(text, `"accepted":1`) {
			t.Error(status, text)
		}
		client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
