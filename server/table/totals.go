package table

import (
	"context"

	"github.com/slipstream-go/slipstream/server/disk"
)

// Totals contains the numbers of rows, files and bytes that were written for a table since the
// table was created. Files still count after other programs have removed them. Rewritten files
// count with their original size.
//
// When rows are in files, the store writes a Landed note to the log. The note contains the totals
// of the table, and the catalog contains older totals. A segment of the log is released only after
// the catalog contains the totals from its notes. So after a crash, the correct totals are in the
// last note in the log or, if the log has no such note, in the catalog.
type Totals struct {
	Rows  int64 `json:"rows"`
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Counter is a Sink that can count the rows, files and bytes of a table. The store calls Count once
// for a table whose totals are neither in the log nor in the catalog.
type Counter interface {
	// Count returns the totals of the files below dir. It does not count the files whose paths are
	// in the list `except`. The directory and the paths have the form of File.Path. If some files
	// cannot be counted, Count returns an error and the totals of the other files.
	Count(ctx context.Context, dir string, except []string) (Totals, error)
}

func (t *table) total() Totals {
	if n := t.totals.Load(); n != nil {
		return *n
	}
	return Totals{}
}

// totalWith returns the totals that the table has when the unit u is in files. All files of u must
// exist.
func (t *table) totalWith(u *unit) *Totals {
	n := t.total()
	n.Rows += int64(u.rows)
	n.Files += int64(len(u.landing.files))
	n.Bytes += u.landing.bytes
	return &n
}

// findTotals sets the totals of a table after a start. It uses the table's last note in the log,
// the catalog, or the files.
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

// release removes the segments of the log whose rows are all in files. Before that, it appends to
// the log the data that the Carrier must keep. It also saves the totals to the catalog, because the
// notes in these segments are removed, too.
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
	if err != nil { // the disk was full, but may have space now
		s.saveTotals()
	}
}

// saveTotals writes the totals to the catalog, and only logs an error. It is called if the disk had
// no space for the totals before the segments were released.
func (s *Store) saveTotals() {
	if err := s.catalog.saveAll(); err != nil {
		s.o.Logger.Warn("writing row and file counts to the catalog failed", "error", err)
	}
}
