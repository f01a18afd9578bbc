package wal

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/server/disk"
)

// Released segments are kept as spares, and become segments again. Freeing a segment of 128 MiB can
// keep a file system's journal busy for a sixth of a second (seen on ext4 with the option discard).
// No sync completes during that time. A spare's blocks are zeroed without being freed, so a reused
// segment is like a new one.

const (
	spareSuffix = ".spare"
	maxSpares   = 4
)

// spares manages files that can become segments again.
type spares struct {
	disk disk.Disk
	dir  string
	log  *slog.Logger

	mu    disk.Mutex
	paths []string
	most  int // how many spares are kept
}

// find adds the spares that an earlier process has left in dir. If there are more than `most`
// spares, it removes all of them.
func (s *spares) find(d disk.Disk, dir string, most int, log *slog.Logger) error {
	s.disk, s.dir, s.most, s.log = d, dir, most, log
	entries, err := d.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix+spareSuffix) {
			s.paths = append(s.paths, filepath.Join(dir, e.Name()))
		}
	}
	if len(s.paths) > s.most {
		s.drop()
	}
	return nil
}

// keep durably turns a released segment into a spare, unless there are enough spares. It reports
// whether the segment has become a spare.
func (s *spares) keep(path string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.paths) >= s.most {
		return false, nil
	}
	spare := path + spareSuffix
	if err := s.disk.Rename(path, spare); err != nil {
		return false, err
	}
	s.paths = append(s.paths, spare)
	return true, s.disk.SyncDir(s.dir)
}

// take returns a spare that consists of `size` allocated bytes of zeros, and its path. It returns
// nil if there is no spare. The file is not synced.
func (s *spares) take(size int64) (f disk.File, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.paths) == 0 {
		return nil, ""
	}
	path = s.paths[0]
	s.paths = slices.Delete(s.paths, 0, 1)
	f, err := s.disk.Open(path, os.O_RDWR, 0)
	if err == nil {
		if err = zeroAll(f, size); err == nil {
			return f, path
		}
		f.Close()
	}
	if errors.Is(err, errors.ErrUnsupported) {
		s.most = 0 // the file system does not support this
	} else if !errors.Is(err, errLarger) {
		s.log.Warn("wal: using a preallocated segment failed", "error", err)
	}
	s.disk.Remove(path)
	return nil, ""
}

var errLarger = errors.New("the preallocated file is larger than a segment")

// zeroAll sets the content of f to `size` bytes of zeros that are allocated on the disk.
func zeroAll(f disk.File, size int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > size {
		return errLarger
	}
	return f.Zero(size)
}

// drop removes all spares. It reports whether there were any.
func (s *spares) drop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.paths) == 0 {
		return false
	}
	for _, path := range s.paths {
		if err := s.disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.log.Warn("wal: removing a preallocated segment failed", "error", err)
		}
	}
	s.paths = nil
	_ = s.disk.SyncDir(s.dir) // so that the file system frees their blocks; the removal need not be durable
	return true
}

// freeStep is the number of bytes of a file that are freed in one step. Between two steps, syncs of
// other files can run.
const freeStep = 8 << 20

// removeSegment removes a released segment. First it durably renames the file, so that Open never
// finds a part of the segment.
func removeSegment(d disk.Disk, path string) error {
	temp := path + tempSuffix
	if err := d.Rename(path, temp); err != nil {
		return err
	}
	if err := d.SyncDir(filepath.Dir(path)); err != nil {
		return err
	}
	if f, err := d.Open(temp, os.O_WRONLY, 0); err == nil {
		if info, err := f.Stat(); err == nil {
			for size := info.Size() - freeStep; size > 0 && f.Truncate(size) == nil; size -= freeStep {
			}
		}
		f.Close()
	}
	return d.Remove(temp)
}
