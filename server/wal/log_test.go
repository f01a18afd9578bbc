package wal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// The encoding on disk must not change, because logs of earlier versions must remain readable.
func TestFormat(t *testing.T) {
	r := &Record{Seq: 0x0102, Type: 1, Codec: 0x0304, Time: -2, DB: "db", Table: "tab", Payload: []byte("payload")}
	if got, want := hex.EncodeToString(appendRecord(nil, r, 0xdeadbeef)), ""+
		"ff8f74a6"+"0c000000"+"0201000000000000"+"feffffffffffffff"+"4006cdd3"+"0403"+"01"+"00"+"0200"+"0300"+"00000000"+
		"6462"+"746162"+"7061796c6f6164"+"00000000"; got != want {
		t.Errorf("record\n%s, want\n%s", got, want)
	}
	half := "736c69702e77616c" + "0100" + "0000" + "efbeadde" + "0700000000000000" + "00000000" + "57b16725"
	if got := hex.EncodeToString(appendSegmentHeader(nil, 7, 0xdeadbeef)); got != half+half {
		t.Errorf("segment header\n%s, want\n%s", got, half+half)
	}
}

// Every changed byte of a record is detected, also in the padding.
func TestEachByteOfARecordCounts(t *testing.T) {
	r := sample(5)
	r.Seq = 9
	b := appendRecord(nil, r, 3)
	var got Record
	if _, err := readRecord(b, 3, &got); err != nil || !equal(&got, r) || padding(len(r.DB)+len(r.Table)+len(r.Payload)) == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range b {
		b[i] ^= 0x10
		if _, err := readRecord(b, 3, &got); err == nil {
			t.Errorf("byte %d of %d was changed", i, len(b))
		}
		b[i] ^= 0x10
		if _, err := readRecord(b[:i], 3, &got); err == nil {
			t.Errorf("read from %d bytes of %d", i, len(b))
		}
	}
}

func TestReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by", "open")
	var want []*Record
	for range 4 { // each time, the log contains the records of all earlier rounds
		l, err := Open(dir, Options{Logger: quiet, SegmentBytes: 700})
		if err != nil {
			t.Fatal(err)
		}
		got, err := records(l)
		if err != nil {
			t.Fatal(err)
		}
		wantRecords(t, got, want)
		l.Start()
		for range 10 {
			r := sample(len(want))
			mustAppend(t, l, r)
			want = append(want, r)
			if r.Seq != uint64(len(want)) || l.LastSeq() != r.Seq {
				t.Fatalf("record %d got the sequence number %d, the log says %d", len(want), r.Seq, l.LastSeq())
			}
		}
		mustClose(t, l)
	}
	rep, err := Check(dir)
	if err != nil || rep.Records != len(want) || rep.Last != uint64(len(want)) || rep.First != 1 || rep.Segments < 3 {
		t.Errorf("Check: %v, %v", rep, err)
	}
}

func TestRecordSizes(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, dir, Options{SegmentBytes: 10_000})
	var want []*Record
	for _, n := range []int{0, 1, 7, 8, 9, copied - 1, copied, copied + 1, 9_000, 30_000, 2 * windowSize, 10} {
		r := data(bytes.Repeat([]byte{byte(n)}, n))
		mustAppend(t, l, r)
		want = append(want, r)
	}
	long := strings.Repeat("n", math.MaxUint16)
	r := &Record{Type: 2, DB: long, Table: long}
	mustAppend(t, l, r)
	want = append(want, r)
	mustClose(t, l)
	got, err := replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, got, want)
}

func TestRefusedRecords(t *testing.T) {
	l := mustOpen(t, t.TempDir(), Options{SegmentBytes: 1000})
	long := strings.Repeat("n", math.MaxUint16+1)
	for _, r := range []*Record{{}, {Type: gap}, {Type: maxType + 1}, {Type: 1, DB: long}, {Type: 1, Table: long}, data(make([]byte, maxBody))} {
		if err := l.Append(r, nil); err == nil {
			t.Errorf("a record of type %d with names of %d and %d bytes was taken", r.Type, len(r.DB), len(r.Table))
		}
	}
	if l.LastSeq() != 0 {
		t.Errorf("refused records were given sequence numbers up to %d", l.LastSeq())
	}
}

