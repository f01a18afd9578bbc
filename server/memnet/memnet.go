// Package memnet implements an in-memory network for tests in testing/synctest bubbles. Its
// connections come from net.Pipe, so the clock of a bubble advances while all goroutines wait for
// their peers. A write blocks until the peer reads; there is no buffer.
package memnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
)

// ErrRefused is the error of Dial if the listener is closed.
var ErrRefused = errors.New("connection refused")

// Network connects dialers to listeners in memory. The zero Network is ready for use.
type Network struct {
	mu        sync.Mutex
	listeners []*listener // the index of a listener is the host in its address
	dialed    int
}

// Listen opens a listener. Its address is a host and port that can be used in a URL.
func (n *Network) Listen() net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &listener{address: address(net.JoinHostPort(strconv.Itoa(len(n.listeners)), "80")), conns: make(chan net.Conn), closed: make(chan struct{})}
	n.listeners = append(n.listeners, l)
	return l
}

// Dial connects to a listener. It has the signature of net.Dialer's DialContext.
func (n *Network) Dial(ctx context.Context, kind, to string) (net.Conn, error) {
	return n.From("192.0.2.1")(ctx, kind, to)
}

// The method From returns a function that is like Dial, but connects from the given host. Listeners
// see the host's address, with a different port for each connection.
func (n *Network) From(host string) func(ctx context.Context, kind, to string) (net.Conn, error) {
	return func(ctx context.Context, kind, to string) (net.Conn, error) {
		l, from, err := n.find(host, to)
		if err != nil {
			return nil, &net.OpError{Op: "dial", Net: kind, Addr: address(to), Err: err}
		}
		near, far := net.Pipe()
		select {
		case l.conns <- &conn{far, l.address, from}:
			return &conn{near, from, l.address}, nil
		case <-l.closed:
			return nil, &net.OpError{Op: "dial", Net: kind, Addr: address(to), Err: ErrRefused}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// find returns the listener at an address, and the address of the next connection from a host.
func (n *Network) find(host, to string) (*listener, address, error) {
	name, _, err := net.SplitHostPort(to)
	if err != nil {
		return nil, "", err
	}
	i, err := strconv.Atoi(name)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil || i < 0 || i >= len(n.listeners) {
		return nil, "", fmt.Errorf("no host %s", name)
	}
	n.dialed++
	return n.listeners[i], address(net.JoinHostPort(host, strconv.Itoa(1024+n.dialed%60_000))), nil
}

// conn is one end of a connection, with addresses.
type conn struct {
	net.Conn
	local, remote address
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

type listener struct {
	address address
	conns   chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return l.address }

// address is a host and port.
type address string

func (address) Network() string  { return "memory" }
func (a address) String() string { return string(a) }
