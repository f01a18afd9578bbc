package relay

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// Tests of the requirements of the protocol.

// Targets get the sender's Retry-Attempt, from which Mimir computes its pauses. Values that are not
// valid numbers are not forwarded. They would be sent once for each tenant.
func TestRetryAttempt(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	for sent, want := range map[string]string{"1": "1", "17": "17", "": "", "0": "", "-1": "", "one": "", "1, 2": "", "99999999999": ""} {
		r.sendRequest(t, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1), of("b", 1)}}, attemptHeader, sent).want(t, 204)
		for _, p := range s.posts {
			if got := p.header.Get(attemptHeader); got != want {
				t.Errorf("Retry-Attempt: %q becomes %q", sent, got)
			}
		}
		s.posts = nil
	}
}

// Targets get none of the sender's headers except Retry-Attempt. In particular, they do not get the
// sender's tenant, its credentials and its connection headers.
func TestHeadersAreNotPassedOn(t *testing.T) {
	s := newSink(t)
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("p\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, Options{Targets: []string{s.URL}, Version: "1.2.3", Egress: Egress{User: "relay", PasswordFile: password}})
	hostile := []string{
		"X-Scope-OrgID", "admin", "x-scope-orgid", "admin|b", "Authorization", "Bearer of-the-sender", "Cookie", "a=b", "Connection", "X-Evil, close",
		"X-Evil", "1", "Te", "trailers", "Proxy-Authorization", "Basic eDp5", "X-Forwarded-For", "127.0.0.1", "Expect", "", "Upgrade", "h2c",
		"User-Agent", "evil", "X-Prometheus-Remote-Write-Version", "9.9.9", "Idempotency-Key", "1", "Retry-Attempt", "3", "Host", "elsewhere",
	}
	for _, version := range versions {
		s.posts = nil
		r.sendRequest(t, version, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1), of("b", 1)}}, hostile...).want(t, 204)
		for _, p := range s.posts {
			want := http.Header{
				"X-Scope-Orgid": {p.tenant}, "Content-Type": {contentTypes[version]}, "Content-Encoding": {"snappy"}, versionHeader: {versionNumbers[version]},
				"User-Agent": {"slipstream/1.2.3"}, "Authorization": {"Basic cmVsYXk6cA=="}, "Retry-Attempt": {"3"}, "Content-Length": p.header["Content-Length"],
			}
			for name, values := range p.header {
				if !slices.Equal(values, want[name]) {
					t.Errorf("version %d: %s: %q, want %q", version, name, values, want[name])
				}
			}
			if len(p.header) != len(want) || p.tenant != "a" && p.tenant != "b" {
				t.Errorf("version %d: %v", version, p.header)
			}
		}
	}
}

// vmagent is supported: its handshake, bodies whose encoding differs from the header, and 409, the
// only status after which it drops a request.
func TestVmagent(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	req, _ := http.NewRequest("GET", r.server.URL+"/api/v1/write?get_vm_proto_version=1", nil)
	if a := r.do(t, req); a.status != 200 || a.body != "1" {
		t.Errorf("handshake: %d %q", a.status, a.body)
	}
	for _, tenants := range [][]remotewrite.Series{{of("a", 1)}, {of("a", 1), of("b", 2)}} {
		plain := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: tenants})
		inSnappy, inZstd := s2.EncodeSnappy(nil, plain), zstdOf(plain)
		for _, body := range [][]byte{inSnappy, inZstd} {
			for _, encoding := range []string{"snappy", "zstd", ""} {
				s.posts = nil
				r.post(t, body, "Content-Encoding", encoding, vmVersionHeader, "1").want(t, 204)
				if s.count() != len(tenants) {
					t.Errorf("%d posts", s.count())
				}
				for _, p := range s.posts { // targets get snappy, with the matching header
					if p.header.Get("Content-Encoding") != "snappy" || sniffed(p.raw) != Snappy || p.header.Get(vmVersionHeader) != "" {
						t.Errorf("%v", p.header)
					}
				}
			}
		}
	}
	for name, header := range map[string][]string{
		"zstd":           {"Content-Encoding", "zstd"},
		"its own header": {vmVersionHeader, "1"},
		"its name":       {"User-Agent", "vmagent"},
	} {
		r.post(t, []byte("corrupt"), header...).want(t, 409)
		bad := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a|b", 1)}}))
		r.post(t, bad, header...).want(t, 409)
		r.post(t, s2.EncodeSnappyBest(nil, make([]byte, 33<<20)), header...).want(t, 409)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	r.post(t, []byte("corrupt")).want(t, 400)
}

// Targets get zstd if the settings say so. A body that belongs to one tenant is forwarded
// unchanged. The headers are those of vmagent.
func TestZstdToTargets(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Encoding: Zstd})
	body := zstdOf(remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1)}}))
	r.post(t, body, "Content-Encoding", "zstd").want(t, 204)
	r.send(t, remotewrite.V1, of("a", 1), of("b", 2)).want(t, 204)
	if !bytes.Equal(s.posts[0].raw, body) {
		t.Error("the body is not as it came")
	}
	for _, p := range s.posts {
		if p.header.Get("Content-Encoding") != "zstd" || sniffed(p.raw) != Zstd || p.header.Get(vmVersionHeader) != "1" {
			t.Errorf("%v", p.header)
		}
	}
}

