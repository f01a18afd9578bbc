package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// OS is the file system of the operating system.
var OS Disk = system{}

type system struct{}

// osFile is an open file. The methods that it adds to os.File depend on the operating system.
type osFile struct{ *os.File }

func (system) Open(path string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (system) ReadDir(dir string) ([]fs.DirEntry, error) { return os.ReadDir(dir) }
func (system) Stat(path string) (fs.FileInfo, error)     { return os.Stat(path) }
func (system) Lstat(path string) (fs.FileInfo, error)    { return os.Lstat(path) }
func (system) Mkdir(path string, perm fs.FileMode) error { return os.Mkdir(path, perm) }
func (system) Rename(from, to string) error              { return os.Rename(from, to) }
func (system) Link(from, to string) error                { return os.Link(from, to) }
func (system) Remove(path string) error                  { return os.Remove(path) }

func (system) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (system) Free(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil // Bavail is what users other than root have
}

func (system) Size(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Blocks) * int64(st.Bsize), nil
}

func (system) Lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, FileMode())
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if err == unix.EWOULDBLOCK {
			err = ErrLocked
		}
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { f.Close() }, nil
}
