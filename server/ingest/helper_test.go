package ingest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/msgpack"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// dict is a map with ordered keys, written as "m", "cpu", "t", 1, …
type dict []any

func (d dict) EncodeMsgpack(e *msgpack.Encoder) error {
	if err := e.EncodeMapLen(len(d) / 2); err != nil {
		return err
	}
	for _, v := range d {
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

func (d dict) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; i+1 < len(d); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(d[i])
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(d[i+1])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%s", key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

type list = []any

// toJSON returns v as JSON.
func toJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// toLines returns a list of rows as NDJSON.
func toLines(t testing.TB, rows list) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, row := range rows {
		b.Write(toJSON(t, row))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func pack(t testing.TB, v any) []byte {
	t.Helper()
	b, err := msgpack.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// row contains the cells of a row that was written to a file, by column, without nulls. Times are
// int64.
type row map[string]any

// memSink keeps the rows that land.
type memSink struct {
	mu   sync.Mutex
	rows map[string][]row
	land func(ctx context.Context) error // if set, returns an error for files that must not land
}

// decide makes fn decide whether a file lands. It may be called while files land.
func (s *memSink) decide(fn func(ctx context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.land = fn
}

func (s *memSink) Land(ctx context.Context, f *table.File) (int64, error) {
	s.mu.Lock()
	land := s.land
	s.mu.Unlock()
	if land != nil {
		if err := land(ctx); err != nil {
			return 0, err
		}
	}
	rows := make([]row, f.Rows)
	for n, field := range f.Columns {
		var c column.Column
		if err := f.Gather(n, 0, f.Rows, &c); err != nil {
			return 0, err
		}
		for i := range rows {
			if rows[i] == nil {
				rows[i] = row{}
			}
			if v := cell(&c, i); v != nil {
				rows[i][field.Name] = v
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil {
		s.rows = make(map[string][]row)
	}
	name := f.Meta["slipstream.db"] + "." + f.Meta["slipstream.table"]
	s.rows[name] = append(s.rows[name], rows...)
	return int64(f.Rows), nil
}

func (s *memSink) Exists(string) (bool, error) { return false, nil }
func (s *memSink) Remove(string) error         { return nil }
func (s *memSink) Rewrite(context.Context, string, []table.Field) (table.Rewritten, error) {
	return table.Rewritten{}, nil
}

func (s *memSink) take() map[string][]row {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := s.rows
	s.rows = nil
	return rows
}

func cell(c *column.Column, i int) any {
	if c.IsNull(i) {
		return nil
	}
	switch c.Kind {
	case column.Bool:
		return c.Bools[i]
	case column.Float64:
		return c.Floats[i]
	case column.String:
		return string(c.StringAt(i))
	}
	return c.Ints[i]
}

// rig is a handler with a store whose files stay in memory.
type rig struct {
	t     testing.TB
	dir   string
	sink  *memSink
	h     *Handler
	store *table.Store
	now   atomic.Int64 // time of receipt of the last request

	schemas string // path of the schema registry's file
}

func newRig(t testing.TB, o Options, change ...func(*table.Options)) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), sink: &memSink{}}
	o.Logger = slog.New(slog.DiscardHandler)
	o.Pool = table.NewPool(32 << 20)
	if o.Batches == nil {
		o.Batches = NewBatches(time.Hour)
	}
	r.h = New(o)
	r.h.clock = func() time.Time {
		now := time.Now()
		r.now.Store(now.UnixMicro())
		return now
	}
	r.open(change...)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		r.store.Close(ctx)
	})
	return r
}

func (r *rig) open(change ...func(*table.Options)) {
	r.t.Helper()
	o := table.Options{
		Dir: r.dir, Sink: r.sink, Pool: r.h.pool, Decode: Replay(r.h.pool), Carrier: r.h.batches, Logger: r.h.log,
		WAL: wal.Options{SegmentBytes: 1 << 20},
	}
	for _, f := range change {
		f(&o)
	}
	store, err := table.Open(o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.store = store
	r.h.Open(store)
}

// eachFile calls fn with the path, relative to dir, and the rows of each file below dir.
func eachFile(t testing.TB, dir string, fn func(path string, b *column.Batch)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, _, err := parquet.Read(disk.OS, path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		fn(filepath.ToSlash(rel), b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// guardOf returns a guard that accepts the given tokens, each written as a line of a token file.
func guardOf(t testing.TB, lines ...string) *access.Guard {
	t.Helper()
	tokens := &access.Tokens{}
	if err := tokens.AddLines(strings.Join(lines, "\n")); err != nil {
		t.Fatal(err)
	}
	return access.NewGuard(tokens)
}

// patience limits the time that a test waits for an event.
const patience = 30 * time.Second

// do sends a request. The arguments in `header` are keys and values in turn.
func (r *rig) do(method, url string, body []byte, header ...string) *httptest.ResponseRecorder {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req := httptest.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	r.h.ServeHTTP(w, req)
	return w
}

func (r *rig) arc(v any, header ...string) *httptest.ResponseRecorder {
	return r.do("POST", "/api/v1/write/msgpack", pack(r.t, v), header...)
}

// v1 writes v to db.t. The query is empty or begins with a question mark.
func (r *rig) v1(v any, query string, header ...string) *httptest.ResponseRecorder {
	return r.do("POST", "/v1/write/db/t"+query, pack(r.t, v), append([]string{"Content-Type", "application/msgpack"}, header...)...)
}

// write writes a body to db.t.
func (r *rig) write(contentType, query string, body []byte, header ...string) *httptest.ResponseRecorder {
	return r.do("POST", "/v1/write/db/t"+query, body, append([]string{"Content-Type", contentType}, header...)...)
}

// flush makes the service write all acknowledged rows to files.
func (r *rig) flush() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.store.Flush(ctx); err != nil {
		r.t.Fatal(err)
	}
}

// landed flushes, and returns the rows that have landed since the last call. The rows of each table
// are ordered by time.
func (r *rig) landed() map[string][]row {
	r.t.Helper()
	r.flush()
	return r.sink.take()
}

// replayed returns the same rows as landed, but from the log: it stops the service before anything
// lands, and starts it again.
func (r *rig) replayed() map[string][]row {
	r.t.Helper()
	r.sink.decide(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	r.store.Close(stopped)
	r.sink.decide(nil)
	r.h.batches = NewBatches(time.Hour)
	r.open()
	return r.landed()
}

func wantStatus(t testing.TB, w *httptest.ResponseRecorder, status int) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("status %d, want %d: %s", w.Code, status, w.Body)
	}
}

func wantRows(t testing.TB, got, want map[string][]row) {
	t.Helper()
	order := func(rows []row) {
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a["time"].(int64), b["time"].(int64)) })
	}
	for name := range got {
		order(got[name])
	}
	for name := range want {
		order(want[name])
	}
	if !maps.EqualFunc(got, want, func(a, b []row) bool { return slices.EqualFunc(a, b, maps.Equal[row, row]) }) {
		t.Fatalf("rows\n got %v\nwant %v", got, want)
	}
}

// wantProblem checks that the request was rejected with this status and this complete error text.
func wantProblem(t testing.TB, w *httptest.ResponseRecorder, status int, text string) refusal.Problem {
	t.Helper()
	var p refusal.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("status %d, body %q: %v", w.Code, w.Body, err)
	}
	if w.Code != status || p.Error != text {
		t.Errorf("status %d, want %d\n got %s\nwant %s", w.Code, status, p.Error, text)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
	if strings.ContainsAny(p.Error, "\n\r") {
		t.Errorf("more than one line: %q", p.Error)
	}
	return p
}

var _ http.Handler = (*Handler)(nil)

func sent(tenant string, version remotewrite.Version, body []byte) series.Part {
	return series.Part{Tenant: tenant, Version: version, Body: body}
}
