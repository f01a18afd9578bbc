package relay

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// Regression tests for defects of the relay that preceded this one. The tests for its parsing
// defects are in package remotewrite.

// landing returns a relay without targets, to measure its allocations. It counts the parts that
// land, and discards them.
func landing(t *testing.T, o Options) (r *Relay, landed *atomic.Int64) {
	t.Helper()
	landed = new(atomic.Int64)
	o.Land = func(parts []series.Part) series.Result {
		landed.Add(int64(len(parts)))
		return series.Result{}
	}
	return newRig(t, o).Relay, landed
}

// serve makes the relay serve a request without a connection.
func (r *Relay) serve(body []byte, header ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest("POST", "/api/v1/push", bytes.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w
}

// perRequest returns the number of bytes that are allocated per request when the same request is
// served repeatedly.
func (r *Relay) perRequest(t *testing.T, status int, body []byte, header ...string) uint64 {
	t.Helper()
	if !measured {
		t.Skip("it is not what is made in service")
	}
	const n = 20
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a garbage collection would empty the pools
	best := uint64(math.MaxUint64)
	for range 5 { // each processor (P) of the Go scheduler has its own pool
		best = min(best, testkit.Allocated(func() {
			for range n {
				if w := r.serve(body, header...); w.Code != status {
					t.Fatalf("%d: %s", w.Code, w.Body)
				}
			}
		})/n)
	}
	return best
}

// While the relay waits for the targets, it only keeps the compressed parts of a body.
func TestBodiesAreFreedBeforeTheResponse(t *testing.T) {
	inBubble(t, testBodiesAreFreedBeforeTheResponse)
}

func testBodiesAreFreedBeforeTheResponse(t *testing.T, n *network) {
	s := n.sink(t)
	s.answers(func(http.ResponseWriter, *post) bool {
		time.Sleep(time.Second)
		return false
	})
	flight := admission.NewBudget(16 << 20)
	r := n.rig(t, Options{Targets: []string{s.URL}, Flight: flight})
	body := request1(1<<20, 2)
	var sender sync.WaitGroup
	sender.Go(func() {
		r.post(t, s2.EncodeSnappy(nil, body), "Content-Type", contentTypes[remotewrite.V1], "Content-Encoding", "snappy").want(t, 204)
	})
	synctest.Wait()
	if used := flight.Used(); used == 0 || used > 256<<10 {
		t.Errorf("%d bytes are occupied for a body of %d bytes", used, len(body))
	}
	sender.Wait()
}

// request1 returns a version 1 request of about this size, with series of several tenants.
func request1(size, tenants int) []byte {
	var req remotewrite.Request
	for i := 0; len(req.Series)*400 < size; i++ {
		s := of(fmt.Sprint("t", i%tenants), float64(i))
		s.Labels = append(s.Labels, remotewrite.Label{Name: "padding", Value: fmt.Sprintf("%0350d", i)})
		req.Series = append(req.Series, s)
	}
	return remotewrite.Append(nil, remotewrite.V1, &req)
}

var zstdBest, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))

func zstdOf(b []byte) []byte { return zstdBest.EncodeAll(b, nil) }

