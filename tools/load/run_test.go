package load

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Requests are sent in every form. Each acknowledged row has arrived at the service, with a unique
// time.
func TestRun(t *testing.T) {
	for _, endpoint := range []string{"arc", "v1"} {
		for _, format := range []string{"columnar", "row", "schema"} {
			if format == "schema" && endpoint == "arc" {
				continue
			}
			for _, compress := range []string{"none", "gzip", "zstd"} {
				t.Run(endpoint+" "+format+" "+compress, func(t *testing.T) {
					s := newService(t, nil)
					o := s.options()
					o.Endpoint, o.Format, o.Compress = endpoint, format, compress
					o.DataDir, o.CountRows = "data", s.landed
					r := mustRun(t, o)
					if r.Acknowledged == 0 || r.Acknowledged != s.rows || r.Acknowledged != 7*r.Requests {
						t.Errorf("%d rows acknowledged in %d requests, the service has %d", r.Acknowledged, r.Requests, s.rows)
					}
					if r.Statuses[204] != r.Requests || len(r.Statuses) != 1 || r.InDoubt != 0 || r.Errors != 0 {
						t.Errorf("statuses %v, %d rows in doubt, %d errors", r.Statuses, r.InDoubt, r.Errors)
					}
					if r.Connections != 2 {
						t.Errorf("%d connections, want one for each worker", r.Connections)
					}
					if r.Latency.P50 <= 0 || r.Latency.P50 > r.Latency.P99 || r.Latency.P999 > r.Latency.Max {
						t.Errorf("latency %+v", r.Latency)
					}
					if s.flushes != 2 || r.Landed == nil || r.Landed.Missing != 0 || r.Landed.How != "flush" {
						t.Errorf("%d flushes, landed %+v", s.flushes, r.Landed)
					}
					if (s.schemas == 1) != (format == "schema") {
						t.Errorf("%d schemas were registered", s.schemas)
					}
					if len(s.times) != 4 {
						t.Errorf("%d tables, want 4", len(s.times))
					}
					for table, times := range s.times {
						for at, n := range times {
							if n > 1 && compress == "none" {
								t.Fatalf("%s: %d rows have time %d", table, n, at)
							}
							if d := time.Since(time.UnixMicro(at)).Abs(); d > time.Hour {
								t.Fatalf("%s: time %d is %v away", table, at, d)
							}
						}
					}
				})
			}
		}
	}
}

func TestRunHeaders(t *testing.T) {
	s := newService(t, nil)
	o := s.options()
	o.URL += "/prefix/"
	o.Endpoint, o.Durability, o.Database, o.Token, o.Compress = "arc", "async", "production", "secret", "gzip"
	s.reply = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		w.WriteHeader(http.StatusNoContent)
		return true
	}
	mustRun(t, o)
	if got, want := s.paths[0], "/prefix/api/v1/write/msgpack?durability=async"; got != want {
		t.Errorf("path %s, want %s", got, want)
	}
	for name, want := range map[string]string{
		"X-Arc-Database": "production", "Authorization": "Bearer secret", "Content-Type": "application/msgpack", "Content-Encoding": "",
	} {
		if got := s.headers[0].Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}

	first := len(s.paths)
	o.URL, o.Endpoint, o.Durability, o.Tables = s.URL, "v1", "sync", 1
	mustRun(t, o)
	if got, want := s.paths[first], "/v1/write/production/cpu"; got != want {
		t.Errorf("path %s, want %s", got, want)
	}
	if got := s.headers[first].Get("Content-Encoding"); got != "gzip" {
		t.Errorf("Content-Encoding %q, want gzip", got)
	}
}

// Every second request is rejected. The rejected request is sent again, and no row is counted
// twice.
func TestRunRetries(t *testing.T) {
	for status, retryAfter := range map[int]string{429: "0", 503: "0", 408: ""} {
		s := newService(t, func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%2 == 0 {
				return false
			}
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			http.Error(w, "busy", status)
			return true
		})
		o := s.options()
		o.Workers = 1
		r := mustRun(t, o)
		if r.Acknowledged == 0 || r.Acknowledged != s.rows || r.Acknowledged != 7*r.Statuses[204] {
			t.Errorf("%d: %d rows acknowledged, statuses %v, the service has %d", status, r.Acknowledged, r.Statuses, s.rows)
		}
		if r.Retries != r.Statuses[status] || r.InDoubt != 0 || r.Connections != 1 {
			t.Errorf("%d: %d retries, %d rows in doubt, %d connections, statuses %v", status, r.Retries, r.InDoubt, r.Connections, r.Statuses)
		}
		for i := 0; i+1 < len(s.bodies); i += 2 {
			if !bytes.Equal(s.bodies[i], s.bodies[i+1]) {
				t.Fatalf("%d: request %d is not request %d again", status, i+1, i)
			}
		}
	}
}

