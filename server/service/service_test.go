package service

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/query"
)

// settings returns the default settings with these flags, for a service in a temporary directory.
func settings(t *testing.T, flags ...string) *config.Serve {
	t.Helper()
	c := new(config.Serve)
	parser, err := kong.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(append([]string{"--listen=127.0.0.1:0", "--data=" + t.TempDir(), "--wal-segment=1MiB", "--wal-min-free=0", "--wal-reserve=0"}, flags...)); err != nil {
		t.Fatal(err)
	}
	return c
}

// run runs a service in this process. stop ends the service, and returns the error of Run.
func run(t *testing.T, c *config.Serve) (s *Service, stop func() error) {
	t.Helper()
	return runLogged(t, c, slog.DiscardHandler)
}

// runLogged is like run, but with a log.
func runLogged(t *testing.T, c *config.Serve, to slog.Handler) (s *Service, stop func() error) {
	t.Helper()
	s, err := New(c, "test", slog.New(to))
	if err != nil {
		t.Fatal(err)
	}
	return s, serve(t, s)
}

// serve runs a service until stop is called. It returns when the service is ready.
func serve(t *testing.T, s *Service) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(ctx) }()
	t.Cleanup(cancel)
	select {
	case <-s.Ready():
	case err := <-stopped:
		t.Fatal(err)
	}
	return func() error {
		cancel()
		return <-stopped
	}
}

func get(t *testing.T, client *http.Client, url string) (int, string) {
	t.Helper()
	a := ask(t, client, "GET", url, nil)
	return a.status, a.text
}

