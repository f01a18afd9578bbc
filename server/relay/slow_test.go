package relay

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
)

// Tests with slow senders. The HTTP server, not the relay, limits the time for headers.

// lingers is the maximum time for which a connection stays open after a response. Package net/http
// gives the sender half a second to read it.
const lingers = time.Second

// dial sends headers, and body as the beginning of a body.
func (r *rig) dial(t *testing.T, head, body string) net.Conn {
	t.Helper()
	c := r.connect(t)
	fmt.Fprintf(c, "POST /api/v1/push HTTP/1.1\r\nHost: h\r\n%s\r\n%s", head, body)
	return c
}

func (r *rig) connect(t *testing.T) net.Conn {
	t.Helper()
	c, err := r.network.dial(t.Context(), "tcp", r.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// A body that is announced but not sent uses no memory budget, however many such bodies there are.
// It is rejected after a time limit.
func TestBodiesThatDoNotCome(t *testing.T) { inBubble(t, testBodiesThatDoNotCome) }

func testBodiesThatDoNotCome(t *testing.T, n *network) {
	s := n.sink(t)
	flight := admission.NewBudget(1 << 20)
	r := n.rig(t, Options{Targets: []string{s.URL}, Flight: flight})
	var list []net.Conn
	for range 200 {
		list = append(list, r.dial(t, "Content-Length: 30000000\r\n", ""), r.dial(t, "Transfer-Encoding: chunked\r\n", ""))
	}
	synctest.Wait() // all requests are being served, and wait for their bodies
	begin := time.Now()
	if used := flight.Used(); used != 0 {
		t.Errorf("%d bytes are occupied", used)
	}
	for i := range 20 {
		r.send(t, remotewrite.V1, of("a", float64(i))).want(t, 204)
	}
	if took := time.Since(begin); took != 0 {
		t.Errorf("others had to wait for %v", took)
	}
	together(len(list), func(i int) { // a connection in memory has no buffer, so each response must be read
		c := list[i]
		c.SetReadDeadline(begin.Add(firstWait + lingers))
		if answer, err := io.ReadAll(c); err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 503")) || !bytes.Contains(answer, []byte("Connection: close")) {
			t.Errorf("%q, %v", answer, err)
		}
	})
}

// A body that arrives too slowly is rejected, and its memory budget is released. A body that keeps
// the minimum rate is accepted.
func TestBodiesThatComeSlowly(t *testing.T) { inBubble(t, testBodiesThatComeSlowly) }

func testBodiesThatComeSlowly(t *testing.T, n *network) {
	s := n.sink(t)
	flight := admission.NewBudget(64 << 20)
	r := n.rig(t, Options{Targets: []string{s.URL}, Flight: flight})
	trickle := func(size, chunk int, pause time.Duration) (answer string, took time.Duration) {
		padding := of("a", 1)
		padding.Labels[0].Value = strings.Repeat("x", size)
		body := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{padding}}))
		begin := time.Now()
		c := r.dial(t, fmt.Sprintf("Content-Length: %d\r\nConnection: close\r\n", max(len(body), 1)), "")
		done := make(chan struct{})
		go func() {
			defer close(done)
			for len(body) > 0 {
				n, err := c.Write(body[:min(chunk, len(body))])
				if err != nil {
					return
				}
				body = body[n:]
				time.Sleep(pause)
			}
		}()
		text, _ := io.ReadAll(c)
		c.Close()
		<-done
		return string(text), time.Since(begin)
	}
	var all sync.WaitGroup
	all.Go(func() { // a body of 4 kB takes 20 s, at 200 bytes a second
		if answer, took := trickle(100<<10, 10, 50*time.Millisecond); !strings.HasPrefix(answer, "HTTP/1.1 503") || took > firstWait+lingers {
			t.Errorf("%q after %v", answer, took)
		}
	})
	all.Go(func() { // a body of 40 kB takes 4 s
		if answer, took := trickle(800<<10, 1000, 100*time.Millisecond); !strings.HasPrefix(answer, "HTTP/1.1 204") {
			t.Errorf("%q after %v", answer, took)
		}
	})
	all.Wait()
	waitFor(t, "the budget to be free", func() bool { return flight.Used() == 0 })
}

// If a request is rejected because of its headers, the response is sent at once, whether or not the
// body arrives. The connection closes soon.
func TestRefusedByTheHead(t *testing.T) { inBubble(t, testRefusedByTheHead) }

func testRefusedByTheHead(t *testing.T, n *network) {
	s := n.sink(t)
	r := n.rig(t, Options{Targets: []string{s.URL}, Rules: rulesFile(t, `{"credentials": [{"name": "a", "token": "secret", "tenants": ["*"]}]}`)})
	var all sync.WaitGroup
	for head, status := range map[string]int{
		"POST / HTTP/1.1\r\nContent-Length: 100000\r\n":                                            401,
		"POST / HTTP/1.1\r\nContent-Length: 100000\r\nContent-Type: application/json\r\n":          415,
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n":              415,
		"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\nAuthorization: Bearer secret\r\n":       413,
		"PUT / HTTP/1.1\r\nContent-Length: 100000\r\n":                                             405,
		"GET /?get_vm_proto_version=1 HTTP/1.1\r\nContent-Length: 100000\r\nConnection: close\r\n": 200,
	} {
		all.Go(func() {
			c := r.connect(t)
			begin := time.Now()
			io.WriteString(c, head+"Host: h\r\n\r\n")
			in := bufio.NewReader(c)
			line, err := in.ReadString('\n')
			if err != nil || !strings.HasPrefix(line, fmt.Sprintf("HTTP/1.1 %d ", status)) {
				t.Errorf("%q: %q, %v", head, line, err)
			}
			if took := time.Since(begin); took != 0 {
				t.Errorf("%q: answered after %v", head, took)
			}
			c.SetReadDeadline(begin.Add(firstWait + lingers))
			if _, err := io.ReadAll(in); err != nil {
				t.Errorf("%q: the connection does not end: %v", head, err)
			}
		})
	}
	all.Wait()
}

// When the budget is used up, senders are told to retry. Requests that are already in progress
// continue.
func TestBudget(t *testing.T) {
	s := newSink(t)
	flight := admission.NewBudget(200 << 10)
	r := newRig(t, Options{Targets: []string{s.URL}, Flight: flight})
	s.silence(t, "slow")
	c := r.dial(t, "Content-Length: 60000\r\n", strings.Repeat("x", 50000))
	waitFor(t, "the budget to be taken", func() bool { return flight.Used() >= 50000 })
	big := of("a", 1)
	big.Labels[0].Value = strings.Repeat("x", 150<<10)
	r.send(t, remotewrite.V1, big).want(t, 503, "all memory for requests is in use")
	r.send(t, remotewrite.V1, of("a", 1)).want(t, 204)
	c.Close()
	waitFor(t, "the budget to be free", func() bool { return flight.Used() == 0 })
	r.send(t, remotewrite.V1, big).want(t, 204) // a request that is alone may exceed the budget
}
