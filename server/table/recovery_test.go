package table

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// leave appends n records for each table, with ids from `first` on. It closes the store before any
// of these rows is in a file.
func leave(t *testing.T, o Options, first int64, n int, tables ...string) (rows []row) {
	t.Helper()
	o.Sink = &dirSink{dir: t.TempDir(), step: func(context.Context, string, string) error { return errors.New("not now") }}
	s := openStore(t, o)
	for range n {
		for _, table := range tables {
			r := row{Table: table, Time: exampleHour, ID: first + int64(len(rows)), Host: strings.Repeat("x", 2000)}
			mustAppend(t, s, r)
			rows = append(rows, r)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(ctx); err == nil {
		t.Fatal("the rows have landed")
	}
	return rows
}

// rejecting makes a sink fail for some tables, as long as `rejects` is true.
func rejecting(sink *dirSink, tables ...string) (rejects *atomic.Bool) {
	rejects = new(atomic.Bool)
	rejects.Store(true)
	sink.step = func(_ context.Context, what, path string) error {
		for _, table := range tables {
			if rejects.Load() && strings.HasPrefix(path, "db/"+table+"/") {
				return fmt.Errorf("%s: no room for %s", what, table)
			}
		}
		return nil
	}
	return rejects
}

// If the rows of the log do not fit into the memory, recovery writes some of them to files. If no
// rows can be written, the store shows the error, and recovery can be interrupted. All rows are
// written after the next start.
func TestRecoveryIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	rejects := rejecting(sink, "cpu", "mem")
	o := testOptions(dir, sink)
	want := leave(t, o, 1, 50, "cpu", "mem")

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var recovering atomic.Pointer[Store]
	o.MaxBuffered, o.OnRecovery = 32<<10, func(s *Store) { recovering.Store(s) }
	opened := make(chan error, 1)
	go func() {
		_, err := OpenContext(ctx, o)
		opened <- err
	}()
	eventually(t, "the error is shown", func() bool {
		s := recovering.Load()
		return s != nil && s.Err() != nil && s.Stats().LandFailures > 0 && s.Stats().Pending > 0
	})
	// The first step fails. It is the start of the landing or, if the earlier process had begun a
	// landing, the removal of its files.
	if err := recovering.Load().Err(); !strings.Contains(err.Error(), "begin: no room for") &&
		!strings.Contains(err.Error(), "removing the incomplete file ") {
		t.Errorf("while it recovers: %v", err)
	}
	cancel()
	giveUp := time.AfterFunc(testkit.Patience/10, func() { rejects.Store(false) }) // if recovery is not interrupted
	defer giveUp.Stop()
	if err := <-opened; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "no room for") {
		t.Errorf("after an interruption: %v", err)
	}
	rejects.Store(false)
	s := openStore(t, o)
	mustClose(t, s)
	checkOnce(t, "after the next start", landedRows(t, sink.dir), want)
}

// If the rows of one table cannot be written to files, the store still opens, and the rows of other
// tables are written. This holds although the rows do not fit into the memory.
func TestRecoveryWithBadTable(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	rejects := rejecting(sink, "bad")
	o := testOptions(dir, sink)
	want := append(leave(t, o, 1, 2, "bad", "good"), leave(t, o, 1000, 60, "good")...)

	o.MaxBuffered = 64 << 10
	giveUp := time.AfterFunc(testkit.Patience/10, func() { rejects.Store(false) }) // if opening waits for the table
	defer giveUp.Stop()
	s := openStore(t, o)
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), "no room for bad") {
		t.Errorf("an open store with a table that does not land: %v", err)
	}
	for _, info := range s.Tables() {
		if (info.Err != nil) != (info.Name.Table == "bad") {
			t.Errorf("%v: %v", info.Name, info.Err)
		}
	}
	rejects.Store(false)
	mustClose(t, s)
	checkEmpty(t, s)
	checkOnce(t, "all", landedRows(t, sink.dir), want)
}