func TestStopLandsEverything(t *testing.T) {
	http.DefaultClient.CloseIdleConnections()
	before := runtime.NumGoroutine()
	c := settings(t, "--seal-age=1h")
	s, stop := run(t, c)
	sent := &sender{acknowledged: []int64{0}}
	if status, text, err := post(http.DefaultClient, s.URL()+"/api/v1/write/msgpack", arcBatch(t, 0)); err != nil || status != 204 {
		t.Fatal(status, text, err)
	}
	if n, err := query.CountRows(c.Data); err != nil || n != 0 {
		t.Fatal("before:", n, err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, idsOf(t, filepath.Join(c.Data, "tables")), []*sender{sent})
	if _, err := http.Get(s.URL() + "/health"); err == nil {
		t.Error("the service still answers")
	}
	if n, err := query.CountRows(c.Data); err != nil || n != perBatch {
		t.Error("after:", n, err)
	}
	http.DefaultClient.CloseIdleConnections()
	waitFor(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestMetricsAreServed(t *testing.T) {
	s, stop := run(t, settings(t))
	post(http.DefaultClient, s.URL()+"/api/v1/write/msgpack", arcBatch(t, 0))
	post(http.DefaultClient, s.URL()+"/-/flush", nil)
	_, text := get(t, http.DefaultClient, s.URL()+"/metrics")
	for _, want := range []string{
		`slipstream_requests_total{code="204",outcome="stored"} 1`, "slipstream_rows_accepted_total 20", "slipstream_rows_committed_total 20",
		"slipstream_rows_landed_total 20", "slipstream_rows_pending 0", "slipstream_ready 1", "slipstream_wal_sync_seconds_count", "go_goroutines", "process_",
		"go_cpu_classes_gc_total_cpu_seconds_total ", "go_cpu_classes_idle_cpu_seconds_total ", "go_cpu_classes_total_cpu_seconds_total ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestDataIsLocked(t *testing.T) {
	c := settings(t)
	_, stop := run(t, c)
	_, err := New(c, "test", slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "is in use by another process") {
		t.Errorf("a second service on the same directory: %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	_, stop = run(t, c)
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// If the log cannot be read, the service ends with an error that says what to do.
func TestDamagedLog(t *testing.T) {
	c := settings(t)
	s, stop := run(t, c)
	for i := range int64(3) {
		post(http.DefaultClient, s.URL()+"/api/v1/write/msgpack", arcBatch(t, i*perBatch))
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.Data, "wal", "00000001.wal")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[200] ^= 1
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err = New(c, "test", slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "slipctl wal repair") {
		t.Errorf("%v", err)
	}
}

func TestProfiles(t *testing.T) {
	s, stop := run(t, settings(t, "--pprof=127.0.0.1:0"))
	if status, text := get(t, http.DefaultClient, "http://"+s.profiles.Addr().String()+"/debug/pprof/"); status != 200 || !strings.Contains(text, "goroutine") {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := get(t, http.DefaultClient, s.URL()+"/debug/pprof/"); status != 404 {
		t.Errorf("profiles on the listener for everyone: %d", status)
	}
	if status, _ := get(t, http.DefaultClient, "http://"+s.profiles.Addr().String()+"/metrics"); status != 404 {
		t.Errorf("metrics on the listener for profiles: %d", status)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// certificate creates a certificate for 127.0.0.1, and a client that trusts it.
func certificate(t *testing.T) (cert, key string, client *http.Client) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for path, text := range map[string][]byte{cert: chain, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(chain)
	return cert, key, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
}

func TestTLS(t *testing.T) {
	cert, key, client := certificate(t)
	c := settings(t, "--tls-cert="+cert, "--tls-key="+key)
	s, stop := run(t, c)
	if !strings.HasPrefix(s.URL(), "https://") {
		t.Error(s.URL())
	}
	resp, err := client.Post(s.URL()+"/api/v1/write/msgpack", "application/msgpack", bytes.NewReader(arcBatch(t, 0)))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 204 || resp.ProtoMajor != 2 {
		t.Errorf("%s %s", resp.Status, resp.Proto)
	}
	if resp, err := http.Get("http" + strings.TrimPrefix(s.URL(), "https") + "/v1/tables"); err == nil {
		resp.Body.Close()
		if resp.StatusCode == 200 {
			t.Error("the service answers without TLS")
		}
	}
	client.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if n, _ := query.CountRows(c.Data); n != perBatch {
		t.Errorf("%d rows", n)
	}
	c.TLSKey = cert
	if _, err := New(c, "test", slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "--tls-cert and --tls-key") {
		t.Errorf("%v", err)
	}
}

// Headers that never end are cut off, and headers that are too long are rejected.
func TestHeads(t *testing.T) {
	s, stop := run(t, settings(t, "--timeout-header=100ms"))
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST /v1/write/db/t HTTP/1.1\r\nHost: x\r\n")
	conn.SetReadDeadline(time.Now().Add(patience))
	if b, err := io.ReadAll(conn); err != nil {
		t.Errorf("a slow head: %q, %v", b, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}

	s, stop = run(t, settings(t))
	req, _ := http.NewRequest("GET", s.URL()+"/health", nil)
	req.Header.Set("X-Long", strings.Repeat("x", 30<<10))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a long head: %s", resp.Status)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestQuery(t *testing.T) {
	c := settings(t)
	s, stop := run(t, c)
	body := map[string]any{"time": []int64{1_700_000_000, 1_700_003_600, 1_699_999_999}, "v": []any{1.5, nil, -2}, "name": []string{"a", "b\n", ""}, "ok": []bool{true, false, true}}
	for _, table := range []string{"x/one", "x/two"} {
		if status, text, err := post(http.DefaultClient, s.URL()+"/v1/write/"+table, pack(t, body)); err != nil || status != 204 {
			t.Fatal(status, text, err)
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := (&query.Query{Dir: filepath.Join(c.Data, "tables"), Table: "x.one", Rows: 2}).Run(&out); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	want := "table rows files first last\n" +
		"x.one 3 2 2023-11-14T22:13:19.000Z 2023-11-14T23:13:20.000Z\n" +
		"\nx.one\n" +
		"time name ok v\n" +
		"2023-11-14T22:13:19.000Z \"\" true -2\n" +
		"2023-11-14T22:13:20.000Z a true 1.5\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	out.Reset()
	if err := (&query.Query{Dir: filepath.Join(c.Data, "tables"), Rows: 0}).Run(&out); err != nil || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := (&query.Query{Dir: t.TempDir()}).Run(&out); err == nil || !strings.Contains(err.Error(), "no Parquet files in ") {
		t.Errorf("%v", err)
	}
}

func TestDemo(t *testing.T) {
	var out strings.Builder
	d := &Demo{Duration: 300 * time.Millisecond, Interval: 100 * time.Millisecond}
	if err := d.Run(context.Background(), settings(t), "test", &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"acknowledged − landed = 0", "demo.process", "goroutines"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

func TestCommands(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := start(t, dir, "--seal-age=1h")
	c.cmd.Process.Signal(syscall.SIGHUP) // re-reads files; the service continues
	if status, text, err := post(http.DefaultClient, c.url+"/api/v1/write/msgpack", arcBatch(t, 0)); err != nil || status != 204 {
		t.Fatal(status, text, err)
	}
	c.stop()
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, []byte(`{"no-such": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		ok   bool
		want string
	}{
		{[]string{"version"}, true, "slipstream "},
		{[]string{"serve", "--listen=0.0.0.0:0", "--data=" + dir}, false, "accepts connections from other machines"},
		{[]string{"serve", "--config=" + file}, false, `sets "no-such", which is not a setting`},
	} {
		out, err := exec.Command(path, c.args...).CombinedOutput()
		if (err == nil) != c.ok || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
	}
}

// counting counts log records.
type counting struct {
	slog.Handler
	n atomic.Int64
}

func (c *counting) Enabled(context.Context, slog.Level) bool { return true }

func (c *counting) Handle(_ context.Context, r slog.Record) error {
	c.n.Add(1)
	return nil
}

// An error that occurs many times a second is logged once a second.
func TestLogIsThrottled(t *testing.T) {
	c := &counting{Handler: slog.DiscardHandler}
	s, err := New(settings(t), "test", slog.New(c))
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	before := c.n.Load()
	for range 1000 {
		s.log.Error("write failed", "error", os.ErrInvalid)
	}
	if n := c.n.Load() - before; n < 1 || n > 500 {
		t.Errorf("%d lines", n)
	}
}
