package relay

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// Tests of unusual targets, and of the responses that senders get.

// odd serves each connection with fn, and then closes it. It returns the URL of the target.
func (n *network) odd(t *testing.T, fn func(c net.Conn, r *bufio.Reader)) (url string) {
	t.Helper()
	l := n.listen(t)
	var all sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				fn(c, bufio.NewReader(c))
			})
		}
	})
	return "http://" + l.Addr().String()
}

// readPost reads a request with its body.
func readPost(r *bufio.Reader) bool {
	req, err := http.ReadRequest(r)
	if err == nil {
		_, err = io.Copy(io.Discard, req.Body)
	}
	return err == nil
}

// Whatever a target does, the sender gets a response with one short line, without control
// characters. If the target responds, its response determines the outcome, however slow the machine
// is. Otherwise the timeout does.
func TestOddTargets(t *testing.T) {
	const timeout = 500 * time.Millisecond
	answer := func(head, body string) func(c net.Conn, r *bufio.Reader) {
		return func(c net.Conn, r *bufio.Reader) {
			if readPost(r) {
				fmt.Fprintf(c, "HTTP/1.1 %s\r\n\r\n", head)
				io.WriteString(c, body)
			}
		}
	}
	endless := func(s string) io.Reader { return &repeated{s} }
	hang := func(c net.Conn, r *bufio.Reader) { io.Copy(io.Discard, r) }
	silent := []string{"hangs", "never reads", "200, body never begins", "100 and then nothing"}
	for name, c := range map[string]struct {
		serve  func(c net.Conn, r *bufio.Reader)
		status int
		words  []string
	}{
		"hangs":          {hang, 503, nil},
		"never reads":    {func(c net.Conn, r *bufio.Reader) { time.Sleep(2 * timeout) }, 503, nil},
		"closes at once": {func(c net.Conn, r *bufio.Reader) {}, 503, nil},
		"resets":         {func(c net.Conn, r *bufio.Reader) { r.Peek(1); c.(*net.TCPConn).SetLinger(0) }, 503, nil},
		"half-closes":    {func(c net.Conn, r *bufio.Reader) { c.(*net.TCPConn).CloseWrite(); hang(c, r) }, 503, nil},
		"half a head":    {answer("200 OK\r\nContent-Le", ""), 503, nil},
		"garbage":        {func(c net.Conn, r *bufio.Reader) { readPost(r); io.WriteString(c, "\x00\xff SSH-2.0\r\n") }, 503, nil},
		"endless head": {func(c net.Conn, r *bufio.Reader) {
			readPost(r)
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			io.Copy(c, endless("A: bbbbbbbbbbbbbbb\r\n"))
		}, 503, nil},
		"endless informational heads": {func(c net.Conn, r *bufio.Reader) { readPost(r); io.Copy(c, endless("HTTP/1.1 103 Early\r\n\r\n")) }, 503, nil},
		"204":                         {answer("204 No Content", ""), 204, nil},
		"204 without reading":         {func(c net.Conn, r *bufio.Reader) { r.Peek(1); io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n") }, 204, nil},
		"400 without reading":         {func(c net.Conn, r *bufio.Reader) { r.Peek(1); io.WriteString(c, "HTTP/1.1 400 No\r\n\r\n") }, 400, nil},
		"200, 100 MB of body":         {answer("200 OK", strings.Repeat("tra-la-la ", 10<<20)), 204, nil},
		"200, body never begins": {func(c net.Conn, r *bufio.Reader) {
			readPost(r)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
			hang(c, r)
		}, 204, nil},
		"400, 18 MB of binary":      {answer("400 Bad Request\r\nContent-Length: 18874368", strings.Repeat("\x00\x1b[31m\xff\xfe\r\n<script>", 1<<20)), 400, []string{"answered 400", "<script>"}},
		"400, 30 MB of body":        {answer("400 Bad Request", strings.Repeat("no\n", 10<<20)), 400, []string{"answered 400", "no?no"}},
		"500, Retry-After absurd":   {answer("500 Oops\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0", ""), 503, []string{"answered 500"}},
		"500, Retry-After negative": {answer("500 Oops\r\nRetry-After: -7\r\nContent-Length: 0", ""), 503, []string{"answered 500"}},
		"429":                       {answer("429 Slow\r\nRetry-After: 3\r\nContent-Length: 0", ""), 503, []string{"answered 429"}},
		"999":                       {answer("999 What\r\nContent-Length: 0", ""), 503, []string{"answered 999"}},
		"101": {func(c net.Conn, r *bufio.Reader) {
			readPost(r)
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			hang(c, r)
		}, 400, []string{"answered 101"}},
		"100 and then nothing": {func(c net.Conn, r *bufio.Reader) {
			readPost(r)
			io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
			hang(c, r)
		}, 503, nil},
	} {
		check := func(t *testing.T, n *network, timeout time.Duration) {
			r := n.rig(t, Options{Targets: []string{n.odd(t, c.serve)}, Timeout: timeout})
			large := of("a", 1)
			large.Labels[0].Value = strings.Repeat("x", 300<<10) // exceeds the buffers of the connection
			for _, s := range [][]remotewrite.Series{{of("a", 1)}, {large}, {of("a", 1), of("b", 1), large}} {
				a := r.send(t, remotewrite.V1, s...)
				if a.status != c.status && !(strings.HasSuffix(name, "without reading") && a.status == 503) { // a race with two valid outcomes
					t.Errorf("%d: %s", a.status, a.body)
				}
				if len(a.body) > 1<<10 || strings.ContainsFunc(a.body, func(r rune) bool { return r < ' ' || r == 0x7f }) {
					t.Errorf("%d bytes: %q", len(a.body), a.body)
				}
				for _, w := range c.words {
					if !strings.Contains(a.body, w) {
						t.Errorf("%q does not say %q", a.body, w)
					}
				}
				if a.status == 503 && a.header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			if slices.Contains(silent, name) {
				inBubble(t, func(t *testing.T, n *network) { check(t, n, timeout) })
				return
			}
			t.Parallel()
			check(t, nil, testkit.Patience)
		})
	}
}

// repeated is an endless text.
type repeated struct{ s string }

func (r *repeated) Read(b []byte) (n int, err error) {
	for n < len(b) {
		k := copy(b[n:], r.s)
		r.s = r.s[k:] + r.s[:k]
		n += k
	}
	return n, nil
}

// If a target closes a connection at the moment when it is reused, the post is sent again on
// another connection.
func TestConnectionClosedBetweenPosts(t *testing.T) {
	url := (*network)(nil).odd(t, func(c net.Conn, r *bufio.Reader) {
		if readPost(r) {
			io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
			r.Peek(1) // the next request has arrived
		}
	})
	r := newRig(t, Options{Targets: []string{url}})
	for i := range 5 {
		r.send(t, remotewrite.V1, of("a", float64(i))).want(t, 204)
	}
}
