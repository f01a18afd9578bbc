package disk

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
)

// Disk is a file system. Its methods may be called from many goroutines.
type Disk interface {
	// Open opens a file. The flags are the same as for os.OpenFile.
	Open(path string, flag int, perm fs.FileMode) (File, error)

	// ReadDir returns the entries of a directory, sorted by name.
	ReadDir(dir string) ([]fs.DirEntry, error)

	// Stat and Lstat describe the file at path. Lstat does not follow a symbolic link.
	Stat(path string) (fs.FileInfo, error)
	Lstat(path string) (fs.FileInfo, error)

	Mkdir(path string, perm fs.FileMode) error

	// Rename gives a file the name `to`. It replaces an existing file of that name.
	Rename(from, to string) error

	// Link gives a file the second name `to`. It does not replace an existing file of that name:
	// the error is fs.ErrExist.
	Link(from, to string) error

	// Remove removes a file's name, or an empty directory.
	Remove(path string) error

	// SyncDir makes the entries of a directory durable.
	SyncDir(dir string) error

	// Free returns how many bytes can still be written to the file system of dir.
	Free(dir string) (int64, error)

	// Size returns the total size of the file system of dir in bytes, including used space, or 0 if
	// it is unknown.
	Size(dir string) (int64, error)

	// Lock opens the file at path, or creates it if it does not exist. It locks the file until
	// unlock is called or the process ends. If the file is already locked, the error is ErrLocked.
	Lock(path string) (unlock func(), err error)
}

// File is an open file.
type File interface {
	io.Reader
	io.Writer
	io.ReaderAt
	io.WriterAt
	io.Closer

	Name() string
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error

	// Sync makes all written data durable.
	Sync() error

	// Datasync makes written data durable, except for metadata that is not needed to read the data,
	// such as times.
	Datasync() error

	// WriteVec writes the slices in `vecs`, one after the other, starting at the offset `off`. At
	// most MaxVecs slices are allowed. Without an error, WriteVec may write fewer bytes than
	// requested.
	WriteVec(vecs [][]byte, off int64) (int, error)

	// Allocate reserves disk space for n bytes at the offset `off`. Reads return zeros for these
	// bytes. If the file is too short, it grows. If the file system does not support this, the
	// error is errors.ErrUnsupported.
	Allocate(off, n int64) error

	// Zero sets the content of the file to `size` bytes of zeros, and keeps its blocks on the disk.
	// `size` must not be less than the file's current size. If the file system does not support
	// this, the error is errors.ErrUnsupported.
	Zero(size int64) error
}

// ErrLocked is the error of Lock when another process has the lock.
var ErrLocked = errors.New("in use by another process")

// IsFull reports whether err means that the disk has no space left. The condition may be temporary.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, io.ErrShortWrite)
}