// A Retry-After of one hour is shortened to a pause that fits into the run.
func TestRunBoundsRetryAfter(t *testing.T) {
	s := newService(t, func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n == 1 {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return n == 1
	})
	o := s.options()
	o.Workers = 1
	if r := mustRun(t, o); r.Acknowledged == 0 || r.Retries != 1 {
		t.Errorf("%d rows acknowledged after %d retries", r.Acknowledged, r.Retries)
	}
}

// The service closes the connection after each response, and announces this in the response. The
// workers reconnect.
func TestRunReconnects(t *testing.T) {
	s := newService(t, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Connection", "close")
		return false
	})
	r := mustRun(t, s.options())
	if r.Acknowledged != s.rows || r.Requests < 2 || r.Connections < r.Requests || r.Errors != 0 || r.InDoubt != 0 {
		t.Errorf("%d of %d rows, %d requests, %d connections, %d errors, %d rows in doubt",
			r.Acknowledged, s.rows, r.Requests, r.Connections, r.Errors, r.InDoubt)
	}
}

// A request that is broken off, or that fails inside the service, is not sent again.
func TestRunInDoubt(t *testing.T) {
	for name, reply := range map[string]func(w http.ResponseWriter){
		"cut": func(w http.ResponseWriter) {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		},
		"half a reply": func(w http.ResponseWriter) {
			c, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
			c.Close()
		},
		"500": func(w http.ResponseWriter) { http.Error(w, "the disk has failed", http.StatusInternalServerError) },
	} {
		s := newService(t, func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n == 2 {
				reply(w)
			}
			return n == 2
		})
		o := s.options()
		o.Workers = 1
		r := mustRun(t, o)
		if r.InDoubt != 7 || r.FirstError == "" || r.Acknowledged == 0 || r.Acknowledged != s.rows {
			t.Errorf("%s: %d rows in doubt, first error %q, %d of %d rows acknowledged", name, r.InDoubt, r.FirstError, r.Acknowledged, s.rows)
		}
		seen := make(map[string]bool)
		for _, b := range s.bodies {
			if seen[string(b)] {
				t.Errorf("%s: a request was sent twice", name)
			}
			seen[string(b)] = true
		}
	}
}

func TestRunChunkedReplies(t *testing.T) {
	s := newService(t, nil)
	s.reply = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		for range 3 {
			io.WriteString(w, strings.Repeat("accepted ", 200))
			w.(http.Flusher).Flush()
		}
		return true
	}
	r := mustRun(t, s.options())
	if r.Statuses[200] != int64(len(s.bodies)) || r.Requests < 3 || r.Connections != 2 || r.Errors != 0 {
		t.Errorf("statuses %v for %d requests, %d connections, %d errors", r.Statuses, len(s.bodies), r.Connections, r.Errors)
	}
}

// The run ends when a request is rejected, and the error contains the service's text.
func TestRunRefused(t *testing.T) {
	s := newService(t, func(n int, w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "no such token\nand more", http.StatusUnauthorized)
		return true
	})
	o := s.options()
	o.Requests = 0
	r, err := Run(context.Background(), o, io.Discard)
	if err == nil || !strings.HasSuffix(err.Error(), "answered 401: no such token") {
		t.Errorf("error %v", err)
	}
	if r == nil || r.Acknowledged != 0 || r.Statuses[401] == 0 {
		t.Errorf("report %+v", r)
	}
}

// The service rejects a large body without reading it, and closes the connection. The error
// contains the service's response.
func TestRunRefusedEarly(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large")
		c.(interface{ CloseWrite() error }).CloseWrite()
		io.Copy(io.Discard, c)
		c.Close()
	}))
	defer server.Close()
	o := smallOptions(server.URL)
	o.Rows, o.Pregenerate = 100_000, 1
	_, err := Run(context.Background(), o, io.Discard)
	if err == nil || !strings.HasSuffix(err.Error(), "answered 413: too large") {
		t.Errorf("error %v", err)
	}
}