// The rows of the log do not fit into the memory, and recovery crashes at each of its steps in
// turn. After the next start, each row is in exactly one file.
func TestCrashWhileRecoveryLands(t *testing.T) {
	cam := &camera{t: t, dir: t.TempDir()}
	o := testOptions(cam.dir, &dirSink{dir: filepath.Join(cam.dir, "tables")})
	o.WAL.SegmentBytes = 8 << 10
	cam.rows = leave(t, o, 1, 12, "cpu", "mem")
	o.Sink, o.MaxBuffered = cam.watch(), 16<<10
	s := openStore(t, o)
	cam.shoot("opened")
	mustClose(t, s)
	if len(cam.images) < 12 {
		t.Fatalf("only %d steps", len(cam.images))
	}
	for _, image := range cam.images {
		o := testOptions(image.dir, &dirSink{dir: filepath.Join(image.dir, "tables")})
		o.MaxBuffered = 16 << 10
		mustClose(t, openStore(t, o))
		checkOnce(t, image.step, landedRows(t, filepath.Join(image.dir, "tables")), image.rows)
	}
}

// The store shows the error of the first attempt, and not the errors that this attempt causes in
// later attempts.
func TestFirstErrorIsShown(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	var failing atomic.Bool
	failing.Store(true)
	sink.step = func(_ context.Context, what, _ string) error {
		if !failing.Load() {
			return nil
		}
		return errors.New("failed: " + what)
	}
	s := openStore(t, testOptions(dir, sink))
	mustAppend(t, s, row{Table: "cpu", Time: exampleHour, ID: 1})
	s.mu.Lock()
	s.seal(s.tables[0])
	s.mu.Unlock()
	eventually(t, "it fails twice", func() bool { return s.Stats().LandFailures > 2 })
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), "failed: begin") {
		t.Errorf("%v", err)
	}
	failing.Store(false)
	mustClose(t, s)
}

// An interruption also ends a recovery that only reads.
func TestRecoveryIsInterruptedWhileReading(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	o := testOptions(dir, sink)
	want := leave(t, o, 1, 5, "cpu")
	ctx, cancel := context.WithCancelCause(context.Background())
	decode, n := o.Decode, 0
	o.Decode = func(r *wal.Record) ([]Write, error) {
		if n++; n == 2 {
			cancel(errors.New("stopping"))
		}
		return decode(r)
	}
	if _, err := OpenContext(ctx, o); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("%v", err)
	}
	if n > 2 {
		t.Errorf("%d records were read", n)
	}
	mustClose(t, openStore(t, o))
	checkOnce(t, "after the next start", landedRows(t, sink.dir), want)
}

// A crash has left incomplete files, and they cannot be removed. This blocks only their own table.
// The files are removed before rows of this table are written again.
func TestLeftFilesOfBadTable(t *testing.T) {
	cam := &camera{t: t, dir: t.TempDir()}
	s := openStore(t, testOptions(cam.dir, cam.watch()))
	for id, table := range []string{"bad", "good"} {
		r := row{Table: table, Time: exampleHour, ID: int64(id + 1)}
		mustAppend(t, s, r)
		cam.rows = append(cam.rows, r)
	}
	mustClose(t, s)
	for _, image := range cam.images {
		sink := &dirSink{dir: filepath.Join(image.dir, "tables")}
		rejects := rejecting(sink, "bad")
		s := openStore(t, testOptions(image.dir, sink))
		r := row{Table: "good", Time: exampleHour, ID: 3}
		mustAppend(t, s, r)
		s.mu.Lock()
		for _, t := range s.tables {
			s.seal(t)
		}
		s.mu.Unlock()
		eventually(t, "the other table lands", func() bool {
			for _, info := range s.Tables() {
				if info.Name.Table == "good" {
					return info.Accepted > 0 && info.Pending == 0
				}
			}
			return false
		})
		rejects.Store(false)
		mustClose(t, s)
		checkOnce(t, image.step, landedRows(t, sink.dir), append(image.rows, r))
	}
}

// If a log contains a record of an unknown type, perhaps from a later version, the store does not
// open.
func TestUnknownType(t *testing.T) {
	dir := t.TempDir()
	log, err := wal.Open(filepath.Join(dir, "wal"), wal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log.Start()
	if err := errors.Join(log.Append(&wal.Record{Type: 9, Payload: []byte("{}")}, nil), log.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Open(testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")}))
	if err == nil || !strings.Contains(err.Error(), "record 1 of the log has the unknown type 9") {
		t.Error(err)
	}
}
