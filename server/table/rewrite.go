package table

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// A program that reads many files determines a column's type from one of the files. So when a
// column of integers is changed to floats (widened), the existing files are rewritten first. Then
// rows with floats are written to files (they land):
//
//	float arrives ─▶ catalog: float64, not uniform ─▶ each file replaced in its place ─▶ catalog: uniform ─▶ the float lands
//
// While files are being replaced, some contain integers, and others contain floats with the same
// values. No file contains a fraction. So readers that convert between the two types return correct
// results. During the rewrite, the table's rows wait in memory and in the log. After longestPark,
// or when memory is short, they are written to files before the end of the rewrite. Rows of other
// tables are not delayed.
//
// Until the catalog marks the table as uniform, each start continues the rewrite, and skips files
// that have been replaced. A rewrite uses the table's columns at a moment when no unit of the table
// is planned and no file must be removed. So a rewrite never touches a file that a lander may
// remove. Files in the sink Aside are rewritten there, and no file is moved back during the
// rewrite.

// rewrite is the state of the rewrite of a table's files. The store's lock guards it.
type rewrite struct {
	to     *schema   // the schema for the rewritten files; nil if there is nothing to do
	since  time.Time // when the rewrite became due
	parked bool      // the table's first unit waits for the rewrite, and no lander works on the table

	err   error // error of the first failed attempt
	pause time.Duration
}

// longestPark is the maximum time that rows wait until the existing files are rewritten.
const longestPark = time.Minute

// errParked means that a unit waits until its table's files have been rewritten.
var errParked = errors.New("the table's files are being rewritten")

// park reports whether the table's next unit, which has the columns in sc, must wait. If it must
// wait, a later call of unpark gives the table to a lander again.
func (s *Store) park(t *table, sc *schema) bool {
	if sc.uniform() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rewriteFiles(t, sc)
	if t.rewrite.to == nil || s.tight() || time.Since(t.rewrite.since) >= longestPark {
		return false
	}
	t.rewrite.parked = true
	return true
}

// rewriteFiles queues the rewrite of a table's files. It does nothing if the rewrite is already
// queued or done, or if files must first be removed or returned. The caller holds the lock.
func (s *Store) rewriteFiles(t *table, sc *schema) {
	if t.rewrite.to != nil || t.schema.Load().rewritten >= sc.widenings || len(t.unlanded) > 0 || t.cleared || t.exile.moving {
		return
	}
	t.rewrite.to, t.rewrite.since = sc, time.Now()
	s.rewriting++
	s.queueRewrite(t)
}

// queueRewrite queues a table's rewrite, and starts the rewriter if it is not running. The caller
// holds the lock.
func (s *Store) queueRewrite(t *table) {
	s.rewrites = append(s.rewrites, t)
	if !s.rewriter {
		s.rewriter = true
		s.running.Add(1)
		go s.runRewriter()
	}
}

// resumeRewrites continues the rewrites that an earlier process has not completed. If a table has
// files that must be removed, its lander removes them first.
func (s *Store) resumeRewrites() {
	all := s.catalog.all()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.SortedFunc(maps.Keys(all), Name.compare) {
		t := all[name]
		if sc := t.schema.Load(); !sc.uniform() {
			s.rewriteFiles(t, sc)
		}
	}
}

// runRewriter rewrites the files of all queued tables, one table at a time. Then it records all
// rewrites in the catalog with one write, because a store may have to check thousands of tables at
// start.
func (s *Store) runRewriter() {
	defer s.running.Done()
	for {
		for t := s.nextRewrite(); t != nil; t = s.nextRewrite() {
			s.rewriteTable(t)
		}
		if err := s.catalog.saveAll(); err != nil && s.ctx.Err() == nil {
			s.o.Logger.Warn("recording rewritten files in the catalog failed; the next start checks them again", "error", err)
		}
		s.mu.Lock()
		s.rewriter = len(s.rewrites) > 0 && s.ctx.Err() == nil
		more := s.rewriter
		s.mu.Unlock()
		if !more {
			return
		}
	}
}

// nextRewrite returns a table whose files are to be rewritten, or nil.
func (s *Store) nextRewrite() *table {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rewrites) == 0 || s.ctx.Err() != nil {
		return nil
	}
	t := s.rewrites[0]
	s.rewrites = s.rewrites[1:]
	return t
}

func (s *Store) rewriteTable(t *table) {
	sc := t.rewrite.to
	err := s.catalog.save() // so that no file is ahead of the catalog
	var done Rewritten
	if err == nil {
		done, err = s.o.Sink.Rewrite(s.ctx, t.name.dir(), sc.inFiles())
	}
	if err == nil && s.o.Aside != nil {
		var aside Rewritten
		aside, err = s.o.Aside.Rewrite(s.ctx, t.name.dir(), sc.inFiles())
		done.Files, done.Kept = done.Files+aside.Files, append(done.Kept, aside.Kept...)
	}
	for _, kept := range done.Kept {
		s.o.Logger.Error("rewriting a file failed; it stays unchanged", "table", t.name.String(), "error", kept)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total.Rewritten += int64(done.Files)
	r := &t.rewrite
	switch {
	case err == nil:
		if done.Files > 0 {
			s.o.Logger.Info("files rewritten after a column was widened", "table", t.name.String(), "files", done.Files)
		}
		s.catalog.rewritten(t, sc.widenings)
		s.unpark(t)
		*r = rewrite{}
		s.rewriting--
	case !errors.Is(err, context.Canceled):
		r.err = cmp.Or(r.err, err)
		s.list(t) // so that the error is reported
		r.pause = min(max(2*r.pause, s.o.firstPause), longestPause)
		s.o.Logger.Error("rewriting files failed; retrying", "table", t.name.String(), "after", r.pause, "error", err)
		time.AfterFunc(r.pause, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.ctx.Err() == nil {
				s.queueRewrite(t)
			}
		})
	}
}

// unpark gives a table to the landers if the table waits for its rewrite. The caller holds the
// lock. The same applies to the functions below.
func (s *Store) unpark(t *table) {
	if t.rewrite.parked {
		t.rewrite.parked = false
		s.ready = append(s.ready, t)
		s.work.Signal()
	}
}

func (s *Store) unparkAll() {
	for _, t := range s.tables {
		s.unpark(t)
	}
}

// unparkLate gives a table to the landers if its rows have waited for longestPark.
func (s *Store) unparkLate(t *table, now time.Time) {
	if now.Sub(t.rewrite.since) >= longestPark {
		s.unpark(t)
	}
}