func TestSizesAreBoundedBeforeMemoryIsMade(t *testing.T) {
	r, landed := landing(t, Options{})
	frame := func(n int, size bool) []byte { // of zeros, with or without its size in the header
		var b bytes.Buffer
		w, _ := zstd.NewWriter(&b, zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.SpeedFastest))
		if size {
			return w.EncodeAll(make([]byte, n), nil)
		}
		zeros := make([]byte, 1<<20)
		for ; n > 0; n -= len(zeros) {
			w.Write(zeros[:min(n, len(zeros))])
		}
		w.Close()
		return b.Bytes()
	}
	declares := func(n uint64) []byte { // returns a frame whose header declares n bytes, but that contains none
		b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xc0 | 0x20} // the size has 8 bytes; a single segment
		for range 8 {
			b, n = append(b, byte(n)), n>>8
		}
		return append(b, 1, 0, 0)
	}
	for name, c := range map[string]struct {
		encoding string
		body     []byte
		status   int
	}{
		"snappy says 4 GiB":                  {"snappy", []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0}, 413},
		"snappy says 32 MiB and is short":    {"snappy", []byte{0x80, 0x80, 0x80, 0x10, 0, 0}, 413},
		"snappy says 1 MiB and is short":     {"snappy", []byte{0x80, 0x80, 0x40, 0, 0}, 400},
		"snappy of 64 MiB":                   {"snappy", s2.EncodeSnappyBest(nil, make([]byte, 64<<20)), 413},
		"zstd says 4 GiB":                    {"zstd", declares(4 << 30), 409},
		"zstd says 2^64-1":                   {"zstd", declares(math.MaxUint64), 409},
		"zstd of 256 MiB with its size":      {"zstd", frame(1<<28, true), 409},
		"zstd of 256 MiB without":            {"zstd", frame(1<<28, false), 409},
		"frames of zstd":                     {"zstd", bytes.Repeat(frame(1<<20, true), 300), 409},
		"frames of zstd, the first is small": {"zstd", append(frame(1, true), bytes.Repeat(frame(1<<20, false), 300)...), 409},
		"empty frames of zstd":               {"zstd", bytes.Repeat(frame(0, true), 100_000), 204},
		"zstd that says it is snappy":        {"snappy", frame(1<<28, false), 413},
		"snappy that says it is zstd":        {"zstd", s2.EncodeSnappyBest(nil, make([]byte, 64<<20)), 409},
	} {
		// The limit is 200 times the body, but at least 1 MiB, and twice that because buffer sizes
		// are powers of two. The smaller buffers that were tried before are added.
		most := uint64(4*max(1<<20, min(32<<20, 200*len(c.body))) + len(c.body)*4 + 8<<20)
		if made := testkit.Allocated(func() {
			if w := r.serve(c.body, "Content-Encoding", c.encoding); w.Code != c.status && !(c.encoding == "snappy" && w.Code == 400) {
				t.Errorf("%s: %d, want %d: %s", name, w.Code, c.status, w.Body)
			}
		}); made > most {
			t.Errorf("%s: %d bytes were made of a body of %d", name, made, len(c.body))
		}
	}
	if n := landed.Load(); n != 0 {
		t.Errorf("%d parts landed", n)
	}
}

// Buffers are reused. Otherwise each request would allocate more than twice its size. One request
// in twenty may do so: a pool hides the buffer that one processor of the Go scheduler released last
// from the others.

func TestBuffersAreUsedAgain(t *testing.T) {
	r, _ := landing(t, Options{})
	plain := request1(1<<20, 10)
	if n := r.perRequest(t, 204, s2.EncodeSnappy(nil, plain)); n > uint64(len(plain)/2) {
		t.Errorf("%d bytes are made for a request of %d", n, len(plain))
	}
}

func TestGivingBackMakesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(1000, func() { admission.NewBuffer(100 << 10).Free() }); n != 0 && measured {
		t.Errorf("%v allocations", n)
	}
}

func TestBuffersComeBackFromErrors(t *testing.T) {
	r, _ := landing(t, Options{})
	plain := request1(1<<20, 10)
	for name, body := range map[string][]byte{
		"snappy": s2.EncodeSnappy(nil, append(slices.Clone(plain), 0)),
		"zstd":   zstdOf(append(slices.Clone(plain), 0)),
	} {
		status := map[string]int{"snappy": 400, "zstd": 409}[name]
		if n := r.perRequest(t, status, body, "Content-Encoding", name); n > uint64(len(plain)/2) {
			t.Errorf("%s: %d bytes are made for a damaged request of %d", name, n, len(plain))
		}
		if n := r.perRequest(t, status, body[:len(body)-10], "Content-Encoding", name); n > uint64(len(plain)/2) {
			t.Errorf("%s: %d bytes are made for a request of %d that ends early", name, n, len(plain))
		}
	}
}

