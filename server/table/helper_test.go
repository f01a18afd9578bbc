package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// row is a row that the tests of this package write and read back. ID is unique.
type row struct {
	Table string `json:",omitempty"`
	Time  int64
	ID    int64
	Value any `json:",omitempty"` // int64 or float64; nil is a null
	Host  string
}

// rowsOf decodes the encoding of payloadOf: rows of one or more tables in one record. Consecutive
// rows of a table form a batch.
func rowsOf(payload []byte) ([]row, error) {
	var rows []row
	d := json.NewDecoder(strings.NewReader(string(payload)))
	d.UseNumber()
	err := d.Decode(&rows)
	for i, r := range rows {
		if n, ok := r.Value.(json.Number); ok {
			if v, err := n.Int64(); err == nil {
				rows[i].Value = v
			} else if v, err := n.Float64(); err == nil {
				rows[i].Value = v
			}
		}
	}
	return rows, err
}

func payloadOf(rows []row) []byte {
	b, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	return b
}

func writesOf(rows []row, batch func() *column.Batch) ([]Write, error) {
	var writes []Write
	for i, r := range rows {
		if i == 0 || r.Table != rows[i-1].Table {
			writes = append(writes, Write{Name{"db", r.Table}, batch()})
		}
		b := writes[len(writes)-1].Batch
		cell := func(name string, kind column.Kind) *column.Column {
			c, err := b.Column([]byte(name))
			if err != nil || !c.Accepts(kind) {
				panic(fmt.Sprint(name, kind, err))
			}
			return c
		}
		cell("time", column.Time).AppendTime(r.Time)
		cell("id", column.Int64).AppendInt64(r.ID)
		switch v := r.Value.(type) {
		case int64:
			cell("value", column.Int64).AppendInt64(v)
		case float64:
			cell("value", column.Float64).AppendFloat64(v)
		}
		if err := cell("host", column.String).AppendString([]byte(r.Host)); err != nil {
			return nil, err
		}
		if err := b.CloseRow(); err != nil {
			return nil, err
		}
	}
	return writes, nil
}

func newBatch() *column.Batch { return new(column.Batch) }

// dirSink writes files of JSON lines. It calls the function `step`, if set, before and between its
// operations. There a test can make the sink fail, or look at the directory.
type dirSink struct {
	dir  string
	step func(ctx context.Context, what, path string) error
	mu   sync.Mutex
}

func (s *dirSink) at(ctx context.Context, what, path string) error {
	if s.step == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.step(ctx, what, path)
}

func (s *dirSink) Land(ctx context.Context, f *File) (int64, error) {
	if err := s.at(ctx, "begin", f.Path); err != nil {
		return 0, err
	}
	cols := make([]column.Column, len(f.Columns))
	var out []byte
	const step = 7
	for from := 0; from < f.Rows; from += step {
		to := min(from+step, f.Rows)
		for i := range cols {
			if err := f.Gather(i, from, to, &cols[i]); err != nil {
				return 0, err
			}
			if cols[i].Rows != to-from {
				return 0, fmt.Errorf("column %d: %d rows of %d", i, cols[i].Rows, to-from)
			}
		}
		for r := range to - from {
			line := make(map[string]any)
			for i, field := range f.Columns {
				if v := cellOf(&cols[i], r); v != nil {
					line[field.Name] = v
				}
			}
			b, err := json.Marshal(line)
			if err != nil {
				return 0, err
			}
			out = append(append(out, b...), '\n')
		}
	}
	path := filepath.Join(s.dir, f.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return 0, err
	}
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	if err := os.WriteFile(temp, out, 0o644); err != nil {
		return 0, err
	}
	if err := s.at(ctx, "temp", f.Path); err != nil {
		return 0, err
	}
	if err := disk.Publish(disk.OS, temp, path); err != nil {
		return 0, err
	}
	if err := s.at(ctx, "renamed", f.Path); err != nil {
		return 0, err
	}
	return int64(len(out)), nil
}

func (s *dirSink) Exists(path string) (bool, error) {
	_, err := os.Lstat(filepath.Join(s.dir, path))
	return err == nil, nil
}

