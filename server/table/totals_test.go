package table

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk"
)

// wantTotals compares the totals that a store reports with the files of its sink.
func wantTotals(t *testing.T, what string, s *Store, dir string) {
	t.Helper()
	found := make(map[Name]Totals)
	eachLanded(t, dir, func(path, text string) error {
		parts := strings.Split(path, "/")
		name := Name{parts[0], parts[1]}
		n := found[name]
		found[name] = Totals{n.Rows + int64(strings.Count(text, "\n")), n.Files + 1, n.Bytes + int64(len(text))}
		return nil
	})
	for _, info := range s.Tables() {
		if got := (Totals{info.Landed, info.Files, info.Bytes}); got != found[info.Name] || info.Accepted != info.Landed+info.Pending {
			t.Fatalf("%s: %v: %+v accepted, %+v; there are %+v", what, info.Name, info.Accepted, got, found[info.Name])
		}
		delete(found, info.Name)
	}
	for name := range found {
		t.Fatalf("%s: %v is not listed", what, name)
	}
}

// After a restart, the store knows the rows and files of each table. This holds if the log contains
// the notes of type Landed, if the segments with these notes have been released, and if the log was
// deleted.
func TestTotalsAfterRestart(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	o := testOptions(dir, sink)
	o.WAL.SegmentBytes = 4 << 10
	s := openStore(t, o)
	for i := range 6 {
		mustAppend(t, s, row{Table: "cpu", Time: exampleHour + int64(i)*hour, ID: int64(i), Host: strings.Repeat("x", 2000)},
			row{Table: "mem", Time: exampleHour, ID: int64(100 + i)})
		if err := s.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			mustClose(t, s)
			s = openStore(t, o)
			wantTotals(t, "after a restart", s, sink.dir)
		}
	}
	if info := s.Tables()[0]; info.Landed != 6 || info.Files != 6 {
		t.Errorf("%+v", info)
	}
	mustClose(t, s)
	if err := os.RemoveAll(filepath.Join(dir, "wal")); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, o)
	wantTotals(t, "without the log", s, sink.dir)
	mustClose(t, s)
}

// The totals are correct after a crash between the write of a note of type Landed and the write of
// the catalog, and also if a segment is released in between.
func TestTotalsAfterCrash(t *testing.T) {
	cam := &camera{t: t, dir: t.TempDir()}
	options := func(dir string, sink Sink) Options {
		o := testOptions(dir, sink)
		o.WAL.SegmentBytes = 512
		return o
	}
	s := openStore(t, options(cam.dir, cam.watch()))
	for i, rows := range exampleRecords() {
		mustAppend(t, s, rows...)
		cam.rows = append(cam.rows, rows...)
		if err := s.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		cam.shoot(fmt.Sprint("flushed ", i))
	}
	mustClose(t, s)
	for _, image := range cam.images {
		sink := &dirSink{dir: filepath.Join(image.dir, "tables")}
		s := openStore(t, options(image.dir, sink))
		wantTotals(t, image.step, s, sink.dir)
		if err := s.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		wantTotals(t, image.step+", then landed", s, sink.dir)
		mustClose(t, s)
	}
}

// countingSink can count the files in a table's directory.
type countingSink struct {
	*dirSink
	counted []string
}

func (s *countingSink) Count(_ context.Context, dir string, except []string) (n Totals, err error) {
	s.counted = append(s.counted, dir)
	return Totals{Rows: 7, Files: 3, Bytes: 11}, nil
}

// If a catalog lacks the totals, as in an earlier version, the store counts the files once.
func TestTotalsAreCountedOnce(t *testing.T) {
	dir := t.TempDir()
	text := `{"version":1,"log":0,"tables":[{"db":"db","table":"cpu","columns":[{"name":"time","kind":"time"}]}]}`
	if err := os.WriteFile(filepath.Join(dir, "catalog.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	sink := &countingSink{dirSink: &dirSink{dir: filepath.Join(dir, "tables")}}
	for range 2 {
		s := openStore(t, testOptions(dir, sink))
		if info := s.Tables()[0]; info.Landed != 7 || info.Files != 3 || info.Bytes != 11 {
			t.Errorf("%+v", info)
		}
		mustClose(t, s)
	}
	if len(sink.counted) != 1 || sink.counted[0] != "db/cpu" {
		t.Errorf("counted: %v", sink.counted)
	}
}

// sickDisk fails writes to the catalog's files while sick is set.
type sickDisk struct {
	disk.Disk
	sick atomic.Bool
}

func (d *sickDisk) Open(path string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := d.Disk.Open(path, flag, perm)
	if err == nil && strings.Contains(filepath.Base(path), "catalog.") {
		f = sickFile{f, d}
	}
	return f, err
}

type sickFile struct {
	disk.File
	d *sickDisk
}

func (f sickFile) Write(b []byte) (int, error) {
	if f.d.sick.Load() {
		return 0, syscall.EIO
	}
	return f.File.Write(b)
}

func (f sickFile) WriteAt(b []byte, off int64) (int, error) {
	if f.d.sick.Load() {
		return 0, syscall.EIO
	}
	return f.File.WriteAt(b, off)
}

// If the catalog cannot be written when all rows of a segment are in files, the segment is kept,
// because its notes of type Landed contain the totals. Meanwhile, rows are written to files if the
// catalog contains their columns. The segment is released after the catalog has been written.
func TestTotalsHoldTheLog(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	o := testOptions(dir, sink)
	o.WAL.SegmentBytes = 1 << 10
	d := &sickDisk{Disk: disk.OS}
	o.WAL.Disk = d
	s := openStore(t, o)
	land := func(id int64) {
		mustAppend(t, s, row{Table: "cpu", Time: exampleHour, ID: id, Host: strings.Repeat("x", 900)})
		if err := s.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	land(1)
	d.sick.Store(true)
	before := s.Log().Segments
	for id := range int64(4) {
		land(2 + id)
	}
	if now := s.Log().Segments; now < before+3 {
		t.Errorf("%d segments, and %d when the catalog could be written", now, before)
	}
	d.sick.Store(false)
	land(10)
	if now := s.Log().Segments; now > before+1 {
		t.Errorf("%d segments after the catalog was written", now)
	}
	mustClose(t, s)
}
