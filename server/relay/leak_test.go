package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// Tests that data of one tenant never reaches another tenant, whatever senders and targets do. With
// the tag invariants, released buffers are overwritten, so that code that still reads them fails.

// storm is a target that responds to posts normally, before it has read them, late, or not at all.
// It keeps the samples of posts to which it responds with 204.
type storm struct {
	mu     sync.Mutex
	taken  map[string]int // number of arrivals of each sample, by tenant and text
	wrong  []string
	calm   atomic.Bool
	posts  atomic.Int64
	joined atomic.Int64
}

func (s *storm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.posts.Add(1)
	if !s.calm.Load() {
		switch rand.IntN(12) {
		case 0: // respond before reading the body
			w.Header().Set("Connection", "close")
			w.WriteHeader(503)
			return
		case 1:
			io.CopyN(io.Discard, r.Body, 1000)
			w.WriteHeader([]int{400, 401, 429, 500}[rand.IntN(4)])
			return
		case 2:
			panic(http.ErrAbortHandler)
		case 3: // respond after the sender's timeout
			time.Sleep(300 * time.Millisecond)
		case 4:
			time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
		}
	}
	p, _, err := received(r)
	if err == nil {
		err = s.take(&p)
	}
	if errors.Is(err, errCutOff) {
		w.WriteHeader(503)
		return
	}
	if err != nil {
		s.mu.Lock()
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %v", p.tenant, err))
		s.mu.Unlock()
	}
	if p.version == remotewrite.V2 {
		w.Header().Set(samplesHeader, "1")
	}
	w.WriteHeader(204)
}

var errCutOff = errors.New("it was cut off")

// received returns a post, and its decompressed body.
func received(r *http.Request) (p post, plain []byte, err error) {
	p.tenant, p.header = r.Header.Get("X-Scope-OrgID"), r.Header
	if p.raw, err = io.ReadAll(r.Body); err != nil {
		return p, nil, errCutOff
	}
	var refused *refusal
	if p.version, refused = versionOf(r.Header.Get("Content-Type")); refused != nil {
		return p, nil, refused
	}
	b, err := sniffed(p.raw).decode(p.raw)
	if err != nil {
		return p, nil, err
	}
	return p, b.B, remotewrite.Decode(b.B, p.version, &p.request)
}

// take keeps a post's samples. It checks the owner that each series names.
func (s *storm) take(p *post) error {
	senders := make(map[string]bool)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range p.request.Series {
		if labelOf(one.Labels, "owner") != p.tenant || labelOf(one.Labels, "__tenant__") != p.tenant {
			return fmt.Errorf("it got %s", labelsOf(one.Labels))
		}
		senders[labelOf(one.Labels, "sender")] = true
	}
	if len(senders) > 1 {
		s.joined.Add(1)
	}
	for _, text := range samplesOf(&p.request) {
		s.taken[p.tenant+" "+text]++
	}
	return nil
}

