package wal

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slipstream-go/slipstream/server/durable"
)

const (
	lockName    = "lock"
	reserveName = "reserve"
)

// file is what the committer asks of the active segment. Tests put a faulty one in its place.
type file interface {
	writeVec(vecs [][]byte, off int64) (int, error) // may write less than all, as pwritev does
	datasync() error
	Truncate(size int64) error
	Close() error
}

// diskFile is the file that is used outside of tests; what it adds differs between systems.
type diskFile struct{ *os.File }

// writeAll writes vecs, which it consumes, at off.
func writeAll(f file, vecs [][]byte, off int64) error {
	for len(vecs) > 0 {
		n, err := f.writeVec(vecs[:min(len(vecs), maxVecs)], off)
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

// isDiskFull reports whether err says that there is no room, which may change.
func isDiskFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, io.ErrShortWrite)
}

// lockDir takes the lock of the log in dir, which the system gives back when the process ends.
func lockDir(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, durable.FileMode())
	if err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if err == unix.EWOULDBLOCK {
			return nil, fmt.Errorf("wal: %s is in use by another process: stop it first", dir)
		}
		return nil, fmt.Errorf("wal: lock %s: %w", f.Name(), err)
	}
	return func() { f.Close() }, nil
}

// freeBytes is how much an ordinary user may still write to dir's file system.
func freeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// spaceInterval is how often the file system is asked at most.
const spaceInterval = 100 * time.Millisecond

// space watches how much room the file system has, and keeps the reserve.
//
// The reserve is given back when free bytes fall below minFree or when a write meets a full disk. As long as it is out the disk
// counts as low: what it has given is for landing, not for more data. It is taken again when that leaves minFree and as much
// again as the reserve, so that it does not go back and forth.
type space struct {
	dir     string
	minFree int64
	reserve int64
	free    func(dir string) (int64, error)
	log     *slog.Logger

	watched bool // there is something to ask for
	epoch   time.Time
	due     atomic.Int64 // when to ask next, since epoch
	isLow   atomic.Bool
	found   atomic.Int64 // free bytes at the last look
	wanted  atomic.Int64 // free bytes at which data is taken again

	mu   sync.Mutex
	held bool // the reserve is on disk
}

// start looks at what is there.
func (s *space) start() {
	s.epoch = time.Now()
	info, err := os.Stat(s.path())
	s.held = err == nil && s.reserve > 0 && info.Size() == s.reserve
	if err == nil && !s.held {
		s.drop() // it was made with another size
	}
	if s.watched = s.minFree > 0 || s.reserve > 0; s.watched {
		s.look()
	}
}

func (s *space) path() string {
	return filepath.Join(s.dir, reserveName)
}

// low reports whether data must be refused.
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

// full notes that a write has met a full disk: until the next look it counts as low.
func (s *space) full() {
	if s.watched {
		s.due.Store(int64(time.Since(s.epoch) + spaceInterval))
		s.isLow.Store(true)
	}
}

// lookAgain is low after something was freed.
func (s *space) lookAgain() bool {
	s.look()
	return s.isLow.Load()
}

func (s *space) look() {
	free, err := s.free(s.dir)
	if err != nil {
		return // a write will find out
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
		s.log.Warn("wal: room on the disk", "low", low, "free", free, "wanted", wanted, "dir", s.dir)
	}
}

// giveBack frees the reserve. It reports whether there was one.
func (s *space) giveBack() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held {
		return false
	}
	s.drop()
	s.isLow.Store(true)
	s.log.Warn("wal: the disk is full: the reserve was given back, data is refused", "dir", s.dir)
	return true
}

// drop removes the reserve. Syncing the directory makes the file system hand out its blocks at once.
func (s *space) drop() {
	s.held = false
	if err := errors.Join(os.Remove(s.path()), durable.SyncDir(s.dir)); err != nil {
		s.log.Error("wal: the reserve could not be given back", "error", err)
	}
}

// take makes the reserve. On a file system that cannot allocate ahead the log goes without.
func (s *space) take() {
	f, err := os.OpenFile(s.path(), os.O_RDWR|os.O_CREATE|os.O_TRUNC, durable.FileMode())
	if err == nil {
		err = allocate(f, 0, s.reserve)
		f.Close()
	}
	switch {
	case err == nil:
		s.held = true
	case isDiskFull(err):
		os.Remove(s.path())
	default:
		os.Remove(s.path())
		s.reserve = 0
		s.log.Warn("wal: there will be no reserve", "error", err, "dir", s.dir)
	}
}

// preallocate gives f room from offset from to offset to, so that commits need not. It does without where the file system
// cannot, or has less than that.
func preallocate(f *os.File, from, to int64) error {
	if to <= from {
		return nil
	}
	if err := allocate(f, from, to-from); err != nil {
		return f.Truncate(from) // what was allocated before the disk was full
	}
	return nil
}
