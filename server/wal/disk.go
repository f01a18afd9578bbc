package wal

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
)

const (
	lockName    = "lock"
	reserveName = "reserve"
)

// writeAll writes all slices in vecs, one after the other, at the offset off. It modifies vecs.
func writeAll(f disk.File, vecs [][]byte, off int64) error {
	for len(vecs) > 0 {
		n, err := f.WriteVec(vecs[:min(len(vecs), disk.MaxVecs)], off)
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrShortWrite
		}
		off += int64(n)
		for len(vecs) > 0 && n >= len(vecs[0]) {
			n -= len(vecs[0])
			vecs = vecs[1:]
		}
		if n > 0 {
			vecs[0] = vecs[0][n:]
		}
	}
	return nil
}

// lockDir locks the log in dir. The system releases the lock when the process ends.
func lockDir(d disk.Disk, dir string) (unlock func(), err error) {
	unlock, err = d.Lock(filepath.Join(dir, lockName))
	switch {
	case errors.Is(err, disk.ErrLocked):
		return nil, fmt.Errorf("wal: %s is in use by another process; stop that process first", dir)
	case err != nil:
		return nil, fmt.Errorf("wal: %w", err)
	}
	return unlock, nil
}

// spaceInterval is the minimum time between two queries of the file system's free space.
const spaceInterval = 100 * time.Millisecond

// space monitors the free space of the file system, and maintains the reserve.
//
// The reserve is released when fewer than minFree bytes are free, or when a write fails because the
// disk is full. While the reserve is released, the disk counts as low, because the released space
// is only for records with UseReserve and for their files. The reserve is created again when
// minFree bytes plus the size of the reserve remain free afterwards. So the reserve is not released
// and created in quick succession.
type space struct {
	disk    disk.Disk
	dir     string
	minFree int64
	reserve int64
	log     *slog.Logger

	watched bool // minFree or reserve is set
	epoch   time.Time
	due     atomic.Int64 // time of the next query, since epoch
	isLow   atomic.Bool
	found   atomic.Int64 // free bytes at the last query
	wanted  atomic.Int64 // free bytes at which all records are accepted again

	mu   disk.Mutex
	held bool // the reserve is on disk
}

// start checks whether the reserve exists, and queries the free space.
func (s *space) start() {
	s.epoch = time.Now()
	info, err := s.disk.Stat(s.path())
	s.held = err == nil && s.reserve > 0 && info.Size() == s.reserve
	if err == nil && !s.held {
		s.drop() // its size differs from the size in the options
	}
	if s.watched = s.minFree > 0 || s.reserve > 0; s.watched {
		s.look()
	}
}

func (s *space) path() string {
	return filepath.Join(s.dir, reserveName)
}

// low reports whether records without UseReserve must be rejected.
func (s *space) low() bool {
	if !s.watched {
		return false
	}
	now, due := int64(time.Since(s.epoch)), s.due.Load()
	if now >= due && s.due.CompareAndSwap(due, now+int64(spaceInterval)) {
		s.look()
	}
	return s.isLow.Load()
}

// full is called after a write has failed because the disk is full. It makes the disk count as low
// until the next query of the free space.
func (s *space) full() {
	if s.watched {
		s.due.Store(int64(time.Since(s.epoch) + spaceInterval))
		s.isLow.Store(true)
	}
}

// lookAgain is like the method `low`, but queries the free space immediately. It is called after
// space was freed.
func (s *space) lookAgain() bool {
	s.look()
	return s.isLow.Load()
}

func (s *space) look() {
	free, err := s.disk.Free(s.dir)
	if err != nil {
		return // if the disk is full, a write will fail
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reserve > 0 {
		switch {
		case s.held && free < s.minFree:
			s.drop()
		case !s.held && free-s.minFree >= 2*s.reserve:
			s.take()
		}
	}
	low := free < s.minFree || s.reserve > 0 && !s.held
	wanted := s.minFree
	if s.reserve > 0 && !s.held {
		wanted += 2 * s.reserve
	}
	s.found.Store(free)
	s.wanted.Store(wanted)
	if low != s.isLow.Swap(low) {
		s.log.Warn("wal: free disk space crossed the minimum", "low", low, "free", free, "wanted", wanted, "dir", s.dir)
	}
}

// giveBack releases the reserve. It reports whether there was one.
func (s *space) giveBack() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held {
		return false
	}
	s.drop()
	s.isLow.Store(true)
	s.log.Warn("wal: disk full; reserve released, writes refused", "dir", s.dir)
	return true
}

// drop removes the reserve. Syncing the directory makes the file system free the blocks of the
// reserve immediately.
func (s *space) drop() {
	s.held = false
	if err := errors.Join(s.disk.Remove(s.path()), s.disk.SyncDir(s.dir)); err != nil {
		s.log.Error("wal: releasing the reserve failed", "error", err)
	}
}

// take creates the reserve. If the file system cannot allocate space in advance, the log works
// without a reserve.
func (s *space) take() {
	f, err := s.disk.Open(s.path(), os.O_RDWR|os.O_CREATE|os.O_TRUNC, disk.FileMode())
	if err == nil {
		err = f.Allocate(0, s.reserve)
		f.Close()
	}
	switch {
	case err == nil:
		s.held = true
	case disk.IsFull(err):
		s.disk.Remove(s.path())
	default:
		s.disk.Remove(s.path())
		s.reserve = 0
		s.log.Warn("wal: allocating the reserve failed; continuing without it", "error", err, "dir", s.dir)
	}
}

// preallocate allocates the space of f between two offsets, so that commits need not allocate it.
// If the file system does not support preallocation, or has too little space, preallocate truncates
// f to the first offset.
func preallocate(f disk.File, from, to int64) error {
	if to <= from {
		return nil
	}
	if err := f.Allocate(from, to-from); err != nil {
		return f.Truncate(from) // release what was allocated before the disk was full
	}
	return nil
}
