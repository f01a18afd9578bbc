package load

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/slipstream-go/slipstream/msgpack"
)

// service is a server that decodes the requests and counts their rows.
type service struct {
	*httptest.Server

	// reply sends the response to request n, counted from 1. If it returns false, the service
	// responds as usual, with a 204.
	reply func(n int, w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	requests int
	flushes  int
	schemas  int // number of registrations
	paths    []string
	headers  []http.Header
	bodies   [][]byte
	rows     int64 // of the requests that were answered with 204
	times    map[string]map[int64]int
	problems []string
}

func newService(t *testing.T, reply func(n int, w http.ResponseWriter, r *http.Request) bool) *service {
	s := &service{reply: reply, times: make(map[string]map[int64]int)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.Close()
		for _, p := range s.problems {
			t.Error(p)
		}
	})
	return s
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/-/flush" {
		s.mu.Lock()
		s.flushes++
		s.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.Method == "PUT" && r.URL.Path == "/v1/schemas/"+schemaName {
		s.mu.Lock()
		s.schemas++
		s.mu.Unlock()
		w.WriteHeader(http.StatusCreated)
		return
	}
	if r.URL.Path == "/metrics" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.requests++
	n := s.requests
	s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has closed the connection, as in TestRunCancel
	}
	s.mu.Lock()
	s.paths = append(s.paths, r.URL.RequestURI())
	s.headers = append(s.headers, r.Header.Clone())
	s.bodies = append(s.bodies, body)
	s.mu.Unlock()
	if s.reply != nil && s.reply(n, w, r) {
		return
	}
	decode := decodeBody
	if r.Header.Get("Content-Type") == codedType() {
		decode = decodeCoded
	}
	s.store(r.URL.Path, body, decode)
	w.WriteHeader(http.StatusNoContent)
}

func (s *service) store(path string, body []byte, decode func(path string, body []byte) (map[string][]int64, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	got, err := decode(path, body)
	if err != nil {
		s.problems = append(s.problems, err.Error())
		return
	}
	for table, times := range got {
		if s.times[table] == nil {
			s.times[table] = make(map[int64]int)
		}
		for _, at := range times {
			s.times[table][at]++
			s.rows++
		}
	}
}

func (s *service) landed(string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows, nil
}

func (s *service) options() Options { return smallOptions(s.URL) }

// patience is the maximum time that a test waits for an event. Only a test that hangs waits so
// long.
const patience = 5 * time.Minute

// smallOptions returns the options of a short run.
func smallOptions(url string) Options {
	return Options{
		URL: url, Endpoint: "arc", Durability: "sync", Format: "columnar", Compress: "none", Source: "synthetic",
		Requests: 8, Interval: 10 * time.Millisecond, Workers: 2, Rows: 7, Tables: 4, Hosts: 1000,
		Pregenerate: 16, UniqueTime: true, Timeout: patience, JSON: true,
	}
}

// mustRun runs the load, and fails the test on an error.
func mustRun(t *testing.T, o Options) *Report {
	t.Helper()
	r, err := Run(context.Background(), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// decodeBody returns the times of each table in a body of any form, and checks the body.
func decodeBody(path string, body []byte) (map[string][]int64, error) {
	body, err := unpack(body)
	if err != nil {
		return nil, err
	}
	var v any
	if err := msgpack.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	times := make(map[string][]int64)
	take := func(table any, columns map[string]any) {
		for _, at := range columns["time"].([]any) {
			times[table.(string)] = append(times[table.(string)], at.(int64))
		}
		for name, cells := range columns {
			if len(cells.([]any)) != len(times[table.(string)]) {
				err = fmt.Errorf("column %s has %d cells", name, len(cells.([]any)))
			}
		}
	}
	if table, ok := strings.CutPrefix(path, "/v1/write/"); ok {
		table = table[strings.IndexByte(table, '/')+1:]
		switch v := v.(type) {
		case map[string]any:
			take(table, v)
		case []any:
			for _, row := range v {
				row := row.(map[string]any)
				times[table] = append(times[table], row["time"].(int64))
				if _, ok := row["host"].(string); !ok {
					err = fmt.Errorf("row without host: %v", row)
				}
			}
		}
		return times, err
	}
	m := v.(map[string]any)
	if batch, ok := m["batch"].([]any); ok {
		for _, row := range batch {
			row := row.(map[string]any)
			table := row["m"].(string)
			times[table] = append(times[table], row["t"].(int64))
			if _, ok := row["h"].(string); !ok || len(row["fields"].(map[string]any)) == 0 {
				err = fmt.Errorf("row without host or fields: %v", row)
			}
		}
		return times, err
	}
	take(m["m"], m["columns"].(map[string]any))
	return times, err
}

// decodeCoded is like decodeBody, for a body encoded by the schema.
func decodeCoded(path string, body []byte) (map[string][]int64, error) {
	body, err := unpack(body)
	if err != nil {
		return nil, err
	}
	var v telemetry
	rest, err := telemetrySchema.Parse(body, &v)
	n := len(v.Time)
	if err != nil || len(rest) > 0 || len(v.Host) != n || len(v.Value) != n || len(v.Idle) != n || len(v.User) != n || v.Host[0] == "" {
		return nil, fmt.Errorf("%d bytes left of %+v, %v", len(rest), v, err)
	}
	return map[string][]int64{path[strings.LastIndexByte(path, '/')+1:]: v.Time}, nil
}

// unpack decompresses a body according to its magic bytes.
func unpack(body []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case bytes.HasPrefix(body, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return z.DecodeAll(body, nil)
	}
	return body, nil
}
