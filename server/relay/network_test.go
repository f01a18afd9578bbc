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

// network connects the sinks, the relay and the senders of a test in memory. So tests of timing can
// run in a bubble of package synctest, whose clock stands still while a goroutine can run. A nil
// network is the loopback interface.
type network memnet.Network

// inBubble runs a test with its own clock.
func inBubble(t *testing.T, test func(t *testing.T, n *network)) {
	zstdChannels()
	synctest.Test(t, func(t *testing.T) { test(t, new(network)) })
}

// serve makes a server listen in the network until the test ends.
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

// client returns a client whose connections are closed at the end of the test.
func (n *network) client(t testing.TB) *http.Client {
	if n == nil {
		return http.DefaultClient
	}
	transport := &http.Transport{DialContext: n.dial}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// zstdChannels makes the zstd encoders and decoders create their channels. They do so on first use,
// and channels that are created in a bubble cannot be used outside.
var zstdChannels = sync.OnceFunc(func() {
	body := zstdOf([]byte("x"))
	Zstd.encode(body).Free()
	if _, err := Zstd.decode(body); err != nil {
		panic(err)
	}
})

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	if n == nil {
		return new(net.Dialer).DialContext(ctx, kind, address)
	}
	return (*memnet.Network)(n).Dial(ctx, kind, address)
}
