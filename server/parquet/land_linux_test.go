package parquet

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk"
)

// On a full disk, Land fails and leaves no files. Land can write the same file once there is space.
func TestDiskFull(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mount("tmpfs", root, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(root, 0); err != nil {
			t.Error(err)
		}
	})
	s, err := New(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Land(context.Background(), fileOf("db/t/f.parquet", telemetry(100_000)))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want ENOSPC", err)
	}
	if left := files(t, root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	b := telemetry(1000)
	got, _, err := Read(disk.OS, land(t, s, "db/t/f.parquet", b))
	if err != nil {
		t.Fatal(err)
	}
	sameBatch(t, got, b)
}
