package disk

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
)

// Disk is a file system. Its methods may be called from many goroutines.
type Disk interface {
	// Open opens a file. The flags are those of os.OpenFile.
	Open(path string, flag int, perm fs.FileMode) (File, error)

	// ReadDir returns the entries of a directory, sorted by name.
	ReadDir(dir string) ([]fs.DirEntry, error)

	// Stat describes the file at path. Lstat does not follow it if it is a symbolic link.
	Stat(path string) (fs.FileInfo, error)
	Lstat(path string) (fs.FileInfo, error)

	Mkdir(path string, perm fs.FileMode) error

	// Rename gives a file the name to, in the place of a file that has it.
	Rename(from, to string) error

	// Link gives a file a second name. A file that has the name is not replaced: the error is
	// fs.ErrExist.
	Link(from, to string) error

	// Remove removes a file's name, or an empty directory.
	Remove(path string) error

	// SyncDir makes the entries of a directory durable.
	SyncDir(dir string) error

	// Free returns how many bytes can still be written to the file system of dir.
	Free(dir string) (int64, error)

	// Size returns how many bytes the file system of dir has in all, used ones included; 0 if that
	// is not known.
	Size(dir string) (int64, error)

	// Lock opens the file at path, which it makes if need be, and locks it until unlock is called
	// or the process ends. The error is ErrLocked if somebody else has it.
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

	// Sync makes all that was written durable.
	Sync() error

	// Datasync makes what was written durable, but for what reading it back does not need, such as
	// times.
	Datasync() error

	// WriteVec writes vecs, at most MaxVecs, one after the other at off. It may write less than all
	// without an error.
	WriteVec(vecs [][]byte, off int64) (int, error)

	// Allocate reserves the n bytes at off, which read as zeros. The file grows if it is shorter.
	// The error is errors.ErrUnsupported where the file system cannot.
	Allocate(off, n int64) error

	// Zero makes the file size bytes of zeros, which is no less than its size, and keeps its place
	// on the disk. The error is errors.ErrUnsupported where the file system cannot.
	Zero(size int64) error
}

// ErrLocked is the error of Lock when another process has the lock.
var ErrLocked = errors.New("in use by another process")

// IsFull reports whether err says that there is no room, which may change.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, io.ErrShortWrite)
}
