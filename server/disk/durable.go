package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MkdirAll makes a directory and those above it, and syncs the entries of those that were not there.
func MkdirAll(d Disk, dir string) error {
	err := d.Mkdir(dir, DirMode())
	if errors.Is(err, fs.ErrNotExist) {
		if err = MkdirAll(d, filepath.Dir(dir)); err == nil {
			err = d.Mkdir(dir, DirMode())
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return isDir(d, dir)
	}
	if err != nil {
		return err
	}
	return d.SyncDir(filepath.Dir(dir))
}

func isDir(d Disk, path string) error {
	info, err := d.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	return err
}

// ReadFile returns what the file at path holds.
func ReadFile(d Disk, path string) ([]byte, error) {
	f, err := d.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// WriteFile replaces the file at path by one that holds text. At any moment there is the old file or the new one.
func WriteFile(d Disk, path string, text []byte) error {
	dir, base := filepath.Split(path)
	temp := filepath.Join(dir, "."+base+".tmp")
	if err := writeSynced(d, temp, text); err != nil {
		return err
	}
	if err := d.Rename(temp, path); err != nil {
		return err
	}
	return d.SyncDir(filepath.Dir(path))
}

func writeSynced(d Disk, path string, text []byte) error {
	f, err := d.Open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, FileMode())
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// Publish gives the file at temp, which is synced, the name path, and syncs the directory of both. A file at path is never
// overwritten: the error is fs.ErrExist then. After another error there is no file at path.
func Publish(d Disk, temp, path string) error {
	// A rename would replace a file, so the file gets a second name, and then loses the first.
	err := d.Link(temp, path)
	switch {
	case err == nil:
		d.Remove(temp) // what is left of it is swept at the next start
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.EPERM): // a file system without links, such as FAT
		if _, err := d.Lstat(path); err == nil {
			return &fs.PathError{Op: "publish", Path: path, Err: fs.ErrExist}
		}
		if err := d.Rename(temp, path); err != nil {
			return err
		}
	default:
		return err
	}
	if err = d.SyncDir(filepath.Dir(path)); err != nil {
		d.Remove(path) // not durable, so nobody may see it
	}
	return err
}
