// Package watch reads files again when they change.
//
// A source is a function that reads files and applies their content. If they are not valid, it
// keeps the previous content.
package watch

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"maps"
	"os"
	"sync"
	"time"
)

// Interval is the time between two looks at the files. A change is loaded when two looks in a row
// have seen it.
const Interval = time.Second

// Load makes use of files. It reads them by read, which notes which they are, and what they were.
type Load func(read func(path string) ([]byte, error)) error

// Watcher looks at the files of its sources.
type Watcher struct {
	Logger *slog.Logger // must be set

	loading sync.Mutex // held while files are read, which may take as long as their file system does
	sources []*source

	mu    sync.Mutex
	stats Stats
}

// Stats are what a watcher has done.
type Stats struct {
	Loads    int64     // that went well, those of Add included
	Failures int64     // that did not: what was read before stays in use
	Last     time.Time // when a load last went well
	Failed   int       // sources whose files are wrong now
}

type source struct {
	name   string
	load   Load
	seen   map[string]sum // the files of the last load
	latest map[string]sum // the same files at the last look
	failed bool
}

// sum is that of a file's content, and zero if it cannot be read. It is what is compared, because
// the times of files are coarse: one that is written twice within a tick of that clock may keep its
// time and its size.
type sum [sha256.Size]byte

func read(path string) ([]byte, sum, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, sum{}, err
	}
	return b, sha256.Sum256(b), nil
}

// Add loads a source, and has it watched if that goes well.
func (w *Watcher) Add(name string, load Load) error {
	w.loading.Lock()
	defer w.loading.Unlock()
	s := &source{name: name, load: load}
	if err := w.reload(s); err != nil {
		return err
	}
	w.sources = append(w.sources, s)
	return nil
}

// Run looks at the files until ctx is done.
func (w *Watcher) Run(ctx context.Context) {
	t := time.NewTicker(Interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			w.check()
		}
	}
}

// Reload loads every source, whether its files have changed or not.
func (w *Watcher) Reload() { w.each(func(*source) bool { return true }) }

func (w *Watcher) check() { w.each((*source).changed) }

func (w *Watcher) each(which func(*source) bool) {
	w.loading.Lock()
	defer w.loading.Unlock()
	for _, s := range w.sources {
		if !which(s) {
			continue
		}
		if err := w.reload(s); err != nil {
			w.Logger.Error("reload failed; the previous configuration stays in effect", "what", s.name, "error", err)
		} else {
			w.Logger.Info("configuration reloaded", "what", s.name)
		}
	}
}

func (w *Watcher) reload(s *source) error {
	s.seen = make(map[string]sum)
	err := s.load(func(path string) ([]byte, error) {
		b, sum, err := read(path)
		s.seen[path] = sum
		return b, err
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	s.failed = err != nil
	w.stats.Failed = 0
	for _, s := range w.sources {
		if s.failed {
			w.stats.Failed++
		}
	}
	if err != nil {
		w.stats.Failures++
		return err
	}
	w.stats.Loads++
	w.stats.Last = time.Now()
	return nil
}

// changed reports whether the files have changed, and are as they were at the last look: a file
// that is written in steps is not loaded before the last one.
func (s *source) changed() bool {
	now := make(map[string]sum)
	for path := range s.seen {
		_, now[path], _ = read(path)
	}
	settled := maps.Equal(now, s.latest)
	s.latest = now
	return settled && !maps.Equal(now, s.seen)
}

// Stats are the present counts.
func (w *Watcher) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}
