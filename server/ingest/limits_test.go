package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// untouched is a body that must not be read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func (r *rig) send(body io.Reader, length int64, header ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest("POST", "/v1/write/db/t", body)
	req.ContentLength = length
	req.Header.Set("Content-Type", "application/msgpack")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	r.h.ServeHTTP(w, req)
	return w
}

func TestTokens(t *testing.T) {
	r := newRig(t, Options{Guard: guardOf(t, "first", "second"), Metrics: http.NotFoundHandler()})
	const text = "no valid token: send a token of the service as Authorization: Bearer TOKEN"
	for _, header := range [][]string{
		nil, {"Authorization", "Bearer"}, {"Authorization", "Bearer wrong"}, {"Authorization", "Bearer "}, {"Authorization", "Basic first"},
		{"Authorization", "first"}, {"Authorization", "Bearer firs"}, {"X-Api-Key", "wrong"},
	} {
		w := r.send(untouched{t}, 100, header...)
		wantProblem(t, w, 401, text)
		if got := w.Header().Get("WWW-Authenticate"); got != `Bearer realm="slipstream"` {
			t.Errorf("WWW-Authenticate %q", got)
		}
	}
	body := pack(t, dict{"v", list{1}})
	for _, header := range [][]string{
		{"Authorization", "Bearer first"}, {"Authorization", "bearer  second"}, {"Authorization", "Token first"}, {"X-Api-Key", "second"},
	} {
		wantStatus(t, r.send(bytes.NewReader(body), int64(len(body)), header...), 204)
	}
	for _, c := range []struct{ method, path string }{{"POST", "/-/flush"}, {"GET", "/v1/tables"}, {"GET", "/metrics"}, {"POST", "/api/v1/write/msgpack"}} {
		wantProblem(t, r.do(c.method, c.path, nil), 401, text)
	}
	wantStatus(t, r.do("GET", "/health", nil), 200)
	wantStatus(t, r.do("GET", "/ready", nil), 200)
	wantStatus(t, r.do("POST", "/-/flush", nil, "Authorization", "Bearer first"), 204)
}

func TestBodyLimit(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Body: 1000}})
	const text = "the body has more than 1000 bytes: send smaller batches, or compress them"
	wantProblem(t, r.send(untouched{t}, 1001), 413, text)
	wantProblem(t, r.send(strings.NewReader(strings.Repeat("x", 100_000)), -1), 413, text)

	body := pack(t, dict{"v", list{strings.Repeat("x", 990)}})
	wantStatus(t, r.send(bytes.NewReader(body), int64(len(body))), 204)
	wantStatus(t, r.send(bytes.NewReader(body), -1), 204)
	wantStatus(t, r.send(io.MultiReader(bytes.NewReader(body[:7]), bytes.NewReader(body[7:])), -1), 204)
	if got := len(r.landed()["db.t"]); got != 3 {
		t.Errorf("%d rows", got)
	}
	wantProblem(t, r.send(bytes.NewReader(body[:500]), int64(len(body))), 400, fmt.Sprintf("the body ended after 500 of %d bytes: send it again", len(body)))
	wantProblem(t, r.send(io.MultiReader(bytes.NewReader(body[:500]), failing{io.ErrUnexpectedEOF}), -1), 400, "the body ended early, after 500 bytes: send it again")
	if n := r.h.Stats().InFlight; n != 0 {
		t.Errorf("%d bytes in flight at the end", n)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("a bug") }

// After a panic, which net/http recovers, the request holds no memory budget.
func TestPanic(t *testing.T) {
	r := newRig(t, Options{})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		r.send(panicking{}, 1000)
	}()
	if n := r.h.Stats().InFlight; n != 0 {
		t.Errorf("%d bytes in flight", n)
	}
	wantStatus(t, r.v1(dict{"v", list{1}}, ""), 204)
}

// peak returns the maximum number of bytes in use while fn runs, as far as samples show it.
func peak(fn func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	now := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before, most := now(), uint64(0)
	done := make(chan struct{})
	var sampler sync.WaitGroup
	sampler.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(200 * time.Microsecond):
				most = max(most, now())
			}
		}
	})
	fn()
	close(done)
	sampler.Wait()
	return max(most, now(), before) - before
}

