package relay

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
)

// network is where sinks, the relay and senders of a test meet: connections in memory, so that a test whose subject is time runs
// in a bubble of package synctest, whose clock stands still while anything can be done. A nil network is the loopback interface.
type network struct {
	mu        sync.Mutex
	listeners []*pipes // the address of each is its index
}

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
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &pipes{address: pipeAddress(strconv.Itoa(len(n.listeners))), conns: make(chan net.Conn), closed: make(chan struct{})}
	n.listeners = append(n.listeners, l)
	return l
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

// zstdChannels has the coders of zstd make their channels, which they do on first use: those made in a bubble are of no use outside.
var zstdChannels = sync.OnceFunc(func() {
	body := zstdOf([]byte("x"))
	Zstd.encode(body).free()
	if _, err := Zstd.decode(body, 1, func(int) error { return nil }); err != nil {
		panic(err)
	}
})

var errRefused = errors.New("connection refused")

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	if n == nil {
		return new(net.Dialer).DialContext(ctx, kind, address)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	i, err := strconv.Atoi(host)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	l := n.listeners[i]
	n.mu.Unlock()
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, errRefused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipes is a listener for connections in memory.
type pipes struct {
	address pipeAddress
	conns   chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipes) Addr() net.Addr { return l.address }

// pipeAddress is a host and port that a URL can hold.
type pipeAddress string

func (a pipeAddress) Network() string { return "pipe" }
func (a pipeAddress) String() string  { return string(a) + ":80" }
