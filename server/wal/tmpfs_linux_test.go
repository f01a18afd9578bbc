package wal

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTmpfs fills a real file system of 8 MiB. Then only records with UseReserve are accepted, and
// the log can be opened again.
func TestTmpfs(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	o := Options{SegmentBytes: 1 << 20, Reserve: 1 << 20, Logger: quiet}
	l := mustOpen(t, dir, o)
	var want []*Record
	for {
		r := data(make([]byte, 46_000))
		err := l.Append(r, nil)
		if errors.Is(err, ErrLowDisk) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if want = append(want, r); len(want) > 1000 {
			t.Fatal("8 MiB are never full")
		}
	}
	if len(want) < 100 {
		t.Errorf("full after %d records", len(want))
	}
	small := reserved(make([]byte, 100_000))
	mustAppend(t, l, small)
	want = append(want, small)
	mustClose(t, l)

	l, err := Open(dir, o) // recovery succeeds on a full disk
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got, err := records(l)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, got, want)
	l.Start()
	if err := l.Append(data(make([]byte, 46_000)), nil); !errors.Is(err, ErrLowDisk) {
		t.Errorf("data on a full disk: %v", err)
	}
	l.Release(l.LastSeq()) // all records have landed
	l.space.look()
	mustAppend(t, l, data(make([]byte, 46_000)))
}