func TestBombs(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Decompressed: 32 << 20}})
	zeros := make([]byte, 64<<20)
	for name, c := range map[string]struct {
		body []byte
		most int
	}{
		"gzip": {testkit.Gzipped(zeros), 200}, "zstd": {testkit.Zstded(zeros), 200},
		"gzip in parts": {bytes.Repeat(testkit.Gzipped(make([]byte, 1<<20)), 64), 200},
	} {
		t.Run(name, func(t *testing.T) {
			limit := r.h.limits.decompressed(len(c.body))
			for _, path := range []string{"/v1/write/db/t", "/api/v1/write/msgpack"} {
				var w *httptest.ResponseRecorder
				n := testkit.Allocated(func() {
					w = r.do("POST", path, c.body, "Content-Type", "application/msgpack", "Content-Encoding", name[:4])
				})
				wantProblem(t, w, 413, fmt.Sprintf("the body of %d bytes decompresses to more than %d bytes: send smaller batches", len(c.body), limit))
				if most := uint64(3*limit) + 24<<20; n > most {
					t.Errorf("%s: %d bytes allocated for a limit of %d", path, n, limit)
				}
			}
			if n := r.h.Stats().InFlight; n != 0 {
				t.Errorf("%d bytes in flight at the end", n)
			}
		})
	}
}

// Bodies that announce huge sizes with few bytes use at most a small multiple of their own size.
func TestHostileMemory(t *testing.T) {
	r := newRig(t, Options{})
	const size = 512 << 10
	fill := func(head string, unit func(i int) []byte) []byte {
		b := []byte(head)
		for i := 0; len(b) < size; i++ {
			b = append(b, unit(i)...)
		}
		return b
	}
	one := func(v any) func(int) []byte {
		b := pack(t, v)
		return func(int) []byte { return b }
	}
	fields := dict{}
	for i := range 4000 {
		fields = append(fields, strconv.Itoa(i), 1)
	}
	wide := pack(t, fields)
	for name, body := range map[string][]byte{
		"claims":          []byte("\xdd\xff\xff\xff\xff\x81"),
		"columns claim":   fill("\xde\xff\xff", func(i int) []byte { return []byte("\xa1" + string(rune('a'+i%26)) + "\xdd\x7f\xff\xff\xff") }),
		"empty maps":      fill("\xdd\x00\x20\x00\x00", one(dict{})),
		"sparse rows":     append(append([]byte("\xdd\x00\x01\x00\x00"), wide...), bytes.Repeat([]byte{0x80}, size)...),
		"new columns":     fill("\xdd\x00\x02\x00\x00", func(i int) []byte { return pack(t, dict{strconv.Itoa(i), 1}) }),
		"arc: new tables": fill("\xdd\x00\x02\x00\x00", func(i int) []byte { return pack(t, dict{"m", "t" + strconv.Itoa(i), "f", list{1}}) }),
		"arc: tables of wide rows": fill("\xdd\x00\x00\xff\xff", func(i int) []byte {
			if i%200 < 20 {
				return pack(t, dict{"m", i % 200, "fields", fields})
			}
			return pack(t, dict{"m", i % 20, "f", list{}})
		}),
		"arc: small columns":     fill("\xdd\x00\x02\x00\x00", one(dict{"m", "t", "columns", dict{"v", list{1}}})),
		"arc: columns of others": fill("\xdd\x00\x02\x00\x00", func(i int) []byte { return pack(t, dict{"m", "t", "columns", dict{strconv.Itoa(i), list{1}}}) }),
		"arc: skipped depth":     append([]byte("\x82\xa1x"), bytes.Repeat([]byte{0x91}, size)...),
	} {
		for _, path := range []string{"/v1/write/db/t", "/api/v1/write/msgpack", "/v1/write/db/t?partial=1", "/api/v1/write/msgpack?partial=1"} {
			// A body of n bytes has at most 4n cells. A cell uses 8 bytes. A slice that has just
			// grown has up to twice the capacity that it needs, and the old slice may still be in
			// memory.
			most := uint64(2*8*4*len(body)) + 8<<20
			var w *httptest.ResponseRecorder
			var n uint64
			for range 10 { // on a busy machine, memory that is not yet collected counts too; one good run is enough
				if n = peak(func() { w = r.do("POST", path, body, "Content-Type", "application/msgpack") }); n <= most {
					break
				}
			}
			if w.Code >= 500 {
				t.Errorf("%s: %s: %d %s", name, path, w.Code, w.Body)
			}
			if n > most {
				t.Errorf("%s: %s: %d bytes in use for a body of %d (%d %.200s)", name, path, n, len(body), w.Code, w.Body)
			}
		}
	}
}

