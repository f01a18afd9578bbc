package wal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
)

func TestSyncFailure(t *testing.T) {
	dir := t.TempDir()
	var f faults
	var failed []error
	l := mustOpen(t, dir, Options{SegmentBytes: 64 << 10, Disk: f.disk()})
	mustAppend(t, l, sample(1), sample(2))
	f.onSync(func() error { return unix.EIO })
	last := sample(3)
	done := func(err error) {
		if last.Seq != 0 {
			t.Errorf("a record that was not written has the sequence number %d", last.Seq)
		}
		failed = append(failed, err)
	}
	if err := l.AppendAsync(last, done); err != nil {
		t.Fatal(err)
	}
	for l.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	syncs, writes := f.syncs.Load(), f.writes.Load()
	f.onSync(func() error { return nil })
	for range 3 {
		err := l.Append(sample(4), nil)
		if !errors.Is(err, ErrFailed) || !errors.Is(err, unix.EIO) || !strings.Contains(err.Error(), segmentPath(dir, 1)) {
			t.Errorf("append to a log that has failed: %v", err)
		}
	}
	if err := l.AppendAsync(sample(4), done); !errors.Is(err, ErrFailed) {
		t.Errorf("AppendAsync: %v", err)
	}
	if f.syncs.Load() != syncs || f.writes.Load() != writes {
		t.Error("the file was written or synced again after a sync had failed")
	}
	if err := l.Close(); !errors.Is(err, ErrFailed) {
		t.Errorf("Close: %v", err)
	}
	if len(failed) != 1 || !errors.Is(failed[0], ErrFailed) || l.Stats().Lost != 1 {
		t.Errorf("done was called with %v, Stats: %+v", failed, l.Stats())
	}
	// The record whose sync failed is still in memory, but is not read as if it were on disk.
	if got, err := replay(dir); err != nil || len(got) != 2 {
		t.Errorf("after a new start: records %v, %v", seqs(got), err)
	}
}

// If a commit fails, every append that waits for the commit returns the error.
func TestSyncFailureFailsTheGroup(t *testing.T) {
	var f faults
	gate := make(chan bool)
	f.onSync(func() error {
		<-gate
		return unix.EIO
	})
	l := mustOpen(t, t.TempDir(), Options{Disk: f.disk()})
	const n = 10
	results := make(chan error, n)
	for range n {
		go func() { results <- l.Append(sample(1), nil) }()
	}
	for l.Stats().Waiting < n {
		time.Sleep(time.Millisecond)
	}
	close(gate)
	for range n {
		if err := <-results; !errors.Is(err, ErrFailed) {
			t.Errorf("append: %v", err)
		}
	}
	if l.LastSeq() != 0 || f.syncs.Load() != 1 {
		t.Errorf("record %d is the last, after %d syncs", l.LastSeq(), f.syncs.Load())
	}
}

func TestWriteFailure(t *testing.T) {
	dir := t.TempDir()
	var f faults
	l := mustOpen(t, dir, Options{Disk: f.disk()})
	mustAppend(t, l, sample(1))
	f.onWrite(func([][]byte) (int, error) { return 60, unix.EIO })
	if err := l.Append(sample(2), nil); !errors.Is(err, ErrFailed) || !errors.Is(err, unix.EIO) {
		t.Errorf("append: %v", err)
	}
	if err := l.Err(); !errors.Is(err, ErrFailed) {
		t.Errorf("Err: %v", err)
	}
	l.Close()
	if got, err := replay(dir); err != nil || len(got) != 1 {
		t.Errorf("after a new start: %v, %v", seqs(got), err)
	}
}

// pwritev may write only a part of the data. Then the log writes the rest by further calls.
func TestShortWrites(t *testing.T) {
	dir := t.TempDir()
	var f faults
	f.onWrite(func([][]byte) (int, error) { return 1000, nil })
	l := mustOpen(t, dir, Options{Disk: f.disk()})
	want := []*Record{data(make([]byte, 5000)), data([]byte("short")), data(make([]byte, copied+1))}
	mustAppend(t, l, want...)
	mustClose(t, l)
	got, err := replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, got, want)
}