func TestLargeRequestsUseBuffersAgain(t *testing.T) {
	r, _ := landing(t, Options{})
	plain := request1(6<<20, 10)
	if n := r.perRequest(t, 204, s2.EncodeSnappy(nil, plain)); n > uint64(len(plain)/2) {
		t.Errorf("%d bytes are made for a request of %d", n, len(plain))
	}
}

func TestErrorsLeaveNothingBehind(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	damaged := append(remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1), of("b", 1)}}), 0x0a, 9)
	for i := range 20 {
		r.post(t, s2.EncodeSnappy(nil, damaged)).want(t, 400, "damaged")
		r.send(t, remotewrite.V1, of("c", float64(i))).want(t, 204)
	}
	if got := s.got(); len(got["c"]) != 20 || len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestAllocationsDoNotGrowWithSeries(t *testing.T) {
	if !measured {
		t.Skip("it is not what is made in service")
	}
	r, _ := landing(t, Options{})
	allocations := func(series int) float64 {
		body := s2.EncodeSnappy(nil, request1(series*400, 5))
		r.serve(body)
		return testing.AllocsPerRun(50, func() { r.serve(body) })
	}
	if few, many := allocations(10), allocations(5000); many > few+5 {
		t.Errorf("%v allocations for 10 series, %v for 5000", few, many)
	}
}

func TestLargeRequestsAreForgotten(t *testing.T) {
	r, _ := landing(t, Options{})
	small := s2.EncodeSnappy(nil, request1(1<<10, 1))
	heap := func() uint64 {
		for range 100 {
			r.serve(small)
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	func() {
		r.serve(s2.EncodeSnappy(nil, request1(30<<20, 900)))
	}()
	if after := heap(); after > before+4<<20 {
		t.Errorf("%d bytes are kept of a request of 30 MiB", after-before)
	}
}

func TestOneDecoderForAll(t *testing.T) {
	r, _ := landing(t, Options{})
	plain := request1(100<<10, 3)
	body := zstdOf(plain)
	if n := r.perRequest(t, 204, body, "Content-Encoding", "zstd"); n > 50<<10 {
		t.Errorf("%d bytes are made for a request of %d", n, len(plain))
	}
	before := runtime.NumGoroutine()
	together(100, func(int) { r.serve(body, "Content-Encoding", "zstd") })
	waitFor(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before+5 })
}

func TestSeriesAreNotMadeAnew(t *testing.T) {
	// Unknown fields, a repeated field, a stale NaN and unsorted labels are forwarded unchanged.
	entry := func(tenant string) []byte {
		label := func(name, value string) []byte { return field(1, text(1, name), text(2, value), []byte{0x18, 5}) }
		stale := []byte{0x09, 2, 0, 0, 0, 0, 0, 0xf0, 0x7f, 0x10, 1, 0x10, 0xe8, 0x87, 0x00}
		return field(1, label("z", "1"), label("__tenant__", tenant), label("__name__", "up"), label("a", ""), field(2, stale), text(100-85, "unknown"), []byte{0x81, 0x01, 1, 2, 3, 4, 5, 6, 7, 8})
	}
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	r.post(t, s2.EncodeSnappy(nil, slices.Concat(entry("a"), entry("b"), entry("a")))).want(t, 204)
	for _, p := range s.posts {
		plain, err := s2.Decode(nil, p.raw)
		want := entry("b")
		if p.tenant == "a" {
			want = append(entry("a"), entry("a")...)
		}
		if err != nil || !bytes.Equal(plain, want) {
			t.Errorf("%s: %x, %v, want %x", p.tenant, plain, err, want)
		}
	}
	if s.count() != 2 {
		t.Errorf("%d posts", s.count())
	}
}