// If the memory budget is used up, requests get 429. All acknowledged rows land.
func TestOverload(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{InFlight: 64 << 10}})
	server := httptest.NewServer(r.h)
	defer server.Close()
	body := pack(t, dict{"v", list{strings.Repeat("x", 20_000)}})
	var stored, refused atomic.Int64
	others := r.h.flight.Own()
	others.Take(64 << 10) // stands for other clients; whether requests of this test overlap depends on the scheduler
	wantStatus(t, r.send(bytes.NewReader(body), int64(len(body))), 429)
	refused.Add(1)
	others.Release()
	wantStatus(t, r.send(bytes.NewReader(body), int64(len(body))), 204)
	stored.Add(1)
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			for range 50 {
				req, _ := http.NewRequest("POST", server.URL+"/v1/write/db/t", io.MultiReader(bytes.NewReader(body))) // chunked
				if stored.Load()%2 == 0 {
					req, _ = http.NewRequest("POST", server.URL+"/v1/write/db/t", bytes.NewReader(body))
				}
				req.Header.Set("Content-Type", "application/msgpack")
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				switch resp.StatusCode {
				case 204:
					stored.Add(1)
				case 429:
					refused.Add(1)
					if resp.Header.Get("Retry-After") != "1" {
						t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
					}
				default:
					t.Errorf("status %d: %s", resp.StatusCode, text)
				}
			}
		})
	}
	clients.Wait()
	if got := int64(len(r.landed()["db.t"])); got != stored.Load() {
		t.Errorf("%d rows landed, %d were acknowledged", got, stored.Load())
	}
	s := r.h.Stats()
	if s.InFlight != 0 || s.Outcomes[refusal.Overloaded] != refused.Load() || s.Outcomes[refusal.Stored] != stored.Load() {
		t.Errorf("%+v", s)
	}
}

// A request that exceeds the whole budget is accepted if no other request is in progress.
func TestLargerThanBudget(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{InFlight: 1000}})
	big := pack(t, dict{"v", list{strings.Repeat("x", 100_000)}})
	wantStatus(t, r.send(bytes.NewReader(big), int64(len(big))), 204)
	wantStatus(t, r.send(bytes.NewReader(big), -1), 204)
	wantStatus(t, r.send(bytes.NewReader(testkit.Zstded(big)), -1, "Content-Encoding", "zstd"), 204)
	others := r.h.flight.Own()
	others.Take(1)
	wantProblem(t, r.send(bytes.NewReader(big), int64(len(big))), 429, "all memory for requests is in use: retry later")
	others.Take(999) // the budget is used up, so the body is not read
	wantProblem(t, r.send(untouched{t}, 1000), 429, "all memory for requests is in use: retry later")
	others.Release()
}

// fillMemory sends the same batch until it is rejected. It returns a function that sends the batch,
// the number of stored batches, and the response of the rejection.
func fillMemory(r *rig) (send func() *httptest.ResponseRecorder, stored int, w *httptest.ResponseRecorder) {
	body := pack(r.t, dict{"time", list{t0}, "v", list{strings.Repeat("x", 30_000)}})
	send = func() *httptest.ResponseRecorder { return r.send(bytes.NewReader(body), int64(len(body))) }
	for w = send(); w.Code == 204 && stored < 100; w = send() {
		stored++
	}
	return send, stored, w
}

