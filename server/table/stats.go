package table

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Stats is what a store has done since it was opened, and what it holds now. At any moment Accepted == Landed + Pending.
type Stats struct {
	Accepted int64 // rows taken over from the log, replayed ones included
	Landed   int64 // rows in files
	Pending  int64 // rows that wait

	Tables       int // in the catalog
	Units        int64
	Files        int64
	Bytes        int64         // of files
	LandFailures int64         // attempts to land that failed
	Buffered     int64         // bytes of memory that rows hold, from Append until they have landed
	Oldest       time.Duration // how long the oldest row has waited; 0 if none waits

	Replayed   int64         // rows found in the log by Open that were in no file yet
	ReplayTime time.Duration // how long reading the log took
}

// TableInfo is what the store knows about one table. The counts are since the store was opened.
type TableInfo struct {
	Name     Name
	Columns  []Field // not to be changed
	Accepted int64
	Landed   int64
	Pending  int64
	Files    int64
	Bytes    int64
	LandedTo uint64        // every row in a record up to this sequence number is in a file; 0 if unknown
	Oldest   time.Duration // how long the oldest row has waited; 0 if none waits
	Err      error         // why the next unit has not landed: the error of the first attempt
}

// Stats is a consistent snapshot.
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
	}
	return st
}

// Failing lists the tables whose rows did not land at the last attempt.
func (s *Store) Failing() (names []Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		if t.landError() != nil {
			names = append(names, t.name)
		}
	}
	return names
}

// landError returns why the next unit has not landed, or nil if it has not been tried.
func (t *table) landError() error {
	if len(t.waiting) == 0 {
		return nil
	}
	return t.waiting[0].landing.err
}

// Columns returns the columns of a table in the catalog, or nil. They are not to be changed.
func (s *Store) Columns(name Name) []Field {
	if sc := s.catalog.lookup(name); sc != nil {
		return sc.fields
	}
	return nil
}

// Tables lists every table in the catalog by name.
func (s *Store) Tables() []TableInfo {
	now := time.Now()
	catalog := s.catalog.snapshot()
	infos := make([]TableInfo, 0, len(catalog))
	s.mu.Lock()
	for name, sc := range catalog {
		t := sc.table
		info := TableInfo{
			Name: name, Columns: sc.fields,
			Accepted: t.accepted, Landed: t.landed, Pending: t.pending(),
			Files: t.files, Bytes: t.bytes, LandedTo: t.landedTo, Oldest: t.waited(now), Err: t.landError(),
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