func (s *dirSink) Remove(path string) error {
	if err := s.at(context.Background(), "remove", path); err != nil {
		return err
	}
	err := os.Remove(filepath.Join(s.dir, path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Rewrite changes no files, because JSON lines do not contain the kinds of columns.
func (s *dirSink) Rewrite(ctx context.Context, dir string, fields []Field) (Rewritten, error) {
	return Rewritten{}, s.at(ctx, "rewrite", dir)
}

func cellOf(c *column.Column, i int) any {
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
	default:
		return c.Ints[i]
	}
}

// eachLanded calls fn with the path and the text of each file of a sink.
func eachLanded(t testing.TB, dir string, fn func(path, text string) error) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return fn(filepath.ToSlash(rel), string(text))
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// landedRows reads all files of a sink. The rows of a file must be in order, and belong to the hour
// and the table of the file.
func landedRows(t testing.TB, dir string) []row {
	t.Helper()
	var all []row
	eachLanded(t, dir, func(path, text string) error {
		parts := strings.Split(path, "/")
		last := row{}
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			var in struct {
				Time  int64
				ID    int64
				Value any
				Host  string
			}
			if err := json.Unmarshal([]byte(line), &in); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			r := row{Table: parts[1], Time: in.Time, ID: in.ID, Value: in.Value, Host: in.Host}
			if i > 0 && r.Time < last.Time {
				t.Errorf("%s: row %d has time %d after %d", path, i, r.Time, last.Time)
			}
			at := time.UnixMicro(r.Time).UTC()
			if want := at.Format("utc_date=2006-01-02/utc_hour=15"); want != parts[2]+"/"+parts[3] {
				t.Errorf("%s: row %d belongs to %s", path, i, want)
			}
			last = r
			all = append(all, r)
		}
		return nil
	})
	return all
}

// checkOnce fails the test if rows are missing, duplicate or changed.
func checkOnce(t testing.TB, what string, got, want []row) {
	t.Helper()
	type key struct {
		table string
		id    int64
	}
	count := make(map[key]int)
	times := make(map[key]row)
	for _, r := range got {
		count[key{r.Table, r.ID}]++
		times[key{r.Table, r.ID}] = r
	}
	for _, r := range want {
		k := key{r.Table, r.ID}
		if count[k] != 1 {
			t.Fatalf("%s: row %v is there %d times", what, r, count[k])
		}
		if g := times[k]; g.Time != r.Time || g.Host != r.Host {
			t.Fatalf("%s: row %v became %v", what, r, g)
		}
		delete(count, k)
	}
	for k := range count {
		t.Fatalf("%s: row %v was never appended", what, k)
	}
}

// testOptions returns options with small units, which are sealed by Flush only.
func testOptions(dir string, sink Sink) Options {
	return Options{
		Dir:  dir,
		WAL:  wal.Options{SegmentBytes: 64 << 10},
		Sink: sink,
		Decode: func(r *wal.Record) ([]Write, error) {
			rows, err := rowsOf(r.Payload)
			if err != nil {
				return nil, err
			}
			return writesOf(rows, newBatch)
		},
		SealAge:    time.Hour,
		Node:       "n1",
		Logger:     slog.New(slog.DiscardHandler),
		firstPause: time.Millisecond,
	}
}

func openStore(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = s.Close(ctx) // already closed, unless the test failed
	})
	return s
}

func appendRows(s *Store, durable bool, rows ...row) error {
	writes, err := writesOf(rows, s.Batch)
	if err != nil {
		return err
	}
	return s.Append(&wal.Record{Time: time.Now().UnixMicro(), DB: "db", Table: rows[0].Table, Payload: payloadOf(rows)}, writes, durable, nil)
}

func mustAppend(t testing.TB, s *Store, rows ...row) {
	t.Helper()
	if err := appendRows(s, true, rows...); err != nil {
		t.Fatal(err)
	}
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// checkEmpty fails the test if a store still holds rows although all of its rows are in files.
func checkEmpty(t testing.TB, s *Store) {
	t.Helper()
	st := s.Stats()
	if st.Buffered != 0 || st.Pending != 0 || st.Accepted != st.Landed {
		t.Errorf("after everything has landed: %+v", st)
	}
}

var eventually = testkit.Eventually