// On a full disk, records with data are rejected and the log remains unchanged. Records with
// UseReserve use the space that the reserve has released.
func TestDiskFull(t *testing.T) {
	for _, fault := range []error{unix.ENOSPC, unix.EDQUOT, io.ErrShortWrite} {
		dir := t.TempDir()
		var f faults
		var full atomic.Bool
		free := new(atomic.Int64)
		free.Store(1 << 30)
		l := mustOpen(t, dir, Options{SegmentBytes: 64 << 10, Reserve: 1 << 20, Disk: freeDisk{f.disk(), func() (int64, error) { return free.Load(), nil }}})
		reserve := filepath.Join(dir, reserveName)
		if info, err := os.Stat(reserve); err != nil || info.Size() != 1<<20 {
			t.Fatalf("reserve: %v, %v", info, err)
		}
		mustAppend(t, l, sample(0))
		f.onWrite(func([][]byte) (int, error) {
			// The disk is full until the reserve is removed.
			if _, err := os.Stat(reserve); full.Load() || err == nil {
				return 100, fault
			}
			return -1, nil
		})
		if err := l.Append(reserved(make([]byte, 500)), nil); err != nil {
			t.Fatalf("%v: a record with UseReserve did not get the reserve: %v", fault, err)
		}
		for _, append := range []func(*Record, func(error)) error{l.Append, l.AppendAsync} {
			if err := append(data(make([]byte, 10)), nil); !errors.Is(err, ErrLowDisk) {
				t.Errorf("%v: a record without UseReserve got the reserve: %v", fault, err)
			}
		}
		full.Store(true)
		if err := l.Append(reserved(make([]byte, 5000)), nil); !errors.Is(err, ErrLowDisk) || !errors.Is(err, fault) {
			t.Errorf("a record with UseReserve on a disk without any room: %v", err)
		}
		if err := l.Err(); err != nil {
			t.Errorf("a full disk is no failure: %v", err)
		}
		if st := l.Stats(); !st.LowDisk || st.LastSeq != 2 {
			t.Errorf("Stats: %+v", st)
		}
		full.Store(false)
		f.onWrite(func([][]byte) (int, error) { return -1, nil })
		l.space.look() // there is free space again: the reserve is created
		if _, err := os.Stat(reserve); err != nil {
			t.Error(err)
		}
		last := data(make([]byte, 10))
		mustAppend(t, l, last)
		img := snap(t, dir)
		mustClose(t, l)
		img.restore(t, dir, "", nil)
		got, err := replay(dir)
		if err != nil || len(got) != 3 || !equal(got[2], last) {
			t.Errorf("%v: after a crash: %v, %v", fault, seqs(got), err)
		}
	}
}

