package table

import "sync/atomic"

// Tables and databases share the memory for rows that wait to be written to files. If rows are
// written to several databases, the memory that a database uses may be at most four times the free
// memory. The memory that a table uses may be at most four times the memory that its database can
// still use. So a single database can use four fifths of the memory, and a single table four fifths
// of that. If the rows of a table or database are written more slowly than they arrive, memory
// remains for the others. If no other rows are in memory, rows of any size are accepted.
//
// The free memory can shrink after a table has used its part, because another database uses more.
// Then the database of this table exceeds its limit. Each of its tables may still use an equal part
// of this limit, so that the other tables need not wait until the rows of this table are in files.

// The number of tables in the catalog is shared in the same way. If several databases have tables,
// the number of tables of a database may be at most four times the number of tables that can still
// be created. A database with more tables keeps its tables, but gets no new tables. If only one
// database has tables, it may use the whole catalog.

// share is the maximum ratio of the memory that a table or database uses to the memory that remains
// for it and the others. It is also the maximum ratio of the number of tables in a database to the
// number of tables that can still be created.
const share = 4

// database counts what the rows of a database use.
type database struct {
	held   atomic.Int64 // bytes of memory
	tables atomic.Int64 // number of tables with rows in memory
}

// hold adds n to the number of bytes of memory that the rows of the table t use.
func (s *Store) hold(t *table, n int64) {
	d := t.database.Load()
	if d == nil {
		d = s.database(t.name.DB)
		t.database.Store(d)
	}
	now := t.held.Add(n)
	d.held.Add(n)
	if had := now - n; had == 0 && now != 0 {
		d.tables.Add(1)
	} else if had != 0 && now == 0 {
		d.tables.Add(-1)
	}
}

// database returns the counters of a database. All calls with the same name return the same
// counters.
func (s *Store) database(name string) *database {
	if d, ok := s.databases.Load(name); ok {
		return d.(*database)
	}
	d, had := s.databases.LoadOrStore(name, new(database))
	if !had {
		s.several.Add(1)
	}
	return d.(*database)
}

// crowds reports whether a table or database in the delivery uses too much memory. The memory of
// the delivery must already have been counted. All deliveries together use `now` bytes.
func (s *Store) crowds(d *delivery, now int64) bool {
	if now == d.held() {
		return false
	}
	free := s.o.MaxBuffered - now
	for _, it := range d.items {
		limit := share * free
		if s.several.Load() > 1 {
			db := it.table.database.Load()
			limit = share * (share*free - db.held.Load()) / (share + 1)
			if n := db.tables.Load(); n > 1 {
				limit = max(limit, share*free/n)
			}
		}
		if it.table.held.Load() > limit {
			return true
		}
	}
	return false
}

// room returns the number of tables that can still be created, and how many of them may be in the
// given database. The caller holds the lock.
func (c *catalog) room(db string) (free, own int) {
	free = max(0, c.limits.tables-c.sizeLocked()-c.fresh)
	has := c.counts[db]
	if has == c.sizeLocked()+c.fresh { // no other database has tables
		return free, free
	}
	return free, max(0, (share*free-has+1)/(share+1)) // ensures that before each of them is added, the database has at most `share` times as many tables as can still be created
}

// roomOf returns the number of tables that can still be created in a database.
func (c *catalog) roomOf(db string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, own := c.room(db)
	return own
}

func (c *catalog) checkNewTable(name Name) error {
	if c.limits.on {
		switch free, own := c.room(name.DB); {
		case free == 0:
			return invalid("table %s: the catalog already has the maximum of %d tables: raise the limit, or use fewer names", name, c.limits.tables)
		case own == 0:
			return invalid("table %s: the database has %d tables, which is its share of the maximum of %d: raise the limit, or use fewer names",
				name, c.counts[name.DB], c.limits.tables)
		}
	}
	return checkTableName(name)
}

// uncount subtracts one from the number of tables in a database. The caller holds the lock.
func (c *catalog) uncount(name Name) {
	if c.counts[name.DB]--; c.counts[name.DB] == 0 {
		delete(c.counts, name.DB)
	}
}