func TestPhases(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(data(nil), nil); err == nil {
		t.Error("append before Start")
	}
	l.Start()
	l.Start()
	if err := l.Replay(func(*Record) error { return nil }); err == nil {
		t.Error("Replay after Start")
	}
	mustClose(t, l)
	mustClose(t, l)
	if err := l.Append(data(nil), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("append after Close: %v", err)
	}
	if err := l.AppendAsync(data(nil), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("AppendAsync after Close: %v", err)
	}
}

func TestReplayStops(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, dir, small)
	mustAppend(t, l, sample(1), sample(2), sample(3))
	mustClose(t, l)
	l, err := Open(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	enough := errors.New("enough")
	n := 0
	err = l.Replay(func(*Record) error {
		if n++; n == 2 {
			return enough
		}
		return nil
	})
	if err != enough || n != 2 {
		t.Errorf("replay returned %v after %d records", err, n)
	}
	if got, err := records(l); len(got) != 3 || err != nil {
		t.Errorf("the second replay: %d records, %v", len(got), err)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, dir, small)
	if _, err := Open(dir, Options{Logger: quiet}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("second Open: %v", err)
	}
	if _, err := Check(dir); err == nil {
		t.Error("Check of an open log")
	}
	if _, err := Repair(dir); err == nil {
		t.Error("Repair of an open log")
	}
	mustClose(t, l)
	if _, err := Check(dir); err != nil {
		t.Error(err)
	}
}

// While a commit is in progress, all further appends are collected for the next commit.
func TestGroupCommit(t *testing.T) {
	var f faults
	entered, release := make(chan bool), make(chan bool)
	var once sync.Once
	var order []uint64
	var commits []int // number of functions that were called before the end of each commit
	l := mustOpen(t, t.TempDir(), Options{Disk: f.disk(), Committed: func() { commits = append(commits, len(order)) }})
	f.onSync(func() error {
		once.Do(func() {
			entered <- true
			<-release
		})
		return nil
	})
	const n = 100
	var wg sync.WaitGroup
	add := func() {
		r := data(make([]byte, 3000))
		if err := l.Append(r, func(error) { order = append(order, r.Seq) }); err != nil {
			t.Error(err)
		}
	}
	wg.Go(add)
	<-entered
	for range n {
		wg.Go(add)
	}
	for l.Stats().Waiting < n+1 {
		time.Sleep(time.Millisecond)
	}
	release <- true
	wg.Wait()
	if syncs, writes := f.syncs.Load(), f.writes.Load(); syncs != 2 || writes != 2 {
		t.Errorf("%d appends took %d writes and %d syncs, want two of each", n+1, writes, syncs)
	}
	if st := l.Stats(); st.Commits != 2 || st.Records != n+1 || st.Waiting != 0 || st.LastSeq != n+1 {
		t.Errorf("Stats: %+v", st)
	}
	if !slices.Equal(commits, []int{1, n + 1}) {
		t.Errorf("Committed was called after %v functions", commits)
	}
	if !slices.IsSorted(order) || len(order) != n+1 {
		t.Errorf("functions were called for the records %v", order)
	}
}

func TestConcurrentAppends(t *testing.T) {
	dir := t.TempDir()
	var committed []uint64
	l := mustOpen(t, dir, Options{SegmentBytes: 64 << 10})
	const workers, each = 8, 100
	want := make([]*Record, workers*each)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				r := data(bytes.Repeat([]byte{byte(w)}, 500*i%6000))
				r.Table = fmt.Sprint(w, ".", i)
				var err error
				done := func(error) { committed = append(committed, r.Seq) }
				if i%10 == 9 {
					err = l.AppendAsync(r, done)
				} else if err = l.Append(r, done); err == nil && l.LastSeq() < r.Seq {
					t.Error("Append returned before its record was committed")
				}
				if err != nil {
					t.Error(err)
				}
				want[w*each+i] = r
			}
		})
	}
	wg.Wait()
	mustClose(t, l)
	slices.SortFunc(want, func(a, b *Record) int { return int(a.Seq) - int(b.Seq) })
	for i, seq := range committed {
		if seq != uint64(i+1) {
			t.Fatalf("commit %d was of record %d", i+1, seq)
		}
	}
	got, err := replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, got, want)
}

