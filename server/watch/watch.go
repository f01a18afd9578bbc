// Package watch re-reads files when they change.
//
// A source is a function that reads files and applies their content. If the files are not valid,
// the source keeps the previous content.
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

// Interval is the time between two checks of the files. If the content of a file has changed, the
// file is loaded when two consecutive checks have found the same new content.
const Interval = time.Second

// Load reads files and applies their content. It must read each file with the function `read`, so
// that the watcher knows the file's path and content.
type Load func(read func(path string) ([]byte, error)) error

// Watcher checks the files of its sources for changes.
type Watcher struct {
	Logger *slog.Logger // must be set

	loading sync.Mutex // held while files are read; on a slow file system this takes a long time
	sources []*source

	mu    sync.Mutex
	stats Stats
}

// Stats contains a watcher's counters.
type Stats struct {
	Loads    int64     // successful loads, including the loads by Add
	Failures int64     // failed loads; the previous content remains in use
	Last     time.Time // time of the last successful load
	Failed   int       // number of sources whose last load failed
}

type source struct {
	name   string
	load   Load
	seen   map[string]sum // the files at the last load
	latest map[string]sum // the same files at the last check
	failed bool
}

// sum is the checksum of a file's content, or zero if the file cannot be read. The watcher compares
// checksums, because modification times are not exact enough. If a file is written twice in quick
// succession, its modification time and its size may be the same.
type sum [sha256.Size]byte

func read(path string) ([]byte, sum, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, sum{}, err
	}
	return b, sha256.Sum256(b), nil
}

// Add loads a source. If the load succeeds, the watcher watches the source's files.
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

// Run checks the files until ctx is done.
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

// Reload loads every source, even if its files have not changed.
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

// changed reports whether the files differ from the last load, but not from the last check. So if a
// file is written in several steps, it is loaded only after the last step.
func (s *source) changed() bool {
	now := make(map[string]sum)
	for path := range s.seen {
		_, now[path], _ = read(path)
	}
	settled := maps.Equal(now, s.latest)
	s.latest = now
	return settled && !maps.Equal(now, s.seen)
}

// Stats returns the current counters.
func (w *Watcher) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}
