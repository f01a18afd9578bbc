package wal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk"
)

func spareFiles(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"+spareSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// fill appends records until the log has n segments.
func fill(t testing.TB, l *Log, n int) {
	t.Helper()
	for range 1000 {
		if l.Stats().Segments >= n {
			return
		}
		mustAppend(t, l, data(bytes.Repeat([]byte{0xa5}, 10_000)))
	}
	t.Fatalf("the log never had %d segments", n)
}

// canRecycle skips the test if the file system of dir cannot zero blocks in place.
func canRecycle(t testing.TB, dir string) {
	t.Helper()
	f, err := disk.OS.Open(filepath.Join(dir, "probe"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := f.Zero(4096); err != nil {
		t.Skip("this file system cannot zero blocks in place:", err)
	}
}

// A segment whose records have landed is reused for a new segment, several times in a row. The new
// segment contains no bytes of the old records.
func TestSpares(t *testing.T) {
	dir := t.TempDir()
	canRecycle(t, dir)
	l := mustOpen(t, dir, Options{SegmentBytes: 64 << 10})
	for round := range 5 {
		fill(t, l, 4)
		l.Release(l.LastSeq())
		if n := l.Stats().Segments; n != 1 {
			t.Fatalf("round %d: %d segments are left", round, n)
		}
		if n := len(spareFiles(t, dir)); n != 3 {
			t.Fatalf("round %d: %d spares, want 3", round, n)
		}
	}
	fill(t, l, 3)
	if n := len(spareFiles(t, dir)); n != 1 {
		t.Fatalf("%d spares are left after two segments were made of them, want 1", n)
	}
	img := snap(t, dir)
	last := img.names()[len(img)-1]
	if end := l.active.end; len(bytes.Trim(img[last][end:], "\x00")) > 0 {
		t.Errorf("after the end of %s is something of its first life", last)
	}
	want := l.LastSeq()

	// After a crash at this point, the log is complete, and the spare is found again.
	crashed := t.TempDir()
	img.restore(t, crashed, "", nil)
	if err := os.WriteFile(filepath.Join(crashed, "00000001"+suffix+spareSuffix), bytes.Repeat([]byte{1}, 64<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, crashed, Options{SegmentBytes: 64 << 10})
	if got := again.LastSeq(); got != want {
		t.Errorf("after a crash the last record is %d, want %d", got, want)
	}
	fill(t, again, 4)
	if n := len(spareFiles(t, crashed)); n != 0 {
		t.Errorf("the spare that was found has not been used: %d are left", n)
	}
	mustClose(t, again)
	if recs, err := replay(crashed); err != nil || uint64(len(recs)) != recs[len(recs)-1].Seq-recs[0].Seq+1 {
		t.Errorf("%d records, error %v", len(recs), err)
	}
	mustClose(t, l)
	if n := len(spareFiles(t, dir)); n != 0 {
		t.Errorf("%d spares are left after Close", n)
	}
}

// The log keeps at most maxSpares spares, and does not use a spare of another size.
func TestSparesAreBounded(t *testing.T) {
	dir := t.TempDir()
	canRecycle(t, dir)
	l := mustOpen(t, dir, Options{SegmentBytes: 64 << 10})
	fill(t, l, maxSpares+4)
	l.Release(l.LastSeq())
	if n := len(spareFiles(t, dir)); n != maxSpares {
		t.Errorf("%d spares, want %d", n, maxSpares)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*"+tempSuffix)); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
	if err := os.Truncate(spareFiles(t, dir)[0], 1<<20); err != nil {
		t.Fatal(err)
	}
	fill(t, l, 3)
	for name, b := range snap(t, dir) {
		if len(b) > 64<<10 {
			t.Errorf("%s was made of a spare of %d bytes", name, len(b))
		}
	}
}

// When free space is low, spares are removed before data is rejected.
func TestSparesGoOnLowDisk(t *testing.T) {
	dir := t.TempDir()
	canRecycle(t, dir)
	free := int64(1 << 30)
	l := mustOpen(t, dir, Options{SegmentBytes: 64 << 10, MinFree: 1 << 20, Disk: freeDisk{disk.OS, func() (int64, error) {
		if len(spareFiles(t, dir)) > 0 {
			return free - 1<<30, nil
		}
		return free, nil
	}}})
	fill(t, l, 3)
	l.Release(l.LastSeq())
	l.space.due.Store(0) // query the free space now
	mustAppend(t, l, data([]byte("x")))
	if n := len(spareFiles(t, dir)); n != 0 {
		t.Errorf("%d spares are kept on a low disk", n)
	}
}
