package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
)

// stalling is a body that gives what it has and then nothing until it is released. At the first
// read after its data it closes waiting.
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

// stall sends a request from a client whose body stops after data, and returns when it has stopped.
func (r *rig) stall(client string, length int64, data []byte, released <-chan struct{}) {
	body := &stalling{data: data, waiting: make(chan struct{}), released: released}
	answered := make(chan *httptest.ResponseRecorder, 1)
	go func() { answered <- r.sendFrom(client, body, length) }()
	select {
	case <-body.waiting:
	case w := <-answered: // which a test counts
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

// What a head announces costs nothing: a few clients that announce the largest bodies and send
// nothing lock nobody out.
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
	if n := r.h.Stats().InFlight; n > 16*firstBuffer {
		t.Errorf("%d bytes are charged for 16", n)
	}
}

// However much a client sends, it leaves as much of the budget free as it holds. So do two clients,
// and addresses of one IPv6 network are one.
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
				"your other requests hold this client's share of the memory: send fewer at a time, and this one again later")
			if got := r.h.Stats().InFlight; got != used {
				t.Errorf("a refused request leaves %d bytes charged", got-used)
			}
		})
	}
}

// A body that stops arriving is given up after a window, long before the time for a whole request.
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

// deadlines keeps the deadlines that are set for a body.
type deadlines struct {
	http.ResponseWriter
	list []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.list = append(d.list, t)
	return nil
}

// A window is over when the bytes that it wants have arrived, and not before, however many reads
// bring them. No window is longer than the time for the whole body.
func TestWindows(t *testing.T) {
	const rate = 1000
	r := newRig(t, Options{Limits: Limits{MinRate: rate}, ReadTimeout: time.Hour})
	var d deadlines
	p := r.h.newPacer(&d)
	quota := int(rate * window.Seconds())
	for _, step := range []struct{ arrived, windows int }{{1, 1}, {quota - 2, 1}, {1, 2}, {1, 2}, {quota - 1, 3}, {10 * quota, 4}, {quota - 1, 4}} {
		if p.arrived(step.arrived); len(d.list) != step.windows {
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

// A body that trickles is given up although bytes arrive all the time.
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
	if err != nil { // the server closes the connection while the body is being sent: the answer may be lost
		if n := r.h.Stats().Outcomes[TimedOut]; n != 1 {
			t.Fatalf("%v; %d requests timed out", err, n)
		}
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestTimeout {
		t.Error(resp.Status)
	}
}

// A whole request has a time, whatever its rate.
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

// A bomb takes the memory of what it may become, once; a body within its limit takes that twice at
// most.
func TestInflatedMemory(t *testing.T) {
	const most = 64 << 20
	inside, bomb := make([]byte, most-1), make([]byte, 4*most)
	stream := func(b []byte) []byte { // which does not say how long it is
		var parts [][]byte
		for part := range len(b) >> 20 {
			parts = append(parts, zstded(b[part<<20:(part+1)<<20]))
		}
		return bytes.Join(append(parts, zstded(b[len(b)>>20<<20:])), nil)
	}
	members := func(b []byte) []byte { // of which only the last says how long it is
		var parts [][]byte
		for part := range len(b) >> 20 {
			parts = append(parts, gzipped(b[part<<20:(part+1)<<20]))
		}
		return bytes.Join(append(parts, gzipped(b[len(b)>>20<<20:])), nil)
	}
	small := zstded(make([]byte, 10)) // a first frame that says that it is short
	padding := bytes.Repeat(append([]byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 1, 0}, make([]byte, 1<<16)...), 10)
	lying := func(b []byte) []byte { // about its length, in the last four bytes
		gz := bytes.Clone(gzipped(b))
		return append(gz[:len(gz)-4], 0, 0, 0, 1)
	}
	for _, c := range []struct {
		name string
		body []byte
		c    Compression
		most uint64
		want string
	}{
		{"gzip", gzipped(inside), Gzip, most, ""}, {"zstd", zstded(inside), Zstd, most, ""},
		{"zstd in parts", stream(inside), Zstd, 2 * most, ""},
		{"gzip bomb", gzipped(bomb), Gzip, most, "decompresses to more than"}, {"zstd bomb", zstded(bomb), Zstd, most, "decompresses to more than"},
		{"zstd bomb in parts", stream(bomb), Zstd, most, "decompresses to more than"},
		{"gzip in members", members(inside), Gzip, 2 * most, ""}, {"gzip bomb in members", members(bomb), Gzip, most, "decompresses to more than"},
		{"zstd after a short frame", append(bytes.Clone(small), zstded(inside[10:])...), Zstd, 2 * most, ""},
		{"zstd bomb after a short frame", append(bytes.Clone(small), zstded(bomb)...), Zstd, most, "decompresses to more than"},
		{"zstd bomb after frames to be skipped", append(bytes.Clone(padding), zstded(bomb)...), Zstd, most, "decompresses to more than"},
		{"zstd within zstd", zstded(zstded(bomb)), Zstd, 0, "nested"}, {"gzip within gzip", gzipped(gzipped(bomb)), Gzip, 1 << 20, "nested"},
		{"snappy", s2.EncodeSnappy(nil, inside), Snappy, most, ""}, {"snappy bomb", s2.EncodeSnappy(nil, bomb), Snappy, 0, "decompresses to more than"},
		{"snappy that lies", append(binary.AppendUvarint(nil, most-1), 0xfc, 1, 2, 3), Snappy, 0, "is not snappy, or is damaged"},
		{"gzip that lies", lying(inside), Gzip, 2 * most, "is not gzip, or is damaged"},
	} {
		var now, charged int64
		grow := func(n int64) error {
			now += n
			charged = max(charged, now)
			return nil
		}
		var got []byte
		var err error
		n := allocated(func() { got, err = inflate(nil, c.body, c.c, most, grow) })
		if n > c.most+12<<20 {
			t.Errorf("%s: %d bytes allocated for a limit of %d", c.name, n, most)
		}
		if uint64(charged) > c.most+2<<20 {
			t.Errorf("%s: %d bytes charged for a limit of %d", c.name, charged, most)
		}
		switch {
		case c.want == "nested": // what is within is a body like another one
			if err != nil || len(got) > len(bomb)/100 {
				t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
			}
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case !bytes.Equal(got, inside):
			t.Errorf("%s: %d bytes", c.name, len(got))
		case now < int64(len(got)) || now > int64(len(got))+2<<20:
			t.Errorf("%s: %d bytes charged at the end for %d", c.name, now, len(got))
		}
	}
}
