package table

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/server/wal"
)

// image is a copy of the data directory at one step of the store. It contains the files that a
// crash at this step would leave.
type image struct {
	step string
	dir  string
	rows []row // acknowledged by then
}

// camera takes images.
type camera struct {
	t      *testing.T
	dir    string
	rows   []row
	images []image
	during func(path string) // called at each step before the image is taken
}

func (c *camera) shoot(step string) {
	dir := c.t.TempDir()
	err := os.CopyFS(dir, os.DirFS(c.dir))
	for errors.Is(err, fs.ErrNotExist) { // the log has just renamed a segment
		dir = c.t.TempDir()
		err = os.CopyFS(dir, os.DirFS(c.dir))
	}
	if err != nil {
		c.t.Error(err)
	}
	c.images = append(c.images, image{step, dir, append([]row(nil), c.rows...)})
}

// watch returns a sink in the camera's directory. The camera takes an image at each step of the
// sink.
func (c *camera) watch() *dirSink {
	return &dirSink{dir: filepath.Join(c.dir, "tables"), step: func(_ context.Context, what, path string) error {
		if c.during != nil {
			c.during(path)
		}
		c.shoot(what + " " + path)
		return nil
	}}
}

const exampleHour = 490_000 * hour // an hour in 2025

// exampleRecords returns records over several hours and out of order. Some of them have rows of one
// table, and some have rows of two.
func exampleRecords() [][]row {
	var records [][]row
	id := int64(0)
	next := func(table string, at int64) row {
		id++
		return row{Table: table, Time: exampleHour + at, ID: id, Host: fmt.Sprint("host", id%3)}
	}
	for i := range int64(4) {
		r := []row{next("cpu", i*10), next("cpu", 5), next("cpu", hour+i)}
		if i%2 == 0 {
			r = append(r, next("mem", -hour), next("mem", 7), next("cpu", i*100))
		}
		records = append(records, r)
	}
	return records
}

// The store crashes at each step of writing rows to files, and is started again from the image of
// that step. The second process crashes at each of its steps, too. After the last start, each row
// is in exactly one file.
func TestCrashAnywhere(t *testing.T) {
	cam := &camera{t: t, dir: t.TempDir()}
	options := func(dir string, sink Sink) Options {
		o := testOptions(dir, sink)
		o.WAL.SegmentBytes = 512 // released segments are removed at once
		return o
	}
	s := openStore(t, options(cam.dir, cam.watch()))
	late := 0
	cam.during = func(path string) { // rows arrive while other rows of their table land
		if late++; late%3 == 0 && late < 20 {
			r := row{Table: strings.Split(path, "/")[1], Time: exampleHour, ID: int64(1000 + late)}
			if err := appendRows(s, true, r); err == nil {
				cam.rows = append(cam.rows, r)
			} else if !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
		}
	}
	for i, rows := range exampleRecords() {
		mustAppend(t, s, rows...)
		cam.rows = append(cam.rows, rows...)
		cam.shoot(fmt.Sprint("appended ", i))
		if i == 1 {
			if err := s.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
			cam.shoot("flushed")
		}
	}
	mustClose(t, s)
	cam.shoot("closed")
	if len(cam.images) < 25 {
		t.Fatalf("only %d steps", len(cam.images))
	}
	for _, first := range cam.images {
		again := &camera{t: t, dir: first.dir, rows: first.rows}
		s := openStore(t, options(first.dir, again.watch()))
		again.shoot("opened")
		mustClose(t, s)
		checkEmpty(t, s)
		checkOnce(t, first.step, landedRows(t, filepath.Join(first.dir, "tables")), first.rows)
		for _, second := range again.images {
			s := openStore(t, options(second.dir, &dirSink{dir: filepath.Join(second.dir, "tables")}))
			mustClose(t, s)
			checkOnce(t, first.step+", then "+second.step, landedRows(t, filepath.Join(second.dir, "tables")), first.rows)
		}
	}
}

