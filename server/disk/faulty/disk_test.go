package faulty

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
)

func mustOpen(t *testing.T, d disk.Disk, path string) disk.File {
	t.Helper()
	f, err := d.Open(path, os.O_RDWR|os.O_CREATE, disk.FileMode())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// outcomes calls build and crashes the disk many times, and counts the contents of the file at
// path. The content "none" means that the file does not exist.
func outcomes(t *testing.T, path string, build func(d *Disk)) map[string]int {
	t.Helper()
	found := make(map[string]int)
	for seed := range uint64(400) {
		d := New(seed, Options{})
		build(d)
		b, err := disk.ReadFile(d.Crash(), path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			found["none"]++
		case err != nil:
			t.Fatal(err)
		default:
			found[string(b)]++
		}
	}
	return found
}

func TestCrashOfFile(t *testing.T) {
	old, new := bytes.Repeat([]byte("a"), 3*sector), bytes.Repeat([]byte("b"), 3*sector)
	written := func(d *Disk) disk.File {
		f := mustOpen(t, d, "/file")
		_, err := f.WriteAt(old, 0)
		must(t, err)
		must(t, f.Sync())
		must(t, d.SyncDir("/"))
		return f
	}
	if got := outcomes(t, "/file", func(d *Disk) { written(d) }); len(got) != 1 || got[string(old)] == 0 {
		t.Errorf("what was synced is there in %d forms", len(got))
	}
	got := outcomes(t, "/file", func(d *Disk) {
		_, err := written(d).WriteAt(new, 0)
		must(t, err)
	})
	if len(got) != 8 { // each of the three sectors is old or new
		t.Errorf("what was not synced is there in %d forms, want 8", len(got))
	}
	got = outcomes(t, "/file", func(d *Disk) {
		f := written(d)
		d.Set(Options{Fail: func(c Call) error {
			if c.Name == "Datasync" {
				return syscall.EIO
			}
			return nil
		}})
		_, err := f.WriteAt(new, 0)
		must(t, err)
		if f.Datasync() == nil {
			t.Fatal("the sync did not fail")
		}
		d.Set(Options{})
		must(t, f.Datasync())
		b, err := disk.ReadFile(d, "/file")
		if err != nil || !bytes.Equal(b, new) {
			t.Fatal("what was written cannot be read", err)
		}
	})
	if len(got) != 8 {
		t.Errorf("after a sync that failed, and one that did not, there are %d forms, want 8", len(got))
	}
}

func TestCrashOfDirectory(t *testing.T) {
	write := func(d *Disk, path, text string) {
		f := mustOpen(t, d, path)
		_, err := f.Write([]byte(text))
		must(t, err)
		must(t, f.Sync())
		must(t, f.Close())
	}
	got := outcomes(t, "/dir/file", func(d *Disk) {
		must(t, disk.MkdirAll(d, "/dir"))
		write(d, "/dir/file", "x")
	})
	if len(got) != 2 || got["none"] == 0 || got["x"] == 0 {
		t.Errorf("without a sync of the directory: %v", got)
	}
	got = outcomes(t, "/dir/file", func(d *Disk) {
		must(t, disk.MkdirAll(d, "/dir"))
		must(t, disk.WriteFile(d, "/dir/file", []byte("old")))
		write(d, "/dir/temp", "new")
		must(t, d.Rename("/dir/temp", "/dir/file"))
	})
	if len(got) != 2 || got["old"] == 0 || got["new"] == 0 {
		t.Errorf("of a rename: %v", got)
	}
	got = outcomes(t, "/dir/file", func(d *Disk) {
		must(t, disk.MkdirAll(d, "/dir"))
		must(t, disk.WriteFile(d, "/dir/file", []byte("old")))
		must(t, disk.WriteFile(d, "/dir/file", []byte("new")))
	})
	if len(got) != 1 || got["new"] == 0 {
		t.Errorf("of WriteFile: %v", got)
	}
}

func TestFullDisk(t *testing.T) {
	d := New(1, Options{Size: 1000})
	f := mustOpen(t, d, "/file")
	if n, err := f.WriteVec([][]byte{make([]byte, 600), make([]byte, 600)}, 0); n != 1000 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n, err := f.WriteVec([][]byte{{1}}, 1000); n != 0 || !disk.IsFull(err) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := f.Allocate(0, 1001); !disk.IsFull(err) {
		t.Error(err)
	}
	must(t, f.Truncate(400))
	if n, err := f.WriteAt(make([]byte, 700), 400); n != 600 || !disk.IsFull(err) {
		t.Errorf("%d bytes, %v", n, err)
	}
	must(t, d.Remove("/file"))
	if free, err := d.Free("/"); free != 0 || err != nil {
		t.Errorf("an open file takes no room: %d, %v", free, err)
	}
	must(t, f.Close())
	if free, err := d.Free("/"); free != 1000 || err != nil {
		t.Errorf("a file that is gone takes room: %d, %v", free, err)
	}
}

// TestCrashAt crashes at a call. The call may take effect or not, and all later calls fail.
func TestCrashAt(t *testing.T) {
	done := 0
	for seed := range uint64(100) {
		crashed := false
		d := New(seed, Options{})
		d.Set(Options{Crashed: func(Call) { crashed = true }})
		d.CrashAt(2)
		f := mustOpen(t, d, "/file")
		if _, err := f.Write([]byte("x")); err == nil || !crashed {
			t.Fatal("it did not crash")
		}
		if err := f.Sync(); !errors.Is(err, errDead) {
			t.Fatal(err)
		}
		if f.(*file).n.data.size == 1 {
			done++
		}
	}
	if done == 0 || done == 100 {
		t.Errorf("the call was done %d times of 100", done)
	}
}

// A directory that an earlier process has created is as durable as a new directory, regardless of
// the call at which that process ended.
func TestMkdirAllAfterAnEarlierLife(t *testing.T) {
	for seed := range uint64(50) {
		for at := 1; at <= 6; at++ {
			calls := 0
			d := New(seed, Options{Fail: func(Call) error {
				if calls++; calls >= at {
					return syscall.EIO
				}
				return nil
			}})
			disk.MkdirAll(d, "/a/b/c")
			d = d.Kill()
			if err := disk.MkdirAll(d, "/a/b/c"); err != nil {
				t.Fatal(err)
			}
			d = d.Crash()
			if info, err := d.Stat("/a/b/c"); err != nil || !info.IsDir() {
				t.Fatalf("the first life ends at call %d: %v", at, err)
			}
		}
	}
}

// Read and WriteVec may process fewer bytes than requested. The transferred data is still correct.
func TestShort(t *testing.T) {
	d := New(1, Options{})
	text := bytes.Repeat([]byte("0123456789"), 500)
	short := make(map[string]int)
	d.Set(Options{Short: func(c Call) bool { short[c.Name]++; return true }})
	f := mustOpen(t, d, "/file")
	for at := 0; at < len(text); {
		n, err := f.WriteVec([][]byte{text[at:min(at+7, len(text))], text[min(at+7, len(text)):]}, int64(at))
		must(t, err)
		at += n
	}
	got, err := disk.ReadFile(d, "/file")
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if short["Read"] < 2 || short["WriteVec"] < 2 {
		t.Errorf("calls: %v", short)
	}
}

func TestCorrupt(t *testing.T) {
	d := New(1, Options{})
	must(t, disk.WriteFile(d, "/file", make([]byte, 100)))
	if d.Corrupt("/none", 0, 100) || d.Corrupt("/file", 100, 200) || !d.Corrupt("/file", 40, 60) {
		t.Error("there is nothing to flip, or there is")
	}
	for _, d := range []*Disk{d, d.Crash()} {
		got, err := disk.ReadFile(d, "/file")
		if err != nil {
			continue // the machine is switched off
		}
		if n := bytes.Count(got, []byte{0}); n != 99 || bytes.Count(got[40:60], []byte{0}) != 19 {
			t.Errorf("%d bytes are as they were", n)
		}
	}
}

// The digests of two runs are equal if their calls and the times of these calls are equal.
func TestDigest(t *testing.T) {
	run := func(seed uint64, second string) uint64 {
		var digest uint64
		synctest.Test(t, func(t *testing.T) {
			d := New(seed, Options{Delay: func(c Call) time.Duration { return time.Duration(1 + c.Rand.IntN(1e6)) }})
			mustOpen(t, d, "/file")
			mustOpen(t, d, second)
			digest = d.Digest()
		})
		return digest
	}
	first, again := run(1, "/a"), run(1, "/a")
	if first != again || first == run(2, "/a") || first == run(1, "/b") {
		t.Error("the digest does not tell runs apart")
	}
}

// MkdirAll also makes the files durable that an earlier process has created in the directory.
func TestMkdirAllSyncsFiles(t *testing.T) {
	for seed := range uint64(50) {
		d := New(seed, Options{Fail: func(c Call) error {
			if c.Name == "SyncDir" && c.Path == "/a" {
				return syscall.EIO
			}
			return nil
		}})
		disk.Mkdir(d, "/a")
		if err := disk.WriteFile(d, "/a/file", []byte("text")); err == nil {
			t.Fatal("the directory was synced")
		}
		d = d.Kill()
		must(t, disk.MkdirAll(d, "/a"))
		if text, err := disk.ReadFile(d.Crash(), "/a/file"); err != nil || string(text) != "text" {
			t.Fatalf("seed %d: %q, %v", seed, text, err)
		}
	}
}

// Threads of a killed process may still close their files while the next process works.
func TestKillTakesFiles(t *testing.T) {
	d := New(1, Options{Size: 1 << 20})
	must(t, disk.WriteFile(d, "/a", make([]byte, 4096)))
	before, err := d.Open("/a", os.O_RDONLY, 0)
	must(t, err)
	d = d.Kill()
	after, err := d.Open("/a", os.O_RDONLY, 0)
	must(t, err)
	closed := make(chan error)
	go func() { closed <- before.Close() }()
	must(t, d.Remove("/a"))
	must(t, <-closed)
	must(t, after.Close())
	if free, err := d.Free("/"); err != nil || free != 1<<20 {
		t.Fatalf("%d bytes are free, %v", free, err)
	}
}