// A blocked sink fills the memory, so requests get 429. When the sink continues, all rows land and
// requests are accepted again.
func TestSlowSink(t *testing.T) {
	r := newRig(t, Options{}, func(o *table.Options) { o.MaxBuffered, o.SealRows = 256<<10, 1 })
	moving := make(chan struct{})
	r.sink.land = func(ctx context.Context) error {
		select {
		case <-moving:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	send, stored, w := fillMemory(r)
	wantProblem(t, w, 429, "too many rows wait to be written to files: retry later")
	if stored < 3 {
		t.Errorf("%d were stored before", stored)
	}
	wantStatus(t, r.do("GET", "/ready", nil), 200)
	close(moving)
	if got := len(r.landed()["db.t"]); got != stored {
		t.Errorf("%d rows landed, %d were acknowledged", got, stored)
	}
	wantStatus(t, send(), 204)
}

// A failing sink makes the service not ready and fills the memory, so requests get 503.
func TestFailingSink(t *testing.T) {
	r := newRig(t, Options{}, func(o *table.Options) { o.MaxBuffered, o.SealRows = 256<<10, 1 })
	var broken atomic.Bool
	broken.Store(true)
	r.sink.land = func(context.Context) error {
		if broken.Load() {
			return errors.New("no space left on device")
		}
		return nil
	}
	send, stored, _ := fillMemory(r)
	for r.store.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	w := send()
	if w.Code != 503 || w.Header().Get("Retry-After") != "5" || !strings.Contains(w.Body.String(), "no space left on device") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := r.do("GET", "/ready", nil); w.Code != 503 || !strings.Contains(w.Body.String(), "no space left on device") {
		t.Errorf("/ready: %d %s", w.Code, w.Body)
	}
	wantStatus(t, r.do("GET", "/health", nil), 200)
	broken.Store(false)
	if got := len(r.landed()["db.t"]); got != stored {
		t.Errorf("%d rows landed, %d were acknowledged", got, stored)
	}
	wantStatus(t, r.do("GET", "/ready", nil), 200)
	wantStatus(t, send(), 204)
}

func TestLogFull(t *testing.T) {
	r := newRig(t, Options{}, func(o *table.Options) { o.WAL.MaxBytes = 100 << 10 })
	body := pack(t, dict{"time", list{t0}, "v", list{strings.Repeat("x", 30_000)}})
	for range 3 {
		wantStatus(t, r.send(bytes.NewReader(body), int64(len(body))), 204)
	}
	wantProblem(t, r.send(bytes.NewReader(body), int64(len(body))), 429, "the log is full of rows that are not yet in files: retry later")
}

// nearlyFull is the system's disk, but reports that only 10 MiB are free.
type nearlyFull struct{ disk.Disk }

func (nearlyFull) Free(string) (int64, error) { return 10 << 20, nil }

func TestLowDisk(t *testing.T) {
	r := newRig(t, Options{}, func(o *table.Options) { o.WAL.MinFree, o.WAL.Disk = 20<<20, nearlyFull{disk.OS} })
	body := pack(t, dict{"v", list{1}})
	w := r.send(bytes.NewReader(body), int64(len(body)))
	wantProblem(t, w, 503, "the disk is nearly full: nothing was stored, retry later")
	if w.Header().Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
	}
	const want = "{\"status\":\"not ready\",\"reason\":\"the disk is nearly full: 10 MiB are free; writes are accepted again at 20 MiB\"}\n"
	if w := r.do("GET", "/ready", nil); w.Code != 503 || w.Body.String() != want {
		t.Errorf("/ready: %d %s, want %s", w.Code, w.Body, want)
	}
}

func TestReady(t *testing.T) {
	h := New(Options{})
	ask := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		req := httptest.NewRequest(method, path, nil)
		req.Header.Set("Content-Type", "application/msgpack")
		h.ServeHTTP(w, req)
		return w
	}
	for _, c := range []struct{ method, path string }{{"POST", "/v1/write/db/t"}, {"POST", "/-/flush"}, {"GET", "/v1/tables"}} {
		wantProblem(t, ask(c.method, c.path), 503, "the service is not ready: see /ready, and retry later")
	}
	if w := ask("GET", "/ready"); w.Code != 503 || !strings.Contains(w.Body.String(), "recovering") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	wantStatus(t, ask("GET", "/health"), 200)

	r := newRig(t, Options{})
	wantStatus(t, r.do("GET", "/ready", nil), 200)
	wantStatus(t, r.do("HEAD", "/ready", nil), 200)
	r.h.Drain()
	wantStatus(t, r.do("GET", "/ready", nil), 503)
	wantStatus(t, r.v1(dict{"v", list{1}}, ""), 204)
	r.store.Close(context.Background())
	wantProblem(t, r.v1(dict{"v", list{1}}, ""), 503, "the service is stopping: nothing was stored, retry later")
}