// No record of a commit that was cut back appears in the log, although some of its records were
// written completely.
func TestDiskFullInMidCommit(t *testing.T) {
	dir := t.TempDir()
	var f faults
	entered, release := make(chan bool, 8), make(chan bool, 8)
	lost := 0
	l := mustOpen(t, dir, Options{Disk: f.disk()})
	pause := func(error) { entered <- true; <-release }
	if err := l.AppendAsync(data([]byte("stays")), pause); err != nil {
		t.Fatal(err)
	}
	<-entered
	var full atomic.Bool
	full.Store(true)
	f.onWrite(func([][]byte) (int, error) {
		if full.Load() {
			return 300, unix.ENOSPC
		}
		return -1, nil
	})
	for range 5 {
		err := l.AppendAsync(data([]byte("is refused")), func(err error) {
			if !errors.Is(err, ErrLowDisk) {
				t.Error(err)
			}
			lost++
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	release <- true
	for l.Stats().Lost < 5 {
		time.Sleep(time.Millisecond)
	}
	img := snap(t, dir)
	full.Store(false)
	release <- true
	mustAppend(t, l, data([]byte("is refused"))) // as long as the rejected records: remains of them would be aligned after it
	after := snap(t, dir)
	mustClose(t, l)
	if lost != 5 {
		t.Errorf("%d records were reported as lost", lost)
	}
	for n, img := range []image{img, after} {
		img.restore(t, dir, "", nil)
		if got, err := replay(dir); err != nil || len(got) != n+1 {
			t.Errorf("records %v, %v, want %d", seqs(got), err, n+1)
		}
	}
}

// If cutting back fails too, the log fails, because its state on disk is unknown.
func TestCutFailure(t *testing.T) {
	var f faults
	l := mustOpen(t, t.TempDir(), Options{Disk: f.disk()})
	f.onWrite(func([][]byte) (int, error) { return 10, unix.ENOSPC })
	f.onSync(func() error { return unix.EIO })
	if err := l.Append(sample(0), nil); !errors.Is(err, ErrFailed) {
		t.Errorf("append: %v", err)
	}
}

func TestSealFailure(t *testing.T) {
	var f faults
	l := mustOpen(t, t.TempDir(), Options{SegmentBytes: 300, Disk: f.disk()})
	mustAppend(t, l, data(make([]byte, 200)))
	f.onSync(func() error { return unix.ENOSPC }) // after a failed sync, even a full disk is a permanent failure
	if err := l.Append(data(make([]byte, 200)), nil); !errors.Is(err, ErrFailed) {
		t.Errorf("append: %v", err)
	}
}

func TestMinFree(t *testing.T) {
	dir := t.TempDir()
	var free atomic.Int64
	free.Store(1000)
	o := Options{SegmentBytes: 64 << 10, MinFree: 2000, Reserve: 500, Logger: quiet, Disk: freeDisk{disk.OS, func() (int64, error) { return free.Load(), nil }}}
	l := mustOpen(t, dir, o)
	held := func() bool {
		_, err := os.Stat(filepath.Join(dir, reserveName))
		return err == nil
	}
	steps := []struct {
		free      int64
		low, held bool
	}{
		{1000, true, false},
		{2999, true, false}, // too little to create the reserve
		{3000, false, true},
		{2000, false, true},
		{1999, true, false},
		{2600, true, false}, // the reserve is released, and is not created again while its space is in use
		{9000, false, true},
	}
	for _, s := range steps {
		free.Store(s.free)
		l.space.look()
		err := l.Append(data(nil), nil)
		if low := errors.Is(err, ErrLowDisk); low != s.low || (!low && err != nil) || held() != s.held {
			t.Errorf("with %d bytes free: %v, the reserve is held: %v", s.free, err, held())
		}
		mustAppend(t, l, reserved(nil))
	}
	mustClose(t, l)

	free.Store(100) // a log that is opened on a full disk releases the reserve, and allocates nothing in advance
	l = mustOpen(t, dir, o)
	if held() {
		t.Error("the reserve is held on a full disk")
	}
	if info, err := os.Stat(segmentPath(dir, 1)); err != nil || info.Size() != l.Size() {
		t.Errorf("the segment has %d bytes, for %d of records: %v", info.Size(), l.Size(), err)
	}
}

// The required free space, the reserve and the size of the segments are scaled to the file system.
// So a file system that is smaller than the settings is not permanently low on space.
func TestSizesAreScaledToTheDisk(t *testing.T) {
	for size, want := range map[int64]struct{ free, wanted, segment int64 }{
		0:         {192 << 20, 192 << 20, 128 << 20}, // unknown size
		4 << 30:   {192 << 20, 192 << 20, 128 << 20},
		256 << 20: {96 << 20, 96 << 20, 16 << 20},
		64 << 20:  {24 << 20, 24 << 20, 4 << 20},
	} {
		var free atomic.Int64
		free.Store(want.free - 1)
		o := Options{SegmentBytes: 128 << 20, MinFree: 64 << 20, Reserve: 64 << 20, Logger: quiet, Disk: sizedDisk{
			freeDisk{disk.OS, func() (int64, error) { return free.Load(), nil }}, size}}
		l := mustOpen(t, t.TempDir(), o)
		if st := l.Stats(); !st.LowDisk || st.Wanted != want.wanted || l.SegmentBytes() != want.segment {
			t.Errorf("of %d bytes: %+v, and segments of %d", size, st, l.SegmentBytes())
		}
		free.Store(want.free)
		l.space.look()
		if st := l.Stats(); st.LowDisk {
			t.Errorf("of %d bytes %d are free: %+v", size, want.free, st)
		}
		mustClose(t, l)
	}
}

// A reserve of another size is replaced. A reserve that is no longer configured is removed.
func TestReserveIsResized(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int64{1000, 300, 0, 2000} {
		mustClose(t, mustOpen(t, dir, Options{SegmentBytes: 1000, Reserve: size}))
		info, err := os.Stat(filepath.Join(dir, reserveName))
		if size == 0 && !errors.Is(err, os.ErrNotExist) || size > 0 && (err != nil || info.Size() != size) {
			t.Errorf("reserve of %d: %v, %v", size, info, err)
		}
	}
}

// The free space is queried at intervals, not at each append.
func TestMinFreeIsCheap(t *testing.T) {
	var asked atomic.Int64
	l := mustOpen(t, t.TempDir(), Options{MinFree: 1, Disk: freeDisk{disk.OS, func() (int64, error) { return asked.Add(1), nil }}})
	began := time.Now()
	for range 200 {
		mustAppend(t, l, data(nil))
	}
	if n, most := asked.Load(), int64(time.Since(began)/spaceInterval)+2; n > most {
		t.Errorf("200 appends asked %d times, at most %d were due", n, most)
	}
}

// After a failed sync, the system regards the data in its memory as written. A process that opens
// the log next reads this data, and writes it again before it appends. Otherwise, a crash of the
// machine would leave a hole before records that were acknowledged later.
func TestWhatAFailedSyncLeft(t *testing.T) {
	for seed := range uint64(100) {
		var failing atomic.Bool
		d := faulty.New(seed, faulty.Options{Fail: func(c faulty.Call) error {
			if failing.Load() && c.Name != "WriteVec" { // the written data cannot be cut off again, either
				return unix.EIO
			}
			return nil
		}})
		open := func() *Log {
			t.Helper()
			return mustOpen(t, "/wal", Options{SegmentBytes: 64 << 10, Disk: d})
		}
		l := open()
		mustAppend(t, l, sample(1))
		failing.Store(true)
		if err := l.Append(sample(2), nil); !errors.Is(err, ErrFailed) {
			t.Fatal(err)
		}
		failing.Store(false)
		_ = l.Close()
		d = d.Kill()

		l = open()
		before := l.LastSeq()
		mustAppend(t, l, sample(3))
		d = d.Crash()
		_ = l.Close()

		l, err := Open("/wal", Options{SegmentBytes: 64 << 10, Disk: d, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := records(l); err != nil || uint64(len(got)) < before+1 || got[len(got)-1].Seq < before+1 {
			t.Fatalf("seed %d: %v, %v; before the crash there were %d", seed, seqs(got), err, before+1)
		}
		mustClose(t, l)
	}
}

// If no file can be read, no record is set aside, and SetAside returns the error.
func TestSetAsideOnADeadDisk(t *testing.T) {
	d := faulty.New(1, faulty.Options{})
	l := mustOpen(t, "/wal", Options{SegmentBytes: 64 << 10, Disk: d})
	d.Set(faulty.Options{Fail: func(c faulty.Call) error { return unix.EIO }})
	if name, err := l.SetAside(sample(1)); !errors.Is(err, unix.EIO) {
		t.Errorf("%q, %v", name, err)
	}
}