// Every append that races with Close either is in the log afterwards or has failed with ErrClosed.
func TestCloseRaces(t *testing.T) {
	for range 20 {
		dir := testkit.MemDir(t)
		l := mustOpen(t, dir, Options{SegmentBytes: 2000})
		var mu sync.Mutex
		var want []uint64
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				for {
					r := data(make([]byte, 100))
					if err := l.Append(r, nil); errors.Is(err, ErrClosed) {
						return
					} else if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					want = append(want, r.Seq)
					mu.Unlock()
				}
			})
		}
		wg.Go(func() {
			for l.AppendAsync(data(nil), nil) == nil {
			}
		})
		time.Sleep(time.Millisecond)
		mustClose(t, l)
		wg.Wait()
		got, err := replay(dir)
		if err != nil {
			t.Fatal(err)
		}
		have := seqs(got)
		for _, seq := range want {
			if !slices.Contains(have, seq) {
				t.Fatalf("record %d was acknowledged and is not there", seq)
			}
		}
	}
}

func TestAsyncQueueIsBounded(t *testing.T) {
	var f faults
	gate := make(chan bool)
	f.onSync(func() error { <-gate; return nil })
	l := mustOpen(t, t.TempDir(), Options{Disk: f.disk()})
	blocked := make(chan bool)
	const n = 6
	go func() {
		for range n {
			if err := l.AppendAsync(data(make([]byte, maxQueuedBytes/3)), nil); err != nil {
				t.Error(err)
			}
		}
		close(blocked)
	}()
	for l.Stats().Waiting < 2 {
		time.Sleep(time.Millisecond)
	}
	select {
	case <-blocked:
		t.Error("the queue took twice its bound")
	case <-time.After(20 * time.Millisecond):
	}
	if w := l.Stats().Waiting; w > 3 {
		t.Errorf("%d records wait", w)
	}
	close(gate)
	<-blocked
	mustClose(t, l)
	if l.LastSeq() != n {
		t.Errorf("%d records were committed", l.LastSeq())
	}
}

func TestRelease(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, dir, Options{SegmentBytes: 500})
	for i := range 30 {
		mustAppend(t, l, sample(i))
	}
	before := l.Stats()
	if before.Segments < 4 {
		t.Fatalf("only %d segments", before.Segments)
	}
	firsts := func() (s []uint64) {
		segs, err := listSegments(disk.OS, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, seg := range segs {
			s = append(s, seg.start)
		}
		return s
	}
	starts := firsts()

	l.Release(starts[1] - 2) // all but the last record of the first segment
	if got := firsts(); !slices.Equal(got, starts) {
		t.Errorf("a segment went too early: %v of %v are left", got, starts)
	}
	l.Release(starts[2] - 1)
	if got := firsts(); !slices.Equal(got, starts[2:]) {
		t.Errorf("segments that begin with %v are left, want %v", got, starts[2:])
	}
	after := l.Stats()
	if after.Size >= before.Size || after.Segments != before.Segments-2 {
		t.Errorf("size %d, before %d; %d segments, before %d", after.Size, before.Size, after.Segments, before.Segments)
	}
	l.Release(math.MaxUint64)
	if got := firsts(); !slices.Equal(got, starts[len(starts)-1:]) {
		t.Errorf("after the release of everything, segments that begin with %v are left", got)
	}
	mustClose(t, l)
	l.Release(math.MaxUint64)

	l = mustOpen(t, dir, Options{SegmentBytes: 500})
	r := sample(1)
	mustAppend(t, l, r)
	if r.Seq != 31 {
		t.Errorf("after everything was released, the next record is %d, want 31", r.Seq)
	}
}

