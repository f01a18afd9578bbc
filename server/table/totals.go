package table

import (
	"context"

	"github.com/slipstream-go/slipstream/server/disk"
)

// Totals are the rows, files and bytes of a table that have landed since it was created. Files that
// were removed by others still count. Rewritten files count with their original size.
//
// Each landed note has the totals of its table, and the catalog has older ones. A segment of the
// log is released only after the catalog has the totals of its notes. So after a crash the newer of
// both is correct.
type Totals struct {
	Rows  int64 `json:"rows"`
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Counter is a Sink that can count its files. It is used once for a table whose totals are neither
// in the log nor in the catalog.
type Counter interface {
	// Count returns the totals of the files below dir, except those at the paths in except. Dir and
	// paths are like those of [File]. With an error it returns the totals of the other files.
	Count(ctx context.Context, dir string, except []string) (Totals, error)
}

func (t *table) total() Totals {
	if n := t.totals.Load(); n != nil {
		return *n
	}
	return Totals{}
}

// totalWith returns the totals that the table has once u, whose files are all there, has landed.
func (t *table) totalWith(u *unit) *Totals {
	n := t.total()
	n.Rows += int64(u.rows)
	n.Files += int64(len(u.landing.files))
	n.Bytes += u.landing.bytes
	return &n
}

// findTotals has a table know its totals after a start: from its last note in the log, the catalog,
// or its files.
func (s *Store) findTotals(ctx context.Context, t *table, noted *Totals) error {
	if noted != nil && noted.Rows >= t.total().Rows { // else the log is an older copy
		s.catalog.hasLanded(t, noted)
	}
	if t.totals.Load() != nil {
		return nil
	}
	var n Totals
	if c, ok := s.o.Sink.(Counter); ok {
		var err error
		n, err = c.Count(ctx, t.name.dir(), t.unlanded)
		if ended := interrupted(ctx); ended != nil {
			return ended
		}
		if err != nil {
			s.o.Logger.Warn("reading files of a table failed; their rows are not counted", "table", t.name.String(), "error", err)
		}
	}
	s.catalog.hasLanded(t, &n)
	return nil
}

// release removes the segments of the log whose rows have all landed. The catalog gets the totals
// first, since their notes go too, and what the carrier wants to outlive them is written to the end
// of the log.
func (s *Store) release() {
	to := s.log.Releasable(s.settled(nil))
	if to == 0 {
		return
	}
	if err := s.carry(to); err != nil {
		s.o.Logger.Error("rewriting records that outlive their segment failed; flushed segments stay in the log until the next flush", "error", err)
		return
	}
	err := s.catalog.saveAll()
	if err != nil && !disk.IsFull(err) {
		s.o.Logger.Error("writing the catalog failed; flushed segments stay in the log until the next flush", "error", err)
		return
	}
	s.log.Release(to)
	if err != nil { // for want of room, which there may be now
		s.saveTotals()
	}
}

// saveTotals writes the catalog where its totals are not essential: the log has them, or no disk
// has room for them.
func (s *Store) saveTotals() {
	if err := s.catalog.saveAll(); err != nil {
		s.o.Logger.Warn("writing row and file counts to the catalog failed", "error", err)
	}
}
