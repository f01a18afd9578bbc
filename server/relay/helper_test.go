package relay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// sink is a target that keeps the posts that it gets.
type sink struct {
	*httptest.Server
	mu      sync.Mutex
	posts   []post
	answer  func(w http.ResponseWriter, p *post) bool // returns true if it has responded; then the post is not kept
	refuses bool                                      // reject version 2
}

// post is a post that a sink got.
type post struct {
	tenant  string
	version remotewrite.Version
	header  http.Header
	raw     []byte
	request remotewrite.Request
}

func newSink(t testing.TB) *sink { return (*network)(nil).sink(t) }

func (n *network) sink(t testing.TB) *sink {
	s := &sink{}
	s.Server = n.serve(t, s)
	return s
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	p := post{tenant: r.Header.Get("X-Scope-OrgID"), header: r.Header, raw: raw}
	var refused *refusal
	if p.version, refused = versionOf(r.Header.Get("Content-Type")); refused != nil || p.version == remotewrite.V2 && s.refuses {
		http.Error(w, "unsupported", http.StatusUnsupportedMediaType)
		return
	}
	plain, err := sniffed(raw).decode(raw)
	if err == nil {
		err = remotewrite.Decode(plain.B, p.version, &p.request)
	}
	if err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	s.mu.Lock()
	answer := s.answer
	s.mu.Unlock()
	if answer != nil && answer(w, &p) {
		return
	}
	s.mu.Lock()
	s.posts = append(s.posts, p)
	s.mu.Unlock()
	if p.version == remotewrite.V2 {
		n := p.counts()
		w.Header().Set(samplesHeader, strconv.FormatInt(n.Samples, 10))
		w.Header().Set(histogramsHeader, strconv.FormatInt(n.Histograms, 10))
		w.Header().Set(exemplarsHeader, strconv.FormatInt(n.Exemplars, 10))
	}
	w.WriteHeader(http.StatusNoContent)
}

func (p *post) counts() (n counts) {
	for i := range p.request.Series {
		s := &p.request.Series[i]
		n.add(counts{1, int64(len(s.Samples)), int64(len(s.Histograms)), int64(len(s.Exemplars))})
	}
	return n
}

// answers sets the function that responds to posts.
func (s *sink) answers(fn func(w http.ResponseWriter, p *post) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = fn
}

// status responds with a status to posts for a tenant, or to all posts if tenant is empty.
func status(tenant string, code int) func(w http.ResponseWriter, p *post) bool {
	return func(w http.ResponseWriter, p *post) bool {
		if tenant != "" && p.tenant != tenant {
			return false
		}
		http.Error(w, "because of a test", code)
		return true
	}
}

// got returns the samples of each tenant as "labels value@time", sorted.
func (s *sink) got() map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string][]string)
	for _, p := range s.posts {
		all[p.tenant] = append(all[p.tenant], samplesOf(&p.request)...)
	}
	for _, list := range all {
		slices.Sort(list)
	}
	return all
}

func samplesOf(r *remotewrite.Request) (list []string) {
	for _, s := range r.Series {
		for _, v := range s.Samples {
			list = append(list, fmt.Sprintf("%s %v@%d", labelsOf(s.Labels), v.Value, v.Timestamp))
		}
	}
	return list
}

func labelsOf(labels []remotewrite.Label) string {
	var b strings.Builder
	for _, l := range labels {
		fmt.Fprintf(&b, "%s=%s,", l.Name, l.Value)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func (s *sink) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.posts)
}

// seriesWith returns a series with one sample. The labels are given as name, value, …
func seriesWith(value float64, labels ...string) remotewrite.Series {
	s := remotewrite.Series{Samples: []remotewrite.Sample{{Value: value, Timestamp: 1000}}}
	for i := 0; i < len(labels); i += 2 {
		s.Labels = append(s.Labels, remotewrite.Label{Name: labels[i], Value: labels[i+1]})
	}
	return s
}

// of returns a series of a tenant.
func of(tenant string, value float64) remotewrite.Series {
	return seriesWith(value, "__name__", "up", "__tenant__", tenant, "job", "j")
}

// rig is a relay behind an HTTP server.
type rig struct {
	*Relay
	network *network
	server  *httptest.Server
	client  *http.Client
}

func newRig(t testing.TB, o Options) *rig {
	t.Helper()
	return (*network)(nil).rig(t, o)
}

func (n *network) rig(t testing.TB, o Options) *rig {
	t.Helper()
	o.Dial = n.dial
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Open(); err != nil {
		t.Fatal(err)
	}
	server := n.serve(t, r)
	t.Cleanup(func() {
		server.Close()
		ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
		if used := r.o.Flight.Used(); used != 0 {
			t.Errorf("%d bytes of the budget are still held", used)
		}
	})
	return &rig{r, n, server, n.client(t)}
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	body   string
}

// send posts a request in the given version.
func (r *rig) send(t *testing.T, version remotewrite.Version, series ...remotewrite.Series) reply {
	t.Helper()
	return r.sendRequest(t, version, &remotewrite.Request{Series: series})
}

func (r *rig) sendRequest(t *testing.T, version remotewrite.Version, req *remotewrite.Request, header ...string) reply {
	t.Helper()
	body := remotewrite.Append(nil, version, req)
	header = append([]string{"Content-Type", contentTypes[version], "Content-Encoding", "snappy"}, header...)
	return r.post(t, s2.EncodeSnappy(nil, body), header...)
}

// post posts a body. The headers are given as name, value, …
func (r *rig) post(t *testing.T, body []byte, header ...string) reply {
	t.Helper()
	req, err := http.NewRequest("POST", r.server.URL+"/api/v1/push", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return r.do(t, req)
}

func (r *rig) do(t *testing.T, req *http.Request) reply {
	t.Helper()
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, strings.TrimSpace(string(text))}
}

func (a reply) want(t *testing.T, status int, words ...string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	for _, w := range words {
		if !strings.Contains(a.body, w) {
			t.Errorf("the answer %q does not say %q", a.body, w)
		}
	}
}

// sniffed returns the encoding that the first bytes of a body indicate. A snappy block can begin
// with the magic number of zstd, but only if its decompressed size is 6,824 bytes.
func sniffed(body []byte) Encoding {
	if len(body) >= 4 && body[0] == 0x28 && body[1] == 0xb5 && body[2] == 0x2f && body[3] == 0xfd {
		return Zstd
	}
	return Snappy
}
