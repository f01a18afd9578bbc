package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Stats contains counters since the store was opened, and the current state of the store. At any
// moment Accepted == Landed + Pending.
type Stats struct {
	Accepted int64 // rows received from the log, including replayed rows
	Landed   int64 // rows in files
	Pending  int64 // rows that wait to be written to files

	Tables       int // number of tables in the catalog
	Units        int64
	Files        int64
	Bytes        int64         // total size of the files
	LandFailures int64         // failed attempts to write a unit to files
	Aside        int           // files in the sink Aside
	Rewritten    int64         // files that were replaced because a column was widened
	Rewriting    int           // tables whose files are being rewritten or wait for the rewrite
	Buffered     int64         // bytes of memory that rows use, from Append until they are in files
	Oldest       time.Duration // waiting time of the oldest row; 0 if no row waits

	Replayed   int64         // rows found in the log by Open that were in no file yet
	ReplayTime time.Duration // duration of reading the log
}

// TableInfo is the state of a table. Landed, Files and Bytes are its [Totals].
type TableInfo struct {
	Name     Name
	Columns  []Field // must not be changed
	Accepted int64   // Landed + Pending
	Landed   int64
	Pending  int64
	Files    int64
	Bytes    int64
	LandedTo uint64        // every row in a record up to this sequence number is in a file; 0 if unknown
	Oldest   time.Duration // waiting time of the oldest row; 0 if no row waits
	Err      error         // the current problem of the table: see [Store.Trouble]
	Aside    int           // files in the sink Aside
}

// Stats returns a consistent snapshot.
func (s *Store) Stats() Stats {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.total
	st.Tables = s.catalog.size()
	st.Pending = st.Accepted - st.Landed
	st.Buffered = s.held.Load()
	for _, t := range s.tables {
		st.Oldest = max(st.Oldest, t.waited(now))
		st.Aside += len(t.exile.files)
	}
	st.Rewriting = s.rewriting
	return st
}

const reportInterval = time.Minute

// report logs how many rows were written to how many files, once per reportInterval. It logs
// nothing if no rows were written.
func (s *Store) report(now time.Time) {
	s.mu.Lock()
	last, st, due := s.reported, s.total, !now.Before(s.reportAt)
	if due {
		s.reported, s.reportAt = st, now.Add(reportInterval)
	}
	s.mu.Unlock()
	if due && st.Units > last.Units {
		s.o.Logger.Info("flushed in the last minute", "units", st.Units-last.Units, "rows", st.Landed-last.Landed, "files", st.Files-last.Files, "bytes", st.Bytes-last.Bytes)
	}
}

// Failing returns the tables that currently have a problem: see [Store.Trouble].
func (s *Store) Failing() (names []Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		if t.trouble() != nil {
			names = append(names, t.name)
		}
	}
	return names
}

// landError returns the error of the table's next unit, if the unit could be written neither to the
// table's own directory nor to the sink Aside. Otherwise it returns nil.
func (t *table) landError() error {
	if len(t.waiting) > 0 && t.waiting[0].landing.stuck {
		return t.waiting[0].landing.err
	}
	return nil
}

// trouble returns the current problem of a table, or nil.
func (t *table) trouble() error {
	var late error
	if len(t.waiting) > 0 {
		late = t.waiting[0].landing.err
	}
	err := cmp.Or(late, t.rewrite.err, t.exile.err)
	if n := len(t.exile.files); n > 0 {
		err = fmt.Errorf("%d files of table %s are in the aside directory: %w", n, t.name, err)
	}
	return err
}

// toldTroubles is the maximum number of tables that an error lists.
const toldTroubles = 10

// Trouble returns the problems of individual tables, or nil. A table has a problem if some of its
// files are in the sink Aside, or if its files cannot be written or rewritten.
func (s *Store) Trouble() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []error
	more := 0
	for _, t := range s.tables {
		if err := t.trouble(); err == nil {
		} else if len(list) < toldTroubles {
			list = append(list, err)
		} else {
			more++
		}
	}
	if more > 0 {
		list = append(list, fmt.Errorf("%d more tables have problems", more))
	}
	return errors.Join(list...)
}

// Columns returns the columns of a table in the catalog, or nil. The caller must not change the
// columns.
func (s *Store) Columns(name Name) []Field {
	if sc := s.catalog.lookup(name); sc != nil {
		return sc.fields
	}
	return nil
}

// Tables returns all tables in the catalog, sorted by name.
func (s *Store) Tables() []TableInfo {
	now := time.Now()
	catalog := s.catalog.all()
	infos := make([]TableInfo, 0, len(catalog))
	s.mu.Lock()
	for name, t := range catalog {
		n, pending := t.total(), t.pending()
		info := TableInfo{
			Name: name, Columns: t.schema.Load().fields,
			Accepted: n.Rows + pending, Landed: n.Rows, Pending: pending,
			Files: n.Files, Bytes: n.Bytes, LandedTo: t.landedTo, Oldest: t.waited(now), Err: t.trouble(), Aside: len(t.exile.files),
		}
		infos = append(infos, info)
	}
	s.mu.Unlock()
	slices.SortFunc(infos, func(a, b TableInfo) int {
		return cmp.Or(strings.Compare(a.Name.DB, b.Name.DB), strings.Compare(a.Name.Table, b.Name.Table))
	})
	return infos
}

func (t *table) waited(now time.Time) time.Duration {
	if u := t.oldest(); u != nil {
		return now.Sub(u.opened)
	}
	return 0
}
