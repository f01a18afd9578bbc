package disk

import (
	"io/fs"
	"sync/atomic"
)

var fileMode atomic.Uint32

func init() { SetFileMode(0o600) }

// SetFileMode sets the permissions of files that the service creates after the call. The umask
// still applies. By default, only the owner of a file may read and write it.
func SetFileMode(mode fs.FileMode) { fileMode.Store(uint32(mode.Perm())) }

// FileMode returns the permissions of new files.
func FileMode() fs.FileMode { return fs.FileMode(fileMode.Load()) }

// DirMode returns the permissions of new directories. Users who may read files may also list and
// enter directories.
func DirMode() fs.FileMode {
	mode := FileMode()
	return mode | mode&0o444>>2
}