// The size that the log maintains equals the size that Open determines.
func TestSize(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, dir, Options{SegmentBytes: 500})
	for i := range 20 {
		mustAppend(t, l, sample(i))
	}
	l.Release(7)
	size := l.Size()
	mustClose(t, l)
	l = mustOpen(t, dir, small)
	if l.Size() != size {
		t.Errorf("size %d, after Open %d", size, l.Size())
	}
	mustClose(t, l)
	var onDisk int64
	for _, b := range snap(t, dir) {
		onDisk += int64(len(b))
	}
	if onDisk != size {
		t.Errorf("size %d, but %d bytes are on disk", size, onDisk)
	}
}

func TestFull(t *testing.T) {
	dir := t.TempDir()
	const budget = 10_000
	l := mustOpen(t, dir, Options{MaxBytes: budget})
	var err error
	n := 0
	for ; err == nil && n < 1000; n++ {
		err = l.Append(data(make([]byte, 200)), nil)
	}
	if !errors.Is(err, ErrFull) {
		t.Fatalf("after %d appends: %v", n, err)
	}
	if size := l.Size(); size > budget || size < budget*9/10 {
		t.Errorf("full at %d bytes of %d", size, budget)
	}
	if err := l.AppendAsync(data(make([]byte, 200)), nil); !errors.Is(err, ErrFull) {
		t.Errorf("AppendAsync: %v", err)
	}
	if err := l.Append(reserved(make([]byte, 200)), nil); err != nil {
		t.Errorf("a record with UseReserve: %v", err)
	}
	l.Release(l.LastSeq())
	mustAppend(t, l, data(make([]byte, 200)))
	if l.Stats().Refused != 2 {
		t.Errorf("Stats: %+v", l.Stats())
	}
	if l.Err() != nil {
		t.Error(l.Err())
	}
}

func TestTempFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	left := segmentPath(dir, 2) + tempSuffix
	if err := os.WriteFile(left, []byte("half a header"), 0o644); err != nil {
		t.Fatal(err)
	}
	l := mustOpen(t, dir, small)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", left, err)
	}
	mustAppend(t, l, sample(1))
}

// A crash may happen when a new segment has just got its name, while the old segment still has
// unused allocated space.
func TestCrashInRotation(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, dir, Options{SegmentBytes: 4096})
	mustAppend(t, l, sample(1), sample(2))
	img := snap(t, dir)
	mustClose(t, l)
	img.restore(t, dir, "", nil)
	if _, f, err := createSegment(disk.OS, new(spares), dir, 2, 3, 4096); err != nil {
		t.Fatal(err)
	} else {
		f.Close()
	}
	l = mustOpen(t, dir, small)
	r := sample(3)
	mustAppend(t, l, r)
	mustClose(t, l)
	got, err := replay(dir)
	if err != nil || len(got) != 3 || r.Seq != 3 {
		t.Errorf("records %v, %v", seqs(got), err)
	}
}

// writeAll writes more vectors than the system accepts in one call.
func TestManyVectors(t *testing.T) {
	f, err := disk.OS.Open(filepath.Join(t.TempDir(), "file"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var vecs [][]byte
	var want []byte
	for i := range 3000 {
		v := bytes.Repeat([]byte{byte(i)}, i%7+1)
		vecs = append(vecs, v)
		want = append(want, v...)
	}
	if err := writeAll(f, vecs, 0); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes were written, want %d: %v", len(got), len(want), err)
	}
}

func TestNewerVersion(t *testing.T) {
	dir := t.TempDir()
	mustClose(t, mustOpen(t, dir, small))
	path := segmentPath(dir, 1)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[8] = version + 1
	half := b[:segmentSumStart]
	copy(b[segmentHalf:], appendSum(half))
	copy(b, appendSum(half))
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	_, opened := Open(dir, Options{Logger: quiet})
	_, repaired := Repair(dir)
	for _, err := range []error{opened, repaired} {
		if damage := new(DamageError); err == nil || errors.As(err, &damage) || !strings.Contains(err.Error(), "version 2") {
			t.Errorf("a segment of a newer version: %v", err)
		}
	}
}
