package service

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/query"
)

// seriesFor returns a Remote Write body with a sample for each tenant.
func seriesFor(tenants ...string) []byte {
	r := new(remotewrite.Request)
	for i, tenant := range tenants {
		r.Series = append(r.Series, remotewrite.Series{
			Labels:  []remotewrite.Label{{Name: "__name__", Value: "up"}, {Name: "__tenant__", Value: tenant}, {Name: "job", Value: "j"}},
			Samples: []remotewrite.Sample{{Value: float64(i), Timestamp: time.Now().UnixMilli()}},
		})
	}
	return s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, r))
}

// push posts a body, with a bearer token unless it is empty.
func push(t *testing.T, client *http.Client, base, token string, body []byte) (int, string) {
	t.Helper()
	var header []string
	if token != "" {
		header = []string{"Authorization", "Bearer " + token}
	}
	a := ask(t, client, "POST", base+"/api/v1/push", body, header...)
	return a.status, a.text
}

// target is a relay target that counts posts by tenant.
type target struct {
	*httptest.Server
	mu    sync.Mutex
	posts map[string]int
}

func newTarget(t *testing.T) *target {
	to := &target{posts: make(map[string]int)}
	to.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to.mu.Lock()
		to.posts[r.Header.Get("X-Scope-OrgID")]++
		to.mu.Unlock()
	}))
	t.Cleanup(to.Close)
	return to
}

