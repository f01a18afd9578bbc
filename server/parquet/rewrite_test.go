package parquet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/table"
)

// widened returns the fields of a batch with the named columns widened, and the batch that a reader
// reads after the rewrite.
func widened(b *column.Batch, names ...string) ([]table.Field, *column.Batch) {
	wide := new(column.Batch)
	for _, c := range b.Columns {
		dst, _ := wide.Column([]byte(c.Name))
		dst.Accepts(c.Kind)
		if err := dst.AppendColumn(c, 0, c.Rows); err != nil {
			panic(err)
		}
		for _, name := range names {
			if c.Name == name {
				dst.Widen()
			}
		}
	}
	wide.Rows = b.Rows
	return fileOf("", wide).Columns, wide
}

// Rewrite changes the kinds of columns, and nothing else. The test covers every kind of column,
// nulls, several pages, and several row groups. A second call changes nothing.
func TestRewrite(t *testing.T) {
	for _, codec := range []Codec{Snappy, Zstd} {
		for name, b := range map[string]*column.Batch{
			"one row": mixed(1, 0), "only nulls": mixed(3, 1), "pages": mixed(pageRows+1, 5), "groups": mixed(groupRows+7, 3),
		} {
			t.Run(fmt.Sprint(name, " ", codec), func(t *testing.T) {
				s := newSink(t, Options{Codec: codec})
				path := land(t, s, "db/t/utc_date=2026-11-21/utc_hour=09/f.parquet", b)
				other := land(t, s, "db/other/utc_date=2026-11-21/utc_hour=09/f.parquet", b)
				before, err := Meta(path)
				if err != nil {
					t.Fatal(err)
				}
				fields, want := widened(b, "few ints")
				for i := range 2 {
					done, err := s.Rewrite(context.Background(), "db/t", fields)
					if err != nil || done.Files != 1-i || len(done.Kept) > 0 {
						t.Fatalf("%+v, %v", done, err)
					}
				}
				got, _, err := Read(disk.OS, path)
				if err != nil {
					t.Fatal(err)
				}
				sameBatch(t, got, want)
				if after, err := Meta(path); err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
					t.Errorf("%v, %v; it was %v", after, err, before)
				}
				if got, _, err = Read(disk.OS, other); err != nil {
					t.Fatal(err)
				}
				sameBatch(t, got, b)
			})
		}
	}
}

