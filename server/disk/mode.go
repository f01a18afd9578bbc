package disk

import (
	"io/fs"
	"sync/atomic"
)

var fileMode atomic.Uint32

func init() { SetFileMode(0o600) }

// SetFileMode sets the permissions of files that the service makes from now on, less the umask.
// Until then only their owner may read and write them.
func SetFileMode(mode fs.FileMode) { fileMode.Store(uint32(mode.Perm())) }

// FileMode returns the permissions of new files.
func FileMode() fs.FileMode { return fs.FileMode(fileMode.Load()) }

// DirMode returns the permissions of new directories: who may read files may list and enter them.
func DirMode() fs.FileMode {
	mode := FileMode()
	return mode | mode&0o444>>2
}
