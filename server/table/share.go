package table

import "sync/atomic"

// Shares of the memory for rows that wait to land. A table may hold four times what is free, and so may a database where several are
// written to. So one table or database alone gets four fifths of all, and those that land slower than their rows come leave the others
// room. Rows that have the memory for themselves are taken whatever their size.

// share is how many times the free memory a table or database may hold.
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

// crowds reports whether a table or a database of the delivery, which has been counted, holds too much of the memory, of which all
// deliveries hold `now`.
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
