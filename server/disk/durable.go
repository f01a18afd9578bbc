package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MkdirAll creates a directory and its missing parents, and syncs the entries of all of them. It
// also syncs existing parents and the entries in dir, because an earlier process may have ended
// before it synced them.
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

// syncAbove makes the directory entries of dir and of all its parents durable. For this it syncs
// every directory above dir.
func syncAbove(d Disk, dir string) error {
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if err := syncEntry(d, parent, false); err != nil {
			return err
		}
	}
	return nil
}

// syncEntry syncs a directory to make one of its entries durable. If the entry already existed, the
// process may lack permission to read the directory. In that case syncEntry returns no error.
func syncEntry(d Disk, dir string, made bool) error {
	err := d.SyncDir(dir)
	if !made && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Mkdir creates a directory if it does not exist, and reports whether it created the directory.
// Mkdir does not sync the new entry.
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

// ReadFile returns the content of the file at path.
func ReadFile(d Disk, path string) ([]byte, error) {
	f, err := d.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// WriteFile durably replaces the content of the file at `path` with the bytes in `text`. At any
// moment, the path names either the old or the new file.
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

// Stage writes the replacement for the file at `path` under a temporary name. It does not change
// the file at `path`. After an error, it removes the temporary file.
func Stage(d Disk, path string, text []byte) (Staged, error) {
	dir, base := filepath.Split(path)
	s := Staged{d, filepath.Join(dir, "."+base+".tmp"), path}
	err := writeSynced(d, s.temp, text)
	if err != nil {
		d.Remove(s.temp)
	}
	return s, err
}

// Replace durably replaces the file at the path given to [Stage] by the staged file. After an
// error, the path may name either of the two files.
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

// Publish renames the file at the path `temp` to the path `path`, and syncs the directory that
// contains both. The caller must have synced the file. Publish never overwrites a file at path: if
// one exists, the error is fs.ErrExist. After any other error, no file exists at path.
func Publish(d Disk, temp, path string) error {
	// A rename would replace an existing file. So the file gets a second name, and then loses the
	// first.
	err := d.Link(temp, path)
	switch {
	case err == nil:
		d.Remove(temp) // if this fails, the next start removes the file
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
		d.Remove(path) // the file is not durable, so it must not be visible
	}
	return err
}