func labelOf(labels []remotewrite.Label, name string) string {
	for _, l := range labels {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

// owned returns a request for some of the tenants. Each series names its owner and its sender.
func owned(rng *rand.Rand, sender, number int) *remotewrite.Request {
	req := new(remotewrite.Request)
	tenants := 1 + rng.IntN(4)
	first := rng.IntN(8)
	padding := strings.Repeat(string(rune('a'+sender%26)), []int{0, 10, 500, 20_000}[rng.IntN(4)])
	for i := range tenants + rng.IntN(20) {
		tenant := fmt.Sprint("tenant-", (first+i%tenants)%8)
		one := seriesWith(float64(number), "__name__", fmt.Sprint("m", i), "__tenant__", tenant, "owner", tenant, "sender", fmt.Sprint(sender))
		if i < 3 && padding != "" {
			one.Labels = append(one.Labels, remotewrite.Label{Name: "text", Value: padding})
		}
		req.Series = append(req.Series, one)
	}
	return req
}

// Requests of many senders are joined, cut off, rejected, retried and abandoned. Every series
// reaches its own tenant completely, and no other tenant. All series that were acknowledged with
// 204 arrive.
func TestNothingLeaks(t *testing.T) {
	inBubble(t, func(t *testing.T, n *network) {
		s := &storm{taken: make(map[string]int)}
		testNothingLeaks(t, n, false, s, s)
	})
}

// With replication, all series that were acknowledged with 204 arrive at each target.
func TestNothingLeaksByReplication(t *testing.T) {
	inBubble(t, func(t *testing.T, n *network) {
		testNothingLeaks(t, n, true, &storm{taken: make(map[string]int)}, &storm{taken: make(map[string]int)})
	})
}

func testNothingLeaks(t *testing.T, n *network, replicate bool, s, other *storm) {
	r := n.rig(t, Options{Targets: []string{n.serve(t, s).URL, n.serve(t, other).URL}, Replicate: replicate, Timeout: 200 * time.Millisecond})
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	var acked sync.Map
	together(24, func(sender int) {
		rng := rand.New(rand.NewPCG(1, uint64(sender)))
		for round := range rounds {
			if round == rounds*3/4 {
				s.calm.Store(true)
				other.calm.Store(true)
			}
			req := owned(rng, sender, round)
			version, encoding := versions[rng.IntN(2)], Encoding(rng.IntN(2))
			plain := remotewrite.Append(nil, version, req)
			body := s2.EncodeSnappy(nil, plain)
			if encoding == Zstd {
				body = zstdOf(plain)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			if rng.IntN(10) == 0 { // a sender that disconnects early
				ctx, cancel = context.WithTimeout(context.Background(), time.Duration(rng.IntN(20))*time.Millisecond)
			}
			post, _ := http.NewRequestWithContext(ctx, "POST", r.server.URL+"/api/v1/push", bytes.NewReader(body))
			post.Header.Set("Content-Type", contentTypes[version])
			post.Header.Set("Content-Encoding", encoding.String())
			resp, err := r.client.Do(post)
			if err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				switch resp.StatusCode {
				case 204:
					acked.Store(req, true)
				case 400, 409, 503:
				default:
					t.Errorf("%d", resp.StatusCode)
				}
			}
			cancel()
		}
	})
	s.check(t, &acked)
	if other != s {
		other.check(t, &acked)
	}
	waitFor(t, "the budget to be free", func() bool { return r.o.Flight.Used() == 0 })
}

// check checks that all acknowledged series have arrived, and that none have reached another
// tenant.
func (s *storm) check(t *testing.T, acked *sync.Map) {
	t.Helper()
	s.mu.Lock() // abandoned posts may still arrive
	defer s.mu.Unlock()
	taken := 0
	acked.Range(func(k, _ any) bool {
		taken++
		req := k.(*remotewrite.Request)
		for i, text := range samplesOf(req) {
			if key := labelOf(req.Series[i].Labels, "owner") + " " + text; s.taken[key] == 0 {
				t.Errorf("%.200s was answered with 204 and has not come", key)
			}
		}
		return !t.Failed()
	})
	for _, w := range s.wrong {
		t.Errorf("%.200s", w)
	}
	t.Logf("%d requests were taken, in %d posts, of which %d carried several", taken, s.posts.Load(), s.joined.Load())
	if taken == 0 || s.joined.Load() == 0 {
		t.Error("nothing was shown")
	}
}

// All tenants together get exactly the series that were sent. Each tenant gets its series in the
// order of the request.
func TestAllIsTheSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for round := range 50 {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}})
		req := owned(rng, 1, round)
		version := versions[round%2]
		r.sendRequest(t, version, req).want(t, 204)
		want := make(map[string][]string)
		for i, text := range samplesOf(req) {
			tenant := labelOf(req.Series[i].Labels, "owner")
			want[tenant] = append(want[tenant], text)
		}
		for _, p := range s.posts {
			if got := samplesOf(&p.request); !slices.Equal(got, want[p.tenant]) {
				t.Errorf("version %d: %q, want %q", version, got, want[p.tenant])
			}
			delete(want, p.tenant)
		}
		if len(want) > 0 {
			t.Errorf("version %d: %q did not come", version, want)
		}
	}
}

// TestMain checks that no goroutine of this package is left after the tests.
func TestMain(m *testing.M) {
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(testkit.Patience); code == 0; time.Sleep(10 * time.Millisecond) {
		all := stacks[:runtime.Stack(stacks, true)]
		if _, others, _ := bytes.Cut(all, []byte("\n\n")); !bytes.Contains(others, []byte("/server/relay.")) {
			break
		}
		if time.Now().After(end) {
			fmt.Printf("goroutines are left:\n%s\n", all)
			code = 1
		}
	}
	os.Exit(code)
}
