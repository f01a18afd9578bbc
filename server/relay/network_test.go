package relay

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/slipstream-go/slipstream/server/memnet"
)

// network is where sinks, the relay and senders of a test meet: connections in memory, so that a
// test whose subject is time runs in a bubble of package synctest, whose clock stands still while
// anything can be done. A nil network is the loopback interface.
type network memnet.Network

// inBubble runs a test whose clock is its own.
func inBubble(t *testing.T, test func(t *testing.T, n *network)) {
	zstdChannels()
	synctest.Test(t, func(t *testing.T) { test(t, new(network)) })
}

// serve has a server listen in the network until the test ends.
func (n *network) serve(t testing.TB, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = n.listen(t)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (n *network) listen(t testing.TB) net.Listener {
	if n == nil {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	return (*memnet.Network)(n).Listen()
}

// client returns a client whose connections end with the test.
func (n *network) client(t testing.TB) *http.Client {
	if n == nil {
		return http.DefaultClient
	}
	transport := &http.Transport{DialContext: n.dial}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// zstdChannels has the coders of zstd make their channels, which they do on first use: those made
// in a bubble are of no use outside.
var zstdChannels = sync.OnceFunc(func() {
	body := zstdOf([]byte("x"))
	Zstd.encode(body).free()
	if _, err := Zstd.decode(body, 1, func(int) error { return nil }); err != nil {
		panic(err)
	}
})

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	if n == nil {
		return new(net.Dialer).DialContext(ctx, kind, address)
	}
	return (*memnet.Network)(n).Dial(ctx, kind, address)
}
