package table

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// dirAside is an Aside that writes files of JSON lines.
type dirAside struct {
	dirSink
	home *dirSink
}

func (a *dirAside) Files(string) (paths []string, err error) {
	err = filepath.WalkDir(a.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(a.dir, path)
		paths = append(paths, filepath.ToSlash(rel))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return paths, err
}

func (a *dirAside) Return(path string) error {
	if err := a.home.at(context.Background(), "return", path); err != nil {
		return err
	}
	to := filepath.Join(a.home.dir, path)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(filepath.Join(a.dir, path), to)
}

// brokenTable returns the options of a store. As long as broken is true, the table "bad" cannot
// have files in its own directory.
func brokenTable(t *testing.T, dir string) (o Options, broken *atomic.Bool) {
	broken = new(atomic.Bool)
	broken.Store(true)
	home := &dirSink{dir: filepath.Join(dir, "tables"), step: func(_ context.Context, _, path string) error {
		if broken.Load() && strings.HasPrefix(path, "db/bad/") {
			return syscall.EIO
		}
		return nil
	}}
	o = testOptions(dir, home)
	o.Aside = &dirAside{dirSink{dir: filepath.Join(dir, "aside")}, home}
	o.WAL.SegmentBytes = 4 << 10
	return o, broken
}

// If a table's directory cannot be written, its rows are written to the Aside, and leave the memory
// and the log, even across a restart. Once the directory can be written, the files move there.
func TestAside(t *testing.T) {
	dir := t.TempDir()
	o, broken := brokenTable(t, dir)
	var rows []row
	for life := range 3 {
		s := openStore(t, o)
		for i := range 50 {
			r := []row{{Table: "bad", ID: int64(1000*life + i), Time: int64(i) * hour / 20}, {Table: "good", ID: int64(1000*life + i)}}
			mustAppend(t, s, r...)
			rows = append(rows, r...)
		}
		if life == 1 {
			broken.Store(false)
		}
		if life == 2 {
			broken.Store(true)
		}
		err := s.Flush(context.Background())
		if st := s.Stats(); st.Pending != 0 || st.Buffered != 0 || s.Log().Bytes > 3*4<<10 {
			t.Errorf("%+v, %+v", st, s.Log())
		}
		if life == 1 { // the files that the first process wrote aside have returned
			if err != nil || s.Trouble() != nil || s.Stats().Aside != 0 || len(s.Failing()) != 0 {
				t.Errorf("%v, %v, %+v", err, s.Trouble(), s.Stats())
			}
			checkOnce(t, "returned", landedRows(t, filepath.Join(dir, "tables")), rows)
		} else {
			if !errors.Is(err, syscall.EIO) || !errors.Is(s.Trouble(), syscall.EIO) || s.Err() != nil {
				t.Errorf("%v, %v, %v", err, s.Trouble(), s.Err())
			}
			if names := s.Failing(); len(names) != 1 || names[0].Table != "bad" || s.Stats().Aside == 0 {
				t.Errorf("%v, %+v", names, s.Stats())
			}
			for _, info := range s.Tables() {
				if (info.Err != nil) != (info.Name.Table == "bad") || (info.Aside > 0) != (info.Name.Table == "bad") {
					t.Errorf("%+v", info)
				}
			}
		}
		mustClose(t, s)
	}
	broken.Store(false)
	mustClose(t, openStore(t, o))
	checkOnce(t, "at the end", landedRows(t, filepath.Join(dir, "tables")), rows)
	if paths, err := o.Aside.Files("."); err != nil || len(paths) > 0 {
		t.Errorf("%q are aside, %v", paths, err)
	}
}

// When the service ended, a file had been written incompletely and could not be removed. Meanwhile
// its rows were written to the Aside. The file is removed before these rows return, even if the log
// no longer mentions the file.
func TestAsideIsRemovedFirst(t *testing.T) {
	dir := t.TempDir()
	o, broken := brokenTable(t, dir)
	home := o.Sink.(*dirSink)
	step := home.step
	home.step = func(ctx context.Context, what, path string) error {
		if what == "renamed" { // the file exists, but Land returns an error
			broken.Store(true)
		}
		return step(ctx, what, path)
	}
	broken.Store(false)
	o.Landers = 1
	s := openStore(t, o)
	bad := []row{{Table: "bad", ID: 1}, {Table: "bad", ID: 2, Time: hour}}
	mustAppend(t, s, bad...)
	for range 3 {
		if err := s.Flush(context.Background()); err == nil {
			t.Fatal("the table lands")
		}
		mustClose(t, s)
		s = openStore(t, o)
	}
	if n := len(landedRows(t, home.dir)); n != 1 {
		t.Fatalf("%d rows are there", n)
	}
	home.step = nil
	mustClose(t, s)
	checkOnce(t, "returned", landedRows(t, home.dir), bad)
	mustClose(t, openStore(t, o))
	checkOnce(t, "after a restart", landedRows(t, home.dir), bad)
}

// If a file that an earlier process left aside cannot be removed, only its own table waits, and the
// file is not moved back. When one of the two directories works again, each row is written there
// once.
func TestAsideFailsToo(t *testing.T) {
	for _, mended := range []string{"aside", "home"} {
		t.Run(mended, func(t *testing.T) {
			dir := t.TempDir()
			o, broken := brokenTable(t, dir)
			aside := &o.Aside.(*dirAside).dirSink
			var failing atomic.Bool
			failing.Store(true)
			aside.step = func(_ context.Context, what, _ string) error {
				if failing.Load() && (what == "renamed" || what == "remove") { // the file exists, but Land returns an error
					return syscall.EIO
				}
				return nil
			}
			o.firstPause = time.Microsecond
			s := openStore(t, o)
			rows := []row{{Table: "bad", ID: 1}, {Table: "good", ID: 2}}
			mustAppend(t, s, rows...)
			eventually(t, "a file is aside, in vain", func() bool { s.kick(); return s.Err() != nil })
			stop(t, s)
			if paths, err := o.Aside.Files("."); len(paths) != 1 || err != nil {
				t.Fatalf("%q, %v", paths, err)
			}

			s = openStore(t, o)
			late := row{Table: "good", ID: 3}
			mustAppend(t, s, late)
			rows = append(rows, late)
			eventually(t, "the other table lands", func() bool { s.kick(); return s.Stats().Pending == 1 })
			if names := s.Failing(); len(names) != 1 || names[0].Table != "bad" || s.Stats().Aside != 0 {
				t.Errorf("%v, %+v", names, s.Stats())
			}
			if failing.Store(false); mended == "home" {
				broken.Store(false)
			}
			if err := s.Flush(context.Background()); (err != nil) != (mended == "aside") || s.Stats().Pending != 0 {
				t.Errorf("%v, %+v", err, s.Stats())
			}
			broken.Store(false)
			mustClose(t, s)
			checkOnce(t, "all", landedRows(t, filepath.Join(dir, "tables")), rows)
			if paths, err := o.Aside.Files("."); len(paths) != 0 || err != nil {
				t.Errorf("%q, %v", paths, err)
			}
		})
	}
}

// kick seals all open units.
func (s *Store) kick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		s.seal(t)
	}
}

// stop closes a store with rows that have not landed.
func stop(t *testing.T, s *Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(ctx); err == nil {
		t.Fatal("all has landed")
	}
}
