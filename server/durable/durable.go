// Package durable makes files and directories that survive a crash of the machine: an entry of a directory is on disk only when the
// directory was synced after the entry was made, renamed or removed.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// SyncDir makes the entries of a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MkdirAll makes a directory and those above it, and syncs the entries of those that were not there.
func MkdirAll(dir string) error {
	err := os.Mkdir(dir, DirMode())
	if errors.Is(err, fs.ErrNotExist) {
		if err = MkdirAll(filepath.Dir(dir)); err == nil {
			err = os.Mkdir(dir, DirMode())
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return isDir(dir)
	}
	if err != nil {
		return err
	}
	return SyncDir(filepath.Dir(dir))
}

func isDir(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	return err
}

// WriteFile replaces the file at path by one that holds text. At any moment there is the old file or the new one.
func WriteFile(path string, text []byte) error {
	dir, base := filepath.Split(path)
	temp := filepath.Join(dir, "."+base+".tmp")
	if err := writeSynced(temp, text); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, FileMode())
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// Publish gives the file at temp, which is synced, the name path, and syncs the directory of both. A file at path is never
// overwritten: the error is fs.ErrExist then. After another error there is no file at path.
func Publish(temp, path string) error {
	// A rename would replace a file, so the file gets a second name, and then loses the first.
	err := os.Link(temp, path)
	switch {
	case err == nil:
		os.Remove(temp) // what is left of it is swept at the next start
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.EPERM): // a file system without links, such as FAT
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "publish", Path: path, Err: fs.ErrExist}
		}
		if err := os.Rename(temp, path); err != nil {
			return err
		}
	default:
		return err
	}
	if err = SyncDir(filepath.Dir(path)); err != nil {
		os.Remove(path) // not durable, so nobody may see it
	}
	return err
}
