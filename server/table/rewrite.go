package table

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// A reader of many files takes a column's type from one of them. So when a column is widened, the
// files that have landed are rewritten, and rows of the wider kind land after that:
//
//	float arrives ─▶ catalog: float64, not uniform ─▶ each file replaced in its place ─▶ catalog: uniform ─▶ the float lands
//
// While files are replaced, some have integers and some have floats with the same values, and no
// file has a fraction: readers that convert one to the other answer right. The table's rows wait in
// memory and in the log meanwhile, but not longer than longestPark and not when memory is short:
// then they land first. Other tables land all the time.
//
// Until the catalog says uniform, a start goes on with the rewrite; files that have been replaced
// are passed over. The columns of a rewrite are those of the moment at which no unit of the table
// was planned and no file was to be removed, so it never touches a file that a lander may remove.
// Files aside are rewritten where they are, and none returns meanwhile.

// rewrite is where the rewriting of a table's files stands. The store's lock guards it.
type rewrite struct {
	to     *schema   // what files are to be like; nil: there is nothing to do
	since  time.Time // when it became due
	parked bool      // the table's first unit waits for it, and no lander has the table

	err   error // of the first attempt that failed
	pause time.Duration
}

// longestPark is how long rows wait for the files that are there to be rewritten.
const longestPark = time.Minute

// errParked says that a unit waits until its table's files have been rewritten.
var errParked = errors.New("the table's files are being rewritten")

// park reports whether the table's next unit, whose columns are those of sc, must wait. Then unpark
// gives it to a lander again.
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

// rewriteFiles has the files of a table rewritten, unless that is under way, or files are about to
// be removed or to return. The caller holds the lock.
func (s *Store) rewriteFiles(t *table, sc *schema) {
	if t.rewrite.to != nil || t.schema.Load().rewritten >= sc.widenings || len(t.unlanded) > 0 || t.cleared || t.exile.moving {
		return
	}
	t.rewrite.to, t.rewrite.since = sc, time.Now()
	s.rewriting++
	s.queueRewrite(t)
}

// queueRewrite has somebody work at a table's rewrite. The caller holds the lock.
func (s *Store) queueRewrite(t *table) {
	s.rewrites = append(s.rewrites, t)
	if !s.rewriter {
		s.rewriter = true
		s.running.Add(1)
		go s.runRewriter()
	}
}

// resumeRewrites goes on with what an earlier life of the store has left. A table with files to
// remove waits for its lander.
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

// runRewriter rewrites the files of one table after another, until there is none. Then it has the
// catalog say so: once, since a store may begin with thousands of tables to look at.
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
		s.list(t) // so that it is seen
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

// unpark gives a table to the landers if it waits for its rewrite. The caller holds the lock, here
// and below.
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

// unparkLate has rows land that have waited long enough.
func (s *Store) unparkLate(t *table, now time.Time) {
	if now.Sub(t.rewrite.since) >= longestPark {
		s.unpark(t)
	}
}