// The rows of one record belong to two tables, and are written to files for only one of them. After
// the restart, only the rows of the other table are pending.
func TestCrashTwoTablesOneLanded(t *testing.T) {
	dir := t.TempDir()
	errDisk := errors.New("no such disk")
	sink := &dirSink{dir: filepath.Join(dir, "tables"), step: func(_ context.Context, _, path string) error {
		if filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(path)))) == "mem" {
			return errDisk
		}
		return nil
	}}
	s := openStore(t, testOptions(dir, sink))
	rows := []row{{Table: "cpu", Time: exampleHour, ID: 1}, {Table: "mem", Time: exampleHour, ID: 2}}
	mustAppend(t, s, rows...)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		eventually(t, "cpu lands and mem fails", func() bool { st := s.Stats(); return st.Landed == 1 && st.LandFailures > 0 })
	}()
	if err := s.Close(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, errDisk) {
		t.Fatalf("Close: %v", err)
	}
	checkOnce(t, "first", landedRows(t, sink.dir), rows[:1])

	sink.step = nil
	s = openStore(t, testOptions(dir, sink))
	if st := s.Stats(); st.Replayed != 1 || st.Pending != 1 {
		t.Errorf("after the restart: %+v", st)
	}
	mustClose(t, s)
	checkEmpty(t, s)
	checkOnce(t, "second", landedRows(t, sink.dir), rows)
}

// TestRecoverInRounds opens a log whose rows do not fit into the memory.
func TestRecoverInRounds(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	sink.step = func(ctx context.Context, _, _ string) error { <-ctx.Done(); return ctx.Err() }
	o := testOptions(dir, sink)
	s := openStore(t, o)
	var all []row
	for i := range int64(300) {
		rows := []row{{Table: "cpu", Time: exampleHour + i, ID: i, Host: "a host with quite a long name"}, {Table: fmt.Sprint("t", i%7), Time: exampleHour, ID: i}}
		mustAppend(t, s, rows...)
		all = append(all, rows...)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}

	sink.step = nil
	o.MaxBuffered = 4 << 10
	decoded := 0
	decode := o.Decode
	o.Decode = func(r *wal.Record) ([]Write, error) { decoded++; return decode(r) }
	s = openStore(t, o)
	st := s.Stats()
	if st.Replayed != int64(len(all)) || st.Units < 10 || st.Buffered > 2*o.MaxBuffered {
		t.Errorf("%+v", st)
	}
	if decoded > 400 {
		t.Errorf("%d records were decoded for 300", decoded)
	}
	mustClose(t, s)
	checkEmpty(t, s)
	checkOnce(t, "rounds", landedRows(t, sink.dir), all)
}

// If all rows of a log are in files, opening the store decodes no records.
func TestLandedIsNotDecodedAgain(t *testing.T) {
	dir := t.TempDir()
	o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
	s := openStore(t, o)
	for _, rows := range exampleRecords() {
		mustAppend(t, s, rows...)
	}
	mustClose(t, s)
	o.Decode = func(r *wal.Record) ([]Write, error) { return nil, fmt.Errorf("record %d", r.Seq) }
	mustClose(t, openStore(t, o))
}

func TestRecoverErrors(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	o := testOptions(dir, sink)
	s := openStore(t, o)
	mustAppend(t, s, row{Table: "cpu", ID: 1})
	sink.step = func(ctx context.Context, what, _ string) error {
		if what == "renamed" {
			return errors.New("broken")
		}
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		eventually(t, "landing fails", func() bool { return s.Stats().LandFailures > 0 })
	}()
	if err := s.Close(ctx); err == nil {
		t.Fatal("Close: no error")
	}

	broken := errors.New("broken")
	sink.step = func(context.Context, string, string) error { return broken }
	failing := openStore(t, o)
	failing.mu.Lock()
	failing.seal(failing.tables[0])
	failing.mu.Unlock()
	eventually(t, "a table whose files cannot be removed says so", func() bool { return errors.Is(failing.Err(), broken) })
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	if err := failing.Close(ctx); !errors.Is(err, broken) {
		t.Errorf("files cannot be removed: %v", err)
	}
	sink.step = nil
	bad := o
	bad.Decode = func(*wal.Record) ([]Write, error) { return nil, broken }
	if _, err := Open(bad); !errors.Is(err, broken) {
		t.Errorf("records cannot be decoded: %v", err)
	}
	// Each failed Open has released the log.
	mustClose(t, openStore(t, o))
	checkOnce(t, "at last", landedRows(t, sink.dir), []row{{Table: "cpu", ID: 1}})
}