func TestTablesAndFlush(t *testing.T) {
	r := newRig(t, Options{})
	if got := r.do("GET", "/v1/tables", nil).Body.String(); got != "[]\n" {
		t.Errorf("no tables: %s", got)
	}
	wantStatus(t, r.v1(dict{"time", list{t0}, "v", list{1.5}, "s", list{"x"}}, ""), 204)
	wantStatus(t, r.do("POST", "/-/flush", nil), 204)
	want := `[{"db":"db","table":"t","columns":[{"name":"time","type":"time"},{"name":"v","type":"float64"},{"name":"s","type":"string"}],` +
		`"rows":{"accepted":1,"landed":1,"pending":0},"files":1,"bytes":1,"landed_to":1,"oldest_seconds":0}]` + "\n"
	if got := r.do("GET", "/v1/tables", nil).Body.String(); got != want {
		t.Errorf("tables\n got %swant %s", got, want)
	}
}

// Each error of the store has the expected outcome and text. If the disk fails while a request
// waits for it, the result of the request is in doubt. A request that arrives after the failure is
// not in doubt: it gets 503.
func TestStoreErrors(t *testing.T) {
	r := newRig(t, Options{})
	stuck := errors.New("no space")
	for _, c := range []struct {
		err     error
		landing error
		outcome refusal.Outcome
		text    string
	}{
		{fmt.Errorf("%w: bad", table.ErrInvalid), nil, refusal.Invalid, "invalid: bad"},
		{table.ErrBusy, nil, refusal.Backlogged, "too many rows wait to be written to files: retry later"},
		{wal.ErrFull, nil, refusal.LogFull, "the log is full of rows that are not yet in files: retry later"},
		{table.ErrBusy, stuck, refusal.Stalled, "writing rows to files fails at present: nothing was stored, retry later (no space)"},
		{wal.ErrFull, stuck, refusal.Stalled, "writing rows to files fails at present: nothing was stored, retry later (no space)"},
		{wal.ErrLowDisk, nil, refusal.LowDisk, "the disk is nearly full: nothing was stored, retry later"},
		{table.ErrClosed, nil, refusal.NotReady, "the service is stopping: nothing was stored, retry later"},
		{wal.ErrClosed, nil, refusal.NotReady, "the service is stopping: nothing was stored, retry later"},
		{errors.New("table: something else"), nil, refusal.Stalled, "nothing was stored: table: something else"},
		{wal.ErrFailed, nil, refusal.InDoubt, "the disk failed while the rows were written: they may or may not be stored; the service must be restarted"},
		{fmt.Errorf("%w: fdatasync", wal.ErrFailed), nil, refusal.InDoubt, "the disk failed while the rows were written: they may or may not be stored; the service must be restarted"},
	} {
		got := refusal.Of(r.h.explain(fmt.Errorf("%w", c.err), func() error { return c.landing }, true))
		if got.Outcome != c.outcome || got.Text != c.text {
			t.Errorf("%v: %v %q", c.err, got.Outcome, got.Text)
		}
	}
	if status := refusal.InDoubt.Status(); status != 500 {
		t.Errorf("in doubt is %d, which clients send again", status)
	}
	wantProblem(t, r.v1(dict{"v", list{1}}, ""), 503, "the service is not ready: see /ready, and retry later")
}

// In one request, the rows of a table may be in at most 1000 different hours, because each hour
// becomes a file.
func TestHoursOfARequest(t *testing.T) {
	r := newRig(t, Options{})
	for hours, status := range map[int]int{1000: http.StatusNoContent, 1001: http.StatusBadRequest} {
		times := make([]any, hours)
		for i := range times {
			times[i] = 1_700_000_000 + 3600*i
		}
		w := r.v1(map[string]any{"time": times}, "")
		if wantStatus(t, w, status); status != http.StatusNoContent && !strings.Contains(w.Body.String(), "more than 1000 different hours") {
			t.Error(w.Body)
		}
	}
}