// TestRunCancel cancels the run while the service delays a response.
func TestRunCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	waiting := make(chan struct{})
	release := make(chan struct{})
	s := newService(t, func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n < 3 {
			return false
		}
		if n == 3 {
			close(waiting)
		}
		<-release
		return true
	})
	before := runtime.NumGoroutine()
	o := s.options()
	o.Workers, o.Requests = 1, 0
	o.DataDir, o.CountRows = "data", s.landed
	go func() {
		<-waiting
		cancel()
	}()
	done := make(chan *Report)
	go func() {
		r, err := Run(ctx, o, io.Discard)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	select {
	case r := <-done:
		if !r.Interrupted || r.Acknowledged != 14 || r.InDoubt != 7 || r.Landed != nil || r.Errors != 0 {
			t.Errorf("report %+v", r)
		}
	case <-time.After(patience):
		t.Fatal("the run goes on after it was cancelled")
	}
	close(release)
	s.CloseClientConnections()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before the run", runtime.NumGoroutine(), before)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestRunLandingMismatch(t *testing.T) {
	for change, want := range map[int64]string{-3: "3 acknowledged rows are not in files", 5: "5 more rows are in files"} {
		s := newService(t, nil)
		o := s.options()
		counts := 0
		o.DataDir, o.CountRows = "data", func(dir string) (int64, error) {
			n, err := s.landed(dir)
			if counts++; counts == 1 {
				return 100, os.ErrNotExist // the directory does not exist yet, so the number is ignored
			}
			return n + change, err
		}
		r, err := Run(context.Background(), o, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if r.Landed.Missing != -change {
			t.Errorf("%d rows missing, want %d", r.Landed.Missing, -change)
		}
	}
}

// The server has no flush endpoint, and its files appear late. The run waits for them.
func TestRunWithoutFlush(t *testing.T) {
	s := newService(t, nil)
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/-/flush" {
			http.NotFound(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	})
	o := s.options()
	counts := 0
	o.DataDir, o.CountRows = "data", func(dir string) (int64, error) {
		if counts++; counts < 3 {
			return 0, nil
		}
		return s.landed(dir)
	}
	if r := mustRun(t, o); r.Landed.Missing != 0 || r.Landed.How != "wait" {
		t.Errorf("landed %+v", r.Landed)
	}
}

func TestRunTLS(t *testing.T) {
	s := newService(t, nil)
	server := httptest.NewUnstartedServer(s.Config.Handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // hides the message about a handshake that fails
	server.StartTLS()
	defer server.Close()
	o := s.options()
	o.URL = server.URL
	if _, err := Run(context.Background(), o, io.Discard); err == nil {
		t.Error("a certificate of unknown origin was accepted")
	}
	o.TLS = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	o.TLS.ServerName = "example.com"
	if r := mustRun(t, o); r.Acknowledged == 0 || r.Acknowledged != s.rows {
		t.Errorf("%d of %d rows", r.Acknowledged, s.rows)
	}
}

// The run keeps the rate. Each worker's second request would be due after the end of the run.
func TestRunRate(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newService(t, func(n int, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 2 {
			time.AfterFunc(100*time.Millisecond, cancel) // by then, further requests would have arrived
		}
		return false
	})
	o := s.options()
	o.Requests = 0
	o.Rate = 1.0 / 1000 // in rows per second; each of the two workers sends one request in four hours
	_, err := Run(ctx, o, io.Discard)
	s.mu.Lock() // the response to the second request may be outstanding at the end of the run, so requests are counted
	defer s.mu.Unlock()
	if err != nil || s.requests != 2 {
		t.Errorf("%d requests came, %v, want 2", s.requests, err)
	}
}

func TestRunNothingThere(t *testing.T) {
	s := newService(t, nil)
	o := s.options()
	s.Close()
	_, err := Run(context.Background(), o, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "start the service") {
		t.Errorf("error %v", err)
	}
}

func TestRunOutput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	s := newService(t, nil)
	o := s.options()
	o.PID = os.Getpid()
	var out bytes.Buffer
	want, err := Run(context.Background(), o, &out)
	if err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Acknowledged != want.Acknowledged || got.Server == nil || got.Server.PeakBytes <= 0 || got.Statuses[204] != want.Requests {
		t.Errorf("JSON %s", out.Bytes())
	}

	out.Reset()
	o.JSON = false
	o.DataDir, o.CountRows = "data", s.landed
	if _, err := Run(context.Background(), o, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"acknowledged", "requests", "204: ", "p99.9", "degradation", "server", "landed", "acknowledged − landed  0 rows"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, out.String())
		}
	}
}

func TestRunProc(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	s := newService(t, nil)
	o := s.options()
	o.Source = "proc"
	r := mustRun(t, o)
	if r.Acknowledged == 0 || r.Acknowledged != s.rows || len(s.times["cpu"]) < 2 || len(s.times["mem"]) < 2 {
		t.Errorf("%d of %d rows acknowledged, times %v", r.Acknowledged, s.rows, s.times)
	}
}
