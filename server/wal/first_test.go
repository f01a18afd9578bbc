package wal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
)

// severalSegments creates a log of 30 records in several segments, and returns the paths of the
// segments.
func severalSegments(t *testing.T, dir string) (paths []string) {
	t.Helper()
	l := mustOpen(t, dir, Options{SegmentBytes: 512})
	for i := range 30 {
		mustAppend(t, l, sample(i))
	}
	mustClose(t, l)
	paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil || len(paths) < 4 {
		t.Fatal(paths, err)
	}
	return paths
}

// A log whose oldest segments are missing is damaged, whether or not some of its records had
// landed. Repair keeps the remaining records.
func TestFirstSegmentsAreMissing(t *testing.T) {
	for name, c := range map[string]struct {
		release uint64
		remove  func(paths []string) []string
	}{
		"the first":            {0, func(paths []string) []string { return paths[:1] }},
		"the first two":        {0, func(paths []string) []string { return paths[:2] }},
		"all but the last":     {0, func(paths []string) []string { return paths[:len(paths)-1] }},
		"all":                  {0, func(paths []string) []string { return paths }},
		"the first not landed": {12, func(paths []string) []string { return paths[:1] }},
		"all not landed":       {12, func(paths []string) []string { return paths }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			paths := severalSegments(t, dir)
			if c.release > 0 {
				l := mustOpen(t, dir, Options{SegmentBytes: 512})
				l.Release(c.release)
				mustClose(t, l)
				left, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
				if err != nil || len(left) == 0 || len(left) == len(paths) {
					t.Fatal(left, err)
				}
				paths = left
			}
			before, err := replay(dir)
			if err != nil {
				t.Fatal(err)
			}
			gone := c.remove(paths)
			for _, path := range gone {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			_, err = Open(dir, Options{SegmentBytes: 512})
			var damage *DamageError
			if !errors.As(err, &damage) {
				t.Fatalf("a log without its oldest segments opens: %v", err)
			}
			if damage.Segment != paths[0] || !strings.Contains(damage.Reason, "missing") || damage.From != before[0].Seq {
				t.Errorf("%+v", damage)
			}
			if report, err := Check(dir); err != nil || len(report.Damage) != 1 {
				t.Errorf("%+v, %v", report, err)
			}
			if _, err := Repair(dir); err != nil {
				t.Fatal(err)
			}
			after, err := replay(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(gone) == len(paths) {
				if len(after) != 0 {
					t.Errorf("%d records", len(after))
				}
				return
			}
			if damage.To != after[0].Seq-1 {
				t.Errorf("records %d to %d are lost, and %d is there", damage.From, damage.To, after[0].Seq)
			}
			wantRecords(t, after, before[damage.To-damage.From+1:])
		})
	}
}

// A crash at any step of Release leaves a log that can be opened, because the file is written
// before the segment is removed.
func TestReleaseStepByStep(t *testing.T) {
	dir := t.TempDir()
	severalSegments(t, dir)
	l := mustOpen(t, dir, Options{SegmentBytes: 512})
	defer l.Close()
	for seq := uint64(1); seq <= 30; seq++ {
		l.Release(seq)
		copied := t.TempDir()
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		got, err := replay(copied)
		if err != nil {
			t.Fatal(err)
		}
		if got[len(got)-1].Seq != 30 || got[0].Seq > seq+1 {
			t.Errorf("after the release of %d: records %d to %d", seq, got[0].Seq, got[len(got)-1].Seq)
		}
		f, err := readFirst(disk.OS, copied)
		if err != nil || f.number == 0 || f.seq != got[0].Seq {
			t.Errorf("%+v, %v, and the first record is %d", f, err, got[0].Seq)
		}
	}
}

// If the file cannot be synced, a later Release writes it again before it removes a segment,
// because a disk may forget what a failed sync left in memory. This also holds after a restart.
func TestFirstIsWrittenAgain(t *testing.T) {
	for seed := range uint64(40) {
		o := Options{SegmentBytes: 512, Logger: quiet}
		d := faulty.New(seed, faulty.Options{})
		if err := d.Mkdir("/wal", 0o700); err != nil {
			t.Fatal(err)
		}
		o.Disk = d
		l := mustOpen(t, "/wal", o)
		for i := range 30 {
			mustAppend(t, l, sample(i))
		}
		oldest := l.sealed[0].next - 1
		failures := 0
		d.Set(faulty.Options{Fail: func(c faulty.Call) error {
			if c.Name != "Sync" || c.Path != "/wal/"+firstName {
				return nil
			}
			failures++
			return unix.EIO
		}})
		l.Release(oldest)
		if failures == 0 {
			t.Fatal("Release does not sync the file")
		}
		d.Set(faulty.Options{})
		if seed%2 == 1 {
			d = d.Kill()
			o.Disk = d
			l = mustOpen(t, "/wal", o)
		}
		l.Release(oldest)
		o.Disk = d.Crash()
		after, err := Open("/wal", o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		after.Close()
	}
}

// The file is used if one of its two halves is valid. If neither is, the log does without the file,
// because logs of earlier versions contain none.
func TestFirstFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, firstName)
	for n := uint64(1); n < 6; n++ {
		if err := writeFirst(disk.OS, dir, &segment{number: n, start: 10 * n}); err != nil {
			t.Fatal(err)
		}
		if f, err := readFirst(disk.OS, dir); err != nil || f.number != n || f.seq != 10*n {
			t.Fatalf("%+v, %v", f, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	now, err := readFirst(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	for at := range firstSize { // a torn write
		torn := append([]byte(nil), text...)
		torn[now.half*firstHalf+at]++
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := readFirst(disk.OS, dir); err != nil || f.number != 4 {
			t.Errorf("byte %d: %+v, %v", at, f, err)
		}
	}
	for _, text := range []string{"", "x", strings.Repeat("\x00", 2*firstHalf)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := readFirst(disk.OS, dir); err != nil || f.number != 0 {
			t.Errorf("%q: %+v, %v", text[:min(3, len(text))], f, err)
		}
	}
}
