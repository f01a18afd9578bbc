package table

import "sync/atomic"

// Shares of the memory for rows that wait to land. A table may hold four times what is free, and so
// may a database where several are written to. So one table or database alone gets four fifths of
// all, and those that land slower than their rows come leave the others room. Rows that have the
// memory for themselves are taken whatever their size.

// The catalog's tables are shared alike: where several databases have tables, one of them may have
// four times as many as are free. It keeps what it has, and gets no new ones beyond that. A
// database that is alone may fill the catalog.

// share is how many times the free memory a table or database may hold, and the free tables a
// database may have.
const share = 4

// hold books that t's rows hold n more bytes.
func (s *Store) hold(t *table, n int64) {
	t.held.Add(n)
	d := t.database.Load()
	if d == nil {
		d = s.database(t.name.DB)
		t.database.Store(d)
	}
	d.Add(n)
}

// database returns what the rows of a database's tables hold. It is the same counter each time.
func (s *Store) database(name string) *atomic.Int64 {
	if d, ok := s.databases.Load(name); ok {
		return d.(*atomic.Int64)
	}
	d, had := s.databases.LoadOrStore(name, new(atomic.Int64))
	if !had {
		s.several.Add(1)
	}
	return d.(*atomic.Int64)
}

// crowds reports whether a table or a database of the delivery, which has been counted, holds too
// much of the memory, of which all deliveries hold `now`.
func (s *Store) crowds(d *delivery, now int64) bool {
	if now == d.held() {
		return false
	}
	most := share * (s.o.MaxBuffered - now)
	for _, it := range d.items {
		t := it.table
		if t.held.Load() > most || s.several.Load() > 1 && t.database.Load().Load() > most {
			return true
		}
	}
	return false
}

// room returns how many more tables there may be, and how many of them a database may have. The
// caller holds the lock.
func (c *catalog) room(db string) (free, own int) {
	free = max(0, c.limits.tables-c.sizeLocked()-c.fresh)
	has := c.counts[db]
	if has == c.sizeLocked()+c.fresh { // it is alone
		return free, free
	}
	return free, max(0, (share*free-has+1)/(share+1)) // so that what it has before the last of them is at most share times what is free then
}

// roomOf returns how many more tables a database may have.
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
			return invalid("table %s: it would be one more than the %d tables there may be: raise the limit, or use fewer names", name, c.limits.tables)
		case own == 0:
			return invalid("table %s: its database has %d tables, which is its share of the %d there may be: raise the limit, or use fewer names",
				name, c.counts[name.DB], c.limits.tables)
		}
	}
	return checkTableName(name)
}

// uncount takes a table off those of its database. The caller holds the lock.
func (c *catalog) uncount(name Name) {
	if c.counts[name.DB]--; c.counts[name.DB] == 0 {
		delete(c.counts, name.DB)
	}
}