func (to *target) got(tenant string) int {
	to.mu.Lock()
	defer to.mu.Unlock()
	return to.posts[tenant]
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// With the default settings, the response to Remote Write is sent when the samples are on disk.
// They land in a table for each tenant.
func TestRemoteWriteLands(t *testing.T) {
	c := settings(t)
	s, stop := run(t, c)
	if status, text := push(t, http.DefaultClient, s.URL(), "", seriesFor("a", "b", "")); status != 204 {
		t.Fatal(status, text)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	for _, tenant := range []string{"a", "b", "anonymous"} {
		rows := 0
		err := query.EachFile(filepath.Join(c.Data, "tables", "metrics", tenant), func(path string) error {
			return parquet.Scan(path, func(b *column.Batch) error {
				rows += b.Rows
				return nil
			})
		})
		if err != nil || rows != 1 {
			t.Errorf("%s: %d rows, %v", tenant, rows, err)
		}
	}
}

// Remote Write has no keys and no parameters. As documented, a request that is sent twice lands
// twice.
func TestRemoteWriteHasNoKeys(t *testing.T) {
	c := settings(t)
	s, stop := run(t, c)
	body := seriesFor("a")
	for range 2 {
		status, text := as(t, "", "POST", s.URL()+"/api/v1/push?batch_id=k&x=1", body, "Content-Type", "application/x-protobuf", "Content-Encoding", "snappy", "Idempotency-Key", "k")
		if status != 204 {
			t.Fatal(status, text)
		}
	}
	if n := s.handler.Stats().Again; n != 0 {
		t.Errorf("%d requests count as sent again", n)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	rows := 0
	err := query.EachFile(filepath.Join(c.Data, "tables", "metrics", "a"), func(path string) error {
		return parquet.Scan(path, func(b *column.Batch) error {
			rows += b.Rows
			return nil
		})
	})
	if err != nil || rows != 2 {
		t.Errorf("%d rows, %v, want 2", rows, err)
	}
}

// Rules, and the secret files that they name, are read again when they change. Invalid rules are
// not used.
func TestRulesReload(t *testing.T) {
	to := newTarget(t)
	dir := t.TempDir()
	rules, secret := filepath.Join(dir, "rules.json"), filepath.Join(dir, "secret")
	writeText(t, secret, "first\n")
	writeText(t, rules, `{"credentials": [{"name": "p", "token_file": "secret", "tenants": ["a"]}]}`)
	s, stop := run(t, settings(t, "--relay.target="+to.URL, "--relay.rules="+rules))
	wants := func(token, tenant string, want int) {
		t.Helper()
		if status, text := push(t, http.DefaultClient, s.URL(), token, seriesFor(tenant)); status != want {
			t.Errorf("%s for %s: %d, want %d: %s", token, tenant, status, want, text)
		}
	}
	wants("first", "a", 204)
	wants("first", "b", 400)
	wants("second", "a", 401)
	wants("", "a", 401)

	writeText(t, secret, "second\n")
	s.Reload()
	wants("first", "a", 401)
	wants("second", "a", 204)

	writeText(t, rules, `{"credentials": []`)
	s.Reload()
	wants("second", "a", 204)
	if st := s.watcher.Stats(); st.Failed != 1 {
		t.Errorf("%+v", st)
	}

	writeText(t, rules, `{"credentials": [{"name": "p", "token_file": "secret", "tenants": ["*"]}], "tenants": {"a": {"as": "other"}, "b": {"labels_per_series": 2}}}`)
	waitFor(t, "the new rules, which nobody asks to be read", func() bool {
		wants("second", "a", 204)
		return to.got("other") > 0
	})
	wants("second", "b", 400)
	if err := stop(); err != nil {
		t.Error(err)
	}
	if to.got("b") != 0 {
		t.Error("the target got something for b")
	}
}

// A client with a certificate may write for the tenants of its credential, but not for others. A
// client without a certificate may not write.
func TestCertificatesNameTenants(t *testing.T) {
	to := newTarget(t)
	cert, key, anonymous := certificate(t)
	ca, caKey, _ := certificate(t)
	rules := filepath.Join(t.TempDir(), "rules.json")
	writeText(t, rules, `{"credentials": [{"name": "agents", "certificate": "agent", "tenants": ["team-*"]}]}`)
	s, stop := run(t, settings(t, "--tls-cert="+cert, "--tls-key="+key, "--tls-client-ca="+ca, "--relay.target="+to.URL, "--relay.rules="+rules))
	config := anonymous.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.Certificates = []tls.Certificate{signed(t, ca, caKey, time.Now().Add(time.Hour))}
	known := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	defer known.CloseIdleConnections()
	for _, one := range []struct {
		client *http.Client
		tenant string
		want   int
		words  string
	}{
		{known, "team-a", 204, ""}, {known, "other", 400, "not valid for this tenant"}, {anonymous, "team-a", 401, "credentials"},
	} {
		if status, text := push(t, one.client, s.URL(), "", seriesFor(one.tenant)); status != one.want || !strings.Contains(text, one.words) {
			t.Errorf("%s: %d, want %d: %s", one.tenant, status, one.want, text)
		}
	}
	anonymous.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if to.got("team-a") != 1 || to.got("other") != 0 {
		t.Errorf("%v", to.posts)
	}
}

// If the rules define no credentials, the tokens of the service also apply to the relay.
func TestTokensGuardTheRelay(t *testing.T) {
	to := newTarget(t)
	t.Setenv("SLIPSTREAM_TOKEN", "secret")
	s, stop := run(t, settings(t, "--relay.target="+to.URL))
	for token, want := range map[string]int{"secret": 204, "guess": 401, "": 401} {
		if status, text := push(t, http.DefaultClient, s.URL(), token, seriesFor("a")); status != want {
			t.Errorf("%q: %d, want %d: %s", token, status, want, text)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// If the service stops, the next service delivers the items in the queue.
func TestQueueOutlivesTheService(t *testing.T) {
	to := newTarget(t)
	dir := t.TempDir()
	s, stop := run(t, settings(t, "--relay.target=http://127.0.0.1:1/", "--relay.queue="+dir))
	if status, text := push(t, http.DefaultClient, s.URL(), "", seriesFor("a", "b")); status != 204 {
		t.Fatal(status, text)
	}
	if _, text := get(t, http.DefaultClient, s.URL()+"/metrics"); !strings.Contains(text, "slipstream_relay_queue_items 2") {
		t.Error("the metrics do not tell of two items")
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	_, stop = run(t, settings(t, "--relay.target="+to.URL, "--relay.queue="+dir))
	waitFor(t, "the queue to be delivered", func() bool { return to.got("a")+to.got("b") == 2 })
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// Tokens are read again when their file changes. A file without tokens changes nothing.
func TestTokensReload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	writeText(t, file, "first\n")
	s, stop := run(t, settings(t, "--token-file="+file))
	for _, step := range []struct {
		text string
		want map[string]int
	}{
		{"first\n", map[string]int{"first": 204, "second": 401}},
		{"# both\nfirst\nsecond\n", map[string]int{"first": 204, "second": 204}},
		{"second\n", map[string]int{"first": 401, "second": 204}},
		{"# none\n", map[string]int{"first": 401, "second": 204, "": 401}},
	} {
		writeText(t, file, step.text)
		s.Reload()
		for token, want := range step.want {
			if status, text := push(t, http.DefaultClient, s.URL(), token, seriesFor("a")); status != want {
				t.Errorf("%q, %q: %d, want %d: %s", step.text, token, status, want, text)
			}
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// The relay serves the paths of cortex-tenant. The error for any other path lists the paths for
// Remote Write.
func TestPathsOfTheRelay(t *testing.T) {
	to := newTarget(t)
	s, stop := run(t, settings(t, "--relay.target="+to.URL))
	for _, path := range []string{"/push", "/api/v1/push", "/api/v1/write"} {
		resp, err := http.Post(s.URL()+path, "application/x-protobuf", bytes.NewReader(seriesFor("a")))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 204 {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	if n := to.got("a"); n != 3 {
		t.Errorf("the target got %d posts", n)
	}
	if status, text := get(t, http.DefaultClient, s.URL()+"/alive"); status != 200 {
		t.Errorf("/alive: %d %s", status, text)
	}
	const want = "there is no endpoint at /api/push: send Remote Write to /api/v1/push, /api/v1/write or /push"
	if status, text := get(t, http.DefaultClient, s.URL()+"/api/push"); status != 404 || !strings.Contains(text, want) {
		t.Errorf("%d %s", status, text)
	}
	s.handler.Drain()
	if status, text := get(t, http.DefaultClient, s.URL()+"/alive"); status != 503 || !strings.Contains(text, "stopping") {
		t.Errorf("/alive of one that is stopping: %d %s", status, text)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	s, stop = run(t, settings(t))
	const both = "write to /v1/write/{db}/{table} or /api/v1/write/msgpack, or send Remote Write to /api/v1/push, /api/v1/write or /push"
	if status, text := get(t, http.DefaultClient, s.URL()+"/api/push"); status != 404 || !strings.Contains(text, both) {
		t.Errorf("%d %s", status, text)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A queue with a damaged log starts and delivers the intact items. Metrics report the damaged parts
// that were set aside.
func TestDamagedQueueStarts(t *testing.T) {
	dir := t.TempDir()
	s, stop := run(t, settings(t, "--relay.target=http://127.0.0.1:1/", "--relay.queue="+dir))
	for _, tenant := range []string{"first", "second", "third"} {
		if status, text := push(t, http.DefaultClient, s.URL(), "", seriesFor(tenant)); status != 204 {
			t.Fatal(status, text)
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.wal"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	b, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	b[bytes.Index(b, []byte("second"))] ^= 1
	writeText(t, paths[0], string(b))

	to := newTarget(t)
	s, stop = run(t, settings(t, "--relay.target="+to.URL, "--relay.queue="+dir))
	waitFor(t, "what is whole", func() bool { return to.got("first") == 1 && to.got("third") == 1 })
	_, text := get(t, http.DefaultClient, s.URL()+"/metrics")
	for _, want := range []string{"slipstream_relay_queue_damage_total 1\n", "slipstream_relay_queue_damaged_records_total 1\n", "slipstream_relay_queue_set_aside_files 1\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics do not say %q", want)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if to.got("second") != 0 {
		t.Error("the damaged one was delivered")
	}
}

// All valid data of Remote Write lands: exemplars alone, metadata alone, all kinds of histograms,
// NaN and infinite values.
func TestReceivedSeriesLand(t *testing.T) {
	named := func(name string, change func(s *remotewrite.Series)) remotewrite.Series {
		s := remotewrite.Series{Labels: []remotewrite.Label{{Name: "__name__", Value: name}, {Name: "__tenant__", Value: "a"}}}
		change(&s)
		return s
	}
	now := time.Now().UnixMilli()
	sample := func(v float64) func(s *remotewrite.Series) {
		return func(s *remotewrite.Series) { s.Samples = []remotewrite.Sample{{Value: v, Timestamp: now}} }
	}
	exemplar := func(s *remotewrite.Series) {
		s.Exemplars = []remotewrite.Exemplar{{Value: 1, Timestamp: now}}
	}
	histogram := func(h remotewrite.Histogram) func(s *remotewrite.Series) {
		return func(s *remotewrite.Series) { h.Timestamp = now; s.Histograms = []remotewrite.Histogram{h} }
	}
	list := []remotewrite.Series{
		named("nan", sample(math.NaN())), named("stale", sample(math.Float64frombits(remotewrite.StaleNaN))), named("inf", sample(math.Inf(-1))),
		named("exemplars alone", exemplar),
		named("metadata alone", func(s *remotewrite.Series) {
			s.Metadata = remotewrite.Metadata{Type: remotewrite.MetricTypeCounter, Help: "ä\n\""}
		}),
		named("empty", histogram(remotewrite.Histogram{Count: remotewrite.IntCount(0)})),
		named("custom", histogram(remotewrite.Histogram{Count: remotewrite.IntCount(3), Schema: -53, CustomValues: []float64{0.1, 1}, Positive: remotewrite.Buckets{Spans: []remotewrite.BucketSpan{{Length: 2}}, Deltas: []int64{1, 1}}})),
		named("floats", histogram(remotewrite.Histogram{Count: remotewrite.FloatCount(0.5), ZeroCount: remotewrite.FloatCount(0.5), ZeroThreshold: 1e-128})),
	}
	for version, contentType := range map[remotewrite.Version]string{remotewrite.V1: "application/x-protobuf", remotewrite.V2: "application/x-protobuf;proto=io.prometheus.write.v2.Request"} {
		c := settings(t)
		s, stop := run(t, c)
		body := s2.EncodeSnappy(nil, remotewrite.Append(nil, version, &remotewrite.Request{Series: list}))
		resp, err := http.Post(s.URL()+"/api/v1/push", contentType, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		want := map[remotewrite.Version]string{remotewrite.V1: "", remotewrite.V2: "3 3 1"}[version]
		written := strings.TrimSpace(resp.Header.Get("X-Prometheus-Remote-Write-Samples-Written") + " " + resp.Header.Get("X-Prometheus-Remote-Write-Histograms-Written") + " " + resp.Header.Get("X-Prometheus-Remote-Write-Exemplars-Written"))
		if resp.StatusCode != 204 || written != want {
			t.Errorf("version %d: %s, %q written: %s", version, resp.Status, written, text)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		for table, want := range map[string]int{"a": 3, "a-histograms": 3, "a-exemplars": 1} {
			rows := 0
			err := query.EachFile(filepath.Join(c.Data, "tables", "metrics", table), func(path string) error {
				return parquet.Scan(path, func(b *column.Batch) error {
					rows += b.Rows
					return nil
				})
			})
			if err != nil || rows != want {
				t.Errorf("version %d: %s has %d rows, want %d: %v", version, table, rows, want, err)
			}
		}
	}
}

// crowded is the system's disk, but the queue's directory can be full.
type crowded struct {
	disk.Disk
	full *atomic.Bool
}

func (d crowded) Free(dir string) (int64, error) {
	if strings.HasSuffix(dir, "/queue") && d.full.Load() {
		return 1000, nil
	}
	return d.Disk.Free(dir)
}

// If the queue's disk is full, /ready and responses to senders report it, without a path. When
// space is free again, the relay continues without a restart.
func TestFullDiskOfTheQueue(t *testing.T) {
	to, dir := newTarget(t), t.TempDir()
	var full atomic.Bool
	listen := func(address string) (net.Listener, error) { return net.Listen("tcp", address) }
	m := machine{disk: crowded{disk.OS, &full}, listen: listen, lookup: net.DefaultResolver.LookupNetIP}
	c := settings(t, "--wal-min-free=4MiB", "--relay.target="+to.URL, "--relay.queue="+dir+"/queue")
	s, err := newOn(m, c, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	stop := serve(t, s)
	ready := func() (int, string) { return get(t, http.DefaultClient, s.URL()+"/ready") }
	taken := func() (int, string) { return push(t, http.DefaultClient, s.URL(), "", seriesFor("a")) }
	for range 2 {
		waitFor(t, "/ready to say yes", func() bool { status, _ := ready(); return status == 200 })
		waitFor(t, "series to be taken", func() bool { status, _ := taken(); return status == 204 })
		full.Store(true)
		waitFor(t, "series to be refused", func() bool { status, _ := taken(); return status == 503 })
		if _, text := taken(); strings.Contains(text, dir) || !strings.Contains(text, "disk") {
			t.Errorf("senders are told %q", text)
		}
		waitFor(t, "/ready to say no", func() bool { status, _ := ready(); return status == 503 })
		if _, text := ready(); !strings.Contains(text, "the relay's queue") || !strings.Contains(text, "MiB") || strings.Contains(text, dir) {
			t.Errorf("/ready: %s", text)
		}
		full.Store(false)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
