package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
)

func text(t *testing.T, d disk.Disk, path string) string {
	t.Helper()
	b, err := disk.ReadFile(d, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "none"
	case err != nil:
		t.Fatal(err)
	}
	return string(b)
}

// write creates a file whose content is durable, but whose name is not.
func write(t *testing.T, d disk.Disk, path, text string) {
	t.Helper()
	f, err := d.Open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// Directories that MkdirAll has created survive a power failure, with all their parents. So do
// existing directories that an earlier process created and did not sync.
func TestMkdirAllIsDurable(t *testing.T) {
	for made := range 5 {
		for seed := range uint64(20) {
			d := faulty.New(seed, faulty.Options{})
			for _, dir := range []string{"/a", "/a/b", "/a/b/c", "/a/b/c/d"}[:made] {
				if _, err := disk.Mkdir(d, dir); err != nil {
					t.Fatal(err)
				}
			}
			if made > 0 {
				d = d.Kill() // the process ends, and the machine keeps running
			}
			if err := disk.MkdirAll(d, "/a/b/c/d"); err != nil {
				t.Fatal(err)
			}
			if info, err := d.Crash().Stat("/a/b/c/d"); err != nil || !info.IsDir() {
				t.Fatalf("seed %d, %d directories there before: after a power cut %v", seed, made, err)
			}
		}
	}
}

// WriteFile replaces a file in one step. After a crash at any call, the file has the old or the new
// content. After WriteFile has succeeded, it has the new content.
func TestWriteFileIsDurable(t *testing.T) {
	for call := 1; ; call++ {
		d := faulty.New(uint64(call), faulty.Options{})
		if err := disk.WriteFile(d, "/file", []byte("old")); err != nil {
			t.Fatal(err)
		}
		d.CrashAt(call)
		err := disk.WriteFile(d, "/file", []byte("new"))
		if got := text(t, d.Crash(), "/file"); got != "new" && (err == nil || got != "old") {
			t.Fatalf("call %d, %v: %q", call, err, got)
		}
		if err == nil {
			return
		}
	}
}

// Publish makes a file durable under its name, and never replaces a file. After an error, no file
// of that name exists. This is true on file systems with links and without.
func TestPublishIsDurable(t *testing.T) {
	for name, links := range map[string]error{"links": nil, "no links": errors.ErrUnsupported, "links are not permitted": syscall.EPERM} {
		t.Run(name, func(t *testing.T) {
			fail := func(c faulty.Call) error {
				if c.Name == "Link" {
					return links
				}
				return nil
			}
			for call := 1; ; call++ {
				d := faulty.New(uint64(call), faulty.Options{Fail: fail})
				write(t, d, "/temp", "mine")
				d.CrashAt(call)
				err := disk.Publish(d, "/temp", "/file")
				if got := text(t, d.Crash(), "/file"); got != "mine" && (err == nil || got != "none") {
					t.Fatalf("call %d, %v: after a power cut %q", call, err, got)
				}
				if err == nil {
					break
				}
			}

			d := faulty.New(1, faulty.Options{Fail: fail})
			write(t, d, "/temp", "mine")
			write(t, d, "/file", "of another")
			if err := disk.Publish(d, "/temp", "/file"); !errors.Is(err, fs.ErrExist) {
				t.Errorf("over a file: %v", err)
			}
			if got := text(t, d, "/file"); got != "of another" {
				t.Errorf("over a file: it is %q", got)
			}

			d = faulty.New(1, faulty.Options{})
			write(t, d, "/temp", "mine")
			d.Set(faulty.Options{Fail: func(c faulty.Call) error {
				if c.Name == "SyncDir" {
					return syscall.EIO
				}
				return fail(c)
			}})
			err := disk.Publish(d, "/temp", "/file")
			if got := text(t, d, "/file"); !errors.Is(err, syscall.EIO) || got != "none" {
				t.Errorf("a directory that cannot be synced: %v, and the file is %s", err, fmt.Sprintf("%q", got))
			}
		})
	}
}