// Requests that contain only exemplars, only histograms or no data are accepted. For version 2, the
// response contains the numbers of each kind.
func TestRequestsWithoutSamples(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	exemplar, histogram, nothing := of("a", 1), of("a", 1), of("a", 1)
	exemplar.Samples, histogram.Samples, nothing.Samples = nil, nil, nil
	exemplar.Exemplars = []remotewrite.Exemplar{{Labels: []remotewrite.Label{{Name: "trace_id", Value: "1"}}, Value: 1, Timestamp: 5}}
	histogram.Histograms = []remotewrite.Histogram{{Timestamp: 5, Sum: 1}}
	for _, version := range versions {
		for name, one := range map[string]remotewrite.Series{"exemplars": exemplar, "histograms": histogram, "nothing": nothing} {
			a := r.send(t, version, one)
			a.want(t, 204)
			if version == remotewrite.V2 {
				got := strings.Join([]string{a.header.Get(samplesHeader), a.header.Get(histogramsHeader), a.header.Get(exemplarsHeader)}, " ")
				if want := map[string]string{"exemplars": "0 0 1", "histograms": "0 1 0", "nothing": "0 0 0"}[name]; got != want {
					t.Errorf("%s: %s, want %s", name, got, want)
				}
			}
		}
		r.send(t, version).want(t, 204)
	}
}

// If a target supports version 2 and reports that it has written no samples, the relay believes it.
// It does not send the request again as version 1. The sender gets an error, because a success
// would hide the loss.
func TestWrittenNothing(t *testing.T) {
	s := newSink(t)
	var posts atomic.Int32
	s.answers(func(w http.ResponseWriter, p *post) bool {
		posts.Add(1)
		if p.version != remotewrite.V2 {
			t.Errorf("it got version %d", p.version)
		}
		w.Header().Set(samplesHeader, "0")
		w.WriteHeader(204)
		return true
	})
	r := newRig(t, Options{Targets: []string{s.URL}})
	for range 2 {
		a := r.send(t, remotewrite.V2, of("a", 1))
		a.want(t, 400, "wrote nothing")
		if a.header.Get(samplesHeader) != "0" {
			t.Errorf("%v", a.header)
		}
	}
	if n := posts.Load(); n != 2 {
		t.Errorf("%d posts", n)
	}
}

// Cortex returns 202 to the replica of a pair that it currently ignores. Before version 1.21, it
// also reports that it has written no samples, which the sender would take for a failure. So the
// sender gets a success, and items of a queue do not count as lost.
func TestReplicaOfAPair(t *testing.T) {
	for _, queued := range []bool{false, true} {
		s := newSink(t)
		s.answers(func(w http.ResponseWriter, p *post) bool {
			w.Header().Set(samplesHeader, "0")
			w.WriteHeader(http.StatusAccepted)
			return true
		})
		o := Options{Targets: []string{s.URL}}
		if queued {
			o.Queue = &QueueOptions{Dir: t.TempDir()}
		}
		r := newRig(t, o)
		a := r.send(t, remotewrite.V2, of("a", 1), of("b", 1))
		a.want(t, 204)
		if got := a.header.Get(samplesHeader); got != "2" {
			t.Errorf("%s samples are written", got)
		}
		if queued {
			waitFor(t, "the queue to be empty", func() bool { return r.queue.Stats().Items == 0 })
			if st := r.queue.Stats(); st.Delivered.Items != 2 {
				t.Errorf("%+v", st)
			}
		}
	}
}

// Impossible numbers of written samples in a target's response are ignored.
func TestWrittenAbsurd(t *testing.T) {
	for _, v := range []string{"9223372036854775807", "-1", "1e3", "0x10", "99999999999999999999", " 1"} {
		s := newSink(t)
		s.answers(func(w http.ResponseWriter, p *post) bool {
			w.Header().Set(samplesHeader, v)
			w.WriteHeader(204)
			return true
		})
		r := newRig(t, Options{Targets: []string{s.URL}})
		a := r.send(t, remotewrite.V2, of("a", 1), of("b", 1))
		if got := a.header.Get(samplesHeader); got != "0" && !(v == " 1" && got == "2") {
			t.Errorf("%q becomes %q", v, got)
		}
	}
}

func TestNothingFailsAfterItWasDelivered(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	body := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1)}}))
	for name, text := range map[string]string{
		"shorter than announced": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body)+1, body),
		"no last chunk":          fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(body), body),
		"a damaged chunk":        fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\nzz\r\n", len(body), body),
		"a damaged trailer":      fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\x00\x00\r\n\r\n", len(body), body),
	} {
		c, err := net.Dial("tcp", r.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "POST /api/v1/push HTTP/1.1\r\nHost: h\r\n%s", text)
		c.(*net.TCPConn).CloseWrite()
		answer, _ := io.ReadAll(c)
		c.Close()
		if s.count() != 0 || !bytes.HasPrefix(answer, []byte("HTTP/1.1 503")) {
			t.Errorf("%s: %d posts and %q", name, s.count(), answer)
		}
	}
}