// Timestamps that earlier programs marked as UTC are rewritten without that mark.
func TestRewriteTimestamps(t *testing.T) {
	s := newSink(t, Options{})
	b := mixed(100, 3)
	path := filepath.Join(s.root, "db", "t", "zoned.parquet")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.FromSlash("testdata/zoned.parquet"))
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	fields, _ := widened(b)
	for i := range 2 {
		if done, err := s.Rewrite(context.Background(), "db/t", fields); err != nil || done.Files != 1-i {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	got, _, err := Read(disk.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	sameBatch(t, got, b)
}

// A file that cannot be read or converted remains unchanged, and the other files are rewritten.
func TestRewriteKeeps(t *testing.T) {
	s := newSink(t, Options{})
	var exact, large builder
	exact.row(1, map[string]any{"v": 20})
	large.row(1, map[string]any{"v": int64(1<<53 + 1)})
	good := land(t, s, "db/t/z.parquet", &exact.Batch)
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{
		"large":   land(t, s, "db/t/a.parquet", &large.Batch),
		"foreign": filepath.Join(s.root, "db", "t", "b.parquet"),
		"cut":     filepath.Join(s.root, "db", "t", "c.parquet"),
		"empty":   filepath.Join(s.root, "db", "t", "d.parquet"),
		"garbled": filepath.Join(s.root, "db", "t", "e.parquet"),
	}
	garbled := []byte(string(whole))
	for i := 4; i < 60; i++ {
		garbled[i] ^= 0x55
	}
	for name, text := range map[string]string{"foreign": "PAR1 no PAR1", "cut": string(whole[:len(whole)/2]), "empty": "", "garbled": string(garbled)} {
		if err := os.WriteFile(bad[name], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := map[string]string{}
	for name, path := range bad {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before[name] = string(text)
	}
	fields, want := widened(&exact.Batch, "v")
	done, err := s.Rewrite(context.Background(), "db/t", fields)
	if err != nil || done.Files != 1 || len(done.Kept) != len(bad) {
		t.Fatalf("%+v, %v", done, err)
	}
	if text := done.Kept[0].Error(); !strings.Contains(text, `a.parquet: column "v": float64 cannot represent 9007199254740993 exactly`) {
		t.Error(text)
	}
	for name, path := range bad {
		if text, err := os.ReadFile(path); err != nil || string(text) != before[name] {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
	got, _, err := Read(disk.OS, good)
	if err != nil {
		t.Fatal(err)
	}
	sameBatch(t, got, want)
	for _, name := range files(t, s.root) {
		if strings.HasSuffix(name, tempSuffix) {
			t.Errorf("%s was left behind", name)
		}
	}
}

func TestRewriteNothing(t *testing.T) {
	s := newSink(t, Options{})
	if done, err := s.Rewrite(context.Background(), "db/none", nil); err != nil || done.Files != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := s.Rewrite(context.Background(), "../db", nil); err == nil {
		t.Error("a path outside the root was accepted")
	}
	land(t, s, "db/t/f.parquet", mixed(1, 0))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Rewrite(ctx, "db/t", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// A call to the disk fails, or the machine crashes at a call. Afterwards, each file is either the
// old or the new file, and another call of Rewrite continues the work. After a Rewrite without an
// error, a crash loses none of its changes.
func TestRewriteInterrupted(t *testing.T) {
	var ints builder
	for i := range 100 {
		ints.row(int64(i), map[string]any{"v": i, "s": "text"})
	}
	fields, wide := widened(&ints.Batch, "v")
	const count = 3
	for _, crash := range []bool{false, true} {
		for at := 1; ; at++ {
			d := faulty.New(uint64(at), faulty.Options{})
			open := func() *Sink {
				s, err := New("/tables", Options{Disk: d, Codec: Uncompressed})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			s := open()
			for i := range count {
				if _, err := s.Land(context.Background(), fileOf(fmt.Sprintf("db/t/utc_hour=0%d/f.parquet", i), &ints.Batch)); err != nil {
					t.Fatal(err)
				}
			}
			start := d.Calls()
			if crash {
				d.CrashAt(at)
			} else {
				d.Set(faulty.Options{Fail: func(c faulty.Call) error {
					if c.Number == start+at {
						return syscall.EIO
					}
					return nil
				}})
			}
			_, err := s.Rewrite(context.Background(), "db/t", fields)
			finished := err == nil && d.Calls() < start+at
			d.Set(faulty.Options{})
			if crash {
				d = d.Crash()
				s = open()
			}
			check := func(all bool) {
				t.Helper()
				for i := range count {
					text, err := disk.ReadFile(d, fmt.Sprintf("/tables/db/t/utc_hour=0%d/f.parquet", i))
					if err != nil {
						t.Fatal(err)
					}
					got, _, err := ReadFrom(strings.NewReader(string(text)), int64(len(text)), "f.parquet")
					if err != nil {
						t.Fatal(err)
					}
					want := wide
					if !all && got.Find("v").Kind == column.Int64 {
						want = &ints.Batch
					}
					sameBatch(t, got, want)
				}
			}
			check(err == nil)
			if done, err := s.Rewrite(context.Background(), "db/t", fields); err != nil || len(done.Kept) > 0 {
				t.Fatalf("call %d, crash %t: %+v, %v", at, crash, done, err)
			}
			d = d.Crash()
			check(true)
			if finished {
				break
			}
		}
	}
}

// A file that is removed while it is rewritten does not reappear.
func TestRewriteRemoved(t *testing.T) {
	s := newSink(t, Options{})
	var ints builder
	ints.row(1, map[string]any{"v": 20})
	path := land(t, s, "db/t/f.parquet", &ints.Batch)
	s.options.Disk = removing{disk.OS, path}
	fields, _ := widened(&ints.Batch, "v")
	if done, err := s.Rewrite(context.Background(), "db/t", fields); err != nil || done.Files != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if left := files(t, s.root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// removing is a disk that removes the file at path when another file is created.
type removing struct {
	disk.Disk
	path string
}

func (d removing) Open(path string, flag int, perm fs.FileMode) (disk.File, error) {
	if flag&os.O_CREATE != 0 {
		if err := os.Remove(d.path); err != nil {
			return nil, err
		}
	}
	return d.Disk.Open(path, flag, perm)
}
