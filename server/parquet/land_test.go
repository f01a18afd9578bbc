package parquet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// files returns the paths of the regular files in a tree, relative to its root.
func files(t *testing.T, root string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(root, path)
			found = append(found, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRefused(t *testing.T) {
	s := newSink(t, Options{})
	good := func() *table.File { return fileOf("db/t/f.parquet", mixed(10, 0)) }
	gather := func(change func(dst *column.Column)) func(*table.File) {
		return func(f *table.File) {
			inner := f.Gather
			f.Gather = func(col, from, to int, dst *column.Column) error {
				err := inner(col, from, to, dst)
				change(dst)
				return err
			}
		}
	}
	for name, test := range map[string]struct {
		change func(*table.File)
		want   string
	}{
		"no rows":       {func(f *table.File) { f.Rows = 0 }, "no rows"},
		"no columns":    {func(f *table.File) { f.Columns = nil }, `must be "time"`},
		"no time":       {func(f *table.File) { f.Columns[0].Name = "t" }, `must be "time"`},
		"twice":         {func(f *table.File) { f.Columns[2].Name = "bool" }, `two columns are named "bool"`},
		"unknown kind":  {func(f *table.File) { f.Columns[2].Kind = 77 }, "Kind(77)"},
		"outside":       {func(f *table.File) { f.Path = "../f.parquet" }, "is not the path of a file below the root"},
		"absolute":      {func(f *table.File) { f.Path = "/f.parquet" }, "is not the path of a file below the root"},
		"hidden":        {func(f *table.File) { f.Path = "db/.f.parquet" }, "is not the path of a file below the root"},
		"too few":       {gather(func(c *column.Column) { c.Truncate(9) }), "got 9 cells"},
		"wrong kind":    {gather(func(c *column.Column) { c.Kind = column.Bool }), "of kind time"},
		"wrong slice":   {gather(func(c *column.Column) { c.Ints = c.Ints[:1] }), "got 10 cells"},
		"time is null":  {gather(func(c *column.Column) { c.Nulls = c.Nulls.Set(3) }), "nulls: true"},
		"gather failed": {func(f *table.File) { f.Gather = func(int, int, int, *column.Column) error { return errGather } }, errGather.Error()},
		"gather failed late": {func(f *table.File) {
			inner := f.Gather
			f.Gather = func(col, from, to int, dst *column.Column) error {
				if col == 5 {
					return errGather
				}
				return inner(col, from, to, dst)
			}
		}, errGather.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			f := good()
			test.change(f)
			_, err := s.Land(context.Background(), f)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if left := files(t, filepath.Dir(s.root)); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

var errGather = errors.New("the cells are gone")

func TestCancelled(t *testing.T) {
	s := newSink(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	f := fileOf("db/t/f.parquet", mixed(10, 0))
	inner := f.Gather
	f.Gather = func(col, from, to int, dst *column.Column) error {
		if col == 3 {
			cancel()
		}
		return inner(col, from, to, dst)
	}
	if _, err := s.Land(ctx, f); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := files(t, s.root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A column that has no type yet is omitted. The other columns keep their cells.
func TestNullKind(t *testing.T) {
	var b builder
	b.row(1, map[string]any{"a": "x", "none": nil, "z": 2.5})
	b.row(2, map[string]any{"z": 3.5})
	got, _, err := Read(disk.OS, land(t, newSink(t, Options{}), "f.parquet", &b.Batch))
	if err != nil {
		t.Fatal(err)
	}
	b.Columns = slices.DeleteFunc(b.Columns, func(c *column.Column) bool { return c.Kind == column.Null })
	sameBatch(t, got, &b.Batch)
}

// A range of cells that are all null may have no kind.
func TestNullStretch(t *testing.T) {
	var rows builder
	for i := range pageRows {
		rows.row(int64(i), nil)
	}
	for i := range 10 {
		rows.row(pageRows, map[string]any{"b": true, "f": 0.5, "i": i, "s": "text"})
	}
	b := &rows.Batch
	f := fileOf("f.parquet", b)
	inner := f.Gather
	f.Gather = func(col, from, to int, dst *column.Column) error {
		if col > 0 && to <= pageRows {
			dst.Reset()
			dst.AppendNulls(to - from)
			return nil
		}
		return inner(col, from, to, dst)
	}
	s := newSink(t, Options{})
	if _, err := s.Land(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	got, _, err := Read(disk.OS, filepath.Join(s.root, "f.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	sameBatch(t, got, b)
}

func TestRemove(t *testing.T) {
	s := newSink(t, Options{})
	path := land(t, s, "db/t/f.parquet", mixed(1, 0))
	for range 2 { // the second time, the file does not exist
		if err := s.Remove("db/t/f.parquet"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("still there: %v", err)
		}
	}
	if err := s.Remove("no/such/directory.parquet"); err != nil {
		t.Error(err)
	}
	if err := s.Remove("../f.parquet"); err == nil {
		t.Error("a path outside the root was accepted")
	}
}

// Land never replaces a file. It works even if its directory has been removed.
func TestLandAgain(t *testing.T) {
	s := newSink(t, Options{})
	path := land(t, s, "db/t/f.parquet", mixed(10, 0))
	if _, err := s.Land(context.Background(), fileOf("db/t/f.parquet", mixed(20, 0))); !errors.Is(err, fs.ErrExist) {
		t.Errorf("landing on a file: %v", err)
	}
	if rows, err := Rows(path); err != nil || rows != 10 {
		t.Errorf("got %d rows, %v", rows, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := os.RemoveAll(filepath.Join(s.root, "db")); err != nil {
		t.Fatal(err)
	}
	land(t, s, "db/t/f.parquet", mixed(30, 0))
	if rows, err := Rows(path); err != nil || rows != 30 {
		t.Errorf("got %d rows, %v", rows, err)
	}
}

func TestConcurrent(t *testing.T) {
	s := newSink(t, Options{})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 4 {
				b := mixed(100*i+j+1, 3)
				name := fmt.Sprintf("db/t/utc_date=2026-11-21/utc_hour=%02d/%d.parquet", j, i)
				if _, err := s.Land(context.Background(), fileOf(name, b)); err != nil {
					t.Error(err)
					return
				}
				got, _, err := Read(disk.OS, filepath.Join(s.root, name))
				if err != nil {
					t.Error(err)
					return
				}
				if got.Rows != b.Rows || !slices.Equal(got.Columns[3].Ints, b.Columns[3].Ints) {
					t.Errorf("%s has other cells than were landed", name)
				}
			}
		})
	}
	group.Wait()
}

// If the process is killed while Land writes a file, a temporary file remains. The next New removes
// it.
func TestKilled(t *testing.T) {
	testkit.Killed(func(root string, _ int) {
		s, err := New(root, Options{})
		if err != nil {
			testkit.Fail(err)
		}
		land(t, s, "db/t/landed.parquet", mixed(10, 0))
		f := fileOf("db/t/f.parquet", mixed(10, 0))
		f.Gather = func(int, int, int, *column.Column) error {
			for {
				fmt.Println("it lands")
			}
		}
		_, err = s.Land(context.Background(), f)
		testkit.Fail(err)
	})
	root := t.TempDir()
	testkit.Kill(t, root, 0, 0, func(line string) bool { return line == "it lands" })
	want := []string{"db/t/.f.parquet.tmp", "db/t/landed.parquet"}
	if got := files(t, root); !slices.Equal(got, want) {
		t.Fatalf("the kill left %v, want %v", got, want)
	}
	if _, err := New(root, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := files(t, root); !slices.Equal(got, want[1:]) {
		t.Fatalf("New left %v, want %v", got, want[1:])
	}
}

func TestNewRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := New(dir, Options{}); err == nil {
			t.Errorf("New(%q) made a directory of a file", dir)
		}
	}
	if _, err := New(t.TempDir(), Options{Codec: 9}); err == nil {
		t.Error("an unknown codec was accepted")
	}
}
