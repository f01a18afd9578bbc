package testkit

import (
	"os"
	"testing"
)

// MemDir returns a directory in memory, if the system has one, and otherwise a directory on the
// disk. On a disk, tests that open thousands of logs take long.
func MemDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "slipstream")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
