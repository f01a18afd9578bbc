package ingest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/refusal"
)

// stalling is a body that returns its data and then blocks until it is released. At the first read
// after its data it closes waiting.
type stalling struct {
	data     []byte
	waiting  chan struct{}
	released <-chan struct{}
}

func (s *stalling) Read(p []byte) (int, error) {
	if len(s.data) > 0 {
		n := copy(p, s.data)
		s.data = s.data[n:]
		return n, nil
	}
	close(s.waiting)
	<-s.released
	return 0, io.ErrUnexpectedEOF
}

// stall sends a request from a client. The body of the request stops after data; then stall
// returns.
func (r *rig) stall(client string, length int64, data []byte, released <-chan struct{}) {
	body := &stalling{data: data, waiting: make(chan struct{}), released: released}
	answered := make(chan *httptest.ResponseRecorder, 1)
	go func() { answered <- r.sendFrom(client, body, length) }()
	select {
	case <-body.waiting:
	case w := <-answered: // a 429 is expected too; the test checks the charged bytes
		if w.Code != http.StatusTooManyRequests {
			r.t.Errorf("a body that stalls: %d %s", w.Code, w.Body)
		}
	}
}

func (r *rig) sendFrom(client string, body io.Reader, length int64) *httptest.ResponseRecorder {
	req := httptest.NewRequest("POST", "/v1/write/db/t", body)
	req.RemoteAddr, req.ContentLength = client, length
	req.Header.Set("Content-Type", "application/msgpack")
	w := httptest.NewRecorder()
	r.h.ServeHTTP(w, req)
	return w
}

// A Content-Length alone uses no memory budget. So a few clients that announce the largest bodies,
// but do not send them, do not keep other clients out.
func TestAnnouncedBodiesAreFree(t *testing.T) {
	const most = 4 << 20
	r := newRig(t, Options{Limits: Limits{Body: most, InFlight: 4 * most}})
	released := make(chan struct{})
	defer close(released)
	for i := range 16 {
		r.stall(fmt.Sprintf("192.0.2.%d:1", i), most, []byte{0x81}, released)
	}
	body := pack(t, dict{"v", list{strings.Repeat("x", 1<<20)}})
	wantStatus(t, r.sendFrom("198.51.100.1:1", bytes.NewReader(body), int64(len(body))), 204)
	if n := r.h.Stats().InFlight; n > 16*(64<<10) {
		t.Errorf("%d bytes are charged for 16", n)
	}
}

// However much a client sends, it leaves at least as much of the budget free as it holds. Two
// clients leave at least a third free. All addresses of one IPv6 network count as one client.
func TestShareOfClient(t *testing.T) {
	const most = 4 << 20
	clients := map[string]int{"one": 1, "two": 2, "a network": 1, "no address": 1}
	for name, hogs := range map[string][]string{
		"one": {"192.0.2.1:%d"}, "two": {"192.0.2.1:%d", "192.0.2.2:%d"}, "a network": {"[2001:db8::%x]:1"}, "no address": {"@%d"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Limits: Limits{Body: most, InFlight: 4 * most}})
			released := make(chan struct{})
			defer close(released)
			for i := range 16 {
				r.stall(fmt.Sprintf(hogs[i%len(hogs)], i+1), most, make([]byte, most-1), released)
			}
			body := pack(t, dict{"v", list{strings.Repeat("x", 1<<20)}})
			wantStatus(t, r.sendFrom("198.51.100.1:1", bytes.NewReader(body), int64(len(body))), 204)
			used := r.h.Stats().InFlight
			if n := int64(clients[name]); used > 4*most*n/(n+1) || used < most {
				t.Errorf("%d clients hold %d of %d bytes", n, used, 4*most)
			}
			wantProblem(t, r.sendFrom(fmt.Sprintf(hogs[0], 99), bytes.NewReader(make([]byte, most)), most), 429,
				"your other requests use this client's whole share of the memory: send fewer requests at a time, and retry this one later")
			if got := r.h.Stats().InFlight; got != used {
				t.Errorf("a refused request leaves %d bytes charged", got-used)
			}
		})
	}
}

// A body that stops arriving is rejected after one window, long before the timeout of the whole
// request.
func TestMinimumRate(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{MinRate: 1 << 10}, ReadTimeout: time.Hour})
	r.h.window = 20 * time.Millisecond
	server := httptest.NewServer(r.h)
	defer server.Close()
	for _, c := range []struct{ head, sent string }{
		{"Content-Length: 100000", ""}, {"Content-Length: 100000", strings.Repeat("x", 60_000)},
		{"Transfer-Encoding: chunked", "5\r\nabcde\r\n"},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /v1/write/db/t HTTP/1.1\r\nHost: x\r\nContent-Type: application/msgpack\r\n%s\r\n\r\n%s", c.head, c.sent)
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
			t.Errorf("%s: %v %q", c.head, err, answer)
		}
	}
	if n := r.h.Stats().InFlight; n != 0 {
		t.Errorf("%d bytes in flight at the end", n)
	}
}

// deadlines records the read deadlines that are set for a body.
type deadlines struct {
	http.ResponseWriter
	list []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.list = append(d.list, t)
	return nil
}

// A window ends as soon as its quota of bytes has arrived, in however many reads. No window is
// longer than the timeout of the whole body.
func TestWindows(t *testing.T) {
	const rate = 1000
	r := newRig(t, Options{Limits: Limits{MinRate: rate}, ReadTimeout: time.Hour})
	var d deadlines
	p := r.h.newPacer(&d)
	quota := int(rate * window.Seconds())
	for _, step := range []struct{ arrived, windows int }{{1, 1}, {quota - 2, 1}, {1, 2}, {1, 2}, {quota - 1, 3}, {10 * quota, 4}, {quota - 1, 4}} {
		if p.Arrived(step.arrived); len(d.list) != step.windows {
			t.Errorf("after %d bytes more there were %d windows, want %d", step.arrived, len(d.list), step.windows)
		}
	}
	for _, deadline := range d.list {
		if left := time.Until(deadline); left > window {
			t.Errorf("a window ends in %v", left)
		}
	}
	r.h.readTimeout = window / 2
	d.list = nil
	r.h.newPacer(&d)
	if left := time.Until(d.list[0]); left > window/2 {
		t.Errorf("the window ends in %v, and the time for the body in %v", left, window/2)
	}
}

// A body that arrives too slowly is rejected even if its bytes never stop arriving.
func TestTricklingBody(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{MinRate: 1 << 30}, ReadTimeout: time.Hour})
	r.h.window = 20 * time.Millisecond
	server := httptest.NewServer(r.h)
	defer server.Close()
	in, out := io.Pipe()
	go func() {
		for {
			if _, err := out.Write([]byte{0x81}); err != nil {
				return
			}
		}
	}()
	defer in.Close()
	resp, err := http.Post(server.URL+"/v1/write/db/t", "application/msgpack", in)
	if err != nil { // the server closes the connection while the client sends the body, so the client may miss the answer
		if n := r.h.Stats().Outcomes[refusal.TimedOut]; n != 1 {
			t.Fatalf("%v; %d requests timed out", err, n)
		}
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestTimeout {
		t.Error(resp.Status)
	}
}

// The whole request has a timeout, whatever its rate.
func TestReadTimeout(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{MinRate: -1}, ReadTimeout: 20 * time.Millisecond})
	server := httptest.NewServer(r.h)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST /v1/write/db/t HTTP/1.1\r\nHost: x\r\nContent-Type: application/msgpack\r\nContent-Length: 9\r\n\r\nabc")
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
		t.Errorf("%v %q", err, answer)
	}
}
