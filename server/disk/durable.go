package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MkdirAll makes a directory and those above it, and syncs the entries of all of them and those in
// dir: what is there may be of a life that ended before it was synced.
func MkdirAll(d Disk, dir string) error {
	if err := mkdirAll(d, dir); err != nil {
		return err
	}
	return d.SyncDir(dir)
}

func mkdirAll(d Disk, dir string) error {
	parent := filepath.Dir(dir)
	if parent == dir {
		return nil
	}
	made, err := Mkdir(d, dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := mkdirAll(d, parent); err != nil {
			return err
		}
		made, err = Mkdir(d, dir)
	} else if err == nil {
		err = syncAbove(d, parent)
	}
	if err != nil {
		return err
	}
	return syncEntry(d, parent, made)
}

// syncAbove syncs the entries of a directory that is there and of those above it.
func syncAbove(d Disk, dir string) error {
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if err := syncEntry(d, parent, false); err != nil {
			return err
		}
	}
	return nil
}

// syncEntry syncs a directory for the sake of an entry. One that was there may be somebody else's,
// in a directory that may not be read.
func syncEntry(d Disk, dir string, made bool) error {
	err := d.SyncDir(dir)
	if !made && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Mkdir makes a directory if it is not there, and reports whether it was not. Its entry is not
// synced.
func Mkdir(d Disk, dir string) (made bool, err error) {
	err = d.Mkdir(dir, DirMode())
	if !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	info, err := d.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return false, err
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

// WriteFile replaces the file at path by one that holds text. At any moment there is the old file
// or the new one.
func WriteFile(d Disk, path string, text []byte) error {
	file, err := Stage(d, path, text)
	if err != nil {
		return err
	}
	return file.Replace()
}

// Staged is a file that is on disk under a temporary name.
type Staged struct {
	disk       Disk
	temp, path string
}

// Stage writes the file that is to replace the one at path, in which nothing has changed when it
// returns. After an error it has taken no room.
func Stage(d Disk, path string, text []byte) (Staged, error) {
	dir, base := filepath.Split(path)
	s := Staged{d, filepath.Join(dir, "."+base+".tmp"), path}
	err := writeSynced(d, s.temp, text)
	if err != nil {
		d.Remove(s.temp)
	}
	return s, err
}

// Replace puts the file in the place of the one at its path. After an error either may be there.
func (s Staged) Replace() error {
	if err := s.disk.Rename(s.temp, s.path); err != nil {
		return err
	}
	return s.disk.SyncDir(filepath.Dir(s.path))
}

func writeSynced(d Disk, path string, text []byte) error {
	f, err := d.Open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, FileMode())
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// Publish gives the file at temp, which is synced, the name path, and syncs the directory of both.
// A file at path is never overwritten: the error is fs.ErrExist then. After another error there is
// no file at path.
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
